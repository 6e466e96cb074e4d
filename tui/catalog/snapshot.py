"""Where records come from: the Hub dataset, a folder or file, the bundled sample; always through own files.

A snapshot is a value: all short columns of every record in one frame. Long texts stay on disk until asked for.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from tui.catalog import exported, hub, model_ids, own_files
from tui.catalog.cache_places import index_folder, records_folder
from tui.catalog.changes import what_changed
from tui.catalog.ingest import ingest_all
from tui.catalog.manifest import (
    Manifest,
    files_of,
    read_manifest,
    remove_forgotten,
    touch,
    write_manifest,
)
from tui.catalog.parquet_files import parquet_files
from tui.catalog.schema import COLUMN_NAMES, EXTRA, LONG_TEXT, UNCONVERTED
from tui.catalog.source_file import SourceFile
from tui.catalog.stacks import StackCount, stacks_of
from tui.catalog.verdict import Record, Verdict
from tui.errors import NoDataError
from tui.numbers import count, counted
from tui.settings import Settings

if TYPE_CHECKING:
    import polars as pl

log = logging.getLogger(__name__)

Progress = Callable[[str], None]
Source = Literal["hub", "data", "sample"]

NOTHING_CHANGED: Final = "nothing changed"
SAMPLE_FOLDER: Final = Path(__file__).parents[1] / "sample"
_PROBLEMS_NAMED = 10


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One revision of the records.

    `name` is the dataset's id or the path; `revision` a commit (None when not known); `checked_at` when the source was
    last asked; `newest_test` the newest `tested_at`, both UTC. `records` has the columns that
    `own_files.read_records` tells of.
    """

    source: Source
    name: str
    revision: str | None
    checked_at: datetime | None
    newest_test: datetime | None
    files: tuple[SourceFile, ...]
    records: pl.DataFrame

    @cached_property
    def stacks(self) -> tuple[StackCount, ...]:
        """The stacks of the records, newest first."""
        return stacks_of(self.records)

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be read, as sentences that name the file and its records."""
        return tuple(problem for file in self.files for problem in file.problems)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was read and does not fit its column, as sentences that name file, column and number of values."""
        return tuple(remark for file in self.files for remark in file.remarks)

    @property
    def complete(self) -> bool:
        """Whether every record of every file was read."""
        return all(file.complete for file in self.files)


@dataclass(frozen=True)
class Refreshed:
    """A snapshot that was checked just now; `changed` says how it differs from the one before."""

    snapshot: Snapshot
    changed: str


def open_sample() -> Snapshot:
    """The sample of invented models that comes with the app."""
    values = json.loads((SAMPLE_FOLDER / "manifest.json").read_text(encoding="utf-8"))
    files = files_of(values["files"], SAMPLE_FOLDER / "records")
    return _snapshot(files, SAMPLE_FOLDER / "index", source="sample", name="bundled sample")


def open_path(path: Path, settings: Settings, progress: Progress, abandoned: threading.Event | None = None) -> Snapshot:
    """The records of a parquet file, or of all parquet files in and below a folder, hidden ones left out.

    Files that were read before cost a hash. Takes time; ends soon after `abandoned.set()`. Raises `NoDataError` when
    there is nothing to read, when no record of any file could be read, or when it was abandoned.
    """
    export = exported.read(path)
    names = exported.names_of(export) if export is not None else {}
    sources, unread = parquet_files(path)

    def read_all() -> Sequence[SourceFile]:
        read = ingest_all(
            [(names.get(name, name), source) for name, source in sources],
            records_folder(settings),
            _telling(progress, "read"),
            abandon=abandoned,
        )
        by_name = dict(zip((name for name, _ in sources), read, strict=True))
        return (*(read if export is None else exported.restored(export, by_name)), *unread)

    files = read_all()
    if not files:
        raise NoDataError(
            f"No parquet file in {path}", "Hidden files and folders are left out.", "Name the folder that has them."
        )
    _refuse_nothing_readable(str(path), files)
    snapshot = _snapshot(files, index_folder(settings), source="data", name=str(path))
    if _was_damaged(files, snapshot.files):
        snapshot = _snapshot(read_all(), index_folder(settings), source="data", name=str(path))
    if export is not None:
        source: Source = "sample" if export.sample else "data"
        snapshot = replace(snapshot, source=source, revision=export.revision, checked_at=export.checked_at)
    touch(snapshot.files, index_folder(settings))
    return snapshot


def last_snapshot(settings: Settings) -> Snapshot | None:
    """What was last fetched of the dataset and revision in `settings`; None when nothing usable is on disk.

    No request and no child process. Own files that are gone are told of in the problems; None when all are.
    """
    manifest = read_manifest(settings, hub.endpoint())
    if manifest is None:
        return None
    snapshot = _of_manifest(manifest, settings)
    return snapshot if any(file.own is not None for file in snapshot.files) else None


def refresh(
    settings: Settings, current: Snapshot | None, progress: Progress, abandoned: threading.Event | None = None
) -> Refreshed:
    """Ask the Hub for the dataset's revision; when it moved, fetch and read the files that changed.

    One request when nothing changed. Takes time: for a background thread; ends soon after `abandoned.set()`. What was
    there before stays as it is until all is read. Raises `HubError`, or `NoDataError` when no record could be read.
    """
    revision = hub.dataset_revision(settings)
    checked_at = datetime.now(UTC)
    of_this_dataset = current is not None and (current.source, current.name) == ("hub", settings.dataset)
    before = current if of_this_dataset else last_snapshot(settings)
    if before is not None and before.revision == revision and _all_there(before):
        write_manifest(settings, _manifest(settings, revision, checked_at, before.files))
        model_ids.write(settings.cache_dir, before.records["model_id"])
        return Refreshed(replace(before, checked_at=checked_at), NOTHING_CHANGED)
    progress(f"fetching {settings.dataset}")
    sources = hub.fetch_dataset(settings, revision, progress, abandoned)
    if not sources:
        raise NoDataError(
            f"{settings.dataset} has no parquet file", f"Revision {revision}.", "Name another one with --dataset."
        )

    def read_all() -> Manifest:
        files = ingest_all(sources, records_folder(settings), _telling(progress, "read"), abandon=abandoned)
        _refuse_nothing_readable(settings.dataset, files)
        return _manifest(settings, revision, checked_at, files)

    manifest = read_all()
    after = _of_manifest(manifest, settings)
    if _was_damaged(manifest.files, after.files):
        manifest = read_all()
        after = _of_manifest(manifest, settings)
    write_manifest(settings, manifest)
    model_ids.write(settings.cache_dir, after.records["model_id"])
    remove_forgotten(settings)
    if before is None:
        return Refreshed(after, f"{counted(after.records.height, 'record')} of {counted(len(after.stacks), 'stack')}")
    return Refreshed(after, what_changed(before.files, before.records, after.files, after.records))


def export(snapshot: Snapshot, folder: Path) -> None:
    """Write the snapshot to a folder that `--data` opens to the same records, on any host.

    An earlier export there is replaced. Raises `UsageError` when the folder holds anything else or cannot be written.
    """
    exported.write(snapshot, folder)


def read_text(snapshot: Snapshot, file: int, row: int, column: str) -> str | None:
    """One long text (`run_py` or `error`) from disk, as it stands; `file` and `row` as in `Record`.

    Raises `UnreadableFileError` when the app's own copy is damaged or gone.
    """
    return own_files.read_text(snapshot.files[file], row, column)


def read_long_texts(snapshot: Snapshot, file: int, row: int) -> tuple[str | None, str | None]:
    """`run_py` and `error` of one record, as `read_text` gives them, in one reading. Raises as that does."""
    script, error = own_files.read_texts(snapshot.files[file], row, ["run_py", "error"])
    return script, error


def place_of(snapshot: Snapshot, index: int) -> tuple[int, int]:
    """File and row of a record; `index` is its row in `snapshot.records`."""
    file, row = snapshot.records.select("file", "row").row(index)
    return file, row


def record_at(snapshot: Snapshot, index: int) -> Record:
    """A record as Python values; `index` is its row in `snapshot.records`."""
    values = snapshot.records.row(index, named=True)
    return Record(
        values={name: values[name] for name in COLUMN_NAMES if name not in LONG_TEXT},
        unconverted=_object(values[UNCONVERTED]),
        extra=_object(values[EXTRA]),
        file=values["file"],
        row=values["row"],
        verdict=Verdict(values["verdict"]),
    )


def _snapshot(
    files: Sequence[SourceFile],
    index: Path,
    *,
    source: Source,
    name: str,
    revision: str | None = None,
    checked_at: datetime | None = None,
) -> Snapshot:
    records, files = own_files.read_records(files, index)
    newest: Any = records["tested_at"].max()
    return Snapshot(source, name, revision, checked_at, newest, tuple(files), records)


def _of_manifest(manifest: Manifest, settings: Settings) -> Snapshot:
    return _snapshot(
        manifest.files,
        index_folder(settings),
        source="hub",
        name=manifest.dataset,
        revision=manifest.revision,
        checked_at=manifest.checked_at,
    )


def _manifest(settings: Settings, revision: str, checked_at: datetime, files: Sequence[SourceFile]) -> Manifest:
    return Manifest(
        endpoint=hub.endpoint(),
        dataset=settings.dataset,
        asked_for=settings.revision,
        revision=revision,
        checked_at=checked_at,
        files=tuple(files),
    )


def _was_damaged(files: Sequence[SourceFile], read: Sequence[SourceFile]) -> bool:
    """Whether the app's own copy of a file turned out to be damaged, and is removed: the file itself is at hand."""
    return [file.own for file in files] != [file.own for file in read]


def _all_there(snapshot: Snapshot) -> bool:
    """Whether the app's own copy of every file is on disk; a file that nobody could read counts as missing."""
    return all(file.own is not None and file.own.exists() for file in snapshot.files)


def _refuse_nothing_readable(name: str, files: Sequence[SourceFile]) -> None:
    if any(file.own is not None for file in files):
        return
    problems = [problem for file in files for problem in file.problems]
    named = problems[:_PROBLEMS_NAMED]
    if len(problems) > len(named):
        named.append(f"and {count(len(problems) - len(named))} more")
    raise NoDataError(f"No record of {name} could be read", "\n".join(named), "Check the files, or fetch them again.")


def _telling(progress: Progress, what: str) -> Callable[[int, int], None]:
    return lambda done, total: progress(f"{count(done)} of {counted(total, 'file')} {what}")


def _object(text: str | None) -> dict[str, Any]:
    return {} if text is None else dict(json.loads(text))
