"""The lines around the table: views, stack, counts, status, keys. They are drawn from what the screen holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import events, on
from textual.content import Content
from textual.widgets import Static

from tui.catalog.question import Selection, View
from tui.catalog.stacks import Stack
from tui.screens.data_screen import host_of
from tui.screens.hints import hints_for
from tui.screens.model_detail import ModelDetail
from tui.screens.saved_searches import SavedSearches
from tui.settings import Settings
from tui.widgets import header_text
from tui.widgets.bars import Bar
from tui.widgets.key_hints import Hint, KeyHints
from tui.widgets.search_box import SearchBox

if TYPE_CHECKING:
    from tui.catalog.front_page import FrontPage


class HeaderLines(SavedSearches):
    """Says what is on screen: of which view and stack, how many, how fresh, and which keys apply."""

    def __init__(self, settings: Settings, search: str = "") -> None:
        super().__init__(settings, search)
        self.selection: Selection | None = None
        self.front_page: FrontPage | None = None
        """What is shown while the records are being read."""

    @property
    def your_stack(self) -> Stack | None:
        """The stack of the dataset that this machine's Python has."""
        if self.interpreter is None:
            return None
        from tui.host.installed_stack import installed_stack

        return installed_stack(self.interpreter, (each.stack for each in self.stacks))

    @property
    def has_more(self) -> bool:
        """Whether the Hub has more of the ranking on screen."""
        ranking = self.ranking
        return ranking is not None and ranking.next_cursor is not None

    @property
    def banner(self) -> Content:
        """What stands over sample data."""
        return header_text.banner(self.settings.offline, self.fetching, self.settings.data)

    @property
    def ranking(self) -> Any:
        """The ranking of the view on screen, as far as it is here."""
        return self.rankings.get(self.ranking_key(self.question.view, self.pipeline_tag))

    def draw_header(self) -> None:
        """All lines around the table, as far as they have something else to say."""
        view, key = self.question.view, self.ranking_key(self.question.view, self.pipeline_tag)
        loading, error = key in self.rankings_loading, self.ranking_errors.get(key)
        states = (
            ()
            if view is View.SELECTED
            else header_text.ranking_state(self.ranking, loading, error, host_of(error), self.next_look)
        )
        task = header_text.task_of(view, self.pipeline_tag)
        beside = header_text.beside_the_views(task, self.host, self.taken)
        self.query_one("#title", Bar).show(header_text.title(view), beside)
        exact = self.question.stack.exact
        self.query_one("#stack", Bar).show(
            header_text.stack(self.question.stack, yours=exact is not None and exact == self.your_stack),
            header_text.beside_the_stack(self.question, states),
        )
        self.draw_counts()
        self.query_one("#banner", Static).update(self.banner, layout=False)
        self.draw_status()
        self.show_hints()

    def search_hint(self) -> tuple[Content, ...]:
        """What helps to type a search; it stands where the status does."""
        return ()

    def draw_status(self) -> None:
        """Source, revision and age of the records, or what helps to type."""
        source = self.snapshot or self.front_page
        status = self.search_hint() or header_text.status(source, self.activity, self.settings.offline)
        self.query_one("#status", Bar).show(status)

    def draw_counts(self) -> None:
        """How many lines there are, by verdict."""
        shown = self.selection or self.front_page
        if shown is not None and (self.snapshot is not None or shown.total):
            self.query_one("#counts", Bar).show(Content(""), header_text.counts(shown, self.has_more))

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def show_hints(self) -> None:
        """The footer tells the keys of the place where the focus is."""
        if self.is_mounted:
            self.query_one(KeyHints).show(self._hints())

    def _hints(self) -> tuple[Hint, ...]:
        line = self.current_line()
        return hints_for(
            typing=isinstance(self.focused, SearchBox),
            completes=bool(self.query_one(SearchBox).ahead.found),
            in_detail=isinstance(self.focused, ModelDetail),
            on_a_model=line is not None,
            with_a_record=line is not None and line["record"] is not None,
        )
