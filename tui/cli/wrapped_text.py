"""Text broken to the width of a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from tui.terminal_text import clean


def wrapped(texts: Iterable[str], width: int | None) -> list[str]:
    """The lines of the texts, cleaned, none longer than `width` characters; unbroken when that is None."""
    lines = [line for text in texts for line in clean(text, newlines=True).split("\n")]
    if width is None:
        return lines
    return [part for line in lines for part in textwrap.wrap(line, max(width, 1), break_on_hyphens=False) or [""]]
