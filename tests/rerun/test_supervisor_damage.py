"""What becomes of a run when its files are damaged or removed, or its supervisor is killed."""

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import fake_hosts
import pytest
from real_runs import RealRuns, gone
from run_folders import change, end, plan, stored, supervised

from tui.errors import TrnModelsError
from tui.rerun import holding, place, runs, start
from tui.rerun.run import Result, State
from tui.rerun.timing import Timing
from tui.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sub-reaper and /proc: Linux only")

ENDLESS = "note('main')\nwhile True: time.sleep(0.05)"
QUICK = Timing(sigint_s=0.3, sigterm_s=0.3, sigkill_s=5.0, leftover_s=0.2)


@pytest.fixture
def host(tmp_path: Path) -> Path:
    return fake_hosts.trn2_48xlarge(tmp_path / "host")


@pytest.fixture
def real(settings: Settings, host: Path) -> Iterator[RealRuns]:
    with RealRuns(replace(settings, host_root=host)) as made:
        yield made


def at_work(now) -> bool:
    return now.state is State.RUNNING and now.processes > 0


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_text("{"), lambda path: path.write_text("{}")])
def test_a_state_that_is_damaged_or_removed_comes_back_whole(real, damage):
    run = real.start(ENDLESS, cores=4)
    before = real.until(run, at_work)
    damage(run.folder / "state.json")
    after = real.until(run, at_work)
    assert (after.token, after.devices, after.cores) == (before.token, (0,), (0, 1, 2, 3))
    assert (after.supervisor, after.created_at, after.started_at) == (
        before.supervisor,
        before.created_at,
        before.started_at,
    )
    assert holding.taken(runs.every(real.settings)) == {0: run.id}
    start.stop(real.settings, after)
    assert real.outcome(run).result is Result.STOPPED


def test_a_run_is_stopped_also_in_the_moment_in_which_its_state_is_gone(real):
    run = real.start(ENDLESS, timing={"tick_s": 1.0})
    main = real.pid(run, "main")
    real.until(run, at_work)
    (run.folder / "state.json").unlink()
    start.stop(real.settings, run)
    assert real.outcome(run).result is Result.STOPPED
    assert gone(main, within_s=0)


def test_a_run_is_not_deleted_either_in_that_moment(real):
    run = real.start(ENDLESS, timing={"tick_s": 1.0})
    real.until(run, at_work)
    change(run, "recipe.json", created_at="2026-11-30T14:00:00+00:00")
    (run.folder / "state.json").unlink()
    with pytest.raises(TrnModelsError, match="is not deleted"):
        runs.delete(real.settings, run)
    assert run.folder.exists()


def test_devices_are_not_given_away_in_that_moment(real):
    first = real.start(ENDLESS, cores=4, timing={"tick_s": 2.0})
    real.until(first, at_work)
    second = real.create(ENDLESS, cores=4)
    change(first, "recipe.json", created_at="2026-11-30T14:00:00+00:00")
    (first.folder / "state.json").unlink()
    real.supervise(second)
    assert real.until(second, at_work).devices == (1,)


def test_a_stray_outcome_changes_nothing_of_a_live_run(real):
    run = real.start(ENDLESS, cores=4)
    real.until(run, at_work)
    end(run)
    assert real.until(run, at_work).outcome is None
    assert holding.taken(runs.every(real.settings)) == {0: run.id}
    start.stop(real.settings, run)
    assert real.outcome(run, within_s=10).result is not Result.NOT_STARTED
    assert gone(run.supervisor)
    assert runs.read(run.folder).outcome.result is Result.STOPPED


def test_neither_a_damaged_recipe_nor_a_stray_outcome_frees_the_devices_of_a_live_run(real):
    run = real.start(ENDLESS, cores=4)
    real.until(run, at_work)
    (run.folder / "recipe.json").write_text("{")
    now = runs.find(real.settings, run.id)
    assert (now.state, now.model_id, now.kind, now.devices) == (State.RUNNING, "acme/small", run.kind, (0,))
    assert "recipe.json: " in now.note
    (run.folder / "recipe.json").unlink()
    assert holding.taken(runs.every(real.settings)) == {0: run.id}
    end(run)
    assert runs.find(real.settings, run.id).live
    assert holding.taken(runs.every(real.settings)) == {0: run.id}
    other = real.until(real.start(ENDLESS, cores=4), at_work)
    assert other.devices == (1,)
    with pytest.raises(TrnModelsError, match="is not deleted"):
        runs.delete(real.settings, run)
    start.stop(real.settings, run)
    assert gone(run.supervisor)
    assert stored(run, "outcome.json")["result"] == "stopped", "the outcome is that of its supervisor"


def test_a_run_whose_folder_is_removed_is_stopped_after_a_while(real):
    run = real.start(ENDLESS, timing={"folder_s": 0.5})
    main = real.pid(run, "main")
    moved = run.folder.with_name("moved")
    run.folder.rename(moved)
    time.sleep(0.2)
    assert not gone(main, within_s=0)
    moved.rename(run.folder)
    time.sleep(0.6)
    assert not gone(main, within_s=0), "it had its folder back in time"
    removed(run.folder)
    assert gone(main, run.supervisor)


def removed(folder: Path) -> None:
    """Remove it at once: the supervisor may be writing in it."""
    away = folder.with_name(f"{folder.name}-away")
    folder.rename(away)
    shutil.rmtree(away, ignore_errors=True)


def test_a_waiting_run_whose_folder_is_removed_waits_no_more(real, host):
    for device in range(16):
        fake_hosts.hold(host, device, 4711, "python train.py")
    run = real.start(ENDLESS, cores=4, queue=True, timing={"folder_s": 0.3})
    real.until(run, lambda now: now.waiting_for)
    removed(run.folder)
    assert gone(run.supervisor)


CLEARED = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        note('cleared')
        os.execve('/bin/sleep', ['sleep', '60'], {})
    os._exit(0)
os.wait()
"""


def test_processes_without_the_token_are_found_after_their_supervisor_was_killed(real):
    run = real.start(CLEARED + ENDLESS, cores=4)
    main, cleared = real.pid(run, "main"), real.pid(run, "cleared")
    real.until(run, lambda now: now.state is State.RUNNING and cleared in now.unmarked)
    os.kill(run.supervisor.pid, signal.SIGKILL)
    os.kill(main.pid, signal.SIGKILL)
    assert gone(main, run.supervisor)
    lost = runs.read(run.folder)
    assert (lost.state, lost.unmarked) == (State.LOST, (cleared,))
    assert holding.taken([lost]) == {0: run.id}
    with pytest.raises(TrnModelsError, match="is not deleted"):
        runs.delete(real.settings, lost)
    start.stop(real.settings, lost, QUICK)
    assert gone(cleared, within_s=0)
    assert runs.read(run.folder).outcome.result is Result.STOPPED
    assert holding.taken(runs.every(real.settings)) == {}


def test_a_neuron_ls_that_hangs_at_the_end_is_not_waited_for_and_the_heart_beats(real, host):
    run = real.start(ENDLESS, cores=4, timing={"held_s": 1.0})
    main = real.pid(run, "main")
    real.until(run, at_work)
    fake_hosts.hang(host)
    os.kill(main.pid, signal.SIGTERM)
    looking = real.until(run, lambda now: now.note == "looking at the devices")
    assert (looking.state, looking.processes) == (State.RUNNING, 0)
    real.until(run, lambda now: now.heartbeat_at > looking.heartbeat_at and now.live)
    outcome = real.outcome(run, within_s=4)
    assert outcome.note == "whether its devices are free is not known: no answer within 1 s"
    assert runs.read(run.folder).note == ""
    assert gone(run.supervisor, within_s=4)


def test_a_run_that_is_being_stopped_says_so_once(real):
    run = real.start("signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + ENDLESS, timing={"sigint_s": 1.0})
    real.pid(run, "main")
    real.stop(run)
    stopping = real.until(run, lambda now: now.state is State.STOPPING and now.processes)
    assert stopping.note == ""
    assert real.outcome(run).result is Result.STOPPED


def test_state_names_the_place_of_the_supervisor(real):
    run = real.start(ENDLESS)
    real.until(run, at_work)
    values = stored(run, "state.json")
    assert {name: values[name] for name in ("host", "pid_namespace")} == place.here().values()


@pytest.mark.parametrize("name", ["state.json", "outcome.json"])
def test_a_file_that_is_far_too_large_is_damaged_and_not_parsed(settings, name, monkeypatch):
    run = runs.create(settings, plan())
    supervised(run.folder, state="finished")
    end(run)
    values = stored(run, name)
    (run.folder / name).write_text(json.dumps(values | {"note": "x" * 1_000_000}))
    parsed = []
    loads = json.loads
    monkeypatch.setattr(json, "loads", lambda text: parsed.append(len(text)) or loads(text))
    now = runs.read(run.folder)
    assert now.note == f"{name} cannot be read: larger than anything this app writes"
    assert max(parsed) < 100_000


def test_an_outcome_stays_small_enough_to_be_read(settings):
    run = runs.create(settings, plan())
    end(run, killed=("pid 4711 " + "x" * 150,) * 9_000)
    assert len(runs.read(run.folder).outcome.killed) == 1_000
