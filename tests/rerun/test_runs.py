"""Run folders: made, found, listed, deleted; what stands in them."""

import logging
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from run_folders import GONE, end, plan, stored, supervised

from tui import __version__
from tui.errors import TrnModelsError, UsageError
from tui.rerun import run_files, runs
from tui.rerun.identity import TOKEN_VARIABLE
from tui.rerun.plan import Kind
from tui.rerun.runs import State


def test_a_new_run_waits_in_a_folder_of_its_own_that_says_what_is_run(settings):
    asked = plan(cores=8, queue=True, argv=("python", "run.py", "--seconds", "1"), environment={"PATH": "/bin"})
    before = datetime.now(UTC)
    made = runs.create(settings, replace(asked, about={"record": {"tp": "8"}, "revision": "abc"}))
    assert (made.id, made.state, made.kind, made.model_id) == (1, State.WAITING, Kind.RUN, "acme/small")
    assert made.folder == settings.state_dir / "runs" / "1"
    assert before <= made.created_at <= datetime.now(UTC)
    assert (made.live, made.started_at, made.outcome, made.edited) == (True, None, None, False)
    assert sorted(path.name for path in made.folder.iterdir()) == ["recipe.json", "run.py", "state.json"]
    recipe = stored(made, "recipe.json")
    assert recipe == {
        "app": __version__,
        "created_at": made.created_at.isoformat(),
        "kind": "run",
        "model_id": "acme/small",
        "argv": ["python", "run.py", "--seconds", "1"],
        "elsewhere": [],
        "environment": {"PATH": "/bin"},
        "hidden": [],
        "cores": 8,
        "any_host": False,
        "queue": True,
        "script": "run.py",
        "sha256": asked.sha256,
        "recorded_sha256": asked.sha256,
        "edited": False,
        "settings": {"state_dir": str(settings.state_dir), "host_root": None, "log_limit": 50_000_000},
        "record": {"tp": "8"},
        "revision": "abc",
    }
    assert made.recipe == recipe
    state = stored(made, "state.json")
    assert state == {"state": "waiting", "created_at": recipe["created_at"], "token": made.token}
    assert len(made.token) == 32


def test_only_the_owner_can_read_it_whatever_the_umask(settings):
    umask = os.umask(0)
    try:
        made = runs.create(settings, plan())
        end(made)
    finally:
        os.umask(umask)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in [made.folder, *made.folder.iterdir()]}
    assert modes == {"1": 0o700, "run.py": 0o600, "recipe.json": 0o600, "state.json": 0o600, "outcome.json": 0o600}
    assert stat.S_IMODE(made.folder.parent.stat().st_mode) == 0o700


def test_a_step_without_a_script_has_no_run_py(settings):
    made = runs.create(settings, plan(kind=Kind.WEIGHTS, script=None))
    assert not (made.folder / "run.py").exists()
    assert runs.plan_of(made).script is None


def test_two_runs_have_different_tokens(settings):
    assert runs.create(settings, plan()).token != runs.create(settings, plan()).token


def test_ids_count_up_and_are_not_used_again_after_a_deletion(settings):
    made = [runs.create(settings, plan()) for _ in range(3)]
    assert [run.id for run in made] == [1, 2, 3]
    for run in made:
        end(run)
        runs.delete(settings, run)
    assert runs.create(settings, plan()).id == 4


@pytest.mark.parametrize("content", [b"", b"nonsense", b"-5", b"\xff"])
def test_a_damaged_last_id_gives_no_id_that_a_folder_has(settings, content):
    runs.create(settings, plan())
    (settings.state_dir / "runs/last-id").write_bytes(content)
    assert runs.create(settings, plan()).id == 2


MAKER = """
import sys
from pathlib import Path
from tui.rerun import runs
from tui.rerun.plan import Kind, Plan
from tui.settings import Settings
for _ in range(10):
    made = runs.create(Settings(state_dir=Path(sys.argv[1])), Plan(kind=Kind.RUN, model_id="acme/small", argv=("a",)))
    print(made.id, made.token)
"""


def test_two_apps_at_once_never_get_the_same_id(settings):
    apps = [
        subprocess.Popen([sys.executable, "-c", MAKER, str(settings.state_dir)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    lines = [line.split() for app in apps for line in app.communicate(timeout=60)[0].splitlines()]
    assert sorted(int(number) for number, _ in lines) == list(range(1, 21))
    assert {str(run.id): run.token for run in runs.every(settings)} == dict(lines)


def test_an_interrupted_creation_leaves_no_half_run_and_is_cleared_away_later(settings, monkeypatch):
    folder = settings.state_dir / "runs"
    (folder / ".new-1-0011aabb").mkdir(parents=True)
    os.utime(folder / ".new-1-0011aabb", (0, 0))
    with monkeypatch.context() as patch:
        patch.setattr(runs.run_files, "write", raise_full)
        with pytest.raises(TrnModelsError) as caught:
            runs.create(settings, plan())
    assert caught.value.title == "The folder of the run cannot be written"
    assert "No space left" in caught.value.detail
    assert runs.every(settings) == ()
    assert sorted(path.name for path in folder.iterdir()) == ["last-id", "lock"]


def raise_full(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_state_folder_that_is_none_is_an_error_for_people(settings, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(TrnModelsError) as caught:
        runs.create(replace(settings, state_dir=tmp_path / "file"), plan())
    assert "TRN_MODELS_STATE_DIR" in caught.value.remedy


# Writing the state


def test_a_change_of_the_state_keeps_what_is_not_named(settings):
    made = runs.create(settings, plan())
    runs.update_state(made.folder, devices=[1], note="a")
    runs.update_state(made.folder, note="b")
    assert stored(made, "state.json") == {
        "state": "waiting",
        "created_at": made.created_at.isoformat(),
        "token": made.token,
        "devices": [1],
        "note": "b",
    }


def test_a_damaged_state_is_written_anew(settings):
    made = runs.create(settings, plan())
    (made.folder / "state.json").write_text("{")
    runs.update_state(made.folder, state="running")
    assert stored(made, "state.json") == {"state": "running"}


def test_a_run_folder_that_was_removed_does_not_come_back(settings):
    made = runs.create(settings, plan())
    shutil.rmtree(made.folder)
    with pytest.raises(OSError, match="gone"):
        runs.update_state(made.folder, state="running")
    with pytest.raises(OSError, match="gone"):
        end(made)
    assert not made.folder.exists()


# Finding


def test_a_run_is_found_by_its_id_and_a_missing_one_is_the_users_error(settings):
    made = runs.create(settings, plan())
    assert runs.find(settings, 1) == made
    for number in (2, 0, -1):
        with pytest.raises(UsageError, match=f"There is no run {number}"):
            runs.find(settings, number)


def test_all_runs_are_listed_newest_first_and_foreign_folders_left_out_and_logged_once(settings, caplog):
    for _ in range(11):
        runs.create(settings, plan())
    folder = settings.state_dir / "runs"
    (folder / "2" / "recipe.json").write_text("{")
    (folder / "notes").mkdir()
    (folder / "012").mkdir()
    (folder / "77").write_text("a file")
    (folder / "78").symlink_to(folder / "1")
    (folder / "79").mkdir()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert [run.id for run in runs.every(settings)] == [11, 10, 9, 8, 7, 6, 5, 4, 3, 1]
    assert len([line for line in caplog.messages if "left out of the runs" in line]) == 2


def test_without_a_folder_there_are_no_runs(settings, tmp_path):
    assert runs.every(settings) == ()
    (tmp_path / "state").mkdir()
    (tmp_path / "state/runs").write_text("")
    assert runs.every(settings) == ()


@pytest.fixture
def opened(monkeypatch) -> Iterator[list[str]]:
    """Names of the files that were read."""
    names: list[str] = []
    read_bytes = run_files.read_bytes
    monkeypatch.setattr(
        run_files, "read_bytes", lambda path, *largest: names.append(path.name) or read_bytes(path, *largest)
    )
    yield names


def test_finished_runs_are_read_once_until_a_file_of_theirs_changes(settings, opened):
    made = [runs.create(settings, plan()) for _ in range(3)]
    for run in made[:2]:
        end(run)
    first = runs.every(settings)
    opened.clear()
    assert runs.every(settings) == first
    assert opened == ["state.json"], "only the run that is not finished is looked at again"
    end(made[0], note="written once more")
    assert runs.every(settings)[2].outcome.note == "written once more"
    runs.update_state(made[0].folder, log_bytes=4711)
    assert runs.every(settings)[2].log_bytes == 4711


# Deleting


def test_a_deleted_run_is_gone_with_all_it_has(settings):
    made = runs.create(settings, plan())
    (made.folder / "results").mkdir()
    (made.folder / "results/table.csv").write_text("a")
    end(made)
    runs.delete(settings, made)
    assert sorted(path.name for path in made.folder.parent.iterdir()) == ["last-id", "lock"]
    runs.delete(settings, made)


def test_a_live_run_is_not_deleted_also_when_the_caller_thinks_it_is_over(settings):
    made = runs.create(settings, plan())
    supervised(made.folder)
    with pytest.raises(TrnModelsError) as caught:
        runs.delete(settings, replace(made, state=State.FINISHED))
    assert (caught.value.detail, caught.value.remedy) == ("It is running.", "Stop it first.")
    assert made.folder.is_dir()


def test_a_lost_run_is_deleted_only_when_nothing_of_it_lives(settings):
    made = runs.create(settings, plan())
    supervised(made.folder, supervisor=GONE)
    program = "print('up', flush=True); input()"
    environ = os.environ | {TOKEN_VARIABLE: made.token}
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ
    ) as child:
        assert child.stdout.readline() == b"up\n"
        with pytest.raises(TrnModelsError, match="not deleted") as caught:
            runs.delete(settings, made)
        assert caught.value.remedy == "Stop it first."
        child.kill()
    runs.delete(settings, made)
    assert runs.every(settings) == ()


def test_what_a_link_leads_to_is_not_deleted(settings, tmp_path):
    made = runs.create(settings, plan())
    end(made)
    made.folder.rename(tmp_path / "elsewhere")
    made.folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(TrnModelsError):
        runs.delete(settings, made)
    assert (tmp_path / "elsewhere/recipe.json").exists()
    assert made.folder.is_symlink()


def test_a_link_in_a_run_folder_is_removed_and_not_followed(settings, tmp_path):
    made = runs.create(settings, plan())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/keep").write_text("")
    (made.folder / "cache").symlink_to(tmp_path / "mine")
    end(made)
    runs.delete(settings, made)
    assert (tmp_path / "mine/keep").exists()


def test_a_folder_that_is_no_run_is_not_deleted(settings):
    made = runs.create(settings, plan())
    end(made)
    (made.folder / "recipe.json").unlink()
    with pytest.raises(TrnModelsError):
        runs.delete(settings, made)
    assert made.folder.exists()


def test_a_folder_that_cannot_be_removed_is_an_error_that_says_where_it_is(settings, monkeypatch):
    made = runs.create(settings, plan())
    end(made)

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path / "root-owned"))

    monkeypatch.setattr(runs.shutil, "rmtree", refuse)
    with pytest.raises(TrnModelsError) as caught:
        runs.delete(settings, made)
    assert "Permission denied" in caught.value.detail
    assert ".removed-1-" in caught.value.remedy
    assert runs.every(settings) == ()
