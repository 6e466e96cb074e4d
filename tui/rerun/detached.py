"""A process that outlives the terminal: its own session, parent of all orphans below it, woken by signals."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import select
import signal
import sys
from collections.abc import Callable
from types import FrameType

log = logging.getLogger(__name__)

_PR_SET_CHILD_SUBREAPER = 36
"""linux/prctl.h, since Linux 3.4."""
_MOST_DESCRIPTORS = 1 << 20
"""fs.nr_open as Linux has it; a process may have been allowed fewer after it opened more."""


def detach(work: Callable[[Callable[[], None]], None]) -> int:
    """Do `work` in a child with a session of its own; the parent returns when the child calls what `work` is given.

    0: it did. 1: it ended before, and one line on stderr says why. The child has /dev/null for stdin, stdout and
    stderr, no other descriptor of its parent, no blocked signal, and adopts orphans.
    """
    read_end, write_end = os.pipe()
    if os.fork():
        os.close(write_end)
        with os.fdopen(read_end, "rb") as pipe:
            said = pipe.read()
        if said == b"ready":
            return 0
        sys.stderr.write(f"{said.decode('utf-8', 'replace') or 'the supervisor ended at once'}\n")
        return 1
    os.close(read_end)
    code, waits = 1, True

    def tell(text: bytes) -> None:
        nonlocal waits
        if waits:
            waits = False
            with contextlib.suppress(OSError):
                # Somebody may have ended the parent meanwhile.
                os.write(write_end, text)
            os.close(write_end)

    try:
        _leave_all_behind(write_end)
        work(lambda: tell(b"ready"))
        code = 0
    except BaseException as error:
        # Nobody is above: the parent's code must not go on in this process, whatever happened.
        log.exception("the supervisor failed")
        tell(" ".join(str(error).split() or [type(error).__name__]).encode("utf-8", "replace"))
    finally:
        os._exit(code)


def _leave_all_behind(keep: int) -> None:
    """All but one descriptor, which is above 2."""
    os.setsid()
    with contextlib.suppress(OSError, AttributeError):
        # Where there is no such call, processes that detach themselves are found by their environment only.
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.closerange(3, keep)
    os.closerange(keep + 1, _MOST_DESCRIPTORS)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


class Alarm:
    """Waits that a signal ends early: SIGTERM asks for a stop, SIGCHLD tells of a child's end."""

    def __init__(self) -> None:
        """Takes over the signals of this process; only in its main thread."""
        self.stop_asked = False
        self._read_end, write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        os.set_blocking(write_end, False)
        # Handlers, as an ignored signal would stay ignored in what is started; a handler does not.
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGCHLD):
            signal.signal(number, self._noticed)
        signal.signal(signal.SIGTERM, self._stop)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)

    def wait(self, seconds: float) -> None:
        """Returns after so many seconds, or at once when a signal arrives, or has arrived since the last call."""
        if select.select([self._read_end], [], [], max(seconds, 0.0))[0]:
            with contextlib.suppress(BlockingIOError):
                os.read(self._read_end, 4_096)

    def _noticed(self, number: int, frame: FrameType | None) -> None:
        pass

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.stop_asked = True
