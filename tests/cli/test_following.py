"""The log of a run on stdout, and how long a start is waited for."""

from __future__ import annotations

import fcntl
import io
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from tui.cli import following
from tui.cli.following import TerminalLog
from tui.errors import UsageError
from tui.rerun import runs
from tui.rerun.plan import Kind
from tui.rerun.runs import Run, State


def run_7(state: State = State.RUNNING) -> Run:
    folder, now = Path("/runs/7"), datetime.now(UTC)
    return Run(id=7, folder=folder, kind=Kind.RUN, model_id="acme/Model-8B", state=state, created_at=now)


def test_a_look_at_the_devices_that_hangs_does_not_hold_a_detached_start_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runs, "read", lambda folder: run_7(State.WAITING))
    assert following.until_begun(run_7(State.WAITING), within_s=0.1).state is State.WAITING


def test_a_stdout_that_cannot_be_written_ends_the_watching_with_2_and_not_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        monkeypatch.setattr(runs, "read", lambda folder: run_7())
        monkeypatch.setattr(following, "LogReader", lambda folder: SimpleNamespace(read=lambda: b"line\n"))
        with pytest.raises(UsageError) as raised:
            following.follow(run_7())
    assert raised.value.title == "stdout cannot be written; run 7 goes on"
    assert raised.value.exit_code == 2


# the log on a terminal


def on_a_terminal(*pieces: bytes, moving: bool = True, colours: bool = True, finish: bool = True) -> str:

    written = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    log = TerminalLog(moving=moving, colours=colours)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", written)
        for piece in pieces:
            log.show(piece)
        if finish:
            log.finish()
    written.flush()
    return written.buffer.getvalue().decode()


def test_colours_stay_and_no_other_escape_acts_on_the_terminal() -> None:
    shown = on_a_terminal(b"\x1b]0;title\x07a \x1b[31mred\x1b[0m line\x1b[2J\n")
    assert shown == "a \x1b[31mred\x1b[0m line\n"
    assert on_a_terminal(b"\x1b[31mred\x1b[0m\n", colours=False) == "red\n"


def test_a_progress_bar_is_shown_as_it_moves_and_stays_one_line() -> None:
    shown = on_a_terminal(b"\r 50% half", b"\r100% whole", b"\nnext\n")
    assert shown == " 50% half\r\x1b[K100% whole\r\x1b[K100% whole\nnext\n"


def test_a_terminal_that_cannot_move_gets_whole_lines_only() -> None:
    assert on_a_terminal(b"\r 50%", b"\r100%", moving=False, finish=False) == ""
    assert on_a_terminal(b"\r 50%", b"\r100%", moving=False) == "100%\n"


def test_a_line_and_a_character_may_come_in_pieces() -> None:
    assert on_a_terminal(b"caf\xc3", b"\xa9\n\nlast", moving=False) == "café\n\nlast\n"


def test_a_line_without_an_end_is_shown_in_pieces_and_not_kept() -> None:
    shown = on_a_terminal(*[b"x" * 300_000] * 5, moving=False, finish=False)
    assert shown.startswith("xxx")


def test_ctrl_c_ends_a_write_that_waits_also_after_polars_was_used(
    wait_until: Callable[[Callable[[], object]], None],
) -> None:
    program = (
        "import os, polars as pl\nfrom tui.cli.output import let_ctrl_c_interrupt\n"
        "pl.DataFrame({'a': [1]}).lazy().filter(pl.col('a') > 0).collect()\n"
        "let_ctrl_c_interrupt()\nos.write(1, b'x' * 65_536)\nos.write(1, b'the pipe is full')"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        pipe = process.stdout.fileno()
        wait_until(lambda: struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0] >= 65_536)
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(10) != 0
        finally:
            process.kill()
