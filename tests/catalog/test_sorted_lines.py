"""Every column that a person can sort by: what comes before what, in both directions, and what is last in both."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest

from tui.catalog.lines import LINES, sorted_by
from tui.catalog.sort_columns import SORT_NAMES, column_named, words_of

EARLY, LATE = datetime(2025, 12, 31, tzinfo=UTC), datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
TEXTS = ["", "alpha", "Beta", "gamma"]
RISING: dict[str, list[Any]] = {
    "model_id": ["acme/Alpha", "acme/beta", "acme/Zed"],
    "verdict": ["PASS", "FAIL", "OTHER", "EXCLUDED", "UNTESTED"],
    "word": ["crash", "FAIL", "left out", "PASS", "timeout"],
    "tp": [1, 2, 16],
    "wall_s": [0, 9, 61, 3600],
    "hbm_peak_gb": [-1.0, 0.0, 2.5, 18.2],
    "hbm_capacity_gb": [0.0, 16.0, 24.0],
    "tested_at": [EARLY, LATE],
    "cpu_match": TEXTS,
    "english": TEXTS,
    "runner": TEXTS,
    "library": ["diffusers", "Sentence-Transformers", "transformers"],
    "library_version": ["5.2", "5.9.0", "5.10.0", "5.10.1"],
    "neuronx_cc": ["2.9.100.0", "2.27.5334.0", "2.28.7631.0", "10.0"],
    "records": [0, 1, 12],
    "note": TEXTS,
    "rank": [1, 2, 10],
    "figure": [0.0, 3.0, 12.5],
    "hub_library": TEXTS,
}
CANNOT_BE_NULL = {"verdict", "records"}


def lines(*values: dict[str, Any]) -> pl.DataFrame:
    """One line for each, numbered in `word` unless that is told."""
    rows = [
        {**dict.fromkeys(LINES), "key": (value.get("model_id") or "").casefold(), "word": str(place), **value}
        for place, value in enumerate(values)
    ]
    return pl.DataFrame(rows, schema=dict(LINES), orient="row")


def test_every_column_that_is_offered_is_tried_here() -> None:
    assert RISING.keys() == SORT_NAMES.keys()


@pytest.mark.parametrize("column", RISING)
def test_a_column_rises_and_falls_with_what_is_not_recorded_last(column: str) -> None:
    rising = RISING[column]
    shuffled = rising[1::2] + rising[::2][::-1]
    nothing = [] if column in CANNOT_BE_NULL else [None, None]
    frame = lines(*({column: value} for value in [*nothing[:1], *shuffled, *nothing[1:]]))
    assert sorted_by(frame, column, descending=False)[column].to_list() == [*rising, *nothing]
    assert sorted_by(frame, column, descending=True)[column].to_list() == [*rising[::-1], *nothing]


@pytest.mark.parametrize("column", [name for name in RISING if name not in {"model_id", "word"}])
def test_lines_that_are_alike_keep_the_order_of_the_view(column: str) -> None:
    low, high = RISING[column][0], RISING[column][-1]
    frame = lines(*({column: value} for value in (high, low, high, low)))
    assert sorted_by(frame, column, descending=False)["word"].to_list() == ["1", "3", "0", "2"]
    assert sorted_by(frame, column, descending=True)["word"].to_list() == ["0", "2", "1", "3"]


@pytest.mark.parametrize("column", ["tp", "wall_s", "hbm_peak_gb", "hbm_capacity_gb", "tested_at"])
def test_a_value_that_could_not_be_read_stands_after_the_others_and_before_nothing(column: str) -> None:
    value = RISING[column][0]
    frame = lines({}, {"unconverted": json.dumps({column: "odd"})}, {column: value})
    for descending in (False, True):
        assert sorted_by(frame, column, descending=descending)["word"].to_list() == ["2", "1", "0"]


@pytest.mark.parametrize("column", ["hbm_peak_gb", "hbm_capacity_gb", "figure"])
def test_what_is_no_number_stands_after_the_numbers(column: str) -> None:
    frame = lines({}, {column: math.nan}, {column: math.inf}, {column: 1.0})
    assert sorted_by(frame, column, descending=False)["word"].to_list() == ["3", "2", "1", "0"]
    assert sorted_by(frame, column, descending=True)["word"].to_list() == ["2", "3", "1", "0"]


def test_a_column_is_named_as_the_app_does_or_as_the_data_do() -> None:
    for column, name in SORT_NAMES.items():
        for text in (column, name, name.upper(), words_of(column), f" {name} "):
            assert column_named(text) == column
    assert [column_named(text) for text in ("result", "reason", "colour", "")] == ["verdict", "note", None, None]
