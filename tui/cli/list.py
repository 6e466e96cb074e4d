"""The verb `list`: the lines of a view, as the app's table has them."""

from __future__ import annotations

import shutil
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import click

from tui.cli.formats import format_option
from tui.cli.options import begin, refresh_option, source_options, stack_options
from tui.cli.search_option import language, refuse_impossible, remarks, searched
from tui.cli.sort_option import refuse_impossible_order, sort_options

if TYPE_CHECKING:
    import polars as pl

    from tui.catalog.rankings import Ranking
    from tui.catalog.snapshot import Snapshot
    from tui.catalog.views import Question, Selection, View
    from tui.settings import Settings

TASK: Final = "text-generation"
VIEWS: Final = ("selected", "trending", "downloads")
"""Values of `tui.catalog.views.View`, which cannot be imported here: it loads polars."""


@click.command("list", short_help="The models of a view, with their verdict on a stack.", epilog=language())
@click.option("--view", type=click.Choice(VIEWS), default=VIEWS[0], help="Which models.  [default: selected]")
@click.option("--task", metavar="TAG", help=f"Task of trending and downloads.  [default: {TASK}]")
@click.option("--search", metavar="TEXT", default="", help="Words of the id, and terms such as is:pass: see below.")
@click.option("--left-out", is_flag=True, help="Also models that were left out of the tests; a search finds them too.")
@sort_options
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="The first N models.  [default: all]")
@stack_options
@format_option()
@refresh_option
@source_options
@click.pass_context
def list_verb(
    context: click.Context,
    /,
    *,
    view: str,
    task: str | None,
    search: str,
    left_out: bool,
    sort: str | None,
    descending: bool,
    limit: int | None,
    neuronx_cc: str | None,
    library_version: str | None,
    form: str,
    fresh: bool,
    **flags: Any,
) -> None:
    """List the models of a view: selected are those of the dataset, trending and downloads the Hub's rankings.

    All lines are printed, also on a terminal. Counts, age and revision go to stderr. A ranking is read from disk,
    and fetched when there is none there or with --refresh.

    \b
    Examples:
      trn-models list --search "qwen 8b is:pass cores<=4"
      trn-models list --view trending --limit 50 --format csv > trending.csv
      trn-models list --sort wall-time --reverse --format markdown
    """
    from tui.catalog.views import Question, View, lines_of
    from tui.cli.model_words import renames_of
    from tui.cli.output import say
    from tui.cli.records_source import open_told
    from tui.cli.stack_choice import stack_choice

    if task is not None and view == View.SELECTED:
        raise click.UsageError("--task is for --view trending and --view downloads.", context)
    refuse_impossible_order(context, view, sort, descending=descending)
    refuse_impossible(search)
    settings = begin(context, flags)
    snapshot = open_told(settings, fresh)
    choice = stack_choice(snapshot.stacks, neuronx_cc, library_version)
    ranking = None if view == View.SELECTED else _ranking(settings, snapshot, View(view), task or TASK, fresh=fresh)
    question = Question(
        view=View(view),
        stack=choice,
        search=search,
        left_out=left_out,
        sort=sort,
        descending=descending,
        renames=renames_of(settings, snapshot),
    )
    base_lines = lines_of(snapshot, ranking, question)
    selection = searched(settings, snapshot, ranking, question, base_lines)
    lines = selection.lines if limit is None else selection.lines.head(min(limit, selection.lines.height))
    _write(settings, lines, question, form, sample=snapshot.source == "sample")
    say(*_about(question, selection, ranking, limit), *remarks(selection))
    if selection.lines.is_empty():
        say(_no_hit(base_lines, question))
    context.exit(0)


def _ranking(settings: Settings, snapshot: Snapshot, view: View, task: str, *, fresh: bool) -> Ranking:
    """The ranking on disk, else from the Hub. Raises `HubError`."""
    from tui.catalog import rankings
    from tui.cli.output import Progress

    if snapshot.source == "sample":
        return rankings.open_sample(view, task)
    kept = rankings.cached(settings, view, task)
    if kept is not None and not fresh:
        return kept
    with Progress() as progress:
        progress(f"fetching the ranking of {task}")
        return rankings.fetch(settings, view, task, rows=kept.models.height if kept is not None else 1)


def _write(settings: Settings, lines: pl.DataFrame, question: Question, form: str, *, sample: bool) -> None:
    from tui.catalog.lines_told import told
    from tui.cli.formats import write_frame
    from tui.cli.lines_table import lines_table
    from tui.cli.output import as_far_as_read, is_terminal, write
    from tui.cli.plain_list import sample_line

    ranked = question.view != "selected"
    if form != "table":
        write_frame(told(lines, form, ranked=ranked), form, sample=sample)
        return
    width = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None
    text = lines_table(lines, width, ranked=ranked, one_stack=question.stack.exact is not None)
    with as_far_as_read():
        write(f"{sample_line(width)}\n{text}" if sample else text, sys.stdout, ascii_only=bool(settings.ascii))


def _about(question: Question, selection: Selection, ranking: Ranking | None, limit: int | None) -> list[str]:
    from tui import numbers
    from tui.catalog.verdict import Verdict
    from tui.cli.lines_table import verdicts_in_words

    counts = selection.counts
    stack = question.stack.exact
    said = [
        stack.title if stack is not None else "each model on its newest stack of those",
        f"{numbers.counted(selection.total, 'model')}, {numbers.count(selection.lines.height)} of them listed"
        if selection.lines.height != selection.total
        else numbers.counted(selection.total, "model"),
        verdicts_in_words(counts)
        + (f", {numbers.count(counts[Verdict.UNTESTED])} without a record there" if ranking is not None else ""),
    ]
    lines = []
    if ranking is not None:
        asked = "sample" if ranking.sample else f"asked {numbers.age(ranking.fetched_at, datetime.now(UTC))}"
        lines.append(f"{ranking.view} of {ranking.task}, {asked}{_how_long(ranking)}")
    lines.append("; ".join(said))
    if selection.hidden_left_out:
        lines.append(f"{numbers.counted(selection.hidden_left_out, 'model')} without a result: see --left-out")
    if limit is not None and selection.lines.height > limit:
        lines.append(f"{numbers.count(selection.lines.height - limit)} more: leave out --limit")
    return lines


def _how_long(ranking: Ranking) -> str:
    if ranking.models.is_empty():
        return ": no model of this task"
    return "; the Hub's list goes on" if ranking.next_cursor is not None else ""


def _no_hit(base_lines: pl.DataFrame, question: Question) -> str:
    from tui.catalog.views import suggestion

    if not question.search.strip():
        return ""
    nearest = suggestion(base_lines, question)
    return f"no model has «{question.search}»" + (f"; did you mean {nearest}?" if nearest else "")
