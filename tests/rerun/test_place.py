"""A home folder that several hosts or containers share: what is said of runs that are not here."""

import os
from datetime import UTC, datetime, timedelta

import pytest
from run_folders import GONE, end, plan, supervised

from tui.errors import TrnModelsError
from tui.rerun import holding, identity, place, runs, start
from tui.rerun.runs import Run, State

OTHER_BOOT = {"pid": os.getpid(), "started": 1, "boot_id": "another-boot"}


def ago(**span: float) -> str:
    return (datetime.now(UTC) - timedelta(**span)).isoformat()


def on_another_host(settings, heartbeat_at: str, **fields: object) -> Run:
    run = runs.create(settings, plan())
    own = place.here().values() | {"host": "trn2-b"}
    supervised(run.folder, supervisor=OTHER_BOOT, **own, heartbeat_at=heartbeat_at, **fields)
    return runs.read(run.folder)


def in_another_container(settings, heartbeat_at: str, **fields: object) -> Run:
    run = runs.create(settings, plan())
    gone = GONE | {"boot_id": identity.boot_id()}
    values = {"host": "box", "pid_namespace": "pid:[1]", "heartbeat_at": heartbeat_at}
    supervised(run.folder, supervisor=gone, **values, **fields)
    return runs.read(run.folder)


@pytest.mark.parametrize(
    ("where", "told"), [(on_another_host, "on trn2-b"), (in_another_container, "on box, in another container")]
)
def test_a_run_that_is_not_here_is_judged_by_its_last_sign_of_life(settings, where, told):
    run = where(settings, ago(seconds=50), note="the log cannot be written")
    assert (run.state, run.note) == (State.RUNNING, f"{told}; the log cannot be written")
    assert where(settings, ago(seconds=70)).state is State.LOST
    assert where(settings, ago(seconds=5), state="waiting").state is State.WAITING
    assert where(settings, ago(seconds=-90)).state is State.RUNNING, "its clock is ahead"
    assert where(settings, "never").state is State.LOST


def test_a_host_that_was_started_anew_or_renamed_is_still_this_one(settings):
    own = place.here()
    run = runs.create(settings, plan())
    supervised(run.folder, supervisor=OTHER_BOOT, **own.values(), heartbeat_at=ago(seconds=1))
    assert (runs.read(run.folder).state, runs.read(run.folder).note) == (State.LOST, "")
    supervised(run.folder, **own.values() | {"host": "former-name"}, heartbeat_at=ago(hours=1))
    now = runs.read(run.folder)
    assert (now.state, now.on_host, now.note) == (State.RUNNING, "", "")


def test_a_run_of_another_host_is_not_stopped_from_here(settings):
    run = on_another_host(settings, ago(seconds=5))
    with pytest.raises(TrnModelsError) as caught:
        start.stop(settings, run)
    assert caught.value.detail == "It runs on trn2-b: stop it there."
    lost = on_another_host(settings, ago(hours=5))
    with pytest.raises(TrnModelsError) as caught:
        start.stop(settings, lost)
    assert caught.value.detail == "What may be left of it is on trn2-b: stop it there."
    assert not runs.is_over(run.folder) and not runs.is_over(lost.folder)


def test_a_run_of_another_host_is_deleted_only_when_it_is_gone_for_long(settings):
    for heartbeat_at, told in ((ago(seconds=5), "It runs on trn2-b"), (ago(minutes=50), "a short time ago on trn2-b")):
        run = on_another_host(settings, heartbeat_at)
        with pytest.raises(TrnModelsError, match=told):
            runs.delete(settings, run)
        assert run.folder.exists()
    old = on_another_host(settings, ago(hours=2))
    runs.delete(settings, old)
    assert not old.folder.exists()


def test_a_run_that_finished_on_another_host_is_like_any_other(settings):
    run = on_another_host(settings, ago(hours=5), state="finished")
    end(run)
    now = runs.read(run.folder)
    assert (now.state, now.note) == (State.FINISHED, "")
    runs.delete(settings, now)


def test_only_devices_of_this_machine_are_taken(settings):
    on_another_host(settings, ago(seconds=5), devices=[1])
    in_another_container(settings, ago(seconds=5), devices=[2])
    assert holding.taken(runs.every(settings)) == {2: 2}
