"""The verb `refresh`: fetch what changed, say what is different, write it to a folder."""

from __future__ import annotations

import shlex
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from tui import numbers
from tui.cli.formats import Types, format_option, write_object
from tui.cli.options import begin, source_options
from tui.cli.output import Progress, say, write
from tui.errors import EXIT_PASS, NoDataError, UsageError
from tui.settings import Settings
from tui.terminal_text import clean

if TYPE_CHECKING:
    from tui.catalog.snapshot import Refreshed, Snapshot

_TYPES: Final[Types] = {
    "checked_at": datetime,
    "newest_test_at": datetime,
    "files": int,
    "records": int,
    "stacks": int,
    "complete": bool,
    "problems": list[str],
    "sample": bool,
}
"""Of the values of the object that are no text."""


@click.command("refresh", short_help="Fetch the dataset's newest revision, or write it to a folder.")
@click.option(
    "--to",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write the snapshot there too, for a host without network: trn-models --data FOLDER.",
)
@format_option()
@source_options
@click.pass_context
def refresh_verb(context: click.Context, /, to: Path | None, form: str, **flags: Any) -> None:
    """Ask the Hub for the dataset's newest revision, fetch what changed, and say what is different.

    \b
    Examples:
      trn-models refresh
      trn-models refresh --to /shared/trn-models
    """
    context.exit(refresh_records(begin(context, flags), to, form))


def refresh_records(settings: Settings, folder: Path | None, form: str) -> int:
    """Fetch the newest revision and tell what changed, in one of FORMATS; with `folder` write the snapshot there.

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
    refreshed, before = _records(settings)
    say(*refreshed.snapshot.problems)
    if form == "table":
        told = [clean(refreshed.changed), _summary(refreshed.snapshot)]
        write("".join(f"{line}\n" for line in told if line), sys.stdout)
    if folder is not None:
        snapshots.export(refreshed.snapshot, folder)
    if form != "table":
        write_object(_as_object(refreshed, before, folder), form, _TYPES)
    elif folder is not None:
        command = shlex.join(["trn-models", "--data", str(folder)])
        write(clean(f"written to {folder}; read it with: {command}") + "\n", sys.stdout)
    return EXIT_PASS


def _as_object(refreshed: Refreshed, before: str | None, folder: Path | None) -> dict[str, Any]:
    """What is there now, and what is different from `before`, the revision that was there; None for what is not known.

    `changed` is a sentence, None where nothing was asked. `folder` is where the snapshot was written.
    """
    snapshot = refreshed.snapshot
    return {
        "dataset": snapshot.name,
        "revision": snapshot.revision,
        "previous_revision": before,
        "checked_at": snapshot.checked_at,
        "newest_test_at": snapshot.newest_test,
        "changed": refreshed.changed or None,
        "files": len(snapshot.files),
        "records": snapshot.records.height,
        "stacks": len(snapshot.stacks),
        "complete": snapshot.complete,
        "problems": list(snapshot.problems),
        "folder": None if folder is None else str(folder),
        "sample": snapshot.source == "sample",
    }


def _records(settings: Settings) -> tuple[Refreshed, str | None]:
    """The records with what changed (empty: nothing was asked), and the revision that was there before."""
    from tui.catalog import snapshot as snapshots

    with Progress() as progress:
        if settings.sample:
            return snapshots.Refreshed(snapshots.open_sample(), ""), None
        if settings.data is not None:
            return snapshots.Refreshed(snapshots.open_path(settings.data, settings, progress), ""), None
        kept = snapshots.last_snapshot(settings)
        if not settings.offline:
            return snapshots.refresh(settings, kept, progress), None if kept is None else kept.revision
    if kept is None:
        raise NoDataError(
            "There is no snapshot on this machine",
            f"Offline use was asked for, and {settings.dataset} was never fetched.",
            "Run trn-models refresh once with network.",
        )
    return snapshots.Refreshed(kept, ""), None


def _summary(snapshot: Snapshot) -> str:
    revision = f" @ {snapshot.revision[:7]}" if snapshot.revision else ""
    records = f"{numbers.counted(snapshot.records.height, 'record')} in {numbers.counted(len(snapshot.files), 'file')}"
    return clean(f"{snapshot.name}{revision}: {records}, tested to {numbers.day(snapshot.newest_test)}")
