"""One line of a log as segments: its visible part, its colours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from rich.cells import get_character_cell_size
from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from tui.rerun.log_lines import Line

_ATTRIBUTES = {"1": "bold", "2": "dim", "3": "italic", "4": "underline", "7": "reverse", "9": "strike"}


class Looks(NamedTuple):
    """Lines with the same looks are drawn once."""

    line: Line | None
    kind: str
    selected: tuple[int, int] | None
    """From this character to that one, -1 is the end."""
    left: int
    width: int
    """Without the cell of the scrollbar."""
    thumb: bool


def visible_part(text: str, left: int, width: int) -> tuple[int, int, int]:
    """The characters that `width` cells from the cell `left` on show, one more if there is; and the cells before."""
    if text.isascii():
        first = min(left, len(text))
        return first, min(left + width + 1, len(text)), first
    first = before = cells = 0
    for at, character in enumerate(text):
        if cells <= left:
            first, before = at, cells
        if cells > left + width:
            return first, at, before
        cells += get_character_cell_size(character)
    return first, len(text), before


def styled(text: str, start: int, stop: int, under: Style, parts: Sequence[tuple[int, int, Style]]) -> list[Segment]:
    """The characters from `start` up to `stop`; `parts` are (first, end, style), later ones over earlier ones."""
    parts = [part for part in parts if part[0] < stop and part[1] > start]
    cuts = sorted({start, stop, *(at for first, end, _ in parts for at in (first, end) if start < at < stop)})
    segments = []
    for cut, next_cut in pairwise(cuts):
        style = under
        for first, end, of_part in parts:
            if first <= cut < end:
                style += of_part
        segments.append(Segment(text[cut:next_cut], style))
    return segments


def matches(words: str, text: str) -> list[tuple[int, int]]:
    """(first, end) of every place in a line that has `words`, whatever their case."""
    return [match.span() for match in _pattern(words).finditer(text)] if words else []


@lru_cache(16)
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(re.escape(words), re.IGNORECASE)


@lru_cache(1024)
def style_of(sgr: str) -> Style:
    """The style that SGR parameters of a `Line` ask for, such as `1;31` or `38;2;255;0;0`."""
    codes = iter(sgr.split(";"))
    style: dict[str, Any] = {}
    for code in codes:
        if code in _ATTRIBUTES:
            style[_ATTRIBUTES[code]] = True
            continue
        number = int(code)
        name = "bgcolor" if (number // 10) % 10 in (4, 0) else "color"
        if number in (38, 48):
            if next(codes) == "5":
                style[name] = Color.from_ansi(int(next(codes)))
            else:
                style[name] = Color.from_rgb(*(int(next(codes)) for _ in range(3)))
        else:
            style[name] = Color.from_ansi(number % 10 + (8 if number >= 90 else 0))
    return Style(**style)
