"""Texts from outside that are too long to be drawn: their beginning, and how much there is.

Textual lays out and paints all of a text, however little of it is on screen: 2 s for each million characters, or for
some thousand lines in colours, in which no key is answered.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from textual.content import Content

from tui import numbers
from tui.terminal_text import clean
from tui.widgets.detail_text import numbered

SECTION_ROOM: Final = 20_000
"""Characters of one section of the detail."""
READING_ROOM: Final = 100_000
"""Characters of a script, or of a text that has the whole screen."""
SCRIPT_LINES: Final = 2_000


def shortened(content: Content, where: str, room: int) -> Content:
    """The content, or its first `room` characters and a line that says so; `where` the whole text is."""
    length = len(content.plain)
    if length <= room:
        return content
    return Content.assemble(content[:room], "\n", (_cut_here(length, where), "$text-warning"))


@lru_cache(maxsize=8)
def script_lines(script: str) -> tuple[Content, ...]:
    """A script in lines with their numbers, coloured; its beginning when it is long, and a line that says so.

    Any thread may have it made beforehand.
    """
    from textual.highlight import highlight  # pygments, needed only once a script is shown

    lines = script[:READING_ROOM].splitlines(keepends=True)
    beginning = "".join(lines[:SCRIPT_LINES])
    text = clean(beginning, newlines=True)
    shown = numbered(text, highlight(text, language="python"))
    if len(beginning) == len(script):
        return shown
    note = _cut_here(len(script), "y and w in the detail have the whole script")
    return *shown, Content.styled(note, "$text-warning")


@lru_cache(maxsize=8)
def script_text(script: str) -> Content:
    """The same as one text."""
    return Content("\n").join(script_lines(script))


def _cut_here(length: int, where: str) -> str:
    return f"… the screen stops here, of {numbers.count(length)} characters: {where}"
