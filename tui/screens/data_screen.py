"""The part of the main screen that holds what came from disk and from the Hub, and asks for more of it.

It draws nothing: it keeps records, rankings and facts, and calls `records_changed`, `ranking_changed` and
`detail_changed`, which the screen on top of it fills.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from textual import on
from textual.screen import Screen

from tui.catalog import rankings, snapshot
from tui.catalog.facts import ModelFacts
from tui.catalog.hub import FACTS_KEPT, cached_facts
from tui.catalog.neff_bucket import Search
from tui.catalog.rankings import Ranking
from tui.catalog.snapshot import Snapshot
from tui.catalog.views import View
from tui.errors import HubOfflineError, TrnModelsError
from tui.screens import arrivals
from tui.settings import Settings
from tui.widgets.header_text import Activity

log = logging.getLogger(__name__)

SILENCE_BEFORE_SAMPLE_S = 5.0
"""With nothing on disk the Hub may be silent this long before the sample is shown."""

RANKING_FRESH_FOR = timedelta(minutes=10)
"""A ranking younger than this is not asked for again when a person comes back to its view."""

RankingKey = tuple[bool, View, str]
"""(sample, view, task): a sample ranking is never in the place of a live one."""


class DataScreen(Screen[None]):
    """Records, rankings and facts, with the work in the background that brings them."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self.snapshot: Snapshot | None = None
        self.rankings: dict[RankingKey, Ranking] = {}
        self.ranking_errors: dict[RankingKey, TrnModelsError] = {}
        self.rankings_loading: set[RankingKey] = set()
        self.renames: dict[str, str] = {}
        self.facts: dict[str, ModelFacts | TrnModelsError] = {}
        self.bucket: Search | None = None
        self.activity = Activity()
        self.abandoned = threading.Event()
        self._fetching = False
        self._facts_asked: set[str] = set()
        self._bucket_asked = False
        self._when_bucket_known: Callable[[], None] | None = None

    def records_changed(self) -> None:
        """Other records are there."""

    def ranking_changed(self) -> None:
        """A ranking came, grew, or failed to come."""

    def detail_changed(self) -> None:
        """More is known about a model."""

    def activity_changed(self) -> None:
        """The status line has something else to say."""

    def on_unmount(self) -> None:
        """Tell the work in the background that nobody waits for it any more."""
        self.abandoned.set()

    # Records

    def start_loading(self) -> None:
        """What is on disk first; then, in the background, what the Hub has."""
        if self.settings.sample:
            self._take(snapshot.open_sample())
            return
        last = None if self.settings.data is not None else snapshot.last_snapshot(self.settings)
        if last is not None:
            self._take(last)
        if self.settings.offline and self.settings.data is None:
            if last is None:
                self._sample_meanwhile()
            return
        if last is None and self.settings.data is None:
            self.set_timer(SILENCE_BEFORE_SAMPLE_S, self._sample_meanwhile)
        self.fetch_records()

    def fetch_records(self) -> bool:
        """Ask the source for records; False when that is going on already."""
        if self._fetching:
            return False
        self._fetching = True
        what = str(self.settings.data) if self.settings.data is not None else self.settings.dataset
        self._set_activity(progress=f"reading {what} …" if self.settings.data else f"asking the Hub for {what} …")
        current = self.snapshot if self.snapshot is not None and self.snapshot.source == "hub" else None
        arrivals.bring_snapshot(self, self.settings, current, self.abandoned)
        return True

    @property
    def showing_sample(self) -> bool:
        """Whether the records on screen are the bundled sample."""
        return self.snapshot is not None and self.snapshot.source == "sample"

    def _take(self, new: Snapshot) -> None:
        self.snapshot = new
        self.records_changed()

    def _sample_meanwhile(self) -> None:
        if self.snapshot is None:
            self._take(snapshot.open_sample())

    def _set_activity(self, **changes: object) -> None:
        self.activity = replace(self.activity, **changes)  # type: ignore[arg-type]
        self.activity_changed()

    @on(arrivals.FetchProgress)
    def _fetch_goes_on(self, event: arrivals.FetchProgress) -> None:
        if self._fetching:
            self._set_activity(progress=event.text)

    @on(arrivals.SnapshotArrived)
    def _snapshot_arrived(self, event: arrivals.SnapshotArrived) -> None:
        self._fetching = False
        was_sample = self.showing_sample
        self.activity = Activity(changed=event.changed)
        if self.snapshot is None or self.snapshot.records is not event.snapshot.records:
            self._take(event.snapshot)
        else:
            self.snapshot = event.snapshot
        self.activity_changed()
        if was_sample:
            self.notify("The dataset arrived and took the place of the sample.", markup=False)

    @on(arrivals.SnapshotFailed)
    def _snapshot_failed(self, event: arrivals.SnapshotFailed) -> None:
        self._fetching = False
        self._set_activity(progress="", error=event.error)
        if self.settings.data is None:
            self._sample_meanwhile()
        else:
            self.records_changed()

    # Rankings

    def ranking_key(self, view: View, task: str) -> RankingKey:
        """Where the ranking of this view and task is kept; a sample has its own."""
        return (self.showing_sample, view, task)

    def want_ranking(self, view: View, task: str, *, now: bool = False) -> None:
        """Have this ranking: from memory, else disk; from the Hub when it is not fresh or `now` is set."""
        if view is View.SELECTED:
            return
        key = self.ranking_key(view, task)
        if self.showing_sample:
            self.rankings.setdefault(key, rankings.open_sample(view, task))
            return
        if key not in self.rankings:
            last = rankings.cached(self.settings, view, task)
            if last is not None:
                self.rankings[key] = last
        if self.settings.offline:
            self.ranking_errors[key] = HubOfflineError("Offline", remedy="Start without --offline to ask the Hub.")
            return
        known = self.rankings.get(key)
        fresh = (
            known is not None
            and known.fetched_at is not None
            and datetime.now(UTC) - known.fetched_at < RANKING_FRESH_FOR
        )
        if key not in self.rankings_loading and (now or not fresh):
            self.rankings_loading.add(key)
            arrivals.bring_ranking(self, self.settings, view, task)

    def want_next_page(self, view: View, task: str) -> None:
        """Fetch the next page of this ranking, if there is one and nothing is under way."""
        key = self.ranking_key(view, task)
        known = self.rankings.get(key)
        if known is None or known.next_cursor is None or known.sample or self.settings.offline:
            return
        if key not in self.rankings_loading:
            self.rankings_loading.add(key)
            arrivals.bring_next_page(self, self.settings, known)
            self.ranking_changed()

    @on(arrivals.RankingArrived)
    def _ranking_arrived(self, event: arrivals.RankingArrived) -> None:
        key = (event.ranking.sample, event.view, event.task)
        self.rankings_loading.discard(key)
        self.ranking_errors.pop(key, None)
        self.rankings[key] = event.ranking
        self.renames = {**rankings.renames(self.settings), **self.renames}
        self.ranking_changed()
        if self.snapshot is not None and not self.showing_sample and not event.ranking.sample:
            model_ids = self.snapshot.records["model_id"].drop_nulls().unique().to_list()
            arrivals.bring_renames(self, self.settings, event.ranking, model_ids)

    @on(arrivals.RankingFailed)
    def _ranking_failed(self, event: arrivals.RankingFailed) -> None:
        key = (False, event.view, event.task)
        self.rankings_loading.discard(key)
        self.ranking_errors[key] = event.error
        self.ranking_changed()

    @on(arrivals.RenamesArrived)
    def _renames_arrived(self, event: arrivals.RenamesArrived) -> None:
        if event.renames.items() - self.renames.items():
            self.renames = {**self.renames, **event.renames}
            self.ranking_changed()

    # One model

    def want_facts(self, key: str, model_id: str, *, ask: bool, again: bool = False) -> None:
        """Facts of a model from disk; with `ask` also from the Hub when they are not fresh.

        After a failure the Hub is asked once more only with `again`: a person pressed a key for it.
        """
        if self.showing_sample or not model_id or key in self._facts_asked:
            return
        known = self.facts.get(key)
        if known is None:
            known = cached_facts(self.settings, model_id)
            if known is not None:
                self._facts_arrived(arrivals.FactsArrived(key, known))
        fresh = isinstance(known, ModelFacts) and datetime.now(UTC) - known.fetched_at < FACTS_KEPT
        failed = isinstance(known, TrnModelsError) and not again
        if ask and not fresh and not failed and not self.settings.offline:
            self._facts_asked.add(key)
            arrivals.bring_facts(self, self.settings, key, model_id)

    def facts_note(self, key: str) -> str:
        """Why there are no facts of this model."""
        if self.showing_sample:
            return "sample models are invented: the Hub has none of them"
        failure = self.facts.get(key)
        if isinstance(failure, TrnModelsError):
            return f"not known: {failure.title}"
        if self.settings.offline:
            return "not asked: offline"
        return "asking …" if key in self._facts_asked else ""

    @on(arrivals.FactsArrived)
    def _facts_arrived(self, event: arrivals.FactsArrived) -> None:
        self.facts[event.key] = event.facts
        self._facts_asked.discard(event.key)
        new_key = event.facts.id.casefold()
        if new_key != event.key and self.renames.get(event.key) != new_key:
            self.renames = {**self.renames, event.key: new_key}
            self.ranking_changed()
        self.detail_changed()

    @on(arrivals.FactsFailed)
    def _facts_failed(self, event: arrivals.FactsFailed) -> None:
        self._facts_asked.discard(event.key)
        if not isinstance(self.facts.get(event.key), ModelFacts):
            self.facts[event.key] = event.error
        self.detail_changed()

    def want_bucket(self, then: Callable[[], None] | None = None) -> None:
        """Find out, once, where compiled graphs are kept; `then` is called when that is known."""
        self._when_bucket_known = then
        if not self._bucket_asked:
            self._bucket_asked = True
            arrivals.bring_bucket(self, replace(self.settings, sample=self.showing_sample))

    @on(arrivals.BucketArrived)
    def _bucket_arrived(self, event: arrivals.BucketArrived) -> None:
        self.bucket = event.search
        self.detail_changed()
        if self._when_bucket_known is not None:
            self._when_bucket_known()
            self._when_bucket_known = None
