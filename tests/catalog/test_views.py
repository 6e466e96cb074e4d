import math

import polars as pl
import pytest
from records_builder import NEWEST, OLDER, OLDEST, on, ranking, snapshot

from tui.catalog.lines import LINES
from tui.catalog.stacks import ANY, StackChoice
from tui.catalog.verdict import Verdict
from tui.catalog.views import Question, View, lines_of, records_of, select, suggestion

NEW = StackChoice(**NEWEST)
OLD = StackChoice(**OLDER)


def selected(shot, stack=NEW, **asked):
    return select(shot, None, Question(view=View.SELECTED, stack=stack, **asked))


def trending(shot, rows, stack=NEW, **asked):
    return select(shot, rows, Question(view=View.TRENDING, stack=stack, **asked))


def ids(selection):
    return selection.lines["model_id"].to_list()


def line(selection, model_id):
    found = selection.lines.filter(pl.col("model_id") == model_id)
    assert found.height == 1
    return found.row(0, named=True)


def passed(model_id, **values):
    return {"model_id": model_id, "result": "pass", **values}


def failed(model_id, **values):
    return {"model_id": model_id, "result": "fail", **values}


def excluded(model_id, reason="too large", **values):
    return {"model_id": model_id, "exclusion": reason, **values}


EVERY_CASE = (
    {"model_id": "acme/nothing"},
    excluded("acme/excluded"),
    {"model_id": "acme/other", "result": "timeout"},
    failed("acme/Fail"),
    failed("acme/early-fail"),
    passed("acme/zebra"),
    passed("acme/Alpha"),
)

# ---- one line a model


def test_selected_lists_models_with_a_result_in_the_order_of_verdicts_then_ids():
    selection = selected(snapshot(*EVERY_CASE))
    assert ids(selection) == ["acme/Alpha", "acme/zebra", "acme/early-fail", "acme/Fail", "acme/other"]
    assert (selection.total, selection.hidden_left_out, selection.tested) == (7, 2, 5)
    assert selection.counts == {
        Verdict.PASS: 2,
        Verdict.FAIL: 2,
        Verdict.OTHER: 2,
        Verdict.EXCLUDED: 1,
        Verdict.UNTESTED: 0,
    }


def test_models_left_out_follow_when_asked_for_or_searched_for():
    shot = snapshot(*EVERY_CASE)
    shown = selected(shot, left_out=True)
    assert ids(shown)[-2:] == ["acme/excluded", "acme/nothing"]
    assert (len(ids(shown)), shown.hidden_left_out) == (7, 0)
    searched = selected(shot, search="ACME")
    assert ids(searched) == ids(shown)
    assert (searched.hidden_left_out, searched.tested) == (0, 5)


def test_a_pass_on_the_fewest_cores_and_then_the_newest_stands_for_the_model():
    shot = snapshot(
        passed("acme/a", tp=8, tested_at=on(20)),
        failed("acme/a", tp=1, tested_at=on(29)),
        passed("acme/A", tp=4, tested_at=on(3)),
        passed("acme/a", tp=4, tested_at=on(9), runner="second"),
        passed("acme/a", tested_at=on(28)),
    )
    shown = line(selected(shot), "acme/a")
    assert (shown["verdict"], shown["tp"], shown["runner"]) == ("PASS", 4, "second")
    assert (shown["records"], shown["disagree"], shown["record"]) == (5, "+1 FAIL", 3)


def test_the_newest_fail_stands_for_a_model_that_never_passed():
    shot = snapshot(
        failed("acme/a", tp=1, tested_at=on(3)),
        failed("acme/a", tp=8, tested_at=on(9)),
        failed("acme/a", tp=2),
        {"model_id": "acme/a", "result": "timeout", "tested_at": on(29)},
        {"model_id": "acme/a", "result": "oom"},
        excluded("acme/a", "gated"),
        {"model_id": "acme/a"},
    )
    shown = line(selected(shot), "acme/a")
    assert (shown["verdict"], shown["tp"]) == ("FAIL", 8)
    assert shown["disagree"] == "+2 other +1 left out +1 no result"


def test_records_of_two_unknown_words_disagree():
    shot = snapshot(
        {"model_id": "acme/a", "result": "timeout", "tested_at": on(29)},
        {"model_id": "acme/a", "result": "timeout", "tested_at": on(28)},
        {"model_id": "acme/a", "result": "oom", "tested_at": on(27)},
    )
    shown = line(selected(shot), "acme/a")
    assert (shown["word"], shown["disagree"]) == ("timeout", "+1 other")


def test_a_word_that_is_no_pass_is_shown_as_it_stands():
    shot = snapshot(
        {"model_id": "acme/ok", "result": "ok "},
        {"model_id": "acme/none", "result": "None"},
        {"model_id": "acme/empty", "result": ""},
        {"model_id": "acme/null"},
        {"model_id": "acme/raw", "unconverted": {"result": "[1, 2]"}},
        passed("acme/pass"),
    )
    selection = selected(shot, left_out=True)
    assert {row: line(selection, f"acme/{row}")["word"] for row in ("ok", "none", "empty", "null", "raw")} == {
        "ok": "ok ",
        "none": "None",
        "empty": '""',
        "null": "no result",
        "raw": "[1, 2]",
    }
    assert line(selection, "acme/pass")["word"] == "PASS"
    assert ids(selected(shot)) == ["acme/pass", "acme/none", "acme/ok", "acme/raw"]
    assert selection.tested == 4


def test_a_reason_is_told_also_beside_a_result():
    shot = snapshot(
        excluded("acme/out", "needs more than 16 cores"),
        passed("acme/both", exclusion="gated"),
        excluded("acme/word", "gated", result="skipped"),
        passed("acme/blank", exclusion=" "),
    )
    selection = selected(shot, left_out=True)
    words = {model: line(selection, f"acme/{model}")["word"] for model in ("out", "both", "word", "blank")}
    assert words == {"out": "left out", "both": "PASS", "word": "left out", "blank": "PASS"}
    assert line(selection, "acme/out")["note"] == "left out: needs more than 16 cores"
    assert line(selection, "acme/both")["note"] == "left out: gated"
    assert line(selection, "acme/word")["note"] == "left out: gated; recorded result «skipped»"
    assert line(selection, "acme/blank")["note"] is None
    assert line(selection, "acme/both")["verdict"] == "PASS"


def test_an_exclusion_with_a_word_is_listed_as_it_has_a_result_and_counts_as_excluded():
    selection = selected(snapshot(excluded("acme/word", "gated", result="skipped"), passed("acme/pass")))
    assert ids(selection) == ["acme/pass", "acme/word"]
    assert (selection.counts[Verdict.EXCLUDED], selection.tested) == (1, 1)


def test_records_without_an_id_are_a_line_each_and_an_empty_id_is_another_thing():
    shot = snapshot(passed(None), passed(None, tp=2), passed(""), passed("", tp=2), passed("acme/a"))
    selection = selected(shot)
    assert ids(selection) == ["", "acme/a", None, None]
    assert selection.lines["records"].to_list() == [2, 1, 1, 1]
    assert selection.lines["key"].to_list() == ["", "acme/a", "", ""]


def test_ids_that_differ_in_case_are_one_model():
    shot = snapshot(passed("acme/STRASSE"), failed("acme/Straße"))
    assert line(selected(shot), "acme/STRASSE")["disagree"] == "+1 FAIL"


# ---- the stack


def test_a_stack_shows_only_its_own_records_and_a_null_version_is_one_of_its_own():
    shot = snapshot(
        passed("acme/new"), failed("acme/old", **OLDER), passed("acme/null", neuronx_cc=None), passed("acme/n")
    )
    assert ids(selected(shot)) == ["acme/n", "acme/new"]
    assert ids(selected(shot, OLD)) == ["acme/old"]
    assert ids(selected(shot, StackChoice(None, "transformers", "5.23.1"))) == ["acme/null"]
    assert selected(shot, OLD).total == 1


def test_any_is_for_each_model_the_newest_stack_that_has_a_record_of_it():
    shot = snapshot(
        passed("acme/a", **OLDER),
        failed("acme/a"),
        passed("acme/b", **OLDER),
        passed("acme/b", **OLDEST),
        failed("acme/c", **OLDEST),
        excluded("acme/d"),
        passed("acme/d", **OLDER),
    )
    selection = selected(shot, StackChoice())
    assert dict(zip(ids(selection), selection.lines["verdict"], strict=True)) == {
        "acme/b": "PASS",
        "acme/a": "FAIL",
        "acme/c": "FAIL",
    }
    assert line(selection, "acme/b")["neuronx_cc"] == "2.27.5334.0"
    assert (selection.total, selection.hidden_left_out) == (4, 1)


def test_any_library_is_restricted_by_the_compiler_that_is_chosen():
    shot = snapshot(
        passed("acme/a", **{**NEWEST, "library_version": "5.9.0"}),
        failed("acme/a", **{**NEWEST, "library_version": "5.10.0"}),
        passed("acme/a", neuronx_cc="3.0"),
    )
    selection = selected(shot, StackChoice("2.28.7631.0", ANY, ANY))
    assert line(selection, "acme/a")["library_version"] == "5.10.0"
    assert selection.lines["verdict"].to_list() == ["FAIL"]


# ---- rankings


def test_a_ranking_keeps_the_order_of_the_hub_and_joins_by_casefolded_id():
    selection = trending(
        snapshot(passed("ACME/one", tp=4), failed("acme/two"), passed("acme/unranked")),
        ranking("acme/two", "acme/new", "acme/One"),
    )
    assert ids(selection) == ["acme/two", "acme/new", "acme/One"]
    assert selection.lines["rank"].to_list() == [1, 2, 3]
    assert selection.lines["figure"].to_list() == [100.0, 99.0, 98.0]
    assert selection.lines["verdict"].to_list() == ["FAIL", "UNTESTED", "PASS"]
    assert selection.lines["word"].to_list() == ["FAIL", "not tested", "PASS"]
    assert selection.lines["tp"].to_list() == [None, None, 4]
    assert selection.lines["record"].to_list() == [1, None, 0]
    assert line(selection, "acme/new")["note"] == "not tested"
    assert (selection.counts[Verdict.UNTESTED], selection.tested, selection.total) == (1, 2, 3)


def test_a_model_that_was_left_out_tells_why_in_a_ranking():
    selection = trending(snapshot(excluded("acme/a", "gated"), {"model_id": "acme/b"}), ranking("acme/a", "acme/b"))
    assert line(selection, "acme/a")["note"] == "left out: gated"
    assert (line(selection, "acme/a")["verdict"], line(selection, "acme/a")["word"]) == ("EXCLUDED", "left out")
    assert line(selection, "acme/b")["word"] == "no result"
    assert selection.hidden_left_out == 0


@pytest.mark.parametrize(
    ("records", "note"),
    [
        ([passed("acme/a", **OLDER)], "PASS on 2.27.5334.0 · transformers 5.21.0"),
        ([failed("acme/a", **OLDEST), passed("acme/a", **OLDER)], "PASS on 2.27.5334.0 · transformers 5.21.0"),
        ([passed("acme/a", **OLDEST), failed("acme/a", **OLDER)], "FAIL on 2.27.5334.0 · transformers 5.21.0"),
        ([failed("acme/a", **OLDER), passed("acme/a", **OLDER)], "PASS on 2.27.5334.0 · transformers 5.21.0"),
        ([excluded("acme/a", **OLDER)], "left out on 2.27.5334.0 · transformers 5.21.0"),
        ([{"model_id": "acme/a", **OLDER}], "no result on 2.27.5334.0 · transformers 5.21.0"),
        (
            [{"model_id": "acme/a", "result": "oom", **OLDER}],
            "«oom» on 2.27.5334.0 · transformers 5.21.0",
        ),
        (
            [passed("acme/a", **{**NEWEST, "neuronx_cc": None})],
            "PASS on neuronx-cc not recorded · transformers 5.23.1",
        ),
    ],
)
def test_a_model_tested_on_another_stack_only_says_where_and_what(records, note):
    selection = trending(snapshot(passed("acme/other"), *records), ranking("acme/a"))
    assert line(selection, "acme/a")["note"] == f"not on this stack ({note})"
    assert line(selection, "acme/a")["word"] == "other stack"
    assert line(selection, "acme/a")["verdict"] == "UNTESTED"


def test_why_a_model_has_no_result_is_the_first_thing_that_is_true():
    rows = ranking(("acme/older", "diffusers"), ("acme/draw", "diffusers"), ("acme/unknown", None), "acme/untested")
    records = [passed("acme/a"), passed("acme/older", **OLDER)]
    whole = trending(snapshot(*records), rows).lines
    notes = whole["note"].to_list()
    assert whole["word"].to_list() == ["other stack", *["not tested"] * 3]
    assert notes == [
        "not on this stack (PASS on 2.27.5334.0 · transformers 5.21.0)",
        "diffusers, not a Transformers model",
        "library unknown",
        "not tested",
    ]
    partial = trending(snapshot(*records, complete=False), rows).lines
    assert partial["note"].to_list() == [notes[0], *["not in what could be read"] * 3]
    assert partial["word"].to_list() == ["other stack", *["not read"] * 3]


def test_while_records_are_loading_no_model_is_called_untested():
    selection = trending(None, ranking("acme/a", ("acme/b", "diffusers")))
    assert selection.lines["note"].to_list() == ["not in what could be read"] * 2
    assert selection.lines["word"].to_list() == ["not read"] * 2
    assert selection.lines["verdict"].to_list() == ["UNTESTED"] * 2
    assert ids(trending(None, ranking("acme/a", "acme/b"), search="B")) == ["acme/b"]


def test_while_nothing_is_loaded_there_is_no_line():
    for selection in (selected(None), trending(snapshot(passed("acme/a")), None), trending(None, None)):
        assert ids(selection) == []
        assert (selection.total, selection.tested) == (0, 0)
        assert selection.lines.schema == pl.Schema(dict(LINES))


def test_the_libraries_of_the_chosen_stack_are_the_ones_a_model_is_not_of():
    two = snapshot(passed("acme/a"), passed("acme/s", **{**NEWEST, "library": "sentence-transformers"}))
    rows = ranking(("acme/draw", "diffusers"), ("acme/st", "sentence-transformers"))
    assert trending(two, rows, StackChoice()).lines["note"].to_list() == [
        "diffusers, not a sentence-transformers or Transformers model",
        "not tested",
    ]
    assert trending(two, rows).lines["note"].to_list() == [
        "diffusers, not a Transformers model",
        "sentence-transformers, not a Transformers model",
    ]
    unnamed = snapshot(passed("acme/a", library=None))
    assert trending(unnamed, rows, StackChoice()).lines["note"].to_list() == ["not tested"] * 2


def test_transformers_only_keeps_models_whose_library_is_unknown():
    rows = ranking(("acme/draw", "diffusers"), ("acme/unknown", None), ("acme/tested", None), "acme/t")
    selection = trending(snapshot(passed("acme/tested")), rows, transformers_only=True)
    assert ids(selection) == ["acme/unknown", "acme/tested", "acme/t"]
    assert selection.lines["note"].to_list() == ["library unknown", None, "not tested"]
    assert selection.lines["hub_library"].to_list() == [None, None, "transformers"]
    assert selection.lines["rank"].to_list() == [2, 3, 4]
    assert selection.total == 4


def test_a_record_of_the_old_id_joins_the_new_id_of_a_renamed_model():
    shot = snapshot(passed("Acme/Old-Name", tp=2), failed("acme/new-name", tp=8), passed("acme/x", **OLDER))
    renames = {"acme/old-name": "acme/new-name", "acme/x": "acme/y"}
    selection = trending(shot, ranking("acme/New-Name", "acme/Y"), renames=renames)
    shown = line(selection, "acme/New-Name")
    assert (shown["verdict"], shown["tp"], shown["records"], shown["disagree"]) == ("PASS", 2, 2, "+1 FAIL")
    assert shown["key"] == "acme/new-name"
    assert line(selection, "acme/Y")["note"].startswith("not on this stack (PASS on 2.27")
    without = trending(shot, ranking("acme/New-Name", "acme/Y"))
    assert line(without, "acme/New-Name")["verdict"] == "FAIL"


def test_records_without_an_id_never_join_a_ranking():
    selection = trending(snapshot(passed(None), passed("")), ranking("acme/a"))
    assert selection.lines["verdict"].to_list() == ["UNTESTED"]


def test_sample_and_real_data_are_never_joined():
    with pytest.raises(ValueError, match="Sample"):
        trending(snapshot(passed("sample/a"), source="sample"), ranking("acme/a"))
    with pytest.raises(ValueError, match="Sample"):
        trending(snapshot(passed("acme/a")), ranking("sample/a", sample=True))
    both = trending(snapshot(passed("sample/a"), source="sample"), ranking("sample/a", sample=True))
    assert both.counts[Verdict.PASS] == 1


# ---- search


def test_search_works_alike_in_every_view():
    shot = snapshot(passed("acme/Qwen-8B"), passed("acme/Llama-8B"), failed("other/qwen-3b"))
    rows = ranking("other/qwen-3b", "acme/Qwen-8B", "acme/Newcomer")
    assert ids(selected(shot, search="8b QWEN")) == ["acme/Qwen-8B"]
    found = trending(shot, rows, search="qwen")
    assert ids(found) == ["other/qwen-3b", "acme/Qwen-8B"]
    assert (found.tested, found.counts[Verdict.PASS], found.total) == (2, 1, 3)


def test_a_search_without_a_match_suggests_the_nearest():
    shot = snapshot(passed("acme/Qwen-8B"))
    nothing = selected(shot, search="qwne")
    assert (ids(nothing), nothing.total) == ([], 1)
    kept = lines_of(shot, None, Question(view=View.SELECTED, stack=NEW))

    def suggested(search):
        return suggestion(kept, Question(view=View.SELECTED, stack=NEW, search=search))

    assert suggested("qwne") == "qwen"
    assert [suggested(search) for search in ("", "  ", "qwen", "QWEN 8b", "zzzz")] == [None] * 5
    assert (
        suggestion(lines_of(None, None, Question(view=View.SELECTED)), Question(view=View.SELECTED, search="q")) is None
    )


def test_kept_lines_answer_as_freshly_made_ones():
    shot = snapshot(*EVERY_CASE)
    question = Question(view=View.SELECTED, stack=NEW, search="fail", sort="model_id", descending=True)
    kept = lines_of(shot, None, question.of_lines())
    assert select(shot, None, question, kept).lines.equals(select(shot, None, question).lines)
    assert question.of_lines() == Question(view=View.SELECTED, stack=NEW)


# ---- sorting


def sorted_values(rows, column, descending=False):
    shot = snapshot(*(passed(f"acme/{number}", **row) for number, row in enumerate(rows)))
    return ids(selected(shot, sort=column, descending=descending))


def test_numbers_sort_before_nan_before_raw_values_before_nulls_in_both_directions():
    rows = [
        {"hbm_peak_gb": None},
        {"hbm_peak_gb": None, "unconverted": {"hbm_peak_gb": "lots", "tp": "x"}},
        {"hbm_peak_gb": math.nan},
        {"hbm_peak_gb": 0.0},
        {"hbm_peak_gb": 18.2},
        {"hbm_peak_gb": None},
        {"hbm_peak_gb": -1.0},
    ]
    up = ["acme/6", "acme/3", "acme/4", "acme/2", "acme/1", "acme/0", "acme/5"]
    down = ["acme/4", "acme/3", "acme/6", "acme/2", "acme/1", "acme/0", "acme/5"]
    assert sorted_values(rows, "hbm_peak_gb") == up
    assert sorted_values(rows, "hbm_peak_gb", descending=True) == down


def test_the_empty_text_sorts_before_texts_and_null_after_them():
    rows = [{"english": value} for value in (None, "yes", "", "None", "No")]
    assert sorted_values(rows, "english") == ["acme/2", "acme/4", "acme/3", "acme/1", "acme/0"]
    down = sorted_values(rows, "english", descending=True)
    assert down == ["acme/1", "acme/3", "acme/4", "acme/2", "acme/0"]


def test_ties_keep_the_order_of_the_view():
    rows = [{"tp": value} for value in (8, 1, 8, 1)]
    assert sorted_values(rows, "tp") == ["acme/1", "acme/3", "acme/0", "acme/2"]
    assert sorted_values(rows, "tp", descending=True) == ["acme/0", "acme/2", "acme/1", "acme/3"]


def test_versions_sort_as_versions():
    shot = snapshot(
        *(passed(f"acme/{version}", **{**NEWEST, "library_version": version}) for version in ("5.9", "5.10", "5.2"))
    )
    assert ids(selected(shot, StackChoice(), sort="library_version")) == ["acme/5.2", "acme/5.9", "acme/5.10"]


def test_ids_sort_without_case_and_verdicts_in_their_order():
    shot = snapshot(*EVERY_CASE, passed(None))
    assert ids(selected(shot, sort="model_id")) == [
        "acme/Alpha",
        "acme/early-fail",
        "acme/Fail",
        "acme/other",
        "acme/zebra",
        None,
    ]
    assert ids(selected(shot, sort="verdict", descending=True))[0] == "acme/other"


def test_a_column_that_is_not_there_cannot_be_sorted_by():
    with pytest.raises(ValueError, match="«colour»"):
        selected(snapshot(passed("acme/a")), sort="colour")


def test_every_column_can_be_sorted_by_in_every_view():
    shot = snapshot(*EVERY_CASE, passed("acme/raw", unconverted={"tp": "four"}))
    rows = ranking("acme/Alpha", "acme/unknown")
    for column in LINES:
        assert selected(shot, sort=column).lines.height == 6
        assert trending(shot, rows, sort=column, descending=True).lines.height == 2


# ---- the columns, and the records of one model


def test_lines_have_the_same_columns_in_every_view():
    shot = snapshot(*EVERY_CASE)
    expected = pl.Schema(dict(LINES))
    assert selected(shot).lines.schema == expected
    assert trending(shot, ranking("acme/Alpha")).lines.schema == expected
    assert trending(None, ranking("acme/Alpha")).lines.schema == expected
    assert selected(snapshot()).lines.schema == expected


def test_all_records_of_a_model_are_found_the_newest_stack_first():
    shot = snapshot(
        passed("acme/a", **OLDEST),
        failed("acme/A"),
        passed("acme/a"),
        passed("acme/b"),
        passed("acme/old", **OLDER),
    )
    assert records_of(shot, "acme/a")["record"].to_list() == [2, 1, 0]
    assert records_of(shot, "acme/a", {"acme/old": "acme/a"})["record"].to_list() == [2, 1, 4, 0]
    assert records_of(shot, "acme/none").is_empty()


def test_the_first_record_of_a_stack_is_the_one_that_the_table_shows():
    shot = snapshot(
        passed("acme/a", tp=8, tested_at=on(9)),
        passed("acme/a", tp=2, tested_at=on(1)),
        failed("acme/a", tp=1, tested_at=on(10)),
    )
    (line,) = selected(shot).lines.rows(named=True)
    assert line["record"] == 1
    assert records_of(shot, "acme/a")["record"].to_list() == [1, 0, 2]


def test_a_model_under_its_old_id_has_the_records_of_its_new_id_too():
    shot = snapshot(passed("acme/older", **OLDEST), passed("acme/Old", **OLDER), failed("acme/new"), passed("acme/x"))
    renames = {"acme/old": "acme/new", "acme/older": "acme/new", "acme/y": "acme/x"}
    for key in ("acme/new", "acme/old", "acme/older"):
        assert records_of(shot, key, renames)["record"].to_list() == [2, 1, 0]


def test_records_without_an_id_are_of_no_model():
    shot = snapshot(passed(None), passed(""), failed("", **OLDER))
    assert records_of(shot, "")["record"].to_list() == [1, 2]


def test_of_one_stack_the_best_record_comes_first_then_the_newest_test_a_null_last():
    shot = snapshot(
        failed("acme/a", tested_at=on(9)),
        passed("acme/a"),
        passed("acme/a", tested_at=on(1)),
        passed("acme/a", tested_at=on(2)),
        passed("acme/a", neuronx_cc=None),
    )
    found = records_of(shot, "acme/a")
    assert found["record"].to_list() == [3, 2, 1, 0, 4]
    assert found.columns == ["record", *shot.records.columns]
