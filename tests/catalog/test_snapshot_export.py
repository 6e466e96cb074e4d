"""A snapshot written to a folder and opened on another host."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from dataset_builder import FIRST, LocalDataset, models, own_file, parquet, record, said

from tui.catalog import snapshot as snapshots
from tui.catalog.snapshot import Snapshot
from tui.errors import UnreadableFileError, UsageError
from tui.settings import DEFAULT_DATASET, Settings


@pytest.fixture
def varied(dataset: LocalDataset, settings: Settings) -> Snapshot:
    """A snapshot with an extra column, a misfit, missing columns, and a file that nobody can read."""
    odd = parquet(record("one", tp="four", seed=7, run_py="print()"), record("two", "fail", tp="2", error="Boom"))
    dataset.add_revision({"data/a b.parquet": odd, "old.parquet": FIRST["old.parquet"], "bad.parquet": b"not parquet"})
    return snapshots.refresh(settings, None, said).snapshot


@pytest.fixture
def elsewhere(tmp_path: Path) -> Settings:
    """Settings of another host."""
    return Settings(cache_dir=tmp_path / "there" / "cache", state_dir=tmp_path / "there" / "state")


def test_an_export_opens_to_the_same_records_on_another_host(
    varied: Snapshot, elsewhere: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "out" / "records"
    snapshots.export(varied, folder)
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert names == ["README.txt", "data/a_b.parquet", "old.parquet", "trn-models-export.json"]
    opened = snapshots.open_path(folder, elsewhere, said)
    assert opened.records.equals(varied.records)
    assert (opened.source, opened.name) == ("data", str(folder))
    assert (opened.revision, opened.checked_at) == (varied.revision, varied.checked_at)
    assert opened.problems == varied.problems
    assert [file.name for file in opened.files] == [file.name for file in varied.files]
    assert [file.missing for file in opened.files] == [file.missing for file in varied.files]
    assert [file.extra for file in opened.files] == [file.extra for file in varied.files]
    odd = next(row for row, model in enumerate(models(opened)) if model == "one" and opened.records["extra"][row])
    again = snapshots.record_at(opened, odd)
    assert (again.extra, again.unconverted) == ({"seed": 7}, {"tp": "four"})
    assert snapshots.read_text(opened, again.file, again.row, "run_py") == "print()"


def test_the_readme_of_an_export_tells_where_it_is_from(varied: Snapshot, tmp_path: Path) -> None:
    snapshots.export(varied, tmp_path / "out")
    text = (tmp_path / "out" / "README.txt").read_text(encoding="utf-8")
    assert f"from      {DEFAULT_DATASET}\n" in text
    assert f"revision  {varied.revision}\n" in text
    assert "records   3 in 3 files\n" in text
    assert "missing   bad.parquet cannot be read" in text
    assert "trn-models --data out" in text


def test_an_export_replaces_an_earlier_one_and_leaves_nothing_of_it(
    varied: Snapshot, dataset: LocalDataset, settings: Settings, elsewhere: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    snapshots.export(varied, folder)
    dataset.add_revision({"new.parquet": parquet(record("only"))})
    newer = snapshots.refresh(settings, varied, said).snapshot
    snapshots.export(newer, folder)
    opened = snapshots.open_path(folder, elsewhere, said)
    assert (models(opened), opened.problems, opened.revision) == (["only"], (), newer.revision)
    assert [path.name for path in folder.rglob("*.parquet")] == ["new.parquet"]


def test_an_export_goes_to_no_folder_that_holds_something_else(varied: Snapshot, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "thesis.tex").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match=r"thesis.tex in it was not written by an export"):
        snapshots.export(varied, folder)
    assert [path.name for path in folder.iterdir()] == ["thesis.tex"]
    (folder / "thesis.tex").unlink()
    snapshots.export(varied, folder)
    (folder / "data" / "mine.parquet").write_bytes(parquet(record("mine")))
    with pytest.raises(UsageError, match=r"data/mine.parquet in it"):
        snapshots.export(varied, folder)
    with pytest.raises(UsageError, match="is a file"):
        snapshots.export(varied, folder / "README.txt")
    with pytest.raises(UsageError, match="cannot be written"):
        snapshots.export(varied, folder / "README.txt" / "below")


def test_what_a_killed_export_left_behind_is_no_hindrance(
    varied: Snapshot, elsewhere: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    snapshots.export(varied, folder)
    (folder / "data" / "a_b.parquet.77-0a1b2c3d.part").write_bytes(b"PAR1")
    snapshots.export(varied, folder)
    assert snapshots.open_path(folder, elsewhere, said).records.equals(varied.records)
    (folder / "film.part").touch()
    with pytest.raises(UsageError, match=r"film.part in it"):
        snapshots.export(varied, folder)


def test_an_export_that_was_changed_or_not_finished_says_so(
    varied: Snapshot, elsewhere: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    snapshots.export(varied, folder)
    (folder / "old.parquet").unlink()
    (folder / "data" / "a_b.parquet").write_bytes(parquet(record("other")))
    opened = snapshots.open_path(folder, elsewhere, said)
    assert models(opened) == ["other"]
    assert opened.complete is False
    assert "data/a b.parquet: data/a_b.parquet is not as it was exported" in opened.problems
    assert "old.parquet: its 1 record is missing: old.parquet is not in the folder" in opened.problems
    manifest = folder / "trn-models-export.json"
    values = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps({**values, "finished": False}), encoding="utf-8")
    assert any("the export was not finished" in each for each in snapshots.open_path(folder, elsewhere, said).problems)


def test_names_of_a_dataset_never_lead_out_of_the_export(varied: Snapshot, elsewhere: Settings, tmp_path: Path) -> None:
    names = ("../../evil.parquet", "/etc/evil", ".hidden/EVIL.parquet", "etc/evil.parquet")
    files = tuple(replace(varied.files[-1], name=name) for name in names)
    records = pl.concat([varied.records.filter(file=2).with_columns(file=pl.lit(n, pl.UInt32)) for n in range(4)])
    folder = tmp_path / "deep" / "down" / "out"
    snapshots.export(replace(varied, files=files, records=records), folder)
    assert not [path for path in tmp_path.rglob("*") if "evil" in path.name.lower() and folder not in path.parents]
    opened = snapshots.open_path(folder, elsewhere, said)
    assert opened.records.height == 4
    assert [file.name for file in opened.files] == list(names)


def test_an_exported_sample_is_still_the_sample(elsewhere: Settings, tmp_path: Path) -> None:
    sample = snapshots.open_sample()
    snapshots.export(sample, tmp_path / "out")
    opened = snapshots.open_path(tmp_path / "out", elsewhere, said)
    assert opened.source == "sample"
    assert opened.records.equals(sample.records)


def test_what_is_damaged_here_is_not_exported(varied: Snapshot, tmp_path: Path) -> None:
    own = next(own_file(varied, number) for number, file in enumerate(varied.files) if file.own is not None)
    content = own.read_bytes()
    own.write_bytes(content[:30] + bytes([content[30] ^ 1]) + content[31:])
    with pytest.raises(UnreadableFileError, match="the app's own copy is damaged") as caught:
        snapshots.export(varied, tmp_path / "out")
    assert str(own) in caught.value.remedy
    assert not list((tmp_path / "out").rglob("*.parquet"))
