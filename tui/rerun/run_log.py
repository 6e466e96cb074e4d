"""The log of a run on disk: written with a size limit that keeps head and tail, read while it grows."""

from __future__ import annotations

from pathlib import Path


class LogWriter:
    """The supervisor's side. A disk that is full stops the log, never the run."""

    def __init__(self, folder: Path, limit_bytes: int) -> None:
        raise NotImplementedError

    def write(self, data: bytes) -> None:
        """Append; beyond half of the limit the newest bytes are kept in a tail. Raises nothing."""
        raise NotImplementedError

    def close(self) -> None:
        """Make one file `log` of it: head, a line that says how much was left out, tail. Raises nothing."""
        raise NotImplementedError

    @property
    def total_bytes(self) -> int:
        """All that was written to it."""
        raise NotImplementedError

    @property
    def dropped_bytes(self) -> int:
        """What neither head nor tail has, because of the limit or of a disk that is full."""
        raise NotImplementedError

    @property
    def trouble(self) -> str:
        """Why it cannot be written at present; empty when it can."""
        raise NotImplementedError


class LogReader:
    """The watcher's side: each call gives the bytes that came since the last one."""

    def __init__(self, folder: Path) -> None:
        raise NotImplementedError

    def read(self, at_most: int = 1 << 20) -> bytes:
        """New bytes; empty when there are none (yet). A gap is told by a line of its own. Raises nothing."""
        raise NotImplementedError


def whole(folder: Path) -> bytes:
    """The log as it is now. Raises nothing; empty when there is none."""
    raise NotImplementedError
