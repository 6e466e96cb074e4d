"""All that `show` tells of one model, gathered without a request."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tui.catalog.stacks import StackChoice, default_stack
from tui.catalog.verdict import Record, Verdict
from tui.cli.output import say
from tui.errors import (
    EXIT_EXCLUDED,
    EXIT_FAIL,
    EXIT_NO_DATA,
    EXIT_OTHER_RESULT,
    EXIT_PASS,
    EXIT_UNTESTED,
    UnreadableFileError,
)
from tui.settings import DEFAULT_DATASET, Settings

if TYPE_CHECKING:
    from tui.catalog.estimate import Estimate
    from tui.catalog.snapshot import Snapshot
    from tui.rerun.recipe import CacheCommand, Recipe

logger = logging.getLogger(__name__)

EXIT_CODES: Final[Mapping[Verdict, int]] = {
    Verdict.PASS: EXIT_PASS,
    Verdict.FAIL: EXIT_FAIL,
    Verdict.OTHER: EXIT_OTHER_RESULT,
    Verdict.EXCLUDED: EXIT_EXCLUDED,
    Verdict.UNTESTED: EXIT_UNTESTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownModel:
    """A model on the stacks of `choice`. `record` is what the table shows of it there; None when it has none.

    `verdict` is None when there is no record in a snapshot of which a part could not be read: nothing is known then.
    `records` are all of the model, newest stack first, `record` included. `error` and the recipe's script are whole
    texts. `estimate` is what it would take, where that was looked for: without a record. `complete` is whether all
    records could be read, `problems` tell what could not. `source` are words of a command line that reads the same
    records, `stack` those that choose this record.
    """

    model_id: str
    choice: StackChoice
    verdict: Verdict | None
    record: Record | None
    records: tuple[Record, ...]
    error: str | None
    recipe: Recipe | None
    cache: CacheCommand | None
    dataset: str
    revision: str | None
    sample: bool
    complete: bool
    problems: tuple[str, ...]
    source: tuple[str, ...]
    stack: tuple[str, ...]
    estimate: Estimate | None = None

    @property
    def exit_code(self) -> int:
        """The exit code that tells the verdict."""
        return EXIT_NO_DATA if self.verdict is None else EXIT_CODES[self.verdict]

    @property
    def others(self) -> tuple[Record, ...]:
        """The model's records but the one that is shown."""
        return tuple(record for record in self.records if record is not self.record)


def shown_model(settings: Settings, snapshot: Snapshot, model_id: str, choice: StackChoice) -> ShownModel:
    """The model with this id, the record of it that the Selected view has on these stacks, and how to run it again.

    A long text that cannot be read is told on stderr and None. No request.
    """
    from tui.catalog import snapshot as snapshots
    from tui.catalog import views
    from tui.cli.model_words import renames_of

    indexes = views.records_of(snapshot, model_id.casefold(), renames_of(settings, snapshot))["record"].to_list()
    records = [snapshots.record_at(snapshot, index) for index in indexes]
    place = _place_shown(snapshot, indexes, choice)
    record = None if place is None else records[place]
    verdict = Verdict.UNTESTED if snapshot.complete else None
    recipe = cache = error = None
    if record is not None:
        from tui.rerun.recipe import recipe_of

        verdict = record.verdict
        error = _text(snapshot, record, "error")
        recipe = recipe_of(record, _text(snapshot, record, "run_py") or None)
        cache = _cache(settings, snapshot, record)
    return ShownModel(
        model_id=model_id if record is None else record.model_id or model_id,
        choice=choice,
        verdict=verdict,
        record=record,
        records=tuple(records),
        error=error,
        recipe=recipe,
        cache=cache,
        dataset=snapshot.name,
        revision=snapshot.revision,
        sample=snapshot.source == "sample",
        complete=snapshot.complete,
        problems=snapshot.problems,
        source=source_words(settings),
        stack=_stack_words(snapshot, record, records),
    )


def _place_shown(snapshot: Snapshot, indexes: list[int], choice: StackChoice) -> int | None:
    """Which of the records (by place in `indexes`) the Selected view shows; of two ids of one model the first."""
    import polars as pl

    from tui.catalog.views import Question, View, lines_of

    if not indexes:
        return None
    lines = lines_of(snapshot, None, Question(view=View.SELECTED, stack=choice))
    on_line = set(lines.filter(pl.col("record").is_in(indexes))["record"])
    return next((place for place, index in enumerate(indexes) if index in on_line), None)


def _text(snapshot: Snapshot, record: Record, column: str) -> str | None:
    from tui.catalog import snapshot as snapshots

    try:
        return snapshots.read_text(snapshot, record.file, record.row, column)
    except UnreadableFileError as error:
        logger.warning("%s: %s", column, error)
        say(f"{error.title}: {column} is not known", error.detail, error.remedy)
        return None


def _cache(settings: Settings, snapshot: Snapshot, record: Record) -> CacheCommand | None:
    """The command for compiled graphs from what is on disk or set; None where their bucket was never looked for."""
    from tui.rerun.hub_answers import graphs_command

    if snapshot.source == "sample" and not settings.neff_bucket:
        return None
    compilers = snapshot.records["neuronx_cc"].drop_nulls().unique().to_list()
    found = graphs_command(settings, record, compilers, ask=False)
    return found if found.source else None


def source_words(settings: Settings) -> tuple[str, ...]:
    """Words of a command line that reads the records that these settings name."""
    if settings.sample:
        return ("--sample",)
    if settings.data is not None:
        return ("--data", str(settings.data))
    words: list[str] = []
    if settings.dataset != DEFAULT_DATASET:
        words += ["--dataset", settings.dataset]
    if settings.revision != "main":
        words += ["--revision", settings.revision]
    return tuple(words)


def _stack_words(snapshot: Snapshot, record: Record | None, records: Sequence[Record]) -> tuple[str, ...]:
    if record is None:
        return ()
    from tui.cli.stack_words import options_for

    words = options_for(record, records)
    if record.stack != default_stack(snapshot.stacks):
        return words
    return words[words.index("--cores") :] if "--cores" in words else ()
