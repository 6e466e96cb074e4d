"""The list of runs, newest first: a line each, kept current while some of them go on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tui.rerun.runs import Run
from tui.widgets import run_text
from tui.widgets.verdict_look import MUTED

_STATE, _MODEL, _STEP, _STARTED = 1, 2, 3, 4
_AT_RIGHT = frozenset({0, 5, 6})
_GAP = 2
_NARROWEST_MODEL = 16
_GIVE_WAY = (_STARTED, _STEP, 6)
"""Columns that are left out on a narrow screen, in this order."""


class RunList(OptionList):
    """Lines of runs; the cursor stays on its run when others come or go."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "cursor_down", show=False, id="runs.down", tooltip="One run down"),
        Binding("k,up", "cursor_up", show=False, id="runs.up", tooltip="One run up"),
        Binding("g,home", "first", show=False, id="runs.first", tooltip="The newest"),
        Binding("G,end", "last", show=False, id="runs.last", tooltip="The oldest"),
        Binding("enter", "select", show=False, id="runs.open", tooltip="Its log"),
    ]

    def __init__(self) -> None:
        super().__init__(id="runs", compact=True, markup=False)
        self.runs: tuple[Run, ...] = ()
        self._drawn: tuple[str, ...] = ()

    @property
    def current(self) -> Run | None:
        """The run under the cursor."""
        index = self.highlighted
        return self.runs[index] if index is not None and index < len(self.runs) else None

    def show(self, runs: Sequence[Run], now: datetime, cursor_on: int | None = None) -> None:
        """Draw these runs; the cursor goes to the run `cursor_on`, else stays on the run that it is on."""
        current = self.current
        wanted = cursor_on if cursor_on is not None else current.id if current is not None else None
        lines = table(runs, now, self.content_size.width - _GAP)
        plain = tuple(line.plain for line in lines)
        same_runs = [run.id for run in runs] == [run.id for run in self.runs]
        self.runs = tuple(runs)
        if same_runs and len(plain) == len(self._drawn):
            for index, (line, before) in enumerate(zip(lines, self._drawn, strict=True)):
                if line.plain != before:
                    self.replace_option_prompt_at_index(index, line)
        else:
            self.clear_options()
            self.add_options([Option(line) for line in lines])
        self._drawn = plain
        ids = [run.id for run in runs]
        if ids and (cursor_on is not None or not same_runs):
            self.highlighted = ids.index(wanted) if wanted in ids else 0


def headers(runs: Sequence[Run], now: datetime, width: int) -> Content:
    """The titles over the columns of `table`."""
    return Content.styled(_lines(runs, now, width - _GAP)[0][0], MUTED)


def table(runs: Sequence[Run], now: datetime, width: int) -> list[Content]:
    """One line a run in aligned columns of `width` cells in all; the sign of the state first."""
    lines, _widths = _lines(runs, now, width)
    drawn = []
    for run, line in zip(runs, lines[1:], strict=True):
        mark, style = run_text.sign(run)
        drawn.append(Content.assemble((f"{mark} ", style), line[2:]))
    return drawn


def _lines(runs: Sequence[Run], now: datetime, width: int) -> tuple[list[str], list[int]]:
    rows = [run_text.HEADERS, *(run_text.cells(run, now) for run in runs)]
    columns = list(range(len(run_text.HEADERS)))
    for leaves in (None, *_GIVE_WAY):
        columns = [column for column in columns if column != leaves]
        widths = [max(len(row[column]) for row in rows) for column in columns]
        at_model = columns.index(_MODEL)
        over = sum(widths) + _GAP * len(columns) - width
        if over <= 0 or widths[at_model] - over >= _NARROWEST_MODEL:
            widths[at_model] -= max(over, 0)
            break
    else:
        widths[at_model] = _NARROWEST_MODEL
    return [
        "  "
        + (" " * _GAP).join(_fitted(row[column], cells, column) for column, cells in zip(columns, widths, strict=True))
        for row in rows
    ], widths


def _fitted(text: str, cells: int, column: int) -> str:
    if len(text) > cells:
        text = f"…{text[len(text) - cells + 1 :]}" if column == _MODEL else f"{text[: cells - 1]}…"
    return text.rjust(cells) if column in _AT_RIGHT else text.ljust(cells)
