"""How a log lies on disk: the head in `log`, and while it is written a tail in two segments beside it.

    log             the beginning, up to half of the limit; once the log is closed all of it
    log.tail        the newest bytes, up to a quarter of the limit
    log.tail.old    those before them

A position counts the bytes of the log as it would be without a limit. A segment begins with a line that tells the
length of the head and the position of the segment's first byte. It belongs to the log as long as the head is not
longer than it says: closing puts head and tail into one `log`, and what is then left of the segments is void.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from tui.atomic_file import replacing

LOG: Final = "log"
TAIL: Final = "log.tail"
OLD: Final = "log.tail.old"

_FIRST_LINE = re.compile(rb"--- ([0-9]+) bytes are in log, from byte ([0-9]+) on this goes on ---\n")
_FIRST_LINE_BYTES = 120
_GAP = re.compile(rb"\n?--- ([0-9,]{1,30}) bytes left out here[^\n]{0,200}\n")
_GAP_BYTES = 300
_COPY_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment of the tail, open for reading."""

    file: IO[bytes]
    head: int
    """Length of the head."""
    start: int
    """Position of its first byte."""
    offset: int
    """Of that byte in the file."""
    size: int
    """Bytes that it holds now."""

    @property
    def end(self) -> int:
        """Position after its last byte."""
        return self.start + self.size


def first_line(head: int, start: int) -> bytes:
    """What a segment begins with."""
    return b"--- %d bytes are in log, from byte %d on this goes on ---\n" % (head, start)


def gap_line(dropped: int, why: str = "", *, after: bytes = b"\n") -> bytes:
    """The line that stands for `dropped` bytes; on a line of its own after the byte `after`."""
    return _own_line(f"{dropped:,} bytes left out here{f': {why}' if why else ''}", after)


def loss_line(lost: int, why: str, *, after: bytes = b"\n") -> bytes:
    """The line that stands for `lost` bytes that could not be written."""
    return _own_line(f"{lost:,} bytes could not be written here: {why}", after)


def _own_line(text: str, after: bytes) -> bytes:
    return (b"" if after in (b"", b"\n") else b"\n") + f"--- {text} ---\n".encode("utf-8", errors="replace")


def gap_at(file: IO[bytes], position: int) -> tuple[int, int]:
    """(bytes left out, length of the line that says so) where the closed log has its gap; (0, 0) without one."""
    file.seek(position)
    found = _GAP.match(file.read(_GAP_BYTES))
    return (int(found[1].replace(b",", b"")), found.end()) if found else (0, 0)


def open_private(path: Path, flags: int) -> int:
    """Open for appending or reading; never through a link. Raises `OSError`."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)


def open_to_read(path: Path) -> IO[bytes] | None:
    """The file, unbuffered; None when there is none, or it is none. Raises `OSError`."""
    try:
        descriptor = open_private(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    file = os.fdopen(descriptor, "rb", buffering=0)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return file
    file.close()
    return None


def open_segment(path: Path) -> Segment | None:
    """A segment; None when there is none, or its first line is not written yet. The caller closes its file."""
    file = open_to_read(path)
    if file is None:
        return None
    found = _FIRST_LINE.match(file.read(_FIRST_LINE_BYTES))
    if found is None:
        file.close()
        return None
    size = os.fstat(file.fileno()).st_size - found.end()
    return Segment(file, int(found[1]), int(found[2]), found.end(), max(size, 0))


def open_log(folder: Path, opened: contextlib.ExitStack) -> tuple[IO[bytes] | None, list[Segment]]:
    """`log`, and the segments that belong to it, oldest first; `opened` closes them. Raises `OSError`."""
    # The newest first: what is renamed between two looks is then seen twice, and never not at all. And `log` last:
    # when there was a segment, the head is complete.
    found: dict[int, Segment] = {}
    for name in (TAIL, OLD):
        segment = open_segment(folder / name)
        if segment is not None:
            opened.enter_context(segment.file)
            found.setdefault(segment.start, segment)
    log = open_to_read(folder / LOG)
    if log is not None:
        opened.enter_context(log)
    size = 0 if log is None else size_of(log)
    return log, [found[start] for start in sorted(found) if found[start].head >= size]


def join(folder: Path, why_left_out: str) -> None:
    """Put head and tail into one `log` and remove the segments. Raises `OSError`; all is then as it was."""
    with contextlib.ExitStack() as opened:
        head, segments = open_log(folder, opened)
        if head is None:
            raise FileNotFoundError(2, "the head of the log is gone", str(folder / LOG))
        with replacing(folder / LOG, private=True) as part, part.open("wb") as target:
            shutil.copyfileobj(head, target, _COPY_BYTES)
            position = segments[0].head if segments else 0
            for segment in segments:
                if segment.start > position:
                    target.write(gap_line(segment.start - position, why_left_out, after=_last_byte(head)))
                segment.file.seek(segment.offset)
                shutil.copyfileobj(segment.file, target, _COPY_BYTES)
                position = segment.end
    for name in (TAIL, OLD):
        (folder / name).unlink(missing_ok=True)


def _last_byte(file: IO[bytes]) -> bytes:
    file.seek(max(size_of(file) - 1, 0))
    return file.read(1)


def size_of(file: IO[bytes]) -> int:
    """Bytes in an open file."""
    return os.fstat(file.fileno()).st_size
