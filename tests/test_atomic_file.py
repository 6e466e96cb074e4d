"""Files that are replaced at once or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tui.atomic_file import finished_name, remove_leftovers, replacing


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("durable", [False, True])
def test_a_file_is_replaced_when_it_is_finished_and_its_folder_is_made(tmp_path: Path, durable: bool) -> None:
    path = tmp_path / "deep" / "down" / "file.json"
    for text in ("one", "two"):
        with replacing(path, durable=durable) as part:
            part.write_text(text)
            assert part.parent == path.parent
            assert finished_name(part.name) == path.name
            assert text == "one" or path.read_text() == "one"
        assert path.read_text() == text
    assert list(path.parent.iterdir()) == [path]


def test_the_umask_holds_unless_the_file_is_private(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with replacing(path) as part:
        part.write_text("for the group")
    assert mode(path) == 0o640
    with replacing(path, private=True) as part:
        assert mode(part) == 0o600
        part.write_text("for me")
    assert (mode(path), path.read_text()) == (0o600, "for me")


def test_what_fails_or_is_taken_back_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("good")
    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error), replacing(path) as part:
            part.write_text("half of")
            raise error
    with replacing(path, durable=True) as part:
        part.write_text("of no use")
        part.unlink()
    assert path.read_text() == "good"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_made_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"), replacing(tmp_path / "file" / "below"):
        pass


def test_leftovers_of_a_killed_app_go_after_a_day_and_nobody_elses_ever(tmp_path: Path) -> None:
    with replacing(tmp_path / "killed.json") as part:
        part.write_text("half of")
        name = part.name
        part.unlink()
    for each in (name, "young.json.7-0a1b2c3d.part", "film.mkv.part", "kept.json"):
        (tmp_path / each).touch()
        if not each.startswith("young"):
            os.utime(tmp_path / each, (0, 0))
    remove_leftovers(tmp_path)
    remove_leftovers(tmp_path / "gone")
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["film.mkv.part", "kept.json", "young.json.7-0a1b2c3d.part"]


def test_only_an_unfinished_file_has_another_name_when_it_is_finished() -> None:
    assert finished_name("a.parquet.12-00ff00ff.part") == "a.parquet"
    for name in ("a.parquet", "film.part", "a.12-00ff00ff.part.parquet"):
        assert finished_name(name) == name
