"""The verb `diff`: two stacks against each other over all models. Its exit code tells whether something broke."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tui.cli.formats import format_option
from tui.cli.options import begin, refresh_option, source_options
from tui.errors import EXIT_FAIL, EXIT_NO_DATA, EXIT_PASS

if TYPE_CHECKING:
    from tui.catalog.outcome_change import Change
    from tui.catalog.stack_diff import StackDiff
    from tui.settings import Settings

_KEPT = 3
"""Columns that every terminal gets: change, model, result."""


def _changes(_context: click.Context, _option: click.Parameter, given: str | None) -> tuple[Change, ...] | None:
    """The changes that are named, each once. Raises `click.BadParameter` with a sentence that names all there are."""
    if given is None:
        return None
    from tui.catalog.outcome_change import Change
    from tui.terminal_text import clean

    words = [word.strip().casefold() for word in given.split(",")]
    for word in words:
        if word not in list(Change):
            raise click.BadParameter(f"«{clean(word)}» is no change; there are: {', '.join(Change)}.")
    return tuple(Change(word) for word in dict.fromkeys(words))


@click.command("diff", short_help="Two stacks against each other; exit code 1 when something broke.")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option(
    "--only", callback=_changes, metavar="CHANGES", help="Only these changes: broken,fixed  [default: all but same]"
)
@format_option()
@refresh_option
@source_options
@click.pass_context
def diff_verb(
    context: click.Context,
    /,
    *,
    old: str,
    new: str,
    only: tuple[Change, ...] | None,
    form: str,
    fresh: bool,
    **flags: Any,
) -> None:
    """Compare what is recorded of each model on the stack OLD with what is recorded on the stack NEW.

    A stack is named by its neuronx-cc version, or by that and its library version: 2.28, 2.28.7631.0/5.23.1,
    2.28/transformers-5.23.1. The first parts of a version are enough where they fit one stack; latest is the
    newest; /5.23 is a library version alone. Where no library is named, the one with the most records is meant.

    The changes, of what the table shows of a model on each stack, which of several records is the best:

    \b
      broken   PASS on OLD and FAIL on NEW
      fixed    FAIL on OLD and PASS on NEW
      new      no record on OLD, a result on NEW
      gone     a result on OLD, no record on NEW
      cores    PASS on both, on another number of cores
      other    any other change of the word, such as PASS to timeout or to left out
      same     no change

    Only "broken" is a regression. A model does not break by a timeout or any other word than FAIL, by being
    left out of the tests, by having no record on NEW, or by more time or memory: the state of the cache of compiled
    graphs is not recorded. Where records of one stack disagree, the note says so.

    Exit code: 1 when at least one model is broken, also when --only does not list it; 0 when none is;
    2 a word that is wrong or names several stacks; 5 no data, or none is broken and not all could be read.

    \b
    Examples:
      trn-models diff 2.27 2.28
      trn-models diff 2.27.5334.0/5.21.0 latest --only broken,fixed --format markdown
    """
    from tui.catalog.stack_diff import diff
    from tui.cli.model_words import renames_of
    from tui.cli.output import say
    from tui.cli.records_source import open_told
    from tui.cli.stack_argument import stack_named

    settings = begin(context, flags)
    snapshot = open_told(settings, fresh)
    before, now = (stack_named(word, snapshot.stacks) for word in (old, new))
    found = diff(snapshot, before, now, renames_of(settings, snapshot))
    _write(settings, found, only, form, sample=snapshot.source == "sample")
    say(*_about(found))
    if found.broke:
        context.exit(EXIT_FAIL)
    if not found.complete:
        say("A part of the data could not be read: a model may have broken that is not in what could be.")
        context.exit(EXIT_NO_DATA)
    context.exit(EXIT_PASS)


def _write(settings: Settings, found: StackDiff, only: tuple[Change, ...] | None, form: str, *, sample: bool) -> None:
    from tui.catalog import diff_told
    from tui.cli.formats import write_frame

    changes = diff_told.LISTED if only is None else only
    if form != "table":
        write_frame(diff_told.told(found, changes, form), form, sample=sample)
        return
    frame = diff_told.for_people(found.only(changes))
    empty = [name for name in frame.columns if frame[name].null_count() == frame.height]
    write_frame(frame.drop(empty), form, keep=_KEPT, sample=sample, ascii_only=bool(settings.ascii))


def _about(found: StackDiff) -> list[str]:
    from tui.catalog import diff_told

    stacks = f"{found.old.title} {diff_told.ARROW} {found.new.label}"
    same = "; that is one stack" if found.old == found.new else ""
    return [stacks + same, diff_told.counts_in_words(found.counts)]
