"""A text to read by keyboard: every key moves at once, also of a burst, and nothing is animated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

if TYPE_CHECKING:
    from textual.widget import Widget as _Widget
else:
    _Widget = object  # Textual takes the stylesheet of the first base that is a widget

READING_KEYS: Final[list[BindingType]] = [
    Binding("j,down", "move(1)", show=False, id="read.down", tooltip="One line down"),
    Binding("k,up", "move(-1)", show=False, id="read.up", tooltip="One line up"),
    Binding("pagedown,space", "page(1)", show=False, id="read.page_down", tooltip="One page down"),
    Binding("pageup", "page(-1)", show=False, id="read.page_up", tooltip="One page up"),
    Binding("g,home", "to(0)", show=False, id="read.first", tooltip="To the top"),
    Binding("G,end", "to(1)", show=False, id="read.last", tooltip="To the end"),
    Binding("right", "sideways(8)", show=False, id="read.right", tooltip="Long lines: further right"),
    Binding("left", "sideways(-8)", show=False, id="read.left", tooltip="Long lines: back left"),
]
"""The keys of the table, for a text."""


class ReadingKeys(_Widget):
    """What `READING_KEYS` do in a widget that scrolls."""

    def update_node_styles(self, animate: bool = True) -> None:
        """The widget alone: no text in it looks otherwise by its focus or classes, and to style all takes long."""
        self.app.stylesheet.update_nodes([self], animate=animate)

    def action_move(self, lines: int) -> None:
        """Scroll by lines."""
        self.scroll_to(y=self.scroll_offset.y + lines, animate=False, immediate=True)

    def action_page(self, pages: int) -> None:
        """Scroll by pages, one line of the old page stays."""
        self.action_move(pages * max(1, self.size.height - 1))

    def action_to(self, share: int) -> None:
        """To the top (0) or the end (1)."""
        self.scroll_to(y=share * self.max_scroll_y, animate=False, immediate=True)

    def action_sideways(self, cells: int) -> None:
        """Scroll long lines."""
        self.scroll_to(x=self.scroll_offset.x + cells, animate=False, immediate=True)


class ReadingPane(ReadingKeys, VerticalScroll, inherit_bindings=False):
    """A scrolling box with the keys of the table."""

    BINDINGS = READING_KEYS
