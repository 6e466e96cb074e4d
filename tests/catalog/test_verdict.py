import math
from datetime import UTC, datetime

import pytest

from tui.catalog.stacks import Stack
from tui.catalog.verdict import Record, Verdict, check_sentences, sentence, shown, verdict_of


def record(unconverted=None, **values):
    unconverted = unconverted or {}
    result = values.get("result", unconverted.get("result"))
    return Record(
        values=values,
        unconverted=unconverted,
        extra={},
        file=0,
        row=0,
        verdict=verdict_of(result, values.get("exclusion")),
    )


@pytest.mark.parametrize(
    ("result", "exclusion", "verdict"),
    [
        ("pass", None, Verdict.PASS),
        (" PASSED\n", None, Verdict.PASS),
        ("Fail", None, Verdict.FAIL),
        ("failed", "too large", Verdict.FAIL),
        ("passed", "too large", Verdict.PASS),
        ("ok", None, Verdict.OTHER),
        ("true", None, Verdict.OTHER),
        ("passes", None, Verdict.OTHER),
        ("pass (slow)", None, Verdict.OTHER),
        ("None", None, Verdict.OTHER),
        ("", None, Verdict.OTHER),
        (None, None, Verdict.OTHER),
        (None, "  ", Verdict.OTHER),
        (None, "needs more than 16 cores", Verdict.EXCLUDED),
        ("timeout", "needs more than 16 cores", Verdict.EXCLUDED),
    ],
)
def test_only_four_words_are_pass_and_fail(result, exclusion, verdict):
    assert verdict_of(result, exclusion) is verdict


def test_verdicts_are_in_the_order_of_the_screen():
    assert list(Verdict) == ["PASS", "FAIL", "OTHER", "EXCLUDED", "UNTESTED"]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {"result": "pass", "tp": 8, "wall_s": 372, "hbm_peak_gb": 18.2, "hbm_capacity_gb": 24.0},
            "PASS on 8 cores, 6 min 12 s with compilation, peak 18.2 of 24 GB recorded",
        ),
        ({"result": "pass", "tp": 1}, "PASS on 1 core"),
        ({"result": "pass"}, "PASS"),
        ({"result": "pass", "wall_s": 60}, "PASS, 1 min with compilation"),
        ({"result": "pass", "tp": 0, "wall_s": 0}, "PASS on 0 cores, 0 s with compilation"),
        ({"result": "pass", "tp": 1, "hbm_peak_gb": 3.0}, "PASS on 1 core, peak 3 GB recorded"),
        ({"result": "pass", "tp": 1, "hbm_capacity_gb": 24.0}, "PASS on 1 core, 24 GB available recorded"),
        (
            {"result": "pass", "tp": 2, "hbm_peak_gb": math.nan, "hbm_capacity_gb": 24.0},
            "PASS on 2 cores, peak NaN of 24 GB recorded",
        ),
        ({"result": "failed", "tp": 8, "wall_s": 700}, "FAIL on 8 cores after 11 min 40 s"),
        ({"result": "fail"}, "FAIL"),
        (
            {"result": "timeout", "tp": 2, "wall_s": 3600},
            "Result «timeout», on 2 cores, 1 h with compilation",
        ),
        ({"result": "None"}, "Result «None»"),
        ({"result": ""}, 'Result ""'),
        ({"tp": 4}, "No result recorded, on 4 cores"),
        ({"exclusion": "needs more than 16 cores"}, "Left out: needs more than 16 cores"),
        (
            {"exclusion": "needs more than 16 cores", "result": "skipped"},
            "Left out: needs more than 16 cores; recorded result «skipped»",
        ),
        (
            {"exclusion": "gated", "result": "pass", "tp": 1},
            "PASS on 1 core, and yet an exclusion is recorded: gated",
        ),
    ],
)
def test_the_verdict_is_one_sentence_of_what_is_recorded(values, said):
    assert sentence(record(**values)) == said


def test_values_that_could_not_be_read_stand_in_the_sentence_as_they_are():
    raw = {"tp": "four", "wall_s": "fast", "hbm_peak_gb": "lots"}
    assert sentence(record(raw, result="pass", hbm_capacity_gb=24.0)) == (
        "PASS, cores «four» as recorded, time «fast» as recorded, peak «lots» of 24 GB as recorded"
    )
    assert sentence(record({"tp": "four"}, result="fail", wall_s=700)) == (
        "FAIL after 11 min 40 s, cores «four» as recorded"
    )
    assert sentence(record({"wall_s": ""}, result="fail", tp=4)) == 'FAIL on 4 cores, time "" as recorded'
    assert sentence(record({"hbm_capacity_gb": "all"}, result="pass", hbm_peak_gb=3.5)) == (
        "PASS, peak 3.5 GB recorded, memory available «all» as recorded"
    )


def test_what_the_verdict_rests_on_is_told_from_what_is_recorded():
    judged = record(result="pass", tp=8, english="yes")
    assert check_sentences(judged) == [
        "Check: judge model; recorded answer «yes».",
        "A small judge model read whether the text is fluent English.",
        "A functional test of 32 tokens, not a benchmark.",
    ]


def test_both_checks_are_told_when_both_are_recorded():
    both = record(result="pass", tp=1, cpu_match="match ", english="None")
    assert check_sentences(both) == [
        "Check: comparison with a CPU run; recorded answer «match ».",
        "Check: judge model; recorded answer «None».",
        "The tokens generated on one core were compared with a CPU run of the same checkpoint.",
        "A small judge model read whether the text is fluent English.",
        "A functional test of 32 tokens, not a benchmark.",
    ]


@pytest.mark.parametrize("cores", [1, 8, None])
def test_a_check_is_never_derived_from_the_number_of_cores(cores):
    assert check_sentences(record(result="pass", tp=cores)) == [
        "What was checked is not recorded.",
        "A functional test of 32 tokens, not a benchmark.",
    ]


def test_an_empty_answer_is_shown_as_an_empty_answer():
    assert check_sentences(record(result="pass", english=""))[0] == 'Check: judge model; recorded answer "".'


def test_a_model_that_was_left_out_rests_on_no_test():
    assert check_sentences(record(exclusion="too large")) == []
    assert check_sentences(record()) == []


def test_five_different_things_look_different():
    assert [shown(value) for value in (None, "", math.nan, 0, "None")] == ["–", '""', "NaN", "0", "None"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (18.2, "18.2"),
        (24.0, "24"),
        (0.0, "0"),
        ("  ", '"  "'),
        (True, "true"),
        ({"a": [1, None]}, '{"a": [1, null]}'),
        (12, "12"),
    ],
)
def test_a_value_is_shown_as_it_is(value, text):
    assert shown(value) == text


def test_a_raw_value_that_does_not_fit_its_column_is_marked():
    assert shown(None, "four") == "four?"
    assert shown(None, "") == '""?'


def test_a_time_is_shown_in_the_time_zone_of_the_person(monkeypatch):
    import time

    monkeypatch.setenv("TZ", "UTC-2")
    time.tzset()
    try:
        assert shown(datetime(2026, 11, 20, 12, 2, tzinfo=UTC)) == "2026-11-20 14:02"
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()


def test_a_record_tells_its_stack_and_its_word():
    one = record(result=" ok", model_id="acme/A", neuronx_cc="2.28", library="transformers", tp=2)
    assert one.result_word == " ok"
    assert one.stack == Stack("2.28", "transformers", None)
    assert (one.model_id, one.library, one.tp) == ("acme/A", "transformers", 2)
