"""Writing to the two streams: data on stdout, the rest on stderr, in what their encoding can show."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TextIO

from tui.terminal_text import clean

_PLAIN = str.maketrans({"–": "-", "…": "~", "·": "-", "«": '"', "»": '"', "●": "*", "✗": "x"})


def write(text: str, stream: TextIO | None, *, ascii_only: bool = False) -> None:
    """Write clean text; signs that the stream cannot encode become ASCII ones, other characters `?`.

    A stream that was closed before the start (`None`) takes nothing.
    """
    if stream is None:
        return
    encoding = stream.encoding or "ascii"
    if ascii_only:
        text = text.translate(_PLAIN)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_PLAIN).encode(encoding, errors="replace").decode(encoding)
    stream.write(text)


def write_bytes(chunks: Iterable[bytes]) -> None:
    """Write to stdout exactly these bytes, whatever its encoding, as far as somebody reads them.

    Nothing where it was closed before the start. Raises `OSError` of a full disk.
    """
    stream = sys.stdout
    if stream is None:
        return
    let_ctrl_c_interrupt()
    with as_far_as_read():
        stream.flush()
        for chunk in chunks:
            stream.buffer.write(chunk)
        stream.buffer.flush()


@contextmanager
def as_far_as_read() -> Iterator[None]:
    """A block that writes to stdout and ends early when nobody reads on (`| head -1`); the command goes on.

    It has an exit code to find, which is no other because of that.
    """
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        lead_nowhere("stdout")


def lead_nowhere(name: str) -> None:
    """Let `stdout` or `stderr` swallow everything from now on when what it holds cannot be written."""
    stream = getattr(sys, name)
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if nowhere != stream.fileno():  # it is where the stream's own was closed
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def say(*sentences: str) -> None:
    """Tell a person on stderr, a line for each sentence that is not empty; nothing where it cannot be written."""
    _tell("".join(f"{clean(part, newlines=True)}\n" for part in sentences if part))


def _tell(text: str) -> None:
    """Write to stderr at once. One that is full or closed takes nothing: the answer on stdout does not need it."""
    try:
        write(text, sys.stderr)
        if sys.stderr is not None:
            sys.stderr.flush()
    except OSError:
        lead_nowhere("stderr")


def is_terminal(stream: TextIO | None) -> bool:
    """Whether the stream is open and leads to a terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def can_place_text(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether TERM leaves it open that text can be put anywhere on the screen; these two names say that it cannot."""
    return environ.get("TERM", "").casefold() not in {"dumb", "unknown"}


def let_ctrl_c_interrupt() -> None:
    """Let Ctrl+C end a read or write that waits, also after polars was loaded.

    Its handler of SIGINT has SA_RESTART: the system call would go on, and Python hears of the signal after it.
    """
    signal.siginterrupt(signal.SIGINT, True)


class Progress:
    """One line on stderr that is written over; nothing where stderr is no terminal that can do that."""

    def __init__(self) -> None:
        self._moving = is_terminal(sys.stderr) and can_place_text()
        self._shown = False

    def __call__(self, text: str) -> None:
        """Show `text` instead of what was shown before."""
        if self._moving:
            from tui.export import cut  # not at each start

            line = cut(clean(text), shutil.get_terminal_size().columns - 1)
            _tell(f"\r\x1b[K{line}")
            self._shown = True

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            _tell("\r\x1b[K")
