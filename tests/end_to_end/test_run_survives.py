"""A run outlives the terminal that it was started from, and the next app finds it."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import psutil
import pytest

LONG = {"SAMPLE_SECONDS": "60"}
SHORT = {"SAMPLE_SECONDS": "1"}


def processes_of(home: str) -> list[psutil.Process]:
    """Everything that has this home in its environment, the tests' own processes aside."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("HOME") == home and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


@pytest.fixture
def home(environ):
    yield environ["HOME"]
    for process in processes_of(environ["HOME"]):
        try:
            process.kill()
        except psutil.Error:
            continue


def start_a_run(app) -> None:
    app.until("PASS")
    app.press("/quartz-8b-instruct\r")
    app.until("1 of")
    app.press("r")
    app.until("Fetch weights", 30)
    app.press("r")
    app.until("Run sample/Quartz-8B-Instruct here?", 30)
    app.press("y")
    app.until("loads no model", 30)


def test_a_run_goes_on_when_the_terminal_closes_and_a_new_app_finds_and_stops_it(terminal, home):
    app = terminal("--sample", "--any-host", **LONG)
    start_a_run(app)
    app.process.ptyproc.fileobj.close()
    app.process.ptyproc.closed = app.process.ptyproc.terminated = True
    began = time.monotonic()
    while psutil.pid_exists(app.process.pid) and psutil.Process(app.process.pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() - began < 5
        time.sleep(0.05)
    assert any("run.py" in " ".join(process.cmdline()) for process in processes_of(home))
    other = terminal("--sample", "--any-host", **LONG)
    other.until("run 1 · Quartz-8B-Instruct")
    other.press("R")
    other.until("1 going on")
    other.press("\r")
    other.until("loads no model")
    other.press("s")
    other.until("Stop run 1?")
    other.press("y")
    other.until("This run: stopped", 60)
    assert not any("run.py" in " ".join(process.cmdline()) for process in processes_of(home))
    other.press("q")
    other.until("Runs")
    other.press("qq")
    assert other.ended() == 0


def test_a_hangup_while_the_log_is_open_ends_the_app_and_not_the_run(terminal, home):
    app = terminal("--sample", "--any-host", **LONG)
    start_a_run(app)
    app.process.kill(signal.SIGHUP)
    assert app.ended(5) == 129
    assert any("run.py" in " ".join(process.cmdline()) for process in processes_of(home))


def test_the_demonstration_runs_to_its_end_and_is_compared_with_the_record(terminal, home):
    app = terminal("--sample", "--any-host", **SHORT)
    start_a_run(app)
    app.until("exit code 0", 60)
    app.until("Recorded: PASS")
    app.press("q")
    app.until("SAMPLE DATA")
    app.press("q")
    assert app.ended() == 0
    folders = list((Path(home) / "state/trn-models/runs").glob("[0-9]*"))
    assert len(folders) == 1
    names = {path.name for path in folders[0].iterdir()}
    assert {"run.py", "recipe.json", "log", "state.json", "outcome.json"} <= names
