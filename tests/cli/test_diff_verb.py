"""`trn-models diff`: how a stack is named, what breaks, and the exit code that says so."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from golden_help import help_and_golden
from parquet_builder import parquet

from tui.catalog.stacks import Stack, StackCount
from tui.cli import formats
from tui.cli.command import run
from tui.cli.stack_argument import stack_named
from tui.errors import UsageError

OLD = {"neuronx_cc": "2.27.5334.0", "library_version": "5.21.0"}
OLDEST = {"neuronx_cc": "2.26.1.0+ab12", "library_version": "5.18.0"}
RECORDS: tuple[dict[str, Any], ...] = (
    {"model_id": "acme/broke", "result": "fail", "tp": 8},
    {"model_id": "acme/broke", "tp": 4, **OLD},
    {"model_id": "acme/mended"},
    {"model_id": "acme/mended", "result": "fail", **OLD},
    {"model_id": "acme/late", "result": "timeout"},
    {"model_id": "acme/late", **OLD},
    {"model_id": "acme/gone", **OLD},
    {"model_id": "acme/same", "wall_s": 9_000},
    {"model_id": "acme/same", **OLD},
    {"model_id": "acme/same", **OLDEST},
    {"model_id": "acme/draw", "library": "diffusers", "library_version": "0.39.0"},
)
LEFT = ("acme/late", "acme/mended", "acme/gone", "acme/same")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The records, read once for all tests; and those of them where nothing broke."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "a.parquet").write_bytes(parquet(*RECORDS))
    (folder / "whole.parquet").write_bytes(parquet(*(each for each in RECORDS if each["model_id"] in LEFT)))
    return folder


@pytest.fixture
def data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("TRN_MODELS_CACHE_DIR", str(folder / "cache"))
    return str(folder / "a.parquet")


# the answer


def test_the_broken_are_first_and_the_counts_are_on_stderr(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "2.27", "2.28", "--data", data]) == 1
    out, err = capfd.readouterr()
    assert out.splitlines() == [
        "change  model        result             cores   time   memory GB",
        "broken  acme/broke   PASS -> FAIL       4 -> 8  6m12s  18.2",
        "fixed   acme/mended  FAIL -> PASS       1       6m12s  18.2",
        "gone    acme/gone    PASS -> no record  1       6m12s  18.2",
        "other   acme/late    PASS -> timeout    1       6m12s  18.2",
    ]
    assert err.splitlines()[-2:] == [
        "neuronx-cc 2.27.5334.0 · transformers 5.21.0 -> 2.28.7631.0 · transformers 5.23.1",
        "1 broken, 1 fixed, 0 new, 1 gone, 0 cores, 1 other, 1 same",
    ]


def test_only_what_is_asked_for_is_listed_and_the_exit_code_stays(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "2.27", "2.28", "--only", "fixed, SAME", "--data", data, "--format", "csv"]) == 1
    rows = list(csv.DictReader(io.StringIO(capfd.readouterr().out)))
    assert [(row["change"], row["model_id"]) for row in rows] == [("fixed", "acme/mended"), ("same", "acme/same")]
    assert rows[0]["old_stack"] == "2.27.5334.0/transformers-5.21.0"


def test_nothing_but_fail_breaks(data: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A timeout, a model that is gone, and 25 times the time are no regression."""
    assert run(["diff", "2.27", "2.28", "--data", str(folder / "whole.parquet")]) == 0
    assert "0 broken, 1 fixed, 0 new, 1 gone, 0 cores, 1 other, 1 same" in capfd.readouterr().err
    assert run(["diff", "2.28", "2.27", "--data", data]) == 1, "what was fixed broke the other way round"


def test_json_and_parquet_have_the_same(data: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    told = {}
    for form in ("json", "parquet"):
        assert run(["diff", "2.27", "2.28", "--data", data, "--format", form]) == 1
        told[form] = capfdbinary.readouterr().out
    rows = json.loads(told["json"])
    assert (rows[0]["change"], rows[0]["old_tp"], rows[0]["new_tp"]) == ("broken", 4, 8)
    assert (rows[2]["new_verdict"], rows[2]["new_word"], rows[2]["new_wall_s"]) == (None, None, None)
    assert pl.read_parquet(io.BytesIO(told["parquet"]))["model_id"].to_list() == [row["model_id"] for row in rows]


def test_at_40_columns_change_model_and_result_stay(
    data: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(formats, "is_terminal", lambda _stream: True)
    monkeypatch.setenv("COLUMNS", "40")
    assert run(["diff", "2.27", "2.28", "--data", data]) == 1
    assert capfd.readouterr().out.splitlines()[1] == "broken  acme/broke   PASS -> FAIL"


def test_data_of_which_a_part_could_not_be_read_do_not_tell_that_nothing_broke(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").mkdir()
    good = tmp_path / "data" / "a.parquet"
    good.write_bytes(parquet(*(each for each in RECORDS if each["model_id"] in LEFT)))
    (tmp_path / "data" / "b.parquet").write_bytes(b"no parquet")
    assert run(["diff", "2.27", "2.28", "--data", str(good.parent)]) == 5
    assert "may have broken" in capfd.readouterr().err
    good.write_bytes(parquet(*RECORDS))
    assert run(["diff", "2.27", "2.28", "--data", str(good.parent)]) == 1


def test_a_word_that_is_no_change_or_no_stack_exits_2(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "2.27", "2.28", "--only", "worse", "--data", data]) == 2
    assert "broken, fixed, new, gone, cores, other, same" in capfd.readouterr().err
    assert run(["diff", "2", "2.28", "--data", data]) == 2
    assert capfd.readouterr().err.splitlines()[1:] == [
        "«2» fits several stacks",
        "2.28.7631.0/transformers-5.23.1",
        "2.27.5334.0/transformers-5.21.0",
        "2.26.1.0+ab12/transformers-5.18.0",
        "Give more of it.",
    ]
    assert run(["diff", "2.27", "--data", data]) == 2


def test_the_help_is_exactly_this() -> None:
    found, golden = help_and_golden("diff")
    assert found == golden


# how a stack is named

NEWEST = Stack("2.28.7631.0", "transformers", "5.23.1")
NEWER_LIBRARY = Stack("2.27.5334.0", "transformers", "5.23.1")
MIDDLE = Stack("2.27.5334.0", "transformers", "5.21.0")
OTHER = Stack("2.27.5334.0", "sentence-transformers", "6.0.1")
LOCAL = Stack("2.9.1.0+ab12", "transformers", "5.2.0")
ODD = Stack(None, "transformers", None)
COUNTS = tuple(
    StackCount(stack, records)
    for stack, records in ((NEWEST, 50), (NEWER_LIBRARY, 3), (MIDDLE, 40), (OTHER, 60), (LOCAL, 2), (ODD, 1))
)


@pytest.mark.parametrize(
    ("word", "stack"),
    [
        ("2.28", NEWEST),
        ("2.28.7631.0", NEWEST),
        ("latest", NEWEST),
        ("LATEST", NEWEST),
        ("2.27/5.21", MIDDLE),
        ("2.27.5334.0/5.21.0", MIDDLE),
        ("2.27/transformers-5.21.0", MIDDLE),
        ("2.27/latest", NEWER_LIBRARY),
        ("latest/5.23.1", NEWEST),
        ("2.27/sentence-transformers", OTHER),
        ("2.27/Sentence-Transformers-6", OTHER),
        ("/5.21", MIDDLE),
        ("2.9.1.0+ab12", LOCAL),
        ("2.9", LOCAL),
        ("none/transformers-none", ODD),
        ("2.27.5334.0 · transformers 5.21.0", MIDDLE),
        (" 2.28 ", NEWEST),
    ],
)
def test_a_stack_is_named_by_its_versions_or_the_first_parts_of_them(word: str, stack: Stack) -> None:
    assert stack_named(word, COUNTS) == stack


@pytest.mark.parametrize("stack", [count.stack for count in COUNTS])
def test_the_word_of_each_stack_names_it(stack: Stack) -> None:
    assert stack_named(stack.word, COUNTS) == stack


@pytest.mark.parametrize(
    ("word", "listed"),
    [
        ("2.27", ["2.27.5334.0/transformers-5.23.1", "2.27.5334.0/transformers-5.21.0"]),
        ("/5.23.1", ["2.28.7631.0/transformers-5.23.1", "2.27.5334.0/transformers-5.23.1"]),
    ],
)
def test_several_that_fit_are_listed_without_those_of_libraries_with_fewer_records(
    word: str, listed: list[str]
) -> None:
    with pytest.raises(UsageError) as error:
        stack_named(word, COUNTS)
    assert error.value.title == f"«{word}» fits several stacks"
    assert error.value.detail.split("\n") == listed


@pytest.mark.parametrize("word", ["3", "2.2", "5.21.0", "2.28/6", "2.28/diffusers-5", "", "/", "any"])
def test_what_fits_none_or_says_nothing_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        stack_named(word, COUNTS)


def test_a_stack_with_control_characters_is_named_as_it_is_listed() -> None:
    hostile = Stack("2.28\x1b[0m", "tr\nans", "5.1")
    counts = (*COUNTS, StackCount(hostile, 1))
    with pytest.raises(UsageError) as error:
        stack_named("2.99", counts)
    listed = next(line for line in error.value.detail.splitlines() if "x1b" in line)
    assert stack_named(listed, counts) == hostile


def test_without_stacks_there_is_nothing_to_name() -> None:
    with pytest.raises(UsageError, match="There is no stack"):
        stack_named("latest", ())
