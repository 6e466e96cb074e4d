"""The values that a search can name, counted over the lines of a view."""

from __future__ import annotations

import polars as pl
from records_builder import NEWEST, on, ranking, snapshot

from tui.catalog.stacks import StackChoice
from tui.catalog.views import Question, View, lines_of
from tui.catalog.vocabulary import Vocabulary, vocabulary_of

SHOT = snapshot(
    {"model_id": "Acme/a", "result": "pass", "tp": 16, "tested_at": on(1, 9), "runner": "eager"},
    {"model_id": "acme/b", "result": "pass", "tp": 2, "tested_at": on(1, 10), "runner": " "},
    {"model_id": "acme/c", "result": "timeout", "tp": 2, "runner": "compiled", "hbm_peak_gb": float("nan")},
    {"model_id": "other/d", "exclusion": "too large", "runner": "compiled", "hbm_peak_gb": 3.0},
    {"model_id": "alone", "exclusion": "too large", "result": "skipped"},
)
STACK = StackChoice(**NEWEST)
KINDS = pl.DataFrame(
    [("acme/a", "chat", "qwen3"), ("elsewhere", "draw", None)], schema=["key", "task", "model_type"], orient="row"
)


def vocabulary(kinds=KINDS):
    return vocabulary_of(lines_of(SHOT, None, Question(view=View.SELECTED, stack=STACK)), SHOT, kinds)


def listed(name, kinds=KINDS):
    known = vocabulary(kinds)
    return list(known.values(name).items()), known.unknown(name)


def test_values_have_their_number_of_models_the_most_frequent_first():
    assert listed("org") == ([("Acme", 3), ("other", 1)], 1)
    assert listed("runner") == ([("compiled", 2), ("eager", 1)], 2)
    assert listed("library") == ([("transformers", 5)], 0)
    assert listed("reason") == ([("too large", 2)], 0)
    assert listed("error") == ([], 0)


def test_cores_are_in_their_order_and_months_from_the_newest():
    assert listed("cores") == ([("2", 2), ("16", 1)], 2)
    assert listed("tested") == ([("2026-10", 1), ("2026-09", 1)], 3)


def test_what_is_no_number_is_no_value():
    assert listed("mem") == ([], 4)
    assert listed("wall") == ([], 5)


def test_results_are_the_verdicts_and_the_words_of_the_others():
    values, unknown = listed("is")
    assert values[:5] == [("pass", 2), ("fail", 0), ("excluded", 2), ("untested", 0), ("other", 1)]
    assert values[5:] == [("left out", 2), ("timeout", 1)]
    assert unknown == 0


def test_tasks_and_types_are_of_the_models_listed():
    assert listed("task") == ([("chat", 1)], 4)
    assert listed("type") == ([("qwen3", 1)], 4)
    assert listed("task", None) == ([], 0)


def test_a_ranking_has_the_librarys_of_the_hub_too():
    rows = ranking("acme/a", ("new/x", "diffusers"), ("new/y", None))
    lines = lines_of(SHOT, rows, Question(view=View.TRENDING, stack=STACK))
    known = vocabulary_of(lines, SHOT)
    assert (dict(known.values("library")), known.unknown("library")) == ({"diffusers": 1, "transformers": 1}, 1)
    assert dict(known.values("is"))["untested"] == 2


def test_spellings_that_differ_in_case_are_one_value():
    known = Vocabulary(lambda name: {"Eager": 3, "eager ": 1, "other": 2, None: 1, "  ": 4})
    assert dict(known.values("runner")) == {"Eager": 4, "other": 2}
    assert known.unknown("runner") == 5
    assert set(known.spellings("runner", "EAGER")) == {"Eager", "eager "}
    assert [*known.beginning("runner", "e"), *known.beginning("runner", "x")] == ["Eager"]
    assert list(known.within("runner", "THE")) == ["other"]
    assert known.spellings("runner", "eag") == ()


def test_the_values_of_a_name_are_counted_once():
    asked = []

    def counted(name):
        asked.append(name)
        return {"a": 1}

    known = Vocabulary(counted)
    for _ in range(3):
        known.values("org"), known.unknown("org"), known.spellings("org", "a")
    assert asked == ["org"]
