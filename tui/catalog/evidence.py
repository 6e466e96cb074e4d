"""Which tested models are like one that has no record: of the same model type, and of like size. Pure.

Only what is known already counts: model types and sizes from rankings and from facts that the Hub was asked for before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from tui.catalog.records import stack_places
from tui.catalog.stacks import STACK_COLUMNS, Stack
from tui.catalog.verdict import Verdict

if TYPE_CHECKING:
    from tui.catalog.facts import ModelFacts
    from tui.catalog.snapshot import Snapshot

LIKE: Final = 2
"""Of like size: from so many times fewer weights to so many times more."""
MOST_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Passing:
    """A model that passed: its record on the newest stack that it passed on, there the one with the fewest cores."""

    model_id: str
    parameters: int
    cores: int | None
    stack: Stack


@dataclass(frozen=True, slots=True)
class Evidence:
    """Tested models of one model type, the model itself left out.

    A model is tested when a record of it has a result, and passes when one of them is PASS, on whatever stack.
    `tested` and `passing` are of like size; `named` are the passing ones on the newest stacks, at most `MOST_NAMED`,
    `cores` the fewest and the most of all of them. `smaller` and `larger` are the nearest that pass when none of like
    size does. `of_type` are tested models of the type, `without_size` those among them of unknown size; of
    `all_tested` models `without_type` have no known type.
    """

    model_type: str | None
    parameters: int | None
    of_type: int = 0
    without_size: int = 0
    tested: int = 0
    passing: int = 0
    named: tuple[Passing, ...] = ()
    cores: tuple[int, int] | None = None
    smaller: Passing | None = None
    larger: Passing | None = None
    all_tested: int = 0
    without_type: int = 0

    @property
    def like_size(self) -> tuple[int, int] | None:
        """The fewest and the most weights that count as of like size."""
        return None if self.parameters is None else (self.parameters // LIKE, self.parameters * LIKE)


def evidence_of(
    snapshot: Snapshot,
    kinds: pl.DataFrame,
    facts: ModelFacts,
    key: str,
    renames: Mapping[str, str],
) -> Evidence:
    """What the records say of models like the one with these facts, `key` being its casefolded id here.

    `kinds` has `key`, `model_type` and `parameters` (null: not known), one row a model; `renames` old key -> new key.
    """
    model_type, parameters = facts.model_type, facts.parameters
    model = pl.col("key").replace(dict(renames)) if renames else pl.col("key")
    own = [renames.get(each, each) for each in (key, facts.id.casefold())]
    tested = _tested(snapshot, model).filter(~pl.col("model").is_in(own))
    known = (
        kinds.select(pl.col("model_type"), pl.col("parameters"), model=model)
        .filter(pl.col("model_type").is_not_null())
        .unique("model", keep="first", maintain_order=True)
    )
    models = tested.select("model").unique()
    typed = models.join(known, on="model")
    counted: dict[str, Any] = {"all_tested": models.height, "without_type": models.height - typed.height}
    if model_type is None:
        return Evidence(None, parameters, **counted)
    alike = typed.filter(pl.col("model_type").str.to_lowercase() == model_type.lower())
    counted |= {"of_type": alike.height, "without_size": alike["parameters"].null_count()}
    if parameters is None:
        return Evidence(model_type, None, **counted)
    passing = _passing(tested, alike, snapshot)
    like = pl.col("parameters").is_between(parameters // LIKE, parameters * LIKE)
    near = passing.filter(like)
    cores = near["tp"].drop_nulls()
    smaller = larger = None
    if near.is_empty():
        below = passing.filter(pl.col("parameters") < parameters).sort(-pl.col("parameters"), maintain_order=True)
        above = passing.filter(pl.col("parameters") > parameters).sort("parameters", maintain_order=True)
        smaller, larger = (next(map(_named, side.head(1).iter_rows(named=True)), None) for side in (below, above))
    return Evidence(
        model_type,
        parameters,
        tested=alike.filter(like).height,
        passing=near.height,
        named=tuple(map(_named, near.head(MOST_NAMED).iter_rows(named=True))),
        cores=None if cores.is_empty() else (min(cores), max(cores)),
        smaller=smaller,
        larger=larger,
        **counted,
    )


def _tested(snapshot: Snapshot, model: pl.Expr) -> pl.DataFrame:
    """Records with a result of models with an id: what makes them one `model`, and what is told of one."""
    has_result = (pl.col("result").str.strip_chars() != "").fill_null(value=False)
    left_out = pl.col("verdict") == Verdict.EXCLUDED.value
    return snapshot.records.filter(has_result & ~left_out & (pl.col("key") != "")).select(
        "model_id", "verdict", "tp", "tested_at", *STACK_COLUMNS, model=model
    )


def _passing(tested: pl.DataFrame, alike: pl.DataFrame, snapshot: Snapshot) -> pl.DataFrame:
    """For each model of `alike` with a size that passes, the record that is told of it; the newest stacks first."""
    places = stack_places(snapshot.stacks).drop("label")
    return (
        tested.filter(pl.col("verdict") == Verdict.PASS.value)
        .join(alike.filter(pl.col("parameters").is_not_null()), on="model")
        .join(places, on=STACK_COLUMNS, how="left", nulls_equal=True)
        .sort("place", "tp", "tested_at", "model", descending=[False, False, True, False], nulls_last=True)
        .unique("model", keep="first", maintain_order=True)
    )


def _named(row: Mapping[str, Any]) -> Passing:
    stack = Stack(row["neuronx_cc"], row["library"], row["library_version"])
    return Passing(row["model_id"], row["parameters"], row["tp"], stack)
