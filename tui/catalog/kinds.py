"""Task and model type of models: the records have neither, so they come from rankings and kept answers of the Hub."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from tui.catalog import facts, hub, kept_rankings, renames
from tui.settings import Settings

if TYPE_CHECKING:
    from tui.catalog.facts import ModelFacts
    from tui.catalog.rankings import Ranking

COLUMNS: Final = {"key": pl.String, "task": pl.String, "model_type": pl.String, "parameters": pl.Int64}
"""Of the frame: casefolded id, task, model type and number of weights; null: not known."""

_LONG_AGO: Final = datetime(1, 1, 1, tzinfo=UTC)


def read(settings: Settings, *, sample: bool) -> pl.DataFrame:
    """The kinds that are known on this machine, or those of the sample; no request. Reads files: takes a moment."""
    if sample:
        return kinds_of(kept_rankings.every_of_sample(), (), {})
    answers = facts.every(settings.cache_dir, hub.endpoint())
    return kinds_of(kept_rankings.every(settings), answers, renames.renames(settings))


def kinds_of(rankings: Iterable[Ranking], answers: Iterable[ModelFacts], renamed: Mapping[str, str]) -> pl.DataFrame:
    """One row for each model of which anything is known; columns as in `COLUMNS`, by key.

    The newest answer about the model wins, then the newest ranking: what it says of the model, else the task that it
    is of. `renamed` is casefolded old id -> casefolded new id: what is known of one holds for the other.
    """
    tasks: dict[str, str] = {}
    types: dict[str, str] = {}
    sizes: dict[str, int] = {}
    for answer in sorted(answers, key=lambda each: each.fetched_at, reverse=True):
        _know(tasks, answer.id.casefold(), answer.task)
        _know(types, answer.id.casefold(), answer.model_type)
        _know(sizes, answer.id.casefold(), answer.parameters)
    for ranking in sorted(rankings, key=lambda each: each.fetched_at or _LONG_AGO, reverse=True):
        for key, tag, parameters in ranking.models.select("key", "pipeline_tag", "parameters").iter_rows():
            _know(tasks, key, tag or ranking.task)
            _know(sizes, key, parameters)
    known: dict[str, Any]
    for known in (tasks, types, sizes):
        for old, new in renamed.items():
            _know(known, old, known.get(new))
            _know(known, new, known.get(old))
    keys = sorted(tasks.keys() | types.keys())
    rows = [(key, tasks.get(key), types.get(key), sizes.get(key)) for key in keys]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def _know(known: dict[str, Any], key: str, value: object) -> None:
    if isinstance(value, int) or (isinstance(value, str) and value.strip()):
        known.setdefault(key, value)
