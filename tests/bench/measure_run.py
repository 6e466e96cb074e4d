"""The log of a run whose script prints 50,000 lines at once."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import screens
from baselines import echoes
from datasets import BURST_MODEL
from measure_keys import REST_S
from results import Results
from surroundings import ROOT, Surroundings, app
from terminal import Terminal

KEY_AFTER_S = (0.05, 0.1, 0.2)
"""PageUp, which stops following the end, is pressed so long after the beginning of a burst; one key in each."""


def log(into: Results, given: Surroundings) -> None:
    """One burst that is only watched, and some with a key meanwhile."""
    for echo in echoes(given.environ, ROOT):
        into.add("E", echo.seconds)
    with tempfile.TemporaryDirectory() as temporary, _opened_log(given, Path(temporary)) as terminal:
        folder = Path(temporary)
        began, sent = _go(terminal, folder, 1), terminal.sent_in_all
        terminal.shown(screens.has("burst 1 is over"))
        over = _over(folder, 1)
        shown = terminal.replayed(screens.has("burst 1 is over"), began)
        assert shown is not None
        into.add("burst shown", max(began + shown - over, 0.0))
        into.add("burst printed in", over - began)
        terminal.until_silent(1.0)
        into.add("burst bytes", terminal.sent_in_all - sent)
        for turn, after_s in enumerate(KEY_AFTER_S, 2):
            _go(terminal, folder, turn)
            time.sleep(after_s)
            terminal.key(screens.PAGE_UP)
            pressed = terminal.since
            _over(folder, turn)
            terminal.until_silent(1.0)
            answered = terminal.replayed(screens.has("paused"), pressed)
            assert answered is not None, terminal.text
            into.add("burst key", answered)
            terminal.key("G")
            terminal.shown(screens.has(f"burst {turn} is over", "following"))


def _go(terminal: Terminal, folder: Path, turn: int) -> float:
    terminal.mark()
    (folder / f"go-{turn}").touch()
    return terminal.since


def _over(folder: Path, turn: int) -> float:
    """When the script had written its last line, in this process's clock: CLOCK_MONOTONIC is that of the machine."""
    path, deadline = folder / f"over-{turn}", time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return float(path.read_text())


@contextlib.contextmanager
def _opened_log(given: Surroundings, folder: Path) -> Iterator[Terminal]:
    """The app in the log of a run that waits for the sign; the run is over afterwards."""
    environ = {**given.environ, "BENCH_FOLDER": str(folder), "XDG_STATE_HOME": str(folder / "state")}
    words = app("--offline", "--any-host", "--search", BURST_MODEL.casefold())
    try:
        with Terminal(words, environ, ROOT) as terminal:
            terminal.shown(screens.has(BURST_MODEL))
            terminal.until_silent(1.0)
            for key, words_then in (("r", "Checklist"), ("r", "No"), ("y", "waiting for a sign")):
                terminal.key(key)
                terminal.shown(screens.has(words_then))
                terminal.until_silent(REST_S)
            yield terminal
            (folder / "end").touch()
            terminal.shown(screens.has("exit code 0"))
    finally:
        (folder / "end").touch()
        time.sleep(0.5)
        _kill_rest(folder)


def _kill_rest(folder: Path) -> None:
    for state in folder.glob("state/trn-models/runs/*/state.json"):
        values = json.loads(state.read_text())
        for pid in (values.get("main_pid"), (values.get("supervisor") or {}).get("pid")):
            if isinstance(pid, int) and str(folder).encode() in _environ_of(pid):
                os.kill(pid, signal.SIGKILL)


def _environ_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
