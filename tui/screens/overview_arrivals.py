"""What the overview is made of, read and computed in the background, as messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message
from textual.message_pump import MessagePump

from tui.background import in_background
from tui.catalog.stacks import StackChoice
from tui.errors import TrnModelsError

if TYPE_CHECKING:
    import polars as pl

    from tui.catalog.overview import Overview, Section
    from tui.catalog.snapshot import Snapshot


@dataclass(frozen=True)
class Source:
    """What an overview is of; `kinds` and `failures` are None while they are read, `unread` says why they cannot be.

    `lines` are those of the stack in Selected, as far as they are at hand.
    """

    snapshot: Snapshot
    choice: StackChoice
    lines: pl.DataFrame | None = None
    kinds: pl.DataFrame | None = None
    failures: pl.DataFrame | None = None
    kinds_unread: str = ""
    failures_unread: str = ""


@dataclass
class OverviewMade(Message):
    """The overview of `source`."""

    source: Source
    overview: Overview


@dataclass
class OverviewFailed(Message):
    """No overview could be made."""

    error: TrnModelsError


def make_overview(target: MessagePump, source: Source, stacks: Section | None) -> None:
    """Count all of it, but the `stacks` of the same snapshot, when these were counted already."""

    def work() -> Message:
        from tui.catalog.overview import overview_of

        made = overview_of(
            source.snapshot, source.choice, source.kinds, source.failures, lines=source.lines, stacks=stacks
        )
        return OverviewMade(source, made)

    in_background(target, work, OverviewFailed, "making the overview")
