"""Damages parquet files in thousands of ways and watches what ingest makes of them.

    python tests/soak/fuzz_ingest.py --runs 3000 --seed 1

Wrong is: an error other than the app's own, a wait beyond the limit, a record that is missing without being
told of, an own file that polars cannot open whole, or a second reading that tells something else. A
damaged file with something wrong is kept in `--keep`. Ends with 1 when anything was wrong.
"""

import argparse
import collections
import io
import json
import random
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from tui.catalog import ingest as ingest_module
from tui.catalog.schema import COLUMNS, EXTRA, OWN_COLUMNS, UNCONVERTED
from tui.catalog.source_file import SourceFile
from tui.errors import TrnModelsError

ROWS = 60
GROUPS = 3
TIME_LIMIT_S = 20.0


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


def damaged(content: bytes, chance: random.Random) -> tuple[str, bytes]:
    data = bytearray(content)
    footer = max(0, len(data) - 8 - int.from_bytes(data[-8:-4], "little"))
    kind = chance.choice(["bits", "bits in the footer", "bits in pages", "cut", "zeros", "moved", "doubled", "numbers"])
    match kind:
        case "bits" | "bits in the footer" | "bits in pages":
            first = footer if kind == "bits in the footer" else 0
            last = footer if kind == "bits in pages" else len(data)
            for _ in range(chance.choice([1, 1, 2, 8, 40])):
                data[chance.randrange(first, last)] ^= 1 << chance.randrange(8)
        case "cut":
            start = chance.randrange(len(data))
            del data[start : start + chance.choice([1, 4, 100, len(data)])]
        case "zeros":
            start = chance.randrange(len(data))
            length = min(chance.choice([4, 64, 1000]), len(data) - start)
            data[start : start + length] = bytes(length)
        case "moved" | "doubled":
            start, to = chance.randrange(len(data)), chance.randrange(len(data))
            piece = data[start : start + chance.choice([4, 64, 1000])]
            data[to : to + (len(piece) if kind == "moved" else 0)] = piece
        case "numbers":
            for _ in range(chance.choice([1, 3])):
                number = chance.choice([0, 1, 127, 2**31 - 1, -1, -(2**31), 2**62])
                place = chance.randrange(footer, len(data)) if chance.random() < 0.7 else chance.randrange(len(data))
                piece = number.to_bytes(8, "little", signed=True)[: chance.choice([1, 2, 4, 8])]
                data[place : place + len(piece)] = piece
    return kind, bytes(data)


def check(source: Path, folder: Path) -> tuple[str, str]:
    """(what came of it, what is wrong or "")."""
    started = time.monotonic()
    try:
        file = ingest_module.ingest(source, "file", folder)
    except TrnModelsError as error:
        return "error", f"ingest raised {error!r}: {error}"
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return "crash", f"ingest raised {error!r}"
    took = time.monotonic() - started
    if took > 3 * TIME_LIMIT_S:
        return "slow", f"took {took:.0f} s"
    wrong = loss_that_is_not_told(file) or difference_on_second_reading(file, source, folder)
    if file.own is not None:
        wrong = wrong or trouble_with_own_file(file)
    return outcome(file, took), wrong


def outcome(file: SourceFile, took: float) -> str:
    if file.own is None:
        return "unreadable" if not any("reader" in problem for problem in file.problems) else "killed the reader"
    if any("crashed" in problem or "longer than" in problem for problem in file.problems):
        return "a row group killed the reader"
    if file.problems:
        return "read in part"
    return "read whole" if took < TIME_LIMIT_S else "read whole, slowly"


def loss_that_is_not_told(file: SourceFile) -> str:
    if file.rows < ROWS and (not file.problems or file.lost_rows == 0):
        return f"{file.rows} of {ROWS} records, and nothing told: {file}"
    if file.lost_rows is not None and file.rows + file.lost_rows < ROWS:
        return f"{file.rows} read + {file.lost_rows} lost < {ROWS}: {file}"
    return ""


def difference_on_second_reading(file: SourceFile, source: Path, folder: Path) -> str:
    again = ingest_module.ingest(source, "file", folder)
    return "" if again == file else f"second reading: {again} instead of {file}"


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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "fuzz_ingest")
    options = parser.parse_args()
    ingest_module.TIME_LIMIT_S = TIME_LIMIT_S
    outcomes: collections.Counter[str] = collections.Counter()
    wrongs: list[str] = []
    runs = iter(range(options.runs))
    lock = threading.Lock()
    with tempfile.TemporaryDirectory() as temporary:
        bases = base_files(Path(temporary))

        def work(number: int) -> None:
            folder = Path(temporary) / f"records {number}"
            while True:
                with lock:
                    run = next(runs, None)
                if run is None:
                    return
                chance = random.Random(options.seed * 1_000_003 + run)
                kind, content = damaged(chance.choice(bases), chance)
                source = Path(temporary) / f"{run}.parquet"
                source.write_bytes(content)
                result, wrong = check(source, folder)
                source.unlink()
                for made in folder.iterdir():
                    made.unlink()
                with lock:
                    outcomes[result] += 1
                    if wrong:
                        options.keep.mkdir(exist_ok=True)
                        (options.keep / f"{options.seed}-{run}.parquet").write_bytes(content)
                        wrongs.append(wrong)
                        print(f"run {run} ({kind}): {wrong}", flush=True)
                    if sum(outcomes.values()) % 500 == 0:
                        print(dict(outcomes), flush=True)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(options.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(f"{options.runs} files: {dict(outcomes)}; wrong: {len(wrongs)}")
    return 1 if wrongs else 0


if __name__ == "__main__":
    sys.exit(main())
