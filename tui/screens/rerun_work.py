"""What the rerun screen learns of this machine and what it starts, as messages; and the work in the background.

Nothing here changes a widget: the screen calls a `bring_...` function and handles the message that comes.
"""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, replace

from textual.message import Message
from textual.message_pump import MessagePump

from tui.background import in_background
from tui.errors import TrnModelsError
from tui.host import interpreters
from tui.host.interpreters import Interpreter
from tui.rerun import hub_answers, runs, start, this_machine
from tui.rerun.plan import Plan
from tui.rerun.preparation import Changes, Here, Wanted
from tui.rerun.runs import Run
from tui.settings import Settings


@dataclass
class HereKnown(Message):
    """This machine was looked at. `number` is that of the look, so that the newest wins."""

    number: int
    interpreters: tuple[Interpreter, ...]
    here: Here
    live: tuple[Run, ...]


@dataclass
class HereUnknown(Message):
    """This machine could not be looked at."""

    number: int
    error: TrnModelsError


@dataclass
class HubAnswered(Message):
    """What is wanted, with what the Hub tells of it."""

    wanted: Wanted


@dataclass
class HubSilent(Message):
    """Something went wrong while the Hub was asked."""

    error: TrnModelsError


@dataclass
class LiveSeen(Message):
    """The live runs of the model, as they are now."""

    live: tuple[Run, ...]


@dataclass
class LiveUnknown(Message):
    """The runs could not be read: those that were live may still be."""

    error: TrnModelsError


@dataclass
class StepStarted(Message):
    """A step runs, or waits, under its supervisor."""

    run: Run


@dataclass
class StepFailed(Message):
    """A step could not be started."""

    error: TrnModelsError


def bring_here(
    target: MessagePump,
    settings: Settings,
    wanted: Wanted,
    changes: Changes,
    *,
    number: int,
    known: tuple[Interpreter, ...] | None,
    chosen: tuple[str, ...] | None,
    again: bool = False,
) -> None:
    """Take the `chosen` interpreter (its argv), else the preferred one, and look around as the changed run would.

    They are asked unless they are `known` and the chosen one is among them; `again` forgets what they said before.
    """

    def work() -> Message:
        if again:
            interpreters.forget()
        found, python = known, None
        if found is None or (chosen is not None and all(each.argv != chosen for each in found)):
            named = settings if chosen is None else replace(settings, python=shlex.join(chosen))
            library = wanted.record.library
            found = this_machine.interpreters_here(named, os.environ, also=() if library is None else (library,))
            python = found[0] if chosen is not None else None
        if python is None:
            python = next((each for each in found if each.argv == chosen), interpreters.preferred(found))
        here = this_machine.here(settings, wanted, python, os.environ, added=changes.environment)
        return HereKnown(number, found, here, live_runs(settings, wanted))

    in_background(target, work, lambda error: HereUnknown(number, error), "looking at this host")


def bring_hub(target: MessagePump, settings: Settings, wanted: Wanted) -> None:
    """Ask the Hub of the model, and look where its compiled graphs are."""
    in_background(
        target, lambda: HubAnswered(hub_answers.completed(settings, wanted)), HubSilent, "asking the Hub of a model"
    )


def bring_live(target: MessagePump, settings: Settings, wanted: Wanted) -> None:
    """Look which runs of the model are live."""
    in_background(target, lambda: LiveSeen(live_runs(settings, wanted)), LiveUnknown, "looking at the runs")


def bring_start(target: MessagePump, settings: Settings, plan: Plan) -> None:
    """Start a step under its supervisor."""
    in_background(target, lambda: StepStarted(start.start(settings, plan)), StepFailed, "starting a step")


def live_runs(settings: Settings, wanted: Wanted) -> tuple[Run, ...]:
    """Runs of this model that wait, run or are being stopped, newest first."""
    model_id = wanted.record.model_id
    return tuple(run for run in runs.every(settings) if run.live and run.model_id == model_id)
