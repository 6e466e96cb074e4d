"""The scrollbar of a widget that draws its lines itself: one more cell of each of them."""

from __future__ import annotations

from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import Color
from textual.scroll_view import ScrollView
from textual.widget import Widget

_THUMB, _TRACK = "█", " "


class DrawnBar(Widget):
    """A widget with such a scrollbar, of which the mouse takes hold."""

    _grabbed = False

    def drag_bar(self, y: int) -> None:
        """Have the middle of the thumb in line `y` of the window, as far as the lines go."""
        raise NotImplementedError

    def grab_bar(self, event: events.MouseDown) -> None:
        """Take hold of the scrollbar."""
        event.stop()
        self._grabbed = True
        self.capture_mouse()
        self.drag_bar(event.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Move the lines with the scrollbar."""
        if self._grabbed:
            event.stop()
            self.drag_bar(event.y)

    def on_mouse_up(self) -> None:
        """Let go of the scrollbar."""
        if self._grabbed:
            self._grabbed = False
            self.release_mouse()


class DrawnScroll(ScrollView, DrawnBar):
    """A view that scrolls the lines it draws, with a drawn scrollbar as its last cell. Nothing is animated."""

    def line_count(self) -> int:
        """How many lines there are."""
        raise NotImplementedError

    def scroll_to(
        self, x: float | None = None, y: float | None = None, *, animate: bool = False, **options: Any
    ) -> None:
        """Scroll at once: keys, wheel and scrollbar come through here."""
        if self.is_attached:
            super().scroll_to(x, y, **{**options, "animate": False, "force": True})

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the scrollbar."""
        if event.x == self.outer_size.width - 1:
            self.screen.clear_selection()
            self.grab_bar(event)

    def drag_bar(self, y: int) -> None:
        """Scroll."""
        self.scroll_to(y=line_of_thumb(y, self.line_count(), self.size.height, self.scroll_offset.y))


def thumb_of(count: int, page: int, top: int) -> tuple[int, int]:
    """The cells of a scrollbar that stand for what is visible, from and to; none when all is."""
    if count <= page:
        return 0, 0
    length = max(1, page * page // count)
    first = round(top * (page - length) / (count - page))
    return first, first + length


def line_of_thumb(cell: int, count: int, page: int, top: int) -> int:
    """The line that becomes the first visible one when the middle of the thumb is drawn to a cell of the scrollbar."""
    first, end = thumb_of(count, page, top)
    free = page - (end - first)
    if end == first or free <= 0:
        return top
    place = max(0, min(cell - (end - first) // 2, free))
    return round(place * (count - page) / free)


def bar_cell(widget: Widget, background: Color, *, thumb: bool) -> Segment:
    """One cell of the scrollbar of a widget that draws it itself."""
    colour = widget.styles.scrollbar_color.rich_color if thumb else None
    return Segment(_THUMB if thumb else _TRACK, Style.from_color(colour, background.rich_color))
