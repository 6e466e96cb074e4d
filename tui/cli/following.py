"""The log of a run on stdout: raw where it leads to a file or pipe, clean lines on a terminal; once, or as it grows."""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tui.cli.output import can_place_text, is_terminal, lead_nowhere, let_ctrl_c_interrupt, say, write
from tui.errors import UsageError
from tui.export import cut
from tui.rerun import runs
from tui.rerun.log_lines import Line, LogLines
from tui.rerun.run_log import LogReader, whole
from tui.rerun.runs import Run, State

POLL_S = 0.2
BEGINS_WITHIN_S = 10.0
"""A supervisor looks at the devices before it starts anything; that takes longer where neuron-ls hangs."""
_PIECE_BYTES = _UNFINISHED_BYTES = 1 << 20
"""A line that is longer is shown in pieces: memory stays bounded."""
_SGR = re.compile(r"[0-9;:]*")
_BATCH_LINES = 50_000
_BEGUN_POLL_S = 0.05


def show_whole(folder: Path) -> None:
    """Write the log as it is now to stdout."""
    shown = _shown_log()
    data = whole(folder)
    for start in range(0, len(data), _PIECE_BYTES):
        shown.show(data[start : start + _PIECE_BYTES])
    shown.finish()


def follow(run: Run, *, poll_s: float = POLL_S) -> Run:
    """Write the log to stdout until the run is over; the run as it then is.

    What it waits for is told on stderr. Ctrl+C raises KeyboardInterrupt and leaves the run as it is. Raises
    `UsageError` when stdout cannot be written, and `BrokenPipeError` when nobody reads on.
    """
    let_ctrl_c_interrupt()
    shown, told = _shown_log(), ""
    reader = LogReader(run.folder)
    while True:
        # First the state, then the log: what was written before the end is read after it was seen.
        run = runs.read(run.folder)
        if run.state is State.WAITING and run.waiting_for and run.waiting_for != told:
            told = run.waiting_for
            say(f"run {run.id} waits: {told}")
        while data := reader.read():
            with _telling_of(run):
                shown.show(data)
        if not run.live:
            with _telling_of(run):
                shown.finish()
            return run
        time.sleep(poll_s)


def until_begun(run: Run, *, within_s: float = BEGINS_WITHIN_S) -> Run:
    """The run as soon as it runs, waits in the queue, or is over; as it is after `within_s` seconds at the latest."""
    deadline = time.monotonic() + within_s
    while run.state is State.WAITING and not (run.waiting_for and run.recipe.get("queue") is True):
        if time.monotonic() > deadline:
            break
        time.sleep(_BEGUN_POLL_S)
        run = runs.read(run.folder)
    return run


@contextmanager
def _telling_of(run: Run) -> Iterator[None]:
    """A block that writes to stdout: when that fails, what becomes of the run is told."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        lead_nowhere("stdout")
        goes_on = f"; run {run.id} goes on" if run.live else ""
        reason = error.strerror or os.strerror(error.errno or errno.EIO)
        raise UsageError(
            f"stdout cannot be written{goes_on}", f"{reason}.", f"Read its log: trn-models runs log {run.id}"
        ) from error


class RawLog:
    """Passes bytes of a log on as they are; nowhere when stdout was closed before the start."""

    def show(self, data: bytes) -> None:
        """Write more bytes."""
        if sys.stdout is not None:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()

    def finish(self) -> None:
        """Nothing follows."""


class TerminalLog:
    """Shows bytes of a log on a terminal as lines: nothing but colours acts there.

    The line that has not ended yet, such as a progress bar, is shown as well and written over; not on a terminal
    that cannot move (`moving`).
    """

    def __init__(self, *, moving: bool, colours: bool) -> None:
        self._moving = moving
        self._colours = colours and moving
        self._unfinished = b""
        self._shown = False

    def show(self, data: bytes) -> None:
        """Show more bytes."""
        ended, end, self._unfinished = (self._unfinished + data).rpartition(b"\n")
        if len(self._unfinished) > _UNFINISHED_BYTES:
            ended, end, self._unfinished = ended + end + self._unfinished, b"\n", b""
        self._write(ended + end, self._unfinished)

    def finish(self) -> None:
        """Nothing follows: what is unfinished is a line."""
        if self._unfinished:
            self._write(self._unfinished + b"\n", b"")
            self._unfinished = b""

    def _write(self, ended: bytes, unfinished: bytes) -> None:
        text = "\r\x1b[K" if self._shown else ""
        text += "".join(f"{self._drawn(line)}\n" for line in _lines(ended))
        self._shown = bool(unfinished) and self._moving
        if self._shown:
            last = [Line(""), *_lines(unfinished)][-1]
            room = shutil.get_terminal_size().columns - 1
            text += self._drawn(Line(cut(last.text, room), last.spans))
        write(text, sys.stdout)
        sys.stdout.flush()

    def _drawn(self, line: Line) -> str:
        if not self._colours:
            return line.text
        parts, end = [], 0
        for first, last, colour in line.spans:
            if _SGR.fullmatch(colour) and end <= first < last:
                parts += [line.text[end:first], f"\x1b[{colour}m", line.text[first:last], "\x1b[0m"]
                end = last
        return "".join([*parts, line.text[end:]])


def _shown_log() -> RawLog | TerminalLog:
    if is_terminal(sys.stdout):
        return TerminalLog(moving=can_place_text(), colours=not os.environ.get("NO_COLOR"))
    return RawLog()


def _lines(data: bytes) -> Sequence[Line]:
    lines = LogLines(head=_BATCH_LINES, tail=_BATCH_LINES)
    lines.feed(data)
    return [lines[index] for index in range(len(lines))]
