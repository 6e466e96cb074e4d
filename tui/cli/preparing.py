"""From the words of a command to a rerun that is ready: record, this machine, checklist and steps."""

from __future__ import annotations

import logging
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tui.cli.chosen_record import Found, Wish, choose, open_records, records_of_model, told
from tui.cli.output import Progress, say
from tui.errors import HubError, UsageError
from tui.rerun.recipe import CacheCommand, cache_command
from tui.rerun.steps import Changes, Here, Preparation, Wanted
from tui.settings import Settings

if TYPE_CHECKING:
    from tui.catalog.facts import ModelFacts
    from tui.catalog.snapshot import Snapshot
    from tui.host.interpreters import Interpreter

logger = logging.getLogger(__name__)


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
    from tui.rerun import this_machine
    from tui.rerun.steps import prepare

    wanted, why, interpreter = _wanted(settings, wish, graphs=graphs, facts=True)
    with Progress() as progress:
        progress("looking at this machine")
        here = this_machine.here(settings, wanted, interpreter, os.environ)
    preparation = prepare(settings, wanted, here, changes, os.environ, queue=queue, into_own=into_own)
    return Ready(wanted=wanted, told=why, here=here, preparation=preparation)


def line_for_a_shell(settings: Settings, wish: Wish, changes: Changes) -> str:
    """One line that runs the record anywhere; which record that is goes to stderr. Raises `TrnModelsError`."""
    from tui.rerun.shell_line import shell_line

    python = settings.python or "python3"
    if len(shlex.split(python)) != 1:
        raise UsageError("The line takes one path as its Python", f"Not «{python}».", "Give another with --python.")
    wanted, why, _ = _wanted(settings, wish, graphs=False, facts=False)
    say(why)
    return shell_line(wanted, changes, python=python)


def _wanted(settings: Settings, wish: Wish, *, graphs: bool, facts: bool) -> tuple[Wanted, str, Interpreter | None]:
    from tui.catalog import snapshot as snapshots
    from tui.host.interpreters import preferred

    snapshot = open_records(settings)
    found = records_of_model(settings, snapshot, wish.model)
    interpreter = preferred(_interpreters(settings, found))
    chosen, why = choose(found, wish, interpreter)
    with Progress() as progress:
        progress("asking about the model")
        wanted = Wanted(
            record=chosen.record,
            script=snapshots.read_text(snapshot, *snapshots.place_of(snapshot, chosen.index), "run_py"),
            dataset=snapshot.name,
            revision=snapshot.revision,
            sample=snapshot.source == "sample",
            cache=_cache(settings, snapshot, chosen) if graphs else None,
            facts=_facts(settings, chosen) if facts and snapshot.source == "hub" else None,
        )
    return wanted, told(chosen, why), interpreter


def _interpreters(settings: Settings, found: Sequence[Found]) -> tuple[Interpreter, ...]:
    from tui.rerun import this_machine

    libraries = sorted({each.record.library for each in found if each.record.library})
    with Progress() as progress:
        progress("asking the Pythons of this machine")
        return this_machine.interpreters_here(settings, os.environ, also=libraries)


def _cache(settings: Settings, snapshot: Snapshot, chosen: Found) -> CacheCommand:
    from tui.catalog import neff_bucket

    search = neff_bucket.find(settings)
    compilers = snapshot.records["neuronx_cc"].drop_nulls().unique().to_list()
    cache = cache_command(search.bucket, chosen.record.text("neuronx_cc"), settings.neff_cache_dir, compilers)
    return cache if search.bucket is not None else replace(cache, note=search.note)


def _facts(settings: Settings, chosen: Found) -> ModelFacts | None:
    from tui.catalog import hub

    model_id = chosen.record.model_id
    if model_id is None:
        return None
    try:
        return hub.model_facts(settings, model_id)
    except HubError as error:
        logger.info("the Hub does not tell of %s: %s", model_id, error)
        return hub.cached_facts(settings, model_id)
