"""Keys that lead to runs, and what is known of this machine for them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.binding import Binding, BindingType

from tui.background import OneAtATime
from tui.errors import TrnModelsError
from tui.screens import host_arrivals
from tui.screens.actions import RecordActions
from tui.screens.copying import NO_MODEL
from tui.settings import Settings
from tui.widgets.detail_text import one_line
from tui.widgets.run_line import RunLine

if TYPE_CHECKING:
    from textual.content import Content

    from tui.host.interpreters import Interpreter
    from tui.host.neuron import Host
    from tui.screens.host_dialog import HostDialog
    from tui.screens.rerun import RerunScreen

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
        self.taken: Mapping[int, int] = {}
        self.interpreters: tuple[Interpreter, ...] | None = None
        self._looks = OneAtATime(self._bring_host)
        self._asks = OneAtATime(self._bring_interpreters)
        self._host_dialog: HostDialog | None = None
        self._host_wanted = False

    def machine_changed(self) -> None:
        """More is known of this machine."""

    @property
    def interpreter(self) -> Interpreter | None:
        """The Python that would run a script, as far as they are asked."""
        if not self.interpreters:
            return None
        from tui.host.interpreters import preferred

        return preferred(self.interpreters)

    def start_looking(self) -> None:
        """Find out in the background what this machine has."""
        self.set_timer(LOOK_AFTER_S, self.look_at_machine)

    def look_at_machine(self) -> None:
        """Look at the devices and ask the Pythons, again."""
        self._looks.ask()
        self._asks.ask()

    def _bring_host(self) -> None:
        host_arrivals.bring_host(self, self.settings)

    def _bring_interpreters(self) -> None:
        libraries = {each.stack.library for each in self.snapshot.stacks} if self.snapshot is not None else set()
        host_arrivals.bring_interpreters(self, self.settings, sorted(filter(None, libraries)))

    @on(host_arrivals.HostArrived)
    def _host_arrived(self, event: host_arrivals.HostArrived) -> None:
        self._looks.over()
        self.host, self.taken = event.host, event.taken
        self.machine_changed()
        self._show_host()

    @on(host_arrivals.InterpretersArrived)
    def _interpreters_arrived(self, event: host_arrivals.InterpretersArrived) -> None:
        self._asks.over()
        self.interpreters = event.interpreters
        self.machine_changed()
        self._show_host()

    @on(host_arrivals.LookFailed)
    def _look_failed(self, event: host_arrivals.LookFailed) -> None:
        self._looks.over()
        if self._host_wanted:
            self._host_wanted = False
            self.refuse(one_line(event.error))
        self._show_host()

    @on(host_arrivals.AskFailed)
    def _ask_failed(self) -> None:
        """What they said before stays."""
        self._asks.over()
        self._show_host()

    @on(RunLine.HoldersChanged)
    def _holders_changed(self) -> None:
        """Devices of our own runs count as taken long before neuron-ls shows who holds them."""
        if self.host is not None or self._looks.busy:
            self._looks.ask()

    @on(events.ScreenResume)
    def _back(self) -> None:
        """Runs may have been stopped or deleted meanwhile."""
        self.query_one(RunLine).look()

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
            from tui.rerun.preparation import Wanted
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
            screen = RerunScreen(self.settings, wanted, self.interpreters)
            self.app.push_screen(screen, partial(self._started, screen))

    def _started(self, screen: RerunScreen, run_id: int | None) -> None:
        self._keep_picked(screen)
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

    def _keep_picked(self, screen: RerunScreen) -> None:
        """A Python that was picked there is the one of this session, as if it had been named at the start."""
        from tui.host.interpreters import NAMED, preferred

        found, picked = screen.interpreters, screen.here.interpreter if screen.here is not None else None
        if found is None or picked is None:
            return
        unnamed = [each for each in found if self.settings.python is not None or each.origin != NAMED]
        before = self.interpreter or preferred(unnamed)
        if before is not None and picked.argv == before.argv:
            return
        self.settings = replace(self.settings, python=shlex.join(picked.argv))
        others = (each for each in found if each.argv != picked.argv)
        self.interpreters = (replace(picked, origin=NAMED), *others)
        self.machine_changed()
        self._asks.ask()

    def action_runs(self) -> None:
        """The list of all runs."""
        from tui.screens.runs import RunsScreen

        self.app.push_screen(RunsScreen(self.settings))

    @on(RunLine.Ended)
    def _run_ended(self, event: RunLine.Ended) -> None:
        from tui.rerun.plan import Kind
        from tui.screens.run_actions import announce

        announce(self.app, self.settings, event.run)
        if event.run.kind is Kind.INSTALL and self.interpreters is not None:
            self._ask_anew()

    def _ask_anew(self) -> None:
        from tui.host import interpreters

        interpreters.forget()
        self._asks.ask()

    def action_host(self) -> None:
        """What is known of this host at once; it is looked at again meanwhile."""
        self._looks.ask()
        self._ask_anew()
        self._host_wanted = True
        if self.host is None:
            self.tell("Looking at this host …")
        else:
            self._show_host()

    def _show_host(self) -> None:
        """In the dialog that is open; or open it when a person waits for it here."""
        if self.host is None:
            return
        looking = self._looks.busy or self._asks.busy
        dialog = self._host_dialog
        if dialog is not None:
            dialog.show(self.host, self._about_host(), looking=looking)
        elif self._host_wanted:
            self._host_wanted = False
            if self.is_active:
                from tui.screens.host_dialog import HostDialog

                self.app.clear_notifications()
                self._host_dialog = HostDialog(self.host, self._about_host(), looking=looking)
                self.app.push_screen(self._host_dialog, self._host_read)

    def _host_read(self, _: None) -> None:
        self._host_dialog = None

    def _about_host(self) -> Content:
        from tui.widgets import host_text

        assert self.host is not None
        return host_text.about(self.host, self.interpreters, self.taken)
