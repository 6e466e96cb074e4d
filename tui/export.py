"""A frame as text for people: a table with aligned columns that fits the terminal, or is whole when piped."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tui.catalog.verdict import shown
from tui.terminal_text import clean

if TYPE_CHECKING:
    import polars as pl

_GAP = "  "
_NARROWEST = 6
"""Cells that a column keeps while others can still give way."""


def table(frame: pl.DataFrame, *, headers: Mapping[str, str] | None = None, width: int | None = None) -> str:
    """The frame as lines of text, headers first, numbers at the right, without a final newline.

    `headers` names columns otherwise than the frame does. `width` is the number of cells of a line: the
    widest columns are cut with `…` until lines fit. `None` cuts nothing.
    """
    names = [clean((headers or {}).get(name, name)) for name in frame.columns]
    numeric = [dtype.is_numeric() for dtype in frame.dtypes]
    rows = [[clean(shown(value)) for value in row] for row in frame.iter_rows()]
    return aligned([names, *rows], numeric, width)


def aligned(rows: Sequence[Sequence[str]], at_right: Sequence[bool], width: int | None = None) -> str:
    """Rows of clean texts as lines with aligned columns; `at_right` tells it for each column."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(cell_width, column), default=0) for column in columns]
    if width is not None:
        widths = _fitting(widths, at_right, width - len(_GAP) * max(0, len(widths) - 1))
    lines = (
        _GAP.join(
            _padded(cut(text, cells), cells, right) for text, cells, right in zip(row, widths, at_right, strict=True)
        ).rstrip()
        for row in rows
    )
    return "\n".join(line if width is None else cut(line, width) for line in lines)


def _fitting(widths: Sequence[int], at_right: Sequence[bool], room: int) -> list[int]:
    """Widths whose sum is at most `room` where that can be reached by cutting texts; numbers are not cut."""
    texts = [index for index, right in enumerate(at_right) if not right]
    fitting = [width if at_right[index] else min(width, max(room, _NARROWEST)) for index, width in enumerate(widths)]
    while sum(fitting) > room and texts:
        widest = max(texts, key=lambda index: fitting[index])
        if fitting[widest] <= _NARROWEST:
            break
        fitting[widest] -= 1
    return fitting


def _padded(text: str, cells: int, right: bool) -> str:
    space = " " * (cells - cell_width(text))
    return space + text if right else text + space


def cut(text: str, cells: int) -> str:
    """The text in at most `cells` cells; `…` at the end tells that something is missing."""
    if cell_width(text) <= cells:
        return text
    kept: list[str] = []
    used = 0
    for character in text:
        used += cell_width(character)
        if used > cells - 1:
            break
        kept.append(character)
    return "".join(kept) + "…" if cells > 0 else ""


def cell_width(text: Iterable[str]) -> int:
    """Terminal cells of a text: 2 for wide East Asian characters, 0 for combining ones, 1 for the others."""
    if isinstance(text, str) and text.isascii():
        return len(text)
    return sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
