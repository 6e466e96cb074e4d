"""Everything on screen in ASCII, for terminals that have no UTF-8 or no glyphs for it.

A filter on finished lines: no widget has to know, and no column moves, because each sign is replaced by as many cells
as it took.
"""

from __future__ import annotations

import codecs
import os
import sys
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from rich.cells import cell_len, split_graphemes
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from tui.settings import Settings

_SIGNS: dict[str, str] = {
    sign: plain
    for plain, signs in {
        "*": "●•◉⬤★⭑☆⭘⁃▪■◆",
        "o": "○◯◦□▫◇øº°",
        "+": "✓✔☑±▖▗▘▝▙▛▜▟▚▞",
        "x": "✗✘✖✕×☒",
        "!": "⚠❗¡‼",
        "?": "¿❓",
        ".": "…·∙⋅․‥",
        "-": "–—―‐‑‒−▔▀⁓",
        "_": "▁▄‗",
        "#": "█▓▒",
        ":": "░∶",
        " ": "▂▃▅▆▇",
        "|": "▉▊▋▌▍▎▏▐▕¦∣",
        "'": "‘’‚‛′´",
        '"': "“”„‟«»″",
        ",": "、",
        "<": "←‹◀◂◁⟵⇐≤⌫",
        ">": "→›▶▸►▷⏎↵⟶⇒≥‣",
        "^": "↑▲▴△⇧⌃⇡",
        "v": "↓▼▾▽⇣",
        "=": "≡≠≈≃",
        "~": "∼",
        "/": "╱⁄∕÷",
        "\\": "╲",
        "X": "╳",
        "O": "Ø",
        "D": "Đ",
        "d": "đ",
        "L": "Ł£",
        "l": "ł",
        "s": "ß",
        "u": "µμ",
        "c": "©¢",
        "R": "®",
        "E": "€",
        "S": "§",
    }.items()
    for sign in signs
}


class AsciiFilter(LineFilter):
    """Shows every line in ASCII, cell by cell."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments, of the same widths and styles, in ASCII."""
        return [
            segment if segment.control or segment.text.isascii() else Segment(to_ascii(segment.text), segment.style)
            for segment in segments
        ]


def wanted(settings: Settings, environ: Mapping[str, str], encoding: str | None) -> bool:
    """Whether the screen should be ASCII: the setting when there is one, else what the terminal can show.

    `encoding` is that of stderr, where Textual draws. The Linux console reads UTF-8, but its built-in font holds
    code page 437, without ✗, …, – or ▾ (drivers/tty/vt/cp437.uni in the kernel).
    """
    if settings.ascii is not None:
        return settings.ascii
    if environ.get("TERM", "").split("-")[0] == "linux":
        return True
    try:
        return codecs.lookup(encoding or "ascii").name != "utf-8"
    except LookupError:
        return True


def wanted_here(settings: Settings) -> bool:
    """`wanted` for this process and its terminal."""
    return wanted(settings, os.environ, getattr(sys.__stderr__, "encoding", None))


@lru_cache(4096)
def to_ascii(text: str) -> str:
    """`text` in ASCII and as many cells wide; a sign without any likeness becomes a `?` for each of its cells."""
    if text.isascii():
        return text
    spans, _ = split_graphemes(text)
    width = cell_len(text)
    return "".join(_in_cells(text[start], cells) for start, _, cells in spans).ljust(width)[:width]


def _in_cells(character: str, cells: int) -> str:
    if cells == 0:
        return ""
    plain = character if character.isascii() else _likeness(character)
    return plain.ljust(cells) if plain else "?" * cells


@lru_cache(4096)
def _likeness(character: str) -> str:
    """One ASCII character, or nothing."""
    if character in _SIGNS:
        return _SIGNS[character]
    name = unicodedata.name(character, "")
    if name.startswith("BOX DRAWINGS"):
        words = set(name.split())
        across = bool(words & {"HORIZONTAL", "LEFT", "RIGHT"})
        along = bool(words & {"VERTICAL", "UP", "DOWN"})
        return "+" if across and along else "-" if across else "|"
    if name.startswith("BRAILLE PATTERN"):
        return ":" if name != "BRAILLE PATTERN BLANK" else " "
    base = "".join(part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part))
    return base if len(base) == 1 and base.isascii() and base.isprintable() else ""
