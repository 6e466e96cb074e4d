"""The search language on the main screen: the line that helps, its help, and what a search needs beyond the lines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual import events, on
from textual.content import Content
from textual.timer import Timer

from tui.background import OneAtATime
from tui.catalog.question import NOTHING_BEYOND, Limits
from tui.catalog.search_terms import NO_SEARCH, Search
from tui.screens import arrivals, host_arrivals, search_arrivals
from tui.screens.header_lines import HeaderLines
from tui.settings import Settings
from tui.widgets.detail_text import one_line
from tui.widgets.search_box import SearchBox
from tui.widgets.search_hint import search_hint

if TYPE_CHECKING:
    from tui.catalog.vocabulary import Vocabulary

READ_AFTER_S = 0.15
"""Typing rests this long before errors are read: of `error:oom` only the whole word is looked for."""
KEPT_ERRORS = 32
"""Texts of `error:` whose records are kept; each takes 4 bytes a record that has it."""

_OF_KINDS = frozenset({"task", "type"})


class SearchKeys(HeaderLines):
    """Helps while one types a search, and brings what its terms need."""

    def __init__(self, settings: Settings, search: str = "") -> None:
        super().__init__(settings, search)
        self.beyond = NOTHING_BEYOND
        self._hinted = False
        self._error_reads = OneAtATime(self._search_errors)
        self._errors_at_rest: Timer | None = None
        self._errors_failed = False
        self._kind_reads = OneAtATime(self._read_kinds)
        self._kinds_wanted = False
        self._kinds_of_sample = False
        self._host_unknown = self._pythons_unknown = False

    @property
    def search(self) -> Search:
        """What is searched for, as it was understood."""
        return self.selection.search if self.selection is not None else NO_SEARCH

    # While one types

    def vocabulary(self) -> Vocabulary | None:
        """The values that a search can name; None while there is nothing to search in. It counts when it is asked."""
        return self.selection.vocabulary if self.selection is not None else None

    def answered(self) -> None:
        """A search was answered: show how it was understood, and bring what it lacks."""
        self.query_one(SearchBox).understood(self.search)
        self._bring_what_is_missing()
        if self._hinted or self.search_hint():
            self.draw_status()

    def draw_status(self) -> None:
        """As below; of words alone a key draws nothing here."""
        super().draw_status()
        self._hinted = bool(self.search_hint())

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    @on(SearchBox.LooksAhead)
    def _look_at_the_box(self) -> None:
        if self.is_mounted:
            self.draw_status()
            self.show_hints()

    def search_hint(self) -> tuple[Content, ...]:
        """What helps to type the search, longest first; nothing while nobody types one, or it needs no help."""
        box = self.query_one(SearchBox)
        return search_hint(self.search, box.ahead) if box.has_focus else ()

    def action_search_language(self) -> None:
        """What can be searched for."""
        from tui.screens.dialogs import TextDialog, text_width
        from tui.screens.search_help import language

        body = language(text_width(self.app.size.width))
        self.app.push_screen(TextDialog("What can be searched for", body, body.plain))

    def action_complete(self) -> None:
        """Take what stands behind the cursor."""
        box = self.query_one(SearchBox)
        if box.ahead.found:
            box.action_complete()

    # What a search needs beyond the lines

    def know_limits(self) -> None:
        """More is known of this host: `fits:here` is answered again."""
        limits = self._limits()
        if limits != self.beyond.limits:
            self.beyond = replace(self.beyond, limits=limits)
            self._answer_again("fits")

    def _limits(self) -> Limits | None:
        if self.host is None:
            return Limits(0, None, "this host could not be looked at") if self._host_unknown else None
        if self.host.devices and self.interpreters is None and not self._pythons_unknown:
            return None
        from tui.host.limits import limits_of

        return limits_of(self.host, self.interpreter, [each.stack for each in self.stacks])

    @on(host_arrivals.LookFailed)
    def _no_host(self) -> None:
        self._host_unknown = True
        self.know_limits()

    @on(host_arrivals.AskFailed)
    def _no_pythons(self) -> None:
        self._pythons_unknown = True
        self.know_limits()

    def know_records(self) -> None:
        """The records are others now: their errors, and whether they are of the sample."""
        self._errors_failed = False
        if self.showing_sample is not self._kinds_of_sample:
            self._kinds_of_sample, self._kinds_wanted = self.showing_sample, False
            self.beyond = replace(self.beyond, kinds=None)
        self.beyond = replace(self.beyond, errors={}, limits=self._limits())

    def want_kinds(self) -> None:
        """Have tasks and model types from now on."""
        if not self._kinds_wanted:
            self._kinds_wanted = True
            self._kind_reads.ask()

    def _bring_what_is_missing(self) -> None:
        if any(term.name in _OF_KINDS for term in self.search.terms):
            self.want_kinds()
        if self._errors_at_rest is not None:
            self._errors_at_rest.stop()
            self._errors_at_rest = None
        if self.selection is not None and self.selection.wants_errors and not self._errors_failed:
            self._errors_at_rest = self.set_timer(READ_AFTER_S, self._error_reads.ask)

    def _search_errors(self) -> None:
        """Those that are wanted now, whatever was when it was asked for."""
        wanted = self.selection.wants_errors if self.selection is not None else ()
        if self.snapshot is None or not wanted:
            self._error_reads.over()
        else:
            search_arrivals.search_errors(self, self.snapshot, wanted, self.abandoned)

    @on(search_arrivals.ErrorsSearched)
    def _errors_searched(self, event: search_arrivals.ErrorsSearched) -> None:
        self._error_reads.over()
        if self.snapshot is None or event.snapshot.records is not self.snapshot.records:
            self._answer_again("error")
            return
        kept = {**self.beyond.errors, **event.found}
        self.beyond = replace(self.beyond, errors=dict(list(kept.items())[-KEPT_ERRORS:]))
        self._answer_again("error")

    @on(search_arrivals.ErrorsUnread)
    def _errors_unread(self, event: search_arrivals.ErrorsUnread) -> None:
        self._error_reads.over()
        self._errors_failed = True
        self.tell(f"The errors cannot be searched: {one_line(event.error)}", "warning")

    def _read_kinds(self) -> None:
        search_arrivals.read_kinds(self, self.settings, sample=self.showing_sample)

    @on(search_arrivals.KindsRead)
    def _kinds_read(self, event: search_arrivals.KindsRead) -> None:
        self._kind_reads.over()
        if event.of_sample is not self.showing_sample:
            self._kind_reads.ask()
        elif self.beyond.kinds is None or not event.kinds.equals(self.beyond.kinds):
            self.beyond = replace(self.beyond, kinds=event.kinds)
            self._answer_again(*_OF_KINDS)

    @on(search_arrivals.KindsUnread)
    def _kinds_did_not_come(self, event: search_arrivals.KindsUnread) -> None:
        self._kind_reads.over()
        self.tell(f"Tasks and model types are not known: {one_line(event.error)}", "warning")

    @on(arrivals.RankingArrived)
    @on(arrivals.FactsArrived)
    def _more_kinds(self) -> None:
        if self._kinds_wanted:
            self._kind_reads.ask()

    def _answer_again(self, *names: str) -> None:
        if any(term.name in names for term in self.search.terms):
            self.draw_selection()
