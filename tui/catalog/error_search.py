"""Which records have a text in their error: errors stay on disk, so they are read to tell, file by file."""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Mapping

import polars as pl

from tui.catalog import failures, own_files
from tui.catalog.failure_kinds import is_key
from tui.catalog.snapshot import Snapshot
from tui.errors import UnreadableFileError

logger = logging.getLogger(__name__)


def find(
    snapshot: Snapshot, texts: Collection[str], abandoned: threading.Event | None = None
) -> Mapping[str, pl.Series]:
    """For each casefolded text the records (rows of `snapshot.records`, rising) whose error has it, in any case.

    For a `failure_kinds.key` those whose error is of that kind.

    Reads the app's own copy of every file, one text column of it, in little memory: for a background thread. A copy
    that is damaged is logged and left out, as at a start. Empty soon after `abandoned.set()`.
    """
    keys = [text for text in texts if is_key(text)]
    kinds = failures.read(snapshot, abandoned) if keys else None
    wanted = [text for text in dict.fromkeys(texts) if not is_key(text)]
    found: dict[str, list[pl.Series]] = {text: [] for text in wanted}
    places = snapshot.records.select("file", "row").with_row_index("record")
    for number, file in enumerate(snapshot.files):
        if abandoned is not None and abandoned.is_set():
            return {}
        if file.own is None or not wanted:
            continue
        try:
            rows = own_files.rows_with(file, "error", wanted)
        except UnreadableFileError as error:
            logger.warning("%s", error)
            continue
        of_file = places.filter(pl.col("file") == number)
        for text, hits in zip(wanted, rows, strict=True):
            found[text].append(of_file.filter(pl.col("row").is_in(hits.implode()))["record"])
    if abandoned is not None and abandoned.is_set():
        return {}
    of_kinds = {} if kinds is None else failures.of_kinds(kinds, snapshot.records.height, keys)
    return of_kinds | {text: pl.concat([pl.Series(dtype=pl.UInt32), *hits]) for text, hits in found.items()}
