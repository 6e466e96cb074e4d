"""One model on every stack: compilers down, library versions across; in a narrow window a line for each stack."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from tui.catalog.compare import Comparison
from tui.catalog.stacks import Stack
from tui.widgets import matrix_text
from tui.widgets.clickable import ClickableLine

Direction = tuple[int, int]
"""Steps down and to the right."""


class CompareMatrix(ClickableLine, can_focus=True):
    """The stacks of a comparison with a cursor on one of them; what does not fit is scrolled to with the cursor."""

    DEFAULT_CSS = """
    CompareMatrix { height: 1; width: 1fr; padding: 0 1; text-overflow: clip; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1, 0)", show=False, id="matrix.down", tooltip="To the older compiler below"),
        Binding("up,k", "move(-1, 0)", show=False, id="matrix.up", tooltip="To the newer compiler above"),
        Binding("right,l", "move(0, 1)", show=False, id="matrix.right", tooltip="To the library version at the right"),
        Binding("left,h", "move(0, -1)", show=False, id="matrix.left", tooltip="To the library version at the left"),
        Binding("home,g", "end(0)", show=False, id="matrix.first", tooltip="To the newest stack"),
        Binding("end,G", "end(-1)", show=False, id="matrix.last", tooltip="To the oldest stack"),
    ]

    class Moved(Message):
        """The cursor is on another stack."""

    def __init__(self, comparison: Comparison, at: Stack | None) -> None:
        """The cursor begins on the stack `at` where that is in the matrix, else on the newest with a record."""
        super().__init__()
        self.comparison = comparison
        stacks = comparison.of_its_libraries
        self.at = at if at in stacks else next(iter(comparison.cells), None)

    def lines_wanted(self, width: int) -> int:
        """So many lines show everything in a widget of this width."""
        return matrix_text.lines_wanted(self.comparison, width - self.gutter.width)

    def render(self) -> Content:
        """The part around the cursor that there is room for."""
        return matrix_text.drawn(self.comparison, self.at, self.content_size.width, self.content_size.height)

    def go(self, stack: Stack | None) -> None:
        """Put the cursor on this stack."""
        if stack is not None and stack != self.at:
            self.at = stack
            self.refresh()
            self.post_message(self.Moved())

    def action_move(self, down: int, right: int) -> None:
        """To the nearest stack in this direction."""
        stacks = self.comparison.of_its_libraries
        if self.at is None:
            return
        if matrix_text.is_list(self.content_size.width):
            place = stacks.index(self.at) + down
            self.go(stacks[max(0, min(place, len(stacks) - 1))])
        else:
            self.go(neighbour(self.comparison, self.at, (down, right)))

    def action_end(self, place: int) -> None:
        """To the newest or the oldest stack."""
        stacks = self.comparison.of_its_libraries
        self.go(stacks[place] if stacks else None)


def neighbour(comparison: Comparison, at: Stack, step: Direction) -> Stack | None:
    """The nearest stack in a direction: first in the same line, else in the next one that has any; None at the edge.

    Most pairs of versions were never tested: a cursor that stopped on each of them would seem lost.
    """
    places = {stack: _place(comparison, stack) for stack in comparison.of_its_libraries}
    here = places[at]
    axis = 0 if step[0] else 1
    sign = sum(step)
    ahead = [stack for stack, place in places.items() if (place[axis] - here[axis]) * sign > 0]
    in_line = [stack for stack in ahead if places[stack][1 - axis] == here[1 - axis]]

    def distance(stack: Stack) -> tuple[int, int]:
        return (abs(places[stack][axis] - here[axis]), abs(places[stack][1 - axis] - here[1 - axis]))

    return min(in_line or ahead, key=distance, default=None)


def _place(comparison: Comparison, stack: Stack) -> tuple[int, int]:
    column = (stack.library, stack.library_version)
    return comparison.compilers.index(stack.neuronx_cc), comparison.columns.index(column)
