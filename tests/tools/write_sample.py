"""Write the bundled sample: `python tests/tools/write_sample.py` replaces what is in tui/sample/.

The invented records are first written as parquet files like those of the dataset, each with its own
irregularities, and then read by the app's own ingest: the app opens the sample without a child process.

    --to FOLDER       write the sample there instead
    --sources FOLDER  only write the files as a dataset would have them
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import sample_records as sample
from sample_ranking import rankings

from tui.catalog.ingest import ingest_all
from tui.catalog.manifest import file_values
from tui.catalog.own_files import read_records
from tui.catalog.schema import COLUMNS

SAMPLE_FOLDER = Path(__file__).parents[2] / "tui" / "sample"
TYPES = {
    "text": pa.string(),
    "int32": pa.int32(),
    "float64": pa.float64(),
    "time": pa.timestamp("ms", tz="UTC"),
}
SCHEMA = pa.schema([(column.name, TYPES[column.kind]) for column in COLUMNS])


def _table(stack: sample.SampleStack, rows: Sequence[sample.Row], schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pylist(sample.complete_rows(stack, rows), schema=schema)


def source_tables() -> dict[str, pa.Table]:
    """The sample as a dataset would have it: {file name: table}."""
    extra = SCHEMA.append(pa.field("seed", pa.int64())).append(pa.field("hub_revision", pa.string()))
    oldest = sample.OLDEST_ROWS
    older_columns = pa.schema(
        [field for field in SCHEMA if field.name not in ("exclusion", "tp", "wall_s")]
        + [pa.field("tp", pa.string()), pa.field("wall_s", pa.int64())]
    )
    return {
        "neuronx-cc-2.28/transformers.parquet": _table(sample.NEWEST, sample.NEWEST_ROWS, SCHEMA),
        "neuronx-cc-2.27/transformers.parquet": _table(sample.MIDDLE, sample.MIDDLE_ROWS, extra),
        "neuronx-cc-2.26/transformers.parquet": _table(
            sample.OLDEST, [{**row, "tp": str(row["tp"])} for row in oldest], older_columns
        ),
        "neuronx-cc-2.28/diffusers.parquet": _table(sample.DIFFUSERS, sample.DIFFUSERS_ROWS, SCHEMA),
        "neuronx-cc-2.27/sentence-transformers.parquet": _table(sample.EMBEDDING, sample.EMBEDDING_ROWS, SCHEMA),
    }


def write_sources(folder: Path) -> list[Path]:
    """Write the sample's files as a dataset would have them; returns their paths."""
    paths = []
    for name, table in source_tables().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path, compression="zstd")
        paths.append(path)
    return paths


def write_sample(folder: Path) -> None:
    """Write own files, their index, the manifest and the rankings to `folder`, in place of earlier ones."""
    for name in ("records", "index"):
        shutil.rmtree(folder / name, ignore_errors=True)
    records = folder / "records"
    with tempfile.TemporaryDirectory() as temporary:
        sources = [(str(path.relative_to(temporary)), path) for path in write_sources(Path(temporary))]
        files = ingest_all(sources, records)
    for report in records.glob("*.json"):
        report.unlink()  # the manifest says the same
    read_records(files, folder / "index")
    _write_json(folder / "manifest.json", {"files": file_values(files)})
    _write_json(folder / "ranking.json", rankings())
    for path in folder.rglob("*.*"):
        path.chmod(0o644)


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage="%(prog)s [options]"
    )
    parser.add_argument("--to", type=Path, metavar="FOLDER", default=SAMPLE_FOLDER, help=argparse.SUPPRESS)
    parser.add_argument("--sources", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.sources is not None:
        write_sources(arguments.sources)
    else:
        write_sample(arguments.to)


if __name__ == "__main__":
    main()
