"""The key that leads to the overview, what it needs, and the way back from one of its bars."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType

from tui.background import OneAtATime
from tui.catalog.question import Question, View
from tui.catalog.stacks import StackChoice
from tui.screens import failure_arrivals, search_arrivals
from tui.screens.search_keys import SearchKeys
from tui.settings import Settings
from tui.widgets.detail_text import one_line
from tui.widgets.model_table import STILL_READING

if TYPE_CHECKING:
    from tui.catalog.overview import Bar, Topic
    from tui.screens.overview import OverviewScreen


class OverviewKeys(SearchKeys):
    """Opens the overview of the stack on screen, and lists what is behind one of its bars."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("4", "overview", "Overview", id="overview", tooltip="Overview: pass rates, failures, memory, as bars"),
    ]

    def __init__(self, settings: Settings, search: str = "") -> None:
        super().__init__(settings, search)
        self._overview: OverviewScreen | None = None
        self._bar: tuple[Topic, str] | None = None
        """Where the cursor of the overview was when it was left."""
        self._kinds_of_failure: failure_arrivals.FailuresRead | None = None
        self._kinds_of_failure_unread = ""
        self._kinds_unread = ""
        self._failure_reads = OneAtATime(self._read_failures)

    def action_overview(self) -> None:
        """A page of bars about the stack on screen, and about all stacks."""
        if self.snapshot is None:
            self.refuse(STILL_READING)
            return
        from tui.screens.overview import OverviewScreen

        self.want_kinds()
        self._want_failures()
        self._overview = OverviewScreen(self, self._bar)
        self.app.push_screen(self._overview, self._overview_left)
        self._feed_overview()

    def action_refresh_data(self) -> None:
        """Ask the source again."""
        raise NotImplementedError

    # What it is made of

    def know_records(self) -> None:
        """As below; the overview on screen is of other records now."""
        super().know_records()
        self._kinds_of_failure, self._kinds_of_failure_unread, self._kinds_unread = None, "", ""
        if self._overview is not None:
            self.want_kinds()
            self._want_failures()
            # The stack may follow the records: that comes after this.
            self.call_later(self._feed_overview)

    def choose_stack(self, choice: StackChoice) -> None:
        """As below; the overview on screen is of this stack too."""
        super().choose_stack(choice)
        self._feed_overview()

    def _want_failures(self) -> None:
        if self._kinds_of_failure is None:
            self._kinds_of_failure_unread = ""
            self._failure_reads.ask()

    def _read_failures(self) -> None:
        if self.snapshot is None:
            self._failure_reads.over()
        else:
            failure_arrivals.read_failures(self, self.snapshot, self.abandoned)

    @on(failure_arrivals.FailuresRead)
    def _failures_read(self, event: failure_arrivals.FailuresRead) -> None:
        self._failure_reads.over()
        if self.snapshot is not None and event.snapshot.records is self.snapshot.records:
            self._kinds_of_failure = event
            self._feed_overview()

    @on(failure_arrivals.FailuresUnread)
    def _no_failures(self, event: failure_arrivals.FailuresUnread) -> None:
        self._failure_reads.over()
        self._kinds_of_failure_unread = f"errors cannot be read: {one_line(event.error)}"
        self._feed_overview()

    @on(search_arrivals.KindsRead)
    def _kinds_are_known(self) -> None:
        self._kinds_unread = ""
        self.call_later(self._feed_overview)

    @on(search_arrivals.KindsUnread)
    def _no_kinds(self, event: search_arrivals.KindsUnread) -> None:
        self._kinds_unread = f"tasks are not known: {one_line(event.error)}"
        self._feed_overview()

    def _feed_overview(self) -> None:
        if self._overview is None or self.snapshot is None:
            return
        from tui.screens.overview_arrivals import Source

        self._overview.take(
            Source(
                self.snapshot,
                self.question.stack,
                self.lines.find(self.snapshot, None, Question(view=View.SELECTED, stack=self.question.stack)),
                self.beyond.kinds,
                None if self._kinds_of_failure is None else self._kinds_of_failure.failures,
                self._kinds_unread,
                self._kinds_of_failure_unread,
            )
        )

    # The way back

    def _overview_left(self, chosen: Bar | View | None) -> None:
        if self._overview is not None:
            self._bar, self._overview = self._overview.place, None
        if isinstance(chosen, View):
            self.action_view(chosen)
        elif chosen is not None:
            self.list_behind(chosen)

    def list_behind(self, bar: Bar) -> None:
        """Selected, with the stack and the search of the bar: exactly its models."""
        view = View.SELECTED
        if bar.stack != self.question.stack:
            self.stack_chosen = True
        left_out = self.question.left_out or not bar.search
        self.question = replace(self.question, stack=bar.stack, search=bar.search, left_out=left_out)
        self._know_errors_of(bar.search)
        self.action_view(view)
        self.search_for(bar.search)

    def _know_errors_of(self, search: str) -> None:
        """What the overview has read of errors need not be read again for its list."""
        if self._kinds_of_failure is None or self.snapshot is None or "error=" not in search:
            return
        from tui.catalog import failures, search_filter
        from tui.catalog.search_terms import parsed

        records = self.snapshot.records.height
        keys = search_filter.missing_errors(parsed(search), self.snapshot, self.beyond)
        found = failures.of_kinds(self._kinds_of_failure.failures, records, keys)
        self.beyond = replace(self.beyond, errors={**self.beyond.errors, **found})
