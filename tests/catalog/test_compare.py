"""One model across every stack: which record stands where, what it is compared with, what counts as a regression."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dataset_builder import parquet, said, write
from records_builder import NEWEST, OLDER, OLDEST, snapshot

from tui.catalog import compare, compare_told
from tui.catalog.compare import Comparison, compared, error_of
from tui.catalog.outcome_change import Change
from tui.catalog.snapshot import open_path
from tui.catalog.stacks import Stack
from tui.settings import Settings

NEW, OLD, FIRST = (Stack(*each.values()) for each in (NEWEST, OLDER, OLDEST))


def model(**values: Any) -> dict[str, Any]:
    return {"model_id": "acme/one", "result": "pass", "tp": 4, **values}


def of(*rows: dict[str, Any], renames: dict[str, str] | None = None) -> Comparison:
    return compared(snapshot(*rows), "acme/one", renames or {})


def test_rows_are_compilers_and_columns_library_versions_newest_first_in_version_order() -> None:
    found = of(model(**OLDEST), model(), model(**{**OLDER, "library_version": "5.10.0"}))
    assert found.compilers == ("2.28.7631.0", "2.27.5334.0", "2.9.100.0")
    assert found.columns == (("transformers", "5.23.1"), ("transformers", "5.10.0"), ("transformers", "5.9.0"))
    assert list(found.cells) == [NEW, Stack("2.27.5334.0", "transformers", "5.10.0"), FIRST]


def test_a_cell_has_the_record_of_the_table_and_tells_that_others_disagree() -> None:
    rows = [model(result="fail", tp=1), model(tp=8, wall_s=10), model(tp=2, wall_s=99), model(result="timeout", tp=16)]
    cell = of(*rows).cells[NEW]
    assert (cell.outcome.word, cell.record.tp, cell.record.values["wall_s"]) == ("PASS", 2, 99)
    assert (cell.records, cell.disagree) == (4, "+1 FAIL +1 other")
    assert cell.notes == ("the records here disagree: +1 FAIL +1 other",)


def test_stacks_of_the_dataset_without_a_record_are_known_and_other_libraries_are_no_part_of_the_matrix() -> None:
    foreign = {**NEWEST, "library": "diffusers", "library_version": "0.39.0"}
    found = of(model(**OLDER), {"model_id": "acme/two", "result": "pass"}, {"model_id": "acme/draw", **foreign})
    assert found.of_its_libraries == (NEW, OLD)
    assert found.without == (NEW,)
    assert found.of_other_libraries == (Stack(*foreign.values()),)
    assert compare_told.summary(found) == "a record on 1 of 2 stacks, no regression"


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [
        ("pass", "fail", Change.BROKEN),
        ("Passed", "FAILED", Change.BROKEN),
        ("fail", "pass", Change.FIXED),
        ("pass", "timeout", Change.OTHER),
        ("timeout", "fail", Change.OTHER),
        ("timeout", "skipped", Change.OTHER),
        ("timeout", "Timeout", Change.SAME),
        ("fail", "fail", Change.SAME),
        ("pass", "pass", Change.SAME),
    ],
)
def test_only_pass_to_fail_is_a_regression(before: str, now: str, change: Change) -> None:
    found = of(model(result=before, **OLDER), model(result=now))
    cell = found.cells[NEW]
    assert (cell.before, cell.change) == (OLD, change)
    assert [each.stack for each in found.regressions] == ([NEW] if change is Change.BROKEN else [])
    assert found.cells[OLD].change is None


def test_a_model_that_was_left_out_since_is_another_word_and_no_regression() -> None:
    found = of(model(**OLDER), model(result=None, exclusion="too large"))
    assert found.cells[NEW].change is Change.OTHER
    assert compare_told.change(found, found.cells[NEW]) == f"other word: PASS on {OLD.label}"


def test_a_pass_on_other_cores_is_told_as_that() -> None:
    found = of(model(tp=8, **OLDER), model(tp=4))
    cell = found.cells[NEW]
    assert cell.change is Change.CORES
    assert cell.notes == ("on 4 cores instead of 8",)
    assert of(model(tp=None, **OLDER), model(tp=4)).cells[NEW].change is Change.SAME


def test_time_and_memory_are_notes_whatever_their_size() -> None:
    found = of(model(wall_s=100, hbm_peak_gb=10.0, **OLDER), model(wall_s=1000, hbm_peak_gb=12.0))
    cell = found.cells[NEW]
    assert cell.change is Change.SAME
    assert cell.notes == ("10 x the wall time; cache state is not recorded", "1.2 x the peak memory")
    assert found.regressions == ()


@pytest.mark.parametrize(("wall", "peak"), [(100, 10.0), (None, None), (0, float("nan")), (102, 10.2)])
def test_what_is_equal_or_not_recorded_is_no_note(wall: int | None, peak: float | None) -> None:
    found = of(model(wall_s=100, hbm_peak_gb=10.0, **OLDER), model(wall_s=wall, hbm_peak_gb=peak))
    assert found.cells[NEW].notes == ()


def test_times_of_runs_that_did_not_pass_are_not_compared() -> None:
    assert of(model(wall_s=100, **OLDER), model(wall_s=900, result="fail")).cells[NEW].notes == ()


def test_it_is_compared_with_the_newest_that_is_not_newer_in_either_version_and_has_a_result() -> None:
    crossed = {**OLDER, "library_version": "5.30.0"}  # an older compiler with a newer library
    out = {**NEWEST, "neuronx_cc": "2.28.1.0"}  # newer than OLDER, and without a result
    other = {**NEWEST, "neuronx_cc": "2.28.2.0", "library": "diffusers"}
    found = of(
        model(result="fail"),
        model(**crossed),
        model(**out, result=None, exclusion="too large"),
        model(**other),
        model(**OLDER),
        model(**OLDEST, result="fail"),
    )
    assert found.cells[NEW].before == OLD
    assert found.cells[OLD].before == FIRST
    assert found.cells[Stack(*crossed.values())].before == OLD
    assert found.cells[Stack(*out.values())].before == OLD
    assert found.cells[Stack(*other.values())].before is None


def test_of_versions_that_are_none_or_not_recorded_nothing_is_known_beside_others() -> None:
    odd = [{**OLDER, "neuronx_cc": None}, {**OLDER, "neuronx_cc": "nightly 3"}]
    found = of(model(result="fail"), *(model(**each) for each in odd), model(**{**odd[1], "neuronx_cc": "nightly 10"}))
    assert found.cells[NEW].before is None
    assert found.cells[Stack("nightly 10", *list(OLDER.values())[1:])].before == Stack(*odd[1].values())


def test_records_of_the_old_id_are_of_the_same_model() -> None:
    rows = (model(model_id="acme/Old-One", **OLDER), model(result="fail"))
    assert list(of(*rows).cells) == [NEW]
    found = of(*rows, renames={"acme/old-one": "acme/one"})
    assert found.model_id == "acme/one"
    assert found.cells[NEW].regressed


def test_without_any_record_there_are_no_cells() -> None:
    found = of({"model_id": "acme/two"})
    assert (found.cells, found.columns, found.compilers) == ({}, (), ())
    assert found.stacks == (NEW,)


def test_older_stack_is_the_one_before_of_the_same_library() -> None:
    foreign = Stack("2.27.9.0", "diffusers", "1.0")
    assert compare.older_stack([NEW, foreign, OLD, FIRST], NEW) == OLD
    assert compare.older_stack([NEW, foreign, OLD, FIRST], foreign) is None


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """A dataset on disk with a regression; the error of the pass is one that did not end the run."""
    rows = [
        model(result="fail", error="Traceback:\n  deep\nRuntimeError: out of HBM\n", run_py="x", **NEWEST),
        model(notes="slow", error=None, run_py="x", **OLDER),
    ]
    folder = write(tmp_path / "data", a=parquet(*rows))
    return open_path(folder, Settings(cache_dir=tmp_path / "cache"), said)


def test_a_regression_is_told_with_what_both_records_say(read: Any) -> None:
    found = compared(read, "acme/one", {})
    errors = {cell.index: error_of(read, cell) for cell in found.cells.values()}
    now, before = found.cells[NEW], found.cells[OLD]
    assert errors[now.index] == "Traceback:\n  deep\nRuntimeError: out of HBM\n"
    assert compare_told.error_line(errors, now) == "RuntimeError: out of HBM (2 more lines)"
    assert compare_told.of_a_pass(errors, before) == "notes: slow"
    assert compare_told.error_line({}, now) == compare_told.NOT_READ
    row = compare_told.for_programs(found, errors).row(0, named=True)
    assert (row["change"], row["error"], row["before_error"], row["before_notes"]) == (
        "broken", errors[now.index], None, "slow",
    )  # fmt: skip
    said_of_it = compare_told.for_people(found, errors)["notes"][0]
    assert said_of_it == "error now: RuntimeError: out of HBM (2 more lines); before: notes: slow"


def test_an_error_is_read_from_disk_only_where_one_is_recorded(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(compare, "read_text", lambda _snapshot, file, row, column: asked.append((file, row, column)))
    found = compared(read, "acme/one", {})
    assert asked == []
    for cell in found.cells.values():
        error_of(read, cell)
    assert asked == [(0, 0, "error")]
