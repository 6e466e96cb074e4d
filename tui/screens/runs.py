"""All runs of this user: waiting, running, finished, lost."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static

from tui import numbers
from tui.background import OneAtATime, in_background
from tui.errors import TrnModelsError
from tui.rerun import runs
from tui.rerun.runs import Run
from tui.screens.dialogs import ConfirmDialog, TextDialog
from tui.screens.run_actions import Done, RunActions
from tui.screens.run_log import RunLogScreen
from tui.settings import Settings
from tui.terminal_text import clean
from tui.widgets import run_list, run_text
from tui.widgets.bars import Bar
from tui.widgets.detail_text import one_line
from tui.widgets.key_hints import Hint, KeyHints
from tui.widgets.run_list import RunList

LOOK_EVERY_S = 1.0


@dataclass
class Found(Message):
    """All runs, as they are now."""

    runs: tuple[Run, ...]


@dataclass
class NotFound(Message):
    """The runs could not be read."""

    error: TrnModelsError


class RunsScreen(RunActions):
    """Open, stop, run again, delete."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "stop", "stop", id="runs.stop", tooltip="Stop the run, or what is left of a lost one"),
        Binding("r", "again", "run again", id="runs.again", tooltip="Start the same again, after a question"),
        Binding("y", "copy_path", "copy log path", id="runs.path", tooltip="Copy the path of its log"),
        Binding("D", "delete", "delete", id="runs.delete", tooltip="Delete its folder, after a question"),
        Binding("question_mark,f1", "help", "help", id="runs.help", tooltip="This help"),
        Binding("escape,q", "leave", "back", id="runs.leave", tooltip="Back; runs go on"),
    ]

    def __init__(self, settings: Settings, cursor_on: int | None = None) -> None:
        super().__init__(settings)
        self._cursor_on = cursor_on
        self._known: tuple[Run, ...] | None = None
        self._trouble = ""
        self._looks = OneAtATime(self._bring)

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
        self.set_interval(LOOK_EVERY_S, self._look_now_and_then)
        self._draw()

    def point_at(self, run_id: int) -> None:
        """Put the cursor on this run, once it is listed."""
        self._cursor_on = run_id
        self._draw()

    # What comes

    @on(events.ScreenResume)
    def look(self) -> None:
        """Read the runs in the background: a home folder on a file server may hang."""
        self._looks.ask()

    def _look_now_and_then(self) -> None:
        if self.is_current:
            self._looks.ask(again=False)

    def _bring(self) -> None:
        in_background(self, lambda: Found(runs.listed(self.settings)), NotFound, "reading the runs")

    @on(Found)
    def _found(self, event: Found) -> None:
        self._looks.over()
        self._known, self._trouble = event.runs, ""
        self._draw()

    @on(NotFound)
    def _not_found(self, event: NotFound) -> None:
        """What is known stays."""
        self._looks.over()
        self._trouble = one_line(event.error)
        self._draw()

    # What is shown

    @on(events.Resize)
    def _resized(self) -> None:
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        found, now = self._known or (), datetime.now(UTC)
        listed = self.query_one(RunList)
        listed.show(found, now, self._cursor_on)
        if found:
            self._cursor_on = None
        live = sum(run.live for run in found)
        going_on = f"{live} going on or waiting" if live else "none going on"
        counted = f"{numbers.counted(len(found), 'run')}, {going_on}" if self._known is not None else "reading them …"
        trouble = Content.styled("cannot be read at present", "$text-warning")
        self.query_one("#run-title", Bar).show(
            Content.styled("Runs", "bold $primary"), trouble if self._trouble else Content(counted)
        )
        self.query_one("#runs-headers", Static).update(run_list.headers(found, now, listed.content_size.width))
        none = self.query_one("#runs-none", Static)
        none.display = not found
        none.update(Content(clean(self._why_none)))
        self._draw_hints()

    @property
    def _why_none(self) -> str:
        if self._known is None:
            return self._trouble or "reading the runs …"
        return "Nothing was run yet. r on a model with a run.py checks this host and runs it."

    @on(OptionList.OptionHighlighted)
    def _draw_hints(self) -> None:
        run = self.query_one(RunList).current
        over = run is not None and not run.live
        self.query_one(KeyHints).show(
            (
                Hint("⏎", "its log", "open", run is not None),
                Hint("s", "stop", "stop", run is not None and run_text.can_be_stopped(run)),
                Hint("r", "run again", "again", over),
                Hint("y", "copy log path", "copy_path", run is not None),
                Hint("D", "delete", "delete", over),
                Hint("?", "help", "help"),
                Hint("q", "back", "leave"),
            )
        )

    # Keys

    def chosen_run(self) -> Run | None:
        """The run of the cursor line."""
        run = self.query_one(RunList).current
        if run is None:
            self.tell("No run is listed." if self._known is not None else "Still reading the runs.", "warning")
        return run

    def open_log(self, run: Run) -> None:
        """Its log, over the list."""
        self.app.push_screen(RunLogScreen(self.settings, run))

    @on(OptionList.OptionSelected)
    def action_open(self) -> None:
        """Its log."""
        run = self.chosen_run()
        if run is not None:
            self.open_log(run)

    def action_delete(self) -> None:
        """Remove the folder of a run that is over."""
        run = self.chosen_run()
        if run is None:
            return
        if run.live:
            self.tell(f"Run {run.id} is still going on.", "warning")
            return
        folder = f"{run.folder} with its script, log and outcome is removed."
        dialog = ConfirmDialog(f"Delete run {run.id}?", (run.model_id, folder), yes="delete it")
        self.ask(run, dialog, partial(_deleted, self.settings, run))

    def action_help(self) -> None:
        """Keys of this screen."""
        from tui.screens.help_text import keys_of

        body = keys_of(self, (("List", RunList),))
        self.app.push_screen(TextDialog("Runs: keys", body, body.plain))

    def action_leave(self) -> None:
        """Back to where it was opened."""
        self.dismiss(None)


def _deleted(settings: Settings, run: Run) -> Done:
    with contextlib.suppress(FileNotFoundError):
        runs.delete(settings, run)
    return Done(f"Run {run.id} is deleted.")
