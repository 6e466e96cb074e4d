"""One line at the bottom while runs of ours are going on, and the news of those that have ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message

from tui.background import in_background
from tui.errors import TrnModelsError
from tui.settings import Settings
from tui.terminal_text import clean
from tui.widgets.clickable import ClickableLine, clickable

if TYPE_CHECKING:
    from tui.rerun.runs import Run

LOOK_EVERY_S = 2.0


class RunLine(ClickableLine):
    """`run 3 · Quartz-8B · compiling · R`; no cell wide where nothing goes on."""

    DEFAULT_CSS = """
    RunLine { width: auto; max-width: 60%; padding: 0 1; color: $text-muted; display: none; }
    """

    @dataclass
    class Looked(Message):
        """The folder of runs was read."""

        runs: tuple[Run, ...]

    @dataclass
    class Ended(Message):
        """A run has ended, and nobody was told yet."""

        run: Run

    def __init__(self, settings: Settings) -> None:
        super().__init__(id="run-line")
        self._settings = settings
        self._seen: tuple[int, int] | None = None
        self._live = False
        self._text = Content("")

    def on_mount(self) -> None:
        """Look now and then; where nothing changed that costs a look at one folder."""
        self.set_interval(LOOK_EVERY_S, self.look)
        self.look()

    def look(self) -> None:
        """Read the runs when some are live, or when one was made or deleted."""
        from tui.rerun import runs

        try:
            found = runs.runs_folder(self._settings).stat()
        except OSError:
            return
        stamp = (found.st_mtime_ns, found.st_nlink)
        if not self._live and stamp == self._seen:
            return
        self._seen = stamp
        in_background(self, lambda: self.Looked(runs.every(self._settings)), _no_runs, "reading the runs")

    def on_run_line_looked(self, event: Looked) -> None:
        """Draw what goes on; tell of what has ended."""
        from tui.rerun.news import first_to_tell
        from tui.rerun.progress import one_line

        event.stop()
        live = [run for run in event.runs if run.live]
        self._live = bool(live)
        if live:
            more = f" · {len(live) - 1} more" if len(live) > 1 else ""
            text = Content.assemble(clean(one_line(live[-1])), more, " · ", ("R", "bold $primary"))
            self._show(clickable(text, "runs"))
        else:
            self._show(Content(""))
        for run in reversed(event.runs):
            if not run.live and first_to_tell(run):
                self.post_message(self.Ended(run))

    def _show(self, text: Content) -> None:
        if text.plain != self._text.plain:
            self._text = text
            self.display = bool(text)
            self.refresh(layout=True)

    def render(self) -> Content:
        """The line."""
        return self._text


def _no_runs(_error: TrnModelsError) -> Message:
    return RunLine.Looked(())
