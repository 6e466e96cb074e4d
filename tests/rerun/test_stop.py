"""From start to stop with real processes: live runs, lost ones, and those that are over."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest
from run_folders import GONE, end, plan

from tui.errors import TrnModelsError
from tui.rerun import identity, run_log, runs, start
from tui.rerun.identity import TOKEN_VARIABLE, Identity
from tui.rerun.runs import Result, Run, State
from tui.rerun.timing import Timing

QUICK = Timing(sigint_s=0.3, sigterm_s=0.3, sigkill_s=5.0, leftover_s=0.2)
PIPES = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}


def wait_until(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_run_that_is_over_cannot_be_stopped(settings):
    run = runs.create(settings, plan())
    end(run)
    with pytest.raises(TrnModelsError, match="Run 1 is over"):
        start.stop(settings, run)


def test_a_run_that_has_no_supervisor_yet_is_not_stopped_but_told(settings):
    run = runs.create(settings, plan())
    with pytest.raises(TrnModelsError, match="just being started"):
        start.stop(settings, run)


def test_another_process_that_has_the_supervisors_pid_by_now_is_not_signalled(settings):
    run = runs.create(settings, plan())
    with subprocess.Popen([sys.executable, "-c", "print('up', flush=True); input()"], **PIPES) as other:
        assert other.stdout.readline() == b"up\n"
        values = identity.of(other.pid).values()
        runs.update_state(run.folder, state="running", supervisor=values | {"started": values["started"] - 1})
        start.stop(settings, run, QUICK)
        assert other.poll() is None
        other.communicate(b"\n")
        assert other.returncode == 0
    now = runs.find(settings, 1)
    assert (now.outcome.result, now.outcome.killed) == (Result.STOPPED, ())
    assert now.outcome.note == "it was lost before it was stopped"


STUBBORN = """
import os, signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
else:
    print('up', flush=True)
time.sleep(60)
"""


def test_what_still_lives_of_a_lost_run_is_ended_however_it_resists(settings):
    run = runs.create(settings, plan())
    runs.update_state(
        run.folder,
        state="running",
        supervisor=GONE | {"boot_id": identity.boot_id()},
        started_at="2026-11-30T14:00:00+00:00",
        peak_host_memory_bytes=4711,
    )
    assert runs.find(settings, 1).state is State.LOST
    environ = os.environ | {TOKEN_VARIABLE: run.token}
    with subprocess.Popen([sys.executable, "-c", STUBBORN], env=environ, **PIPES) as child:
        assert child.stdout.readline() == b"up\n"
        bystander = subprocess.Popen([sys.executable, "-c", "input()"], env=os.environ | {TOKEN_VARIABLE: "x"}, **PIPES)
        start.stop(settings, run, QUICK)
        assert child.wait(10) == -signal.SIGKILL
        assert bystander.poll() is None
        bystander.communicate(b"\n")
    assert identity.living((run.token,)) == frozenset()
    outcome = runs.find(settings, 1).outcome
    assert outcome.result is Result.STOPPED
    assert len(outcome.killed) == 2 and all(line.endswith("(SIGKILL)") for line in outcome.killed)
    assert f"pid {child.pid} " in outcome.killed[0] + outcome.killed[1]
    assert outcome.wall_s > 0
    assert outcome.peak_host_memory_bytes == 4711


def kill(who: Identity) -> None:
    os.kill(who.pid, signal.SIGKILL)
    wait_until(lambda: not identity.alive(who))


def ended(run: Run) -> Run:
    wait_until(lambda: not runs.read(run.folder).live)
    return runs.read(run.folder)


@pytest.fixture
def ends_all(settings) -> Iterator[None]:
    yield
    for run in runs.every(settings):
        if run.live or run.state is State.LOST:
            start.stop(settings, run, QUICK)
            ended(run)


@pytest.mark.usefixtures("ends_all")
def test_a_script_is_run_to_its_end_and_its_secrets_are_only_in_its_environment(settings):
    script = "import os, sys\nprint(sys.argv[1] == os.environ['HF_TOKEN'], os.environ['MY_KEY'], flush=True)\n"
    asked = plan(
        argv=(sys.executable, "run.py", "hf_abc"),
        script=script,
        hidden={"HF_TOKEN": "hf_abc"},
        environment={"MY_KEY": "swordfish"},
    )
    run = ended(start.start(settings, asked))
    assert (run.state, run.outcome.result, run.outcome.exit_code) == (State.FINISHED, Result.DONE, 0)
    assert b"\nTrue swordfish\n" in run_log.whole(run.folder)
    for path in run.folder.iterdir():
        assert b"hf_abc" not in path.read_bytes(), path.name


@pytest.mark.usefixtures("ends_all")
def test_a_run_whose_supervisor_was_killed_is_lost_then_stopped_then_deleted(settings):
    script = "import time\nprint('begun', flush=True)\ntime.sleep(60)\n"
    run = start.start(settings, plan(argv=(sys.executable, "run.py"), script=script))
    wait_until(lambda: b"\nbegun\n" in run_log.whole(run.folder))
    kill(run.supervisor)
    lost = runs.read(run.folder)
    assert lost.state is State.LOST and lost.heartbeat_at is not None
    with pytest.raises(TrnModelsError, match="not deleted"):
        runs.delete(settings, lost)
    start.stop(settings, lost, QUICK)
    stopped = runs.read(run.folder)
    assert stopped.outcome.result is Result.STOPPED
    runs.delete(settings, stopped)
    assert runs.every(settings) == ()


@pytest.mark.usefixtures("ends_all")
def test_a_live_run_is_stopped_by_asking_its_supervisor(settings):
    script = "import time\nprint('begun', flush=True)\ntime.sleep(60)\n"
    run = start.start(settings, plan(argv=(sys.executable, "run.py"), script=script))
    wait_until(lambda: b"\nbegun\n" in run_log.whole(run.folder))
    start.stop(settings, run)
    now = ended(run)
    assert (now.state, now.outcome.result) == (State.FINISHED, Result.STOPPED)
    assert b"KeyboardInterrupt" in run_log.whole(run.folder)
