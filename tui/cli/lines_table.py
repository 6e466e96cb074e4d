"""Lines of a view as a table for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from tui import numbers
from tui.catalog.stacks import Stack
from tui.catalog.verdict import Verdict, shown
from tui.export import aligned, cell_width
from tui.terminal_text import clean

if TYPE_CHECKING:
    import polars as pl

_AT_RIGHT: Final = frozenset({"rank", "cores", "time", "memory"})
_COUNTED: Final = {Verdict.PASS: "PASS", Verdict.FAIL: "FAIL", Verdict.OTHER: "other", Verdict.EXCLUDED: "left out"}
_KEPT: Final = ("rank", "result", "model", "cores")
"""Columns that every terminal gets; of the others the last ones give way."""


def lines_table(lines: pl.DataFrame, width: int | None, *, ranked: bool, one_stack: bool) -> str:
    """The lines (columns as in `tui.catalog.lines.LINES`) as clean text, headers first, the last line ended too.

    At most `width` cells wide, whole for None. `ranked` adds the place in the ranking, `one_stack` False the stack of
    each line.
    """
    names = [*(["rank"] if ranked else []), "result", "model", "cores", "time", "memory"]
    names += ["check"] if one_stack else ["stack", "check"]
    rows = [_cells(line) for line in lines.iter_rows(named=True)]
    widths = {name: max(map(cell_width, [name, *(row[name] for row in rows)])) for name in names}
    while width is not None and names[-1] not in _KEPT and sum(widths[each] + 2 for each in names) - 2 > width:
        names.pop()
    table = [names, *([row[name] for name in names] for row in rows)]
    return aligned(table, [name in _AT_RIGHT for name in names], width) + "\n"


def verdicts_in_words(counts: Mapping[Verdict, int]) -> str:
    """`26 PASS, 15 FAIL, 6 other, 12 left out`, of counts of models by verdict."""
    return ", ".join(f"{numbers.count(counts.get(verdict, 0))} {word}" for verdict, word in _COUNTED.items())


def _cells(line: Mapping[str, Any]) -> dict[str, str]:
    raw = json.loads(line["unconverted"]) if line["unconverted"] else {}
    checks = (("CPU run", "cpu_match"), ("judge", "english"))
    answers = [f"{name}: {shown(line[column])}" for name, column in checks if line[column] is not None]
    about = [part for part in (*answers, line["note"]) if part]
    cells = {
        "rank": str(line["rank"]),
        "result": " ".join(part for part in (shown(line["word"]), line["disagree"]) if part),
        "model": shown(line["model_id"]),
        "cores": shown(line["tp"], raw.get("tp")),
        "time": shown(None, raw["wall_s"]) if "wall_s" in raw else numbers.duration(line["wall_s"]),
        "memory": _memory(line, raw),
        "stack": _stack(line),
        "check": ", ".join(about) or numbers.NOT_RECORDED,
    }
    return {name: clean(cell) for name, cell in cells.items()}


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
