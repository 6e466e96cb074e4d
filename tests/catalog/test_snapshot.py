"""Records from a folder or a file, and one record of a snapshot."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from dataset_builder import models, parquet, record, said, write

from tui.catalog import snapshot as snapshots
from tui.catalog.verdict import Verdict
from tui.errors import NoDataError
from tui.settings import Settings

# --data


def test_a_folder_is_read_with_its_subfolders_in_order_and_without_hidden_files(
    tmp_path: Path, settings: Settings
) -> None:
    folder = write(tmp_path / "data", b=parquet(record("two")), a=parquet(record("one")))
    write(folder / "more", c=parquet(record("three"), record("four", "fail", error="Boom")))
    write(folder / ".cache", d=parquet(record("hidden")))
    (folder / ".e.parquet").write_bytes(parquet(record("hidden too")))
    (folder / "notes.txt").write_text("no records", encoding="utf-8")
    told: list[str] = []
    snapshot = snapshots.open_path(folder, settings, told.append)
    assert models(snapshot) == ["one", "two", "three", "four"]
    assert [file.name for file in snapshot.files] == ["a.parquet", "b.parquet", "more/c.parquet"]
    assert snapshot.records.select("file", "row").rows() == [(0, 0), (1, 0), (2, 0), (2, 1)]
    assert snapshot.records["has_error"].to_list() == [False, False, False, True]
    assert (snapshot.source, snapshot.name, snapshot.revision) == ("data", str(folder), None)
    assert (snapshot.checked_at, snapshot.complete, snapshot.problems) == (None, True, ())
    assert told[-1] == "3 of 3 files read"


def test_values_that_do_not_fit_their_column_are_told_by_file_and_column(tmp_path: Path, settings: Settings) -> None:
    folder = write(
        tmp_path / "data",
        a=parquet(record("one", tp="many"), record("two", tp="few"), record("three", tp="8")),
        b=parquet(record("four", wall_s="long")),
        c=parquet(record("five")),
    )
    snapshot = snapshots.open_path(folder, settings, said)
    assert snapshot.remarks == (
        "a.parquet: 2 values of tp do not fit the column and are shown as they stand",
        "b.parquet: 1 value of wall_s does not fit the column and is shown as it stands",
    )
    assert snapshot.problems == ()


def test_links_are_followed_once(tmp_path: Path, settings: Settings) -> None:
    folder = write(tmp_path / "data", a=parquet(record("one")))
    write(tmp_path / "elsewhere", b=parquet(record("two")))
    (folder / "linked").symlink_to(tmp_path / "elsewhere")
    (folder / "back").symlink_to(folder)
    (folder / "gone.parquet").symlink_to(tmp_path / "nowhere.parquet")
    snapshot = snapshots.open_path(folder, settings, said)
    assert models(snapshot) == ["one", "two"]
    assert [problem.partition(" ")[0] for problem in snapshot.problems] == ["gone.parquet"]


def test_one_file_is_read_whatever_its_name(tmp_path: Path, settings: Settings) -> None:
    path = tmp_path / "records.bin"
    path.write_bytes(parquet(record("one", tested_at=datetime(2026, 11, 20, 12, tzinfo=UTC))))
    snapshot = snapshots.open_path(path, settings, said)
    assert models(snapshot) == ["one"]
    assert snapshot.newest_test == datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_a_second_opening_starts_no_child(tmp_path: Path, settings: Settings, no_child: Callable[[], None]) -> None:
    folder = write(tmp_path / "data", a=parquet(record("one")), b=parquet(record("two")))
    snapshots.open_path(folder, settings, said)
    no_child()
    assert models(snapshots.open_path(folder, settings, said)) == ["one", "two"]


def test_every_column_has_its_type_though_it_is_missing_or_null(tmp_path: Path, settings: Settings) -> None:
    folder = write(tmp_path / "data", a=parquet({"model_id": "acme/one", "notes": None}))
    records = snapshots.open_path(folder, settings, said).records
    assert (records.schema["tp"], records.schema["wall_s"]) == (pl.Int32, pl.Int32)
    assert records.schema["hbm_peak_gb"] == pl.Float64
    assert records.schema["tested_at"] == pl.Datetime("ms", "UTC")
    assert (records.schema["notes"], records.schema["exclusion"], records.schema["extra"]) == (pl.String,) * 3
    assert (records.schema["file"], records.schema["row"]) == (pl.UInt32, pl.UInt32)
    assert "run_py" not in records.columns
    assert records.row(0, named=True)["key"] == "acme/one"


def test_a_damaged_file_is_named_and_hides_no_other(tmp_path: Path, settings: Settings) -> None:
    folder = write(tmp_path / "data", a=b"PAR1 is not enough PAR1", b=parquet(record("two")))
    snapshot = snapshots.open_path(folder, settings, said)
    assert models(snapshot) == ["two"]
    assert snapshot.complete is False
    (problem,) = snapshot.problems
    assert problem.startswith("a.parquet cannot be read")
    assert snapshots.record_at(snapshot, 0).file == 1


def test_when_nothing_can_be_read_every_file_is_named(tmp_path: Path, settings: Settings) -> None:
    folder = write(tmp_path / "data", a=b"nothing", b=b"")
    with pytest.raises(NoDataError) as caught:
        snapshots.open_path(folder, settings, said)
    assert caught.value.title == f"No record of {folder} could be read"
    assert [line.partition(" ")[0] for line in caught.value.detail.splitlines()] == ["a.parquet", "b.parquet"]


@pytest.mark.parametrize("make", ["nothing", "an empty folder", "a folder with other files"])
def test_where_there_is_no_parquet_file_it_says_so(tmp_path: Path, settings: Settings, make: str) -> None:
    folder = tmp_path / "data"
    if make != "nothing":
        folder.mkdir()
    if make == "a folder with other files":
        (folder / "readme.md").touch()
    with pytest.raises(NoDataError, match=str(folder)):
        snapshots.open_path(folder, settings, said)


@pytest.mark.skipif(os.geteuid() == 0, reason="root can look into every folder")
def test_a_folder_that_cannot_be_looked_into_is_told_of(tmp_path: Path, settings: Settings) -> None:
    folder = write(tmp_path / "data", a=parquet(record("one")))
    locked = folder / "locked"
    locked.mkdir(mode=0)
    snapshot = snapshots.open_path(folder, settings, said)
    assert snapshot.complete is False
    assert snapshot.problems[0].startswith("locked: the folder cannot be read: Permission denied")


# One record


def test_a_record_comes_with_its_extra_columns_and_the_values_that_did_not_fit(
    tmp_path: Path, settings: Settings
) -> None:
    rows = [record("one", tp="4", seed=7), record("two", "fail", tp="four", seed=None, hbm_peak_gb=float("nan"))]
    snapshot = snapshots.open_path(write(tmp_path / "data", a=parquet(*rows)), settings, said)
    first, second = (snapshots.record_at(snapshot, index) for index in (0, 1))
    assert (first.tp, first.extra, first.unconverted, first.verdict) == (4, {"seed": 7}, {}, Verdict.PASS)
    assert (second.tp, second.unconverted, second.verdict) == (None, {"tp": "four"}, Verdict.FAIL)
    assert str(second.values["hbm_peak_gb"]) == "nan"
    assert "run_py" not in first.values


def test_long_texts_are_read_from_disk_as_they_stand(tmp_path: Path, settings: Settings) -> None:
    script = "import os\n\tprint('é\x1b[31m')\n"
    rows = [record("one", run_py=script, error=None), record("two", run_py="", error="None")]
    snapshot = snapshots.open_path(write(tmp_path / "data", a=parquet(*rows)), settings, said)
    assert snapshots.read_text(snapshot, 0, 0, "run_py") == script
    assert snapshots.read_text(snapshot, 0, 0, "error") is None
    assert snapshots.read_text(snapshot, *snapshots.place_of(snapshot, 1), "run_py") == ""
    assert snapshots.read_text(snapshot, 0, 1, "error") == "None"
    assert snapshot.records.select("has_run_py", "has_error").rows() == [(True, False), (False, True)]
