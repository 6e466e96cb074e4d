"""The detail of a model as text, in reading order: verdict, what it rests on, why not, other records, how to run it.

Pure: values in, `Content` out. Everything from outside is cleaned here, on its way to the screen.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content

from tui import numbers
from tui.catalog.question import NOT_READ
from tui.catalog.stacks import compiler_label
from tui.catalog.verdict import NO_RESULT, Record, Verdict, check_sentences, is_blank, sentence, shown
from tui.errors import TrnModelsError
from tui.terminal_text import brief, last_line
from tui.widgets.verdict_look import FAINT, MUTED, SIGNS, STYLES

if TYPE_CHECKING:
    from tui.catalog.evidence import Evidence
    from tui.catalog.facts import ModelFacts
    from tui.rerun.recipe import CacheCommand, Recipe

HEADING = "bold $primary"


LONGEST_NOTE = 4_000
"""Characters of a note, or of why a model was left out."""
LONGEST_LINE = 20_000
"""Characters of the last line of an error; `f` shows all of it."""
WORD_WIDEST = 12
"""Cells of an unknown result word in the list of records; the record itself has it whole."""


@dataclass(frozen=True, slots=True)
class Detail:
    """All that is known of the model on the cursor line; what is not read yet is None."""

    model_id: str
    note: str
    record: Record | None
    word: str = ""
    """What the line says in place of a verdict: not tested, other stack, not read."""
    records: Sequence[Record] = ()
    """Every record of the model, newest stack first, the one that is shown included."""
    on_line: bool = True
    """Whether the record shown is the one of the table's line."""
    recipe: Recipe | None = None
    cache: CacheCommand | None = None
    error: str | None = None
    texts_read: bool = False
    texts_problem: TrnModelsError | None = None
    facts: ModelFacts | None = None
    facts_note: str = ""
    evidence: Evidence | None = None
    """How models like it fared; looked for when there is no record."""
    fit: str = ""
    """Whether the record fits this host and its Python, in one line; empty before that is known."""


def heading(detail: Detail) -> Content:
    """The model's id, the verdict as one sentence, and what it rests on."""
    lines = [Content.styled(brief(detail.model_id), "bold"), Content("")]
    if detail.record is None:
        lines.append(
            Content.assemble(
                (f"{SIGNS[Verdict.UNTESTED]} ", STYLES[Verdict.UNTESTED]),
                (brief(_as_sentence(detail.note or "not tested")), "bold"),
            )
        )
        lines.append(Content.styled(_what_no_record_means(detail), MUTED))
        return Content("\n").join(lines)
    record = detail.record
    style = STYLES[record.verdict]
    lines.append(Content.assemble((f"{SIGNS[record.verdict]} ", style), (brief(sentence(record)), f"bold {style}")))
    tested = record.values["tested_at"]
    where = f"on {brief(record.stack.title)}"
    if record.values["runner"] is not None:
        where += f" · runner {brief(shown(record.values['runner']))}"
    word = "recorded" if record.verdict is Verdict.EXCLUDED else "tested"
    where += f" · {word} {numbers.day(tested)}" if tested is not None else ""
    lines.append(Content.styled(where, MUTED))
    if record.verdict is not Verdict.EXCLUDED:
        lines.extend(
            Content.styled(brief(text), MUTED if index else "") for index, text in enumerate(check_sentences(record))
        )
    return Content("\n").join(lines)


def _what_no_record_means(detail: Detail) -> str:
    if detail.word == NOT_READ:
        return "Part of the data could not be read, or is still loading: nothing is known of this model."
    if detail.records:
        return "The dataset has records of this model on other stacks only."
    return "The dataset has no record of this model."


def one_line(error: TrnModelsError) -> str:
    """An error with all its parts on one line."""
    return " ".join(part for part in (f"{error.title}.", error.detail, error.remedy) if part)


def reasons(detail: Detail) -> Content:
    """Exclusion, notes, and the error with its last line first; empty when there is nothing."""
    record = detail.record
    if record is None:
        return Content("")
    blocks: list[Content] = []
    if record.verdict is not Verdict.EXCLUDED and record.values["exclusion"]:
        blocks.append(_block("Left out", brief(record.values["exclusion"], LONGEST_NOTE, newlines=True)))
    if record.values["notes"] is not None:
        blocks.append(_block("Notes", brief(shown(record.values["notes"]), LONGEST_NOTE, newlines=True)))
    if detail.error is not None:
        blocks.append(_error_block(detail.error))
    return Content("\n\n").join(blocks)


def _error_block(error: str) -> Content:
    if not error.strip():
        return _block("Error", shown(error))
    lines = error.splitlines()
    block = Content.assemble(("Error", HEADING), "\n", (last_line(error)[:LONGEST_LINE], "$text-error"))
    more = len(lines) - 1
    if more > 0:
        block += Content.assemble(
            "\n",
            (f"{numbers.count(more)} more lines of traceback · ", MUTED),
            ("f", "bold $primary"),
            (" whole error", MUTED),
        )
    return block


def fit(detail: Detail) -> Content:
    """Whether it will run here, and the key that tells all of it."""
    if not detail.fit:
        return Content("")
    return Content.assemble(
        ("Here  ", HEADING), brief(detail.fit), "   ", ("r", "bold $primary"), (" check and run", MUTED)
    )


def all_records(detail: Detail) -> Content:
    """Every record of this model, newest stack first, the one shown marked; nothing when it is the only one."""
    if len(detail.records) < (2 if detail.record is not None else 1):
        return Content("")
    names = [_stack_name(record, detail.record) for record in detail.records]
    words = [_verdict_word(record) for record in detail.records]
    name_width = max(map(len, names))
    word_width = max(map(len, words))
    several_runners = len({record.values["runner"] for record in detail.records}) > 1
    lines = [Content.assemble(("Records of this model", HEADING), ("   [ ] shows another", MUTED))]
    for record, name, word in zip(detail.records, names, words, strict=True):
        values = record.values
        cores = shown(values["tp"], record.unconverted.get("tp"))
        raw_wall = record.unconverted.get("wall_s")
        wall = brief(shown(None, raw_wall)) if raw_wall is not None else numbers.duration(values["wall_s"])
        here = record == detail.record
        lines.append(
            Content.assemble(
                ("▌" if here else " ", "$primary"),
                (name.ljust(name_width), "bold" if here else ""),
                " ",
                (f"{SIGNS[record.verdict]} {word.ljust(word_width)}", STYLES[record.verdict]),
                f" {brief(cores):>2} {wall:>6} ",
                (numbers.short_day(values["tested_at"]), MUTED),
                (f" {brief(shown(values['runner']))}" if several_runners else "", MUTED),
            )
        )
    return Content("\n").join(lines)


def _stack_name(record: Record, shown_record: Record | None) -> str:
    """The stack in few cells: the library is left out where it is the one of the record on screen."""
    stack = record.stack
    if shown_record is None or stack.library != shown_record.library or stack.library_version is None:
        return brief(stack.label)
    return brief(f"{compiler_label(stack.neuronx_cc)} · {shown(stack.library_version)}")


def _verdict_word(record: Record) -> str:
    if record.verdict in (Verdict.PASS, Verdict.FAIL):
        return str(record.verdict)
    if record.verdict is Verdict.EXCLUDED:
        return "out"
    word = NO_RESULT if is_blank(record.result_word) else brief(str(record.result_word))
    return word if len(word) <= WORD_WIDEST else f"{word[: WORD_WIDEST - 1]}…"


def how_to_run(detail: Detail) -> Content:
    """The stack it was tested on, and what to copy: install line, cache command, run.py."""
    record, recipe = detail.record, detail.recipe
    if record is None:
        return Content("")
    if recipe is None:
        return Content.styled("Run it again", HEADING)
    stack = " · ".join(f"{brief(label)} {brief(shown(version))}" for label, version in recipe.stack)
    install = _item("i", "packages on top", recipe.install_line or "", " ".join(recipe.left_out))
    if detail.cache is None:
        graphs = _item("n", "compiled graphs", "", "looking for their bucket …")
    else:
        title = "compiled graphs" + (" · candidate, unverified" if detail.cache.candidate else "")
        source = f"From {detail.cache.source}. " if detail.cache.source else ""
        graphs = _item("n", title, detail.cache.shown(Path.home()) or "", source + detail.cache.note)
    with_what = "recorded with " if record.verdict is Verdict.EXCLUDED else "tested with "
    tested_with = Content.assemble(("Run it again", HEADING), "\n", (with_what, MUTED), stack)
    return Content("\n\n").join([tested_with, install, graphs, _script_item(detail, recipe)])


def _item(key: str, title: str, line: str, note: str) -> Content:
    """What a key copies: its title, the line itself, and what there is to know about it."""
    first = Content.assemble((key, "bold $primary"), f"  {title}") if line else Content.assemble(f"   {title}")
    parts = [first]
    if line:
        parts.append(Content(brief(line)))
    if note:
        parts.append(Content.styled(brief(note), MUTED))
    return Content("\n").join(parts)


def _script_item(detail: Detail, recipe: Recipe) -> Content:
    if detail.texts_problem is not None:
        return Content.assemble("   run.py\n", (brief(one_line(detail.texts_problem)), "$text-error"))
    if recipe.script is None:
        return Content.assemble("   run.py: ", ("none is recorded" if detail.texts_read else "…", MUTED))
    size = f"{numbers.counted(recipe.script_lines, 'line')}, {numbers.size(recipe.script_bytes)}"
    return Content.assemble(
        ("y", "bold $primary"), f"  run.py, {size}   ", ("w", "bold $primary"), " write it   ", ("→", "bold $primary"),
        (" long lines", MUTED),
    )  # fmt: skip


def extra_columns(detail: Detail) -> Content:
    """Columns that this app does not know, and values that do not fit their column."""
    record = detail.record
    if record is None:
        return Content("")
    rows = [(name, _json_text(value)) for name, value in record.extra.items()]
    rows += [(f"{name} (does not fit its column)", raw) for name, raw in record.unconverted.items()]
    if not rows:
        return Content("")
    lines = [Content.styled("More columns", HEADING)]
    lines += [Content.assemble((f"{brief(name)}  ", MUTED), brief(text, newlines=True)) for name, text in rows]
    return Content("\n").join(lines)


def hub_facts(detail: Detail) -> Content:
    """What the Hub says of the model; or why nothing is known."""
    facts = detail.facts
    if facts is None:
        return (
            Content.assemble(("On the Hub  ", HEADING), (brief(detail.facts_note), MUTED))
            if detail.facts_note
            else Content("")
        )
    parts = [
        ("task", facts.task),
        ("library", facts.library),
        ("license", facts.license),
        (
            "gated",
            {"auto": "yes, accepted at once", "manual": "yes, accepted by hand", False: "no"}.get(facts.gated),
        ),
        ("parameters", numbers.short_count(facts.parameters) if facts.parameters is not None else None),
        ("downloads", numbers.short_count(facts.downloads) if facts.downloads is not None else None),
        ("likes", numbers.short_count(facts.likes) if facts.likes is not None else None),
    ]
    lines = [Content.styled("On the Hub", HEADING)]
    if facts.id.casefold() != detail.model_id.casefold():
        lines.append(Content.assemble(("renamed to  ", MUTED), brief(facts.id)))
    known = " · ".join(f"{label} {brief(str(value))}" for label, value in parts if value is not None)
    unknown = ", ".join(label for label, value in parts if value is None)
    lines.append(Content(known))
    if unknown:
        lines.append(Content.styled(f"not told: {unknown}", MUTED))
    lines.append(Content.assemble((brief(facts.url), ""), (f" · asked {numbers.when(facts.fetched_at)}", MUTED)))
    return Content("\n").join(lines)


def numbered(script: str, highlighted: Content) -> tuple[Content, ...]:
    """The lines of a script with their numbers at the left."""
    lines = highlighted.split("\n", allow_blank=True)
    width = len(str(len(lines)))
    return tuple(Content.assemble((f"{number:>{width}}  ", FAINT), line) for number, line in enumerate(lines, 1))


def _block(title: str, text: str) -> Content:
    return Content.assemble((title, HEADING), "\n", text)


def _as_sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _json_text(value: object) -> str:
    return shown(value) if isinstance(value, (str, int, float, type(None))) else json.dumps(value, ensure_ascii=False)
