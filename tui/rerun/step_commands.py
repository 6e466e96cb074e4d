"""Commands of a step: found by name, printed before they run, stopped with all that they started."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final

STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE_S: Final = 4.0
"""Seconds that a command has to end by itself; less than the time that the supervisor gives to the step."""
_TICK_S: Final = 0.1


@dataclass(slots=True)
class Stop:
    """Whether a signal asked the step to end."""

    number: int = 0
    """Of the signal; 0: none came."""

    @property
    def exit_code(self) -> int:
        """As a shell tells it."""
        return 128 + self.number


def find_program(name: str, environ: Mapping[str, str]) -> str | None:
    """The absolute path of `hf` or another program; None when there is none.

    `hf` comes with the app, so the one beside its Python is taken first: its version is known to work.
    """
    path = environ.get("PATH") or os.defpath
    if name == "hf":
        path = os.pathsep.join([str(Path(sys.executable).parent), path])
    found = shutil.which(name, path=path)
    return None if found is None else str(Path(found).absolute())


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Take the signals that end a step, in the main thread. `run` ends its command when one comes."""
    stop = Stop()

    # Nothing is raised: an exception between the start of a command and the next line would leave it behind.
    def take(number: int, _frame: FrameType | None) -> None:
        stop.number = number

    before = {number: signal.signal(number, take) for number in STOP_SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def say(line: str) -> None:
    """A line of the step's log, at once: the commands write to the same place."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def run(argv: Sequence[str], folder: Path, environ: Mapping[str, str], stop: Stop) -> int:
    """Run a command in `folder` without input; its exit code, 128 + the signal that ended it, or `stop`'s.

    126 when it cannot be started.
    """
    if stop.number:
        return stop.exit_code
    say(f"$ {shlex.join(argv)}")
    try:
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, cwd=folder, env=dict(environ), start_new_session=True)
    except OSError as error:
        say(f"{argv[0]}: {error.strerror}")
        return 126
    while not stop.number:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = child.wait(_TICK_S)
            return code if code >= 0 else 128 - code
    _end(child, stop.number)
    return stop.exit_code


def _end(child: subprocess.Popen[bytes], number: int) -> None:
    """Pass the signal on to the command and its children, and end what is left of them after GRACE_S seconds."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)
    deadline = time.monotonic() + GRACE_S
    # WNOWAIT leaves it a zombie: as long as it is one, nobody else gets the number of its group.
    while time.monotonic() < deadline and child.returncode is None:
        if os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            break
        time.sleep(_TICK_S)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
