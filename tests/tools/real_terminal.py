"""A program in a pseudo-terminal whose other end can be closed, filled and resized, and what it left of it.

Nothing emulates the terminal here (pyte is slow and stumbles over some sizes): the bytes are kept, and `left_on` tells
which modes they leave switched on.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

_MODE = re.compile(rb"\x1b\[\?([\d;]+)([hl])")
_KITTY = re.compile(rb"\x1b\[([<>])\d*u")
NORMAL_ON = {b"7", b"25"}
"""Modes that a terminal has on when a program begins: line wrap, the cursor."""


def left_on(raw: bytes) -> list[str]:
    """What is not as it was before all these bytes came; empty when the terminal is restored."""
    on = dict.fromkeys(NORMAL_ON, True)
    for modes, to in _MODE.findall(raw):
        on |= dict.fromkeys(modes.split(b";"), to == b"h")
    kitty = sum(1 if sign == b">" else -1 for sign in _KITTY.findall(raw))
    wrong = [f"?{mode.decode()}{'h' if is_on else 'l'}" for mode, is_on in on.items() if is_on != (mode in NORMAL_ON)]
    return wrong + ([f"kitty keys {kitty:+}"] if kitty > 0 else [])


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Of a person whose folders are in `folder` and whom no network answers."""
    return {
        "PATH": os.environ["PATH"], "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_STATE_HOME": str(folder / "state"), "XDG_CONFIG_HOME": str(folder / "config"),
        "HF_HOME": str(folder / "huggingface"), "HF_ENDPOINT": "http://127.0.0.1:9", "PIP_NO_INDEX": "1",
        "TERM": "xterm-256color", "LANG": "C.UTF-8", "SAMPLE_SECONDS": "1", "VISUAL": "true", **more,
    }  # fmt: skip


class RealTerminal:
    """A running program, the leader of a session with this terminal; `with` ends it."""

    def __init__(
        self,
        argv: Sequence[str],
        environ: Mapping[str, str],
        folder: Path,
        size: tuple[int, int] = (120, 40),
        **streams: int | None,
    ) -> None:
        """`streams` are stdin, stdout, stderr that lead elsewhere."""
        self.raw = b""
        self.size = size
        self.master, self.slave = os.openpty()
        self.resize(*size)
        self.before = termios.tcgetattr(self.slave)
        slave, given = self.slave, {"stdin": self.slave, "stdout": self.slave, "stderr": self.slave} | streams

        def take_terminal() -> None:
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            argv, env=dict(environ), cwd=folder, start_new_session=True, pass_fds=[slave],
            preexec_fn=take_terminal, **given,  # noqa: PLW1509 - one system call
        )  # fmt: skip

    def __enter__(self) -> RealTerminal:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            for number in (signal.SIGCONT, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.process.pid, number)
            self.process.kill()
        self.process.wait()
        self.close()

    def resize(self, columns: int, rows: int) -> None:
        """The kernel tells the program with SIGWINCH."""
        self.size = (columns, rows)
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def close(self) -> None:
        """Close the window: both ends here, once, since their numbers are soon those of other files."""
        for end in {self.master, self.slave} - {-1}:
            with contextlib.suppress(OSError):
                os.close(end)
        self.master = self.slave = -1

    def read(self, seconds: float) -> bytes:
        """What comes within this time, until nothing more is there."""
        came = b""
        while self.master >= 0 and select.select([self.master], [], [], 0.0 if came else seconds)[0]:
            with contextlib.suppress(OSError):
                if data := os.read(self.master, 65536):
                    came += data
                    continue
            break
        self.raw += came
        return came

    def settle(self, silent_s: float = 0.3, at_most_s: float = 8.0) -> None:
        """Read until nothing comes for a while."""
        end = time.monotonic() + at_most_s
        while self.read(silent_s) and time.monotonic() < end:
            pass

    def until(self, words: str, since: int = 0, seconds: float = 30.0) -> int:
        """Wait until this came after position `since`; where it ends. Words are sought in one piece of a line."""
        end, needle = time.monotonic() + seconds, words.encode()
        while needle not in self.raw[since:]:
            if time.monotonic() > end or (self.process.poll() is not None and not self.read(0.1)):
                raise AssertionError(f"«{words}» did not come; the last bytes:\n{self.raw[since:][-600:]!r}")
            self.read(0.1)
        return self.raw.index(needle, since) + len(needle)

    def press(self, keys: str | bytes) -> None:
        data = keys.encode() if isinstance(keys, str) else keys
        while data:
            self.read(0.0)
            if select.select([], [self.master], [], 1.0)[1]:
                data = data[os.write(self.master, data[:512]) :]
            elif self.process.poll() is not None:
                return

    def ended(self, seconds: float = 10.0) -> int:
        """Wait for the end; the exit code, negative for a signal."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, f"still running after {seconds} s; the last bytes:\n{self.raw[-600:]!r}"
            self.read(0.02)
        while self.read(0.05):
            pass
        return self.process.returncode

    @property
    def wrong(self) -> list[str]:
        """What is not as it was before the program began."""
        same = termios.tcgetattr(self.slave) == self.before
        return left_on(self.raw) + ([] if same else ["line discipline"])


def python_without_pip(folder: Path) -> Path:
    """The Python of these tests, into which nothing can be installed."""
    path = folder / "python-without-pip"
    path.write_text(f'#!/bin/sh\ncase "$*" in *"-m pip"*) exit 1;; esac\nexec {sys.executable} "$@"\n')
    path.chmod(0o755)
    return path


def app(folder: Path, size: tuple[int, int] = (120, 40), before: str = "", **more: str) -> RealTerminal:
    """The command on the sample; `before` is Python that its process executes first."""
    code = f"{before}\nfrom tui.cli import main\nmain()"
    words = ["--sample", "--any-host", "--python", str(python_without_pip(folder))]
    return RealTerminal([sys.executable, "-c", code, *words], environment(folder, **more), folder, size)
