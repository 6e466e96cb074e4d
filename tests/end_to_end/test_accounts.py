"""Homes, caches and state folders that cannot be written, are full, or belong to somebody else.

What needs a user whom permissions hold back runs in a child as nobody (`tests/tools/other_user.py`).
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from loopback_hub import LoopbackHub
from other_user import Person, person
from parquet_builder import DATASET, parquet

from tui.catalog import snapshot
from tui.rerun import runs
from tui.settings import Settings

RUN = ("run", "sample/Basalt-0.5B", "--sample", "--any-host", "--yes", "--detach")


@pytest.fixture(scope="module")
def somebody() -> Person:
    found = person()
    if isinstance(found, str):
        pytest.skip(found)
    return found


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that everybody can look into, as pytest's own is not."""
    folder = Path(tempfile.mkdtemp(prefix="trn-models-tests-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def dataset(hub: LoopbackHub) -> LoopbackHub:
    hub.add_dataset(DATASET, {"a.parquet": parquet({"model_id": "acme/one"}, {"model_id": "acme/two"})})
    return hub


def full_after(size: int) -> Callable[[], None]:
    """A disk on which no file can grow over so many bytes."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def run_words(somebody: Person) -> list[str]:
    return somebody.app(*RUN, "--python", somebody.python)


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def sort(app) -> None:
    """Choose a column to sort by, which is remembered."""
    app.press("s")
    app.until("Sort by")
    app.press("\x1b[B\r")


@pytest.mark.parametrize("kind", ["missing", "read-only", "of somebody else"])
def test_without_a_home_of_ones_own_each_verb_says_what_it_could_not_write_and_the_sample_is_shown(
    somebody, shared, dataset, kind
):
    home = shared / "home"
    if kind == "read-only":
        somebody.other_owns(home, 0o555)
    elif kind == "of somebody else":
        somebody.other_owns(home, 0o700)
    else:
        somebody.other_owns(shared / "homes", 0o755)
        home = shared / "homes" / "home"
    environ = somebody.environment(home, HF_ENDPOINT=dataset.url)

    refreshed = somebody.run(somebody.app("refresh"), environ)
    said = lines(refreshed.stderr)
    assert (refreshed.returncode, said[0]) == (5, "The Hugging Face cache cannot be written")
    assert str(home) in said[1] and "Permission denied" in said[1]
    assert said[2] == "Make it writable for you, or set HF_HOME to a folder that can be written."

    begun = somebody.run(run_words(somebody), environ)
    assert begun.returncode == 2, begun.stderr
    assert f"run folder: cannot be written by you ({home}/.local/state/trn-models/runs)" in begun.stderr
    assert "let TRN_MODELS_STATE_DIR name another folder" in begun.stderr

    shown = somebody.run(somebody.app("list", "--sample", "--format", "csv"), environ)
    assert (shown.returncode, len(shown.stdout.splitlines()) > 50) == (0, True), shown.stderr
    assert "Traceback" not in refreshed.stderr + begun.stderr + shown.stderr


def test_caches_that_are_read_only_are_read_and_a_new_revision_says_why_it_is_not_fetched(somebody, shared, dataset):
    home = somebody.owns(shared / "home")
    environ = somebody.environment(home, HF_ENDPOINT=dataset.url)
    assert somebody.run(somebody.app("refresh"), environ).returncode == 0
    for place, _, names in os.walk(home / ".cache"):
        for name in names:
            os.chown(Path(place) / name, somebody.other_uid, somebody.other_uid)
        os.chown(place, somebody.other_uid, somebody.other_uid)
        Path(place).chmod(0o555)

    unchanged = somebody.run(somebody.app("refresh"), environ)
    assert (unchanged.returncode, lines(unchanged.stdout)[0]) == (0, "nothing changed")
    dataset.datasets[DATASET].add_revision({"a.parquet": parquet({"model_id": "acme/three"})})
    refreshed = somebody.run(somebody.app("refresh"), environ)
    assert (refreshed.returncode, lines(refreshed.stderr)[0]) == (5, "The Hugging Face cache cannot be written")
    listed = somebody.run(somebody.app("list", "--format", "csv"), environ)
    assert (listed.returncode, listed.stdout.count("acme/")) == (0, 2), listed.stderr


def test_locks_of_somebody_else_in_the_hugging_face_cache_are_named(somebody, shared, dataset):
    home, cache = somebody.owns(shared / "home"), somebody.owns(shared / "huggingface")
    somebody.owns(cache / "hub")
    somebody.other_owns(cache / "hub" / ".locks", 0o755)
    environ = somebody.environment(home, HF_ENDPOINT=dataset.url, HF_HOME=str(cache))
    refreshed = somebody.run(somebody.app("refresh"), environ)
    said = lines(refreshed.stderr)
    assert (refreshed.returncode, said[0]) == (5, "The Hugging Face cache cannot be written")
    assert f"{cache}/hub/.locks" in said[1]
    assert said[2] == "Make it writable for you, or set HF_HOME to a folder that can be written."


def test_a_full_disk_is_told_and_as_soon_as_there_is_room_all_works(dataset, environ, tmp_path):
    # Python would write the first bytes of its own compiled modules, and not notice.
    environ |= {"HF_ENDPOINT": dataset.url, "SAMPLE_SECONDS": "0.3", "PYTHONDONTWRITEBYTECODE": "1"}

    def app(*words: str, also: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-m", "tui", *words]
        return subprocess.run(
            argv, env=environ, preexec_fn=also, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90
        )

    refreshed = app("refresh", also=full_after(3_000))
    assert refreshed.returncode == 5
    assert lines(refreshed.stderr)[0] == "The Hugging Face cache cannot be written"
    assert lines(refreshed.stderr)[-1] == "Make room there, or set HF_HOME to a folder that can be written."
    begun = app(*RUN, "--python", sys.executable, also=full_after(3_000))
    assert begun.returncode == 2
    assert lines(begun.stderr)[-3] == "The folder of the run cannot be written"
    assert lines(begun.stderr)[-1] == "Make room there, or let TRN_MODELS_STATE_DIR name another folder."

    assert app("refresh").returncode == 0
    assert app("list", "--format", "csv").stdout.count("acme/") == 2
    assert app(*RUN, "--python", sys.executable).returncode == 0
    assert not [path for path in tmp_path.rglob("*.part") if "huggingface" not in path.parts]


def test_a_state_folder_of_somebody_else_is_no_folder_without_runs(somebody, shared, dataset, terminal):
    home = somebody.owns(shared / "home")
    environ = somebody.environment(home, HF_ENDPOINT=dataset.url)
    somebody.owns(home / ".local")
    somebody.owns(home / ".local/state")
    state = somebody.other_owns(home / ".local/state/trn-models")
    listed = somebody.run(somebody.app("runs"), environ)
    said = lines(listed.stderr)
    assert said == [
        "The runs cannot be read",
        f"{state}/runs: Permission denied",
        "Make it readable for you, or let TRN_MODELS_STATE_DIR name another folder.",
    ]
    assert (listed.returncode, listed.stdout) == (2, "")
    looked = somebody.run(somebody.app("doctor", "--offline"), environ)
    assert "problem  own runs" in looked.stdout

    environ |= {"XDG_STATE_HOME": f"{home}/.local/state", "XDG_CACHE_HOME": f"{home}/.cache"}
    environ |= {"XDG_CONFIG_HOME": f"{home}/.config", "HF_HOME": f"{home}/.cache/huggingface"}
    app = terminal("--sample", size=(150, 40), person=somebody, **environ)
    app.until("sample/Amber-3B")
    sort(app)
    app.until("What you choose is kept until the app ends")
    app.until("Permission denied")
    app.until("TRN_MODELS_STATE_DIR")
    app.press("R")
    app.until("The runs cannot be read")
    app.press("qq")
    assert app.ended() == 0


def test_a_state_folder_that_vanishes_under_the_app_comes_back_private_with_what_is_chosen(terminal, environ):
    app = terminal("--sample", size=(150, 40))
    app.until("sample/Amber-3B")
    state = Path(environ["XDG_STATE_HOME"]) / "trn-models"
    shutil.rmtree(state)
    sort(app)
    end = time.monotonic() + 10
    while not (state / "state.json").exists() and time.monotonic() < end:
        app.read(0.1)
    app.press("R")
    app.until("Nothing was run yet")
    app.press("qq")
    assert app.ended() == 0
    assert (state / "state.json").exists()
    assert stat.S_IMODE(state.stat().st_mode) == 0o700


def test_two_apps_at_once_fetch_read_and_start_runs_and_lose_nothing(dataset, environ):
    environ |= {"HF_ENDPOINT": dataset.url, "SAMPLE_SECONDS": "0.3"}
    words = [("refresh",), ("refresh",), (*RUN, "--python", sys.executable), (*RUN, "--python", sys.executable)]
    apps = [
        subprocess.Popen(
            [sys.executable, "-m", "tui", *each], env=environ, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for each in words
    ]  # fmt: skip
    said = [app.communicate(timeout=90) for app in apps]
    assert [app.returncode for app in apps] == [0, 0, 0, 0], said
    settings = Settings(
        cache_dir=Path(environ["XDG_CACHE_HOME"]) / "trn-models",
        state_dir=Path(environ["XDG_STATE_HOME"]) / "trn-models",
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_ENDPOINT", dataset.url)
        last = snapshot.last_snapshot(settings)
    assert last is not None and (last.records.height, last.problems) == (2, ())
    assert {run.id for run in runs.every(settings)} == {1, 2}
    assert all(f"run {number} is" in said[2][0] + said[3][0] for number in (1, 2))
    end = time.monotonic() + 30
    while any(run.live for run in runs.every(settings)) and time.monotonic() < end:
        time.sleep(0.1)
    assert {str(run.outcome and run.outcome.result) for run in runs.every(settings)} == {"done"}


def test_what_the_app_writes_is_for_its_user_alone_also_with_an_open_umask(environ):
    before = os.umask(0)
    try:
        argv = [sys.executable, "-m", "tui", *RUN[:-1], "--python", sys.executable]
        done = subprocess.run(
            argv, env={**environ, "SAMPLE_SECONDS": "0.3"}, capture_output=True, text=True, timeout=90
        )
    finally:
        os.umask(before)
    assert done.returncode == 0, done.stderr
    state = Path(environ["XDG_STATE_HOME"]) / "trn-models"
    found = [state, *state.rglob("*")]
    assert {"trn-models.log", "run.py", "recipe.json", "state.json", "log", "outcome.json"} <= {x.name for x in found}
    open_ones = [f"{stat.filemode(path.stat().st_mode)} {path}" for path in found if path.stat().st_mode & 0o077]
    assert open_ones == []
