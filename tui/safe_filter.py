"""The last wall before the terminal: no line of the screen has a character that a terminal acts on.

Texts are cleaned where they enter (`tui.terminal_text`). What gets past that place - typed or pasted into a line, a
text that a library made, a new widget - is stopped here, after every widget and before every driver.
"""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size, split_graphemes
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from tui.terminal_text import is_inert

_STOPPED = "\ufffd"
"""What stands for a character that was stopped, once for each of its cells."""


class SafeFilter(LineFilter):
    """Shows every line without control and format characters, cell by cell."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments, of the same widths and styles; the very same list where nothing is to be done."""
        for text, _, _ in segments:
            if not text.isprintable():
                return [each if each.control else Segment(safe(each.text), each.style) for each in segments]
        return segments


def safe(text: str) -> str:
    """`text` without anything that a terminal acts on, as many cells wide."""
    if all(map(is_inert, text)):
        return text
    spans, _ = split_graphemes(text)
    parts = (text[start:end] for start, end, _ in spans)
    shown = (
        part if all(map(is_inert, part)) else _STOPPED * cells for part, (_, _, cells) in zip(parts, spans, strict=True)
    )
    return set_cell_size("".join(shown), cell_len(text))
