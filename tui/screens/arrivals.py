"""What comes from disk or from the Hub, as messages; and the work in the background that brings it.

Nothing here changes a widget: a screen calls a `bring_...` function and handles the message that comes.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.message import Message
from textual.message_pump import MessagePump

from tui.background import deliver, in_background
from tui.catalog import front_page
from tui.errors import TrnModelsError
from tui.settings import Settings
from tui.widgets.long_text import script_lines
from tui.widgets.table_cells import DRAWN

if TYPE_CHECKING:
    import polars as pl

    from tui.catalog.evidence import Evidence
    from tui.catalog.facts import ModelFacts
    from tui.catalog.neff_bucket import Search
    from tui.catalog.question import View
    from tui.catalog.rankings import Ranking
    from tui.catalog.snapshot import Snapshot
    from tui.screens.long_texts import LongTexts


@dataclass
class LastSnapshotRead(Message):
    """What was last fetched, read from disk; None when nothing usable is there."""

    snapshot: Snapshot | None
    lines: pl.DataFrame | None = None
    """`views.lines_of` its `first_question`."""
    origin: Any = None
    """What `front_page.made_from` told when it was read."""


class FrontPageKept(Message):
    """The next start has the first lines at once, or there is nothing that it could show."""


@dataclass
class SnapshotArrived(Message):
    """Records are there. `changed` says what is different from before.

    `lines` are those of the `first_question`, None when the records are the same as before; `origin` as of
    `LastSnapshotRead`.
    """

    snapshot: Snapshot
    changed: str
    lines: pl.DataFrame | None
    origin: Any = None


@dataclass
class SnapshotFailed(Message):
    """The source gave no records this time."""

    error: TrnModelsError


@dataclass
class FetchProgress(Message):
    """A line that tells how far fetching the records is."""

    text: str


@dataclass
class RankingArrived(Message):
    """A ranking from disk (`fresh` is false) or from the Hub."""

    view: View
    task: str
    ranking: Ranking
    fresh: bool


@dataclass
class RankingFailed(Message):
    """The Hub gave no ranking this time."""

    view: View
    task: str
    error: TrnModelsError


@dataclass
class RenamesArrived(Message):
    """Models that the Hub knows under another id: old key -> new key."""

    renames: dict[str, str]


@dataclass
class FactsArrived(Message):
    """What the Hub says of a model."""

    key: str
    facts: ModelFacts


@dataclass
class FactsFailed(Message):
    """The Hub said nothing of this model."""

    key: str
    error: TrnModelsError


@dataclass
class EvidenceArrived(Message):
    """How models like one without a record fared; None when that could not be found out."""

    key: str
    snapshot: Snapshot
    facts: ModelFacts
    evidence: Evidence | None


@dataclass
class LongTextsArrived(Message):
    """run.py and the error of one record."""

    texts: LongTexts


@dataclass
class BucketArrived(Message):
    """Where compiled graphs are kept, or why that is not known."""

    search: Search
    of_sample: bool


def bring_last_snapshot(target: MessagePump, settings: Settings) -> None:
    """Read from disk what was last fetched."""

    def work() -> Message:
        from tui.catalog import snapshot as snapshots

        origin = front_page.made_from(settings)
        last = snapshots.last_snapshot(settings)
        return LastSnapshotRead(last, None if last is None else _first_lines(last), origin)

    in_background(target, work, lambda _error: LastSnapshotRead(None), "reading what was fetched last")


def _first_lines(snapshot: Snapshot) -> pl.DataFrame:
    from tui.catalog.question import first_question
    from tui.catalog.views import lines_of

    return lines_of(snapshot, None, first_question(snapshot.stacks))


def keep_front_page(
    target: MessagePump, settings: Settings, snapshot: Snapshot, lines: pl.DataFrame | None, origin: Any
) -> None:
    """Keep the first of these lines for the next start; `lines` and `origin` as of `LastSnapshotRead`."""

    def work() -> Message:
        front_page.write(settings, snapshot, lines, DRAWN, origin)
        return FrontPageKept()

    in_background(target, work, lambda _error: FrontPageKept(), "keeping the first lines")


def bring_snapshot(
    target: MessagePump, settings: Settings, current: Snapshot | None, abandoned: threading.Event
) -> None:
    """Read `--data` again, or ask the Hub whether the dataset changed and fetch what did."""

    def tell(text: str) -> None:
        deliver(target, FetchProgress(text))

    def work() -> Message:
        from tui.catalog import snapshot as snapshots

        if settings.data is not None:
            origin = front_page.made_from(settings)
            read = snapshots.open_path(settings.data, settings, tell, abandoned)
            return SnapshotArrived(read, "", _first_lines(read), origin)
        refreshed = snapshots.refresh(settings, current, tell, abandoned)
        arrived = refreshed.snapshot
        known = current is not None and arrived.records is current.records
        lines = None if known else _first_lines(arrived)
        return SnapshotArrived(arrived, refreshed.changed, lines, front_page.made_from(settings))

    in_background(target, work, SnapshotFailed, "reading records")


def bring_ranking(target: MessagePump, settings: Settings, view: View, task: str, rows: int) -> None:
    """Fetch a ranking anew, at least `rows` models of it where the Hub has so many."""

    def work() -> Message:
        from tui.catalog import rankings

        return RankingArrived(view, task, rankings.fetch(settings, view, task, rows), fresh=True)

    in_background(target, work, lambda error: RankingFailed(view, task, error), f"fetching the {view} ranking")


def bring_next_page(target: MessagePump, settings: Settings, ranking: Ranking) -> None:
    """Fetch the page after the last one of `ranking`."""
    view, task = ranking.view, ranking.task

    def work() -> Message:
        from tui.catalog import rankings

        return RankingArrived(view, task, rankings.more(settings, ranking), fresh=True)

    in_background(target, work, lambda error: RankingFailed(view, task, error), f"fetching more of {view}")


def bring_renames(target: MessagePump, settings: Settings, ranking: Ranking, model_ids: Collection[str]) -> None:
    """Look for models of the snapshot that the ranking has under a new id."""

    def work() -> Message:
        from tui.catalog import rankings

        return RenamesArrived(rankings.look_for_renames(settings, ranking, model_ids))

    in_background(target, work, lambda _error: RenamesArrived({}), "looking for renamed models")


def bring_facts(target: MessagePump, settings: Settings, key: str, model_id: str) -> None:
    """Ask the Hub about one model (answers are kept a day)."""

    def work() -> Message:
        from tui.catalog import hub

        return FactsArrived(key, hub.model_facts(settings, model_id))

    in_background(target, work, lambda error: FactsFailed(key, error), "asking about a model")


def bring_evidence(
    target: MessagePump,
    settings: Settings,
    snapshot: Snapshot,
    key: str,
    facts: ModelFacts,
    *,
    renames: Mapping[str, str],
) -> None:
    """Look among the records, and in what the Hub said before, for models like one without a record."""

    def work() -> Message:
        from tui.catalog import kinds
        from tui.catalog.evidence import evidence_of

        found = evidence_of(snapshot, kinds.read(settings, sample=False), facts, key, renames)
        return EvidenceArrived(key, snapshot, facts, found)

    in_background(
        target, work, lambda _error: EvidenceArrived(key, snapshot, facts, None), "looking for models like one"
    )


def bring_long_texts(target: MessagePump, snapshot: Snapshot, index: int) -> None:
    """Read run.py and the error of one record from disk."""

    from tui.screens.long_texts import LongTexts, read_long_texts

    def failed(error: TrnModelsError) -> Message:
        return LongTextsArrived(LongTexts(snapshot, index, None, None, error))

    def work() -> Message:
        texts = read_long_texts(snapshot, index)
        if texts.script:
            script_lines(texts.script)  # kept, so that the event loop does not wait for its colours
        return LongTextsArrived(texts)

    in_background(target, work, failed, "reading run.py")


def bring_bucket(target: MessagePump, settings: Settings, *, of_sample: bool) -> None:
    """Find out where compiled graphs are kept (the answer is kept a day)."""

    def work() -> Message:
        from tui.catalog import neff_bucket

        return BucketArrived(neff_bucket.find(settings), of_sample)

    def failed(error: TrnModelsError) -> Message:
        from tui.catalog import neff_bucket

        return BucketArrived(neff_bucket.Search(None, (), None, f"Not looked up: {error.title}."), of_sample)

    in_background(target, work, failed, "looking for the bucket of compiled graphs")
