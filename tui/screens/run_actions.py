"""What the list of runs and the log of one have in common: stop, run again, copy the path, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import App
from textual.message import Message

from tui.background import in_background
from tui.errors import TrnModelsError
from tui.rerun import runs, start
from tui.rerun.progress import phase
from tui.rerun.runs import Run, State
from tui.screens.dialogs import ConfirmDialog
from tui.screens.steady import SteadyScreen
from tui.settings import Settings
from tui.terminal_text import brief
from tui.widgets import run_text
from tui.widgets.copy_request import CopyRequested
from tui.widgets.detail_text import one_line

_LONGEST_STOP_S = 30.0
"""The word about a stop under way stays at most so long."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a key asked for is done, or could not be."""

    said: str = ""
    error: TrnModelsError | None = None
    started: Run | None = None


def announce(app: App[object], settings: Settings, run: Run) -> None:
    """Say that a run has ended, and ring where that is wanted.

    For whom `tui.rerun.news.first_to_tell` has chosen, so that it is told once over all apps.
    """
    where = "" if isinstance(app.screen, RunActions) else " R shows it."
    app.notify(brief(f"Run {run.id}, {run.model_id}: {phase(run)}.{where}"), markup=False)
    if settings.bell:
        app.bell()


class RunActions(SteadyScreen[None]):
    """Keys that act on one run; the screen on top of this says which one it is."""

    _being_ended: ClassVar[set[Path]] = set()
    """Folders of lost runs that are being stopped from any of these screens."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings

    def chosen_run(self) -> Run | None:
        """The run that keys act on; None when there is none, which is then said."""
        raise NotImplementedError

    def look(self) -> None:
        """Something has changed: read it again."""
        raise NotImplementedError

    def open_log(self, run: Run) -> None:
        """Show the log of a run that was just started."""
        raise NotImplementedError

    def ask(self, run: Run, dialog: ConfirmDialog, work: Callable[[], Done], meanwhile: str = "") -> None:
        """Do `work` in the background when the person says yes; `meanwhile` is said of what takes long."""

        def told(done: Done) -> Message:
            # By the app, which is there also when this screen was left meanwhile.
            return events.Callback(partial(self._done, run, done))

        def answered(yes: bool | None) -> None:
            if not yes:
                return
            if meanwhile:
                self._being_ended.add(run.folder)
                self.tell(meanwhile, timeout=_LONGEST_STOP_S)
            in_background(self.app, lambda: told(work()), lambda error: told(Done(error=error)), "changing a run")

        self.app.push_screen(dialog, answered)

    def action_stop(self) -> None:
        """Stop the run, or what is left of a lost one, when the person says so twice."""
        run = self.chosen_run()
        if run is None:
            return
        if not run_text.can_be_stopped(run):
            self.tell(f"Run {run.id} is over.", "warning")
        elif run.state is State.STOPPING or run.folder in self._being_ended:
            self.tell(f"Run {run.id} is being stopped already.", "warning")
        else:
            dialog = ConfirmDialog(f"Stop run {run.id}?", run_text.before_stop(run), yes="stop it")
            lost = run.state is State.LOST
            meanwhile = f"Ending what is left of run {run.id}, up to 25 s …" if lost else ""
            self.ask(run, dialog, partial(_stopped, self.settings, run), meanwhile)

    def action_again(self) -> None:
        """Start the same once more."""
        run = self.chosen_run()
        if run is None:
            return
        if run.live:
            self.tell(f"Run {run.id} is still going on.", "warning")
            return
        dialog = ConfirmDialog(f"Run {run.id} again?", run_text.before_again(run), yes="run it")
        self.ask(run, dialog, lambda: Done(started=start.again(self.settings, run)))

    def action_copy_path(self) -> None:
        """Copy the path of the log file."""
        run = self.chosen_run()
        if run is not None:
            path = str(run.folder / "log")
            self.post_message(CopyRequested(path, path))

    @property
    def _is_open(self) -> bool:
        return self in self.app.screen_stack

    def _done(self, run: Run, done: Done) -> None:
        self._being_ended.discard(run.folder)
        if done.started is not None and self._is_open:
            self.open_log(done.started)
        elif done.started is not None:
            self.tell(f"Run {done.started.id} is started. R shows it.")
        elif done.error is not None:
            self.tell(one_line(done.error), "error")
        else:
            self.tell(done.said)
        if self._is_open:
            self.look()


def _stopped(settings: Settings, run: Run) -> Done:
    start.stop(settings, run)
    if run.state is not State.LOST:
        return Done(f"Run {run.id} is being stopped: an interrupt first, then harder after 10 s.")
    now = runs.read(run.folder)
    if now.outcome is not None and now.outcome.killed:
        return Done(f"Run {run.id}: what was left of it is ended.")
    return Done(f"Run {run.id} is stopped; nothing of it is left.")
