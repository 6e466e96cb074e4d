"""Frames of records: the columns that are derived at reading, and one record a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import polars as pl

from tui.catalog.schema import LONG_TEXT, UNCONVERTED
from tui.catalog.stacks import ANY, STACK_COLUMNS, StackChoice, StackCount
from tui.catalog.verdict import NO_RESULT, Verdict, is_blank, verdict_of

VERDICT_TYPE: Final = pl.Enum([verdict.value for verdict in Verdict])

DERIVED: Final[Mapping[str, pl.DataType]] = {"key": pl.String(), "key_place": pl.UInt32(), "verdict": VERDICT_TYPE}
"""What `with_derived_columns` adds."""

_STANDINGS: Final = ("PASS", "FAIL", "other", "left out", "no result")
"""Which record of a model is shown, best first: its place here is the column `standing`."""


def with_derived_columns(records: pl.DataFrame) -> pl.DataFrame:
    """Adds `key`, `key_place` and `verdict` to a frame with the columns of own files.

    `key` is the casefolded model_id, "" for null; `key_place` its place among all keys, so that lines are put in the
    order of their ids without comparing texts, which takes a second for a million of them.

    Long texts that were read become `has_error` and `has_run_py` (Boolean); a reader that leaves them on disk
    adds these with `has_text` while it scans.
    """
    long_texts = [column for column in sorted(LONG_TEXT) if column in records.columns]
    key = _casefolded(records["model_id"].fill_null(""))
    return records.with_columns(
        key=key,
        key_place=(key.rank("ordinal") - 1).cast(pl.UInt32),
        verdict=_verdicts(records),
        **{f"has_{column}": has_text(column) for column in long_texts},
    ).drop(long_texts)


def has_text(column: str) -> pl.Expr:
    """Whether a text was recorded and is not empty; never null."""
    return (pl.col(column).str.len_bytes() > 0).fill_null(value=False)


def recorded(column: str) -> pl.Expr:
    """A text column, with the raw text of values that could not be converted."""
    return pl.coalesce(column, raw_text(column))


def raw_text(column: str) -> pl.Expr:
    """The raw text of values that could not be converted to the column's type, else null."""
    return pl.col(UNCONVERTED).str.json_path_match(f"$.{column}")


def indexed(records: pl.DataFrame, renames: Mapping[str, str]) -> pl.DataFrame:
    """The frame with `record` (its row) and `model` (what makes records one model).

    `model` is `key`, through `renames` (casefolded old id -> casefolded new id). Records without an id are
    a model each.
    """
    frame = records.with_row_index("record")
    model = pl.col("key").replace(dict(renames)) if renames else pl.col("key")
    if frame["model_id"].null_count():
        alone = pl.concat_str(pl.lit("\0"), pl.col("record"))
        model = pl.when(pl.col("model_id").is_null()).then(alone).otherwise(model)
    return frame.with_columns(model=model)


def admitted(choice: StackChoice) -> pl.Expr:
    """Whether a record is on a stack that the choice admits; `None` in the choice is a null in the data."""
    parts = zip(STACK_COLUMNS, (choice.neuronx_cc, choice.library, choice.library_version), strict=True)
    return pl.all_horizontal(
        pl.lit(value=True),
        *(pl.col(column).eq_missing(pl.lit(part)) for column, part in parts if part != ANY),
    )


def newest_stack_only(frame: pl.DataFrame, stacks: pl.DataFrame) -> pl.DataFrame:
    """For each `model` the records of its newest stack; `stacks` is `stack_places` of all stacks."""
    return (
        frame.join(stacks.drop("label"), on=STACK_COLUMNS, how="left", nulls_equal=True, maintain_order="left")
        .filter(pl.col("place") == pl.col("place").min().over("model"))
        .drop("place")
    )


def stack_places(counts: Sequence[StackCount]) -> pl.DataFrame:
    """`STACK_COLUMNS`, `place` (0 for the first, which is the newest) and `label`, one row a stack."""
    ordered = [count.stack for count in counts]
    return pl.DataFrame(
        {
            "neuronx_cc": [stack.neuronx_cc for stack in ordered],
            "library": [stack.library for stack in ordered],
            "library_version": [stack.library_version for stack in ordered],
            "place": range(len(ordered)),
            "label": [stack.label for stack in ordered],
        },
        schema={**dict.fromkeys(STACK_COLUMNS, pl.String), "place": pl.UInt32, "label": pl.String},
    )


def one_a_model(frame: pl.DataFrame) -> pl.DataFrame:
    """One record for each `model` of an indexed frame that holds one stack a model.

    PASS if any passes (the fewest cores, then the newest), else FAIL, another word, EXCLUDED, no result
    (the newest). Adds `standing`, `has_result`, `any_result` (of any of its records), `reason` (an
    exclusion that is not blank), `word` (what an OTHER says), `records` (how many there are) and `disagree`
    (`+1 FAIL +2 other`).
    """
    frame = with_standing(frame)
    if frame["model"].n_unique() == frame.height:
        one = pl.lit(1, pl.UInt32)
        return frame.with_columns(records=one, any_result="has_result", disagree=pl.lit(""))
    counts = frame.group_by("model").agg(records=pl.len(), any_result=pl.col("has_result").any())
    best = frame.sort(
        "standing",
        pl.when(pl.col("verdict") == Verdict.PASS.value).then("tp"),
        "tested_at",
        "record",
        descending=[False, False, True, False],
        nulls_last=True,
    ).unique("model", keep="first", maintain_order=True)
    return (
        best.join(counts, on="model", how="left", maintain_order="left")
        .join(_disagreements(frame, best), on="model", how="left", maintain_order="left")
        .with_columns(pl.col("disagree").fill_null(""))
    )


def with_standing(frame: pl.DataFrame) -> pl.DataFrame:
    """Adds `standing`: the record of a model that has the least is the one that is shown, or has the same verdict.

    0 PASS, 1 FAIL, 2 another word, 3 EXCLUDED, 4 no result. Adds `has_result`, `reason` and `word` too, as
    `one_a_model` tells of them.
    """
    frame = frame.with_columns(result=recorded("result"), reason=recorded("exclusion"))
    blank_results, blank_reasons = _blanks(frame["result"]), _blanks(frame["reason"])
    is_other = pl.col("verdict") == Verdict.OTHER.value
    no_result = pl.col("result").is_null() | pl.col("result").is_in(blank_results)
    return frame.with_columns(
        has_result=~no_result,
        reason=pl.when(~pl.col("reason").is_in(blank_reasons)).then("reason"),
        word=pl.when(is_other & pl.col("result").is_null())
        .then(pl.lit(NO_RESULT))
        .when(is_other & no_result)
        .then(pl.concat_str(pl.lit('"'), "result", pl.lit('"')))
        .when(is_other)
        .then("result"),
        standing=pl.when(is_other & no_result).then(4).otherwise(pl.col("verdict").to_physical()).cast(pl.UInt8),
    )


def _disagreements(frame: pl.DataFrame, best: pl.DataFrame) -> pl.DataFrame:
    shown = best.select("model", best_standing="standing", best_word="word")
    another = frame.join(shown, on="model").filter(
        (pl.col("standing") != pl.col("best_standing")) | pl.col("word").ne_missing(pl.col("best_word"))
    )
    counted = another.group_by("model", "standing").agg(pl.len()).sort("standing")
    labels = pl.col("standing").replace_strict(dict(enumerate(_STANDINGS)), return_dtype=pl.String)
    return counted.group_by("model", maintain_order=True).agg(
        disagree=pl.concat_str(pl.lit("+"), "len", pl.lit(" "), labels).str.join(" ")
    )


def _casefolded(ids: pl.Series) -> pl.Series:
    folded = ids.str.to_lowercase()
    # str.casefold differs from lower case outside ASCII only.
    beyond_ascii = ids.filter(ids.str.len_bytes() != ids.str.len_chars()).unique().to_list()
    if beyond_ascii:
        exact = {text: text.casefold() for text in beyond_ascii}
        folded = pl.select(pl.when(ids.is_in(beyond_ascii)).then(ids.replace(exact)).otherwise(folded)).to_series()
    return folded.alias("key")


def _verdicts(records: pl.DataFrame) -> pl.Series:
    recorded_pairs = records.select(result=recorded("result"), exclusion=recorded("exclusion"))
    # Few different words stand in many rows: each pair is judged once, by the one function that judges.
    pairs = recorded_pairs.unique()
    judged = pairs.with_columns(
        verdict=pl.Series([verdict_of(*pair).value for pair in pairs.iter_rows()], dtype=VERDICT_TYPE)
    )
    joined = recorded_pairs.join(
        judged, on=["result", "exclusion"], how="left", nulls_equal=True, maintain_order="left"
    )
    return joined["verdict"]


def _blanks(texts: pl.Series) -> list[str]:
    return [text for text in texts.unique().drop_nulls().to_list() if is_blank(text)]
