"""What is remembered, by whom, and what happens where nothing can be."""

from __future__ import annotations

import errno
import fcntl
import json
import logging
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tui import state
from tui.settings import Settings
from tui.state import State, load, remember


@pytest.fixture(autouse=True)
def forget_between_tests() -> Iterator[None]:
    yield
    state._unwritten.clear()
    state._reasons.clear()


def stored(settings: Settings) -> Any:
    return json.loads(state.path(settings).read_text())


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def store(settings: Settings, content: str | bytes) -> None:
    settings.state_dir.mkdir(exist_ok=True)
    state.path(settings).write_bytes(content.encode() if isinstance(content, str) else content)


def test_nothing_is_remembered_at_first_and_looking_writes_nothing(settings: Settings) -> None:
    assert load(settings) == State()
    assert not settings.state_dir.exists()


def test_what_is_remembered_is_there_at_the_next_start(settings: Settings) -> None:
    remember(settings, theme="nord", view="trending", task="image-text-to-text")
    remember(settings, sort={"selected": "-wall_s"}, searches={"small": "quartz 8b"})
    assert load(settings) == State(
        theme="nord",
        view="trending",
        task="image-text-to-text",
        sort={"selected": "-wall_s"},
        searches={"small": "quartz 8b"},
    )


def test_entries_are_added_and_forgotten_one_by_one(settings: Settings) -> None:
    remember(settings, searches={"a": "one", "b": "two"})
    changed = remember(settings, searches={"b": None, "c": "três"})
    assert changed.searches == {"a": "one", "c": "três"}
    remember(settings, theme="nord")
    assert remember(settings, theme=None).theme is None
    assert stored(settings) == {"searches": {"a": "one", "c": "três"}}


def test_keys_of_a_newer_version_are_kept(settings: Settings) -> None:
    store(settings, '{"theme": "nord", "layout": {"panes": [1, 2]}, "sort": {"selected": "tp", "new": 7}}')
    assert remember(settings, view="downloads") == State(theme="nord", view="downloads", sort={"selected": "tp"})
    assert stored(settings) == {
        "theme": "nord",
        "layout": {"panes": [1, 2]},
        "sort": {"selected": "tp", "new": 7},
        "view": "downloads",
    }


@pytest.mark.parametrize(
    "content",
    [
        '{"theme": 5, "view": null, "task": "", "sort": ["tp"], "searches": {"a": 1}}',
        '{"theme": "a\\u001b[31m", "task": "\\ud800", "sort": {"a\\nb": "tp"}, "searches": "x"}',
        json.dumps({"theme": "x" * 1001}),
    ],
)
def test_values_that_do_not_fit_are_not_used(settings: Settings, content: str) -> None:
    store(settings, content)
    assert load(settings) == State()
    assert remember(settings, theme="nord").theme == "nord"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"theme": "no',
        b"[]",
        b"\xff\xfe\x00",
        b"[" * 200_000,
        b" " * 1_000_001,
    ],
    ids=["empty", "cut off", "a list", "no text", "nested", "huge"],
)
def test_a_damaged_file_is_moved_aside(settings: Settings, content: bytes) -> None:
    store(settings, content)
    assert load(settings) == State()
    assert not state.path(settings).exists()
    assert (settings.state_dir / "state.json.damaged").read_bytes() == content
    store(settings, content)
    assert remember(settings, theme="nord") == load(settings) == State(theme="nord")


def test_it_is_private_and_leaves_no_other_files(settings: Settings) -> None:
    remember(settings, theme="nord")
    assert stat.S_IMODE(settings.state_dir.stat().st_mode) == 0o700
    assert stat.S_IMODE(state.path(settings).stat().st_mode) == 0o600
    assert names_in(settings.state_dir) == ["state.json", "state.json.lock"]


def test_two_apps_keep_each_others_changes(settings: Settings) -> None:
    program = """
import sys
from pathlib import Path
from tui.settings import Settings
from tui.state import remember
settings = Settings(state_dir=Path(sys.argv[1]))
sys.stdin.readline()
for number in range(25):
    remember(settings, searches={f"{sys.argv[2]}-{number}": "text"})
"""
    apps = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(settings.state_dir), name], stdin=subprocess.PIPE, text=True
        )
        for name in ("one", "two", "three")
    ]
    for app in apps:
        app.communicate("go\n", timeout=60)
    assert [app.returncode for app in apps] == [0, 0, 0]
    names = {f"{name}-{number}" for name in ("one", "two", "three") for number in range(25)}
    assert set(load(settings).searches) == names


def hold_the_lock(settings: Settings) -> int:
    settings.state_dir.mkdir(exist_ok=True)
    lock = os.open(settings.state_dir / "state.json.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def test_a_held_lock_is_waited_for_only_shortly_and_the_change_follows_later(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "LOCK_WAIT_S", 0.05)
    lock = hold_the_lock(settings)
    assert remember(settings, theme="nord", searches={"a": "x"}) == State(theme="nord", searches={"a": "x"})
    assert not state.path(settings).exists()
    store(settings, '{"view": "downloads", "searches": {"a": "old", "b": "y"}}')
    assert load(settings).searches == {"a": "x", "b": "y"}
    remember(settings, searches={"b": None})
    os.close(lock)
    assert remember(settings, task="any") == load(settings)
    assert stored(settings) == {
        "view": "downloads",
        "theme": "nord",
        "task": "any",
        "searches": {"a": "x"},
    }


def test_a_lock_that_is_a_link_is_not_followed(settings: Settings, tmp_path: Path) -> None:
    settings.state_dir.mkdir()
    (settings.state_dir / "state.json.lock").symlink_to(tmp_path / "elsewhere")
    remember(settings, theme="nord")
    assert not (tmp_path / "elsewhere").exists()


def test_without_a_folder_it_remembers_until_the_end_and_logs_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    settings = Settings(state_dir=tmp_path / "file" / "state")
    with caplog.at_level(logging.INFO):
        load(settings)
        caplog.clear()
        remember(settings, theme="nord", sort={"selected": "tp"})
        remember(settings, view="trending", sort={"trending": "-wall_s", "selected": None})
    assert load(settings) == State(theme="nord", view="trending", sort={"trending": "-wall_s"})
    assert [record.message for record in caplog.records if "until the app ends" in record.message] == [
        f"{state.path(settings)} cannot be written, changes last until the app ends: "
        f"[Errno {errno.ENOTDIR}] Not a directory: '{settings.state_dir}'"
    ]
    assert len(caplog.records) == 1


def test_a_full_disk_leaves_the_file_as_it_was(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(settings, theme="nord")
    before = state.path(settings).read_bytes()

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert remember(settings, theme="gruvbox").theme == "gruvbox"
        assert state.path(settings).read_bytes() == before
        assert names_in(settings.state_dir) == ["state.json", "state.json.lock"]
    remember(settings, view="selected")
    assert stored(settings) == {"theme": "gruvbox", "view": "selected"}


def test_a_folder_that_vanishes_is_made_again(settings: Settings) -> None:
    remember(settings, theme="nord")
    for file in settings.state_dir.iterdir():
        file.unlink()
    settings.state_dir.rmdir()
    remember(settings, view="selected")
    assert load(settings) == State(view="selected")


@pytest.mark.parametrize(
    "change",
    [{"thme": "nord"}, {"theme": 5}, {"theme": "a\x1bb"}, {"sort": "tp"}, {"searches": {"": "x"}}, {"sort": None}],
)
def test_a_change_that_does_not_fit_is_refused(settings: Settings, change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="remembered"):
        remember(settings, **change)
    assert not settings.state_dir.exists()
