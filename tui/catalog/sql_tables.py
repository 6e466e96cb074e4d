"""The tables that SQL is asked about: `records` and `ranking`."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Final

import polars as pl

from tui.catalog import kept_rankings, rankings
from tui.catalog.schema import COLUMN_NAMES, EXTRA, LONG_TEXT, UNCONVERTED
from tui.errors import UnreadableFileError
from tui.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Collection

    from tui.catalog.snapshot import Snapshot

log = logging.getLogger(__name__)

RECORDS: Final = "records"
RANKING: Final = "ranking"

RECORD_COLUMNS: Final = (
    *(name for name in COLUMN_NAMES if name not in LONG_TEXT), "verdict", "has_run_py", "has_error", EXTRA, UNCONVERTED,
)  # fmt: skip
"""Columns of `records` in their order; those of LONG_TEXT follow where they are asked for."""

RANKING_COLUMNS: Final = (
    "view", "task", "rank", "model_id", "figure", "library", "pipeline_tag", "gated", "likes", "downloads",
    "parameters", "fetched_at",
)  # fmt: skip
"""Columns of `ranking` in their order: `rankings.COLUMNS`, and which ranking it is."""


def records_table(snapshot: Snapshot, long_texts: Collection[str] = ()) -> pl.DataFrame:
    """Every record, a row each. `verdict` is text: PASS, FAIL, OTHER or EXCLUDED.

    `long_texts` are names of LONG_TEXT; only these are read, of every record, which takes as much memory as they are
    long. Raises `UnreadableFileError` when one of the app's own files is damaged or gone.
    """
    names = [name for name in COLUMN_NAMES if name in LONG_TEXT and name in long_texts]
    records = snapshot.records
    if names:
        texts = _long_texts(snapshot, names)
        records = records.join(texts, on=["file", "row"], how="left", maintain_order="left")
    return records.select(*RECORD_COLUMNS, *names).with_columns(pl.col("verdict").cast(pl.String))


def ranking_table(settings: Settings, *, sample: bool) -> pl.DataFrame:
    """Every model of every ranking on disk, of the sample's with `sample`; by view, task and rank. No request."""
    types = {**rankings.COLUMNS, "view": pl.String, "task": pl.String, "fetched_at": pl.Datetime("ms", "UTC")}
    empty = pl.DataFrame(schema={name: types[name] for name in RANKING_COLUMNS})
    kept = kept_rankings.every_of_sample() if sample else kept_rankings.every(settings)
    frames = [
        each.models.with_columns(
            view=pl.lit(str(each.view)),
            task=pl.lit(each.task),
            fetched_at=pl.lit(each.fetched_at, pl.Datetime("ms", "UTC")),
        ).select(RANKING_COLUMNS)
        for each in kept
    ]
    return pl.concat([empty, *frames]).sort("view", "task", "rank")


def long_texts_named(query: str) -> frozenset[str]:
    """Columns of LONG_TEXT whose name is a word of the query, be it within a text: then one is read in vain."""
    return LONG_TEXT & set(re.findall(r"\w+", query))


def _long_texts(snapshot: Snapshot, names: list[str]) -> pl.DataFrame:
    schema = {"file": pl.UInt32, "row": pl.UInt32, **dict.fromkeys(names, pl.String)}
    frames = [pl.DataFrame(schema=schema)]
    for number, file in enumerate(snapshot.files):
        if file.own is None:
            continue  # its records are not in the snapshot either
        try:
            texts = pl.scan_parquet(file.own, glob=False).select(names).collect(engine="streaming")
        except (Exception, pl.exceptions.PanicException) as error:
            # What polars raises on damaged bytes is open; a panic is no Exception.
            log.warning("%s cannot be read: %s", file.own, error)
            raise UnreadableFileError(
                f"{' and '.join(names)} cannot be read",
                f"{file.name}: the app's own copy is damaged or missing.",
                "Refresh: the file is then read again.",
            ) from error
        place = {"file": pl.lit(number, pl.UInt32), "row": pl.int_range(pl.len(), dtype=pl.UInt32)}
        frames.append(texts.with_columns(**place).select(list(schema)))
    return pl.concat(frames)
