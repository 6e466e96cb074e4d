"""Every kind of bad file beside a good one: the good one is read, the bad one is named, and nothing becomes a PASS."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import bad_files
import fuzzed_files
import polars as pl
import pyarrow as pa
import pytest
from dataset_builder import said, write
from foreign_files import own_rows
from read_here import read_in_this_process

from tui import export
from tui.catalog import conform, views
from tui.catalog import snapshot as snapshots
from tui.catalog.lines import sorted_by
from tui.catalog.own_files import SHORT_COLUMNS
from tui.catalog.question import first_question
from tui.catalog.schema import COLUMN_NAMES, COLUMNS
from tui.catalog.snapshot import Snapshot
from tui.catalog.stacks import StackChoice
from tui.catalog.verdict import Verdict, check_sentences, sentence, shown
from tui.settings import Settings

GOOD = bad_files.written(bad_files.table(3, model="acme/good"))
IDS = ["acme/good-0", "acme/good-1", "acme/good-2"]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in this process, which takes no time to start. Not for files that could end it."""
    read_in_this_process(monkeypatch.setattr)


def opened(settings: Settings, folder: Path, **files: bytes) -> Snapshot:
    return snapshots.open_path(write(folder, **files), settings, said)


def everything_is_shown(snapshot: Snapshot) -> None:
    """What the screen, `show`, `list` and the exports make of each record raises nothing."""
    for place in range(snapshot.records.height):
        record = snapshots.record_at(snapshot, place)
        assert sentence(record)
        check_sentences(record)
        for name, value in record.values.items():
            assert shown(value, record.unconverted.get(name))
        file, row = snapshots.place_of(snapshot, place)
        snapshots.read_long_texts(snapshot, file, row)
    newest = first_question(snapshot.stacks)
    for question in (newest, replace(newest, stack=StackChoice(), left_out=True)):
        lines = views.lines_of(snapshot, None, question)
        views.select(snapshot, None, question, lines)
        for column in ("tp", "wall_s", "hbm_peak_gb", "hbm_capacity_gb", "tested_at", "neuronx_cc", "model_id"):
            for descending in (True, False):
                assert sorted_by(lines, column, descending=descending).height == lines.height
        export.table(lines, width=100)
        list(export.json_lines(lines))
        export.csv_bytes(lines)


def test_what_is_no_parquet_file_is_named_for_what_it_is(settings: Settings, tmp_path: Path) -> None:
    bad = bad_files.not_parquet()
    snapshot = opened(settings, tmp_path / "data", good=GOOD, **{name: content for name, (content, _) in bad.items()})
    assert sorted(snapshot.records["model_id"]) == IDS
    assert sorted(snapshot.problems) == sorted(
        f"{name}.parquet cannot be read: {why}; how many records it holds is not known"
        for name, (_, why) in bad.items()
    )
    assert not snapshot.complete


@pytest.mark.usefixtures("here")
def test_every_codec_is_read_and_one_that_cannot_be_is_named(settings: Settings, tmp_path: Path) -> None:
    readable = {codec: bad_files.written(bad_files.table(2, model=f"acme/{codec}"), compression=codec)
                for codec in bad_files.CODECS}  # fmt: skip
    snapshot = opened(settings, tmp_path / "data", lzo=bad_files.of_codec(3), new=bad_files.of_codec(40), **readable)
    assert set(snapshot.records["model_id"]) == {f"acme/{codec}-{row}" for codec in bad_files.CODECS for row in (0, 1)}
    lzo, new = snapshot.problems
    assert lzo.startswith("lzo.parquet: 2 records in row group 1 of 1 could not be read: ")
    assert "LZO" in lzo
    assert new.startswith("new.parquet: 2 records in row group 1 of 1 could not be read: ")
    assert "codec value: 40" in new


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("kind", bad_files.one_array_of_each_type())
def test_every_arrow_type_in_every_column_is_read_and_shown(settings: Settings, tmp_path: Path, kind: str) -> None:
    array = bad_files.one_array_of_each_type()[kind]
    file = bad_files.written(pa.table(dict.fromkeys(COLUMN_NAMES, array)))
    snapshot = opened(settings, tmp_path / "data", good=GOOD, odd=file)
    assert snapshot.problems == ()
    odd = snapshot.records.filter(pl.col("file") == 1)
    assert odd.height == 3
    values = array.to_pylist()
    raw = [json.loads(text or "{}") for text in odd["unconverted"]]
    texts = own_rows(snapshot.files[1])
    for place, value in enumerate(values):
        for column in COLUMNS:
            kept = texts[place][column.name]
            assert (kept is None and column.name not in raw[place]) == (value is None), (column, value, kept)
    words = [str(value).casefold() if isinstance(value, str) else "" for value in values]
    assert [verdict == "PASS" for verdict in odd["verdict"]] == [word == "pass" for word in words]
    everything_is_shown(snapshot)


@pytest.mark.usefixtures("here")
def test_figures_and_times_at_their_ends_are_shown_as_they_are(settings: Settings, tmp_path: Path) -> None:
    snapshot = opened(settings, tmp_path / "data", extremes=bad_files.extremes())
    records = [snapshots.record_at(snapshot, place) for place in range(6)]
    assert tuple(sentence(record) for record in records) == bad_files.EXTREME_SENTENCES
    assert [shown(record.values["tested_at"], record.unconverted.get("tested_at")) for record in records] == [
        "0001-01-01 00:00:00.000Z?", "0001-01-02 00:00", "9999-12-31 23:59:59.000Z?", "9999-12-30 23:59",
        "4611686018427387904Z?", "1970-01-01 00:00",
    ]  # fmt: skip
    everything_is_shown(snapshot)


@pytest.mark.usefixtures("here")
def test_records_that_stand_there_twice_are_one_line_and_all_counted(settings: Settings, tmp_path: Path) -> None:
    twice = bad_files.table(2, model_id=["acme/twice"] * 2, result=["pass"] * 2)
    file = bad_files.written(pa.concat_tables([twice, twice]))
    snapshot = opened(settings, tmp_path / "data", a=file, b=file)
    assert snapshot.records.height == 8
    (line,) = views.lines_of(snapshot, None, first_question(snapshot.stacks)).to_dicts()
    assert (line["model_id"], line["verdict"], line["records"], line["disagree"]) == ("acme/twice", "PASS", 8, "")
    everything_is_shown(snapshot)


@pytest.mark.usefixtures("here")
def test_a_file_of_nulls_has_records_without_a_name_and_without_a_result(settings: Settings, tmp_path: Path) -> None:
    nothing = bad_files.table(2)
    nulls = pa.table([pa.nulls(2, field.type) for field in nothing.schema], schema=nothing.schema)
    snapshot = opened(settings, tmp_path / "data", nulls=bad_files.written(nulls))
    assert snapshot.records.height == 2
    assert set(snapshot.records["verdict"]) == {Verdict.OTHER}
    everything_is_shown(snapshot)


@pytest.mark.usefixtures("here")
def test_very_long_cells_are_cut_and_told_of_and_not_kept_in_memory(settings: Settings, tmp_path: Path) -> None:
    names = ("notes", "wall_s", "run_py", "error", "new")
    long = {name: [name[0] * bad_files.LONG, None] for name in names}
    file = bad_files.written(pa.table({**long, "model_id": ["acme/long", "acme/short"]}))
    snapshot = opened(settings, tmp_path / "data", long=file)
    assert snapshot.problems == ()
    assert len(snapshot.remarks) == 4
    record = snapshots.record_at(snapshot, 0)
    assert record.values["notes"] == "n" * 200_000 + "… (cut: 10,000,000 characters in all)"
    assert record.extra["new"] == "n" * 200_000 + "… (cut: 10,000,000 characters in all)"
    assert record.unconverted["wall_s"] == "w" * 1_000 + "… (cut: 10,000,000 characters in all)"
    script, error = snapshots.read_long_texts(snapshot, 0, 0)
    assert script == "r" * (4 << 20) + "… (cut: 10,000,000 characters in all)"
    assert error == "e" * (4 << 20) + "… (cut: 10,000,000 characters in all)"
    assert snapshot.records.select(SHORT_COLUMNS).estimated_size() < 500_000
    everything_is_shown(snapshot)
    # What was cut once is not cut again, as when an export of it is opened.
    own = snapshot.files[0].own
    assert own is not None
    again = snapshots.record_at(opened(settings, tmp_path / "again", long=own.read_bytes()), 0)
    assert {**again.values, **again.extra, **again.unconverted} == {
        **record.values, **record.extra, **record.unconverted,
    }  # fmt: skip


@pytest.mark.usefixtures("here")
def test_many_small_row_groups_become_few(settings: Settings, tmp_path: Path) -> None:
    file = bad_files.written(bad_files.table(100, model="acme/many"), row_group_size=1)
    snapshot = opened(settings, tmp_path / "data", many=file)
    assert snapshot.records["model_id"].to_list() == [f"acme/many-{row}" for row in range(100)]
    assert pa.parquet.ParquetFile(snapshot.files[0].own).metadata.num_row_groups == 1


@pytest.mark.usefixtures("here")
def test_of_a_file_that_takes_too_long_the_beginning_is_kept(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = bad_files.written(bad_files.table(40, model="acme/slow"), row_group_size=1)
    clock = iter(range(10_000))
    monkeypatch.setattr(conform.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(conform, "ENOUGH_S", 10.0)
    snapshot = opened(settings, tmp_path / "data", slow=file)
    assert snapshot.records.height == 10
    assert snapshot.problems == (
        "slow.parquet: 30 records in row group 11 of 40 and 29 more places could not be read: "
        "reading took longer than 10 s",
    )
    assert snapshot.files[0].lost_rows == 30


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "columns",
    [{"n" * 5_000_000: ["x", "y"]}, {f"c{number}": ["x", "y"] for number in range(1000)}],
    ids=["long", "many"],
)
def test_long_names_and_many_columns_are_no_trouble(
    settings: Settings, tmp_path: Path, columns: dict[str, list[str]]
) -> None:
    file = bad_files.table(2).to_pydict() | columns
    snapshot = opened(settings, tmp_path / "data", wide=bad_files.written(pa.table(file)))
    assert snapshot.complete
    extra = snapshots.record_at(snapshot, 0).extra
    assert len(extra) == len(columns)
    assert max(map(len, extra)) <= 250
    everything_is_shown(snapshot)


def test_a_file_that_asks_for_exabytes_is_named_and_ends_nothing(settings: Settings, tmp_path: Path) -> None:
    bad = bad_files.asking_for_exabytes(bad_files.written(bad_files.table(60), compression="zstd"))
    snapshot = opened(settings, tmp_path / "data", bad=bad, good=GOOD)
    assert snapshot.records["model_id"].to_list() == IDS
    (problem,) = snapshot.problems
    assert problem.startswith("bad.parquet: 60 records in row group 1 of 1 could not be read: ")


def test_an_own_file_that_asks_for_exabytes_is_never_opened(settings: Settings, tmp_path: Path) -> None:
    """polars would end the process, so all is done in another one."""
    snapshot = opened(settings, tmp_path / "data", good=bad_files.written(bad_files.table(60), compression="zstd"))
    own = snapshot.files[0].own
    assert own is not None
    own.write_bytes(bad_files.asking_for_exabytes(own.read_bytes()))
    for path in (settings.cache_dir / "index").iterdir():
        path.unlink()
    program = (
        "import pathlib, sys\n"
        "from tui.catalog import snapshot\n"
        "from tui.settings import Settings\n"
        "data, cache, state, config = map(pathlib.Path, sys.argv[1:])\n"
        "settings = Settings(cache_dir=cache, state_dir=state, config_dir=config)\n"
        "read = snapshot.open_path(data, settings, lambda text: None)\n"
        "print(read.records.height, read.problems, snapshot.read_text(read, 0, 59, 'run_py'))\n"
    )
    folders = [settings.cache_dir, settings.state_dir, settings.config_dir]
    argv = [sys.executable, "-c", program, tmp_path / "data", *folders]
    ran = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert (ran.stdout, ran.returncode) == ("60 () run_py 59\n", 0), ran.stderr


@pytest.mark.parametrize("seed", [11, 12])
def test_of_files_damaged_at_random_all_that_is_missing_is_named(tmp_path: Path, seed: int) -> None:
    """tests/soak/fuzz_ingest.py does this for thousands."""
    outcomes, wrong = fuzzed_files.check(fuzzed_files.base_files(tmp_path), 12, seed, tmp_path / "work")
    assert wrong == []
    assert outcomes.total() == 12
    assert len(outcomes) > 1
