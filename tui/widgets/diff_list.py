"""The list of models whose result differs between two stacks, grouped by what changed."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from tui.widgets import diff_text
from tui.widgets.diff_text import GUTTER, Group, Groups
from tui.widgets.styled_lines import StyledLines

if TYPE_CHECKING:
    import polars as pl

_NAMES = ("title", "cursor", "mark", "heading", "dim", "pass", "fail", "other", "left-out", "untested")


class DiffList(StyledLines, can_focus=True, inherit_bindings=False):
    """Headings and models; the cursor goes from model to model."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", show=False, id="diff.down", tooltip="One model down"),
        Binding("up,k", "move(-1)", show=False, id="diff.up", tooltip="One model up"),
        Binding("pagedown,space", "page(1)", show=False, id="diff.page_down", tooltip="One page down"),
        Binding("pageup", "page(-1)", show=False, id="diff.page_up", tooltip="One page up"),
        Binding("home,g", "to(0)", show=False, id="diff.first", tooltip="First model"),
        Binding("end,G", "to(-1)", show=False, id="diff.last", tooltip="Last model"),
        Binding("enter", "open", show=False, id="diff.open", tooltip="This model across all stacks"),
    ]
    STYLES = "diff-list"
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"diff-list--{name}" for name in _NAMES}
    DEFAULT_CSS = """
    DiffList {
        width: 1fr;
        height: 1fr;
        color: $foreground;
        & > .diff-list--title { color: $text-muted; }
        & > .diff-list--heading { text-style: bold; }
        & > .diff-list--mark { color: $foreground 50%; }
        & > .diff-list--cursor { background: $block-cursor-blurred-background; }
        & > .diff-list--pass { color: $text-success; }
        & > .diff-list--fail { color: $text-error; }
        & > .diff-list--other { color: $text-warning; }
        & > .diff-list--left-out { color: $text-secondary; }
        & > .diff-list--untested { color: $text-muted; }
        & > .diff-list--dim { color: $text-muted; }
        &:focus > .diff-list--mark { color: $accent; text-style: bold; }
        &:focus > .diff-list--cursor { background: $block-cursor-background; text-style: bold; }
        &:ansi > .diff-list--title { text-style: underline; }
        &:ansi > .diff-list--untested { text-style: dim; }
        &:ansi > .diff-list--dim { text-style: dim; }
        &:ansi > .diff-list--cursor { background: ansi_default; }
        &:ansi:focus > .diff-list--cursor { text-style: bold reverse; }
    }
    """

    @dataclass
    class Opened(Message):
        """Enter on a model, or a second click on it; `row` is its row in the frame."""

        row: int

    class Moved(Message):
        """The cursor is on another model, or on none."""

    def __init__(self) -> None:
        super().__init__()
        self._frame: pl.DataFrame | None = None
        self._groups = Groups(())
        self._place = 0
        self._empty_text = ""

    def show(self, frame: pl.DataFrame | None, groups: Groups, empty_text: str = "") -> None:
        """List these groups of a frame; the cursor stays on its row where that is listed, else goes to the first."""
        row = self.row if frame is self._frame else None
        self._frame, self._groups, self._empty_text = frame, groups, empty_text
        places = {groups.row_at(place): place for place in range(groups.rows)} if row is not None else {}
        self._place = places.get(row, 0) if row is not None else 0
        self.forget_lines()
        self.scroll_to_line(0)
        self._bring_into_view()
        self.refresh()
        self.post_message(self.Moved())

    @property
    def row(self) -> int | None:
        """The row of the frame under the cursor."""
        return self._groups.row_at(self._place) if self._place < self._groups.rows else None

    # Moving

    def line_count(self) -> int:
        """Headings, models and blank lines."""
        return len(self._groups)

    def _go(self, place: int) -> None:
        if not self._groups.rows:
            return
        before, self._place = self._place, max(0, min(place, self._groups.rows - 1))
        self._bring_into_view()
        for each in {before, self._place}:
            self.refresh_line(self._groups.line_of(each))
        if before != self._place:
            self.post_message(self.Moved())

    def _bring_into_view(self) -> None:
        line = self._groups.line_of(self._place)
        above = line - 1 if isinstance(self._groups.at(line - 1), Group) else line
        if above < self.top:
            self.scroll_to_line(above)
        elif line >= self.top + self.page:
            self.scroll_to_line(line - self.page + 1)

    def action_move(self, by: int) -> None:
        """Move by so many models."""
        self._go(self._place + by)

    def action_page(self, pages: int) -> None:
        """Move by pages."""
        self._go(self._place + pages * self.page)

    def action_to(self, place: int) -> None:
        """To the first (0) or the last (-1) model."""
        self._go(place % self._groups.rows if self._groups.rows else 0)

    def action_open(self) -> None:
        """Ask for the comparison of the model."""
        if self.row is not None:
            self.post_message(self.Opened(self.row))

    def on_click(self, event: events.Click) -> None:
        """Move the cursor; open on its own line."""
        event.stop()
        if self.on_bar(event) or event.y == 0:
            return
        place = self._groups.place_at(self.top + event.y - 1)
        if place is not None and place == self._place:
            self.action_open()
        elif place is not None:
            self._go(place)

    def on_resize(self) -> None:
        """Keep the cursor in view."""
        self.scroll_to_line(self.top)
        self._bring_into_view()

    # Drawing

    def looks_of(self, y: int) -> Hashable:
        """A line looks the same wherever it is in the window."""
        line = self.top + y - 1
        if not y or line >= len(self._groups):
            return -y
        return line, self._at_cursor(line)

    def _at_cursor(self, line: int) -> bool:
        return self._groups.rows > 0 and line == self._groups.line_of(self._place)

    def draw_line(self, y: int, width: int) -> list[Segment]:
        """A line of the window: the titles, a heading, a model, or why there is none."""
        if y == 0:
            return self.segments(diff_text.titles(width), "title", width)
        line = self.top + y - 1
        found = self._groups.at(line)
        if isinstance(found, Group):
            return self.segments(diff_text.heading(found), "", width)
        if found is None or self._frame is None:
            text = self._empty_text if y == 2 and not self._groups.rows else ""
            return self.segments([(" " * GUTTER, ""), (text, "dim")], "", width)
        pieces = diff_text.line(self._frame.row(found, named=True), width)
        if self._at_cursor(line):
            return self.segments([("▌", "mark"), (" ", ""), *pieces], "cursor", width)
        return self.segments([(" " * GUTTER, ""), *pieces], "", width)
