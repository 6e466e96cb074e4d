"""The overview: a page of bars over the main screen, to look at rather than to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from tui.background import OneAtATime
from tui.catalog.overview import Bar, Section, Topic
from tui.catalog.question import View
from tui.screens import overview_arrivals
from tui.screens.overview_arrivals import Source
from tui.screens.steady import SteadyScreen
from tui.terminal_text import clean
from tui.widgets import bars, header_text, overview_lines
from tui.widgets.detail_text import one_line
from tui.widgets.key_hints import Hint, KeyHints
from tui.widgets.overview_page import OverviewPage, Place
from tui.widgets.verdict_look import MUTED

if TYPE_CHECKING:
    from tui.screens.overview_keys import OverviewKeys


class OverviewScreen(SteadyScreen[Bar | View | None]):
    """Pass rates by stack, task and cores, kinds of failure, memory. Leaves with the bar whose list is wanted, or with
    the view that is."""

    AUTO_FOCUS = "OverviewPage"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "view('selected')", "Selected", id="overview.selected", tooltip="Models of the dataset"),
        Binding("2", "view('trending')", "Trending", id="overview.trending", tooltip="The Hub's trending models"),
        Binding("3", "view('downloads')", "Downloads", id="overview.downloads", tooltip="The Hub's most downloaded"),
        Binding("c", "pick_compiler", "compiler", id="overview.compiler", tooltip="neuronx-cc version"),
        Binding("v", "pick_library", "library", id="overview.library", tooltip="Library version"),
        Binding("u,f5", "refresh_data", "refresh", id="overview.refresh", tooltip="Ask the source again"),
        Binding("question_mark,f1", "help", "help", id="overview.help", tooltip="This help"),
        Binding("4,escape,q", "leave", "back", id="overview.leave", tooltip="Back to the models"),
    ]

    def __init__(self, main: OverviewKeys, cursor_on: Place | None = None) -> None:
        """`main` is the screen whose stack this is about, and which brings what it needs."""
        super().__init__()
        self._main = main
        self._cursor_on = cursor_on
        self._source: Source | None = None
        self._made_of: overview_arrivals.OverviewMade | None = None
        self._makes = OneAtATime(self._make)

    def compose(self) -> ComposeResult:
        """Banner, title, stack, the page, the bar of the cursor in words, keys."""
        yield Static(self._main.banner, id="banner")
        yield bars.Bar(id="title")
        yield bars.Bar(id="stack")
        yield OverviewPage(self._cursor_on)
        yield bars.Bar(id="overview-bar")
        yield bars.Bar(id="overview-list")
        yield KeyHints(id="keys")

    def on_mount(self) -> None:
        """What is known already is drawn."""
        self.set_focus(self.query_one(OverviewPage))
        self._draw_header()

    # What comes

    @property
    def place(self) -> Place | None:
        """The bar under the cursor."""
        return self.query_one(OverviewPage).place

    def take(self, source: Source) -> None:
        """Show the overview of this, as soon as it is made; what is shown stays until then."""
        self._source = source
        self._makes.ask()
        if self.is_mounted:
            self._draw_header()

    def _make(self) -> None:
        if self._source is None:
            self._makes.over()
        else:
            overview_arrivals.make_overview(self, self._source, self._stacks_of(self._source))

    def _stacks_of(self, source: Source) -> Section | None:
        """They are the same whatever stack is chosen."""
        if self._made_of is None or self._made_of.source.snapshot.records is not source.snapshot.records:
            return None
        return next(each for each in self._made_of.overview.sections if each.topic is Topic.STACKS)

    @on(overview_arrivals.OverviewMade)
    def _made(self, event: overview_arrivals.OverviewMade) -> None:
        self._makes.over()
        self._made_of = event
        unread = {Topic.TASKS: event.source.kinds_unread, Topic.FAILURES: event.source.failures_unread}
        self.query_one(OverviewPage).show(event.overview, {topic: why for topic, why in unread.items() if why})
        self._draw_header()

    @on(overview_arrivals.OverviewFailed)
    def _failed(self, event: overview_arrivals.OverviewFailed) -> None:
        self._makes.over()
        self.notify(clean(one_line(event.error)), severity="error", markup=False)

    # What is shown

    def _draw_header(self) -> None:
        main = self._main
        self.set_class(main.showing_sample, "-sample")
        self.query_one("#banner", Static).update(main.banner, layout=False)
        choice = self._source.choice if self._source is not None else main.question.stack
        yours = choice.exact is not None and choice.exact == main.your_stack
        self.query_one("#title", bars.Bar).show(header_text.title(None))
        self.query_one("#stack", bars.Bar).show(header_text.stack(choice, yours=yours), self._beside_the_stack())
        self.query_one(KeyHints).show(
            (
                Hint("⏎", "list these models", "open_bar"),
                Hint("c", "compiler", "pick_compiler"),
                Hint("v", "library", "pick_library"),
                Hint("u", "refresh", "refresh_data"),
                Hint("?", "help", "help"),
                Hint("q", "back", "leave"),
            )
        )

    def _beside_the_stack(self) -> Content:
        made = self.query_one(OverviewPage).overview
        if made is None or self._makes.busy:
            return Content.styled("counting …", MUTED)
        return Content(overview_lines.summary(made.counts))

    @on(OverviewPage.Highlighted)
    def _rests_on(self, event: OverviewPage.Highlighted) -> None:
        told = listed = Content("")
        if event.topic is not None and event.bar is not None:
            told = Content(overview_lines.about(event.topic, event.bar))
            search = event.bar.search or "all models of this stack, left-out ones included"
            listed = Content.assemble(("⏎ ", "bold $primary"), (clean(search), MUTED))
        self.query_one("#overview-bar", bars.Bar).show(told)
        self.query_one("#overview-list", bars.Bar).show(listed)

    # Keys

    @on(OverviewPage.Opened)
    def _opened(self, event: OverviewPage.Opened) -> None:
        self.dismiss(event.bar)

    def action_open_bar(self) -> None:
        """The list behind the bar of the cursor."""
        self.query_one(OverviewPage).action_open()

    def action_view(self, name: str) -> None:
        """Back, to this view."""
        self.dismiss(View(name))

    def action_overview(self) -> None:
        """It is this."""

    def action_pick_compiler(self) -> None:
        """Another neuronx-cc version, here and in the main screen."""
        self._main.action_pick_compiler()

    def action_pick_library(self) -> None:
        """Another library version, here and in the main screen."""
        self._main.action_pick_library()

    def action_refresh_data(self) -> None:
        """Ask the source again; what comes is shown here too."""
        self._main.action_refresh_data()

    def action_help(self) -> None:
        """What the page shows, and its keys."""
        from tui.screens.dialogs import TextDialog
        from tui.screens.help_text import keys_of

        meaning = Content("\n\n").join(Content(each) for each in overview_lines.MEANING)
        body = Content("\n\n").join([meaning, keys_of(self, (("Page", OverviewPage),))])
        self.app.push_screen(TextDialog("Overview: what it shows, and its keys", body, body.plain))

    def action_leave(self) -> None:
        """Back to the models."""
        self.dismiss(None)
