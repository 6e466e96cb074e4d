"""Lines of a view as they leave the app: for programs with their own columns, for people in words. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from tui import numbers
from tui.catalog.question import View
from tui.catalog.stacks import Stack
from tui.catalog.verdict import shown

if TYPE_CHECKING:
    import polars as pl

_INTERNAL: Final = ("key", "record")
"""Columns of a line that mean something inside the app only."""
_LONGEST_TASK: Final = 60


def told(lines: pl.DataFrame, form: str, *, ranked: bool) -> pl.DataFrame:
    """The lines (columns as in `catalog.lines.LINES`) for one of `tui.export.FILE_FORMATS`.

    Markdown is for people: the columns of the table that `list` prints, with the stack of each line. The others have
    the columns of the lines, without what means something inside the app only.
    """
    return _for_people(lines, ranked=ranked) if form == "markdown" else _for_programs(lines, form)


def columns_for_people(*, ranked: bool, stack: bool) -> list[str]:
    """The columns of `cells` that a table has; `ranked` adds the place in the ranking, `stack` that of each line."""
    return [*(["rank"] if ranked else []), "result", "model", "cores", "time", "memory"] + (
        ["stack", "check"] if stack else ["check"]
    )


def cells(line: Mapping[str, Any]) -> dict[str, str]:
    """A line in words: rank, result, model, cores, time, memory, stack, check. Not cleaned."""
    raw = json.loads(line["unconverted"]) if line["unconverted"] else {}
    checks = (("CPU run", "cpu_match"), ("judge", "english"))
    answers = [f"{name}: {shown(line[column])}" for name, column in checks if line[column] is not None]
    about = [part for part in (*answers, line["note"]) if part]
    return {
        "rank": str(line["rank"]),
        "result": " ".join(part for part in (shown(line["word"]), line["disagree"]) if part),
        "model": shown(line["model_id"]),
        "cores": shown(line["tp"], raw.get("tp")),
        "time": shown(None, raw["wall_s"]) if "wall_s" in raw else numbers.duration(line["wall_s"]),
        "memory": _memory(line, raw),
        "stack": _stack(line),
        "check": ", ".join(about) or numbers.NOT_RECORDED,
    }


def file_stem(view: View, task: str, today: datetime) -> str:
    """What a file with the lines of a view may be called: `trending-text-generation-2026-12-01`."""
    parts = [view.value] if view is View.SELECTED else [view.value, task[:_LONGEST_TASK]]
    name = "-".join([*parts, numbers.day(today)])
    return "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-" for letter in name)


def _for_programs(lines: pl.DataFrame, form: str) -> pl.DataFrame:
    """Where a value can be an object, `unconverted` is one."""
    import polars as pl

    frame = lines.drop(_INTERNAL)
    if form not in {"json", "jsonl"}:
        return frame
    decoded = [None if text is None else json.loads(text) for text in frame["unconverted"]]
    return frame.with_columns(pl.Series("unconverted", decoded, pl.Object))


def _for_people(lines: pl.DataFrame, *, ranked: bool) -> pl.DataFrame:
    import polars as pl

    names: Sequence[str] = columns_for_people(ranked=ranked, stack=True)
    rows = [[row[name] for name in names] for row in map(cells, lines.iter_rows(named=True))]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    return frame.with_columns(lines["rank"]) if ranked else frame


def _memory(line: Mapping[str, Any], raw: Mapping[str, str]) -> str:
    peak, capacity = line["hbm_peak_gb"], line["hbm_capacity_gb"]
    if "hbm_peak_gb" in raw:
        return shown(None, raw["hbm_peak_gb"])
    if peak is None:
        return numbers.NOT_RECORDED
    return numbers.gigabytes(peak) + (f"/{numbers.gigabytes(capacity)}" if capacity is not None else "") + " GB"


def _stack(line: Mapping[str, Any]) -> str:
    if line["record"] is None:
        return numbers.NOT_RECORDED
    return Stack(line["neuronx_cc"], line["library"], line["library_version"]).label
