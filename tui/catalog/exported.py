"""A snapshot as a folder that another host opens with `--data`: own files, a README, and what they are.

The folder's manifest is outside data when it is read again: it says where the records are from, but each file is read
as any other parquet file is.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tui.atomic_file import finished_name, replacing
from tui.catalog.json_files import moment, read_kept, sha256_of
from tui.catalog.own_files import without_records
from tui.catalog.source_file import SourceFile, from_json, to_json
from tui.errors import UnreadableFileError, UsageError
from tui.numbers import count, counted, day

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot

MANIFEST: Final = "trn-models-export.json"
README: Final = "README.txt"
EXPORT_FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Export:
    """What the manifest of an exported folder says; `files` by the path in the folder, None for those without one."""

    sample: bool
    dataset: str
    revision: str | None
    checked_at: datetime | None
    finished: bool
    files: tuple[tuple[str | None, SourceFile], ...]


def write(snapshot: Snapshot, folder: Path) -> None:
    """Write the snapshot to `folder`, which is made if missing; an earlier export there is replaced.

    The manifest says that the export is not finished until all files are there. Raises `UsageError` when the folder
    holds anything else or cannot be written.
    """
    _refuse_others_folder(folder)
    earlier = _read(folder)
    paths = _paths_of(snapshot.files)
    try:
        _put(folder / MANIFEST, _manifest(snapshot, paths, {}, finished=False))
        digests = {path: _copy(file, folder / path) for path, file in paths if path and file.own}
        if earlier is not None:
            for path, _ in earlier.files:
                if path is not None and path not in digests:
                    (folder / path).unlink(missing_ok=True)
        _put(folder / README, _readme(snapshot, folder))
        _put(folder / MANIFEST, _manifest(snapshot, paths, digests, finished=True))
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            "The records cannot be written", f"{error.filename or folder}: {reason}.", "Name another folder."
        ) from error


def read(path: Path) -> Export | None:
    """What an exported folder says of itself; None for a file or any other folder."""
    return _read(path) if path.is_dir() else None


def names_of(export: Export) -> Mapping[str, str]:
    """Path in the folder -> name of that file in the dataset."""
    return {path: file.name for path, file in export.files if path is not None}


def restored(export: Export, read_files: Mapping[str, SourceFile]) -> tuple[SourceFile, ...]:
    """The files of the export, with what was lost before it and since; then those that are in the folder besides.

    `read_files` has what was read, by the path in the folder.
    """
    files: list[SourceFile] = []
    for path, exported in export.files:
        found = None if path is None else read_files.get(path)
        if path is None:
            files.append(replace(exported, own=None, rows=0))
        elif found is None:
            why = f"{path} is not in the folder"
            files.append(without_records(exported, why if export.finished else f"{why}: the export was not finished"))
        elif found.sha256 == exported.sha256:
            files.append(replace(found, missing=exported.missing))
        else:
            problem = f"{exported.name}: {path} is not as it was exported"
            files.append(replace(found, problems=(*found.problems, problem)))
    known = names_of(export)
    return (*files, *(file for path, file in read_files.items() if path not in known))


def _read(folder: Path) -> Export | None:
    return read_kept(folder / MANIFEST, _from_json)


def _from_json(values: Any) -> Export:
    if values["format"] != EXPORT_FORMAT:
        raise ValueError(f"format {values['format']}")
    return Export(
        sample=values["sample"] is True,
        dataset=str(values["dataset"]),
        revision=None if values["revision"] is None else str(values["revision"]),
        checked_at=None if values["checked_at"] is None else moment(values["checked_at"]),
        finished=values["finished"] is True,
        files=tuple((_inside(file["path"]), from_json({**file, "own": None})) for file in values["files"]),
    )


def _inside(path: Any) -> str | None:
    if path is None:
        return None
    if not isinstance(path, str) or path != _safe(path):
        raise ValueError(f"{path!r} is no path of an export")
    return path


def _safe(name: str) -> str:
    """The name as a path below a folder: no step up, nothing hidden, no sign that a shell or a file system minds."""
    steps = [re.sub(r"[^A-Za-z0-9._+=@-]+", "_", step).lstrip(".") for step in name.split("/")]
    path = "/".join(step[:100] for step in steps if step) or "records"
    return path if path.endswith(".parquet") else f"{path}.parquet"


def _paths_of(files: Sequence[SourceFile]) -> list[tuple[str | None, SourceFile]]:
    """A path in the folder for each file that has records: its name, made safe and different from the others."""
    taken: set[str] = set()
    paths: list[tuple[str | None, SourceFile]] = []
    for file in files:
        if file.own is None:
            paths.append((None, file))
            continue
        safe = path = _safe(file.name)
        number = 1
        while path.casefold() in taken:
            number += 1
            path = f"{safe.removesuffix('.parquet')}-{number}.parquet"
        taken.add(path.casefold())
        paths.append((path, file))
    return paths


def _refuse_others_folder(folder: Path) -> None:
    remedy = "Name a new or an empty folder, or one that an earlier export made."
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file", "", remedy)
    try:
        present = [path for path in folder.rglob("*") if not path.is_dir()] if folder.exists() else []
    except OSError as error:
        raise UsageError(f"{folder} cannot be read", str(error), remedy) from error
    if not present:
        return
    earlier = _read(folder)
    ours = {MANIFEST, README, *(path for path, _ in earlier.files if path)} if earlier is not None else set()
    for path in sorted(present):
        name = path.relative_to(folder).as_posix()
        if finished_name(name) not in ours:
            raise UsageError(f"{folder} is not empty", f"{name} in it was not written by an export.", remedy)


def _copy(file: SourceFile, path: Path) -> str:
    """Copy an own file to its place at once; the SHA-256 of what was copied, in hexadecimal.

    Raises `UnreadableFileError` when it is not as it was written.
    """
    assert file.own is not None
    with replacing(path) as part:
        shutil.copyfile(file.own, part)
        digest = sha256_of(part)
        if digest != file.own_sha256:
            raise UnreadableFileError(
                "The records cannot be written",
                f"{file.name}: the app's own copy is damaged.",
                f"Delete {file.own} and refresh: the file is then read again.",
            )
        return digest


def _put(path: Path, text: str) -> None:
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8", errors="backslashreplace")


def _manifest(
    snapshot: Snapshot,
    paths: Sequence[tuple[str | None, SourceFile]],
    digests: Mapping[str, str],
    *,
    finished: bool,
) -> str:
    files = [
        {**to_json(file), "own": None, "path": path, "sha256": digests.get(path or "", "")} for path, file in paths
    ]
    values = {
        "format": EXPORT_FORMAT,
        "sample": snapshot.source == "sample",
        "dataset": snapshot.name,
        "revision": snapshot.revision,
        "checked_at": snapshot.checked_at and snapshot.checked_at.isoformat(),
        "finished": finished,
        "files": files,
    }
    return json.dumps(values, indent=1)


def _readme(snapshot: Snapshot, folder: Path) -> str:
    lines = [
        "Records of models tested on AWS Trainium2, exported by trn-models.",
        "",
        f"from      {snapshot.name}" + (" (invented models, no results)" if snapshot.source == "sample" else ""),
        f"revision  {snapshot.revision or 'not known'}",
        f"checked   {day(snapshot.checked_at)}",
        f"newest    {day(snapshot.newest_test)}",
        f"records   {count(snapshot.records.height)} in {counted(len(snapshot.files), 'file')}",
        *(f"missing   {problem}" for problem in snapshot.problems),
        "",
        f"Read them with: trn-models --data {folder.name}",
        "",
    ]
    return "\n".join(lines)
