"""A widget of lines of which only the visible ones are drawn, with a scrollbar that is part of them.

Textual's ScrollView lays the screen out when its height changes, and draws its scrollbar as a widget of its own: for a
key in a long list both cost more than the lines themselves.
"""

from __future__ import annotations

from collections.abc import Hashable

from rich.segment import Segment
from textual import events
from textual.cache import LRUCache
from textual.filter import ANSIToTruecolor
from textual.geometry import Region
from textual.strip import Strip

from tui.widgets.drawn_bar import DrawnBar, bar_cell, line_of_thumb, thumb_of

WHEEL_LINES = 2


class LineScroll(DrawnBar, inherit_bindings=False):
    """Lines under a title line; the last column is the scrollbar. What is drawn of a line is for `draw_line`.

    Nothing is animated.
    """

    ALLOW_SELECT = False
    ALLOW_MAXIMIZE = False

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._top = 0
        self._strips: LRUCache[tuple[Hashable, int, bool], Strip] = LRUCache(1024)

    def line_count(self) -> int:
        """How many lines there are, the title not counted."""
        raise NotImplementedError

    def draw_line(self, y: int, width: int) -> list[Segment]:
        """Line `y` of the window, 0 is the title, in exactly `width` cells; its colours are those of the theme."""
        raise NotImplementedError

    def looks_of(self, y: int) -> Hashable:
        """Lines with equal looks are drawn once, until `forget_lines`."""
        raise NotImplementedError

    def forget_lines(self) -> None:
        """What was drawn holds no longer."""
        self._strips.clear()

    def scrolled(self) -> None:
        """Other lines are visible than before."""

    @property
    def top(self) -> int:
        """The first visible line."""
        return self._top

    @property
    def page(self) -> int:
        """How many lines are visible at a time."""
        return max(self.size.height - 1, 1)

    def scroll_to_line(self, line: int) -> None:
        """Have this line as the first visible one, as far as there are so many."""
        top = max(0, min(line, self.line_count() - self.page))
        if top != self._top:
            self._top = top
            self.refresh()
            self.scrolled()

    def refresh_line(self, line: int) -> None:
        """Draw one line again, if it is visible."""
        y = line - self._top + 1
        if 1 <= y <= self.page:
            self.refresh(Region(0, y, self.size.width, 1))

    # Drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of the window. They have no border and no padding, so that nothing else is to be done to them."""
        width = self.size.width
        if not width:
            return []
        first, end = self._thumb()
        background = self.background_colors[1]
        # The colours of a theme are no ANSI colours, or they are meant.
        filters = [each for each in self.app.get_line_filters() if not isinstance(each, ANSIToTruecolor)]
        strips = []
        for y in crop.line_range:
            looks = self.looks_of(y), width, first <= y - 1 < end
            strip = self._strips.get(looks)
            if strip is None:
                segments = [*self.draw_line(y, width - 1), bar_cell(self, background, thumb=looks[2])]
                for line_filter in filters:
                    segments = line_filter.apply(segments, background)
                strip = self._strips[looks] = Strip(segments, width)
            strips.append(strip.crop(crop.x, crop.right))
        return strips

    def notify_style_update(self) -> None:
        """Forget colours when the theme or the focus changes."""
        super().notify_style_update()
        self.forget_lines()

    def _thumb(self) -> tuple[int, int]:
        return thumb_of(self.line_count(), self.page, self._top)

    # The mouse

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel moves the lines, not the cursor."""
        event.stop()
        self.scroll_to_line(self._top + WHEEL_LINES)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel moves the lines, not the cursor."""
        event.stop()
        self.scroll_to_line(self._top - WHEEL_LINES)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the scrollbar."""
        if self.on_bar(event):
            self.grab_bar(event)

    def on_bar(self, event: events.MouseEvent) -> bool:
        """Whether the mouse is on the scrollbar."""
        return event.x == self.size.width - 1 and event.y > 0

    def drag_bar(self, y: int) -> None:
        """Scroll; the line of the title has no part in it."""
        self.scroll_to_line(line_of_thumb(y - 1, self.line_count(), self.page, self._top))
