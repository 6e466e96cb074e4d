"""Keys that lead to runs, and what is known of this machine for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType

from tui import numbers
from tui.errors import TrnModelsError
from tui.screens import host_arrivals
from tui.screens.actions import RecordActions
from tui.screens.copying import NO_MODEL
from tui.screens.dialogs import TextDialog
from tui.settings import Settings
from tui.terminal_text import clean
from tui.widgets.run_line import RunLine

if TYPE_CHECKING:
    from tui.host.interpreters import Interpreter
    from tui.host.neuron import Host

LOOK_AFTER_S = 0.4
"""Looking at this machine starts other programs: the first rows are on screen before."""


class RerunKeys(RecordActions):
    """Opens the rerun screen, the runs, and what is known of the host."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "run_again", "run", id="run", tooltip="Check this host and run the record again"),
        Binding("R", "runs", "runs", id="runs", tooltip="All runs: waiting, running, finished, lost"),
        Binding("H", "host", "host", id="host", tooltip="This host: devices, who holds them, Pythons"),
    ]

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.host: Host | None = None
        self.interpreters: tuple[Interpreter, ...] | None = None
        self._look_problem: TrnModelsError | None = None

    def machine_changed(self) -> None:
        """More is known of this machine."""

    @property
    def interpreter(self) -> Interpreter | None:
        """The Python that would run a script, as far as they are asked."""
        from tui.host.interpreters import preferred

        return preferred(self.interpreters) if self.interpreters else None

    def start_looking(self) -> None:
        """Find out in the background what this machine has."""
        self.set_timer(LOOK_AFTER_S, self.look_at_machine)

    def look_at_machine(self) -> None:
        """Look at the devices and ask the Pythons, again."""
        libraries = {each.stack.library for each in self.snapshot.stacks} if self.snapshot is not None else set()
        host_arrivals.bring_host(self, self.settings)
        host_arrivals.bring_interpreters(self, self.settings, sorted(filter(None, libraries)))

    @on(host_arrivals.HostArrived)
    def _host_arrived(self, event: host_arrivals.HostArrived) -> None:
        self.host = event.host
        self.machine_changed()

    @on(host_arrivals.InterpretersArrived)
    def _interpreters_arrived(self, event: host_arrivals.InterpretersArrived) -> None:
        self.interpreters = event.interpreters
        self.machine_changed()

    @on(host_arrivals.LookFailed)
    def _look_failed(self, event: host_arrivals.LookFailed) -> None:
        self._look_problem = event.error

    def action_run_again(self) -> None:
        """The checklist of the record shown, and the way to run it."""
        detail = self.pane.detail
        if detail is None:
            self.refuse(NO_MODEL)
        elif detail.record is None or self.snapshot is None:
            self.refuse("The dataset has no record of this model on this stack: there is nothing to run again.")
        elif detail.texts_problem is not None:
            self.refuse(f"run.py cannot be read: {detail.texts_problem.title}.")
        elif detail.recipe is None or not detail.recipe.script:
            self.refuse("No run.py is recorded for this model.")
        else:
            from tui.rerun.steps import Wanted
            from tui.screens.rerun import RerunScreen

            wanted = Wanted(
                record=detail.record,
                script=detail.recipe.script,
                dataset=self.snapshot.name,
                revision=self.snapshot.revision,
                sample=self.showing_sample,
                cache=detail.cache,
                facts=detail.facts,
            )
            self.app.push_screen(RerunScreen(self.settings, wanted, self.interpreters), self._started)

    def _started(self, run_id: int | None) -> None:
        self.query_one(RunLine).look()
        if run_id is None:
            return
        from tui.rerun import runs
        from tui.screens.run_log import RunLogScreen

        try:
            run = runs.find(self.settings, run_id)
        except TrnModelsError as error:
            self.refuse(error.title)
        else:
            self.app.push_screen(RunLogScreen(self.settings, run))

    def action_runs(self) -> None:
        """The list of all runs."""
        from tui.screens.runs import RunsScreen

        self.app.push_screen(RunsScreen(self.settings))

    @on(RunLine.Ended)
    def _run_ended(self, event: RunLine.Ended) -> None:
        """Told once, by the first app or command that sees it."""
        from tui.rerun.progress import phase

        run = event.run
        self.app.notify(clean(f"Run {run.id}, {run.model_id}: {phase(run)}. R shows it."), markup=False)
        if self.settings.bell:
            self.app.bell()

    def action_host(self) -> None:
        """What is known of this host; looks again meanwhile."""
        self.look_at_machine()
        if self.host is None:
            problem = f": {self._look_problem.title}" if self._look_problem is not None else " …"
            self.tell(f"Looking at this host{problem}")
            return
        from tui.widgets import host_text

        body = host_text.about(self.host, self.interpreters)
        at = numbers.clock(self.host.looked_at)
        self.app.push_screen(TextDialog(f"This host, as it was at {at}", body, body.plain))
