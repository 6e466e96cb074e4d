"""The record of a model that a verb prints a part of: the best one on the stack that was asked for."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tui.cli.options import cores_option, refresh_option, stack_options
from tui.cli.output import say
from tui.errors import EXIT_UNTESTED, NoDataError, TrnModelsError
from tui.settings import Settings

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot
    from tui.catalog.stacks import StackChoice
    from tui.catalog.verdict import Record

_NAMED = 10


class NotTestedError(TrnModelsError):
    """The model is known, and nothing is recorded of it on what was asked for."""

    exit_code = EXIT_UNTESTED


@dataclass(frozen=True, slots=True)
class RecordOnStack:
    """A record, with the snapshot that has it and `index`, its row in `snapshot.records`."""

    snapshot: Snapshot
    index: int
    record: Record
    has_script: bool


def on_stack_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `record_on_stack`, which takes their values."""
    return stack_options(cores_option(refresh_option(command)))


def record_on_stack(
    settings: Settings, model: str, options: Mapping[str, Any], *, with_script: bool = False
) -> RecordOnStack:
    """The model's best record on the stack of `options`, with `with_script` the best that has a run.py.

    Source, record and verdict go to stderr. Raises `NotTestedError` without a record there, `NoDataError` without a
    run.py, and `TrnModelsError` of every kind that finding records and model has.
    """
    from tui.cli.model_words import model_named
    from tui.cli.records_source import open_told
    from tui.cli.stack_choice import stack_choice
    from tui.numbers import counted

    snapshot = open_told(settings, options["fresh"])
    choice = stack_choice(snapshot.stacks, options["neuronx_cc"], options["library_version"])
    model_id = model_named(settings, snapshot, model)
    found = _records_of(settings, snapshot, model_id)
    on_stack = [each for each in found if choice.admits(each.record.stack)]
    here = [each for each in on_stack if options["cores"] in (None, each.record.tp)]
    if not here:
        asked = f"{counted(options['cores'], 'core')} there" if on_stack else _words(choice)
        raise _nothing_there(model_id, asked, on_stack or found, complete=snapshot.complete)
    chosen = next((each for each in here if each.has_script or not with_script), None)
    if chosen is None:
        raise _no_script(model_id, here, found)
    say(f"{_told(chosen)} ({f'one of {len(here)} records there' if len(here) > 1 else 'the only record there'})")
    return chosen


def _records_of(settings: Settings, snapshot: Snapshot, model_id: str) -> list[RecordOnStack]:
    """All records of the model, the newest stack first and the best record of a stack first."""
    from tui.catalog import snapshot as snapshots
    from tui.catalog import views
    from tui.cli.model_words import renames_of

    rows = views.records_of(snapshot, model_id.casefold(), renames_of(settings, snapshot))
    return [
        RecordOnStack(snapshot, index, snapshots.record_at(snapshot, index), has_script)
        for index, has_script in rows.select("record", "has_run_py").iter_rows()
    ]


def _no_script(model_id: str, here: Sequence[RecordOnStack], found: Sequence[RecordOnStack]) -> NoDataError:
    """Where a run.py is instead, if anywhere; `found` are all records of the model."""
    other = next((each for each in found if each.has_script), None)
    if other is not None:
        from tui.cli.stack_words import options_for

        options = options_for(other.record, [each.record for each in found])
        remedy = f"Another record has one: {shlex.join(options)}"
    elif len(found) == 1:
        remedy = "It is the only record of this model, so there is nothing to run again."
    else:
        remedy = "No other record of this model has one, so there is nothing to run again."
    return NoDataError(f"There is no run.py of {model_id} there", _listed(here), remedy)


def _nothing_there(model_id: str, asked: str, known: Sequence[RecordOnStack], *, complete: bool) -> TrnModelsError:
    title = f"{model_id} has no record on {asked}"
    detail = f"What is recorded of it:\n{_listed(known)}" if known else "Nothing is recorded of it on any stack."
    remedy = "Choose with --neuronx-cc (a version, or any), --library-version and --cores."
    if not known:
        remedy = "Models with records: trn-models list"
    if not complete:
        # It may be in what could not be read: that is not the same as untested.
        return NoDataError(f"{title}, in what could be read", detail, remedy)
    return NotTestedError(title, detail, remedy)


def _listed(known: Sequence[RecordOnStack]) -> str:
    lines = list(dict.fromkeys(map(_told, known)))
    more = [f"and {len(lines) - _NAMED} more"] if len(lines) > _NAMED else []
    return "\n".join([*lines[:_NAMED], *more])


def _told(found: RecordOnStack) -> str:
    from tui.catalog.verdict import sentence

    record = found.record
    return f"{record.model_id}, {record.stack.label}: {sentence(record)}"


def _words(choice: StackChoice) -> str:
    from tui.catalog.stacks import ANY, compiler_label, library_label

    parts = []
    if choice.neuronx_cc != ANY:
        parts.append(compiler_label(choice.neuronx_cc))
    if choice.library_version != ANY:
        parts.append(library_label(choice.library, choice.library_version))
    return " · ".join(parts) or "any stack"
