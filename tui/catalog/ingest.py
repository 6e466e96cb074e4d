"""Any parquet file -> the app's own file, once, in a child process that may die.

The app's own files stand in one folder as `<sha256 of the source>.parquet`, each beside a report
`<sha256>.json` that tells what was lost and changed. A file whose content was read before costs a hash.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import queue
import signal
import stat
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui.atomic_file import remove_leftovers, replacing
from tui.catalog.json_files import NOT_AS_EXPECTED, decoded, encoded, sha256_of
from tui.catalog.source_file import SourceFile, from_report
from tui.errors import NoDataError, TrnModelsError, UnreadableFileError
from tui.process import Finished, module_argv, run_bounded

log = logging.getLogger(__name__)

CONFORM_FORMAT = 2
"""Version of what `catalog.conform` makes of a file; own files of another version are made anew."""

TIME_LIMIT_S = 120.0
MEMORY_LIMIT_BYTES = 2 << 30
"""For each child: enough for one text of 300 MB, and not too much for two children on a small machine."""
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
"""The beginning of a pointer (Git LFS specification, "The Pointer")."""
_NO_MEMORY = ("MemoryError", "bad_alloc", "not enough memory")
"""What Python, C++ and compressors say at their end when they get none."""
_MAGIC, _MAGIC_ENCRYPTED = b"PAR1", b"PARE"
"""The first and last bytes of a parquet file (parquet-format, README.md and Encryption.md)."""
_LONGEST_LINE_BYTES = 32 << 20
"""A report names each column that is not known."""
_TRIES = 20
_ALL_TRIES_S = 300.0
# A death may come from a busy machine and not from the file, so its report is believed for a day only.
_DEATH_BELIEVED_S = 86_400.0


def ingest(source: Path, name: str, folder: Path, *, abandon: threading.Event | None = None) -> SourceFile:
    """The app's own file for the parquet file `source`, which people know as `name`; `folder` is made if missing.

    Damage is told in the result, never raised: `own` is None when no record could be read. Takes at most
    `TIME_LIMIT_S` seconds for each of a few tries, and ends soon after `abandon.set()`.

    Raises `UnreadableFileError` when the bytes of `source` cannot be had (missing, a folder, no permission, changed
    meanwhile), and `NoDataError` when `folder` cannot be written, the reader does not start, or it was abandoned.
    """
    before = _status(source, name)
    sha256 = _sha256(source, name)
    own, kept = folder / f"{sha256}.parquet", folder / f"{sha256}.json"
    report = _read_report(kept, own)
    if report is None:
        try:
            with replacing(own, durable=True) as part:
                report = _conform(source, part, abandon)
                if _status(source, name) != before:
                    raise UnreadableFileError(
                        f"{name} cannot be read", "It changed meanwhile.", "Try again when it is written."
                    )
                if "rows" not in report:
                    report |= {"instead": _instead_of_parquet(source)}
                    part.unlink(missing_ok=True)
                report |= {"format": CONFORM_FORMAT, "own_bytes": None, "own_sha256": ""}
                if "rows" in report:
                    report |= {"own_bytes": part.stat().st_size, "own_sha256": sha256_of(part)}
            with replacing(kept, durable=True) as part:
                part.write_bytes(encoded(report))
        except OSError as error:
            raise _unwritable(folder, error.strerror or str(error)) from error
    return from_report(report, name, sha256, own)


def ingest_all(
    sources: Sequence[tuple[str, Path]],
    folder: Path,
    on_progress: Callable[[int, int], None] | None = None,
    *,
    abandon: threading.Event | None = None,
) -> list[SourceFile]:
    """`ingest` of every (name, path), as many at a time as there are processors; the result has their order.

    A file that cannot be read at all becomes a SourceFile without `own` and with an empty `sha256`.
    `on_progress(files done, files)` is called in the calling thread.

    Raises `NoDataError` as `ingest` does when the fault is not in one file; no further file is then begun.
    """
    remove_leftovers(folder)
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    finished: queue.SimpleQueue[tuple[int, SourceFile | BaseException]] = queue.SimpleQueue()
    for index in range(len(sources)):
        waiting.put(index)

    def work() -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                index = waiting.get_nowait()
                name, path = sources[index]
                try:
                    finished.put((index, ingest(path, name, folder, abandon=abandon)))
                except UnreadableFileError as error:
                    finished.put((index, SourceFile(name, None, "", 0, None, problems=(_unread(error),))))
                except BaseException as error:  # noqa: BLE001 - raised again in the calling thread
                    finished.put((index, error))

    # Daemons, unlike a ThreadPoolExecutor's threads: the end of the app waits for nobody.
    for _ in range(min(len(sources), os.cpu_count() or 1)):
        threading.Thread(target=work, name="ingest", daemon=True).start()
    files: dict[int, SourceFile] = {}
    while len(files) < len(sources):
        index, result = finished.get()
        if isinstance(result, BaseException):
            with contextlib.suppress(queue.Empty):
                while True:
                    waiting.get_nowait()
            raise result
        files[index] = result
        if on_progress is not None:
            on_progress(len(files), len(sources))
    return [files[index] for index in range(len(sources))]


@dataclass(slots=True)
class _Heard:
    """What the child said, line by line, until it ended."""

    facts: dict[str, Any] = field(default_factory=dict)
    groups: list[int] = field(default_factory=list)

    def line(self, text: str) -> None:
        with contextlib.suppress(ValueError, TypeError):
            fact = dict(json.loads(text))
            if "row_group" in fact:
                self.groups.append(int(fact["row_group"]))
            self.facts.update(fact)


def _conform(source: Path, part: Path, abandon: threading.Event | None) -> dict[str, Any]:
    """The report of the child; started again without the row group in which it died.

    `rows` is in the report when `part` holds records; otherwise `unopened` says why not.
    """
    lost: dict[int, str] = {}
    finished_groups: set[int] = set()
    deadline = time.monotonic() + _ALL_TRIES_S
    for attempt in range(_TRIES + 1):
        heard = _Heard()
        child = run_bounded(
            module_argv("tui.catalog.conform", source, part, _groups_by_reason(lost)),
            timeout_s=TIME_LIMIT_S,
            memory_bytes=MEMORY_LIMIT_BYTES,
            output_bytes=_LONGEST_LINE_BYTES,
            on_line=heard.line,
            abandon=abandon,
        )
        if child.abandoned:
            raise NoDataError("Reading was abandoned", str(source))
        if "ready" not in heard.facts:
            last = (child.stderr.strip().splitlines() or [f"it ended with {child.returncode}"])[-1]
            raise NoDataError(
                "The reader of parquet files does not start", last, "Install trn-models and pyarrow again."
            )
        if "unwritable" in heard.facts:
            raise _unwritable(part.parent, str(heard.facts["unwritable"]))
        died = {"died": True} if lost or "slow" in heard.facts else {}
        if "report" in heard.facts:
            return {**heard.facts["report"], **died}
        if "unopened" in heard.facts:
            return {"unopened": heard.facts["unopened"]}
        why = _cause_of_death(child)
        log.warning("%s: %s in row group %s", source, why, heard.groups[-1:])
        if "groups" not in heard.facts:
            return {"unopened": why, "died": True}
        finished_groups.update(heard.groups[:-1])
        if not heard.groups or "copied" in heard.facts or attempt == _TRIES:
            break
        lost[heard.groups[-1]] = why
        if attempt == _TRIES - 1 or time.monotonic() > deadline:
            rest = set(range(int(heard.facts["groups"]))) - finished_groups
            lost = dict.fromkeys(rest, "too many row groups before it could not be read") | lost
    return {"unopened": why, "counts": [heard.facts["records"]], "died": True}


def _instead_of_parquet(source: Path) -> str | None:
    """What a file without readable records is, when that can be told from its two ends."""
    with source.open("rb") as file:
        beginning = file.read(len(_LFS_POINTER))
        file.seek(-min(len(_MAGIC), file.seek(0, os.SEEK_END)), os.SEEK_END)
        end = file.read()
    if not beginning:
        return "the file is empty"
    if beginning == _LFS_POINTER:
        return "it is a Git LFS pointer and not the file itself, which `git lfs pull` fetches"
    if _MAGIC_ENCRYPTED in (beginning[: len(_MAGIC)], end):
        return "it is encrypted"
    if end == _MAGIC:
        return None
    return "its end is missing or damaged" if beginning[: len(_MAGIC)] == _MAGIC else "it is no parquet file"


def _groups_by_reason(lost: dict[int, str]) -> str:
    """{why: [[first, last]]}: an argument of a program has room for some thousand spans, not for all numbers."""
    spans: dict[str, list[list[int]]] = {}
    for group, why in sorted(lost.items()):
        of_reason = spans.setdefault(why, [])
        if of_reason and of_reason[-1][1] == group - 1:
            of_reason[-1][1] = group
        else:
            of_reason.append([group, group])
    return json.dumps(spans, separators=(",", ":"))


def _cause_of_death(child: Finished) -> str:
    if child.timed_out:
        return f"reading took longer than {TIME_LIMIT_S:.0f} s"
    if any(said in child.stderr for said in _NO_MEMORY):
        return f"it does not fit into {MEMORY_LIMIT_BYTES / 2**30:g} GB of memory"
    if child.returncode < 0:
        with contextlib.suppress(ValueError):
            return f"it crashed the reader ({signal.Signals(-child.returncode).name})"
    return f"it ended the reader ({child.returncode})"


def _read_report(kept: Path, own: Path) -> dict[str, Any] | None:
    """The report of an earlier reading, if it can still be believed."""
    try:
        report: dict[str, Any] = decoded(kept.read_bytes())
        if report["format"] != CONFORM_FORMAT:
            return None
        if report.get("died") and time.time() - kept.stat().st_mtime > _DEATH_BELIEVED_S:
            return None
        # Two apps may have written these two names at once, or a full disk cut one short.
        if report["own_bytes"] is not None and own.stat().st_size != report["own_bytes"]:
            return None
        from_report(report, "", "", own)
    except (OSError, *NOT_AS_EXPECTED):
        return None
    return report


def _status(source: Path, name: str) -> tuple[int, int, int]:
    try:
        found = source.stat()
        if stat.S_ISDIR(found.st_mode):
            raise UnreadableFileError(f"{name} cannot be read", f"{source} is a folder.", "Name a parquet file.")
        if not stat.S_ISREG(found.st_mode):
            raise UnreadableFileError(f"{name} cannot be read", f"{source} is no file.", "Name a parquet file.")
    except (OSError, ValueError) as error:
        raise _no_bytes(source, name, error) from error
    return found.st_ino, found.st_size, found.st_mtime_ns


def _sha256(source: Path, name: str) -> str:
    try:
        return sha256_of(source)
    except (OSError, ValueError) as error:
        raise _no_bytes(source, name, error) from error


def _no_bytes(source: Path, name: str, error: Exception) -> UnreadableFileError:
    reason = getattr(error, "strerror", None) or str(error)
    return UnreadableFileError(f"{name} cannot be read", f"{source}: {reason}", "Check its name and its permissions.")


def _unread(error: TrnModelsError) -> str:
    return f"{error.title}: {error.detail.rstrip('.')}; how many records it holds is not known"


def _unwritable(folder: Path, reason: str) -> NoDataError:
    return NoDataError(
        "Records cannot be kept",
        f"{folder}: {reason}",
        "See that there is room and that you may write there, or name another folder with TRN_MODELS_CACHE_DIR.",
    )
