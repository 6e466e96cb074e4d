"""Snapshots and rankings by hand: what `views` reads of them, without files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import polars as pl

from tui.catalog.records import with_derived_columns
from tui.catalog.schema import COLUMNS, EXTRA, LONG_TEXT, UNCONVERTED
from tui.catalog.stacks import StackCount, stacks_of

NEWEST = {"neuronx_cc": "2.28.7631.0", "library": "transformers", "library_version": "5.23.1"}
OLDER = {"neuronx_cc": "2.27.5334.0", "library": "transformers", "library_version": "5.21.0"}
OLDEST = {"neuronx_cc": "2.9.100.0", "library": "transformers", "library_version": "5.9.0"}

_KINDS: Mapping[str, pl.DataType] = {
    "text": pl.String(),
    "int32": pl.Int32(),
    "float64": pl.Float64(),
    "time": pl.Datetime("ms", "UTC"),
}
SCHEMA = {column.name: _KINDS[column.kind] for column in COLUMNS if column.name not in LONG_TEXT} | {
    EXTRA: pl.String(),
    UNCONVERTED: pl.String(),
    "file": pl.UInt32(),
    "row": pl.UInt32(),
}


@dataclass(frozen=True)
class HandmadeSnapshot:
    records: pl.DataFrame
    source: str = "data"
    complete: bool = True

    @cached_property
    def stacks(self) -> tuple[StackCount, ...]:
        return stacks_of(self.records)


@dataclass(frozen=True)
class HandmadeRanking:
    models: pl.DataFrame
    sample: bool = False


def on(day: int, month: int = 11) -> datetime:
    return datetime(2026, month, day, 12, tzinfo=UTC)


def frame(*rows: Mapping[str, Any]) -> pl.DataFrame:
    """Records of the newest stack unless told otherwise; `unconverted` may be a mapping."""
    filled = []
    for number, row in enumerate(rows):
        raw = row.get(UNCONVERTED)
        values = {"file": 0, "row": number, **NEWEST, **row}
        filled.append({**values, UNCONVERTED: json.dumps(raw) if isinstance(raw, Mapping) else raw})
    return pl.DataFrame([{name: row.get(name) for name in SCHEMA} for row in filled], schema=SCHEMA)


def snapshot(*rows: Mapping[str, Any], source: str = "data", complete: bool = True) -> Any:
    return HandmadeSnapshot(with_derived_columns(frame(*rows)), source, complete)


def ranking(*rows: str | tuple[str, str | None], sample: bool = False) -> Any:
    """A ranking of ids, or of (id, Hub library); figures fall from 100."""
    pairs = [(row, "transformers") if isinstance(row, str) else row for row in rows]
    models = pl.DataFrame(
        {
            "rank": range(1, len(pairs) + 1),
            "model_id": [model_id for model_id, _ in pairs],
            "key": [model_id.casefold() for model_id, _ in pairs],
            "figure": [100 - place for place in range(len(pairs))],
            "library": [library for _, library in pairs],
        },
        schema={
            "rank": pl.UInt32,
            "model_id": pl.String,
            "key": pl.String,
            "figure": pl.Int64,
            "library": pl.String,
        },
    )
    return HandmadeRanking(models, sample)
