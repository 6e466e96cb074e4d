"""One line at the bottom while runs of ours are going on, and the news of those that have ended."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message

from tui.background import OneAtATime, in_background
from tui.errors import TrnModelsError
from tui.settings import Settings
from tui.terminal_text import clean
from tui.widgets.clickable import ClickableLine, clickable

if TYPE_CHECKING:
    from tui.rerun.runs import Run

LOOK_EVERY_S = 2.0
QUIET_TURNS = 3
FIRST_LOOK_AFTER_S = 0.3
"""What reads the runs takes time to import: the first rows are on screen before."""

Stamp = tuple[int, int] | None


class RunLine(ClickableLine):
    """`run 3 · Quartz-8B · compiling · R`; no cell wide where nothing goes on."""

    DEFAULT_CSS = """
    RunLine { width: auto; max-width: 60%; padding: 0 1; color: $text-muted; display: none; }
    """

    @dataclass
    class Looked(Message):
        """The folder of runs was looked at; `runs` is None when nothing has changed there."""

        stamp: Stamp
        runs: tuple[Run, ...] | None
        to_tell: tuple[Run, ...] = ()
        """Those that are over, of which this app is the first to tell it."""

    @dataclass
    class NotLooked(Message):
        """The folder of runs could not be read."""

        error: TrnModelsError

    @dataclass
    class Ended(Message):
        """A run has ended, and nobody was told yet."""

        run: Run

    @dataclass
    class HoldersChanged(Message):
        """A run has begun or ended, or was given devices: others are in use than before."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(id="run-line")
        self._settings = settings
        self._seen: Stamp = None
        self._begun = False
        self._quiet_turns = 0
        self._live = False
        self._holding: frozenset[tuple[int, tuple[int, ...]]] = frozenset()
        self._looks = OneAtATime(self._bring)
        self._text = Content("")

    def on_mount(self) -> None:
        """Look now and then; where nothing changed that costs a look at one folder."""
        self.set_timer(FIRST_LOOK_AFTER_S, self._begin)

    def _begin(self) -> None:
        self._begun = True
        self.set_interval(LOOK_EVERY_S, self._look_again)
        self.look()

    def _look_again(self) -> None:
        """Where no run goes on, one that another terminal starts may be told of a little later."""
        self._quiet_turns = 0 if self._live else self._quiet_turns + 1
        if self._live or self._quiet_turns >= QUIET_TURNS:
            self._quiet_turns = 0
            self._looks.ask(again=False)

    def look(self) -> None:
        """Read the runs, also when none was live, made or deleted since."""
        self._seen = None
        if self._begun:
            self._looks.ask()

    def _bring(self) -> None:
        from tui.rerun import runs
        from tui.rerun.news import first_to_tell

        settings, unchanged = self._settings, None if self._live else self._seen

        def work() -> Message:
            stamp = _stamp(runs.runs_folder(settings))
            if stamp is not None and stamp == unchanged:
                return self.Looked(stamp, None)
            found = runs.listed(settings)
            return self.Looked(stamp, found, tuple(run for run in reversed(found) if first_to_tell(run)))

        in_background(self, work, self.NotLooked, "reading the runs")

    def on_run_line_looked(self, event: Looked) -> None:
        """Draw what goes on; tell of what has ended."""
        from tui.rerun.progress import one_line

        event.stop()
        self._looks.over()
        self._seen = event.stamp
        if event.runs is None:
            return
        live = [run for run in event.runs if run.live]
        self._live = bool(live)
        if live:
            more = f" · {len(live) - 1} more" if len(live) > 1 else ""
            text = Content.assemble(clean(one_line(live[-1])), more, " · ", ("R", "bold $primary"))
            self._show(clickable(text, "runs"))
        else:
            self._show(Content(""))
        for run in event.to_tell:
            self.post_message(self.Ended(run))
        holding = frozenset((run.id, run.devices) for run in event.runs if run.live or _may_hold(run))
        if holding != self._holding:
            self._holding = holding
            self.post_message(self.HoldersChanged())

    def on_run_line_not_looked(self, event: NotLooked) -> None:
        """What is known stays."""
        event.stop()
        self._seen = None
        self._looks.over()

    def _show(self, text: Content) -> None:
        if text.plain != self._text.plain:
            self._text = text
            self.display = bool(text)
            self.refresh(layout=True)

    def render(self) -> Content:
        """The line."""
        return self._text


def _may_hold(run: Run) -> bool:
    """A lost run's processes may live on and hold its devices."""
    from tui.rerun.runs import State

    return run.state is State.LOST and bool(run.devices)


def _stamp(folder: Path) -> Stamp:
    """What changes when a run is made or deleted; None without a folder. Raises `TrnModelsError`."""
    try:
        found = folder.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise TrnModelsError("The runs cannot be read", f"{folder}: {error.strerror or error}") from error
    return found.st_mtime_ns, found.st_nlink
