"""One-line bars: title with the views, stack selectors, status, key hints."""

from __future__ import annotations

from textual.content import Content

from tui.widgets.clickable import ClickableLine


class Bar(ClickableLine):
    """One line with a left and a right part; the right part gives way first, then the left is cut."""

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._left: tuple[Content, ...] = (Content(""),)
        self._right: tuple[Content, ...] = (Content(""),)

    def show(self, left: Content | tuple[Content, ...], right: Content | tuple[Content, ...] = ()) -> None:
        """Draw these texts; of several given for a side, the first (longest) that fits is taken."""
        new_left = left if isinstance(left, tuple) else (left,)
        new_right = (right if isinstance(right, tuple) else (right,)) or (Content(""),)
        if (new_left, new_right) != (self._left, self._right):
            self._left, self._right = new_left, new_right
            self.refresh()

    @property
    def text(self) -> str:
        """What the bar says at its present width, without colours."""
        return self.render().plain

    def render(self) -> Content:
        """The line for the present width."""
        width = self.content_size.width
        shortest_right = min(part.cell_length for part in self._right)
        left = _longest_that_fits(self._left, width - (shortest_right + 2 if shortest_right else 0))
        room = width - left.cell_length - 2
        fitting = [part for part in self._right if part.cell_length <= room]
        right = fitting[0] if fitting else Content("")
        if not right:
            return left.truncate(width, ellipsis=True)
        return left + Content(" " * (width - left.cell_length - right.cell_length)) + right


def _longest_that_fits(parts: tuple[Content, ...], width: int) -> Content:
    for part in parts:
        if part.cell_length <= width:
            return part
    return parts[-1]
