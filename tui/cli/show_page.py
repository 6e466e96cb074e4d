"""The page of `show`: the verdict first, what it rests on, figures, other records, how to run it again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence

from tui import numbers
from tui.catalog import estimate
from tui.catalog.question import LEFT_OUT
from tui.catalog.verdict import NO_RESULT, Record, Verdict, check_sentences, is_blank, sentence, shown
from tui.cli.shown_model import ShownModel
from tui.cli.wrapped_text import wrapped
from tui.export import aligned, cell_width
from tui.rerun.recipe import Recipe
from tui.terminal_text import clean, last_line

_HEADERS = ("result", "stack", "cores", "time", "tested", "runner")
_AT_RIGHT = (False, False, True, True, False, False)
_OF_WHAT = "of a core or of the run: not documented"
_KEPT = 2
"""Columns of the other records that every terminal gets."""

Row = tuple[str, str]


def page(model: ShownModel, width: int | None) -> str:
    """Clean lines, the last one ended too. Sentences and tables are at most `width` cells wide, whole for None.

    Commands are never broken: a line of them stands alone and is as long as it has to be.
    """
    record, recipe = model.record, model.recipe
    if record is None or recipe is None:
        parts = [
            [clean(model.model_id), *wrapped(_without_record(model), width)],
            _others(model, width),
            *_estimate(model, width),
        ]
    else:
        parts = [
            [clean(model.model_id), *wrapped([sentence(record)], width)],
            wrapped([] if record.verdict is Verdict.EXCLUDED else check_sentences(record), width),
            _labelled(_figures(model, record), width),
            wrapped([f"{name}: {_json_text(value)}" for name, value in record.extra.items()], width),
            _others(model, width),
            ["How to run it again", *wrapped(recipe.left_out, width), *_recipe(model, record, recipe, width)],
        ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _without_record(model: ShownModel) -> list[str]:
    if model.verdict is None:
        return ["Not known: it is not in what could be read, and a part of the data could not be."]
    stack = model.choice.exact
    if not model.records:
        return ["Not tested: the dataset has no record of it."]
    where = stack.title if stack is not None else "these stacks"
    return [f"Not tested on {where}: the dataset has records of it on other stacks only."]


def _estimate(model: ShownModel, width: int | None) -> list[list[str]]:
    """What it would take, and how tested models like it fared."""
    known = model.estimate
    if known is None:
        return []
    weights = estimate.weights_sentences(known) + ([estimate.BESIDES] if known.weights is not None else [])
    parts = [[estimate.HEADING, *wrapped(weights, width)]]
    if known.evidence is not None:
        found, limits = estimate.evidence_sentences(known.evidence)
        named = [f"  {text}" for text in estimate.named(known.evidence)]
        parts.append(wrapped([found, *named, limits], width))
    return parts


def _figures(model: ShownModel, record: Record) -> list[Row]:
    values, raw = record.values, record.unconverted
    peak, capacity = (shown(values[name], raw.get(name)) for name in ("hbm_peak_gb", "hbm_capacity_gb"))
    nothing = peak == capacity == numbers.NOT_RECORDED
    rows = [
        ("stack", record.stack.title),
        ("tested", shown(values["tested_at"], raw.get("tested_at"))),
        ("runner", shown(values["runner"], raw.get("runner"))),
        ("cores", shown(values["tp"], raw.get("tp"))),
        ("time", _time(record)),
        ("memory", numbers.NOT_RECORDED if nothing else f"peak {peak} of {capacity} GB, {_OF_WHAT}"),
        ("CPU run", shown(values["cpu_match"], raw.get("cpu_match"))),
        ("judge", shown(values["english"], raw.get("english"))),
    ]
    if values["notes"] is not None:
        rows.append(("notes", values["notes"]))
    if model.error is not None:
        rows.append(("error", _short_error(model.error)))
    return rows


def _time(record: Record) -> str:
    seconds = record.values["wall_s"]
    if seconds is None:
        return shown(None, record.unconverted.get("wall_s"))
    return f"{numbers.duration_words(seconds)}, compilation included"


def _json_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _short_error(error: str) -> str:
    if is_blank(error):
        return shown(error)
    more = len(error.splitlines()) - 1
    return last_line(error) + (f" ({numbers.counted(more, 'more line')}: --format json)" if more > 0 else "")


def _others(model: ShownModel, width: int | None) -> list[str]:
    """The model's other records as a table; columns give way from the right, then texts are cut."""
    if not model.others:
        return []
    rows = [_HEADERS, *(_cells(model, record) for record in model.others)]
    if len({row[-1] for row in rows[1:]}) == 1:
        rows = [row[:-1] for row in rows]
    text = ""
    for columns in range(len(rows[0]), _KEPT - 1, -1):
        text = aligned([row[:columns] for row in rows], _AT_RIGHT[:columns])
        if width is None or max(map(cell_width, text.splitlines())) <= width:
            break
    else:
        text = aligned([row[:_KEPT] for row in rows], _AT_RIGHT[:_KEPT], width)
    title = "Other records of this model" if model.record is not None else "Records of this model"
    return [title, *text.splitlines()]


def _cells(model: ShownModel, record: Record) -> tuple[str, ...]:
    values, raw = record.values, record.unconverted
    other_id = "" if record.model_id == model.model_id else f" ({record.model_id})"
    cells = (
        result_word(record),
        f"{record.stack.label}{other_id}",
        shown(values["tp"], raw.get("tp")),
        shown(None, raw["wall_s"]) if "wall_s" in raw else numbers.duration(values["wall_s"]),
        numbers.day(values["tested_at"]),
        shown(values["runner"], raw.get("runner")),
    )
    return tuple(clean(cell) for cell in cells)


def result_word(record: Record) -> str:
    """The record's result in a word or two, as the table of models has it."""
    if record.verdict is Verdict.EXCLUDED:
        return LEFT_OUT
    if record.verdict is not Verdict.OTHER:
        return str(record.verdict)
    return NO_RESULT if record.result_word is None else shown(record.result_word)


def _recipe(model: ShownModel, record: Record, recipe: Recipe, width: int | None) -> list[str]:
    versions = ", ".join(f"{label} {shown(version)}" for label, version in recipe.stack)
    word = "recorded with" if record.verdict is Verdict.EXCLUDED else "tested with"
    lines = _labelled([(word, versions)], width)
    lines += ["packages on top", f"  {recipe.install_line or 'none can be named'}", *_graphs(model, width)]
    if recipe.script is None:
        return [*lines, "run.py", "  none is recorded"]
    size = f"{numbers.counted(recipe.script_lines, 'line')}, {numbers.size(recipe.script_bytes)}"
    return [*lines, f"run.py, {size}, SHA-256", f"  {recipe.script_sha256}", f"  {_command(model, 'script')}"]


def _graphs(model: ShownModel, width: int | None) -> list[str]:
    """The command as far as it is known here; else the verb that asks the Hub for what is missing."""
    cache = model.cache
    if cache is None:
        known = "none: the sample's models are invented" if model.sample else _command(model, "command", "cache")
        return ["compiled graphs", f"  {known}"]
    if not cache.line:
        return ["compiled graphs: no command", *wrapped([cache.note], width)]
    return [f"compiled graphs{', a candidate, unverified' if cache.candidate else ''}", f"  {clean(cache.line)}"]


def _command(model: ShownModel, *verb: str) -> str:
    """The line that runs a verb on the record shown."""
    end = ["--"] if model.model_id.startswith("-") else []
    return clean(shlex.join(["trn-models", *verb, *model.source, *model.stack, *end, model.model_id]))


def _labelled(rows: Sequence[Row], width: int | None) -> list[str]:
    """Names and their texts in two columns, the texts broken to fit."""
    room = max(len(name) for name, _ in rows) + 2
    lines: list[str] = []
    for name, text in rows:
        first, *more = wrapped([text], None if width is None else max(width - room, 10))
        lines += [f"{name:{room}}{first}", *(" " * room + part for part in more)]
    return lines
