"""The part of the rerun screen that knows this machine, and what a person changes of what will run.

It draws nothing: it calls `draw`, which the screen on top of it fills.
"""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic

from textual import on
from textual.app import SuspendNotSupported

from tui.errors import TrnModelsError, UsageError
from tui.host.interpreters import Interpreter
from tui.rerun import steps
from tui.rerun.preparation import Changes, Here, Preparation, Wanted
from tui.rerun.runs import Run
from tui.screens import rerun_changes, rerun_work
from tui.screens.dialogs import Choice, NameDialog, Objection, PickDialog
from tui.screens.steady import SteadyScreen
from tui.settings import Settings
from tui.terminal_text import clean
from tui.widgets import rerun_text
from tui.widgets.detail_text import one_line

LIVE_EVERY_S = 3.0
"""While a run of the model is live it is looked at this often; when it has ended the host is looked at again."""

LOOKING = "Still looking at this host; a moment."

FRESH_S = 5.0
"""A look at this machine that is older is taken again before a question is asked."""

_KEPT = rerun_changes.Kept()


class RerunChoices(SteadyScreen[int | None]):
    """A record, this machine, and what a person changed."""

    def __init__(self, settings: Settings, wanted: Wanted, interpreters: tuple[Interpreter, ...] | None = None) -> None:
        """`interpreters` that were asked already are not asked again, until a person looks at the host again."""
        super().__init__()
        self.settings = settings
        self.wanted = wanted
        self.interpreters = interpreters
        self.here: Here | None = None
        self.changes = Changes()
        self.preparation: Preparation | None = None
        self.live: tuple[Run, ...] = ()
        self.queue = False
        self.into_own = False
        self.looking = False
        self._looks = 0
        self._looked_at = float("-inf")
        self._say_when_looked = False
        self._chosen: tuple[str, ...] | None = None
        self.trouble: TrnModelsError | None = None

    def on_mount(self) -> None:
        """Look at this machine; its live runs are looked at again and again."""
        self.set_interval(LIVE_EVERY_S, lambda: self.look_at_live() if self.live else None)
        self.changes = _KEPT.of(self.app, self.wanted.record.model_id)
        self.look()
        if self.wanted.facts is None or self.wanted.cache is None:
            self.ask_hub()

    def draw(self) -> None:
        """Something has changed."""
        raise NotImplementedError

    # This machine

    def look(self, again: bool = False) -> None:
        """Look at this machine in the background; `again` asks also the interpreters that were asked before."""
        self._looks += 1
        self.looking = True
        rerun_work.bring_here(
            self,
            self.settings,
            self.wanted,
            self.changes,
            number=self._looks,
            known=None if again else self.interpreters,
            chosen=self._chosen,
            again=again,
        )
        self.draw()

    @on(rerun_work.HereKnown)
    def _here_known(self, event: rerun_work.HereKnown) -> None:
        if event.number != self._looks:
            return
        self.looking = False
        self.trouble = None
        self._looked_at = monotonic()
        self.interpreters, self.here, self.live = event.interpreters, event.here, event.live
        self._prepare()
        if self._say_when_looked:
            self._say_when_looked = False
            self.tell(f"{rerun_text.looked_at(event.here.host).capitalize()}.")
        self.looked()

    @on(rerun_work.HereUnknown)
    def _here_unknown(self, event: rerun_work.HereUnknown) -> None:
        if event.number == self._looks:
            self.looking = False
            self.fail(event.error)
            self.looked()

    def looked(self) -> None:
        """A look at this machine has ended."""

    @property
    def fresh(self) -> bool:
        """Whether the last look is of just now."""
        return monotonic() - self._looked_at < FRESH_S

    # The Hub

    def ask_hub(self) -> None:
        """Ask the Hub in the background for what it tells of the model; the models of the sample it does not know."""
        if not (self.wanted.sample or self.wanted.asking):
            self.wanted = replace(self.wanted, asking=True)
            rerun_work.bring_hub(self, self.settings, self.wanted)

    @on(rerun_work.HubAnswered)
    def _hub_answered(self, event: rerun_work.HubAnswered) -> None:
        self.wanted = event.wanted
        self._prepare()

    @on(rerun_work.HubSilent)
    def _hub_silent(self, event: rerun_work.HubSilent) -> None:
        self.wanted = replace(self.wanted, asking=False)
        self._prepare()
        self.fail(event.error)

    # Runs of the model

    def look_at_live(self) -> None:
        """Look which runs of the model go on; whoever looks at the machine sees that too."""
        if not self.looking:
            rerun_work.bring_live(self, self.settings, self.wanted)

    @on(rerun_work.LiveSeen)
    def _live_seen(self, event: rerun_work.LiveSeen) -> None:
        ended = {run.id for run in self.live} - {run.id for run in event.live}
        self.live = event.live
        if ended and not self.looking:
            self.look(again=True)  # it freed devices, and brought weights, graphs or packages
        self.draw()

    def _prepare(self) -> None:
        if self.here is None:
            self.draw()
            return
        try:
            self.preparation = steps.prepare(
                self.settings,
                self.wanted,
                self.here,
                self.changes,
                os.environ,
                queue=self.queue,
                into_own=self.into_own,
            )
        except TrnModelsError as error:
            self.preparation = None
            self.fail(error)
        self.draw()

    def fail(self, error: TrnModelsError) -> None:
        """Told at once, and on screen until something goes well."""
        self.trouble = error
        self.tell(one_line(error), "error")
        self.draw()

    # What a person changes

    def action_edit(self) -> None:
        """Edit a copy of the script in the person's editor, which has the terminal meanwhile."""
        script = self.changes.script or self.wanted.script
        if script is None:
            self.tell("No run.py is recorded: there is nothing to edit.", "warning")
            return
        answer: str | TrnModelsError | None = None
        try:
            rerun_changes.editor(os.environ)
            with self.app.suspend():
                # An error must not leave the block: Textual would not take the terminal back.
                try:
                    answer = rerun_changes.edited(script, os.environ)
                except TrnModelsError as error:
                    answer = error
        except SuspendNotSupported:
            answer = UsageError("This terminal cannot be lent to an editor")
        except TrnModelsError as error:
            answer = error
        if isinstance(answer, TrnModelsError):
            self.fail(answer)
        else:
            self.take_script(answer)

    def take_script(self, script: str | None) -> None:
        """Run this script instead; None: nothing was changed. The recorded one is no edit."""
        if script is None:
            self.tell("Nothing was changed.")
            return
        changed = script != self.wanted.script
        self.changes = replace(self.changes, script=script if changed else None)
        self.trouble = None
        self._prepare()
        self.tell("Edited: the outcome will not be compared with the record." if changed else "As recorded again.")

    def action_recorded(self) -> None:
        """Back to the recorded script."""
        if self.changes.script is None:
            self.tell("The script is the recorded one.", "warning")
        else:
            self.take_script(self.wanted.script)

    def action_arguments(self) -> None:
        """Ask for variables and arguments on one line."""
        now = rerun_changes.as_line(self.changes.environment, self.changes.arguments)
        title = "Variables and arguments of run.py: NAME=value NAME2=value -- arguments"
        self.app.push_screen(NameDialog(title, now, _objection, verb="take", may_be_empty=True), self._take_arguments)

    def _take_arguments(self, line: str | None) -> None:
        if line is None:
            return
        environment, arguments = rerun_changes.parsed(line)
        looks_else = environment != dict(self.changes.environment)
        self.changes = replace(self.changes, environment=environment, arguments=arguments)
        _KEPT.keep(self.app, self.wanted.record.model_id, self.changes)
        self._prepare()
        if looks_else:
            self.look()  # variables name the folders that are looked at, and a token

    def action_interpreter(self) -> None:
        """Take another Python: one of those found, or one that is typed."""
        found = self.interpreters
        if found is None:
            self.tell(LOOKING, "warning")
            return
        current = self.here.interpreter.argv if self.here is not None and self.here.interpreter is not None else ()
        choices = [Choice(each.argv, each.name, _in_short(each)) for each in found]
        self.app.push_screen(
            PickDialog("Python that runs the script; a path or a command line can be typed", choices, current, _typed),
            self._take_interpreter,
        )

    def _take_interpreter(self, choice: Choice[tuple[str, ...]] | None) -> None:
        if choice is not None:
            self._chosen = choice.value
            self.look()

    def action_queue(self) -> None:
        """Wait in the queue when devices are not free, or end at once."""
        self.queue = not self.queue
        self._prepare()
        self.tell("Without free devices it waits in the queue." if self.queue else "Without free devices it ends.")

    def action_own(self) -> None:
        """Where packages are installed."""
        self.into_own = not self.into_own
        self._prepare()
        where = "the interpreter itself, which other people may use" if self.into_own else "an environment on top of it"
        self.tell(f"Packages are installed into {where}.", "warning" if self.into_own else "information")

    def action_look(self) -> None:
        """Look at devices, interpreters and disks again, and ask the Hub again."""
        self._say_when_looked = True
        self.ask_hub()
        self.look(again=True)


def _objection(line: str) -> Objection | None:
    try:
        rerun_changes.parsed(line)
    except UsageError as error:
        return Objection(one_line(error), final=True)
    return None


def _typed(text: str) -> Choice[tuple[str, ...]] | None:
    try:
        words = shlex.split(text)
    except ValueError:
        return None
    if words:
        with suppress(RuntimeError):  # ~somebody who has no home here
            words[0] = str(Path(words[0]).expanduser())
    return Choice(tuple(words), text, "ask this one") if words else None


def _in_short(python: Interpreter) -> str:
    if python.problem:
        return clean(python.problem)
    stack = rerun_text.packages_of(python, ("torch-neuronx", "neuronx-cc", "transformers"))
    return " · ".join(part for part in (python.version, stack, python.origin) if part)
