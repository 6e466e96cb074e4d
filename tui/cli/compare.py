"""The verb `compare`: one model across every stack. Its exit code tells the verdict, as that of `show` does."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

from tui.cli.formats import format_option
from tui.cli.options import begin, refresh_option, source_options
from tui.errors import EXIT_NO_DATA, UnreadableFileError

if TYPE_CHECKING:
    from tui.catalog.compare import Comparison
    from tui.catalog.compare_told import Errors
    from tui.catalog.snapshot import Snapshot
    from tui.settings import Settings


@click.command("compare", short_help="One model across every stack: what changed, and what broke.")
@click.argument("model")
@format_option()
@refresh_option
@source_options
@click.pass_context
def compare_verb(context: click.Context, /, *, model: str, form: str, fresh: bool, **flags: Any) -> None:
    """Compare what is recorded of MODEL, an id or words that only one id has, on every stack.

    A terminal with room gets a matrix, neuronx-cc versions down and library versions across; a narrow one, and a pipe,
    a line for each stack. Each record is compared with the newest stack of the same library that is not newer in
    either version and has a result of the model.

    A regression is PASS there and FAIL here, and nothing else; it is told with what both records say. Other words are
    told as they are. Times and memory are notes, never regressions: the state of the cache is not recorded.

    Exit code, as that of show: the verdict on the newest stack of the data. 0 PASS, 1 FAIL, 3 left out of the
    tests, 4 no record there, 6 another result, 5 no data, or not all could be read, 7 no such model or several.

    \b
    Examples:
      trn-models compare ORG/NAME
      trn-models compare ORG/NAME --format json | jq '.[] | select(.change == "broken")'
    """
    from tui.catalog.compare import compared
    from tui.catalog.stacks import default_stack
    from tui.catalog.verdict import Verdict
    from tui.cli.model_words import model_named, renames_of
    from tui.cli.output import say
    from tui.cli.records_source import open_told
    from tui.cli.shown_model import EXIT_CODES

    settings = begin(context, flags)
    snapshot = open_told(settings, fresh)
    model_id = model_named(settings, snapshot, model)
    comparison = compared(snapshot, model_id.casefold(), renames_of(settings, snapshot))
    if comparison.cells or form != "table":
        _write(settings, snapshot, comparison, form)
    if not comparison.cells:
        say(f"{model_id}: the data have no record of it, on any stack")
    if not snapshot.complete:
        say("A part of the data could not be read: other records of the model may be in it.")
        context.exit(EXIT_NO_DATA)
    newest = default_stack(snapshot.stacks)
    cell = comparison.cells.get(newest) if newest is not None else None
    context.exit(EXIT_CODES[Verdict.UNTESTED if cell is None else cell.outcome.verdict])


def _write(settings: Settings, snapshot: Snapshot, comparison: Comparison, form: str) -> None:
    from tui.catalog import compare_told
    from tui.cli.compare_page import page
    from tui.cli.formats import write_frame
    from tui.cli.output import as_far_as_read, is_terminal, write
    from tui.cli.plain_list import sample_line

    errors = _errors(snapshot, comparison)
    sample = snapshot.source == "sample"
    if form != "table":
        write_frame(compare_told.told(comparison, errors, form), form, sample=sample)
    else:
        width = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None
        text = page(comparison, errors, width)
        with as_far_as_read():
            write(f"{sample_line(width)}\n\n{text}" if sample else text, sys.stdout, ascii_only=bool(settings.ascii))


def _errors(snapshot: Snapshot, comparison: Comparison) -> Errors:
    """Those of both sides of each regression; one that cannot be read is told on stderr and missing."""
    import logging

    from tui.catalog.compare import error_of
    from tui.cli.output import say

    errors: dict[int, str | None] = {}
    for cell in comparison.regressions:
        for each in filter(None, (cell, comparison.before(cell))):
            try:
                errors[each.index] = error_of(snapshot, each)
            except UnreadableFileError as error:
                logging.getLogger(__name__).warning("error of a record: %s", error)
                say(error.title, error.detail, error.remedy)
    return errors
