"""What a search needs beyond the lines, read in the background, as messages."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message
from textual.message_pump import MessagePump

from tui.background import in_background
from tui.errors import TrnModelsError
from tui.settings import Settings

if TYPE_CHECKING:
    import polars as pl

    from tui.catalog.snapshot import Snapshot


@dataclass
class ErrorsSearched(Message):
    """Casefolded text -> the records of `snapshot` whose error has it."""

    snapshot: Snapshot
    found: Mapping[str, pl.Series]


@dataclass
class ErrorsUnread(Message):
    """The errors could not be read."""

    snapshot: Snapshot
    error: TrnModelsError


@dataclass
class KindsRead(Message):
    """Task and model type of every model of which the Hub said them."""

    kinds: pl.DataFrame
    of_sample: bool


@dataclass
class KindsUnread(Message):
    """What the Hub said before could not be read."""

    error: TrnModelsError


def search_errors(target: MessagePump, snapshot: Snapshot, texts: Collection[str], abandoned: threading.Event) -> None:
    """Read the errors of all records and look for each of the casefolded texts in them."""

    def work() -> Message:
        from tui.catalog import error_search

        return ErrorsSearched(snapshot, error_search.find(snapshot, texts, abandoned))

    in_background(target, work, lambda error: ErrorsUnread(snapshot, error), "searching the errors")


def read_kinds(target: MessagePump, settings: Settings, *, sample: bool) -> None:
    """Read the rankings and the answers of the Hub that are kept on disk, or what the sample has."""

    def work() -> Message:
        from tui.catalog import kinds

        return KindsRead(kinds.read(settings, sample=sample), sample)

    in_background(target, work, KindsUnread, "reading tasks and model types")
