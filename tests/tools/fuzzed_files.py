"""Folders of damaged parquet files beside a good one, and what the app makes of them."""

from __future__ import annotations

import io
import json
import random
import shutil
import time
from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import bad_files
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from damages import damaged

from tui.catalog import ingest as ingest_module
from tui.catalog import snapshot, views
from tui.catalog.question import first_question
from tui.catalog.schema import COLUMNS, EXTRA, OWN_COLUMNS, UNCONVERTED
from tui.catalog.source_file import SourceFile
from tui.catalog.verdict import check_sentences, sentence, shown
from tui.settings import Settings

ROWS = 60
GROUPS = 3
SLOW_S = 60.0
"""A folder takes a few seconds; one file may cost a killed child and a second one."""
GOOD = ["acme/good-0", "acme/good-1", "acme/good-2"]


def usual_table() -> pa.Table:
    columns: dict[str, pa.Array] = {}
    for column in COLUMNS:
        match column.kind:
            case "text":
                columns[column.name] = pa.array([f"{column.name} {row % 7}" for row in range(ROWS)])
            case "int32":
                columns[column.name] = pa.array([row % 16 for row in range(ROWS)], pa.int32())
            case "float64":
                columns[column.name] = pa.array([row / 7 for row in range(ROWS)])
            case "time":
                moment = datetime(2026, 11, 20, tzinfo=UTC)
                columns[column.name] = pa.array([moment] * ROWS, pa.timestamp("ms", "UTC"))
    columns["run_py"] = pa.array([f"print({row})\n" * 60 for row in range(ROWS)])
    return pa.table(columns)


def odd_table() -> pa.Table:
    table = usual_table().select(["model_id", "result", "run_py"])
    odd = {
        "tp": pa.array([str(row) for row in range(ROWS)]),
        "wall_s": pa.array([row if row % 3 else None for row in range(ROWS)], pa.uint64()),
        "tested_at": pa.array([datetime(2026, 11, 20)] * ROWS, pa.timestamp("ns")),
        "library": pa.array(["transformers", "diffusers", None] * (ROWS // 3)).dictionary_encode(),
        "list": pa.array([[row, None] for row in range(ROWS)]),
        "struct": pa.array([{"a": [str(row)], "b": Decimal("1.5")} for row in range(ROWS)]),
        "map": pa.array([[("k", row)] for row in range(ROWS)], pa.map_(pa.string(), pa.int32())),
        "bytes": pa.array([bytes([row]) for row in range(ROWS)]),
        "flag": pa.array([row % 2 == 0 for row in range(ROWS)]),
        "day": pa.array(range(ROWS), pa.date32()),
        "half": pa.array([row / 2 for row in range(ROWS)], pa.float16()),
        "decimal": pa.array([Decimal(row) for row in range(ROWS)], pa.decimal128(20, 3)),
    }
    for name, array in odd.items():
        table = table.append_column(name, array)
    return table


def base_files(folder: Path) -> list[bytes]:
    """Files of many kinds with ROWS records each, and one that this app wrote."""
    files = []
    for table in (usual_table(), odd_table()):
        for options in (
            {"compression": "snappy"},
            {"compression": "zstd", "write_page_checksum": True},
            {"compression": "none", "use_dictionary": False},
            {"compression": "gzip", "data_page_version": "2.0", "store_schema": False},
            {"compression": "lz4", "data_page_size": 200, "write_page_index": True},
        ):
            buffer = io.BytesIO()
            pq.write_table(table, buffer, row_group_size=ROWS // GROUPS, **options)
            files.append(buffer.getvalue())
    source = folder / "base.parquet"
    source.write_bytes(files[5])
    own = ingest_module.ingest(source, "base", folder / "base").own
    assert own is not None
    return [*files, own.read_bytes()]


def check(
    bases: list[bytes], number: int, seed: int, work: Path, keep: Path | None = None
) -> tuple[Counter[str], list[str]]:
    """(what came of each file, what is wrong) of a folder with `number` damaged files and a good one."""
    chance = random.Random(seed)
    shutil.rmtree(work, ignore_errors=True)
    data = work / "data"
    data.mkdir(parents=True)
    (data / "good.parquet").write_bytes(bad_files.written(bad_files.table(3, model="acme/good")))
    for place in range(number):
        (data / f"{place}.parquet").write_bytes(damaged(chance.choice(bases), chance)[1])
    settings = Settings(cache_dir=work / "cache", state_dir=work / "state", config_dir=work / "config")
    started = time.monotonic()
    try:
        read = snapshot.open_path(data, settings, lambda _: None)
        took = time.monotonic() - started
        wrongs = [f"{file.name}: {wrong}" for file in read.files if (wrong := _wrong_with(file))]
        wrongs += _wrong_with_all(read)
        if took > SLOW_S:
            wrongs.append(f"took {took:.0f} s")
        again = snapshot.open_path(data, settings, lambda _: None)
        if again.files != read.files or not again.records.equals(read.records):
            wrongs.append("a second reading tells something else")
    except BaseException as error:  # noqa: BLE001 - that is what is looked for; a panic of polars is no Exception
        return Counter(), [f"seed {seed}: {type(error).__name__}: {error}"]
    if wrongs and keep is not None:
        shutil.copytree(data, keep / str(seed), dirs_exist_ok=True)
    return Counter(_outcome(file) for file in read.files if file.name != "good.parquet"), [
        f"seed {seed}: {wrong}" for wrong in wrongs
    ]


def _wrong_with(file: SourceFile) -> str:
    if file.name == "good.parquet":
        return "" if file.complete and file.rows == len(GOOD) else f"the good one: {file}"
    return loss_that_is_not_told(file) or (trouble_with_own_file(file) if file.own is not None else "")


def _wrong_with_all(read: snapshot.Snapshot) -> list[str]:
    """What the screen and the verbs do with each record, and whether the good ones are among them."""
    wrongs = []
    if [key for key in read.records["model_id"].to_list() if key in GOOD] != GOOD:
        wrongs.append("the good records are not there")
    lines = views.lines_of(read, None, first_question(read.stacks))
    views.select(read, None, first_question(read.stacks), lines)
    for place in range(read.records.height):
        record = snapshot.record_at(read, place)
        sentence(record)
        check_sentences(record)
        for name, value in record.values.items():
            shown(value, record.unconverted.get(name))
    return wrongs


def _outcome(file: SourceFile) -> str:
    if file.own is None:
        return "unreadable" if not any("reader" in problem for problem in file.problems) else "killed the reader"
    if any("crashed" in problem or "longer than" in problem for problem in file.problems):
        return "a row group killed the reader"
    return "read in part" if file.problems else "read whole"


def loss_that_is_not_told(file: SourceFile) -> str:
    if file.rows < ROWS and (not file.problems or file.lost_rows == 0):
        return f"{file.rows} of {ROWS} records, and nothing told: {file}"
    if file.lost_rows is not None and file.rows + file.lost_rows < ROWS:
        return f"{file.rows} read + {file.lost_rows} lost < {ROWS}: {file}"
    return ""


def trouble_with_own_file(file: SourceFile) -> str:
    try:
        frame = pl.read_parquet(file.own)
        for name in (EXTRA, UNCONVERTED):
            for text in frame[name].drop_nulls():
                assert isinstance(json.loads(text), dict)
        frame.to_dicts()
    except BaseException as error:  # noqa: BLE001 - polars panics are no Exception
        return f"polars: {error!r}"
    if tuple(frame.columns) != OWN_COLUMNS or frame.height != file.rows:
        return f"polars sees {frame.shape}: {file}"
    return ""
