"""One run: its log as it grows, what is known of it above, and what it meant once it is over."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from tui.background import OneAtATime, in_background
from tui.errors import TrnModelsError
from tui.rerun import runs
from tui.rerun.diagnosis import Diagnosis
from tui.rerun.log_lines import LogLines
from tui.rerun.news import first_to_tell
from tui.rerun.run_log import LogReader
from tui.rerun.runs import Run, State
from tui.screens.dialogs import TextDialog
from tui.screens.run_actions import RunActions, announce
from tui.settings import Settings
from tui.terminal_text import clean
from tui.widgets import run_text
from tui.widgets.bars import Bar
from tui.widgets.detail_text import one_line
from tui.widgets.key_hints import Hint, KeyHints
from tui.widgets.log_search import LogSearch
from tui.widgets.log_view import LogView

READ_EVERY_S = 0.1
SLICE_BYTES = 1_000_000
"""The most that is read at a time."""
PIECE_BYTES = 4_000
TURN_S = 0.004
"""So long lines are taken in without a break, piece by piece; in a break as long keys have their turn."""
SHOW_EVERY_S = 0.1
"""Of lines that come in faster than they are taken in so often a page is drawn."""

LOOK_EVERY_S = 0.5


@dataclass
class Printed(Message):
    """What came in the log; `after_the_end`: the run was over before it was read."""

    data: bytes
    after_the_end: bool


@dataclass
class Seen(Message):
    """The run as it is now; `to_tell`: it is over, and it is for this app to tell that."""

    run: Run
    to_tell: bool


@dataclass
class NotSeen(Message):
    """Log or state of the run could not be read."""

    error: TrnModelsError
    of_log: bool


@dataclass
class Explained(Message):
    """What a run that is over meant."""

    run: Run
    sentences: tuple[str, ...]
    diagnosis: Diagnosis | None


@dataclass
class Written(Message):
    """The text for the discussion page; None: it could not be written."""

    text: str | None
    error: TrnModelsError | None = None


class RunLogScreen(RunActions):
    """Follows one run; leaving it leaves the run alone."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "search", id="log.search", tooltip="Search the log", priority=True),
        Binding("n", "find(1)", "next hit", id="log.next", tooltip="Next line that has it"),
        Binding("N", "find(-1)", "hit before", id="log.before", tooltip="The line before that has it"),
        Binding("s", "stop", "stop", id="log.stop", tooltip="Stop the run, or what is left of a lost one"),
        Binding("r", "again", "run again", id="log.again", tooltip="Start the same again, after a question"),
        Binding("y", "copy_path", "copy log path", id="log.path", tooltip="Copy the path of the log"),
        Binding("d", "discussion", "discussion text", id="log.discussion", tooltip="Text for the discussion page"),
        Binding("R", "runs", "runs", id="log.runs", tooltip="All runs"),
        Binding("question_mark,f1", "help", "help", id="log.help", tooltip="This help"),
        Binding("escape,q", "leave", "leave", id="log.leave", tooltip="Leave it running"),
    ]

    def __init__(self, settings: Settings, run: Run) -> None:
        super().__init__(settings)
        self.run_shown = run
        self._lines = LogLines()
        self._reader = LogReader(run.folder)
        self._reads = OneAtATime(self._bring_bytes)
        self._coming = memoryview(b"")
        """What was read and is not in the lines yet."""
        self._more = False
        self._shown_at = 0.0
        self._looks = OneAtATime(self._bring_state)
        self._explained: Explained | None = None
        self._explaining: State | None = None
        self._trouble = ""
        self._writing = False
        self._watching: list[Timer] = []

    def compose(self) -> ComposeResult:
        """Title, what is known, the log, what it meant, the search, the keys."""
        yield Bar(id="run-title")
        yield Static(id="run-facts")
        empty_text = "nothing printed yet" if self.run_shown.live else "nothing was printed"
        yield LogView(self._lines, empty_text=empty_text)
        yield Static(id="run-outcome")
        yield LogSearch()
        yield KeyHints(id="keys")

    def on_mount(self) -> None:
        """Take in what is there, then what comes."""
        view = self.query_one(LogView)
        self.set_focus(view)
        self.watch(view, "following", self._draw_title, init=False)
        self._watching = [
            self.set_interval(READ_EVERY_S, lambda: self._reads.ask(again=False)),
            self.set_interval(LOOK_EVERY_S, lambda: self._looks.ask(again=False)),
        ]
        self._draw()
        self._reads.ask()
        self._looks.ask()

    # What comes: read in the background, as a home folder on a file server may hang

    def _bring_bytes(self) -> None:
        reader, after_the_end = self._reader, not self.run_shown.live

        def work() -> Message:
            return Printed(reader.read(SLICE_BYTES), after_the_end)

        in_background(self, work, lambda error: NotSeen(error, of_log=True), "reading a log")

    def _bring_state(self) -> None:
        folder = self.run_shown.folder

        def work() -> Message:
            run = runs.read(folder)
            return Seen(run, first_to_tell(run))

        in_background(self, work, lambda error: NotSeen(error, of_log=False), "looking at a run")

    def look(self) -> None:
        """Look at its state now."""
        self._looks.ask()

    @on(Printed)
    def _printed(self, event: Printed) -> None:
        if event.data:
            self._coming, self._more = memoryview(event.data), len(event.data) >= SLICE_BYTES
            self._take_in()
            return
        self._reads.over()
        if event.after_the_end:
            self._over()

    def _take_in(self) -> None:
        """Make lines of what was read, for a short time; the next read comes after the last of it."""
        now = monotonic()
        until = now + TURN_S
        while self._coming and now < until:
            self._lines.feed(bytes(self._coming[:PIECE_BYTES]))
            self._coming = self._coming[PIECE_BYTES:]
            now = monotonic()
        if not (self._coming or self._more) or now >= self._shown_at + SHOW_EVERY_S:
            self._shown_at = now
            self.query_one(LogView).grew()
            self._draw_title()
        if self._coming:
            self.set_timer(TURN_S, self._take_in)
        else:
            self._reads.over()
            if self._more:
                self._reads.ask()

    @on(Seen)
    def _seen(self, event: Seen) -> None:
        self._looks.over()
        self._trouble = ""
        self.run_shown = event.run
        if event.to_tell:
            announce(self.app, self.settings, event.run)
        if self._explaining is not None:
            self._over()
        self._draw()

    @on(NotSeen)
    def _not_seen(self, event: NotSeen) -> None:
        """What is known stays, and the next look may go well."""
        (self._reads if event.of_log else self._looks).over()
        trouble = one_line(event.error)
        if trouble != self._trouble:
            self._trouble = trouble
            self.tell(trouble, "error")

    def _over(self) -> None:
        """Nothing changes by itself any more: stop looking, and find out what it meant.

        A lost run has ended in another way once a person has stopped what was left of it.
        """
        for timer in self._watching:
            timer.stop()
        self._watching = []
        run = self.run_shown
        if run.live or run.state is self._explaining:
            return
        self._explaining = run.state

        def work() -> Message:
            from tui.rerun import outcome

            return Explained(run, outcome.compared(run), outcome.diagnosis_of(run))

        in_background(self, work, lambda error: Explained(run, (one_line(error),), None), "explaining a run")

    @on(Explained)
    def _explain(self, event: Explained) -> None:
        if event.run.state is self.run_shown.state:
            self._explained = event
            self._draw()

    # What is shown

    def _draw(self) -> None:
        self._draw_title()
        run = self.run_shown
        facts = self.query_one("#run-facts", Static)
        facts.update(run_text.facts(run, datetime.now(UTC)), layout=False)
        if facts.get_content_height(facts.container_size, self.size, facts.content_size.width) != facts.size.height:
            facts.refresh(layout=True)
        outcome = self.query_one("#run-outcome", Static)
        told = self._explained
        outcome.display = told is not None
        if told is not None:
            outcome.update(run_text.outcome(told.run, told.sentences, told.diagnosis))
        self.query_one(KeyHints).show(self._hints())

    def _draw_title(self) -> None:
        paused = not self.query_one(LogView).following
        self.query_one("#run-title", Bar).show(
            run_text.title(self.run_shown), run_text.follow_state(self.run_shown, len(self._lines), paused)
        )

    def _hints(self) -> tuple[Hint, ...]:
        live = self.run_shown.live
        return (
            Hint("/", "search", "search"),
            Hint("G", "follow the end", "follow"),
            Hint("s", "stop", "stop", run_text.can_be_stopped(self.run_shown)),
            Hint("r", "run again", "again", not live),
            Hint("d", "discussion text", "discussion", not live),
            Hint("y", "copy log path", "copy_path"),
            Hint("R", "all runs", "runs"),
            Hint("?", "help", "help"),
            Hint("q", "leave it running" if live else "back", "leave"),
        )

    # Keys

    def chosen_run(self) -> Run:
        """The run of this log."""
        return self.run_shown

    def open_log(self, run: Run) -> None:
        """Its log takes the place of this one."""
        if self.is_active:
            self.app.switch_screen(RunLogScreen(self.settings, run))
        else:
            self.app.push_screen(RunLogScreen(self.settings, run))

    def action_follow(self) -> None:
        """To the end, and stay there."""
        self.query_one(LogView).follow()

    def action_search(self) -> None:
        """Type what to look for."""
        self.query_one(LogSearch).open()

    @on(LogSearch.Changed)
    def _search_typed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(LogView).search(event.value)
        self._draw_title()

    @on(LogSearch.Left)
    def _search_left(self, event: LogSearch.Left) -> None:
        self.set_focus(self.query_one(LogView))
        if event.text and self.query_one(LogView).hit is None:
            self.tell(f"The log does not have «{event.text}».", "warning")

    def action_find(self, direction: int) -> None:
        """The next line with what was searched, down (1) or up (-1)."""
        if not self.query_one(LogView).search_next(direction):
            self.tell("Nothing found; / searches.", "warning")

    def action_discussion(self) -> None:
        """The text for the dataset's discussion page, to read first and then to copy."""
        told = self._explained
        if told is None:
            self.tell("Once the run is over." if self.run_shown.live else "Still reading what it meant.", "warning")
            return
        if self._writing:
            return
        self._writing = True
        self.tell("Writing the text for the discussion page …")

        def work() -> Message:
            from tui.rerun.outcome import discussion_text

            return Written(discussion_text(told.run, told.diagnosis))

        in_background(self, work, lambda error: Written(None, error), "writing for the discussion page")

    @on(Written)
    def _written(self, event: Written) -> None:
        """Read first, then copied; not in the way of a person who went on to something else."""
        self._writing = False
        if event.error is not None:
            self.tell(one_line(event.error), "error")
        elif event.text is not None and self.is_active:
            self.app.clear_notifications()
            body = Content(clean(event.text, newlines=True))
            self.app.push_screen(TextDialog("For the dataset's discussion page (y copies)", body, event.text))

    def action_runs(self) -> None:
        """All runs; back to them when this screen was opened from there."""
        from tui.screens.runs import RunsScreen

        if not self.is_active:
            return  # it was asked for already
        stack = self.app.screen_stack
        below = stack[stack.index(self) - 1]
        if isinstance(below, RunsScreen):
            below.point_at(self.run_shown.id)
            self.dismiss(None)
        else:
            self.app.switch_screen(RunsScreen(self.settings, self.run_shown.id))

    def action_help(self) -> None:
        """Keys of this screen."""
        from tui.screens.help_text import keys_of

        body = keys_of(self, (("Log", LogView),))
        self.app.push_screen(TextDialog("A run: keys", body, body.plain))

    def action_leave(self) -> None:
        """Back; the run goes on, and that is said."""
        run = self.run_shown
        self.dismiss(None)
        if run.live:
            self.tell(f"Run {run.id} goes on. R shows it.")
