"""What the app keeps of a Hub dataset between two starts: one small file for each revision that is followed.

In the cache folder:

    snapshots/<dataset...>.json     a manifest: the commit, when it was checked, the files
    records/<sha256>.parquet        the app's own files, written by `catalog.ingest`, each with a .json report
    index/<name>.parquet            the short columns of the files of a snapshot, written by `catalog.own_files`
    pages/<source>.json             the first lines, written by `catalog.front_page`
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from tui.atomic_file import remove_leftovers
from tui.catalog.cache_places import index_folder, manifest_path, records_folder
from tui.catalog.json_files import moment, read_kept, write_json
from tui.catalog.own_files import damaged, index_name
from tui.catalog.source_file import SourceFile, from_json, to_json
from tui.settings import Settings

log = logging.getLogger(__name__)

MANIFEST_FORMAT: Final = 1
KEPT_S: Final = 30 * 86_400.0
"""How long files that no manifest names are kept after their last use."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """One commit of a dataset on disk. `endpoint`, `dataset` and `asked_for` (a branch, tag or commit) name it."""

    endpoint: str
    dataset: str
    asked_for: str
    revision: str
    checked_at: datetime
    files: tuple[SourceFile, ...]


def read_manifest(settings: Settings, endpoint: str) -> Manifest | None:
    """What was last kept of the dataset and revision in `settings`; None when there is nothing usable.

    A file whose own file is gone or cut short is in it as one that could not be read.
    """
    manifest = _read(manifest_path(settings, endpoint), settings)
    wanted = (endpoint, settings.dataset, settings.revision)
    of_another = manifest is None or (manifest.endpoint, manifest.dataset, manifest.asked_for) != wanted
    return None if of_another else manifest


def write_manifest(settings: Settings, manifest: Manifest) -> None:
    """Keep the manifest, at once or not at all; what cannot be written is logged: the next start fetches again."""
    write_json(manifest_path(settings, manifest.endpoint), manifest_values(manifest))


def manifest_values(manifest: Manifest) -> dict[str, Any]:
    """The manifest as values that `json.dumps` takes."""
    return {
        "format": MANIFEST_FORMAT,
        "endpoint": manifest.endpoint,
        "dataset": manifest.dataset,
        "asked_for": manifest.asked_for,
        "revision": manifest.revision,
        "checked_at": manifest.checked_at.isoformat(),
        "files": file_values(manifest.files),
    }


def file_values(files: Sequence[SourceFile]) -> list[dict[str, Any]]:
    """The files as values that `json.dumps` takes, with the sizes of their own files; read by `files_of`."""
    return [
        {**to_json(file), "own": file.own and file.own.name, "own_bytes": file.own and _size(file.own)}
        for file in files
    ]


def files_of(values: Sequence[Any], folder: Path) -> tuple[SourceFile, ...]:
    """The files of `file_values`; their own files are in `folder`.

    Raises `KeyError`, `TypeError` or `ValueError` when `values` is something else.
    """
    files = []
    for value in values:
        file = from_json({**value, "own": value["own"] and str(folder / Path(value["own"]).name)})
        gone = file.own is not None and _size(file.own) != value["own_bytes"]
        if gone:
            log.warning("%s is gone or cut short", file.own)
        files.append(damaged(file) if gone else file)
    return tuple(files)


def touch(files: Sequence[SourceFile], index: Path) -> None:
    """Note that these files and their index are in use, though no manifest names them."""
    used = [file.own for file in files if file.own is not None]
    for path in (*used, index / f"{index_name(files)}.parquet"):
        with contextlib.suppress(OSError):
            os.utime(path)


def remove_forgotten(settings: Settings) -> None:
    """Remove files that no manifest names and that were not used for `KEPT_S`, and what was never finished.

    Nothing is removed when a manifest cannot be read: it may be another version's.
    """
    for folder in (settings.cache_dir, *settings.cache_dir.glob("*/"), *settings.cache_dir.glob("rankings/*/")):
        remove_leftovers(folder)
    named: set[str] = set()
    for path in (settings.cache_dir / "snapshots").glob("*.json"):
        manifest = _read(path, settings)
        if manifest is None:
            log.info("%s is not known here: old records are kept", path)
            return
        named |= {file.sha256 for file in manifest.files} | {index_name(manifest.files)}
    oldest = time.time() - KEPT_S
    for folder in (records_folder(settings), index_folder(settings)):
        with contextlib.suppress(OSError):
            for path in sorted(folder.iterdir(), reverse=True):
                if path.name.partition(".")[0] not in named and _last_use(path) < oldest:
                    path.unlink(missing_ok=True)


def _last_use(path: Path) -> float:
    # A report is as old as its own file, which `touch` keeps young.
    own = path.with_suffix(".parquet")
    return (own if own.exists() else path).stat().st_mtime


def _read(path: Path, settings: Settings) -> Manifest | None:
    return read_kept(path, lambda values: _from_json(values, records_folder(settings)))


def _from_json(values: Any, folder: Path) -> Manifest:
    if values["format"] != MANIFEST_FORMAT:
        raise ValueError(f"format {values['format']}")
    return Manifest(
        endpoint=str(values["endpoint"]),
        dataset=str(values["dataset"]),
        asked_for=str(values["asked_for"]),
        revision=str(values["revision"]),
        checked_at=moment(values["checked_at"]),
        files=files_of(values["files"], folder),
    )


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None
