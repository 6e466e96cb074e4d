"""What a search finds among the lines of a view."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from records_builder import NEWEST, OLDER, on, ranking, snapshot

from tui.catalog import search_filter
from tui.catalog.question import Beyond, Limits
from tui.catalog.stacks import Stack, StackChoice
from tui.catalog.views import Question, View, lines_of, select, suggestion

RECORDS = (
    {"model_id": "Qwen/Small-1B", "result": "pass", "tp": 1, "wall_s": 60, "hbm_peak_gb": 4.0, "tested_at": on(30, 9),
     "runner": "eager", "notes": "slow first token"},
    {"model_id": "Qwen/Large-72B", "result": "fail", "tp": 16, "wall_s": 7200, "hbm_peak_gb": float("nan"),
     "tested_at": on(1, 10), "runner": "Eager", "notes": "Out of Memory in STRASSE"},
    {"model_id": "QwenLM/Old-7B", "result": "timeout", "tp": 4, "hbm_peak_gb": 20.0, "tested_at": on(2, 10)},
    {"model_id": "acme/Huge", "exclusion": "needs more than 16 cores"},
    {"model_id": "acme/Both", "result": "pass", "exclusion": "Gated", "tp": 2, "unconverted": {"wall_s": "5 min"}},
    {"model_id": "plain", "result": "ok ", "runner": "", "unconverted": {"tp": "eight"}},
    {"model_id": None, "result": "pass", "library": None},
)  # fmt: skip
SHOT = snapshot(*RECORDS)
STACK = StackChoice(**NEWEST)
ALL = [record["model_id"] for record in RECORDS]
KINDS = pl.DataFrame(
    [("qwen/small-1b", "text-generation", "qwen3"), ("qwen/large-72b", "text-generation", None),
     ("acme/huge", None, "huge")],
    schema=["key", "task", "model_type"], orient="row",
)  # fmt: skip
HERE = Limits(4, Stack(**NEWEST))
BEYOND = Beyond(HERE, KINDS, {"oom": pl.Series([1, 3], dtype=pl.UInt32), "memory": pl.Series([0])})


def selected(text, beyond=BEYOND, shot=SHOT, stack=STACK, **asked):
    return select(shot, None, Question(view=View.SELECTED, stack=stack, search=text, **asked), beyond=beyond)


def found(text):
    return sorted(selected(text).lines["model_id"].to_list(), key=ALL.index)


SMALL, LARGE, OLD, HUGE, BOTH, PLAIN, NAMELESS = ALL
ANY = StackChoice()
"""The record without an id has no library either."""


def on_any(text):
    return sorted(selected(text, stack=ANY).lines["model_id"].to_list(), key=ALL.index)


@pytest.mark.parametrize(
    ("text", "models"),
    [
        ("is:pass", [SMALL, BOTH, NAMELESS]),
        ("is:FAIL", [LARGE]),
        ("is:excluded", [HUGE]),
        ("is:other", [OLD, PLAIN]),
        ("is:untested", []),
        ("is:timeout", [OLD]),
        ("is:ok", [PLAIN]),
        ('is:"left out"', [HUGE]),
        ("is:nonsense", []),
        ("cores<=4", [SMALL, OLD, BOTH]),
        ("cores>4", [LARGE]),
        ("cores=16", [LARGE]),
        ("cores:unknown", [HUGE, PLAIN, NAMELESS]),
        ("cores<=999999999999999999", [SMALL, LARGE, OLD, BOTH]),
        ("mem<20", [SMALL]),
        ("mem>=20", [OLD]),
        ("mem:unknown", [LARGE, HUGE, BOTH, PLAIN, NAMELESS]),
        ("wall<=1m", [SMALL]),
        ("wall>=2h", [LARGE]),
        ("wall=unknown", [OLD, HUGE, BOTH, PLAIN, NAMELESS]),
        ("tested>2026-10-01", [OLD]),
        ("tested>=2026-10-01", [LARGE, OLD]),
        ("tested:2026-10-01", [LARGE]),
        ("tested<2026-10", [SMALL]),
        ("tested<=2026-10", [SMALL, LARGE, OLD]),
        ("tested:2026-10", [LARGE, OLD]),
        ("tested>2026-10", []),
        ("tested:unknown", [HUGE, BOTH, PLAIN, NAMELESS]),
        ("org:qwen", [SMALL, LARGE]),
        ("org:QWENLM", [OLD]),
        ("org:unknown", [PLAIN, NAMELESS]),
        ("task:Text-Generation", [SMALL, LARGE]),
        ("task:unknown", [OLD, HUGE, BOTH, PLAIN, NAMELESS]),
        ("type:qwen3", [SMALL]),
        ("type:unknown", [LARGE, OLD, BOTH, PLAIN, NAMELESS]),
        ("runner:eager", [SMALL, LARGE]),
        ("runner:unknown", [OLD, HUGE, BOTH, PLAIN, NAMELESS]),
        ("library:Transformers", [SMALL, LARGE, OLD, HUGE, BOTH, PLAIN]),
        ("library:unknown", [NAMELESS]),
        ('reason:"MORE than"', [HUGE]),
        ("reason:gated", [BOTH]),
        ("error:OOM", [LARGE, HUGE]),
        ("error:memory", [SMALL, LARGE]),
        ("fits:here", [SMALL, OLD, BOTH]),
        ("is:pass cores<=1 qwen", [SMALL]),
        ("qwen -72b", [SMALL, OLD]),
        ('-"72b" -is:other', [SMALL, HUGE, BOTH, NAMELESS]),
    ],
)
def test_each_name_finds_its_models(text, models):
    assert on_any(text) == models


def test_what_has_no_value_is_in_the_negation_of_a_comparison_and_in_no_comparison():
    assert on_any("-cores<=4") == [LARGE, HUGE, PLAIN, NAMELESS]
    assert on_any("cores>4") == [LARGE]


def test_models_that_were_left_out_are_found_by_any_search_that_counts():
    assert HUGE not in found("") and selected("").hidden_left_out == 1
    assert HUGE in found("-is:pass")
    assert found("acme") == [HUGE, BOTH]
    unclear = selected("is:pa zzz:x -")
    assert unclear.lines.equals(selected("").lines)
    assert (unclear.hidden_left_out, len(unclear.search.unclear)) == (1, 3)


def test_what_is_not_at_hand_yet_does_not_count_and_is_told():
    nothing = Beyond()
    for text, hint in (
        ("task:text-generation", "reading what the Hub said of the models …"),
        ("type:unknown", "reading what the Hub said of the models …"),
        ("error:xyz", "reading errors …"),
        ("fits:here", "looking at this host …"),
    ):
        selection = selected(f"is:fail {text}", nothing)
        assert selection.lines["model_id"].to_list() == [LARGE]
        assert [each.hint for each in selection.search.unclear] == [hint]
    assert selected('error:XYZ -error:"a b" error:', nothing).wants_errors == ("xyz", "a b")
    assert selected("error:OOM").wants_errors == ()


def test_while_records_are_read_their_texts_cannot_be_searched():
    shown = select(None, ranking("acme/a"), Question(view=View.TRENDING, search="error:x reason:y is:untested"))
    assert [each.name for each in shown.search.unclear] == ["error", "reason"]
    assert (shown.height, shown.wants_errors) == (1, ())


@pytest.mark.parametrize(
    ("limits", "note"),
    [
        (Limits(0, Stack(**NEWEST), "no Neuron device"), "nothing fits here: no Neuron device"),
        (Limits(64, None, "python has no stack"), "nothing fits here: python has no stack"),
    ],
)
def test_on_a_host_where_nothing_can_fit_nothing_does_and_the_note_says_why(limits, note):
    selection = selected("fits:here", Beyond(limits))
    assert selection.height == 0
    assert [(each.hint, each.note) for each in selection.search.terms] == [("", note)]
    assert selected("-fits:here", Beyond(limits)).height == len(ALL) - 1


def test_a_record_of_another_stack_than_the_installed_one_does_not_fit():
    shot = snapshot({"model_id": "acme/a", "result": "pass", "tp": 1, **OLDER})
    assert selected("fits:here", shot=shot, stack=StackChoice(**OLDER)).height == 0


def test_in_a_ranking_terms_are_of_the_record_and_the_library_is_else_the_hubs():
    rows = ranking("qwen/small-1b", ("acme/new", "diffusers"), ("acme/none", None), "other/old")
    shot = snapshot(*RECORDS, {"model_id": "other/old", "result": "pass", **OLDER})

    def ids(text):
        return (
            select(shot, rows, Question(view=View.TRENDING, stack=STACK, search=text), beyond=BEYOND)
            .lines["model_id"]
            .to_list()
        )

    assert ids("is:untested") == ["acme/new", "acme/none", "other/old"]
    assert ids('is:"other stack"') == ["other/old"]
    assert ids("library:diffusers") == ["acme/new"]
    assert ids("library:unknown") == ["acme/none"]
    assert ids("cores<=1") == ["qwen/small-1b"]
    assert ids("task:text-generation -is:untested") == ["qwen/small-1b"]
    assert ids("error:memory") == ["qwen/small-1b"]


def test_counts_are_of_what_was_found_and_a_sort_keeps_it():
    selection = selected("qwen -is:fail", sort="wall_s")
    assert selection.lines["model_id"].to_list() == [SMALL, OLD]
    assert (selection.tested, sum(selection.counts.values())) == (2, 2)


def test_words_narrow_what_was_found_before_also_beside_terms():
    base = lines_of(SHOT, None, Question(view=View.SELECTED, stack=ANY))
    before = None
    for text in ("is:pass", "is:pass q", "is:fail q", "is:fail qwen", "qwen", "qwenl", "-is:pass", ""):
        question = Question(view=View.SELECTED, stack=ANY, search=text)
        before = select(SHOT, None, question, base, before, BEYOND)
        assert before.lines.equals(select(SHOT, None, question, beyond=BEYOND).lines), text


def test_values_are_counted_once_for_the_same_lines():
    base = lines_of(SHOT, None, Question(view=View.SELECTED, stack=STACK))
    question = Question(view=View.SELECTED, stack=STACK, search="org:Q")
    first = select(SHOT, None, question, base, None, BEYOND)
    assert select(SHOT, None, question, base, first, BEYOND).vocabulary is first.vocabulary
    assert select(SHOT, None, question, base.clone(), first, BEYOND).vocabulary is not first.vocabulary
    assert select(SHOT, None, question, base, first, Beyond()).vocabulary is not first.vocabulary


def test_a_suggestion_mends_words_and_leaves_terms_alone():
    base = lines_of(SHOT, None, Question(view=View.SELECTED, stack=STACK))
    assert suggestion(base, Question(view=View.SELECTED, search="qwne is:fail -7b")) == "qwen is:fail -7b"
    assert suggestion(base, Question(view=View.SELECTED, search="is:nonsense")) is None
    assert suggestion(base, Question(view=View.SELECTED, search="qwen is:nonsense")) is None


# ---- for any search

COUNTED = st.sampled_from(
    ["is:pass", "is:other", "is:timeout", "cores<=4", "cores>1", "cores:unknown", "mem<20", "mem>1", "mem:unknown",
     "wall<300", "wall>=1h", "tested>2026-09", "tested:unknown", "org:Qwen", "org:unknown", "task:text-generation",
     "task:unknown", "type:unknown", "runner:eager", "runner:unknown", "library:transformers", "library:unknown",
     "reason:more", "error:oom", "error:memory", "fits:here", "7b", "qwen", '"small-1"'],
)  # fmt: skip
UNCLEAR = st.sampled_from(["-", "is:pa", "zzz:1", "cores<=", "tested>2026-1", "org:Q", '""', "fits:", "mem<x", "is<1"])
BASE = lines_of(SHOT, None, Question(view=View.SELECTED, stack=ANY))


def places(text):
    question = Question(view=View.SELECTED, stack=ANY, search=text, left_out=True)
    return set(select(SHOT, None, question, BASE, beyond=BEYOND).lines["record"].to_list())


@settings(deadline=None, max_examples=60)
@given(COUNTED)
def test_the_negation_of_a_term_finds_exactly_the_other_lines(text):
    assert places(f"-{text}") == places("") - places(text)


@settings(deadline=None, max_examples=60)
@given(st.lists(COUNTED, min_size=1, max_size=4), st.lists(st.booleans(), min_size=4, max_size=4))
def test_several_terms_find_what_all_of_them_find(texts, negated):
    signed = [f"-{text}" if dash else text for text, dash in zip(texts, negated, strict=False)]
    assert places(" ".join(signed)) == set.intersection(*map(places, signed))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.booleans(), COUNTED, UNCLEAR), max_size=4))
def test_terms_that_do_not_count_change_nothing(pieces):
    mixed = " ".join(text if counts else unclear for counts, text, unclear in pieces)
    only = " ".join(text for counts, text, _ in pieces if counts)
    # A quote opened by an unclear term would take what follows: those here are closed.
    assert places(mixed) == places(only)


def test_a_whole_search_is_one_expression_over_the_lines():
    vocabulary = selected("").vocabulary
    search = selected("is:pass -org:qwen error:oom task:unknown fits:here cores<4").search
    condition = search_filter.expression(search, SHOT, vocabulary, BEYOND)
    assert isinstance(condition, pl.Expr)
    assert BASE.select(holds=condition)["holds"].null_count() == 0
