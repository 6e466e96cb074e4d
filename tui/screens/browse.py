"""The main screen: three views of the models, the search, the stack selectors, and the detail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from tui.catalog import front_page
from tui.catalog.question import Question, View, first_question
from tui.catalog.rows import FrameRows, KeptRows
from tui.catalog.search_terms import quoted
from tui.catalog.stacks import StackChoice, default_stack
from tui.screens import arrivals
from tui.screens.compare_keys import CompareKeys
from tui.screens.copying import NO_MODEL
from tui.screens.exporting import ExportKeys
from tui.screens.model_detail import ModelDetail
from tui.screens.overview_keys import OverviewKeys
from tui.settings import Settings
from tui.widgets.bars import Bar
from tui.widgets.empty_text import empty_text
from tui.widgets.key_hints import KeyHints
from tui.widgets.model_table import NOTHING_TO_OPEN, STILL_READING, ModelTable
from tui.widgets.painting import painted_together
from tui.widgets.run_line import RunLine
from tui.widgets.search_box import SearchBox
from tui.widgets.side_by_side import SideBySide
from tui.widgets.table_cells import DRAWN

if TYPE_CHECKING:
    import polars as pl


WIDE = 116
"""Cells from which on the detail has room beside the table."""
SUGGEST_AFTER_S = 0.15
"""Typing rests this long before a near word is looked for."""


class BrowseScreen(CompareKeys, ExportKeys, OverviewKeys):
    """Table, detail beside or over it, and the lines around them."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 - an instance attribute of Screen
    AUTO_FOCUS = "ModelTable, ModelDetail"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "search", id="search", tooltip="Search: words, is:fail (F1: all)", priority=True),
        Binding("enter", "enter", "detail", id="enter", tooltip="Detail; in the search: to the table", priority=True),
        Binding("down", "leave_search", id="search.leave", show=False, priority=True),
        Binding("u,f5", "refresh_data", "refresh", id="refresh", tooltip="Ask the source again"),
        Binding("P", "problems", "problems", id="problems", tooltip="What could not be read in the files"),
        Binding("question_mark,f1", "help", "help", id="help", tooltip="This help"),
        Binding("colon", "app.command_palette", "palette", id="palette", tooltip="Commands, models, versions by name"),
    ]  # fmt: skip

    def __init__(self, settings: Settings, search: str = "", model: str = "") -> None:
        super().__init__(settings, search)
        self._model = model
        self._base: pl.DataFrame | None = None
        self._suggestion: str | None = None
        self._suggesting: Timer | None = None

    def compose(self) -> ComposeResult:
        """Banner, title, selectors, search and counts, table and detail, status, keys."""
        # Known later, at the first resize, all of these would be styled twice.
        self.set_class(self.app.size.width >= WIDE, "-wide")
        yield Static(self.banner, id="banner")
        yield Bar(id="title")
        yield Bar(id="stack")
        with Horizontal(id="search-line"):
            yield Static(Content("/"), id="search-sign")
            yield SearchBox(self.question.search, self.vocabulary)
            yield Bar(id="counts")
        with SideBySide(id="body"):
            yield ModelTable()
            yield ModelDetail(self.settings, classes="-closed" if self.closed else "")
        with Horizontal(id="status-line"):
            yield Bar(id="status")
            yield RunLine(self.settings)
        yield KeyHints(id="keys")

    def on_mount(self) -> None:
        """The frame is drawn first, with the first lines if they were kept, then the records are read."""
        self.set_focus(self.query_one(ModelTable))
        if self._model or not self._show_front_page():
            self.draw_header()
        self.call_after_refresh(self.start_loading)
        self.start_looking()

    # From data to screen

    def _show_front_page(self) -> bool:
        """Only for what a start asks; whatever else is asked meanwhile waits for the records."""
        plain = Question(view=View.SELECTED)
        page = front_page.read(self.settings, DRAWN) if self.question == plain else None
        if page is not None:
            self.front_page = page
            self.question = replace(self.question, stack=StackChoice.of(page.stack))
            self.draw_lines()
        return page is not None

    def records_checked(self) -> None:
        """The next start shows the first lines of what is known now."""
        if self.snapshot is not None and not self.showing_sample:
            lines = self.lines.find(self.snapshot, None, first_question(self.snapshot.stacks))
            arrivals.keep_front_page(self, self.settings, self.snapshot, lines, self._origin)

    def records_changed(self) -> None:
        """Swap the records under the cursor."""
        self.front_page = None
        self.set_class(self.showing_sample, "-sample")
        if self.snapshot is not None:
            self.stacks = self.snapshot.stacks
            self.know_records()
            choice = self.question.stack
            exists = any(choice.admits(count.stack) for count in self.stacks)
            if not self.stack_chosen or not exists:
                choice = StackChoice.of(self.your_stack or default_stack(self.stacks))
            self.question = replace(self.question, stack=choice)
            self.records_checked()
        self.want_ranking(self.question.view, self.pipeline_tag)
        self.draw_lines()
        self._open_model()

    def _open_model(self) -> None:
        """Once it is there, put the cursor on the model that the app was opened on, and open its detail."""
        if not self._model or self.snapshot is None:
            return
        from tui.screens.opening import place_of

        place = place_of(self.settings, self.snapshot, self._model, self.renames)
        if place is None:
            return  # the sample is shown until the dataset comes
        key, self._model = self._model.casefold(), ""
        self.come_to(key, place)

    def machine_changed(self) -> None:
        """The header tells of the host; the pair installed here is the default stack unless a person chose one."""
        yours = self.your_stack
        if yours is not None and not self.stack_chosen and self.question.stack.exact != yours:
            self.question = replace(self.question, stack=StackChoice.of(yours))
            self.draw_lines()
        self.know_limits()
        self.pane.know_machine(self.host, self.interpreters, self.taken)
        self.draw_header()

    def ranking_changed(self) -> None:
        """Draw the ranking again when it is the one on screen."""
        if self.question.view is not View.SELECTED:
            self.draw_lines()

    def activity_changed(self) -> None:
        """Only the status line says it."""
        self.draw_header()
        if self.snapshot is None and self.front_page is None:
            self.query_one(ModelTable).empty_text = self._empty_text()

    def draw_lines(self) -> None:
        """Everything but the search and the sort is computed here, once for many keys."""
        if self.front_page is not None and self.question.view is View.SELECTED:
            self._base = self.selection = None
            self._show_rows(self.front_page.rows)
            self.draw_header()
            return
        self.question = replace(self.question, renames=self.renames)
        ranking = None if self.question.view is View.SELECTED else self.ranking
        self._base = self.lines.of(self.snapshot, ranking, self.question)
        self.draw_selection()

    def draw_selection(self) -> None:
        """What a key of the search or the sort changes."""
        self._answer()
        self.draw_header()

    def _answer(self) -> None:
        """The table and the counts: all that a key of the search changes."""
        if self._base is None:
            return
        from tui.catalog import views

        self._suggestion = None
        self.selection = views.select(
            self.snapshot, self.ranking, self.question, self._base, self.selection, self.beyond
        )
        self.query_one(ModelTable).empty_text = self._empty_text()
        self._show_rows(self.selection.rows)
        self.draw_counts()
        self.answered()
        self._cursor_moved()
        self._suggest_at_rest()

    def _show_rows(self, rows: FrameRows | KeptRows) -> None:
        question, search = self.question, self.search
        self.query_one(ModelTable).show(
            rows,
            words=search.words,
            conditions=search.conditions,
            ranking=question.view is not View.SELECTED,
            figure_title="trend" if question.view is View.TRENDING else "downloads",
            sort=(question.sort, question.descending) if question.sort else None,
            dimmed=self.ranking_key(question.view, self.pipeline_tag) in self.rankings_loading,
            stacks=question.stack.exact is None,
            mark_unknown_library=question.view is not View.SELECTED and question.transformers_only,
            more=self.has_more and not question.search.strip(),
        )

    def _suggest_at_rest(self) -> None:
        """Looking for a near word costs more than a key may: it waits until typing rests."""

        def suggest() -> None:
            if self._base is not None:
                from tui.catalog import views
                from tui.catalog.search_mending import mended

                vocabulary = self.vocabulary()
                self._suggestion = views.suggestion(self._base, self.question)
                if self._suggestion is None and vocabulary is not None:
                    self._suggestion = mended(self.search, vocabulary)
                self.query_one(ModelTable).empty_text = self._empty_text()

        if self._suggesting is not None:
            self._suggesting.stop()
            self._suggesting = None
        if self.selection is not None and self.search.counts and not self.selection.height:
            self._suggesting = self.set_timer(SUGGEST_AFTER_S, suggest)

    def _empty_text(self) -> list[str]:
        key = self.ranking_key(self.question.view, self.pipeline_tag)
        return empty_text(
            self.question,
            self.pipeline_tag,
            self.selection,
            self.activity,
            suggestion=self._suggestion,
            more=self.has_more,
            have_records=self.snapshot is not None,
            ranking_loading=key in self.rankings_loading,
            ranking_error=self.ranking_errors.get(key),
        )

    # The model on the cursor line

    @on(ModelTable.Highlighted)
    def _cursor_moved(self) -> None:
        self.pane.rest_on(self.current_line(), self.snapshot, self.renames)
        self.show_hints()

    @on(ModelDetail.RenameFound)
    def _rename_found(self, event: ModelDetail.RenameFound) -> None:
        if self.renames.get(event.old) != event.new:
            self.renames = {**self.renames, event.old: event.new}
            self.ranking_changed()

    def current_line(self) -> Mapping[str, Any] | None:
        """The line under the cursor as LINES has it."""
        return self.query_one(ModelTable).current

    # Keys

    @on(SearchBox.QueryChanged)
    async def _query_changed(self, event: SearchBox.QueryChanged) -> None:
        self.question = replace(self.question, search=event.text)
        async with painted_together(self.app):
            self._answer()

    @on(ModelTable.EndReached)
    def _end_reached(self) -> None:
        self.want_next_page(self.question.view, self.pipeline_tag)

    @on(ModelTable.SortRequested)
    def _sort_requested(self, event: ModelTable.SortRequested) -> None:
        self.sort_by(event.column)

    @on(events.Resize)
    def _resized(self) -> None:
        self.call_after_refresh(self._cursor_moved)

    def refuse(self, reason: str) -> None:
        """Of lines that were kept nothing more is known than what stands there."""
        kept = self.front_page is not None and reason in (NO_MODEL, NOTHING_TO_OPEN)
        super().refuse(STILL_READING if kept else reason)

    def action_search(self) -> None:
        """Type into the search box."""
        self._place_detail(over=False)
        self.set_focus(self.query_one(SearchBox))

    def action_refresh_data(self) -> None:
        """Ask the source again for records and for the ranking on screen."""
        if self.settings.offline and self.settings.data is None:
            self.refuse("Offline: no request is made. Start without --offline to ask the Hub.")
            return
        if not self.fetch_records():
            self.refuse("Already asking.")
        self.pane.forget_failures()
        self.want_ranking(self.question.view, self.pipeline_tag, now=True)
        self.draw_lines()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enter and Down are this screen's own only where they lead from one part of it to another."""
        if action == "enter":
            return isinstance(self.focused, (SearchBox, ModelTable))
        if action == "leave_search":
            return isinstance(self.focused, SearchBox)
        return super().check_action(action, parameters)

    def action_enter(self) -> None:
        """From the search to the table, the text is kept; from the table to the detail."""
        if isinstance(self.focused, SearchBox):
            self.action_leave_search()
        elif self.current_line() is None:
            self.refuse(NOTHING_TO_OPEN)
        else:
            self.open_detail()

    @on(SearchBox.Left)
    def action_leave_search(self) -> None:
        """The table has the keys, the text of the search is kept."""
        self.set_focus(self.query_one(ModelTable))

    def models_named(self, text: str, at_most: int) -> list[tuple[str, str]]:
        """(id, verdict) of the view's models whose id has every word of `text`, left-out ones included."""
        if self._base is None:
            return []
        from tui.catalog import query

        words = query.words(text)
        found = FrameRows(self._base, query.places(self._base["key"], words) if words else None)
        rows = found.rows(0, at_most, ("model_id", "verdict"))
        return [(row["model_id"] or "", row["verdict"]) for row in rows]

    def go_to(self, model_id: str) -> None:
        """Put the cursor on this model; a search that hides it is replaced by its id."""
        table = self.query_one(ModelTable)
        table.focus()
        if not table.move_to(model_id.casefold()):
            self.query_one(SearchBox).value = quoted(model_id)
            self.call_after_refresh(table.move_to, model_id.casefold())
