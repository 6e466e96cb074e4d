"""From the words of a command to one record: the model by its full id, then the record of it that can be run."""

from __future__ import annotations

import gc
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tui.catalog.stacks import ANY, Stack
from tui.catalog.verdict import Record, sentence
from tui.cli.output import Progress, say
from tui.cli.stack_words import options_for, version_named
from tui.errors import EXIT_NO_SUCH_MODEL, UsageError
from tui.numbers import counted
from tui.settings import Settings

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot
    from tui.host.interpreters import Interpreter

_NEAR_MISSES = 5
_LIKENESS = 0.8
_LONGEST_ID = 100


class NoSuchModelError(UsageError):
    """No record has this id; the remedy names those that are near."""

    exit_code = EXIT_NO_SUCH_MODEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Which record is meant: the model's full id (any case), and what chooses among several records of it.

    Versions are words as `tui.cli.stack_words.version_named` takes them.
    """

    model: str
    neuronx_cc: str | None = None
    library_version: str | None = None
    cores: int | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A record of the model; `index` is its row in the snapshot's records."""

    index: int
    record: Record
    has_script: bool


def open_records(settings: Settings) -> Snapshot:
    """The records on disk, fetched when there are none; the sample only when it was asked for.

    Raises `HubError` or `NoDataError` when there is nothing to read.
    """
    collects = gc.isenabled()
    gc.disable()  # polars is loaded now: a collection meanwhile costs a tenth of that
    try:
        return _opened(settings)
    finally:
        if collects:
            gc.enable()


def _opened(settings: Settings) -> Snapshot:
    from tui.catalog import snapshot as snapshots

    with Progress() as progress:
        if settings.sample:
            return snapshots.open_sample()
        if settings.data is not None:
            return snapshots.open_path(settings.data, settings, progress)
        kept = snapshots.last_snapshot(settings)
        snapshot = kept if kept is not None else snapshots.refresh(settings, None, progress).snapshot
    say(*snapshot.problems)
    return snapshot


def records_of_model(settings: Settings, snapshot: Snapshot, model: str) -> tuple[Found, ...]:
    """All records of a model, the newest stack first and the best record of a stack first.

    The id that the Hub has for it now counts as well as the recorded one. Raises `NoSuchModelError`.
    """
    from tui.catalog import snapshot as snapshots
    from tui.catalog import views
    from tui.catalog.renames import renames

    known = renames(settings) if snapshot.source == "hub" else {}
    frame = views.records_of(snapshot, model.casefold(), known)
    if frame.is_empty():
        near = near_misses(snapshot, model)
        raise NoSuchModelError(
            f"No record has the model id «{model}»",
            f"The whole id is needed: ORG/NAME. Looked in {snapshot.name}.",
            f"Did you mean {' or '.join(near)}?" if near else "Look it up: trn-models list --search TEXT",
        )
    return tuple(
        Found(index, snapshots.record_at(snapshot, index), has_script)
        for index, has_script in frame.select("record", "has_run_py").iter_rows()
    )


def near_misses(snapshot: Snapshot, model: str) -> tuple[str, ...]:
    """Ids that a person may have meant: those with all its words, else those that the search would suggest."""
    from tui.catalog import query

    ids = snapshot.records.select("key", "model_id").drop_nulls().unique("key", maintain_order=True)
    words = query.words(model)
    rows = query.places(ids["key"], words) if words else ids["key"].head(0)
    if rows.is_empty() and (suggested := query.suggest(model, ids["key"])):
        rows = query.places(ids["key"], query.words(suggested))
    if rows.is_empty():
        return tuple(alike(model, dict(ids.iter_rows())))
    return tuple(sorted(ids["model_id"].gather(rows), key=len)[:_NEAR_MISSES])


def alike(text: str, known: Mapping[str, str]) -> list[str]:
    """Ids that differ from `text` in the organization alone, then those that differ in a few letters, nearest first.

    `known` is casefolded id -> id. None for a text that is longer than any name.
    """
    import difflib

    key = text.casefold().strip()
    if len(key) > _LONGEST_ID:
        return []
    by_name: dict[str, list[str]] = {}
    for each, model_id in known.items():
        by_name.setdefault(each.rpartition("/")[2], []).append(model_id)
    name_typed = key.rpartition("/")[2]
    found = list(by_name.get(name_typed, ()))
    found += [known[each] for each in difflib.get_close_matches(key, known, _NEAR_MISSES, _LIKENESS)]
    for name in difflib.get_close_matches(name_typed, by_name, _NEAR_MISSES, _LIKENESS):
        found += by_name[name]
    return list(dict.fromkeys(found))[:_NEAR_MISSES]


def fitting(found: Sequence[Found], wish: Wish) -> list[Found]:
    """Those that the wish admits and that have a run.py. Raises `UsageError` when there is none."""
    exact = _exact(found, wish)
    admitted = [each for each in found if _admits(exact, each.record)]
    runnable = [each for each in admitted if each.has_script]
    if not runnable:
        raise UsageError(*_why_none(found, admitted, exact))
    return runnable


def choose(found: Sequence[Found], wish: Wish, interpreter: Interpreter | None) -> tuple[Found, str]:
    """The record to run, and in words why that one.

    Of those that the wish admits and that have a run.py: the first on the stack that is installed in the interpreter,
    else the first. Raises `UsageError` when none is left.
    """
    runnable = fitting(found, wish)
    installed = _first_on_installed_stack(runnable, interpreter)
    chosen = installed or runnable[0]
    if len(runnable) == 1:
        why = "the only record that fits and has a run.py" if len(found) > 1 else "its only record"
    elif installed is not None and interpreter is not None:
        why = f"of {len(runnable)} records, the one on the stack that {interpreter.name} has"
    else:
        why = f"the newest of {len(runnable)} records with a run.py"
    return chosen, why


def told(found: Found, why: str) -> str:
    """One sentence about the record that is run."""
    return f"{found.record.model_id}, {found.record.stack.label}: {sentence(found.record)} ({why})"


def _first_on_installed_stack(found: Iterable[Found], interpreter: Interpreter | None) -> Found | None:
    from tui.host.installed_stack import installed_stack

    by_stack: dict[Stack, Found] = {}
    for each in found:
        by_stack.setdefault(each.record.stack, each)
    stack = installed_stack(interpreter, by_stack)
    return None if stack is None else by_stack[stack]


def _exact(found: Sequence[Found], wish: Wish) -> Wish:
    """The wish with whole versions, as the records have them, for `latest` and parts of one."""
    return replace(
        wish,
        neuronx_cc=_version(found, "neuronx_cc", wish.neuronx_cc),
        library_version=_version(found, "library_version", wish.library_version),
    )


def _version(found: Sequence[Found], column: str, word: str | None) -> str | None:
    if word is None:
        return None
    named = version_named(word, [text for each in found if (text := each.record.text(column)) is not None])
    return None if named == ANY else named


def _admits(wish: Wish, record: Record) -> bool:
    return (
        wish.neuronx_cc in (None, record.text("neuronx_cc"))
        and wish.library_version in (None, record.text("library_version"))
        and wish.cores in (None, record.tp)
    )


def _why_none(found: Sequence[Found], admitted: Sequence[Found], wish: Wish) -> tuple[str, str, str]:
    model = found[0].record.model_id or wish.model
    named = [f"{each.record.stack.label}: {sentence(each.record)}" for each in admitted or found]
    if not admitted:
        versions = (("neuronx-cc", wish.neuronx_cc), ("library version", wish.library_version))
        words = [f"with {name} {value}" for name, value in versions if value is not None]
        words += [] if wish.cores is None else [f"on {counted(wish.cores, 'core')}"]
        remedy = "Choose one with --neuronx-cc, --library-version and --cores."
        return f"No record of {model} is {', '.join(words)}", "\n".join(named), remedy
    other = next((each.record for each in found if each.has_script), None)
    if other is not None:
        remedy = f"Another record has one: {shlex.join(options_for(other, [each.record for each in found]))}"
    else:
        remedy = "No record of this model has one, so there is nothing to run again."
    return f"There is no run.py of {model}", "\n".join(named), remedy
