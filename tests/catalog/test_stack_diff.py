"""Two stacks against each other over all models: each change, its order, and what counts where records disagree."""

from __future__ import annotations

from typing import Any

import pytest
from records_builder import NEWEST, OLDER, snapshot

from tui.catalog import diff_told
from tui.catalog.outcome_change import Change
from tui.catalog.stack_diff import StackDiff, diff
from tui.catalog.stacks import Stack

OLD, NEW = Stack(*OLDER.values()), Stack(*NEWEST.values())


def pair(name: str, old: dict[str, Any] | None, new: dict[str, Any] | None) -> list[dict[str, Any]]:
    sides = ((old, OLDER), (new, NEWEST))
    return [{"model_id": f"acme/{name}", **values, **stack} for values, stack in sides if values is not None]


def found(*pairs: list[dict[str, Any]], **options: Any) -> StackDiff:
    return diff(snapshot(*(row for rows in pairs for row in rows)), OLD, NEW, **options)


PASS, FAIL = {"result": "pass", "tp": 4}, {"result": "fail", "tp": 4}
LEFT_OUT = {"result": None, "exclusion": "too large"}
ALL = {
    "z-broke": (PASS, FAIL, Change.BROKEN),
    "broke-on-other-cores": (PASS, {"result": "FAILED", "tp": 8}, Change.BROKEN),
    "mended": (FAIL, PASS, Change.FIXED),
    "new": (None, PASS, Change.NEW),
    "new-fail": (None, FAIL, Change.NEW),
    "gone": (PASS, None, Change.GONE),
    "cores": (PASS, {**PASS, "tp": 8}, Change.CORES),
    "timeout": (PASS, {"result": "timeout"}, Change.OTHER),
    "left-out": (PASS, LEFT_OUT, Change.OTHER),
    "tested-now": (LEFT_OUT, PASS, Change.OTHER),
    "left-out-anew": (None, LEFT_OUT, Change.OTHER),
    "no-result": (FAIL, {"result": None}, Change.OTHER),
    "same": (PASS, {**PASS, "wall_s": 10_000, "hbm_peak_gb": 90.0}, Change.SAME),
    "same-fail": (FAIL, {**FAIL, "tp": 8}, Change.SAME),
    "same-out": (LEFT_OUT, {**LEFT_OUT, "exclusion": "gated"}, Change.SAME),
}


@pytest.fixture(scope="module")
def everything() -> StackDiff:
    return found(*(pair(name, old, new) for name, (old, new, _) in ALL.items()))


def test_each_model_has_its_change(everything: StackDiff) -> None:
    changes = dict(everything.frame.select("model_id", "change").iter_rows())
    assert changes == {f"acme/{name}": change.value for name, (_, _, change) in ALL.items()}


def test_the_broken_are_first_and_every_change_is_counted(everything: StackDiff) -> None:
    assert everything.frame["model_id"].to_list()[:3] == ["acme/broke-on-other-cores", "acme/z-broke", "acme/mended"]
    assert [everything.counts[change] for change in Change] == [2, 1, 2, 1, 1, 5, 3]
    assert sum(everything.counts.values()) == everything.frame.height
    assert everything.broke
    assert everything.only([Change.FIXED, Change.GONE])["model_id"].to_list() == ["acme/mended", "acme/gone"]


def test_a_line_has_both_verdicts_words_cores_times_and_memory() -> None:
    old = {"result": "pass", "tp": 4, "wall_s": 372, "hbm_peak_gb": 18.2}
    new = {"result": "timeout", "tp": 8, "wall_s": 3600, "hbm_peak_gb": None}
    line = found(pair("one", old, new)).frame.row(0, named=True)
    assert {name: line[name] for name in ("old_verdict", "old_word", "old_tp", "old_wall_s", "old_hbm_peak_gb")} == {
        "old_verdict": "PASS", "old_word": "PASS", "old_tp": 4, "old_wall_s": 372, "old_hbm_peak_gb": 18.2,
    }  # fmt: skip
    assert (line["new_verdict"], line["new_word"], line["new_tp"]) == ("OTHER", "timeout", 8)


def test_of_several_records_the_one_of_the_table_counts_and_the_disagreement_is_told() -> None:
    still_passes = pair("one", PASS, FAIL) + pair("one", None, {"result": "pass", "tp": 8, "runner": "compile"})
    passed_once = pair("two", FAIL, FAIL) + pair("two", PASS, None)
    result = found(still_passes, passed_once)
    changes = dict(result.frame.select("model_id", "change").iter_rows())
    assert changes == {"acme/one": "cores", "acme/two": "broken"}
    notes = {line["model_id"]: diff_told.note(line) for line in result.frame.iter_rows(named=True)}
    assert notes == {"acme/one": "new: +1 FAIL", "acme/two": "old: +1 FAIL"}


def test_other_stacks_and_records_without_an_id_have_no_part_in_it() -> None:
    other = [{"model_id": "acme/x", "result": "pass", **{**OLDER, "library": "diffusers"}}]
    nameless = [{"model_id": None, "result": "pass", **OLDER}, {"model_id": None, "result": "fail", **NEWEST}]
    assert found(other, nameless, pair("one", PASS, PASS)).frame["model_id"].to_list() == ["acme/one"]


def test_ids_are_one_in_any_case_and_through_a_rename() -> None:
    rows = [{"model_id": "acme/ONE", **PASS, **OLDER}, {"model_id": "acme/one", **FAIL, **NEWEST}]
    rows += [{"model_id": "acme/before", **PASS, **OLDER}, {"model_id": "acme/after", **FAIL, **NEWEST}]
    assert found(rows).counts[Change.BROKEN] == 1
    renamed = found(rows, renames={"acme/before": "acme/after"})
    assert renamed.frame["model_id"].to_list() == ["acme/after", "acme/one"]
    assert renamed.counts[Change.BROKEN] == 2


def test_a_stack_against_itself_and_an_unknown_one() -> None:
    rows = pair("one", PASS, FAIL)
    assert diff(snapshot(*rows), NEW, NEW).counts[Change.SAME] == 1
    nowhere = diff(snapshot(*rows), Stack("9", "transformers", "9"), NEW)
    assert nowhere.counts[Change.NEW] == nowhere.frame.height == 1


def test_both_sides_are_told_where_they_differ(everything: StackDiff) -> None:
    told = {row["model"]: row for row in diff_told.told(everything, diff_told.LISTED, "markdown").iter_rows(named=True)}
    assert told["acme/z-broke"]["result"] == "PASS -> FAIL"
    assert told["acme/cores"]["result"] == "PASS"
    assert told["acme/cores"]["cores"] == "4 -> 8"
    assert told["acme/left-out"]["result"] == "PASS -> left out"
    assert told["acme/gone"]["result"] == "PASS -> no record"
    assert "acme/same" not in told
    program = diff_told.told(everything, list(Change), "csv")
    assert program.height == len(ALL)
    assert program["new_stack"].unique().to_list() == ["2.28.7631.0/transformers-5.23.1"]
    assert not {"key", "old_record", "new_record"} & set(program.columns)
