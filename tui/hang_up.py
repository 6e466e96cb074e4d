"""The end from outside: a signal, or a terminal that is gone. It comes also while the event loop is held up.

The loop may wait for a terminal that takes no more output, so nothing here needs it: Python runs a signal handler also
in the middle of such a wait, and a thread of its own looks for the terminal.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import termios
import threading
import time
from collections.abc import Callable
from types import FrameType

log = logging.getLogger(__name__)

LOOK_EVERY_S = 2.0

LEAVE_WITHIN_S = 1.0
"""The app has this long to end in order, then the process ends under it."""


RESTORE_WITHIN_S = 0.3
"""And this long to give the terminal back, which may take nothing any more."""


def watch(leave: Callable[[int], None], restore: Callable[[], None], *, terminal: bool) -> None:
    """Call `leave(exit code)` once, from any thread, on SIGHUP, SIGTERM, or when the terminal of stdin is gone.

    `restore` gives the terminal back when the app does not end in time. `terminal` is False where there is none to
    lose; where there is one, SIGINT counts too: its keys send none. To be called in the main thread; elsewhere signals
    stay as they are.
    """
    told = threading.Event()

    def end(code: int) -> None:
        if not told.is_set():
            told.set()
            threading.Thread(target=_exit_after, args=(LEAVE_WITHIN_S, restore, code), daemon=True).start()
            leave(code)

    def on_signal(number: int, _frame: FrameType | None) -> None:
        end(128 + number)

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGHUP, signal.SIGTERM, *([signal.SIGINT] if terminal else [])):
            signal.signal(number, on_signal)
    if terminal:
        threading.Thread(target=_look_for_terminal, args=(end,), name="terminal", daemon=True).start()


def _look_for_terminal(end: Callable[[int], None]) -> None:
    """A terminal that is gone without a SIGHUP leaves Textual's input thread spinning."""
    while True:
        time.sleep(LOOK_EVERY_S)
        try:
            termios.tcgetattr(sys.__stdin__.fileno())  # type: ignore[union-attr]
        except (termios.error, OSError, ValueError, AttributeError):
            log.warning("the terminal is gone")
            end(128 + signal.SIGHUP)
            return


def _exit_after(seconds: float, restore: Callable[[], None], code: int) -> None:
    time.sleep(seconds)
    restoring = threading.Thread(target=restore, daemon=True)
    restoring.start()
    restoring.join(RESTORE_WITHIN_S)
    os._exit(code)
