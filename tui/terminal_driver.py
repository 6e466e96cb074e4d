"""The way to the terminal: only what is different is sent, and while a slow link has not taken it, nothing more.

The one place that stands between Textual's frames and the terminal. All else that Textual writes (modes, the title, a
copy) goes through as it is.
"""

from __future__ import annotations

import asyncio
import re
import signal
import threading
from collections.abc import Callable
from typing import IO, Any

from textual.drivers.linux_driver import LinuxDriver

from tui.screen_cells import Picture

_FRAME = re.compile(r"\x1b\[\d+;\d+H")
"""Each frame begins with a move."""
_SETTING = re.compile(
    r"""(?: \x1b\[ [?<>=] [\d;]* [$a-zA-Z]+  # a mode, or a question about one
        | \x1b\[ [\d;]* [nqtu]              # a report, the title's stack, keys
        | \x1b\] .*? (?:\x07 | \x1b\\)      # the title, a copy
        | \x1bP .* \x1b\\                   # a copy through a multiplexer
        | \x07 )*""",
    re.DOTALL | re.VERBOSE,
)
"""Modes, questions, the title, copies, the bell: nothing that changes what the cells show."""
_OTHER_SCREEN = "\x1b[?1049"
_SYNC_START, _SYNC_END = "\x1b[?2026h", "\x1b[?2026l"
"""Synchronized output (mode 2026): the terminal shows nothing of a frame before its end."""


class _Flushed:
    """The terminal's file, which tells how many texts are gone to the terminal."""

    def __init__(self, file: IO[str], gone: Callable[[int], None]) -> None:
        self._file = file
        self._gone = gone
        self._written = 0

    def write(self, text: str) -> int:
        self._written += 1
        return self._file.write(text)

    def flush(self) -> None:
        self._file.flush()
        self._gone(self._written)

    def fileno(self) -> int:
        return self._file.fileno()


class TerminalDriver(LinuxDriver):
    """Textual's driver with a picture of what the terminal shows.

    Frames change a second picture, of what it should show. When the terminal has taken what was sent, the difference
    of the two is sent: a terminal that is slow gets fewer frames, and always the last one.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._terminal: IO[str] = self._file  # type: ignore[assignment]
        # Textual writes also in signal handlers, which come in the middle of anything.
        self._lock = threading.RLock()
        self._shown, self._wanted = Picture(), Picture()
        self._handed_over = self._gone_out = 0
        self._sending = False
        self._synchronized = False

    def start_application_mode(self) -> None:
        """Begin, or begin anew after a suspension: what was handed over to an earlier writer is no matter any more."""
        with self._lock:
            self._forget()
            self._handed_over = self._gone_out = 0
            self._file = _Flushed(self._terminal, self._gone)  # type: ignore[assignment]
        super().start_application_mode()  # type: ignore[no-untyped-call]
        # Textual asks for the size in the handler itself: one in the middle of another told the last size first.
        on_resize = signal.getsignal(signal.SIGWINCH)
        if callable(on_resize):
            asyncio.get_running_loop().add_signal_handler(signal.SIGWINCH, on_resize, signal.SIGWINCH, None)

    def write(self, data: str) -> None:
        """Send it; of a frame what is new in it, at once or when the terminal is ready."""
        if data in (_SYNC_START, _SYNC_END):
            self._synchronized = True
            return
        with self._lock:
            if _FRAME.match(data):
                if self._wanted.draw(data):
                    data = "" if self._sending or self._handed_over > self._gone_out else self._change()
                else:
                    data = self._change() + self._together(data)
                    self._forget()
            elif data.startswith(_OTHER_SCREEN):
                self._forget()
            elif not _SETTING.fullmatch(data):
                data = self._change() + data
                self._forget()
            if not data:
                return
            self._handed_over += 1
        super().write(data)

    def draw_anew(self, width: int, height: int) -> None:
        """Nothing is known of what the terminal shows: with the next frame all of it is sent."""
        with self._lock:
            self._shown.forget()
            self._wanted.crop(width, height)

    def _change(self) -> str:
        return self._together(self._shown.change(self._wanted))

    def _together(self, text: str) -> str:
        return f"{_SYNC_START}{text}{_SYNC_END}" if text and self._synchronized else text

    def _forget(self) -> None:
        self._shown.forget()
        self._wanted.forget()

    def _gone(self, texts: int) -> None:
        """In the thread that writes: so many texts are gone. What was drawn meanwhile follows."""
        while True:
            with self._lock:
                self._gone_out = texts
                self._sending = False
                if self._handed_over > self._gone_out or not (change := self._change()):
                    return
                self._sending = True
            self._terminal.write(change)
            self._terminal.flush()
