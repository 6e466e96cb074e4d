"""What has become of a run, as its folder tells; also when somebody damaged that."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from run_folders import ENDED, GONE, change, end, plan, supervised

from tui.errors import TrnModelsError
from tui.rerun import identity, run_files, run_reading, runs
from tui.rerun.runs import Outcome, Result, Run, State

# What has become of it


def test_a_run_under_a_live_supervisor_is_what_the_supervisor_says(settings):
    made = runs.create(settings, plan())
    supervised(
        made.folder,
        state="running",
        started_at="2026-11-30T14:00:00+00:00",
        heartbeat_at="2026-11-30T15:01:00+01:00",
        devices=[1, 2],
        cores=[4, 5, 6, 7, 8, 9, 10, 11],
        processes=9,
        ranks=8,
        compilers=3,
        new_neffs=12,
        host_memory_bytes=5,
        peak_host_memory_bytes=6,
        log_bytes=7,
        log_dropped_bytes=8,
        waiting_for="device 3",
        note="hm",
    )
    now = runs.read(made.folder)
    assert (now.state, now.live) == (State.RUNNING, True)
    assert now.started_at == datetime(2026, 11, 30, 14, tzinfo=UTC)
    assert now.heartbeat_at == datetime(2026, 11, 30, 14, 1, tzinfo=UTC)
    assert (now.devices, now.cores) == ((1, 2), (4, 5, 6, 7, 8, 9, 10, 11))
    assert (now.processes, now.ranks, now.compilers, now.new_neffs) == (9, 8, 3, 12)
    assert (now.host_memory_bytes, now.peak_host_memory_bytes) == (5, 6)
    assert (now.log_bytes, now.log_dropped_bytes) == (7, 8)
    assert (now.waiting_for, now.note) == ("device 3", "hm")
    for state in (State.WAITING, State.STOPPING):
        runs.update_state(made.folder, state=state)
        assert runs.read(made.folder).state is state


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"started": 1}, id="the pid belongs to a later process"),
        pytest.param({"boot_id": "11111111-2222-3333-4444-555555555555"}, id="after a reboot"),
        pytest.param({"pid": 2**22 + 1}, id="no such process"),
    ],
)
@pytest.mark.parametrize("state", ["waiting", "running", "stopping"])
def test_a_run_whose_supervisor_is_gone_is_lost_since_its_last_sign_of_life(settings, other, state):
    made = runs.create(settings, plan())
    supervisor = identity.of(os.getpid()).values() | other
    supervised(made.folder, state=state, supervisor=supervisor, heartbeat_at="2026-11-30T14:02:03+00:00", devices=[1])
    now = runs.read(made.folder)
    assert (now.state, now.live) == (State.LOST, False)
    assert now.heartbeat_at == datetime(2026, 11, 30, 14, 2, 3, tzinfo=UTC)
    assert now.devices == (1,)


def test_a_run_that_no_supervisor_takes_up_is_lost_after_30_seconds(settings):
    made = runs.create(settings, plan())
    for age, state in ((29, State.WAITING), (31, State.LOST)):
        created_at = datetime.now(UTC) - timedelta(seconds=age)
        change(made, "recipe.json", created_at=created_at.isoformat())
        now = runs.read(made.folder)
        assert now.state is state
    assert now.heartbeat_at == created_at


def test_a_finished_run_has_its_outcome_whatever_the_state_says(settings):
    made = runs.create(settings, plan())
    supervised(made.folder, supervisor=GONE)
    outcome = Outcome(
        result=Result.FAILED,
        ended_at=ENDED,
        signal=9,
        wall_s=12.5,
        peak_host_memory_bytes=123,
        killed=("pid 1 a (SIGKILL)",),
        note="device 3 is still held",
    )
    runs.write_outcome(made.folder, outcome)
    now = runs.read(made.folder)
    assert (now.state, now.live, now.outcome) == (State.FINISHED, False, outcome)


def test_a_run_that_ends_between_two_looks_is_finished_and_not_lost(settings, monkeypatch):
    made = runs.create(settings, plan())
    supervised(made.folder, supervisor=GONE)
    read_unfinished = run_reading._read_unfinished

    def ends_meanwhile(folder: Path) -> Run:
        lost = read_unfinished(folder)
        end(made)
        return lost

    monkeypatch.setattr(run_reading, "_read_unfinished", ends_meanwhile)
    assert runs.read(made.folder).state is State.FINISHED


# Damage, and other versions


def test_fields_of_other_versions_and_wrong_types_are_read_as_far_as_they_go(settings):
    made = runs.create(settings, plan())
    supervised(
        made.folder,
        state="pondering",
        started_at=5,
        heartbeat_at="yesterday",
        devices=["1", 2, True],
        cores=None,
        processes="many",
        ranks=2.5,
        compilers=-1,
        note=["x"],
        mood="good",
    )
    now = runs.read(made.folder)
    assert now.state is State.RUNNING
    assert (now.started_at, now.heartbeat_at, now.devices, now.cores) == (None, None, (2,), ())
    assert (now.processes, now.ranks, now.compilers, now.note) == (0, None, 0, "")
    change(made, "recipe.json", argv="python", environment=[1], cores="8", hidden=None, edited="yes", fresh={"a": 1})
    again = runs.plan_of(runs.read(made.folder))
    assert (again.argv, again.environment, again.cores, again.edited) == ((), {}, 0, False)
    (made.folder / "outcome.json").write_text('{"result": "won", "wall_s": "long", "exit_code": "0", "killed": "all"}')
    outcome = runs.read(made.folder).outcome
    assert (outcome.result, outcome.note) == (Result.FAILED, "The result reads 'won'.")
    assert (outcome.exit_code, outcome.wall_s, outcome.killed) == (None, 0.0, ())
    assert abs(outcome.ended_at - datetime.now(UTC)) < timedelta(minutes=1)


DAMAGED = [b"", b"{", b"[]", b"null", b"\x00" * 100, b"\xff\xfe", b"[" * 100_000, b'{"pid": ' + b"9" * 5_000 + b"}"]


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_state_makes_a_run_lost_and_says_so(settings, content):
    made = runs.create(settings, plan())
    change(made, "recipe.json", created_at="2026-11-30T14:00:00+00:00")
    (made.folder / "state.json").write_bytes(content)
    now = runs.read(made.folder)
    assert now.state is State.LOST
    assert now.note.startswith("state.json cannot be read: ")
    end(made)
    assert runs.read(made.folder).state is State.FINISHED


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_outcome_makes_a_run_lost_and_says_so(settings, content):
    made = runs.create(settings, plan())
    (made.folder / "outcome.json").write_bytes(content)
    now = runs.read(made.folder)
    assert (now.state, now.outcome) == (State.LOST, None)
    assert now.note.startswith("outcome.json cannot be read: ")


@pytest.mark.parametrize("content", [*DAMAGED, b'{"kind": "party"}', b"{}"])
def test_a_damaged_recipe_is_an_error_that_names_the_file(settings, content):
    made = runs.create(settings, plan())
    (made.folder / "recipe.json").write_bytes(content)
    with pytest.raises(TrnModelsError) as caught:
        runs.read(made.folder)
    assert caught.value.title == "Run 1 cannot be read"
    assert str(made.folder / "recipe.json") in caught.value.detail


def test_a_folder_without_a_recipe_or_with_another_name_is_no_run(tmp_path):
    (tmp_path / "7").mkdir()
    for folder in (tmp_path / "7", tmp_path / "8", tmp_path, tmp_path / "07"):
        with pytest.raises(TrnModelsError):
            runs.read(folder)


def test_a_state_that_is_a_link_or_a_pipe_is_not_read(settings, tmp_path):
    made = runs.create(settings, plan())
    (tmp_path / "planted").write_text(json.dumps({"note": "planted"}))
    for plant in (lambda path: path.symlink_to(tmp_path / "planted"), os.mkfifo):
        (made.folder / "state.json").unlink()
        plant(made.folder / "state.json")
        assert runs.read(made.folder).note.startswith("state.json cannot be read: ")


def test_a_file_that_is_gone_for_a_moment_is_looked_at_a_second_time(settings, monkeypatch):
    made = runs.create(settings, plan())
    read_bytes, failures = run_files.read_bytes, [OSError(116, "Stale file handle")]

    def flaky(path: Path, *largest: int) -> bytes:
        if path.name == "state.json" and failures:
            raise failures.pop()
        return read_bytes(path, *largest)

    monkeypatch.setattr(run_files, "read_bytes", flaky)
    now = runs.read(made.folder)
    assert (failures, now.token, now.note) == ([], made.token, "")


WRITER = """
import sys
from pathlib import Path
from tui.rerun import identity, runs
import os
folder = Path(sys.argv[1])
runs.update_state(folder, state="running", supervisor=identity.of(os.getpid()).values())
print("up", flush=True)
for number in range(10_000_000):
    runs.update_state(folder, processes=number, note="x" * (number % 5_000))
"""


def test_a_reader_never_stumbles_over_files_that_are_being_replaced(settings):
    made = runs.create(settings, plan())
    with subprocess.Popen([sys.executable, "-c", WRITER, str(made.folder)], stdout=subprocess.PIPE) as writer:
        try:
            assert writer.stdout.readline() == b"up\n"
            seen = [runs.read(made.folder) for _ in range(300)]
        finally:
            writer.kill()
    assert {now.state for now in seen} == {State.RUNNING}
    assert all(now.note == "x" * (now.processes % 5_000) for now in seen)
    assert seen[-1].processes > seen[0].processes
