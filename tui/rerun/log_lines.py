"""Bytes of a log -> clean lines: carriage returns and colours understood, every other escape dropped."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One line as a terminal would show it at its end."""

    text: str
    """Without control characters."""
    spans: tuple[tuple[int, int, str], ...] = ()
    """(first, end, SGR parameters such as `1;31`) of the coloured parts."""


class LogLines:
    """Takes bytes as they come and keeps the lines: all of them up to a limit, then head and tail."""

    def __init__(self, *, head: int = 1_000, tail: int = 50_000, longest: int = 4_000) -> None:
        """Keep the first `head` and the last `tail` lines, each cut after `longest` characters."""
        raise NotImplementedError

    def feed(self, data: bytes) -> None:
        """More bytes; a UTF-8 character, an escape or a line may end in the next ones."""
        raise NotImplementedError

    def __len__(self) -> int:
        """Lines that are kept, the unfinished last one and the line that tells of dropped ones included."""
        raise NotImplementedError

    def __getitem__(self, index: int) -> Line:
        """A kept line."""
        raise NotImplementedError

    @property
    def dropped(self) -> int:
        """Lines left out between head and tail."""
        raise NotImplementedError
