"""What kind of failure each recorded error is: the last lines of all errors are read for it, file by file."""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection

import polars as pl

from tui.catalog import own_files
from tui.catalog.failure_kinds import key as failure_key
from tui.catalog.failure_kinds import keys_of, kinds_of, last_line
from tui.catalog.snapshot import Snapshot
from tui.errors import UnreadableFileError

log = logging.getLogger(__name__)

FAILURES = {"record": pl.UInt32(), "kind": pl.String()}
"""The columns of `read`."""


def read(snapshot: Snapshot, abandoned: threading.Event | None = None) -> pl.DataFrame:
    """`record` (row of `snapshot.records`, rising) and `kind` of every error that is not blank.

    Reads the app's own copy of every file, and keeps only last lines in memory: for a background thread. A copy that
    is damaged is logged and left out, as at a start. Empty soon after `abandoned.set()`.
    """
    places = snapshot.records.select("file", "row", "model_id").with_row_index("record")
    found = [pl.DataFrame(schema=FAILURES)]
    for number, file in enumerate(snapshot.files):
        if abandoned is not None and abandoned.is_set():
            return pl.DataFrame(schema=FAILURES)
        if file.own is None:
            continue
        try:
            lines = own_files.read_told(file, "error", last_line(pl.col("error")))
        except UnreadableFileError as error:
            log.warning("%s", error)
            continue
        of_file = places.filter(pl.col("file") == number).join(lines, on="row", how="inner", maintain_order="left")
        kinds = of_file.with_columns(kinds_of(of_file["told"], of_file["model_id"]))
        found.append(kinds.filter(pl.col("kind") != "").select("record", "kind"))
    return pl.concat(found)


def of_kinds(failures: pl.DataFrame, records: int, keys: Collection[str]) -> dict[str, pl.Series]:
    """For each `failure_kinds.key` which of so many records have an error of that kind, or none at all; rising."""
    named = failures.select(pl.col("kind").unique()).with_columns(key=keys_of(pl.col("kind")))
    wanted = named.filter(pl.col("key").is_in(list(keys)))
    hits = failures.join(wanted, on="kind", how="inner", maintain_order="left")
    found = {key: hits.filter(pl.col("key") == key)["record"] for key in keys}
    if failure_key("") in keys:
        every = pl.DataFrame({"record": pl.int_range(records, dtype=pl.UInt32, eager=True)})
        found[failure_key("")] = every.join(failures, on="record", how="anti", maintain_order="left")["record"]
    return found
