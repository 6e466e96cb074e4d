"""The log of a run on disk: written with a size limit that keeps head and tail, read while it grows.

`log_segments` tells how it lies there. A log whose writer was killed is read in the same way.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
from pathlib import Path
from typing import IO, Final

from tui import numbers
from tui.rerun import log_segments
from tui.rerun.log_segments import LOG, OLD, TAIL, Segment, gap_line, loss_line

log = logging.getLogger(__name__)

_SMALLEST_LIMIT: Final = 1_000
_CUT_LINE: Final = b"--- the log was cut short from outside; from its beginning: ---\n"


class LogWriter:
    """The supervisor's side. A disk that is full stops the log, never the run."""

    def __init__(self, folder: Path, limit_bytes: int, *, retry_s: float = 1.0) -> None:
        """Write below `folder`; of `limit_bytes` (at least 1,000) half is for the head, half for the tail.

        After an error the next try is made with the first bytes that come `retry_s` seconds later.
        """
        self._folder = folder
        self._limit = max(limit_bytes, _SMALLEST_LIMIT)
        self._retry_s = retry_s
        self._look_at = time.monotonic() + retry_s
        self._trouble = ""
        self._closed = False

        self._name = LOG
        self._file: int | None = None
        self._used = 0
        """Bytes in this file, a segment's first line not counted."""
        self._full = False
        self._position = 0
        self._last = b"\n"
        self._head = 0
        self._starts: list[int] = []
        """Positions at which the kept segments begin, the newest last."""

        self._total = 0
        self._lost = 0
        self._untold = 0
        """Lost bytes that no line in the log tells of yet."""

    def write(self, data: bytes) -> None:
        """Append; beyond half of the limit the newest bytes are kept in a tail. Raises nothing."""
        self._total += len(data)
        now = time.monotonic()
        if self._closed or (self._trouble and now < self._look_at):
            self._lose(len(data))
            return
        rest = memoryview(data)
        try:
            if now >= self._look_at:
                self._look_at = now + self._retry_s
                self._look_whether_removed()
            self._tell_lost()
            while rest:
                rest = rest[self._append(rest) :]
        except OSError as error:
            self._lose(len(rest))
            self._look_at = now + self._retry_s
            self._say(error)
        else:
            self._trouble = ""

    def close(self) -> None:
        """Make one file `log` of it: head, a line that says how much was left out, tail. Raises nothing.

        Where there is no room for that, the files stay as they are.
        """
        if self._closed:
            return
        self._closed = True
        try:
            self._tell_lost()
        except OSError as error:
            self._say(error)
        self._close_file()
        if self._starts:
            try:
                log_segments.join(self._folder, f"the log keeps {numbers.size(self._limit)}")
            except OSError as error:
                self._say(error)

    @property
    def total_bytes(self) -> int:
        """All that was written to it."""
        return self._total

    @property
    def dropped_bytes(self) -> int:
        """What neither head nor tail has, because of the limit or of a disk that is full."""
        return self._lost + (self._starts[0] - self._head if self._starts else 0)

    @property
    def trouble(self) -> str:
        """Why it cannot be written at present; empty when it can."""
        return self._trouble

    def _append(self, data: bytes | memoryview) -> int:
        """Write what fits into the present file, at a line's end where there is one; how many bytes that were."""
        if self._full:
            self._go_on_in_new_segment()
        if self._file is None:
            self._open()
        assert self._file is not None
        room = (self._limit // 2 if self._name == LOG else self._limit // 4) - self._used
        piece = bytes(data[: max(room, 0)])
        if len(data) > room:
            self._full = True
            if cut := piece.rfind(b"\n") + 1:
                piece = piece[:cut]
            elif self._used and self._last == b"\n":
                return 0
        written = os.write(self._file, piece)
        if written:
            self._last = piece[written - 1 : written]
        self._used += written
        self._position += written
        return written

    def _open(self) -> None:
        if self._name == LOG:
            self._file = log_segments.open_private(self._folder / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            self._used = self._position = os.fstat(self._file).st_size
            return
        path = self._folder / TAIL
        file = log_segments.open_private(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
        first = log_segments.first_line(self._head, self._position)
        try:
            if os.write(file, first) < len(first):
                raise OSError(28, "No space left on device", str(path))
        except OSError:
            os.close(file)
            raise
        self._file, self._used = file, 0
        self._starts = [*self._starts[-1:], self._position]

    def _go_on_in_new_segment(self) -> None:
        if self._name == LOG:
            self._head = self._position
        elif self._file is not None:
            (self._folder / TAIL).replace(self._folder / OLD)
        self._close_file()
        self._name, self._full = TAIL, False

    def _look_whether_removed(self) -> None:
        """A file that was removed takes bytes for ever without an error."""
        if self._file is None or os.fstat(self._file).st_nlink:
            return
        self._close_file()
        if self._name == LOG:
            self._lose(self._used)
        else:
            self._starts.clear()

    def _tell_lost(self) -> None:
        if self._untold:
            line = loss_line(self._untold, self._trouble.rpartition(": ")[2] or "it was removed", after=self._last)
            while line:
                line = line[self._append(line) :]
            self._untold = 0

    def _lose(self, count: int) -> None:
        self._lost += count
        self._untold += count

    def _say(self, error: OSError) -> None:
        trouble = f"the log cannot be written: {error.strerror or error}"
        if trouble != self._trouble:
            log.warning("%s: %s", self._folder, trouble)
        self._trouble = trouble

    def _close_file(self) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.close(self._file)
            self._file = None


class LogReader:
    """The watcher's side: each call gives the bytes that came since the last one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._position = 0
        self._head: int | None = None
        """Length of the head, once it was read to its end."""
        self._last = b"\n"

    def read(self, at_most: int = 1 << 20) -> bytes:
        """New bytes; empty when there are none (yet). A gap is told by a line of its own. Raises nothing.

        Such a line can come on top of `at_most` bytes.
        """
        try:
            with contextlib.ExitStack() as opened:
                file, segments = log_segments.open_log(self._folder, opened)
                size = 0 if file is None else log_segments.size_of(file)
                data = self._next(file, size, segments, at_most)
        except OSError as error:
            log.debug("%s: %s", self._folder, error)
            return b""
        self._last = data[-1:] or self._last
        return data

    def _next(self, file: IO[bytes] | None, size: int, segments: list[Segment], at_most: int) -> bytes:
        if self._head is None:
            told = b""
            if self._position > size:
                told, self._position = (b"" if self._last == b"\n" else b"\n") + _CUT_LINE, 0
            if told or self._position < size:
                return told + self._take(file, self._position, at_most)
            if not segments:
                return b""
            self._head = self._position = segments[0].head
        for segment in segments:
            told = self._skip_to(segment.start)
            if told or self._position < segment.end:
                offset = segment.offset + self._position - segment.start
                return told + self._take(segment.file, offset, at_most)
        if not segments and file is not None and size > self._head:
            dropped, line = log_segments.gap_at(file, self._head)
            start = self._head + dropped
            told = self._skip_to(start)
            return told + self._take(file, self._head + line + self._position - start, at_most)
        return b""

    def _skip_to(self, start: int) -> bytes:
        """Go on at `start` at the earliest; the line that tells of what was left out."""
        if self._position >= start:
            return b""
        line = gap_line(start - self._position, after=self._last)
        self._position = start
        return line

    def _take(self, file: IO[bytes] | None, offset: int, at_most: int) -> bytes:
        if file is None:
            return b""
        file.seek(offset)
        data = file.read(at_most)
        self._position += len(data)
        return data


def whole(folder: Path) -> bytes:
    """The log as it is now. Raises nothing; empty when there is none."""
    enough = 0
    for name in (LOG, OLD, TAIL):
        with contextlib.suppress(OSError):
            enough += (folder / name).lstat().st_size
    reader = LogReader(folder)
    parts: list[bytes] = []
    # One that grows faster than it is read would have no end.
    while sum(map(len, parts)) <= enough and (data := reader.read()):
        parts.append(data)
    return b"".join(parts)


def end_of(folder: Path, at_most: int) -> bytes:
    """The last `at_most` bytes of the log as it is now. Raises nothing; empty when there is none."""
    parts: list[bytes] = []
    try:
        with contextlib.ExitStack() as opened:
            file, segments = log_segments.open_log(folder, opened)
            # Each with the number of bytes that are left out before it.
            pieces = [] if file is None else [(file, 0, log_segments.size_of(file), 0)]
            position = segments[0].head if segments else 0
            for segment in segments:
                pieces.append((segment.file, segment.offset, segment.size, segment.start - position))
                position = segment.end
            for file, offset, size, left_out in reversed(pieces):
                taken = min(size, at_most)
                file.seek(offset + size - taken)
                parts.insert(0, file.read(taken))
                at_most -= taken
                if at_most <= 0:
                    break
                if left_out > 0:
                    parts.insert(0, gap_line(left_out))
    except OSError as error:
        log.debug("%s: %s", folder, error)
    return b"".join(parts)
