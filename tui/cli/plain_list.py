"""The list where there is no terminal for the app: the first models of the newest stack, on stdout."""

from __future__ import annotations

import logging
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

from tui import numbers
from tui.cli.output import Progress, is_terminal, say, write
from tui.errors import EXIT_PASS, HubError, NoDataError, TrnModelsError
from tui.settings import Settings
from tui.terminal_text import clean

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot
    from tui.catalog.views import Selection

logger = logging.getLogger(__name__)

MODELS = 20
SAMPLE_LINE = "SAMPLE DATA: invented models, not results of any real one"


def sample_line(width: int | None) -> str:
    """`SAMPLE_LINE`, broken to fit in `width` cells; whole for None."""
    return SAMPLE_LINE if width is None else textwrap.fill(SAMPLE_LINE, max(width, 1))


def print_list(settings: Settings, search: str = "") -> int:
    """Print the Selected view of the newest stack, narrowed by `search`; exit code 0.

    Records are read from disk, else fetched (bounded), else the sample is printed and says so. Raises
    `TrnModelsError` when `--data` cannot be read, or a term of the search cannot be used.
    """
    from tui.catalog.stacks import StackChoice, default_stack
    from tui.catalog.views import Question, View, lines_of, suggestion
    from tui.cli.lines_table import lines_table, verdicts_in_words
    from tui.cli.records_source import source_line
    from tui.cli.search_option import refuse_impossible, remarks, searched

    refuse_impossible(search)
    snapshot = _records(settings)
    stack = default_stack(snapshot.stacks)
    question = Question(view=View.SELECTED, stack=StackChoice.of(stack), search=search)
    base_lines = lines_of(snapshot, None, question)
    selection = searched(settings, snapshot, None, question, base_lines)
    no_hit = _no_hit(selection, search, suggestion(base_lines, question))
    width = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None
    lines = [sample_line(width)] if snapshot.source == "sample" else []
    models = f"{numbers.count(selection.lines.height)} of {numbers.counted(selection.total, 'model')}"
    counts = verdicts_in_words(selection.counts)
    about = clean(f"{stack.title}: {models}; {counts}" if stack else "no records")
    lines += [about] if width is None else textwrap.wrap(about, width)
    first = selection.lines.head(MODELS)
    table = lines_table(first, width, ranked=False, one_stack=True) if first.height else ""
    write("".join(f"{line}\n" for line in lines) + table, sys.stdout, ascii_only=bool(settings.ascii))
    more = _more(selection.lines.height - first.height)
    say(source_line(snapshot), *snapshot.problems, more, *remarks(selection), no_hit)
    return EXIT_PASS


def _records(settings: Settings) -> Snapshot:
    from tui.catalog import snapshot as snapshots

    with Progress() as progress:
        if settings.sample:
            return snapshots.open_sample()
        if settings.data is not None:
            return snapshots.open_path(settings.data, settings, progress)
        kept = snapshots.last_snapshot(settings)
        if kept is not None:
            return kept
        try:
            return snapshots.refresh(settings, None, progress).snapshot
        except (HubError, NoDataError) as error:
            logger.warning("no records: %s", error)
            problem: TrnModelsError = error
    say(problem.title, problem.detail, "The bundled sample is shown instead.")
    return snapshots.open_sample()


def _no_hit(selection: Selection, search: str, nearest: str | None) -> str:
    if selection.lines.height or not search.strip():
        return ""
    hint = f"; did you mean {nearest}?" if nearest else ""
    return f"no model has «{search}»{hint}"


def _more(number: int) -> str:
    return f"{numbers.count(number)} more: run trn-models in a terminal" if number > 0 else ""
