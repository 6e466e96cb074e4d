"""The way to the terminal: only what is different is sent, and while a slow link has not taken it, nothing more.

The one place that stands between Textual's frames and the terminal. All else that Textual writes (modes, the title, a
copy) goes through as it is.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import select
import signal
import termios
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

from textual.drivers.linux_driver import LinuxDriver

from tui.job_control import shell_can_resume
from tui.screen_cells import Picture
from tui.terminal_input import read_until

log = logging.getLogger(__name__)

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
_PIXELS_OFF = "\x1b[?1016l"
_ALL_OFF = (
    "\x1b\\\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[?2048l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l"
    f"{_PIXELS_OFF}\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l"
)
"""Ends what may be half written, then every mode that this driver and Textual's switch on."""


class _Flushed:
    """The terminal's file, which tells how many texts are gone to the terminal; one that is gone takes all."""

    def __init__(self, file: IO[str], gone: Callable[[int], None]) -> None:
        self._file = file
        self._gone = gone
        self._written = 0

    def write(self, text: str) -> int:
        self._written += 1
        with suppress(OSError):  # it is about to end: nothing may wait for this thread
            self._file.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
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
        self._started = False
        for number in (signal.SIGTSTP, signal.SIGCONT):
            signal.signal(number, signal.SIG_DFL)  # until there is something to put away first

    def start_application_mode(self) -> None:
        """Begin, or begin anew after a suspension: what was handed over to an earlier writer is no matter any more."""
        self._wait_for_foreground()
        with self._lock:
            self._forget()
            self._handed_over = self._gone_out = 0
            self._file = _Flushed(self._terminal, self._gone)  # type: ignore[assignment]
        super().start_application_mode()  # type: ignore[no-untyped-call]
        # Textual asks for the size in the handler itself: one in the middle of another told the last size first.
        on_resize = signal.getsignal(signal.SIGWINCH)
        if callable(on_resize):
            asyncio.get_running_loop().add_signal_handler(signal.SIGWINCH, on_resize, signal.SIGWINCH, None)
        # In the loop too: a handler that comes in the middle of a write would wait for itself.
        asyncio.get_running_loop().add_signal_handler(signal.SIGTSTP, self._stop_here)
        asyncio.get_running_loop().add_signal_handler(signal.SIGCONT, self._continued)
        self._started = True

    def stop_application_mode(self) -> None:
        """Give the terminal back; from now on signals that stop and continue have their plain meaning."""
        if self._started:
            self._started = False
            for number in (signal.SIGTSTP, signal.SIGCONT):
                asyncio.get_running_loop().remove_signal_handler(number)
        super().stop_application_mode()

    def restore_at_once(self) -> None:
        """Give the terminal back from any thread, without waiting for anything that may hang."""
        if not self._started:
            return
        with suppress(OSError, ValueError, termios.error):
            if self.attrs_before is not None:
                termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)
            if select.select([], [self._terminal.fileno()], [], 0)[1]:
                os.write(self._terminal.fileno(), _ALL_OFF.encode())

    def run_input_thread(self) -> None:
        """Textual's ends the app at a byte that is no UTF-8, and spins when the terminal is gone."""
        if not read_until(self.exit_event, self.fileno, self.process_message):
            log.warning("nothing more comes from the terminal")
            os.kill(os.getpid(), signal.SIGHUP)

    def _disable_mouse_support(self) -> None:
        super()._disable_mouse_support()
        if self._mouse_pixels:
            self.write(_PIXELS_OFF)

    # Stopping and going on

    def _wait_for_foreground(self) -> None:
        """The kernel stops a job that changes a terminal of another one, unless nobody could bring it back."""
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        with suppress(termios.error):
            termios.tcsetattr(self.fileno, termios.TCSANOW, termios.tcgetattr(self.fileno))

    def _stop_here(self) -> None:
        """Put everything away and stop with the whole job, as a terminal's own Ctrl+Z does; back here after `fg`."""
        if not self._started:
            return  # it is ending
        if not shell_can_resume():
            log.warning("not stopped: no shell could bring the app back")
            return
        self.suspend_application_mode()
        os.killpg(os.getpgrp(), signal.SIGTSTP)
        self._begin_again()

    def _continued(self) -> None:
        """Something stopped it that cannot be noticed (SIGSTOP): what the terminal shows and does is not known."""
        if not self._started:
            return  # it is ending
        self._wait_for_foreground()
        self.suspend_application_mode()
        self._begin_again()

    def _begin_again(self) -> None:
        self._must_signal_resume = True
        self.resume_application_mode()

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
