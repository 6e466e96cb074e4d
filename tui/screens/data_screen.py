"""The part of the main screen that holds the records and the rankings, and asks for more of them.

It draws nothing: it calls `records_changed`, `ranking_changed` and `activity_changed`, which the screen on top of it
fills.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from textual import on
from textual.timer import Timer

from tui.catalog import hub_address
from tui.catalog.asking_times import LIMITS_COUNT_FOR, next_time
from tui.catalog.question import View, first_question
from tui.errors import HubError, HubNotFoundError, HubOfflineError, HubRateLimitedError, TrnModelsError
from tui.screens import arrivals
from tui.screens.lines_at_hand import LinesAtHand
from tui.screens.steady import SteadyScreen
from tui.settings import DEFAULT_DATASET, Settings
from tui.widgets.header_text import Activity

if TYPE_CHECKING:
    import polars as pl

    from tui.catalog.rankings import Ranking
    from tui.catalog.snapshot import Snapshot

log = logging.getLogger(__name__)

SILENCE_BEFORE_SAMPLE_S = 5.0
"""With nothing on disk the Hub may be silent this long before the sample is shown."""

RANKING_FRESH_FOR = timedelta(minutes=10)
"""A ranking younger than this is not asked for again when a person comes back to its view."""

LOOK_EVERY_S = 20.0
"""So often it is looked whether the Hub is to be asked again."""

FIRST_ROWS = 500
"""Models of a ranking that are asked for at first: one page."""

RankingKey = tuple[bool, View, str]
"""(sample, view, task): a sample ranking is never in the place of a live one."""


class DataScreen(SteadyScreen[None]):
    """Records and rankings, with the work in the background that brings them."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self.snapshot: Snapshot | None = None
        self.lines = LinesAtHand()
        self._origin: Any = None
        """What the records on screen were read from, as of `front_page.made_from`."""
        self.rankings: dict[RankingKey, Ranking] = {}
        self.ranking_errors: dict[RankingKey, TrnModelsError] = {}
        self.rankings_loading: set[RankingKey] = set()
        self.renames: dict[str, str] = {}
        self.activity = Activity()
        self.abandoned = threading.Event()
        self.fetching = False
        self._silence: Timer | None = None
        self._failures = 0
        self.next_look: datetime | None = None
        """When the Hub is asked again without a key; never when None."""

    def records_changed(self) -> None:
        """Other records are there."""

    def records_checked(self) -> None:
        """The records are the same as before; when that was last known is another time."""

    def ranking_changed(self) -> None:
        """A ranking came, grew, or failed to come."""

    def activity_changed(self) -> None:
        """The status line has something else to say."""

    def on_unmount(self) -> None:
        """Tell the work in the background that nobody waits for it any more."""
        self.abandoned.set()

    # Records

    def start_loading(self) -> None:
        """What is on disk first; then, in the background, what the Hub has."""
        # Here, in the event loop: a thread that imports it beside the imports of this one has met half a module.
        import polars  # noqa: F401

        if self.settings.sample:
            self._take_sample()
        elif self.settings.data is not None:
            self.fetch_records()
        else:
            arrivals.bring_last_snapshot(self, self.settings)
            if not self.settings.offline:
                self.set_interval(LOOK_EVERY_S, self.look_if_due)

    @on(arrivals.LastSnapshotRead)
    def _last_snapshot_read(self, event: arrivals.LastSnapshotRead) -> None:
        last = event.snapshot
        if last is not None:
            self._origin = event.origin
            self._take(last, event.lines)
        else:
            self.records_changed()
        if self.settings.offline:
            if last is None:
                self._sample_meanwhile()
            return
        if last is None:
            self._silence = self.set_timer(SILENCE_BEFORE_SAMPLE_S, self._sample_meanwhile)
        self.fetch_records()

    def fetch_records(self) -> bool:
        """Ask the source for records; False when that is going on already."""
        if self.fetching:
            return False
        self.fetching = True
        what = str(self.settings.data) if self.settings.data is not None else self.settings.dataset
        self._set_activity(progress=f"reading {what} …" if self.settings.data else f"asking the Hub for {what} …")
        current = self.snapshot if self.snapshot is not None and self.snapshot.source == "hub" else None
        arrivals.bring_snapshot(self, self.settings, current, self.abandoned)
        return True

    def look_if_due(self) -> None:
        """Ask the Hub again when it is time: for the records, and for the rankings that did not come."""
        if self.next_look is not None and datetime.now(UTC) >= self.next_look and self.fetch_records():
            self.next_look = None
            for of_sample, view, task in list(self.ranking_errors):
                if not of_sample and not self.showing_sample:
                    self.want_ranking(view, task, now=True)

    def _plan_next_look(self, error: TrnModelsError | None = None) -> None:
        """After an answer, or after an error: then sooner, and never before the Hub allows."""
        if self.settings.data is not None or self.settings.sample or self.settings.offline:
            return
        self._failures = 0 if error is None else self._failures + 1
        now = datetime.now(UTC)
        until = error.until if isinstance(error, HubError) else None
        if until is None and isinstance(error, HubRateLimitedError):
            until = now + LIMITS_COUNT_FOR
        self.next_look = next_time(now, self._failures, until)

    @property
    def showing_sample(self) -> bool:
        """Whether the records on screen are the bundled sample."""
        return self.snapshot is not None and self.snapshot.source == "sample"

    def _take(self, new: Snapshot, first_lines: pl.DataFrame | None = None) -> None:
        self.snapshot = new
        self.lines.forget()
        if first_lines is not None:
            self.lines.keep(new, None, first_question(new.stacks), first_lines)
        self.records_changed()

    def _take_sample(self) -> None:
        from tui.catalog.snapshot import open_sample

        self._take(open_sample())

    def _sample_meanwhile(self) -> None:
        """Nothing else is there; but a dataset that a person named is not replaced by something else."""
        named = self.settings.dataset != DEFAULT_DATASET
        if self.snapshot is None and not (named and isinstance(self.activity.error, HubNotFoundError)):
            self._take_sample()
        elif self.snapshot is None:
            self.records_changed()

    def _set_activity(self, **changes: object) -> None:
        self.activity = replace(self.activity, **changes)  # type: ignore[arg-type]
        self.activity_changed()

    @on(arrivals.FetchProgress)
    def _fetch_goes_on(self, event: arrivals.FetchProgress) -> None:
        if self.fetching:
            if self._silence is not None:
                self._silence.reset()
            self._set_activity(progress=event.text)

    @on(arrivals.SnapshotArrived)
    def _snapshot_arrived(self, event: arrivals.SnapshotArrived) -> None:
        self.fetching = False
        was_sample = self.showing_sample
        self._origin = event.origin
        self.activity = Activity(changed=event.changed, read_at=datetime.now(UTC))
        self._plan_next_look(next(iter(self.ranking_errors.values()), None))
        if self.snapshot is None or self.snapshot.records is not event.snapshot.records:
            self._take(event.snapshot, event.lines)
        else:
            self.snapshot = event.snapshot
            self.records_checked()
        self.activity_changed()
        if was_sample and not self.showing_sample:
            self.notify("The dataset arrived and took the place of the sample.", markup=False)

    @on(arrivals.SnapshotFailed)
    def _snapshot_failed(self, event: arrivals.SnapshotFailed) -> None:
        self.fetching = False
        self._plan_next_look(event.error)
        self._set_activity(
            progress="", changed="", error=event.error, host=host_of(event.error), again_at=self.next_look
        )
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
            from tui.catalog.rankings import open_sample

            self.rankings.setdefault(key, open_sample(view, task))
            return
        if key not in self.rankings:
            from tui.catalog import rankings

            last = rankings.cached(self.settings, view, task)
            if last is not None:
                self.rankings[key] = last
            self.renames = {**rankings.renames(self.settings), **self.renames}
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
            rows = 0 if known is None else known.models.height
            arrivals.bring_ranking(self, self.settings, view, task, max(rows, FIRST_ROWS))

    def want_next_page(self, view: View, task: str) -> None:
        """Fetch the next page of this ranking, if there is one and nothing is under way.

        After a failure only `u` asks again: moving about at the end must not go on asking a Hub that said no.
        """
        key = self.ranking_key(view, task)
        known = self.rankings.get(key)
        if known is None or known.next_cursor is None or known.sample or self.settings.offline:
            return
        if key not in self.rankings_loading and key not in self.ranking_errors:
            self.rankings_loading.add(key)
            arrivals.bring_next_page(self, self.settings, known)
            self.ranking_changed()

    @on(arrivals.RankingArrived)
    def _ranking_arrived(self, event: arrivals.RankingArrived) -> None:
        key = (event.ranking.sample, event.view, event.task)
        self.rankings_loading.discard(key)
        self.ranking_errors.pop(key, None)
        self.rankings[key] = event.ranking
        self.ranking_changed()
        if self.snapshot is not None and not self.showing_sample and not event.ranking.sample:
            model_ids = self.snapshot.records["model_id"].drop_nulls().unique().to_list()
            arrivals.bring_renames(self, self.settings, event.ranking, model_ids)

    @on(arrivals.RankingFailed)
    def _ranking_failed(self, event: arrivals.RankingFailed) -> None:
        key = (False, event.view, event.task)
        self.rankings_loading.discard(key)
        self.ranking_errors[key] = event.error
        if not self.fetching:
            self._plan_next_look(event.error)
            self._set_activity(again_at=self.next_look)
        self.ranking_changed()

    @on(arrivals.RenamesArrived)
    def _renames_arrived(self, event: arrivals.RenamesArrived) -> None:
        if event.renames.items() - self.renames.items():
            self.renames = {**self.renames, **event.renames}
            self.ranking_changed()


def host_of(error: TrnModelsError | None) -> str:
    """The Hub that gave this error; empty when none did."""
    return hub_address.host() if isinstance(error, HubError) and not isinstance(error, HubOfflineError) else ""
