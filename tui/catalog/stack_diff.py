"""Two stacks against each other, over all models: what broke, what was fixed, what came and went. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import polars as pl

from tui.catalog.lines import result_word
from tui.catalog.outcome_change import Change, Outcome, change_of
from tui.catalog.records import VERDICT_TYPE, admitted, indexed, one_a_model
from tui.catalog.schema import UNCONVERTED
from tui.catalog.stacks import Stack, StackChoice
from tui.catalog.verdict import Verdict

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot

CHANGE_TYPE: Final = pl.Enum([change.value for change in Change])

OF_A_STACK: Final[Mapping[str, pl.DataType]] = {
    "verdict": VERDICT_TYPE,
    "word": pl.String(),
    "tp": pl.Int32(),
    "wall_s": pl.Int32(),
    "hbm_peak_gb": pl.Float64(),
    "hbm_capacity_gb": pl.Float64(),
    "tested_at": pl.Datetime("ms", "UTC"),
    "records": pl.UInt32(),
    "disagree": pl.String(),
    "record": pl.UInt32(),
    UNCONVERTED: pl.String(),
}
"""What the frame has of each stack, with `old_` or `new_` before the name, null where the stack has no record.

As of `catalog.lines.LINES`: what the table shows of the model there.
"""

_READ: Final = (
    *("model_id", "result", "exclusion", "tp", "wall_s", "hbm_peak_gb", "hbm_capacity_gb", "tested_at", UNCONVERTED),
    *("neuronx_cc", "library", "library_version", "key", "verdict"),
)
_JUDGED: Final = ("verdict", "word", "tp", "has_result")
_SIDES: Final = ("old", "new")


@dataclass(frozen=True)
class StackDiff:
    """Every model with a record on one of two stacks.

    `frame` has `change` (of `Change`), `model_id`, `key`, and for each stack the columns `OF_A_STACK`; in the order of
    `Change`, then by key. `counts` has every change, 0 included. A record without a model id is of no model.
    """

    old: Stack
    new: Stack
    frame: pl.DataFrame
    counts: Mapping[Change, int]
    complete: bool = True

    @property
    def broke(self) -> bool:
        """Whether a model that passed on the old stack fails on the new one."""
        return self.counts[Change.BROKEN] > 0

    def only(self, changes: Collection[Change]) -> pl.DataFrame:
        """The lines of these changes."""
        return self.frame.filter(pl.col("change").is_in([change.value for change in changes]))


def diff(snapshot: Snapshot, old: Stack, new: Stack, renames: Mapping[str, str] = MappingProxyType({})) -> StackDiff:
    """What the table shows of each model on both stacks, and what changed from `old` to `new`.

    `renames` is casefolded old id -> casefolded new id. Where records of one stack disagree the table's choice counts,
    and `old_disagree` or `new_disagree` tells of the others.
    """
    records = indexed(snapshot.records.select(_READ), renames).filter(pl.col("model_id").is_not_null())
    before, now = (_shown(records, stack, side) for stack, side in zip((old, new), _SIDES, strict=True))
    both = now.join(before, on="model", how="full", coalesce=True)
    judged = _judged(both).with_columns(model_id=pl.coalesce("new_model_id", "old_model_id"), key="model")
    columns = [f"{side}_{name}" for side in _SIDES for name in OF_A_STACK]
    frame = judged.select("change", "model_id", "key", *columns).sort("change", "key", maintain_order=True)
    found = dict(frame["change"].value_counts().iter_rows())
    return StackDiff(old, new, frame, {change: found.get(change.value, 0) for change in Change}, snapshot.complete)


def _shown(records: pl.DataFrame, stack: Stack, side: str) -> pl.DataFrame:
    """A row for each model of the stack: `model`, and the rest with the side before its name."""
    lines = one_a_model(records.filter(admitted(StackChoice.of(stack)))).with_columns(word=result_word())
    return lines.select(
        "model",
        *(pl.col(name).cast(kind).alias(f"{side}_{name}") for name, kind in OF_A_STACK.items()),
        pl.col("model_id").alias(f"{side}_model_id"),
        pl.col("has_result").alias(f"{side}_has_result"),
    )


def _judged(both: pl.DataFrame) -> pl.DataFrame:
    """The same with `change`. Few different pairs stand in many rows: each is judged once."""
    columns = [f"{side}_{name}" for side in _SIDES for name in _JUDGED]
    pairs = both.select(columns).unique()
    changes = [
        change_of(_outcome(pair[: len(_JUDGED)]), _outcome(pair[len(_JUDGED) :])).value for pair in pairs.iter_rows()
    ]
    pairs = pairs.with_columns(change=pl.Series(changes, dtype=CHANGE_TYPE))
    return both.join(pairs, on=columns, how="left", nulls_equal=True, maintain_order="left")


def _outcome(values: tuple[str | None, str, int | None, bool]) -> Outcome | None:
    verdict, word, cores, has_result = values
    return None if verdict is None else Outcome(Verdict(verdict), word, cores, has_result)
