"""The list of runs, newest first: a line each, kept current while some of them go on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tui.rerun.runs import Run
from tui.widgets import run_text
from tui.widgets.verdict_look import MUTED

if TYPE_CHECKING:
    from textual._widget_navigation import Direction

_STATE, _MODEL, _STEP, _STARTED = 1, 2, 3, 4
_AT_RIGHT = frozenset({0, 5, 6})
_GAP = 2
_NARROWEST_MODEL, _NARROWEST_STATE = 16, 22
"""Cells that these keep; the log has the whole state, so it gives way before the model."""
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

    def _move_page(self, direction: Direction) -> None:
        # Textual looks at a line before any is laid out, as in a window without room for one.
        if self._lines:
            super()._move_page(direction)

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
    return Content.styled(_lines(runs, now, width - _GAP)[0], MUTED)


def table(runs: Sequence[Run], now: datetime, width: int) -> list[Content]:
    """One line a run in aligned columns of `width` cells in all; the sign of the state first."""
    drawn = []
    for run, line in zip(runs, _lines(runs, now, width)[1:], strict=True):
        mark, style = run_text.sign(run)
        drawn.append(Content.assemble((f"{mark} ", style), line[2:]))
    return drawn


def _lines(runs: Sequence[Run], now: datetime, width: int) -> list[str]:
    """The titles and a line for each run; where there is no room columns are cut, then left out."""
    rows = [run_text.HEADERS, *(run_text.cells(run, now) for run in runs)]
    for left_out in range(len(_GIVE_WAY) + 1):
        columns = [column for column in range(len(run_text.HEADERS)) if column not in _GIVE_WAY[:left_out]]
        widths = {column: max(len(row[column]) for row in rows) for column in columns}
        over = sum(widths.values()) + _GAP * len(columns) - width
        for column, narrowest in ((_STATE, _NARROWEST_STATE), (_MODEL, _NARROWEST_MODEL)):
            gives = max(0, min(over, widths[column] - narrowest))
            widths[column] -= gives
            over -= gives
        if over <= 0:
            break
    gap = " " * _GAP
    return [gap + gap.join(_fitted(row[column], widths[column], column) for column in columns) for row in rows]


def _fitted(text: str, cells: int, column: int) -> str:
    if len(text) > cells:
        text = f"…{text[len(text) - cells + 1 :]}" if column == _MODEL else f"{text[: cells - 1]}…"
    return text.rjust(cells) if column in _AT_RIGHT else text.ljust(cells)
