"""Parquet files as others may write them, and ways to damage them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tui.catalog.columns import OWN_SCHEMA
from tui.catalog.source_file import SourceFile


def write(path: Path, *groups: dict[str, list[Any]], **options: Any) -> Path:
    """A parquet file with one row group for each of `groups`, which have the same columns."""
    tables = [pa.table(group) for group in groups]
    with pq.ParquetWriter(path, tables[0].schema, write_page_checksum=True, **options) as writer:
        for table in tables:
            writer.write_table(table, row_group_size=max(1, table.num_rows))
    return path


def three_groups(path: Path) -> Path:
    """A file with ten records in each of three row groups, uncompressed, with a checksum for each page."""
    rows = [{"model_id": [f"acme/{group}-{row}" for row in range(10)], "tp": [group] * 10} for group in "012"]
    return write(path, *rows, compression="none", use_dictionary=False)


def own_rows(file: SourceFile) -> list[dict[str, Any]]:
    """The records of the app's own file, which has exactly the own columns."""
    assert file.own is not None
    table = pq.read_table(file.own)
    assert table.schema.equals(OWN_SCHEMA)
    return table.to_pylist()


def damage(path: Path, text: bytes) -> None:
    """Change one byte of the first place where `text` is."""
    content = bytearray(path.read_bytes())
    content[content.index(text)] ^= 0x01
    path.write_bytes(content)
