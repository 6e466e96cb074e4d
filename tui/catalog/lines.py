"""The lines of a view: one a model, from records and rankings, and how they are sorted. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import polars as pl

from tui.catalog.question import LEFT_OUT, LIBRARY_UNKNOWN, NOT_HERE, NOT_READ, NOT_TESTED, OTHER_STACK
from tui.catalog.records import (
    VERDICT_TYPE,
    admitted,
    indexed,
    newest_stack_only,
    one_a_model,
    raw_text,
    stack_places,
)
from tui.catalog.schema import COLUMN_NAMES, UNCONVERTED
from tui.catalog.stacks import ANY, STACK_COLUMNS, StackChoice, version_key
from tui.catalog.verdict import NO_RESULT, Verdict

if TYPE_CHECKING:
    from tui.catalog.rankings import Ranking
    from tui.catalog.snapshot import Snapshot

LINES: Final[Mapping[str, pl.DataType]] = {
    "model_id": pl.String(),
    "key": pl.String(),
    "verdict": VERDICT_TYPE,
    "word": pl.String(),
    "note": pl.String(),
    "tp": pl.Int32(),
    "runner": pl.String(),
    "wall_s": pl.Int32(),
    "hbm_peak_gb": pl.Float64(),
    "hbm_capacity_gb": pl.Float64(),
    "cpu_match": pl.String(),
    "english": pl.String(),
    "tested_at": pl.Datetime("ms", "UTC"),
    "unconverted": pl.String(),
    "neuronx_cc": pl.String(),
    "library": pl.String(),
    "library_version": pl.String(),
    "record": pl.UInt32(),
    "records": pl.UInt32(),
    "disagree": pl.String(),
    "rank": pl.UInt32(),
    "figure": pl.Float64(),
    "hub_library": pl.String(),
    "has_result": pl.Boolean(),
    "left_out": pl.Boolean(),
}
"""The columns of a line.

`word` is the result in a word or two: PASS, FAIL, what an OTHER says, or one of the words of `question`; `note`
what there is to know beside a result or instead of one, after `LEFT_OUT: ` when it is why the model was left
out; `record` the row in `snapshot.records`, null without one; `records` how many the model has on that stack
and `disagree` those of them with another verdict (`+1 FAIL +2 other`); `rank`, `figure` and `hub_library` are
the ranking's; `has_result` tells of the record on the line, `left_out` that no record of the model on that
stack has a result (Selected only).
"""

_NOT_IN_THERE: Final = "not in what could be read"

_PROPER_NAMES: Final = {"transformers": "Transformers"}
_UNTESTED: Final = pl.lit(Verdict.UNTESTED.value, VERDICT_TYPE)
_FROM_RECORDS: Final = tuple(
    column
    for column in (*LINES, "result", "exclusion", "key_place")
    if column in {*COLUMN_NAMES, UNCONVERTED, "key", "key_place", "verdict"}
)


def selected(snapshot: Snapshot, choice: StackChoice) -> pl.DataFrame:
    """One line for each model with a record on the stack: PASS, FAIL, other words, EXCLUDED, then by id.

    The models of which no record has a result come last, marked `left_out`.
    """
    frame = _on_stack(indexed(snapshot.records.select(_FROM_RECORDS), {}), choice, snapshot)
    lines = one_a_model(frame).with_columns(word=result_word(), note=_reason(), left_out=~pl.col("any_result"))
    return _conformed(_in_order(lines))


def ranked(
    snapshot: Snapshot | None,
    ranking: Ranking,
    choice: StackChoice,
    *,
    transformers_only: bool,
    renames: Mapping[str, str],
) -> pl.DataFrame:
    """One line for each row of the ranking, in the Hub's order, with what is recorded of it on the stack.

    `snapshot` None is one that is still loading. Raises ValueError when sample records meet a live ranking,
    or the reverse.
    """
    if snapshot is not None and (snapshot.source == "sample") != ranking.sample:
        raise ValueError("Sample data are never joined with real ones: load both or neither as the sample.")
    rows = ranking.models.select("rank", "model_id", "key", "figure", hub_library="library")
    if transformers_only:
        library = pl.col("hub_library")
        rows = rows.filter(library.is_null() | (library.str.to_lowercase() == "transformers"))
    if snapshot is None:
        return _conformed(rows.with_columns(verdict=_UNTESTED, word=pl.lit(NOT_READ), note=pl.lit(_NOT_IN_THERE)))
    frame = indexed(snapshot.records.select(_FROM_RECORDS), renames)
    known = frame.join(rows, left_on="model", right_on="key", how="semi", maintain_order="left")
    here = one_a_model(_on_stack(known, choice, snapshot)).with_columns(word=result_word(), note=_reason())
    elsewhere = _elsewhere(known.join(here, on="model", how="anti", maintain_order="left"), snapshot)
    untested = pl.col("record").is_null()
    lines = (
        rows.join(here.drop("model_id", "key"), left_on="key", right_on="model", how="left", maintain_order="left")
        .join(elsewhere, left_on="key", right_on="model", how="left", maintain_order="left")
        .with_columns(
            verdict=pl.when(untested).then(_UNTESTED).otherwise("verdict"),
            word=pl.when(~untested)
            .then("word")
            .when(pl.col("elsewhere").is_not_null())
            .then(pl.lit(OTHER_STACK))
            .otherwise(pl.lit(NOT_TESTED if snapshot.complete else NOT_READ)),
            note=pl.when(untested).then(_why_untested(snapshot, choice)).otherwise("note"),
        )
    )
    return _conformed(lines)


def nothing() -> pl.DataFrame:
    """No line."""
    return pl.DataFrame(schema=dict(LINES))


def sorted_by(lines: pl.DataFrame, column: str, *, descending: bool) -> pl.DataFrame:
    """Numbers or texts, then NaN, then raw values that were not converted, then nulls, in either direction.

    Ties keep their order. Texts are compared without case and the empty text is the least; versions are
    compared as versions, ids by `key`. Raises ValueError for a column that is not in `LINES`.
    """
    if column not in LINES:
        raise ValueError(f"«{column}» is no column of the table.")
    value = _comparable(lines, column)
    is_nan = pl.col(column).is_nan() if LINES[column].is_float() else pl.lit(value=False)
    keys = lines.select(value=value, is_nan=is_nan, raw=raw_text(column).str.to_lowercase()).select(
        "value",
        "raw",
        group=pl.when(pl.col("value").is_not_null())
        .then(pl.col("is_nan").cast(pl.UInt8))
        .otherwise(pl.when(pl.col("raw").is_not_null()).then(2).otherwise(3)),
    )
    # From the last key to the first, a stable sort by one column each: the fast kind.
    places = keys.with_row_index("place")
    if places["raw"].null_count() < places.height:
        places = places.sort("raw", descending=descending, nulls_last=True, maintain_order=True)
    places = places.sort("value", descending=descending, nulls_last=True, maintain_order=True)
    return lines[places.sort("group", maintain_order=True)["place"]]


def _comparable(lines: pl.DataFrame, column: str) -> pl.Expr:
    if column == "model_id":
        return pl.when(pl.col("model_id").is_not_null()).then("key")
    if column in {"neuronx_cc", "library_version"}:
        versions = sorted(lines[column].unique().drop_nulls().to_list(), key=version_key)
        return pl.col(column).replace_strict(versions, range(len(versions)), return_dtype=pl.UInt32)
    return pl.col(column).str.to_lowercase() if LINES[column] == pl.String() else pl.col(column)


def _on_stack(frame: pl.DataFrame, choice: StackChoice, snapshot: Snapshot) -> pl.DataFrame:
    here = frame.filter(admitted(choice))
    return here if choice.exact else newest_stack_only(here, stack_places(snapshot.stacks))


def _in_order(lines: pl.DataFrame) -> pl.DataFrame:
    group = pl.col("left_out").cast(pl.UInt64) * 16 + pl.col("standing") * 2 + pl.col("model_id").is_null()
    # One number to sort by, and only what a line has to be put in order: most of the time that a million lines take.
    order = lines.select(order=group * 2**32 + pl.col("key_place"))["order"]
    ordered = lines.select(name for name in LINES if name in lines.columns)[order.arg_sort()]
    # Written anew, the texts lie in memory as the lines do: a search reads them four times as fast.
    return ordered.with_columns(key=pl.concat_str("key", pl.lit("")))


def result_word() -> pl.Expr:
    """What the line of a record says: PASS, FAIL, `left out`, or the `word` of `one_a_model`."""
    left_out = pl.when(pl.col("verdict") == Verdict.EXCLUDED.value).then(pl.lit(LEFT_OUT))
    return pl.coalesce("word", left_out, pl.col("verdict").cast(pl.String))


def _reason() -> pl.Expr:
    both = (pl.col("verdict") == Verdict.EXCLUDED.value) & pl.col("has_result")
    word = pl.when(both).then(pl.concat_str(pl.lit("; recorded result «"), "result", pl.lit("»")))
    return pl.concat_str(pl.lit(f"{LEFT_OUT}: "), "reason", word.otherwise(pl.lit("")))


def _elsewhere(known: pl.DataFrame, snapshot: Snapshot) -> pl.DataFrame:
    """`model` and `elsewhere`: what the newest stack says of a model that the chosen one has no record of."""
    places = stack_places(snapshot.stacks)
    best = one_a_model(newest_stack_only(known, places)).join(places, on=STACK_COLUMNS, how="left", nulls_equal=True)
    said = (
        pl.when(pl.col("verdict") == Verdict.EXCLUDED.value)
        .then(pl.lit(LEFT_OUT))
        .when(~pl.col("has_result"))
        .then(pl.lit(NO_RESULT))
        .when(pl.col("verdict") == Verdict.OTHER.value)
        .then(pl.concat_str(pl.lit("«"), "word", pl.lit("»")))
        .otherwise(pl.col("verdict").cast(pl.String))
    )
    text = pl.concat_str(pl.lit(f"{NOT_HERE} ("), said, pl.lit(" on "), "label", pl.lit(")"))
    return best.select("model", elsewhere=text)


def _why_untested(snapshot: Snapshot, choice: StackChoice) -> pl.Expr:
    if not snapshot.complete:
        return pl.coalesce("elsewhere", pl.lit(_NOT_IN_THERE))
    if choice.library != ANY:
        libraries = [choice.library]
    else:
        libraries = snapshot.records.filter(admitted(choice))["library"].unique().sort().to_list()
    names = [name for name in libraries if name is not None]
    hub_library = pl.col("hub_library")
    foreign = ~hub_library.str.to_lowercase().is_in([name.casefold() for name in names])
    return pl.coalesce(
        "elsewhere",
        pl.when(hub_library.is_null())
        .then(pl.lit(LIBRARY_UNKNOWN))
        .when(foreign if names else pl.lit(value=False))
        .then(pl.concat_str(hub_library, pl.lit(f", not {_a_model_of(names)}")))
        .otherwise(pl.lit(NOT_TESTED)),
    )


def _a_model_of(names: Sequence[str]) -> str:
    if not names or len(names) > 3:
        return "a library of these records"
    *first, last = (_PROPER_NAMES.get(name.casefold(), name) for name in names)
    listed = f"{', '.join(first)} or {last}" if first else last
    return f"{'an' if listed[:1].casefold() in set('aeiou') else 'a'} {listed} model"


def _conformed(lines: pl.DataFrame) -> pl.DataFrame:
    """Exactly `LINES`; what a line without a record has no value for is null, 0, "" or false by its type."""
    of_no_record = {"records": 0, "disagree": "", "has_result": False, "left_out": False}
    columns = (
        (pl.col(name) if name in lines.columns else pl.lit(None)).cast(kind).alias(name) for name, kind in LINES.items()
    )
    return lines.select(columns).with_columns(
        pl.col(name).fill_null(pl.lit(value, LINES[name])) for name, value in of_no_record.items()
    )
