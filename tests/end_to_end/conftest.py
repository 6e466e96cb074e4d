"""The command in a real pseudo-terminal, its screen kept by a terminal emulator."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pyte
import pytest
from other_user import Person


class Terminal:
    """A running `python -m tui` and the screen that it draws."""

    def __init__(
        self, arguments: list[str], environ: dict[str, str], size: tuple[int, int], person: Person | None = None
    ) -> None:
        """As another user when `person` is given."""
        columns, rows = size
        self.raw = ""
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.Stream(self.screen)
        self.process = pexpect.spawn(
            person.python if person else sys.executable, ["-m", "tui", *arguments], env=environ,
            dimensions=(rows, columns), encoding="utf-8", codec_errors="replace", timeout=20,
            preexec_fn=person.become if person else None, cwd="/" if person else None,
        )  # fmt: skip

    def read(self, seconds: float) -> None:
        """Take in what comes within this time."""
        try:
            text = self.process.read_nonblocking(65536, timeout=seconds)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return
        self.raw += text
        self.stream.feed(text)

    @property
    def text(self) -> str:
        """The screen as text."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, words: str, seconds: float = 20) -> None:
        """Wait until the screen says this."""
        end = time.monotonic() + seconds
        while words not in self.text:
            if time.monotonic() > end or not self.process.isalive():
                raise AssertionError(f"«{words}» is not on the screen:\n{self.text}")
            self.read(0.1)

    def press(self, keys: str) -> None:
        """Type."""
        self.process.send(keys)

    def ended(self, seconds: float = 10) -> int:
        """Wait for the end; the exit code, negative for a signal."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.05)
            if not self.process.isalive():
                self.read(0.05)
                code = self.process.exitstatus
                return code if code is not None else -(self.process.signalstatus or 0)
        raise AssertionError(f"still running after {seconds} s:\n{self.text}")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The environment of a person whose folders are this test's own and whom no network answers."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "HF_HOME": str(tmp_path / "huggingface"),
        "HF_ENDPOINT": "http://127.0.0.1:9",
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }


@pytest.fixture
def terminal(environ: dict[str, str]) -> Iterator[Callable[..., Terminal]]:
    """`terminal("--sample", size=(80, 24))` starts the command; what still runs at the end is killed."""
    started: list[Terminal] = []

    def start(
        *arguments: str, size: tuple[int, int] = (120, 40), person: Person | None = None, **more: str
    ) -> Terminal:
        started.append(Terminal(list(arguments), {**environ, **more}, size, person))
        return started[-1]

    yield start
    for each in started:
        if each.process.isalive():
            each.process.kill(signal.SIGKILL)
        each.process.close(force=True)
