"""Starting runs: how a supervisor is started, and what is told when there is none."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from run_folders import plan

from tui.errors import TrnModelsError
from tui.process import module_argv
from tui.rerun import identity, runs, start
from tui.rerun.identity import TOKEN_VARIABLE, Identity
from tui.rerun.runs import Result, Run, State
from tui.settings import Settings

STAND_IN = """
import json, os, pathlib, signal, sys, time
from tui.rerun import identity, runs
folder = pathlib.Path(sys.argv[1])
def note(name, value):
    (folder / (name + ".part")).write_text(json.dumps(value))
    (folder / (name + ".part")).rename(folder / name)
note("seen", {
    "stdin": os.fstat(0).st_rdev == os.stat(os.devnull).st_rdev, "cwd": os.getcwd(), "environ": dict(os.environ),
    "session": os.getsid(0) == os.getpid(), "process": identity.of(os.getpid()).values(),
})
"""
"""A supervisor that only notes what it was given."""

ON_ITS_OWN = """
signal.signal(signal.SIGTERM, lambda *_: (note("asked", True), os._exit(0)))
read, write = os.pipe()
if os.fork():
    os.read(read, 1)
    os._exit(0)
os.setsid()
runs.update_state(folder, state="running", supervisor=identity.of(os.getpid()).values())
os.write(write, b".")
while True:
    time.sleep(60)
"""


def seen(run: Run, name: str = "seen") -> Any:
    deadline = time.monotonic() + 20
    while not (run.folder / name).exists():
        assert time.monotonic() < deadline, f"{name} was not written"
        time.sleep(0.01)
    return json.loads((run.folder / name).read_text())


def kill(who: Identity | None) -> None:
    if who is not None and identity.alive(who):
        os.kill(who.pid, signal.SIGKILL)
        wait_until(lambda: not identity.alive(who))


def process_of(run: Run) -> Identity | None:
    """The process that the stand-in was started as."""
    return Identity.from_values(seen(run)["process"])


def wait_until(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def supervisor(monkeypatch, tmp_path, settings) -> Iterator[Callable[[str], None]]:
    """Puts a program in place of the supervisor; whatever of it lives at the end is killed."""

    def put(program: str) -> None:
        path = tmp_path / "stand_in.py"
        path.write_text(STAND_IN + program)
        monkeypatch.setattr(start, "module_argv", lambda _module, folder: [sys.executable, str(path), str(folder)])

    yield put
    for run in runs.every(settings):
        if (run.folder / "seen").exists():
            kill(process_of(run))
        kill(run.supervisor)


def only(settings: Settings) -> Run:
    (run,) = runs.every(settings)
    return run


# Starting


def test_a_started_run_is_handed_to_a_supervisor_with_no_terminal(settings, supervisor):
    supervisor(ON_ITS_OWN)
    run = start.start(settings, plan())
    assert (run.id, run.state) == (1, State.RUNNING)
    assert identity.alive(run.supervisor)
    told = seen(run)
    assert told["stdin"] and told["session"]
    assert told["cwd"] == str(run.folder)


def test_secrets_reach_the_supervisor_through_its_environment_only(settings, supervisor, monkeypatch):
    supervisor(ON_ITS_OWN)
    monkeypatch.setenv("INHERITED", "yes")
    monkeypatch.setenv(TOKEN_VARIABLE, "token of the run that this app was started by")
    run = start.start(settings, plan(hidden={"HF_TOKEN": "hf_abc"}, environment={"MY_KEY": "swordfish", "PLAIN": "1"}))
    environ = seen(run)["environ"]
    assert (environ["INHERITED"], environ["HF_TOKEN"], environ["MY_KEY"]) == ("yes", "hf_abc", "swordfish")
    assert "PLAIN" not in environ, "it is in recipe.json"
    assert TOKEN_VARIABLE not in environ
    recipe = (run.folder / "recipe.json").read_text()
    assert "hf_abc" not in recipe and "swordfish" not in recipe


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("sys.exit('warning\\nno pseudo terminal\\n\\n')", "no pseudo terminal"),
        ("sys.stderr.write('bad \\x1b]0;title\\x07 word'); sys.exit(1)", "bad"),
        ("os._exit(3)", "exit code 3"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "ended by SIGKILL"),
    ],
)
def test_a_supervisor_that_fails_is_told_and_written_down(settings, supervisor, program, reason):
    supervisor(program)
    with pytest.raises(TrnModelsError) as caught:
        start.start(settings, plan())
    run = only(settings)
    assert caught.value.title == "Run 1 could not be started"
    assert caught.value.detail.startswith(reason) and "\x1b" not in caught.value.detail
    assert str(run.folder) in caught.value.remedy
    assert (run.state, run.outcome.result) == (State.FINISHED, Result.NOT_STARTED)
    assert run.outcome.note == caught.value.detail


def test_a_supervisor_that_never_answers_is_ended_with_its_children(settings, supervisor, monkeypatch):
    supervisor(
        "pid = os.fork()\nif pid == 0: os.setsid()\nelse: note('child', identity.of(pid).values())\ntime.sleep(60)"
    )

    def no_answer(self: object, timeout: float) -> int:
        seen(only(settings), "child")
        monkeypatch.undo()
        raise subprocess.TimeoutExpired("supervisor", timeout)

    monkeypatch.setattr(subprocess.Popen, "wait", no_answer)
    with pytest.raises(TrnModelsError) as caught:
        start.start(settings, plan())
    run = only(settings)
    assert caught.value.detail == "no answer within 18 s"
    assert run.outcome.result is Result.NOT_STARTED
    child = Identity.from_values(seen(run, "child"))
    wait_until(lambda: not identity.alive(process_of(run)) and not identity.alive(child))


def test_a_python_that_is_gone_is_told_as_an_error(settings, monkeypatch):
    monkeypatch.setattr(start, "module_argv", lambda *_: ["/no/such/python"])
    with pytest.raises(TrnModelsError) as caught:
        start.start(settings, plan())
    assert caught.value.detail == "/no/such/python: No such file or directory"


def test_an_interrupted_start_starts_nothing(settings, supervisor, monkeypatch):
    supervisor("time.sleep(60)")

    def interrupted(self: object, timeout: float | None = None) -> int:
        seen(only(settings))
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        start.start(settings, plan())
    run = only(settings)
    assert (run.outcome.result, run.outcome.note) == (Result.NOT_STARTED, "its start was interrupted")
    wait_until(lambda: not identity.alive(process_of(run)))


# Through the user's service manager


@pytest.fixture
def systemd(monkeypatch, tmp_path) -> Callable[..., Path]:
    """Puts a systemd-run on PATH that notes its words in the returned file and then does as the given shell line."""
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr(start, "lingers", lambda: True)

    def put(line: str, *, listening: str | None = "bus") -> Path:
        folder, runtime = tmp_path / "bin", tmp_path / "runtime"
        folder.mkdir()
        (runtime / "systemd").mkdir(parents=True)
        words = tmp_path / "words"
        program = folder / "systemd-run"
        program.write_text(f'#!/bin/sh\necho "$*" >> {words}\n{line}\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
        if listening:
            # Relative: the path of a socket has at most 107 bytes.
            with monkeypatch.context() as patch, socket.socket(socket.AF_UNIX) as server:
                patch.chdir(runtime)
                server.bind(listening)
        return words

    return put


THROUGH = 'while [ "$1" != -- ]; do shift; done; shift; SCOPE=made exec "$@"'


@pytest.mark.parametrize("listening", ["bus", "systemd/private"])
def test_where_there_is_a_user_manager_the_supervisor_gets_a_scope_of_its_own(settings, supervisor, systemd, listening):
    supervisor(ON_ITS_OWN)
    words = systemd(f"export SCOPE=made; {THROUGH}", listening=listening)
    run = start.start(settings, plan())
    assert run.state is State.RUNNING
    assert seen(run)["environ"]["SCOPE"] == "made"
    (line,) = words.read_text().splitlines()
    assert line.startswith(f"--user --scope --quiet --collect -- {sys.executable} ")


def test_where_the_user_manager_refuses_the_supervisor_is_started_without(settings, supervisor, systemd):
    supervisor(ON_ITS_OWN)
    words = systemd("echo 'Failed to connect to bus: No medium found' >&2; exit 1")
    run = start.start(settings, plan())
    assert run.state is State.RUNNING
    assert "SCOPE" not in seen(run)["environ"]
    assert len(words.read_text().splitlines()) == 1


def test_where_the_user_manager_hangs_the_supervisor_is_started_without(settings, supervisor, systemd, monkeypatch):
    supervisor(ON_ITS_OWN)
    systemd("exec sleep 60")
    monkeypatch.setattr(start, "_SCOPE_WITHIN_S", 0.3)
    assert start.start(settings, plan()).state is State.RUNNING


def test_a_supervisor_that_began_in_its_scope_is_not_started_a_second_time(settings, supervisor, systemd):
    supervisor(ON_ITS_OWN)
    systemd('while [ "$1" != -- ]; do shift; done; shift; "$@"; exit 1')
    run = start.start(settings, plan())
    assert run.state is State.RUNNING
    assert seen(run)["environ"]["XDG_RUNTIME_DIR"]
    processes = [p for p in psutil.process_iter() if str(run.folder) in command_of(p)]
    assert [process.pid for process in processes] == [run.supervisor.pid]


def command_of(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@pytest.mark.parametrize("missing", ["socket", "folder"])
def test_without_a_user_manager_systemd_run_is_not_asked(settings, supervisor, systemd, monkeypatch, missing):
    supervisor(ON_ITS_OWN)
    words = systemd(THROUGH, listening=None)
    if missing == "folder":
        monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert start.start(settings, plan()).state is State.RUNNING
    assert not words.exists()


def test_a_scope_that_would_end_with_the_last_login_is_not_used(settings, supervisor, systemd, monkeypatch):
    supervisor(ON_ITS_OWN)
    words = systemd(THROUGH)
    monkeypatch.setattr(start, "lingers", lambda: False)
    assert start.start(settings, plan()).state is State.RUNNING
    assert not words.exists()


def test_a_failure_of_the_supervisor_itself_is_told_whichever_way_it_was_started(settings, supervisor, systemd):
    supervisor("sys.exit('no room')")
    systemd(THROUGH)
    with pytest.raises(TrnModelsError) as caught:
        start.start(settings, plan())
    assert caught.value.detail == "no room"


# Once more


def test_a_run_is_started_again_with_the_same_plan_and_its_own_folder(settings, supervisor):
    supervisor(ON_ITS_OWN)
    first = runs.create(settings, plan(argv=("python", "run.py", "--seconds", "1"), queue=True, cores=2))
    second = start.again(settings, first)
    assert (second.id, second.state) == (2, State.RUNNING)
    asked = runs.plan_of(first, queue=False)
    assert runs.plan_of(second) == asked and not asked.queue
    assert runs.plan_of(start.again(settings, first, queue=True)).queue


def test_a_run_with_secrets_is_started_again_only_where_they_are_set(settings, supervisor, monkeypatch):
    supervisor(ON_ITS_OWN)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    hidden = {"HF_TOKEN": "hf_old", "WANDB_API_KEY": "w_old"}
    first = runs.create(settings, plan(hidden=hidden, argv=("a", "--token=hf_old")))
    monkeypatch.setenv("WANDB_API_KEY", "w_new")
    with pytest.raises(TrnModelsError) as caught:
        start.again(settings, first)
    assert caught.value.title == "Run 1 cannot be started again as it was"
    assert caught.value.detail.startswith("HF_TOKEN: the value was not kept")
    assert [run.id for run in runs.every(settings)] == [1]
    monkeypatch.setenv("HF_TOKEN", "hf_new")
    second = start.again(settings, first)
    environ = seen(second)["environ"]
    assert (environ["HF_TOKEN"], environ["WANDB_API_KEY"]) == ("hf_new", "w_new")
    assert second.recipe["hidden"] == ["HF_TOKEN", "WANDB_API_KEY"]
    assert second.recipe["argv"] == ["a", "--token=(not kept: HF_TOKEN)"]


def test_the_supervisor_is_a_module_of_this_app():
    assert module_argv(start.SUPERVISOR, "x")[-1] == "x"
    assert "tui.rerun.supervisor" in " ".join(module_argv(start.SUPERVISOR))
