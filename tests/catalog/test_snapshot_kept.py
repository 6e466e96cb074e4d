"""Damage to what the app keeps on this machine, and what is removed."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import polars as pl
import pytest
from dataset_builder import LocalDataset, models, own_file, parquet, record, said, write

from tui.catalog import manifest as manifests
from tui.catalog import own_files
from tui.catalog import snapshot as snapshots
from tui.errors import NoDataError, UnreadableFileError
from tui.settings import Settings


def test_an_own_file_that_is_gone_is_told_of_and_made_anew(dataset: LocalDataset, settings: Settings) -> None:
    first = snapshots.refresh(settings, None, said).snapshot
    own_file(first, 0).unlink()
    kept = snapshots.last_snapshot(settings)
    assert kept is not None
    assert models(kept) == ["one"]
    assert kept.complete is False
    assert kept.problems == (
        "data/new.parquet: its 2 records are missing: the app's own copy is damaged or gone; "
        "a refresh reads the file again",
    )
    refreshed = snapshots.refresh(settings, kept, said)
    assert refreshed.changed == "1 of 2 files changed: 2 records new"
    assert refreshed.snapshot.complete is True
    assert refreshed.snapshot.records.equals(first.records)


def test_an_own_file_with_wrong_bytes_is_no_crash_and_is_made_anew(dataset: LocalDataset, settings: Settings) -> None:
    dataset.add_revision({"a.parquet": parquet(record("one", run_py="print()"))})
    first = snapshots.refresh(settings, None, said).snapshot
    own = own_file(first, 0)
    own.write_bytes(bytes(own.stat().st_size))
    with pytest.raises(UnreadableFileError) as caught:
        snapshots.read_text(first, 0, 0, "run_py")
    assert caught.value.detail == "a.parquet: the app's own copy is damaged or missing."
    again = snapshots.refresh(settings, first, said).snapshot
    assert snapshots.read_text(again, 0, 0, "run_py") == "print()"


def test_a_panic_of_polars_is_an_error_like_any_other(
    dataset: LocalDataset, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = snapshots.refresh(settings, None, said).snapshot
    shutil.rmtree(settings.cache_dir / "index")

    def panic(*_args: object, **_options: object) -> None:
        raise pl.exceptions.PanicException("attempt to subtract with overflow")

    monkeypatch.setattr(pl, "scan_parquet", panic)
    with pytest.raises(UnreadableFileError, match="run_py cannot be read"):
        snapshots.read_text(snapshot, 0, 0, "run_py")
    assert snapshots.last_snapshot(settings) is None


def test_a_damaged_index_is_made_anew_from_the_own_files(dataset: LocalDataset, settings: Settings) -> None:
    first = snapshots.refresh(settings, None, said).snapshot
    (index,) = (settings.cache_dir / "index").glob("*.parquet")
    good = index.read_bytes()
    for bad in (b"", good[:-9], bytes(len(good)), good[:100] + b"\xff" * 40 + good[140:]):
        index.write_bytes(bad)
        kept = snapshots.last_snapshot(settings)
        assert kept is not None
        assert kept.records.equals(first.records)
        assert index.read_bytes() == good


def test_own_files_with_wrong_bytes_and_no_index_are_told_of(dataset: LocalDataset, settings: Settings) -> None:
    first = snapshots.refresh(settings, None, said).snapshot
    for path in (settings.cache_dir / "index").iterdir():
        path.unlink()
    own = own_file(first, 0)
    good = own.read_bytes()
    own.write_bytes(good[:50] + bytes(len(good) - 50))
    kept = snapshots.last_snapshot(settings)
    assert kept is not None
    assert models(kept) == ["one"]
    assert "its 2 records are missing" in kept.problems[0]
    own_file(first, 1).unlink()
    assert snapshots.last_snapshot(settings) is None


def test_an_own_file_that_says_something_else_by_now_is_never_shown(
    dataset: LocalDataset, settings: Settings, tmp_path: Path
) -> None:
    """It reads well: only its hash tells."""
    dataset.add_revision({"a.parquet": parquet(record("one", "fail", run_py="print(1)"))})
    first = snapshots.refresh(settings, None, said).snapshot
    own = own_file(first, 0)
    changed = pl.read_parquet(own.read_bytes()).with_columns(result=pl.lit("pass"), run_py=pl.lit("print(2)"))
    changed.write_parquet(own)
    with pytest.raises(UnreadableFileError):
        snapshots.read_text(first, 0, 0, "run_py")
    assert not own.exists()
    changed.write_parquet(own)
    records, (file,) = own_files.read_records(first.files, tmp_path / "no index")
    assert records.is_empty()
    assert "its 1 record is missing: the app's own copy is damaged or gone" in file.problems[0]
    changed.write_parquet(own)
    again = snapshots.refresh(settings, None, said).snapshot
    assert again.complete
    assert again.records["verdict"].to_list() == ["FAIL"]
    assert snapshots.read_text(again, 0, 0, "run_py") == "print(1)"


def test_of_a_folder_what_is_kept_and_damaged_is_read_again_at_once(settings: Settings, tmp_path: Path) -> None:
    folder = write(tmp_path / "data", a=parquet(record("one")), b=parquet(record("two")))
    first = snapshots.open_path(folder, settings, said)
    shutil.rmtree(settings.cache_dir / "index")
    own = own_file(first, 0)
    good = own.read_bytes()
    own.write_bytes(bytes(len(good)))
    again = snapshots.open_path(folder, settings, said)
    assert again.records.equals(first.records)
    assert again.problems == ()
    assert own.read_bytes() == good


@pytest.mark.parametrize(
    "content", ["", "[]", "null", '{"format": 1}', '{"format": 99}', '{"format": 1, "files": [3]}']
)
def test_a_manifest_that_is_no_manifest_is_as_good_as_none(
    dataset: LocalDataset, settings: Settings, content: str
) -> None:
    snapshots.refresh(settings, None, said)
    (manifest,) = (settings.cache_dir / "snapshots").iterdir()
    manifest.write_text(content, encoding="utf-8")
    assert snapshots.last_snapshot(settings) is None


def test_a_cache_folder_that_cannot_be_written_is_an_error_that_tells_what_to_do(
    tmp_path: Path, settings: Settings
) -> None:
    settings.cache_dir.write_text("a file is in the way", encoding="utf-8")
    folder = write(tmp_path / "data", a=parquet(record("one")))
    with pytest.raises(NoDataError, match="TRN_MODELS_CACHE_DIR"):
        snapshots.open_path(folder, settings, said)


# Housekeeping


def test_what_a_killed_app_was_writing_is_removed_after_a_day(dataset: LocalDataset, settings: Settings) -> None:
    first = snapshots.refresh(settings, None, said).snapshot
    names = ("a.json", "snapshots/a.json", "index/a.parquet", "rankings/hub/trending.json")
    parts = [settings.cache_dir / f"{name}.77-0a1b2c3d.part" for name in names]
    for part in parts:
        part.parent.mkdir(parents=True, exist_ok=True)
        part.touch()
        os.utime(part, (time.time() - 90_000,) * 2)
    dataset.add_revision({"data/new.parquet": dataset.files["data/new.parquet"]})
    snapshots.refresh(settings, first, said)
    assert [part for part in parts if part.exists()] == []


def test_what_no_manifest_names_is_removed_after_a_month(
    dataset: LocalDataset, settings: Settings, tmp_path: Path
) -> None:
    first = snapshots.refresh(settings, None, said).snapshot
    data = write(tmp_path / "data", x=parquet(record("from a folder")))
    snapshots.open_path(data, settings, said)
    folders = [settings.cache_dir / "records", settings.cache_dir / "index"]
    present = {path for folder in folders for path in folder.iterdir()}
    old = time.time() - manifests.KEPT_S - 60
    for path in present:
        os.utime(path, (old, old))
    young = own_file(snapshots.open_path(data, settings, said), 0)
    sha = dataset.add_revision({"data/new.parquet": dataset.files["data/new.parquet"]})
    second = snapshots.refresh(settings, first, said).snapshot
    left = {path for folder in folders for path in folder.iterdir()}
    assert second.revision == sha
    assert own_file(second, 0) in left
    assert {young, young.with_suffix(".json")} <= left
    gone = own_file(first, 1)
    assert not {gone, gone.with_suffix(".json")} & left
    kept = snapshots.last_snapshot(settings)
    assert kept is not None
    assert models(kept) == ["one", "two"]


def test_an_index_that_polars_cannot_write_does_not_stop_the_start(
    dataset: LocalDataset, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = snapshots.refresh(settings, None, said).snapshot
    shutil.rmtree(manifests.index_folder(settings))

    def full(*_args: object, **_options: object) -> None:
        raise pl.exceptions.ComputeError("No space left on device (os error 28)")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    kept = snapshots.last_snapshot(settings)
    assert kept is not None
    assert kept.records.equals(first.records)
