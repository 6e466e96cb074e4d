"""The parquet files that `--data PATH` means."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from tui.catalog.source_file import SourceFile
from tui.errors import NoDataError


def parquet_files(path: Path) -> tuple[list[tuple[str, Path]], list[SourceFile]]:
    """(Name, path) of the parquet files to read, hidden ones left out, and folders that cannot be looked into.

    Raises `NoDataError` when there is no such path.
    """
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise NoDataError(
            f"{path} cannot be read", reason, "Name a parquet file, or a folder that has some."
        ) from error
    if not is_folder:
        return [(path.name, path)], []
    found: list[tuple[str, Path]] = []
    unread: list[SourceFile] = []

    def cannot_list(error: OSError) -> None:
        name = Path(error.filename).relative_to(path).as_posix()
        problem = f"{name}: the folder cannot be read: {error.strerror}; how many records it holds is not known"
        unread.append(SourceFile(name, None, "", 0, None, problems=(problem,)))

    seen: set[tuple[int, int]] = set()
    for folder, folders, names in os.walk(path, onerror=cannot_list, followlinks=True):
        status = Path(folder).stat()
        if (status.st_dev, status.st_ino) in seen:  # a link that leads back
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            if name.lower().endswith(".parquet") and not name.startswith("."):
                file = Path(folder) / name
                found.append((file.relative_to(path).as_posix(), file))
    return sorted(found), unread
