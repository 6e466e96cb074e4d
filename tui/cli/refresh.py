"""The verb `refresh`: fetch what changed, say what is different, write it to a folder."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tui import numbers
from tui.cli.output import Progress, say, write
from tui.errors import EXIT_PASS, NoDataError, UsageError
from tui.settings import Settings
from tui.terminal_text import clean

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot


def refresh_records(settings: Settings, folder: Path | None) -> int:
    """Fetch the newest revision and tell what changed; with `folder` write the snapshot there.

    With `--data`, `--sample` or `--offline` nothing is fetched: what is there is written to `folder`. Raises
    `TrnModelsError` of every kind that fetching, reading and writing have.
    """
    from tui.catalog import snapshot as snapshots

    local = settings.data is not None or settings.sample or settings.offline
    if local and folder is None:
        raise UsageError(
            "There is nothing to fetch",
            "--data, --sample and offline use make no request.",
            "Leave them out, or name a folder with --to.",
        )
    snapshot, changed = _records(settings)
    say(*snapshot.problems)
    if changed:
        write(f"{clean(changed)}\n", sys.stdout)
    write(f"{_summary(snapshot)}\n", sys.stdout)
    if folder is not None:
        snapshots.export(snapshot, folder)
        command = shlex.join(["trn-models", "--data", str(folder)])
        write(clean(f"written to {folder}; read it with: {command}") + "\n", sys.stdout)
    return EXIT_PASS


def _records(settings: Settings) -> tuple[Snapshot, str]:
    from tui.catalog import snapshot as snapshots

    with Progress() as progress:
        if settings.sample:
            return snapshots.open_sample(), ""
        if settings.data is not None:
            return snapshots.open_path(settings.data, settings, progress), ""
        kept = snapshots.last_snapshot(settings)
        if not settings.offline:
            refreshed = snapshots.refresh(settings, kept, progress)
            return refreshed.snapshot, refreshed.changed
    if kept is None:
        raise NoDataError(
            "There is no snapshot on this machine",
            f"Offline use was asked for, and {settings.dataset} was never fetched.",
            "Run trn-models refresh once with network.",
        )
    return kept, ""


def _summary(snapshot: Snapshot) -> str:
    revision = f" @ {snapshot.revision[:7]}" if snapshot.revision else ""
    records = f"{numbers.counted(snapshot.records.height, 'record')} in {numbers.counted(len(snapshot.files), 'file')}"
    return clean(f"{snapshot.name}{revision}: {records}, tested to {numbers.day(snapshot.newest_test)}")
