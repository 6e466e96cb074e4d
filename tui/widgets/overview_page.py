"""The overview as a page with a cursor on its bars."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from tui.ascii_filter import AsciiFilter
from tui.catalog.overview import Bar, Overview, Topic
from tui.widgets import overview_lines
from tui.widgets.overview_bars import ASCII, UNICODE, Glyphs, Piece
from tui.widgets.overview_lines import GAP, Page
from tui.widgets.styled_lines import StyledLines, moving

Place = tuple[Topic, str]
"""Section and label of a bar."""


class OverviewPage(StyledLines, can_focus=True, inherit_bindings=False):
    """Sections of bars. It is given an overview with `show`, and tells of the bar that is to be opened."""

    BINDINGS: ClassVar[list[BindingType]] = [
        moving("up,k", "move(-1)", "overview.up", "One bar up"),
        moving("down,j", "move(1)", "overview.down", "One bar down"),
        moving("left", "sideways(-1)", "overview.left", "To the column at the left"),
        moving("right", "sideways(1)", "overview.right", "To the column at the right"),
        moving("pageup", "page(-1)", "overview.page_up", "One page up"),
        moving("pagedown", "page(1)", "overview.page_down", "One page down"),
        moving("g,home", "first", "overview.first", "First bar"),
        moving("G,end", "last", "overview.last", "Last bar"),
        Binding("enter", "open", "open", id="overview.open", tooltip="The list behind the bar"),
    ]
    STYLES = "overview"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *("overview--title", "overview--muted", "overview--mark", "overview--cursor"),
        *("overview--pass", "overview--fail", "overview--other", "overview--left-out"),
        *("overview--pass-bar", "overview--fail-bar", "overview--other-bar"),
    }
    DEFAULT_CSS = """
    OverviewPage {
        width: 1fr; height: 1fr; color: $foreground;
        & > .overview--title { color: $primary; text-style: bold; }
        & > .overview--muted { color: $text-muted; }
        & > .overview--pass { color: $text-success; }
        & > .overview--fail { color: $text-error; }
        & > .overview--other { color: $text-warning; }
        & > .overview--left-out { color: $text-secondary; }
        & > .overview--pass-bar { color: $success 70%; }
        & > .overview--fail-bar { color: $error 85%; }
        & > .overview--other-bar { color: $text-warning; }
        & > .overview--mark { color: $foreground 50%; }
        & > .overview--cursor { background: $block-cursor-blurred-background; }
        &:focus > .overview--mark { color: $accent; text-style: bold; }
        &:focus > .overview--cursor { background: $block-cursor-background; text-style: bold; }
        &:ansi > .overview--pass-bar { color: $text-success; }
        &:ansi > .overview--fail-bar { color: $text-error; }
        &:ansi > .overview--muted { text-style: dim; }
        &:ansi > .overview--cursor { background: ansi_default; }
        &:ansi:focus > .overview--cursor { text-style: bold reverse; }
        &:nocolor:focus > .overview--cursor { text-style: bold reverse; }
    }
    """

    @dataclass
    class Highlighted(Message):
        """The cursor is on another bar; None when there is none."""

        topic: Topic | None
        bar: Bar | None

    @dataclass
    class Opened(Message):
        """The list behind this bar is wanted."""

        bar: Bar

    def __init__(self, cursor_on: Place | None = None) -> None:
        """`cursor_on` is where the cursor is at first, as far as there is such a bar."""
        super().__init__(id="overview-page")
        self._cursor_on = cursor_on
        self._overview: Overview | None = None
        self._troubles: Mapping[Topic, str] = {}
        self._page = Page()
        self._cursor = 0

    def show(self, overview: Overview, troubles: Mapping[Topic, str]) -> None:
        """Draw this; the cursor stays on its bar, as far as there is one of that topic and label."""
        before = self.place or self._cursor_on
        self._overview, self._troubles = overview, troubles
        self._lay_out()
        if before is not None:
            topic, wanted = before
            of_topic = [(each.label, at) for at, (other, each) in enumerate(self._page.bars) if other is topic]
            same = [at for label, at in of_topic if label == wanted]
            self._cursor = next(iter([*same, *(at for _, at in of_topic)]), 0)
        self._go(self._cursor)

    @property
    def current(self) -> tuple[Topic, Bar] | None:
        """Section and bar under the cursor."""
        return self._page.bars[self._cursor] if self._cursor < len(self._page.bars) else None

    @property
    def place(self) -> Place | None:
        """Section and label of the bar under the cursor."""
        return None if self.current is None else (self.current[0], self.current[1].label)

    @property
    def overview(self) -> Overview | None:
        """What is shown."""
        return self._overview

    @property
    def glyphs(self) -> Glyphs:
        """What bars are drawn with on this terminal."""
        ascii_only = any(isinstance(each, AsciiFilter) for each in self.app.get_line_filters())
        return ASCII if ascii_only else UNICODE

    def _lay_out(self) -> None:
        if self._overview is not None and self.size.width > 1:
            page = overview_lines.page(self._overview, self.size.width - 1, self.glyphs, dict(self._troubles))
            self._page = page
        self.forget_lines()
        self.refresh()

    def on_resize(self) -> None:
        """Laid out anew, with the cursor in view."""
        self._lay_out()
        self._go(self._cursor)

    # Moving

    def line_count(self) -> int:
        """As many as the longest column has."""
        return self._page.height

    def _go(self, index: int) -> None:
        if self._page.bars:
            self._cursor = max(0, min(index, len(self._page.bars) - 1))
            column, line = self._page.place_of(self._cursor)
            # The title of a section comes along with its first bar.
            top = line - 1 if line and self._page.columns[column][line - 1].bar is None else line
            if top < self.top:
                self.scroll_to_line(top)
            elif line >= self.top + self.page:
                self.scroll_to_line(line - self.page + 1)
        self.forget_lines()
        self.refresh()
        topic, bar = self.current or (None, None)
        self.post_message(self.Highlighted(topic, bar))

    def action_move(self, bars: int) -> None:
        """Move the cursor by so many bars."""
        self._go(self._cursor + bars)

    def action_sideways(self, columns: int) -> None:
        """Move the cursor to the bar beside it."""
        column, line = self._page.place_of(self._cursor)
        found = self._page.nearest(column + columns, line)
        if found is not None:
            self._go(found)

    def action_page(self, pages: int) -> None:
        """Move the cursor by a page of lines."""
        column, line = self._page.place_of(self._cursor)
        found = self._page.nearest(column, line + pages * self.page)
        if found is not None:
            self._go(found)

    def action_first(self) -> None:
        """Go to the first bar."""
        self._go(0)

    def action_last(self) -> None:
        """Go to the last bar."""
        self._go(len(self._page.bars) - 1)

    def action_open(self) -> None:
        """Ask for the list behind the bar."""
        if self.current is not None:
            self.post_message(self.Opened(self.current[1]))

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on a bar; a click on its bar opens the list."""
        event.stop()
        if self.on_bar(event) or event.y == 0:
            return
        index = self._page.bar_at(event.x, self.top + event.y - 1)
        if index is not None and index == self._cursor:
            self.action_open()
        elif index is not None:
            self._go(index)

    # Drawing

    def looks_of(self, y: int) -> Hashable:
        """A line looks the same wherever it is in the window."""
        return -1 if y == 0 else self.top + y - 1

    def draw_line(self, y: int, width: int) -> list[Segment]:
        """The legend, or one line of all columns."""
        if y == 0:
            legend = overview_lines.legend(self.glyphs, width)
            return self._segments([(text, style, "") for text, style in legend], width)
        line = self.top + y - 1
        pieces: list[tuple[str, str, str]] = []
        for number, column in enumerate(self._page.columns):
            if number:
                pieces.append((" " * GAP, "", ""))
            row = column[line] if line < len(column) else None
            at_cursor = row is not None and row.bar is not None and row.bar == self._cursor
            drawn: tuple[Piece, ...] = ((" " * self._page.widths[number], ""),) if row is None else row.pieces
            if at_cursor:
                drawn = (("▌", "mark"), (" ", ""), *drawn[1:])
            pieces += [(text, style, "cursor" if at_cursor else "") for text, style in drawn]
        return self._segments(pieces, width)

    def _segments(self, pieces: list[tuple[str, str, str]], width: int) -> list[Segment]:
        segments = []
        for text, name, under in pieces:
            indented = len(text) - len(text.lstrip(" "))
            if indented:  # a picture of the screen has no spaces at the beginning of a segment
                segments.append(Segment(text[:indented], self.style_of(under, "")))
            segments.append(Segment(text[indented:], self.style_of(under, name)))
        return list(Strip(segments).crop_extend(0, width, self.style_of("", "")))
