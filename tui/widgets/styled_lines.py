"""Lines drawn from pieces of text, each in a style of its own, on a plain line, a title or the line of the cursor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding
from textual.strip import Strip

from tui.widgets.line_scroll import LineScroll

_MOVE = Binding.Group("move", compact=True)


def moving(keys: str, action: str, id: str, tooltip: str) -> Binding:
    """Keys that move a cursor over lines."""
    return Binding(keys, action, show=False, id=id, tooltip=tooltip, group=_MOVE)


class StyledLines(LineScroll, inherit_bindings=False):
    """A piece is a text and the name of its style: the component class `{STYLES}--{name}`, or "" for none."""

    STYLES: ClassVar[str]
    """What the names of its component classes begin with."""

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._styles_of: dict[tuple[str, str], Style] = {}

    def notify_style_update(self) -> None:
        """Forget colours when the theme or the focus changes."""
        super().notify_style_update()
        self._styles_of.clear()

    def segments(self, pieces: Iterable[tuple[str, str]], under: str, width: int) -> list[Segment]:
        """A line of exactly `width` cells, on a line of the style `under`; what goes beyond is cut."""
        segments = [Segment(text, self.style_of(under, name)) for text, name in pieces if text]
        used = sum(segment.cell_length for segment in segments)
        if used < width:
            segments.append(Segment(" " * (width - used), self.style_of(under, "")))
        return segments if used <= width else list(Strip(segments, used).crop(0, width))

    def style_of(self, under: str, name: str) -> Style:
        """The style `name` on a line of the style `under`."""
        style = self._styles_of.get((under, name))
        if style is None:
            names = [f"{self.STYLES}--{each}" for each in (under, name) if each]
            style = self.get_visual_style(*names).rich_style
            for each in names:
                # A visual style knows no reverse, the cursor's one mark without colour.
                style += self.get_component_styles(each).text_style
            if name == "mark" or name.endswith("-bar"):
                style += Style(reverse=False)
            elif style.reverse and name:
                # Reversed, the colours of words and signs would be patches of background.
                line_style = self.style_of(under, "")
                style += Style.from_color(line_style.color, line_style.bgcolor) + Style(dim=False)
            self._styles_of[under, name] = style
        return style
