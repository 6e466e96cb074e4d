"""One real program in a pseudo-terminal that answers nothing, with all that it writes and when.

What came is only recorded while the program works; a terminal emulator reads it afterwards, in silence, so that it
takes no processor from what is measured.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyte

SIZE = (120, 40)
SILENT_S = 0.15
"""Bytes are counted until nothing came for this long."""

Condition = Callable[[Sequence[str]], object]
"""Whether the lines of a screen are as awaited."""


class NotShownError(Exception):
    """The screen did not come to show what was awaited; the text is that screen."""


@dataclass(frozen=True)
class Link:
    """A slow connection: bytes in a second, and seconds until a byte arrives."""

    rate: float
    delay_s: float


@dataclass(frozen=True)
class Shown:
    """When something was on the screen, and what was sent for it."""

    seconds: float
    """From the key, or the start, to the chunk that completed it."""
    bytes_until: int
    """Bytes up to that chunk."""
    bytes_sent: int
    """Bytes until the terminal was silent."""


class Terminal:
    """A running program; `with` ends it. `key` writes to it, `shown` tells when the screen was as awaited."""

    def __init__(
        self,
        argv: Sequence[str],
        environ: Mapping[str, str],
        folder: Path,
        *,
        size: tuple[int, int] = SIZE,
        link: Link | None = None,
    ) -> None:
        columns, rows = size
        self.chunks: list[tuple[float, bytes]] = []
        self._link = link
        self._grew = threading.Condition()
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._fed = 0
        self._from = 0
        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.since = time.perf_counter()
        self.process = subprocess.Popen(
            argv, stdin=slave, stdout=slave, stderr=slave, env=dict(environ), cwd=folder, start_new_session=True,
            preexec_fn=_take_terminal,  # noqa: PLW1509 - one system call, no lock that a thread could hold
        )  # fmt: skip
        os.close(slave)
        self._reader = threading.Thread(target=self._read if link is None else self._read_slowly, daemon=True)
        self._reader.start()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        self._reader.join(5)
        os.close(self.master)

    # What comes

    def _read(self) -> None:
        while data := self._received(65536):
            self._keep(time.perf_counter(), data)

    def _received(self, at_most: int) -> bytes:
        """What the program has sent; nothing when it is gone."""
        try:
            return os.read(self.master, at_most)
        except OSError as error:
            if error.errno == errno.EIO:
                return b""
            raise

    def _read_slowly(self) -> None:
        """Takes what the link can carry, so that the program's writes wait as they do before a full connection."""
        assert self._link is not None
        free_at = 0.0
        while True:
            now = time.perf_counter()
            if now < free_at:
                time.sleep(free_at - now)
            if not (data := self._received(1500)):
                return
            free_at = max(free_at, time.perf_counter()) + len(data) / self._link.rate
            self._keep(free_at + self._link.delay_s, data)

    def _keep(self, moment: float, data: bytes) -> None:
        with self._grew:
            self.chunks.append((moment, data))
            self._grew.notify_all()

    @property
    def sent(self) -> int:
        """Bytes since the last key, or the start."""
        return sum(len(data) for _, data in self.chunks[self._from :])

    @property
    def sent_in_all(self) -> int:
        """Bytes since the start."""
        return sum(len(data) for _, data in self.chunks)

    # What is awaited

    def key(self, keys: str) -> None:
        """Write keys; times and bytes count from here."""
        data = keys.encode()
        self.mark()
        os.write(self.master, data)

    def mark(self) -> None:
        """Count times and bytes from now."""
        self._from = len(self.chunks)
        self.since = time.perf_counter()

    def comes(self, needle: bytes, within_s: float = 120.0) -> float:
        """Wait until these bytes came since the last key; the seconds. For when a key has to follow at once."""
        deadline, tail, place = time.perf_counter() + within_s, b"", self._from
        while True:
            with self._grew:
                while place >= len(self.chunks):
                    rest = deadline - time.perf_counter()
                    if rest <= 0 or (not self._grew.wait(min(rest, 0.5)) and self.process.poll() is not None):
                        raise NotShownError(f"«{needle.decode()}» did not come:\n{self.text}")
                moment, data = self.chunks[place]
            place += 1
            if needle in tail + data:
                return moment - self.since
            tail = (tail + data)[-len(needle) :]

    def until_silent(self, silent_s: float = SILENT_S, within_s: float = 60.0) -> int:
        """Wait until nothing came for `silent_s`; the bytes since the last key."""
        deadline = time.perf_counter() + within_s
        while time.perf_counter() < deadline:
            with self._grew:
                last = max(self.chunks[-1][0] if self.chunks else 0.0, self.since)
                rest = last + silent_s - time.perf_counter()
                if rest <= 0:
                    return self.sent
                self._grew.wait(rest)
        raise NotShownError(f"not silent within {within_s} s:\n{self.text}")

    def shown(self, condition: Condition, within_s: float = 60.0) -> Shown:
        """Wait until `condition` is true of the screen and all is silent; raises NotShownError."""
        deadline = time.perf_counter() + within_s
        found: tuple[float, int] | None = None
        if self._fed <= self._from:
            self._feed(self._from)
        while True:
            self.until_silent()
            while self._fed < len(self.chunks):
                moment = self._feed(self._fed + 1)
                if found is None and condition(self.lines):
                    until = sum(len(data) for _, data in self.chunks[self._from : self._fed])
                    found = (moment - self.since, until)
            if found is not None:
                return Shown(found[0], found[1], self.sent)
            with self._grew:
                if len(self.chunks) == self._fed and self.process.poll() is None:
                    self._grew.wait(min(1.0, max(deadline - time.perf_counter(), 0)))
            if time.perf_counter() > deadline or (self.process.poll() is not None and self._fed == len(self.chunks)):
                raise NotShownError(f"{getattr(condition, '__doc__', None) or condition}:\n{self.text}")

    def replayed(self, condition: Condition, since: float) -> float | None:
        """Seconds from `since` until the screen was as awaited, in what came already; None when it never was.

        The screen is drawn anew from the start of the program.
        """
        columns, rows = self._screen.columns, self._screen.lines
        screen = pyte.Screen(columns, rows)
        stream = pyte.ByteStream(screen)
        for moment, data in list(self.chunks):
            stream.feed(data)
            if moment >= since and condition(screen.display):
                return moment - since
        return None

    def _feed(self, upto: int) -> float:
        """Let the emulator read the chunks before `upto`; when the last of them came."""
        for _, data in self.chunks[self._fed : upto]:
            self._stream.feed(data)
        self._fed = max(self._fed, upto)
        return self.chunks[self._fed - 1][0] if self._fed else self.since

    @property
    def lines(self) -> list[str]:
        """The screen as far as the emulator has read."""
        return list(self._screen.display)

    @property
    def text(self) -> str:
        """The screen with all that came."""
        self._feed(len(self.chunks))
        return "\n".join(line.rstrip() for line in self.lines)

    # The process

    def ended(self, within_s: float = 20.0) -> float:
        """Wait for the end of the process; seconds from the last key."""
        handle = os.pidfd_open(self.process.pid)
        try:
            if not select.select([handle], [], [], within_s)[0]:
                raise NotShownError(f"still running after {within_s} s:\n{self.text}")
            took = time.perf_counter() - self.since
        finally:
            os.close(handle)
        self.process.wait()
        return took

    @property
    def resident_bytes(self) -> int:
        """Resident memory."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    @property
    def cpu_s(self) -> float:
        """Processor time of all threads so far."""
        after_name = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
