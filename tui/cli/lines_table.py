"""Lines of a view as a table for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tui import numbers
from tui.catalog.lines_told import cells, columns_for_people
from tui.catalog.verdict import Verdict
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
    names = columns_for_people(ranked=ranked, stack=not one_stack)
    rows = [{name: clean(cell) for name, cell in cells(line).items()} for line in lines.iter_rows(named=True)]
    widths = {name: max(map(cell_width, [name, *(row[name] for row in rows)])) for name in names}
    while width is not None and names[-1] not in _KEPT and sum(widths[each] + 2 for each in names) - 2 > width:
        names.pop()
    table = [names, *([row[name] for name in names] for row in rows)]
    return aligned(table, [name in _AT_RIGHT for name in names], width) + "\n"


def verdicts_in_words(counts: Mapping[Verdict, int]) -> str:
    """`26 PASS, 15 FAIL, 6 other, 12 left out`, of counts of models by verdict."""
    return ", ".join(f"{numbers.count(counts.get(verdict, 0))} {word}" for verdict, word in _COUNTED.items())
