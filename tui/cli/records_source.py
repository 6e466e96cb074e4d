"""Records for a verb that prints: opened, or fetched anew when asked for, and told on stderr which they are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tui import numbers
from tui.cli.output import Progress, say
from tui.errors import UsageError
from tui.settings import Settings

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot


def open_told(settings: Settings, fresh: bool) -> Snapshot:
    """The records on disk, fetched when there are none or with `fresh`; never the sample unless it was asked for.

    Name, revision and age are told on stderr, and what could not be read. Raises `UsageError` for `fresh` where no
    request is made, `HubError` or `NoDataError` when there is nothing to read.
    """
    from tui.catalog import snapshot as snapshots
    from tui.cli.chosen_record import open_records

    if fresh:
        _refuse_without_requests(settings)
        with Progress() as progress:
            snapshot = snapshots.refresh(settings, None, progress).snapshot
        say(*snapshot.problems)
    else:
        snapshot = open_records(settings)
        if settings.data is not None:
            say(*snapshot.problems)
    say(source_line(snapshot))
    return snapshot


def source_line(snapshot: Snapshot) -> str:
    """`ORG/NAME @ 1a2b3c4, checked 3 h ago, tested to 2026-11-20`; what is not known is left out."""
    parts = [f"{snapshot.name} @ {snapshot.revision[:7]}" if snapshot.revision else snapshot.name]
    if snapshot.checked_at is not None:
        parts.append(f"checked {numbers.age(snapshot.checked_at, datetime.now(UTC))}")
    if snapshot.newest_test is not None:
        parts.append(f"tested to {numbers.day(snapshot.newest_test)}")
    return ", ".join(parts)


def _refuse_without_requests(settings: Settings) -> None:
    if settings.data is not None or settings.sample or settings.offline:
        raise UsageError(
            "There is nothing to refresh",
            "--data, --sample and offline use make no request.",
            "Leave them out, or leave out --refresh.",
        )
