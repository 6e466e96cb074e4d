"""The main screen: three views of the models, the search, the stack selectors, and the detail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import polars as pl
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from tui.catalog import query, views
from tui.catalog.facts import ModelFacts
from tui.catalog.stacks import StackChoice, default_stack, stacks_of
from tui.catalog.views import Selection, View
from tui.errors import TrnModelsError
from tui.screens import arrivals
from tui.screens.arrivals import LongTextsArrived
from tui.screens.detail_of import detail_of
from tui.screens.hints import hints_for
from tui.screens.question_keys import QuestionKeys
from tui.settings import Settings
from tui.widgets import header_text
from tui.widgets.bars import Bar
from tui.widgets.detail_panel import DetailPanel
from tui.widgets.detail_text import Detail
from tui.widgets.empty_text import empty_text
from tui.widgets.key_hints import Hint, KeyHints
from tui.widgets.model_table import ModelTable
from tui.widgets.search_box import SearchBox

DETAIL_AFTER_S = 0.05
"""The cursor rests this long before the detail is drawn: a held arrow key, or a word typed quickly, moves the table
alone."""

TEXTS_AFTER_S = 0.12
"""It rests this long before run.py is read."""

FACTS_AFTER_S = 1.0
"""The cursor rests this long before the Hub is asked about a model."""


class BrowseScreen(QuestionKeys):
    """Table, detail beside or over it, and the lines around them."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (116, "-wide")]  # noqa: RUF012 - an instance attribute of Screen
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "search", id="search", tooltip="Search: part of a model's id", priority=True),
        Binding("enter", "enter", "detail", id="enter", tooltip="Detail; in the search: to the table", priority=True),
        Binding("down", "leave_search", id="search.leave", show=False, priority=True),
        Binding("z", "zoom", "zoom", id="zoom", tooltip="Detail over the whole screen, or beside the table"),
        Binding("u,f5", "refresh_data", "refresh", id="refresh", tooltip="Ask the source again"),
        Binding("P", "problems", "problems", id="problems", tooltip="What could not be read in the files"),
        Binding("question_mark,f1", "help", "help", id="help", tooltip="This help"),
        Binding("escape", "back", "back", id="back", tooltip="Back, or clear the search", show=False),
        Binding("q", "back_or_quit", "quit", id="quit", tooltip="Back from a detail, or quit", show=False),
        Binding("colon", "app.command_palette", "palette", id="palette", tooltip="Commands, models, versions by name"),
    ]  # fmt: skip

    def __init__(self, settings: Settings, search: str = "") -> None:
        super().__init__(settings, search)
        self.selection: Selection | None = None
        self._base: pl.DataFrame | None = None
        self._texts: LongTextsArrived | None = None
        self._rest_timers: list[Timer] = []

    def compose(self) -> ComposeResult:
        """Banner, title, selectors, search and counts, table and detail, status, keys."""
        yield Static(
            Content("SAMPLE DATA  invented models, no real results · u fetches the dataset"),
            id="banner",
        )
        yield Bar(id="title")
        yield Bar(id="stack")
        with Horizontal(id="search-line"):
            yield Static(Content("/"), id="search-sign")
            yield SearchBox(self.question.search)
            yield Bar(id="counts")
        with Horizontal(id="body"):
            yield ModelTable()
            yield DetailPanel()
        yield Bar(id="status")
        yield KeyHints(id="keys")

    def on_mount(self) -> None:
        """The frame is drawn first, then the records are read."""
        self.set_focus(self.query_one(ModelTable))
        self._draw_header()
        self.call_after_refresh(self.start_loading)

    # From data to screen

    def records_changed(self) -> None:
        """Swap the records under the cursor."""
        self.set_class(self.showing_sample, "-sample")
        if self.snapshot is not None:
            self.stacks = stacks_of(self.snapshot.records)
            choice = self.question.stack
            exists = any(choice.admits(count.stack) for count in self.stacks)
            if not self.stack_chosen or not exists:
                choice = StackChoice.of(default_stack(self.stacks))
            self.question = replace(self.question, stack=choice)
        self._texts = None
        self.want_ranking(self.question.view, self.pipeline_tag)
        self.draw_lines()

    def ranking_changed(self) -> None:
        """Draw the ranking again when it is the one on screen."""
        if self.question.view is not View.SELECTED:
            self.draw_lines()

    def activity_changed(self) -> None:
        """Only the status line says it."""
        self._draw_header()
        if self.snapshot is None:
            self.query_one(ModelTable).empty_text = self._empty_text()

    def detail_changed(self) -> None:
        """More is known of the model on the cursor line."""
        self._draw_detail()

    def draw_lines(self) -> None:
        """Everything but the search and the sort is computed here, once for many keys."""
        self.question = replace(self.question, renames=self.renames)
        self._base = views.lines_of(self.snapshot, self._ranking(), self.question)
        self.draw_selection()

    def draw_selection(self) -> None:
        """What a key of the search or the sort changes."""
        question = self.question
        self.selection = views.select(self.snapshot, self._ranking(), question, self._base)
        table = self.query_one(ModelTable)
        table.empty_text = self._empty_text()
        table.show(
            self.selection.lines,
            words=query.words(question.search),
            ranking=question.view is not View.SELECTED,
            figure_title="trend" if question.view is View.TRENDING else "downloads",
            sort=(question.sort, question.descending) if question.sort else None,
            dimmed=self.ranking_key(question.view, self.pipeline_tag) in self.rankings_loading,
        )
        self._draw_header()
        self._detail_soon()

    def _ranking(self) -> Any:
        return self.rankings.get(self.ranking_key(self.question.view, self.pipeline_tag))

    def _draw_header(self) -> None:
        view, key = self.question.view, self.ranking_key(self.question.view, self.pipeline_tag)
        loading, error = key in self.rankings_loading, self.ranking_errors.get(key)
        self.query_one("#title", Bar).show(
            header_text.title(view),
            header_text.ranking_line(view, self.pipeline_tag, self._ranking(), loading, error),
        )
        self.query_one("#stack", Bar).show(header_text.stack(self.question.stack), self._narrowing())
        if self.selection is not None:
            self.query_one("#counts", Bar).show(Content(""), header_text.counts(self.selection))
        self.query_one("#status", Bar).show(header_text.status(self.snapshot, self.activity, self.settings.offline))
        self.query_one(KeyHints).show(self._hints())

    def _narrowing(self) -> Content:
        if self.question.view is not View.SELECTED and self.question.transformers_only:
            return Content.styled("Transformers only (T)", "$text-warning")
        return Content("")

    def _empty_text(self) -> list[str]:
        key = self.ranking_key(self.question.view, self.pipeline_tag)
        return empty_text(
            self.question,
            self.pipeline_tag,
            self.selection,
            self.activity,
            have_records=self.snapshot is not None,
            ranking_loading=key in self.rankings_loading,
            ranking_error=self.ranking_errors.get(key),
        )

    # The model on the cursor line

    @on(ModelTable.Highlighted)
    def _cursor_moved(self) -> None:
        self._detail_soon()

    def _detail_soon(self) -> None:
        self._at_rest((DETAIL_AFTER_S, self._draw_detail))

    def _at_rest(self, *calls: tuple[float, Callable[[], None]]) -> None:
        """Call these when the cursor has rested for so many seconds, instead of what was to come before."""
        for timer in self._rest_timers:
            timer.stop()
        self._rest_timers = [self.set_timer(seconds, call) for seconds, call in calls]

    def _draw_detail(self) -> None:
        panel = self.query_one(DetailPanel)
        line = self.current_line()
        if line is None:
            panel.clear()
        elif panel.display:
            panel.show(self._detail(line))
            self._at_rest((TEXTS_AFTER_S, self._read_texts), (FACTS_AFTER_S, lambda: self._want_facts(ask=True)))
        self.query_one(KeyHints).show(self._hints())

    def current_line(self) -> Mapping[str, Any] | None:
        """The line under the cursor as LINES has it."""
        return self.query_one(ModelTable).current

    def current_detail(self) -> Detail | None:
        """The detail of the cursor line with its long texts read, for copying."""
        line = self.current_line()
        if line is None:
            return None
        index = line["record"]
        if self.snapshot is not None and index is not None and (self._texts is None or self._texts.index != index):
            try:
                self._texts = arrivals.read_long_texts(self.snapshot, index)
            except TrnModelsError as error:
                self.refuse(str(error))
        return self._detail(line)

    def _detail(self, line: Mapping[str, Any]) -> Detail:
        key = line["key"]
        facts = self.facts.get(key)
        return detail_of(
            line,
            renames=self.renames,
            snapshot=self.snapshot,
            texts=self._texts,
            bucket=self.bucket,
            facts=facts if isinstance(facts, ModelFacts) else None,
            facts_note=self.facts_note(key),
            settings=self.settings,
        )

    def _read_texts(self) -> None:
        line = self.current_line()
        self._want_facts(ask=False)
        if line is None or self.snapshot is None or line["record"] is None:
            return
        if self._texts is None or self._texts.index != line["record"]:
            arrivals.bring_long_texts(self, self.snapshot, line["record"])

    def _want_facts(self, *, ask: bool, again: bool = False) -> None:
        line = self.current_line()
        if ask:
            self.want_bucket()
        if line is not None and line["model_id"]:
            self.want_facts(line["key"], line["model_id"], ask=ask, again=again)
            if ask:
                self.query_one(DetailPanel).show(self._detail(line))

    @on(LongTextsArrived)
    def _texts_arrived(self, event: LongTextsArrived) -> None:
        line = self.current_line()
        if line is not None and line["record"] == event.index:
            self._texts = event
            panel = self.query_one(DetailPanel)
            if panel.display:
                panel.show(self._detail(line))

    # Keys

    @on(SearchBox.QueryChanged)
    def _query_changed(self, event: SearchBox.QueryChanged) -> None:
        self.question = replace(self.question, search=event.text)
        self.draw_selection()

    @on(ModelTable.Opened)
    def open_detail(self) -> None:
        """The detail has the keys; where it is not beside the table it comes over it."""
        self._want_facts(ask=True, again=True)
        if not self.query_one(DetailPanel).display:
            self.add_class("-over")
        self.set_focus(self.query_one(DetailPanel))
        self._draw_detail()

    @on(ModelTable.EndReached)
    def _end_reached(self) -> None:
        self.want_next_page(self.question.view, self.pipeline_tag)

    @on(ModelTable.SortRequested)
    def _sort_requested(self, event: ModelTable.SortRequested) -> None:
        self.sort_by(event.column)

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    @on(events.Resize)
    def _redraw_hints(self) -> None:
        if self.is_mounted:
            self.call_after_refresh(self._draw_detail)

    def action_search(self) -> None:
        """Type into the search box."""
        self.remove_class("-over")
        self.set_focus(self.query_one(SearchBox))

    def show_table(self) -> None:
        """The table has the screen and the keys."""
        self.remove_class("-over")
        self.set_focus(self.query_one(ModelTable))

    def action_zoom(self) -> None:
        """The detail over the whole screen, or beside the table again."""
        self.toggle_class("-over")
        target = self.query_one(DetailPanel) if self.has_class("-over") else self.query_one(ModelTable)
        self.call_after_refresh(target.focus)
        self.call_after_refresh(self._draw_detail)

    def action_refresh_data(self) -> None:
        """Ask the source again for records and for the ranking on screen."""
        if self.settings.offline and self.settings.data is None:
            self.refuse("Offline: no request is made. Start without --offline to ask the Hub.")
            return
        if not self.fetch_records():
            self.refuse("Already asking.")
        self.want_ranking(self.question.view, self.pipeline_tag, now=True)
        self.draw_lines()

    def action_back(self) -> None:
        """One step back: detail, search text; in the main screen Esc stays and q quits."""
        if self.has_class("-over") or isinstance(self.focused, DetailPanel):
            self.show_table()
        elif self.question.search:
            self.query_one(SearchBox).value = ""

    def action_back_or_quit(self) -> None:
        """Back from a detail, else the end."""
        if self.has_class("-over") or isinstance(self.focused, DetailPanel):
            self.action_back()
        else:
            self.app.exit()

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
            self.refuse("No model is listed here to open.")
        else:
            self.open_detail()

    @on(SearchBox.Left)
    def action_leave_search(self) -> None:
        """The table has the keys, the text of the search is kept."""
        self.set_focus(self.query_one(ModelTable))

    def models_named(self, text: str, at_most: int) -> list[tuple[str, str]]:
        """(id, verdict) of the view's models whose id has every word of `text`, left-out ones included."""
        question = replace(self.question, search=text, sort=None)
        found = views.select(self.snapshot, self._ranking(), question, self._base).lines.head(at_most)
        return list(zip(found["model_id"].fill_null("").to_list(), found["verdict"].to_list(), strict=True))

    def go_to(self, model_id: str) -> None:
        """Put the cursor on this model; a search that hides it is replaced by its id."""
        table = self.query_one(ModelTable)
        table.focus()
        if not table.move_to(model_id.casefold()):
            self.query_one(SearchBox).value = model_id
            self.call_after_refresh(table.move_to, model_id.casefold())

    def _hints(self) -> tuple[Hint, ...]:
        line = self.current_line()
        return hints_for(
            typing=isinstance(self.focused, SearchBox),
            in_detail=isinstance(self.focused, DetailPanel),
            on_a_model=line is not None,
            with_a_record=line is not None and line["record"] is not None,
            in_ranking=self.question.view is not View.SELECTED,
        )
