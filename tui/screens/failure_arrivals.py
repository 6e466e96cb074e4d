"""The kinds of failure of all records, read in the background, as messages."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message
from textual.message_pump import MessagePump

from tui.background import in_background
from tui.errors import TrnModelsError

if TYPE_CHECKING:
    import polars as pl

    from tui.catalog.snapshot import Snapshot


@dataclass
class FailuresRead(Message):
    """The kind of failure of every record of `snapshot` with an error."""

    snapshot: Snapshot
    failures: pl.DataFrame


@dataclass
class FailuresUnread(Message):
    """The errors could not be read."""

    snapshot: Snapshot
    error: TrnModelsError


def read_failures(target: MessagePump, snapshot: Snapshot, abandoned: threading.Event) -> None:
    """Read the last lines of all errors."""

    def work() -> Message:
        from tui.catalog import failures

        return FailuresRead(snapshot, failures.read(snapshot, abandoned))

    in_background(target, work, lambda error: FailuresUnread(snapshot, error), "reading the last lines of errors")
