"""The overview: its numbers, and that each bar opens exactly the list that it counts."""

from __future__ import annotations

import random

import polars as pl
import pytest
from parquet_builder import parquet
from read_here import read_in_this_process

from tui.catalog import error_search, failures, kinds
from tui.catalog import snapshot as snapshots
from tui.catalog.overview import FAILURES_SHOWN, STACKS_SHOWN, TASKS_SHOWN, Topic, overview_of
from tui.catalog.question import Beyond, Question, View
from tui.catalog.stacks import ANY, StackChoice
from tui.catalog.verdict import Verdict
from tui.catalog.views import lines_of, select


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch):
    read_in_this_process(monkeypatch.setattr)


@pytest.fixture
def shot_of(tmp_path, settings):
    """A snapshot of these records, through a file: errors are read from there."""

    def made(*records):
        path = tmp_path / "records.parquet"
        path.write_bytes(parquet(*records))
        return snapshots.open_path(path, settings, lambda _: None)

    return made


def kinds_frame(tasks):
    rows = [(key, task, None, None) for key, task in tasks.items()]
    return pl.DataFrame(rows, schema=kinds.COLUMNS, orient="row")


def listed(shot, bars, known):
    """What the app lists when each bar is opened: the errors that the searches want are read as the app reads them."""
    lines = {
        stack: lines_of(shot, None, Question(view=View.SELECTED, stack=stack)) for stack in {bar.stack for bar in bars}
    }

    def lists(errors):
        beyond = Beyond(kinds=known, errors=errors)
        return [select(shot, None, bar.question, lines[bar.stack], beyond=beyond) for bar in bars]

    return lists(error_search.find(shot, [text for found in lists({}) for text in found.wants_errors]))


def check(shot, choice, known):
    """Every bar counts what its list has; those of a section have each model of the stack once."""
    overview = overview_of(shot, choice, known, failures.read(shot))
    whole = overview.counts
    for section in overview.sections:
        assert section.known
        records = []
        for bar, found in zip(section.bars, listed(shot, section.bars, known), strict=True):
            assert found.search.unclear == (), bar
            assert found.height == bar.counts.total, bar
            assert found.tested == bar.counts.tested, bar
            by_verdict = (bar.counts.passed, bar.counts.failed, bar.counts.other + bar.counts.no_result)
            assert tuple(found.counts[each] for each in (Verdict.PASS, Verdict.FAIL, Verdict.OTHER)) == by_verdict, bar
            assert found.counts[Verdict.EXCLUDED] == bar.counts.left_out, bar
            records += found.lines["record"].to_list()
        assert len(records) == len(set(records)), section.topic
        if section.topic in (Topic.TASKS, Topic.CORES, Topic.MEMORY):
            assert len(records) == whole.total, section.topic
        if section.topic is Topic.FAILURES:
            assert len(records) <= whole.total - whole.passed - whole.left_out
    return overview


def section_of(overview, topic):
    return next(section for section in overview.sections if section.topic is topic)


def test_each_bar_of_the_sample_opens_the_list_that_it_counts(settings):
    shot = snapshots.open_sample()
    known = kinds.read(settings, sample=True)
    for choice in (*(StackChoice.of(each.stack) for each in shot.stacks), StackChoice(), StackChoice("2.28.7631.0")):
        overview = check(shot, choice, known)
        counted = sum(bar.counts.total for bar in section_of(overview, Topic.FAILURES).bars)
        assert counted == overview.counts.total - overview.counts.passed - overview.counts.left_out


WORDS = [
    *["pass"] * 6,
    "Passed",
    *["fail"] * 5,
    "FAILED",
    "timeout",
    "OOM",
    "excluded",
    "untested",
    "other",
    "",
    "  ",
    None,
]
ERRORS = [
    None, "", "  \n ", "RuntimeError: status 4", "RuntimeError: status 5", "log\nruntimeerror: STATUS 6",
    'she said "no" = x', "-dash first", "unknown", "*", "#", "[NCC_EOOM001] 3GB of 4GB", "acme/model-7 is broken",
    "'quoted' \"\"twice\"\" é ß", "\x1b[31mred\x1b[0m [/red]", "x" * 5_000, "ends in a quote \"",
]  # fmt: skip
NUMBERS = [None, 0.0, 2.4, 9.6, 12.0, 21.6, 23.999999, 24.0, 24.1, float("nan"), -1.0, float("inf"), "much"]
TASKS = [
    None,
    "text-generation",
    "Text-Generation",
    "image to text",
    'a "task"',
    "unknown",
    "-x",
    *(f"task-{n}" for n in range(9)),
]


@pytest.mark.parametrize("seed", range(3))
def test_whatever_the_records_are_each_bar_opens_the_list_that_it_counts(shot_of, seed):
    some = random.Random(seed)
    rows = [
        {
            "model_id": some.choice(
                [*(f"acme/model-{n}" for n in range(60)), *(f"ACME/Model-{n}" for n in range(9)), None]
            ),
            "result": some.choice(WORDS),
            "exclusion": some.choice([None, None, None, "too large", " "]),
            "error": some.choice([*ERRORS, f"kind {'abcdefghijklmno'[some.randrange(15)]} of failure"]),
            "notes": some.choice([None, "RuntimeError: status 4"]),
            "tp": some.choice([None, 1, 2, 4, 8, 16, 3, 64]),
            "hbm_peak_gb": some.choice(NUMBERS[:-1]),
            "hbm_capacity_gb": some.choice([None, 24.0, 24.0, 24.0, 0.0, -24.0, float("nan")]),
            "neuronx_cc": some.choice(["2.28", "2.27", "2.9", None]),
            "library": some.choice(["transformers", "diffusers"]),
            "library_version": some.choice(["5.1", None]),
        }
        for _ in range(250)
    ]
    shot = shot_of(*rows)
    known = kinds_frame({f"acme/model-{n}": some.choice(TASKS) for n in range(60)})
    for choice in (
        StackChoice.of(shot.stacks[0].stack),
        StackChoice.of(shot.stacks[-1].stack),
        StackChoice(),
        StackChoice(ANY, "transformers", "5.1"),
    ):
        check(shot, choice, known)


def test_left_out_models_are_counted_apart_from_those_that_were_tested(shot_of):
    stack = {"neuronx_cc": "2.28", "library": "transformers", "library_version": "5.1"}
    shot = shot_of(
        {"model_id": "acme/a", "result": "pass", **stack},
        {"model_id": "acme/b", "result": "fail", **stack},
        {"model_id": "acme/c", "result": "timeout", **stack},
        {"model_id": "acme/d", "result": None, "exclusion": "too large", **stack},
        {"model_id": "acme/e", "result": None, **stack},
    )
    (bar,) = section_of(check(shot, StackChoice(), kinds_frame({})), Topic.STACKS).bars
    assert (bar.counts.passed, bar.counts.tested, bar.counts.left_out, bar.counts.no_result) == (1, 3, 1, 1)


def test_stacks_stand_in_version_order_with_the_day_of_their_newest_test():
    bars = section_of(overview_of(snapshots.open_sample(), StackChoice()), Topic.STACKS).bars
    assert [bar.label.split()[0] for bar in bars] == [
        "2.28.7631.0", "2.28.7631.0", "2.27.5334.0", "2.27.5334.0", "2.26.4100.0"
    ]  # fmt: skip
    assert [bar.tested_at.date().isoformat() for bar in bars[:3:2]] == ["2026-11-20", "2026-10-12"]


def test_what_is_not_read_yet_is_said_to_be_so_and_the_rest_is_there():
    shot = snapshots.open_sample()
    overview = overview_of(shot, StackChoice.of(shot.stacks[0].stack))
    assert [section.topic for section in overview.sections if not section.known] == [Topic.TASKS, Topic.FAILURES]
    assert sum(bar.counts.total for bar in section_of(overview, Topic.CORES).bars) == overview.counts.total


def test_many_stacks_tasks_and_kinds_end_in_what_is_left_over(shot_of):
    letters = "abcdefghijklmnop"
    shot = shot_of(
        *(
            {"model_id": f"acme/{each}", "result": "fail", "error": f"it is {each}{each}", "neuronx_cc": f"2.{n}"}
            for n, each in enumerate(letters)
        )
    )
    overview = check(shot, StackChoice(), kinds_frame({f"acme/{each}": f"task-{each}" for each in letters}))
    stacks, tasks, kinds_shown = (section_of(overview, each) for each in (Topic.STACKS, Topic.TASKS, Topic.FAILURES))
    assert (len(stacks.bars), stacks.more) == (STACKS_SHOWN, len(letters) - STACKS_SHOWN)
    assert tasks.bars[-1].label == f"{len(letters) - TASKS_SHOWN} more"
    assert kinds_shown.bars[-1].label == f"{len(letters) - FAILURES_SHOWN} more kinds"
    assert kinds_shown.bars[-1].counts.failed == len(letters) - FAILURES_SHOWN


def test_memory_is_put_in_steps_of_a_tenth_of_what_was_available(shot_of):
    peaks = {"a": 0.0, "b": 2.4, "c": 23.9, "d": 24.0, "e": 24.1, "f": None}
    shot = shot_of(
        *(
            {"model_id": f"acme/{name}", "result": "pass", "hbm_peak_gb": peak, "hbm_capacity_gb": 24.0}
            for name, peak in peaks.items()
        )
    )
    bars = section_of(check(shot, StackChoice(), kinds_frame({})), Topic.MEMORY).bars
    found = {bar.label: bar.counts.passed for bar in bars if bar.counts.total}
    assert found == {"0–10 %": 1, "10–20 %": 1, "90–100 %": 2, "over 100 %": 1, "not recorded": 1}
