"""All runs of this user: waiting, running, finished, lost."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widgets import OptionList, Static

from tui import numbers
from tui.background import in_background
from tui.rerun import runs, start
from tui.rerun.runs import Run
from tui.screens.dialogs import ConfirmDialog, TextDialog
from tui.screens.run_log import Done, RunLogScreen
from tui.settings import Settings
from tui.terminal_text import clean
from tui.widgets import run_list, run_text
from tui.widgets.bars import Bar
from tui.widgets.copy_request import CopyRequested
from tui.widgets.detail_text import one_line
from tui.widgets.key_hints import Hint, KeyHints
from tui.widgets.run_list import RunList

LOOK_EVERY_S = 1.0


class RunsScreen(Screen[None]):
    """Open, stop, run again, delete."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "stop", "stop", id="runs.stop", tooltip="Stop the run, after a question"),
        Binding("r", "again", "run again", id="runs.again", tooltip="Start the same again, after a question"),
        Binding("y", "copy_path", "copy log path", id="runs.path", tooltip="Copy the path of its log"),
        Binding("D", "delete", "delete", id="runs.delete", tooltip="Delete its folder, after a question"),
        Binding("question_mark,f1", "help", "help", id="runs.help", tooltip="This help"),
        Binding("escape,q", "leave", "back", id="runs.leave", tooltip="Back; runs go on"),
    ]

    def __init__(self, settings: Settings, cursor_on: int | None = None) -> None:
        super().__init__()
        self.settings = settings
        self._cursor_on = cursor_on

    def compose(self) -> ComposeResult:
        """Title, column titles, the list, keys."""
        yield Bar(id="run-title")
        yield Static(id="runs-headers")
        yield RunList()
        yield Static("", id="runs-none")
        yield KeyHints(id="keys")

    def on_mount(self) -> None:
        """Read the folders, and again every second."""
        self.set_focus(self.query_one(RunList))
        self.set_interval(LOOK_EVERY_S, self.look)
        self.call_after_refresh(self.look)

    @on(events.ScreenResume)
    @on(events.Resize)
    def look(self) -> None:
        """Draw the runs as they are now."""
        if not self.is_current or not self.is_mounted:
            return
        found, now = runs.every(self.settings), datetime.now(UTC)
        listed = self.query_one(RunList)
        listed.show(found, now, self._cursor_on)
        self._cursor_on = None
        live = sum(run.live for run in found)
        going_on = f"{live} going on or waiting" if live else "none going on"
        self.query_one("#run-title", Bar).show(
            Content.styled("Runs", "bold $primary"), Content(f"{numbers.counted(len(found), 'run')}, {going_on}")
        )
        self.query_one("#runs-headers", Static).update(run_list.headers(found, now, listed.content_size.width))
        none = self.query_one("#runs-none", Static)
        none.display = not found
        none.update("Nothing was run yet. r on a model with a run.py checks this host and runs it.")
        self._draw_hints()

    @on(OptionList.OptionHighlighted)
    def _draw_hints(self) -> None:
        run = self.query_one(RunList).current
        live = run is not None and run.live
        self.query_one(KeyHints).show(
            (
                Hint("⏎", "its log", "open", run is not None),
                Hint("s", "stop", "stop", live),
                Hint("r", "run again", "again", run is not None and not live),
                Hint("y", "copy log path", "copy_path", run is not None),
                Hint("D", "delete", "delete", run is not None and not live),
                Hint("?", "help", "help"),
                Hint("q", "back", "leave"),
            )
        )

    def _say(self, text: str, severity: SeverityLevel = "information") -> None:
        self.app.clear_notifications()
        self.app.notify(clean(text), severity=severity, markup=False)

    def _current(self, *, live: bool | None = None) -> Run | None:
        """The run of the cursor line; None, and said why, when it is not `live` as wanted."""
        run = self.query_one(RunList).current
        if run is None:
            self._say("No run is listed.", "warning")
        elif live is not None and run.live is not live:
            self._say(f"Run {run.id} is still going on." if run.live else f"Run {run.id} is over.", "warning")
            return None
        return run

    @on(OptionList.OptionSelected)
    def action_open(self) -> None:
        """Its log."""
        run = self._current()
        if run is not None:
            self.app.push_screen(RunLogScreen(self.settings, run))

    def action_stop(self) -> None:
        """Stop the run when the person says so twice."""
        run = self._current(live=True)
        if run is not None:
            self._ask(
                ConfirmDialog(f"Stop run {run.id}?", run_text.before_stop(run), yes="stop it"),
                lambda: _stopped(self.settings, run),
            )

    def action_again(self) -> None:
        """Start the same once more."""
        run = self._current(live=False)
        if run is not None:
            self._ask(
                ConfirmDialog(f"Run {run.id} again?", run_text.before_again(run), yes="run it"),
                lambda: Done("", run=start.again(self.settings, run)),
            )

    def action_delete(self) -> None:
        """Remove the folder of a run that is over."""
        run = self._current(live=False)
        if run is not None:
            folder = f"{run.folder} with its script, log and outcome is removed."
            self._ask(
                ConfirmDialog(f"Delete run {run.id}?", (run.model_id, folder), yes="delete it"),
                lambda: _deleted(self.settings, run),
            )

    def _ask(self, dialog: ConfirmDialog, work: Callable[[], Message]) -> None:
        def answered(yes: bool | None) -> None:
            if yes:
                in_background(self, work, lambda error: Done("", error), "changing a run")

        self.app.push_screen(dialog, answered)

    @on(Done)
    def _done(self, event: Done) -> None:
        if event.error is not None:
            self._say(one_line(event.error), "error")
        elif event.run is not None:
            self.app.push_screen(RunLogScreen(self.settings, event.run))
        else:
            self._say(event.said)
            self.look()

    def action_copy_path(self) -> None:
        """Copy the path of the log file."""
        run = self._current()
        if run is not None:
            path = str(run.folder / "log")
            self.post_message(CopyRequested(path, path))

    def action_help(self) -> None:
        """Keys of this screen."""
        from tui.screens.help_text import keys_of

        body = keys_of(self, (("List", RunList),))
        self.app.push_screen(TextDialog("Runs: keys", body, body.plain))

    def action_leave(self) -> None:
        """Back to the models."""
        self.dismiss(None)


def _stopped(settings: Settings, run: Run) -> Message:
    start.stop(settings, run)
    return Done(f"Run {run.id} is being stopped.")


def _deleted(settings: Settings, run: Run) -> Message:
    with contextlib.suppress(FileNotFoundError):
        runs.delete(settings, run)
    return Done(f"Run {run.id} is deleted.")
