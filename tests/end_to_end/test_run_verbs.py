"""A record is run, watched, stopped and deleted from the command line alone: real supervisors, real processes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fake_hosts
import pytest

PASSES, FAILS, FOUR_CORES = "sample/Basalt-0.5B", "sample/Flint-1B", "sample/Quartz-8B-Instruct"
SAMPLE = ("--sample", "--any-host")
DEMONSTRATION = "demonstration script of the bundled sample: trains nothing, loads no model"


class Person:
    """Somebody who types commands, with folders of their own."""

    def __init__(self, environ: dict[str, str]) -> None:
        self.environ = environ

    def start(self, *words: str, **streams: Any) -> subprocess.Popen[str]:
        usual: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(
            [sys.executable, "-m", "tui", *words], env=self.environ, text=True, **{**usual, **streams}
        )

    def types(self, *words: str) -> subprocess.CompletedProcess[str]:
        with self.start(*words) as process:
            out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def runs(self) -> list[dict[str, Any]]:
        done = self.types("runs", "--format", "json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def until(self, number: int, *states: str) -> dict[str, Any]:
        """Wait until the run is in one of these states."""
        end = time.monotonic() + 30
        while True:
            run = next(run for run in self.runs() if run["id"] == number)
            if run["state"] in states:
                return run
            assert time.monotonic() < end, run
            time.sleep(0.05)


@pytest.fixture
def person(environ: dict[str, str], tmp_path: Path) -> Iterator[Person]:
    environ |= {"SAMPLE_SECONDS": "0.5", "TRN_MODELS_PYTHON": sys.executable}
    yield Person(environ)
    # What a failed test left running has the state folder of this test in its command line or environment.
    for state in tmp_path.glob("state/trn-models/runs/*/state.json"):
        values = json.loads(state.read_text())
        for pid in (values.get("main_pid"), (values.get("supervisor") or {}).get("pid")):
            with contextlib.suppress(ProcessLookupError, TypeError):
                os.kill(pid, signal.SIGKILL)


def read_until_it_works(follower: subprocess.Popen[str]) -> None:
    """Read the log on stdout up to the script's first line."""
    assert follower.stdout is not None
    assert f"{DEMONSTRATION}\n" in iter(follower.stdout.readline, "")


def test_a_run_shows_its_log_and_ends_with_its_exit_code(person: Person) -> None:
    passed = person.types("run", PASSES, *SAMPLE, "--yes")
    assert passed.returncode == 0, passed.stderr
    assert DEMONSTRATION in passed.stdout.splitlines()
    assert "result: pass (a demonstration: nothing was tested)" in passed.stdout.splitlines()
    assert "SHA-256" in passed.stderr
    assert "This run: done, exit code 0" in passed.stderr
    failed = person.types("run", FAILS, *SAMPLE, "--yes")
    assert failed.returncode == 1, failed.stderr
    assert "PermissionError" in failed.stdout
    assert "This run: failed, exit code 1" in failed.stderr
    shown = person.types("runs", "show", "2")
    assert shown.returncode == 0
    assert FAILS in shown.stdout
    assert "failed, exit code 1" in shown.stdout
    first, second = person.types("runs", "log", "2"), person.types("runs", "log", "2", "--follow")
    assert (first.returncode, second.returncode) == (0, 1)
    assert first.stdout == second.stdout == failed.stdout


def test_arguments_and_variables_reach_the_script_and_mark_the_run_as_edited(person: Person) -> None:
    person.environ["SAMPLE_SECONDS"] = "60"
    done = person.types("run", PASSES, *SAMPLE, "--yes", "--env", "NEW=1", "--", "--seconds", "0.2")
    assert done.returncode == 0, done.stderr
    assert [run["edited"] for run in person.runs()] == [True]


def test_a_detached_run_is_listed_followed_stopped_and_deleted(person: Person) -> None:
    person.environ["SAMPLE_SECONDS"] = "60"
    started = person.types("run", FOUR_CORES, *SAMPLE, "--yes", "--detach")
    assert started.returncode == 0, started.stderr
    assert started.stdout.splitlines()[0].startswith("run 1 is ")
    run = person.until(1, "running")
    assert (run["model_id"], run["exit_code"], run["kind"]) == (FOUR_CORES, None, "run")
    assert run["started_at"].endswith("Z")
    assert Path(run["folder"]).is_dir()
    with person.start("runs", "log", "1", "--follow") as follower:
        read_until_it_works(follower)
        refused = person.types("runs", "delete", "1", "--yes")
        assert refused.returncode == 2
        assert "not over" in refused.stderr
        stopped = person.types("runs", "stop", "1", "--yes")
        assert stopped.returncode == 0, stopped.stderr
        assert "run 1: stopped" in stopped.stderr
        follower.communicate(timeout=20)
        assert follower.returncode >= 128
    assert (person.runs()[0]["state"], person.runs()[0]["result"]) == ("finished", "stopped")
    assert person.types("runs", "delete", "1", "--yes").returncode == 0
    assert person.runs() == []
    assert not Path(run["folder"]).exists()


def test_a_detached_start_says_whether_it_runs_waits_or_got_no_cores(person: Person, tmp_path: Path) -> None:
    root = fake_hosts.trn2_3xlarge(tmp_path / "host")
    person.environ |= {"SAMPLE_SECONDS": "60", "TRN_MODELS_HOST_ROOT": str(root)}
    first = person.types("run", PASSES, *SAMPLE, "--yes", "--detach")
    assert (first.returncode, first.stdout.splitlines()[0]) == (0, "run 1 is running")
    refused = person.types("runs", "again", "1", "--yes", "--detach")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "run 2 was not started\n1 core needed, 0 not in use\n" in refused.stderr
    queued = person.types("runs", "again", "1", "--yes", "--detach", "--queue")
    assert (queued.returncode, queued.stdout.splitlines()[0]) == (0, "run 3 is waiting: 1 core needed, 0 not in use")
    for number in ("3", "1"):
        assert person.types("runs", "stop", number, "--yes").returncode == 0


def test_an_interrupted_follower_leaves_the_run_going(person: Person) -> None:
    person.environ["SAMPLE_SECONDS"] = "60"
    with person.start("run", PASSES, *SAMPLE, "--yes") as follower:
        read_until_it_works(follower)
        follower.send_signal(signal.SIGINT)
        _, err = follower.communicate(timeout=20)
    assert follower.returncode == 130
    assert "run 1 goes on" in err
    assert "trn-models runs stop 1" in err
    assert person.until(1, "running")["result"] is None
    assert person.types("runs", "stop", "1", "--yes").returncode == 0


def test_a_reader_that_stops_reading_ends_the_watching_silently_and_not_the_run(person: Person) -> None:
    person.environ["SAMPLE_SECONDS"] = "2"
    with person.start("run", PASSES, *SAMPLE, "--yes") as follower:
        read_until_it_works(follower)
        assert follower.stdout is not None
        assert follower.stderr is not None
        follower.stdout.close()
        follower.wait(20)
        assert "Error" not in follower.stderr.read()
    assert person.until(1, "finished")["exit_code"] == 0


def test_the_same_is_run_again(person: Person) -> None:
    assert person.types("run", PASSES, *SAMPLE, "--yes").returncode == 0
    again = person.types("runs", "again", "1", "--yes")
    assert again.returncode == 0, again.stderr
    assert DEMONSTRATION in again.stdout.splitlines()
    assert [run["id"] for run in person.runs()] == [2, 1]


def test_nothing_is_started_without_a_terminal_or_by_a_dry_run(person: Person) -> None:
    refused = person.types("run", PASSES, *SAMPLE)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--yes" in refused.stderr
    dry = person.types("run", PASSES, *SAMPLE, "--dry-run")
    assert (dry.returncode, dry.stderr) == (0, "")
    assert "the exact command" in dry.stdout
    assert "PATH=" in dry.stdout
    assert person.runs() == []


def test_off_a_trn2_host_it_says_why_it_does_not_run(person: Person) -> None:
    done = person.types("run", PASSES, "--sample", "--yes")
    assert done.returncode == 2
    assert "no Neuron device" in done.stderr
    assert "--any-host" in done.stderr
    assert person.runs() == []


@pytest.mark.parametrize(("answer", "code"), [("n\r", 130), ("\r", 130), ("\x03", 130), ("y\r", 0)])
def test_on_a_terminal_the_question_decides(person: Person, terminal: Any, answer: str, code: int) -> None:
    app = terminal("run", PASSES, *SAMPLE, SAMPLE_SECONDS="0.5", TRN_MODELS_PYTHON=sys.executable)
    app.until("Run it? [y/N]")
    assert "SHA-256" in app.text
    app.press(answer)
    assert app.ended(30) == code
    assert len(person.runs()) == (1 if code == 0 else 0)
    assert ("result: pass" in app.text) is (code == 0)
