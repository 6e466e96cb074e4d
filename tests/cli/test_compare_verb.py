"""`trn-models compare`: the matrix, the list, what it tells of a regression, and its exit codes."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from golden_help import help_and_golden
from parquet_builder import parquet

from tui.cli import compare
from tui.cli.command import run

OLDER = {"neuronx_cc": "2.27.5334.0", "library_version": "5.21.0"}
OLDEST = {"neuronx_cc": "2.9.100.0", "library_version": "5.9.1"}
ERROR = "Traceback:\n  deep\nRuntimeError: no\x1b[2J memory\n"
RECORDS: tuple[dict[str, Any], ...] = (
    {"model_id": "acme/broke", "result": "fail", "tp": 8, "error": ERROR},
    {"model_id": "acme/broke", "tp": 4, "notes": "slow then", **OLDER},
    {"model_id": "acme/broke", "tp": 2, "wall_s": 100, **OLDEST},
    {"model_id": "acme/old", **OLDER},
    {"model_id": "acme/huge", "result": None, "exclusion": "too large"},
    {"model_id": "acme/slow", "result": "timeout"},
    {"model_id": "acme/draw", "library": "diffusers", "library_version": "0.39.0"},
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The records, read once for all tests."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "a.parquet").write_bytes(parquet(*RECORDS))
    return folder


@pytest.fixture
def data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("TRN_MODELS_CACHE_DIR", str(folder / "cache"))
    return str(folder / "a.parquet")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A terminal of some cells in width."""

    def of(width: int) -> None:
        monkeypatch.setattr("tui.cli.output.is_terminal", lambda _stream: True)
        monkeypatch.setattr(compare.shutil, "get_terminal_size", lambda: os.terminal_size((width, 24)))

    return of


def test_a_pipe_gets_a_line_for_each_stack_newest_first_and_both_sides_of_the_regression(
    data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", "ACME/Broke", "--data", data]) == 1
    out, err = capfd.readouterr()
    assert out.splitlines() == [
        "acme/broke",
        "a record on 3 stacks, 1 regression",
        "",
        "result  neuronx-cc   library              cores   time      memory  tested      since before",
        "! FAIL  2.28.7631.0  transformers 5.23.1      8  6m12s  18.2/24 GB  2026-11-20  "
        "regression: PASS on 2.27.5334.0 · transformers 5.21.0",
        "PASS    2.27.5334.0  transformers 5.21.0      4  6m12s  18.2/24 GB  2026-11-20  "
        "other cores: 2 before, on 2.9.100.0 · transformers 5.9.1",
        "PASS    2.9.100.0    transformers 5.9.1       2  1m40s  18.2/24 GB  2026-11-20",
        "",
        "! Regression on neuronx-cc 2.28.7631.0 · transformers 5.23.1",
        "  now     FAIL on 8 cores after 6 min 12 s, peak 18.2 of 24 GB recorded",
        r"          error: RuntimeError: no\x1b[2J memory (2 more lines: --format json)",
        "  before  PASS on 4 cores, 6 min 12 s with compilation, peak 18.2 of 24 GB recorded; "
        "on 2.27.5334.0 · transformers 5.21.0",
        "          notes: slow then",
        "",
        "Notes, which are no regressions",
        "2.27.5334.0 · transformers 5.21.0, against 2.9.100.0 · transformers 5.9.1: on 4 cores instead of 2; "
        "3.7 x the wall time; cache state is not recorded",
        "",
        "No record with another library: 2.28.7631.0 · diffusers 0.39.0",
    ]
    assert err == f"{data}, tested to 2026-11-20\n"


def test_a_terminal_gets_the_matrix(data: str, terminal: Any, capfd: pytest.CaptureFixture[str]) -> None:
    terminal(100)
    assert run(["compare", "broke", "--data", data]) == 1
    lines = capfd.readouterr().out.splitlines()
    start = lines.index("neuronx-cc    transformers 5.23.1   transformers 5.21.0   transformers 5.9.1")
    assert lines[start + 1 : start + 8] == [
        "2.28.7631.0   FAIL  8 cores",
        "              6m12s  18.2/24 GB",
        "              ! regression",
        "",
        "2.27.5334.0                         PASS  4 cores",
        "                                    6m12s  18.2/24 GB",
        "                                    other cores",
    ]
    assert max(map(len, lines)) <= 100


def test_a_narrow_terminal_gets_the_list(data: str, terminal: Any, capfd: pytest.CaptureFixture[str]) -> None:
    terminal(60)
    assert run(["compare", "broke", "--data", data]) == 1
    lines = capfd.readouterr().out.splitlines()
    assert "! FAIL  2.28.7631.0  transformers 5.23.1      8  6m12s" in lines
    assert max(map(len, lines)) <= 60


def test_programs_get_every_stack_with_whole_errors(data: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    told = {}
    for form in ("json", "jsonl", "parquet"):
        assert run(["compare", "acme/broke", "--data", data, "--format", form]) == 1
        told[form] = capfdbinary.readouterr().out
    rows = json.loads(told["json"])
    assert [json.loads(line) for line in told["jsonl"].splitlines()] == rows
    assert [(row["neuronx_cc"], row["library"], row["verdict"], row["change"]) for row in rows] == [
        ("2.28.7631.0", "transformers", "FAIL", "broken"),
        ("2.28.7631.0", "diffusers", "UNTESTED", None),
        ("2.27.5334.0", "transformers", "PASS", "cores"),
        ("2.9.100.0", "transformers", "PASS", None),
    ]
    assert (rows[0]["error"], rows[0]["before_error"], rows[0]["before_notes"]) == (ERROR, None, "slow then")
    assert (rows[0]["before_neuronx_cc"], rows[0]["before_library_version"]) == ("2.27.5334.0", "5.21.0")
    assert pl.read_parquet(io.BytesIO(told["parquet"]))["tp"].to_list() == [8, None, 4, 2]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["acme/broke"], 1),
        (["old"], 4),
        (["huge"], 3),
        (["slow"], 6),
        (["draw"], 4),
        (["acme/nothing"], 7),
        (["acme"], 7),
        ([""], 2),
        (["broke", "--format", "xml"], 2),
    ],
)
def test_the_exit_code_is_that_of_show(
    words: list[str], code: int, data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", *words, "--data", data]) == code
    if code != 2:
        assert run(["show", *words, "--data", data]) == code


def test_data_of_which_a_part_could_not_be_read_do_not_tell_the_verdict(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.parquet").write_bytes(parquet(*RECORDS))
    (tmp_path / "data" / "b.parquet").write_bytes(b"no parquet")
    assert run(["compare", "acme/broke", "--data", str(tmp_path / "data")]) == 5
    out, err = capfd.readouterr()
    assert "! Regression" in out
    assert "A part of the data could not be read" in err


def test_a_model_of_the_rankings_without_a_record_is_told_so(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "sample/Newcomer-3B", "--sample"]) == 4
    out, err = capfd.readouterr()
    assert out == ""
    assert "sample/Newcomer-3B: the data have no record of it, on any stack" in err


def test_the_help_is_exactly_this() -> None:
    found, golden = help_and_golden("compare")
    assert found == golden
