"""Bytes of a log -> its lines as text, quickly: to look for words in them, not to show them (`log_lines` does that)."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PIECE = 1 << 20
"""Bytes at a time: between two pieces other threads have their turn."""
_LONGEST = 4_000
"""Characters of a line that are kept."""

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]?|[]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)")


def plain_lines(data: bytes) -> Iterator[str]:
    """The lines, without colours and other escapes; of a line written over after a carriage return the last text.

    Other control characters stay, and bytes that are no UTF-8 are shown as U+FFFD. Lines are cut after 4,000
    characters; one of more than 1 MB counts as several.
    """
    start = 0
    while start < len(data):
        end = data.rfind(b"\n", start, start + _PIECE) + 1 or min(start + _PIECE, len(data))
        text = data[start:end].decode("utf-8", errors="replace").removesuffix("\n")
        start = end
        if "\x1b" in text:
            text = _ESCAPE.sub("", text)
        lines = text.split("\n")
        if "\r" in text:
            lines = [line.rstrip("\r").rpartition("\r")[2] for line in lines]
        yield from (line if len(line) <= _LONGEST else line[:_LONGEST] for line in lines)
