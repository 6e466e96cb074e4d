"""A horizontal bar of verdicts in characters, in Unicode and in ASCII. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tui.catalog.overview import Counts

Piece = tuple[str, str]
"""A text and the name of its style."""

_EIGHTHS: Final = " ▏▎▍▌▋▊▉"
_IN_A_CELL: Final = 8


@dataclass(frozen=True, slots=True)
class Glyphs:
    """What a bar is drawn with. The three read without colour; `parts` are those of a cell, if there are any."""

    passed: str
    failed: str
    other: str
    parts: str = ""
    over: str = ">"


UNICODE: Final = Glyphs("█", "━", "?", _EIGHTHS, "›")
ASCII: Final = Glyphs("#", "x", "?")


def bar(counts: Counts, cells: int, scale: int, glyphs: Glyphs) -> list[Piece]:
    """The tested models of `counts` in exactly so many cells, of which `scale` models fill all.

    PASS first, then FAIL, then other words; whatever occurs is to be seen as far as there are cells. More than `scale`
    models fill the bar up to a sign that it goes on.
    """
    over = counts.tested > scale and cells > 1
    room = cells - over
    length = 0.0 if not counts.tested or scale <= 0 else min(room * counts.tested / scale, room)
    whole = max(round(length), 1) if counts.tested and cells else 0
    passed, failed, other = _shared_out(counts, length, whole)
    pieces = [
        (_solid(passed, glyphs), "pass-bar"),
        (glyphs.failed * failed, "fail-bar"),
        (glyphs.other * other, "other-bar"),
    ]
    if over:
        pieces.append((glyphs.over, "muted"))
    used = sum(len(text) for text, _ in pieces)
    return [(text, style) for text, style in (*pieces, (" " * (cells - used), "")) if text]


def _shared_out(counts: Counts, length: float, whole: int) -> tuple[float, int, int]:
    """Cells for each: of PASS, when it ends the bar or others follow, with a fraction."""
    if not whole:
        return 0.0, 0, 0
    if counts.passed == counts.tested:
        return max(length, 1 / _IN_A_CELL), 0, 0
    rest = counts.tested - counts.passed
    kinds = (counts.failed > 0) + (counts.other > 0)
    at_most = max(whole - 1, 1) if counts.passed else whole
    rest_cells = min(max(round(whole * rest / counts.tested), kinds), at_most)
    other = 0 if not counts.other else max(round(rest_cells * counts.other / rest), 1)
    if counts.failed:
        other = min(other, rest_cells - 1)
    passed = whole - rest_cells
    exact = length * counts.passed / counts.tested
    return (min(exact, passed) if passed else 0.0), rest_cells - other, other


def _solid(cells: float, glyphs: Glyphs) -> str:
    if not glyphs.parts:
        return glyphs.passed * (max(round(cells), 1) if cells else 0)
    eighths = max(round(cells * _IN_A_CELL), 1) if cells else 0
    full, part = divmod(eighths, _IN_A_CELL)
    return glyphs.passed * full + (glyphs.parts[part] if part else "")
