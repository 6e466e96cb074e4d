"""Reading the app's own parquet files with polars: all the short columns at start, one long text when it is asked for.

The short columns of all files of a snapshot are also kept in one file, the index, so that a start reads one file and
no long text. On damaged files polars panics, with an exception that is no `Exception`, ends the process, or reads
another text than was written. So a file is only opened when its hash is right; an own file whose hash is not, or that
cannot be read, is removed, so that the next refresh makes it anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tui.atomic_file import replacing
from tui.catalog.ingest import CONFORM_FORMAT
from tui.catalog.json_files import read_kept, sha256_of, write_json
from tui.catalog.schema import COLUMNS, EXTRA, LONG_TEXT, UNCONVERTED
from tui.catalog.source_file import SourceFile, its_records
from tui.errors import UnreadableFileError

if TYPE_CHECKING:
    import polars as pl

log = logging.getLogger(__name__)

INDEX_FORMAT: Final = 2
"""Version of what is in an index, verdicts included; those of another version are made anew."""

SHORT_COLUMNS: Final = (*(column.name for column in COLUMNS if column.name not in LONG_TEXT), EXTRA, UNCONVERTED)
"""The columns that are read at start."""

_REMEDY = "Refresh: the file is then read again."


def read_records(files: Sequence[SourceFile], index_folder: Path) -> tuple[pl.DataFrame, tuple[SourceFile, ...]]:
    """The records of all files, and the files: one that could not be read now says so in its problems.

    Columns: `SHORT_COLUMNS`, `file` and `row` (UInt32: the index in `files` and the row in that own file),
    `has_error`, `has_run_py`, and what `records.with_derived_columns` adds. Reads the index in `index_folder`, or the
    own files when there is none, and then writes one.
    """
    from tui.catalog.records import with_derived_columns

    frame = _read_index(index_folder, files)
    if frame is None:
        read, files = _read_own_files(files)
        frame = with_derived_columns(read)
        _write_index(index_folder, files, frame)
    return frame, tuple(files)


def read_text(file: SourceFile, row: int, column: str) -> str | None:
    """`read_texts` of one column."""
    return read_texts(file, row, [column])[0]


def read_texts(file: SourceFile, row: int, columns: Sequence[str]) -> list[str | None]:
    """Values of one row of an own file as texts; None for null. `columns` are of `schema.OWN_COLUMNS`, with text.

    Raises `UnreadableFileError` when there is no own file, or it is not as it was written.
    """
    import polars as pl

    title = f"{columns[0]} cannot be read"
    if file.own is None:
        raise UnreadableFileError(title, f"{file.name} could not be read.", _REMEDY)
    try:
        _refuse_changed(file)
        values = pl.scan_parquet(file.own, glob=False).select(columns).slice(row, 1).collect().row(0)
    except (Exception, pl.exceptions.PanicException) as error:
        # What polars raises on damaged bytes is open; a panic is no Exception.
        _forget(file.own, error)
        raise UnreadableFileError(title, f"{file.name}: the app's own copy is damaged or missing.", _REMEDY) from error
    return [None if value is None else str(value) for value in values]


def rows_with(file: SourceFile, column: str, casefolded: Sequence[str]) -> list[pl.Series]:
    """For each of these texts the rows of an own file in whose `column` it is, in any case; UInt32, in order.

    The texts of the file are never in memory together. Raises as `read_texts` does.
    """
    import polars as pl

    from tui.catalog.folding import has_folded

    has = [has_folded(pl.col(column), text).alias(str(place)) for place, text in enumerate(casefolded)]
    found = _scanned(file, column, lambda rows: rows.select("row", *has).filter(pl.any_horizontal(pl.exclude("row"))))
    return [found.filter(pl.col(str(place)))["row"] for place in range(len(casefolded))]


def read_told(file: SourceFile, column: str, told: pl.Expr) -> pl.DataFrame:
    """`row` (UInt32) and `told`, which is made of `column`, for the rows of an own file in which that is not null.

    The texts of the file are never in memory together. Raises as `read_texts` does.
    """
    return _scanned(file, column, lambda rows: rows.select("row", told=told))


def _scanned(file: SourceFile, column: str, query: Callable[[pl.LazyFrame], pl.LazyFrame]) -> pl.DataFrame:
    """What a query finds in the rows of an own file that have a text in `column`; its `row` is kept, and rises."""
    import polars as pl

    title = f"{column} cannot be searched"
    if file.own is None:
        raise UnreadableFileError(title, f"{file.name} could not be read.", _REMEDY)
    # A query that cannot be answered at all is no reason to remove a file.
    query(pl.LazyFrame({"row": [0], column: [""]}, {"row": pl.UInt32, column: pl.String})).collect()
    try:
        _refuse_changed(file)
        rows = pl.scan_parquet(file.own, glob=False, row_index_name="row").filter(pl.col(column).is_not_null())
        return query(rows).collect(engine="streaming").sort("row")
    except (Exception, pl.exceptions.PanicException) as error:
        # What polars raises on damaged bytes is open; a panic is no Exception.
        _forget(file.own, error)
        raise UnreadableFileError(title, f"{file.name}: the app's own copy is damaged or missing.", _REMEDY) from error


def damaged(file: SourceFile) -> SourceFile:
    """The file when the app's own copy of it is no longer there, or not readable."""
    return without_records(file, "the app's own copy is damaged or gone; a refresh reads the file again")


def without_records(file: SourceFile, why: str) -> SourceFile:
    """The file when what was read of it is not at hand, and a problem that says so."""
    lost = None if file.lost_rows is None else file.lost_rows + file.rows
    problem = f"{file.name}: {its_records(file.rows)} missing: {why}"
    return replace(file, own=None, rows=0, lost_rows=lost, problems=(*file.problems, problem))


def index_name(files: Sequence[SourceFile]) -> str:
    """The name, without extension, of the index of these files: it depends on their contents and their order."""
    digest = hashlib.sha256(f"{INDEX_FORMAT} {CONFORM_FORMAT}".encode())
    for file in files:
        digest.update(f"\n{file.sha256} {file.rows}".encode() if file.own is not None else b"\n-")
    return digest.hexdigest()


def _schema() -> dict[str, Any]:
    import polars as pl

    kinds = {"text": pl.String(), "int32": pl.Int32(), "float64": pl.Float64(), "time": pl.Datetime("ms", "UTC")}
    own = {column.name: kinds[column.kind] for column in COLUMNS}
    short = {name: own.get(name, pl.String()) for name in SHORT_COLUMNS}
    flags = {f"has_{name}": pl.Boolean() for name in sorted(LONG_TEXT)}
    return {**short, **flags, "file": pl.UInt32(), "row": pl.UInt32()}


def _read_own_files(files: Sequence[SourceFile]) -> tuple[pl.DataFrame, tuple[SourceFile, ...]]:
    import polars as pl

    frames = [pl.DataFrame(schema=_schema())]
    read: list[SourceFile] = []
    for number, file in enumerate(files):
        if file.own is None:
            read.append(file)
            continue
        try:
            _refuse_changed(file)
            frames.append(_read_own_file(file.own, file.rows, number))
            read.append(file)
        except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001
            # What polars raises on damaged bytes is open; the other files are not concerned.
            _forget(file.own, error)
            read.append(damaged(file))
    return pl.concat(frames, rechunk=True), tuple(read)


def _read_own_file(own: Path, rows: int, number: int) -> pl.DataFrame:
    import polars as pl

    from tui.catalog.records import has_text

    schema = _schema()
    flags = {f"has_{name}": has_text(name) for name in sorted(LONG_TEXT)}
    # Streaming: the long texts of one file need not be in memory together.
    read = pl.scan_parquet(own, glob=False).select(*SHORT_COLUMNS, **flags).collect(engine="streaming")
    frame = read.with_columns(file=pl.lit(number, pl.UInt32), row=pl.int_range(pl.len(), dtype=pl.UInt32))
    if dict(frame.schema) != schema or frame.height != rows:
        raise ValueError(f"{own} holds {frame.height} records, or columns of other types, and not what was written")
    return frame


def _refuse_changed(file: SourceFile) -> None:
    """Raise `ValueError` when the own file is not as it was written."""
    assert file.own is not None
    status = file.own.stat()
    if _digest(file.own, status.st_ino, status.st_size, status.st_mtime_ns) != file.own_sha256:
        raise ValueError("it is not as it was written")


@lru_cache(maxsize=1_000)
def _digest(path: Path, _inode: int, _bytes: int, _mtime_ns: int) -> str:
    return sha256_of(path)


def _forget(own: Path, error: BaseException) -> None:
    log.warning("%s cannot be read and will be made anew: %s", own, error)
    if not isinstance(error, OSError):
        with contextlib.suppress(OSError):
            own.unlink(missing_ok=True)


def _read_index(folder: Path, files: Sequence[SourceFile]) -> pl.DataFrame | None:
    import polars as pl

    name = index_name(files)
    path = folder / f"{name}.parquet"
    try:
        with path.open("rb") as file:
            content = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        log.warning("%s cannot be read: %s", path, error)
        return None
    written = read_kept(folder / f"{name}.json", lambda values: values["sha256"])
    if written != hashlib.sha256(content).hexdigest():
        log.warning("%s is not as it was written and will be made anew", path)
        return None
    from tui.catalog.records import DERIVED

    frame = pl.read_parquet(content)
    return frame if dict(frame.schema) == {**_schema(), **DERIVED} else None


def _write_index(folder: Path, files: Sequence[SourceFile], frame: pl.DataFrame) -> None:
    import polars as pl

    name = index_name(files)
    path = folder / f"{name}.parquet"
    try:
        with replacing(path) as part:
            frame.write_parquet(part, compression="lz4")
            digest = sha256_of(part)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        # A full disk is any of the three, by the moment at which polars meets it.
        log.warning("%s cannot be written; the next start is slower: %s", path, error)
        return
    write_json(folder / f"{name}.json", {"sha256": digest})
