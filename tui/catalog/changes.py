"""What is different between two snapshots, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui.catalog.source_file import SourceFile
from tui.numbers import count, counted

if TYPE_CHECKING:
    import polars as pl

IDENTITY = ("key", "library", "tp", "runner", "neuronx_cc", "library_version")
"""Two records that agree in these are the same test, repeated or corrected."""


def what_changed(
    files_before: Sequence[SourceFile],
    before: pl.DataFrame,
    files_after: Sequence[SourceFile],
    after: pl.DataFrame,
) -> str:
    """`2 of 20 files changed: 12 records new, 3 changed, 1 gone`; the frames are those of two snapshots.

    Only the columns that the frames have are compared, not run.py and error texts.
    """
    import polars as pl

    contents_before, contents_after = _contents(files_before), _contents(files_after)
    names_after = {file.name for file in files_after}
    changed = sum(_content(file) not in contents_before for file in files_after)
    gone = sum(_content(file) not in contents_after and file.name not in names_after for file in files_before)
    parts = []
    if changed:
        parts.append(f"{count(changed)} of {counted(len(files_after), 'file')} changed")
    if gone:
        parts.append(f"{counted(gone, 'file')} gone")
    if not parts:
        return "nothing changed"
    columns = [name for name in after.columns if name not in ("file", "row", "key_place")]
    signed = pl.concat(
        [
            _of_other_contents(after, files_after, contents_before).with_columns(sign=pl.lit(1)),
            _of_other_contents(before, files_before, contents_after).with_columns(sign=pl.lit(-1)),
        ]
    )
    by_test = (
        signed.group_by(columns)
        .agg(pl.col("sign").sum())
        .group_by(IDENTITY)
        .agg(new=pl.col("sign").filter(pl.col("sign") > 0).sum(), old=-pl.col("sign").filter(pl.col("sign") < 0).sum())
    )
    corrected = pl.min_horizontal("new", "old")
    new, corrections, old = by_test.select(
        (pl.col("new") - corrected).sum(), corrected.sum().alias("corrected"), (pl.col("old") - corrected).sum()
    ).row(0)
    numbers = [(number, word) for number, word in ((new, "new"), (corrections, "changed"), (old, "gone")) if number]
    if not numbers:
        return f"{', '.join(parts)}: the same results"
    (first, word), *others = numbers
    said = [f"{counted(first, 'record')} {word}", *(f"{count(number)} {word}" for number, word in others)]
    return f"{', '.join(parts)}: {', '.join(said)}"


def _content(file: SourceFile) -> tuple[str, int]:
    return file.sha256, file.rows


def _contents(files: Sequence[SourceFile]) -> set[tuple[str, int]]:
    return {_content(file) for file in files}


def _of_other_contents(
    records: pl.DataFrame, files: Sequence[SourceFile], contents: set[tuple[str, int]]
) -> pl.DataFrame:
    import polars as pl

    others = [number for number, file in enumerate(files) if _content(file) not in contents]
    return records.filter(pl.col("file").is_in(others)).drop("file", "row", "key_place")
