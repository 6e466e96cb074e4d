"""Lines of a log in memory: the first ones, the last ones, and how many were left out between them."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from tui.numbers import counted

_MOST_BYTES = 32 << 20
"""What the last lines may take in memory; the first ones an eighth of it."""
_SPAN_BYTES = 100


@dataclass(frozen=True, slots=True)
class Line:
    """One line as a terminal would show it at its end."""

    text: str
    """Without control characters."""
    spans: tuple[tuple[int, int, str], ...] = ()
    """(first, end, SGR parameters such as `1;31`) of the coloured parts."""


class KeptLines:
    """Head and tail of the lines that are appended, never empty: the last one is the one that is written to.

    A line is its text when it has no colours, else a `Line`: that keeps 50,000 plain lines cheap.
    """

    def __init__(self, head: int, tail: int) -> None:
        """Keep the first `head` and the last `tail` lines, fewer when they take some 40 MB."""
        self._head: list[str | Line] = []
        self._tail: deque[str | Line] = deque()
        self._head_limit, self._tail_limit = head, max(tail, 1)
        self._head_bytes = self._tail_bytes = 0
        self._head_closed = False
        self.dropped = 0
        """Lines left out between head and tail."""
        self.append("")

    def __len__(self) -> int:
        """Lines that are kept, with the one that tells of dropped ones, without a last one that is empty."""
        return self._entries - (self.last() == "")

    @property
    def _entries(self) -> int:
        return len(self._head) + bool(self.dropped) + len(self._tail)

    def __getitem__(self, index: int) -> Line:
        """The line at `index`. Raises `IndexError`."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        if index < len(self._head):
            entry = self._head[index]
        elif index == self.gap:
            entry = self._gap_text()
        else:
            entry = self._tail[index - len(self._head) - bool(self.dropped)]
        return entry if isinstance(entry, Line) else Line(entry)

    @property
    def gap(self) -> int | None:
        """The index of the line that tells of dropped ones; None when there are none."""
        return len(self._head) if self.dropped else None

    def append(self, entry: str | Line) -> None:
        """A new last line; the first one of the tail is dropped when there are too many."""
        if not self._head_closed and len(self._head) < self._head_limit and self._head_bytes < _MOST_BYTES // 8:
            self._head.append(entry)
            self._head_bytes += _bytes_of(entry)
            return
        self._head_closed = True
        self._tail.append(entry)
        self._tail_bytes += _bytes_of(entry)
        self._drop()

    def end_with(self, texts: Sequence[str]) -> None:
        """Complete lines without colours, at least one, in place of the last line; an empty one follows them."""
        self.replace(0, texts[0])
        if not self._head_closed:
            for text in texts[1:]:
                self.append(text)
        else:
            self._tail.extend(texts[1:])
            self._tail_bytes += sum(map(sys.getsizeof, texts[1:]))
        self.append("")

    def _drop(self) -> None:
        while len(self._tail) > 1 and (len(self._tail) > self._tail_limit or self._tail_bytes > _MOST_BYTES):
            self._tail_bytes -= _bytes_of(self._tail.popleft())
            self.dropped += 1

    def last(self, up: int = 0) -> str | Line:
        """The last line, or the one that is `up` lines above it."""
        return self._tail[-1 - up] if up < len(self._tail) else self._head[len(self._tail) - 1 - up]

    def replace(self, up: int, entry: str | Line) -> None:
        """Another line in place of `last(up)`."""
        if up < len(self._tail):
            self._tail_bytes += _bytes_of(entry) - _bytes_of(self._tail[-1 - up])
            self._tail[-1 - up] = entry
        else:
            at = len(self._tail) - 1 - up
            self._head_bytes += _bytes_of(entry) - _bytes_of(self._head[at])
            self._head[at] = entry

    @property
    def reachable(self) -> int:
        """How far up there is a line without a gap before it."""
        return (len(self._tail) if self.dropped else self._entries) - 1

    def texts(self, first: int = 0, end: int | None = None) -> Iterator[str]:
        """The texts of the lines from `first` up to `end` (all when None), without their colours."""
        last = len(self) if end is None else min(end, len(self))
        lines = chain(self._head, self._gap_lines(), self._tail)
        return map(text_of, islice(lines, max(first, 0), max(last, 0)))

    def find(self, words: str, start: int, direction: int = 1) -> int | None:
        """The index of the next line that has `words` in it, whatever their case; None when there is none.

        Looks from the line `start` itself onwards, downwards (1) or upwards (-1), and does not start over at the end.
        """
        needle = words.casefold()
        if not needle:
            return None
        if direction > 0:
            first = max(start, 0)
            found = (at for at, text in enumerate(self.texts(first), first) if needle in text.casefold())
            return next(found, None)
        first = min(start, len(self) - 1)
        lines = chain(reversed(self._tail), self._gap_lines(), reversed(self._head))
        upwards = map(text_of, islice(lines, self._entries - 1 - first, None))
        return next((first - steps for steps, text in enumerate(upwards) if needle in text.casefold()), None)

    def _gap_lines(self) -> tuple[str, ...]:
        return (self._gap_text(),) if self.dropped else ()

    def _gap_text(self) -> str:
        return f"… {counted(self.dropped, 'line')} left out here"


def text_of(entry: str | Line) -> str:
    """Its text without colours."""
    return entry if isinstance(entry, str) else entry.text


def _bytes_of(entry: str | Line) -> int:
    if isinstance(entry, str):
        return sys.getsizeof(entry)
    return sys.getsizeof(entry.text) + _SPAN_BYTES * len(entry.spans)
