"""From the words of a command to a rerun that is ready: record, this machine, checklist and steps."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.cli.chosen_record import Found, Wish, choose, fitting, open_records, records_of_model, told
from tui.cli.output import Progress, say
from tui.errors import UsageError
from tui.rerun.preparation import Changes, Here, Preparation, Wanted
from tui.settings import Settings
from tui.terminal_text import clean

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot
    from tui.host.interpreters import Interpreter


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A record of the model on this machine."""

    wanted: Wanted
    told: str
    """Which record it is, what it says, and why that one."""
    here: Here
    preparation: Preparation


def prepare_record(
    settings: Settings, wish: Wish, changes: Changes, *, queue: bool = False, into_own: bool = False, graphs: bool
) -> Ready:
    """Look at records and machine; with `graphs` also where compiled graphs are, which may ask the Hub.

    What the Hub says of the model is asked for (bounded, kept for a day), and missing when it does not answer.
    Raises `TrnModelsError` when no record can be run.
    """
    from tui.rerun import hub_answers, this_machine
    from tui.rerun.steps import prepare

    snapshot = open_records(settings)
    found = records_of_model(settings, snapshot, wish.model)
    interpreter = _interpreter(settings, found)
    wanted, why = _chosen(found, wish, interpreter, snapshot)
    with Progress() as progress:
        progress("asking about the model")
        wanted = hub_answers.completed(settings, wanted, graphs=graphs)
        progress("looking at this machine")
        here = this_machine.here(settings, wanted, interpreter, os.environ, added=changes.environment)
    preparation = prepare(settings, wanted, here, changes, os.environ, queue=queue, into_own=into_own)
    return Ready(wanted=wanted, told=why, here=here, preparation=preparation)


def find_at_hand(settings: Settings, model: str) -> None:
    """Raise `NoSuchModelError` for a model of which the records at hand have none; nothing is fetched for that."""
    from tui.catalog import snapshot as snapshots

    if settings.sample or settings.data is not None or snapshots.last_snapshot(settings) is not None:
        records_of_model(settings, open_records(settings), model)


def line_for_a_shell(
    settings: Settings, wish: Wish, changes: Changes, *, python: str = "python3"
) -> tuple[str, Wanted]:
    """One line that runs the record anywhere, with the `python` there, and the record; which it is goes to stderr.

    Raises `TrnModelsError`, and `UsageError` for a Python that is more than one word.
    """
    from tui.rerun.shell_line import shell_line

    words = _words(python)
    if len(words) != 1:
        raise UsageError("The line takes one path as its Python", f"Not «{clean(python)}».", "Give another: --python.")
    snapshot = open_records(settings)
    found = records_of_model(settings, snapshot, wish.model)
    several = len(fitting(found, wish)) > 1
    wanted, why = _chosen(found, wish, _interpreter(settings, found) if several else None, snapshot)
    say(why)
    return shell_line(wanted, changes, python=words[0]), wanted


def _words(text: str) -> list[str]:
    """As a shell splits it; none for what no shell could split."""
    try:
        return shlex.split(text)
    except ValueError:
        return []


def _chosen(
    found: Sequence[Found], wish: Wish, interpreter: Interpreter | None, snapshot: Snapshot
) -> tuple[Wanted, str]:
    from tui.catalog import snapshot as snapshots

    chosen, why = choose(found, wish, interpreter)
    wanted = Wanted(
        record=chosen.record,
        script=snapshots.read_text(snapshot, *snapshots.place_of(snapshot, chosen.index), "run_py"),
        dataset=snapshot.name,
        revision=snapshot.revision,
        sample=snapshot.source == "sample",
        compilers=snapshot.records["neuronx_cc"].drop_nulls().unique().to_list(),
    )
    return wanted, told(chosen, why)


def _interpreter(settings: Settings, found: Sequence[Found]) -> Interpreter | None:
    """The Python of this machine that would run a script; it takes a while to ask them all."""
    from tui.host.interpreters import preferred
    from tui.rerun import this_machine

    libraries = sorted({each.record.library for each in found if each.record.library})
    with Progress() as progress:
        progress("asking the Pythons of this machine")
        return preferred(this_machine.interpreters_here(settings, os.environ, also=libraries))
