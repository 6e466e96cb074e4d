"""run.py and the error of one record: most of a file's bytes, so they are read one record at a time."""

from __future__ import annotations

from dataclasses import dataclass

from tui.catalog import snapshot as snapshots
from tui.catalog.snapshot import Snapshot
from tui.errors import TrnModelsError


@dataclass(frozen=True, slots=True)
class LongTexts:
    """The long texts of record `index` of `snapshot`, as they stand; None when there is none.

    `problem` says why they could not be read; then both are None without meaning that none is recorded.
    """

    snapshot: Snapshot
    index: int
    script: str | None
    error: str | None
    problem: TrnModelsError | None = None

    def are_of(self, snapshot: Snapshot | None, index: int | None) -> bool:
        """Whether they belong to this record: the same row of other records is another one."""
        return snapshot is not None and snapshot.records is self.snapshot.records and index == self.index


def read_long_texts(snapshot: Snapshot, index: int) -> LongTexts:
    """Read both from disk. Raises `UnreadableFileError` when the app's own copy is damaged or gone."""
    file, row = snapshots.place_of(snapshot, index)
    return LongTexts(snapshot, index, *snapshots.read_long_texts(snapshot, file, row))
