"""How many lines have each value that a search can name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from tui.catalog.records import recorded
from tui.catalog.search_values import VERDICTS
from tui.catalog.verdict import Verdict

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot
    from tui.catalog.vocabulary import Counts

KIND_COLUMNS: Final[Mapping[str, str]] = {"task": "task", "type": "model_type"}
"""Name -> its column of `question.Beyond.kinds`."""

LINE_COLUMNS: Final[Mapping[str, pl.Expr]] = {
    "cores": pl.col("tp"),
    # What is no number is none that could be compared.
    "mem": pl.col("hbm_peak_gb").fill_nan(None),
    "full": pl.when(pl.col("hbm_capacity_gb") > 0)
    .then(pl.col("hbm_peak_gb") * 100 / pl.col("hbm_capacity_gb"))
    .fill_nan(None),
    "wall": pl.col("wall_s"),
    "tested": pl.col("tested_at"),
    "runner": pl.col("runner"),
    "library": pl.coalesce("library", "hub_library"),
}
"""Name -> where a line has its value."""

_REASONS: Final = 2_000
"""Reasons that are offered: the most frequent ones."""


def counts(name: str, lines: pl.DataFrame, snapshot: Snapshot | None, kinds: pl.DataFrame | None) -> Counts:
    """Value -> number of lines, the likeliest first; None for no value. Nothing for a name without values to list."""
    if name in _OF_RECORDS:
        return _OF_RECORDS[name](lines)
    if name in KIND_COLUMNS:
        return _of_kinds(lines, kinds, KIND_COLUMNS[name])
    return _of_reasons(lines, snapshot) if name == "reason" else {}


def _of_results(lines: pl.DataFrame) -> Counts:
    found = dict.fromkeys(VERDICTS, 0) | {
        value.lower(): number
        for value, number in _by_number(lines.lazy().select(value=pl.col("verdict").cast(pl.String)))
    }
    plain = [Verdict.PASS.value, Verdict.FAIL.value]
    words = _by_number(lines.lazy().filter(~pl.col("verdict").is_in(plain)).select(value="word"))
    return {**found, **{word: number for word, number in words if word is not None and word not in found}}


def _of_months(lines: pl.DataFrame) -> Counts:
    month = pl.col("tested_at").dt.strftime("%Y-%m")
    counted = lines.select(value=month)["value"].value_counts().sort("value", descending=True, nulls_last=True)
    return dict(counted.iter_rows())


def _of_organizations(lines: pl.DataFrame) -> Counts:
    """What stands before the first slash, as the first line that has it writes it."""
    # The keys lie in memory as the lines do, the ids do not: of a million it takes a fifteenth of the time.
    before_slash = pl.col("key").str.head(pl.col("key").str.find("/", literal=True))
    rows = lines.lazy().select(value=before_slash).with_row_index("row")
    counted = rows.group_by("value").agg(pl.len(), pl.col("row").min()).sort("len", "value", descending=[True, False])
    found = counted.collect(engine="streaming")
    ids = lines["model_id"].gather(found["row"])
    written = (
        None if key is None or model_id is None else model_id.partition("/")[0]
        for key, model_id in zip(found["value"], ids, strict=True)
    )
    counts: dict[str | None, int] = {}
    for spelling, number in zip(written, found["len"], strict=True):
        counts[spelling] = counts.get(spelling, 0) + number
    return counts


def _of_kinds(lines: pl.DataFrame, kinds: pl.DataFrame | None, column: str) -> Counts:
    if kinds is None:
        return {}
    known = kinds.lazy().select("key", value=column)
    return dict(_by_number(lines.lazy().select("key").join(known, on="key", how="left").select("value")))


def _of_reasons(lines: pl.DataFrame, snapshot: Snapshot | None) -> Counts:
    if snapshot is None:
        return {}
    shown = snapshot.records[lines["record"].drop_nulls()]
    reasons = shown.select(value=recorded("exclusion")).filter(pl.col("value").is_not_null())
    return dict(_by_number(reasons.lazy())[:_REASONS])


def _of_cores(lines: pl.DataFrame) -> Counts:
    counted = lines["tp"].value_counts().sort("tp", nulls_last=True)
    return {None if cores is None else str(cores): number for cores, number in counted.iter_rows()}


def _of_figures(column: pl.Expr) -> Callable[[pl.DataFrame], Counts]:
    """Only how many have none: nobody picks one figure of thousands."""
    return lambda lines: {None: lines.select(column.is_null().sum()).item()}


def _of_texts(column: pl.Expr) -> Callable[[pl.DataFrame], Counts]:
    return lambda lines: dict(_by_number(lines.lazy().select(value=column)))


def _by_number(values: pl.LazyFrame) -> list[tuple[Any, int]]:
    """The values and how often each occurs, the most frequent first."""
    counted = values.group_by("value").len().sort("len", "value", descending=[True, False], nulls_last=True)
    # With all processors: of a million ids one alone would take long enough to be felt at a key.
    return counted.collect(engine="streaming").rows()


_OF_RECORDS: Final[Mapping[str, Callable[[pl.DataFrame], Counts]]] = {
    "is": _of_results,
    "cores": _of_cores,
    "mem": _of_figures(LINE_COLUMNS["mem"]),
    "full": _of_figures(LINE_COLUMNS["full"]),
    "wall": _of_figures(LINE_COLUMNS["wall"]),
    "tested": _of_months,
    "org": _of_organizations,
    "runner": _of_texts(LINE_COLUMNS["runner"]),
    "library": _of_texts(LINE_COLUMNS["library"]),
}
