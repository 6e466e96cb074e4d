"""One run: its log as it grows, what is known of it above, and what it meant once it is over."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input, Static

from tui.background import in_background
from tui.errors import TrnModelsError
from tui.rerun import runs, start
from tui.rerun.diagnosis import Diagnosis
from tui.rerun.log_lines import LogLines
from tui.rerun.news import first_to_tell
from tui.rerun.run_log import LogReader
from tui.rerun.runs import Run, State
from tui.screens.dialogs import ConfirmDialog, TextDialog
from tui.settings import Settings
from tui.terminal_text import clean
from tui.widgets import run_text
from tui.widgets.bars import Bar
from tui.widgets.copy_request import CopyRequested
from tui.widgets.detail_text import one_line
from tui.widgets.key_hints import Hint, KeyHints
from tui.widgets.log_search import LogSearch
from tui.widgets.log_view import LogView

READ_EVERY_S = 0.1
SLICE_BYTES = 200_000
"""So much of a burst is taken in between two keys."""

LOOK_EVERY_S = 0.5


@dataclass
class Explained(Message):
    """What a run that is over meant."""

    run: Run
    sentences: tuple[str, ...]
    diagnosis: Diagnosis | None


@dataclass
class Done(Message):
    """What a key asked for is done, or could not be."""

    said: str
    error: TrnModelsError | None = None
    run: Run | None = None


class RunLogScreen(Screen[None]):
    """Follows one run; leaving it leaves the run alone."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "search", id="log.search", tooltip="Search the log", priority=True),
        Binding("n", "find(1)", "next hit", id="log.next", tooltip="Next line that has it"),
        Binding("N", "find(-1)", "hit before", id="log.before", tooltip="The line before that has it"),
        Binding("s", "stop", "stop", id="log.stop", tooltip="Stop the run, after a question"),
        Binding("r", "again", "run again", id="log.again", tooltip="Start the same again, after a question"),
        Binding("y", "copy_path", "copy log path", id="log.path", tooltip="Copy the path of the log"),
        Binding("d", "discussion", "discussion text", id="log.discussion", tooltip="Text for the discussion page"),
        Binding("R", "runs", "runs", id="log.runs", tooltip="All runs"),
        Binding("question_mark,f1", "help", "help", id="log.help", tooltip="This help"),
        Binding("escape,q", "leave", "leave", id="log.leave", tooltip="Leave it running"),
    ]

    def __init__(self, settings: Settings, run: Run) -> None:
        super().__init__()
        self.settings = settings
        self.run_shown = run
        self._lines = LogLines()
        self._reader = LogReader(run.folder)
        self._explained: Explained | None = None
        self._watching: list[Timer] = []

    def compose(self) -> ComposeResult:
        """Title, what is known, the log, what it meant, the search, the keys."""
        yield Bar(id="run-title")
        yield Static(id="run-facts")
        yield LogView(self._lines)
        yield Static(id="run-outcome")
        yield LogSearch()
        yield KeyHints(id="keys")

    def on_mount(self) -> None:
        """Take in what is there, then what comes."""
        self.set_focus(self.query_one(LogView))
        self._watching = [
            self.set_interval(READ_EVERY_S, self._read),
            self.set_interval(LOOK_EVERY_S, self._look),
        ]
        self._draw()
        self.call_after_refresh(self._read)

    # What comes

    def _read(self) -> None:
        data = self._reader.read(SLICE_BYTES)
        if data:
            self._lines.feed(data)
            self.query_one(LogView).grew()
            self._draw_title()
        if len(data) >= SLICE_BYTES:
            self.set_timer(0.01, self._read)
        elif not data and not self.run_shown.live:
            self._over()

    def _look(self) -> None:
        try:
            self.run_shown = runs.read(self.run_shown.folder)
        except TrnModelsError as error:
            for timer in self._watching:
                timer.stop()
            self._say(one_line(error), "error")
            return
        self._draw()

    def _over(self) -> None:
        """Nothing changes any more: stop looking, and find out what it meant."""
        for timer in self._watching:
            timer.stop()
        self._watching = []
        run = self.run_shown
        first_to_tell(run)
        if self._explained is not None:
            return

        def work() -> Message:
            from tui.rerun import outcome

            return Explained(run, outcome.compared(run), outcome.diagnosis_of(run))

        in_background(self, work, lambda error: Done("", error), "explaining a run")

    @on(Explained)
    def _explain(self, event: Explained) -> None:
        self._explained = event
        self._draw()

    # What is shown

    def _draw(self) -> None:
        self._draw_title()
        run = self.run_shown
        self.query_one("#run-facts", Static).update(run_text.facts(run, datetime.now(UTC)))
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
            Hint("s", "stop", "stop", live),
            Hint("r", "run again", "again", not live),
            Hint("d", "discussion text", "discussion", not live),
            Hint("y", "copy log path", "copy_path"),
            Hint("R", "all runs", "runs"),
            Hint("?", "help", "help"),
            Hint("q", "leave it running" if live else "back", "leave"),
        )

    @on(LogView.Followed)
    def _following_changed(self) -> None:
        self._draw_title()

    # Keys

    def _say(self, text: str, severity: SeverityLevel = "information") -> None:
        self.app.clear_notifications()
        self.app.notify(clean(text), severity=severity, markup=False)

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
            self._say(f"The log does not have «{event.text}».", "warning")

    def action_find(self, direction: int) -> None:
        """The next line with what was searched, down (1) or up (-1)."""
        if not self.query_one(LogView).search_next(direction):
            self._say("Nothing found; / searches.", "warning")

    def action_stop(self) -> None:
        """Stop the run when the person says so twice."""
        run = self.run_shown
        if not run.live:
            self._say("The run is over.", "warning")
            return
        if run.state is State.STOPPING:
            self._say("It is being stopped already.", "warning")
            return
        self.app.push_screen(
            ConfirmDialog(f"Stop run {run.id}?", run_text.before_stop(run), yes="stop it"), self._stop_answered
        )

    def _stop_answered(self, yes: bool | None) -> None:
        if not yes:
            return
        run = self.run_shown

        def work() -> Message:
            start.stop(self.settings, run)
            return Done("Stopping: an interrupt first, then harder after 10 s.")

        in_background(self, work, lambda error: Done("", error), "stopping a run")

    def action_again(self) -> None:
        """Start the same once more."""
        run = self.run_shown
        if run.live:
            self._say("It is still going on.", "warning")
            return
        self.app.push_screen(
            ConfirmDialog(f"Run {run.id} again?", run_text.before_again(run), yes="run it"), self._again_answered
        )

    def _again_answered(self, yes: bool | None) -> None:
        if not yes:
            return
        run = self.run_shown
        in_background(
            self,
            lambda: Done("", run=start.again(self.settings, run)),
            lambda error: Done("", error),
            "starting a run again",
        )

    @on(Done)
    def _done(self, event: Done) -> None:
        if event.error is not None:
            self._say(one_line(event.error), "error")
        elif event.run is not None:
            self.app.switch_screen(RunLogScreen(self.settings, event.run))
        elif event.said:
            self._say(event.said)
            self._look()

    def action_copy_path(self) -> None:
        """Copy the path of the log file."""
        path = str(self.run_shown.folder / "log")
        self.post_message(CopyRequested(path, path))

    def action_discussion(self) -> None:
        """The text for the dataset's discussion page, to read first and then to copy."""
        told = self._explained
        if told is None:
            self._say("Once the run is over.", "warning")
            return
        from tui.rerun.outcome import discussion_text

        text = discussion_text(told.run, told.diagnosis)
        self.app.push_screen(
            TextDialog("For the dataset's discussion page (y copies)", Content(clean(text, newlines=True)), text)
        )

    def action_runs(self) -> None:
        """All runs; back to them when this screen was opened from there."""
        from tui.screens.runs import RunsScreen

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
            self._say(f"Run {run.id} goes on. R shows it.")
