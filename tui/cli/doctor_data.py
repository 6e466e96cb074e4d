"""What `doctor` looks at of the app and its data: versions, records, the Hub, the token, folders."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement

from tui import __version__, numbers
from tui.cli.findings import Finding, Level, on_one_line
from tui.errors import HubError, TrnModelsError
from tui.settings import Settings

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot

OLD_AFTER = timedelta(days=14)
LITTLE_BYTES = 1_000_000_000
"""Free space below which a folder is warned of."""
SIZE_WITHIN_S = 1.0
"""So long the size of one folder is added up."""

_LIBRARIES = ("textual", "polars", "pyarrow", "huggingface_hub", "click")
_PROBLEMS_NAMED = 5


def versions() -> Iterator[Finding]:
    """The app, Python, the system, and the libraries that most depends on. None of them is imported."""
    try:
        needed = {
            each.name: each for each in map(Requirement, metadata.requires("trn-models") or ()) if not each.marker
        }
    except metadata.PackageNotFoundError:  # run from its folder, not installed
        needed = {}
    named = [f"trn-models {__version__}", f"Python {platform.python_version()}"]
    for name in _LIBRARIES:
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield Finding(Level.PROBLEM, "versions", f"{name} is not installed", "Install trn-models anew.")
            continue
        named.append(f"{name} {version}")
        wanted = needed.get(name)
        if wanted is not None and not wanted.specifier.contains(version, prereleases=True):
            text = f"{name} {version} does not do: {wanted.specifier} is needed"
            yield Finding(Level.PROBLEM, "versions", text, f'pip install "{wanted}"')
    named.append(f"{platform.system()} {platform.release()} {platform.machine()}")
    yield Finding(Level.OK, "versions", ", ".join(named))


def records(settings: Settings, snapshot: Snapshot | None) -> Iterator[Finding]:
    """The source with revision and age, what could not be read, and whether the app's own files can be."""
    from tui.cli.records_source import source_line

    if snapshot is None:
        text = f"{settings.dataset} was never fetched to this machine"
        yield Finding(Level.WARNING, "source", text, "With network: trn-models refresh")
        return
    counts = f"{numbers.counted(snapshot.records.height, 'record')}, {numbers.counted(len(snapshot.stacks), 'stack')}"
    old = snapshot.checked_at is not None and datetime.now(UTC) - snapshot.checked_at > OLD_AFTER
    of_this_run = snapshot.source == "hub"
    yield Finding(
        Level.WARNING if old and of_this_run else Level.OK,
        "source",
        f"{source_line(snapshot)}: {counts}",
        "trn-models refresh" if old and of_this_run else "",
    )
    for problem in snapshot.problems[:_PROBLEMS_NAMED]:
        yield Finding(Level.WARNING, "records", problem, "trn-models refresh" if of_this_run else "Check that file.")
    if len(snapshot.problems) > _PROBLEMS_NAMED:
        more = len(snapshot.problems) - _PROBLEMS_NAMED
        yield Finding(Level.WARNING, "records", f"and {numbers.counted(more, 'more problem')}", "Key P in the app.")
    yield from _own_files(snapshot)


def _own_files(snapshot: Snapshot) -> Iterator[Finding]:
    from tui.catalog.snapshot import read_text

    with_rows = [number for number, file in enumerate(snapshot.files) if file.own is not None and file.rows]
    unreadable = 0
    for number in with_rows:
        try:
            read_text(snapshot, number, 0, "model_id")
        except TrnModelsError as error:
            unreadable += 1
            yield Finding(Level.PROBLEM, "own files", on_one_line(error.title, error.detail), error.remedy)
    if not unreadable:
        yield Finding(Level.OK, "own files", f"{numbers.counted(len(with_rows), 'file')} can be read")


def hub_answers(settings: Settings, snapshot: Snapshot | None) -> Iterator[Finding]:
    """Whether the Hub answers: one request, bounded in time."""
    from tui.catalog import hub

    if settings.offline:
        yield Finding(Level.OK, "Hub", f"{hub.endpoint()} was not asked: offline use")
        return
    began = time.monotonic()
    try:
        revision = hub.dataset_revision(settings)
    except HubError as error:
        level = Level.PROBLEM if snapshot is None else Level.WARNING
        yield Finding(level, "Hub", on_one_line(error.title, error.detail), error.remedy)
        return
    text = f"{hub.endpoint()} answered in {time.monotonic() - began:.1f} s"
    if snapshot is not None and snapshot.source == "hub" and snapshot.revision != revision:
        yield Finding(Level.OK, "Hub", f"{text}; it has a newer revision, {revision[:7]}: trn-models refresh")
        return
    yield Finding(Level.OK, "Hub", text)


def token(environ: Mapping[str, str]) -> Iterator[Finding]:
    """Whether there is a token; never what it is."""
    from tui.host.surroundings import has_token

    there = has_token(environ)
    yield Finding(Level.OK, "token", "there is one" if there else "none; what is public needs none")


def folders(settings: Settings, environ: Mapping[str, str]) -> Iterator[Finding]:
    """The folders that are written to: how large, whether writable, how much room there is."""
    from tui.host.surroundings import hub_cache
    from tui.rerun.recipe import cache_folder
    from tui.rerun.runs import runs_folder

    for name, folder in (
        ("cache", settings.cache_dir),
        ("state", settings.state_dir),
        ("runs", runs_folder(settings)),
        ("Hugging Face cache", hub_cache(environ)),
        ("NEFF cache", cache_folder(settings.neff_cache_dir)),
    ):
        yield _folder(name, folder)


def _folder(name: str, folder: Path) -> Finding:
    from tui.host.surroundings import can_be_written, free_bytes, what_is_there

    there = what_is_there(folder)
    parts = [str(folder), _size_of(folder) if there == folder else "not there yet"]
    free = free_bytes(folder)
    if free is not None:
        parts.append(f"{numbers.size(free)} free")
    if not there.is_dir():
        return Finding(Level.PROBLEM, name, f"{folder}: {there} is no folder", "Move that file away.")
    if not can_be_written(folder):
        return Finding(Level.PROBLEM, name, f"{', '.join(parts)}; not writable", f"Make {there} writable for you.")
    if free is not None and free < LITTLE_BYTES:
        return Finding(Level.WARNING, name, ", ".join(parts), "Make room there.")
    return Finding(Level.OK, name, ", ".join(parts))


def _size_of(folder: Path) -> str:
    """What its files take, as far as that can be added up in `SIZE_WITHIN_S`; links are not followed."""
    end, total, waiting = time.monotonic() + SIZE_WITHIN_S, 0, [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                    elif entry.is_file(follow_symlinks=False):
                        total += entry.stat(follow_symlinks=False).st_size
                    if time.monotonic() > end:
                        return f"more than {numbers.size(total)}"
        except OSError:  # it is not ours to read, or has just gone
            continue
    return numbers.size(total)
