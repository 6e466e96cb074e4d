"""`trn-models stacks`: every pair of versions in version order, with its records by verdict."""

from __future__ import annotations

import io
import json
from pathlib import Path

import polars as pl
import pytest
from parquet_builder import parquet

from tui.cli import formats
from tui.cli.command import run

HEADERS = "neuronx_cc,library,library_version,records,pass,fail,other,excluded"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The records, read once for all tests."""
    folder = tmp_path_factory.mktemp("data")
    new = {"neuronx_cc": "2.10.1.0", "library_version": "5.10.0"}
    old = {"neuronx_cc": "2.9.33.0", "library_version": "5.9.1"}
    records = [
        {"model_id": "acme/a", **new},
        {"model_id": "acme/b", "result": "FAILED", **new},
        {"model_id": "acme/b", "result": "timeout", **new},
        {"model_id": "acme/c", "result": None, "exclusion": "too large", **new},
        {"model_id": "acme/a", "result": None, **old},
        {"model_id": "acme/a", **old | {"library": "", "library_version": None}},
        {"model_id": "acme/a", "neuronx_cc": None, "library": "trans\x1bformers", "library_version": "1"},
    ]
    (folder / "a.parquet").write_bytes(parquet(*records))
    return folder


@pytest.fixture
def data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("TRN_MODELS_CACHE_DIR", str(folder / "cache"))
    return str(folder / "a.parquet")


def test_csv_has_the_pairs_newest_first_with_counts_by_verdict(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["stacks", "--data", data, "--format", "csv"]) == 0
    out, err = capfd.readouterr()
    assert out.splitlines() == [
        HEADERS,
        "2.10.1.0,transformers,5.10.0,4,1,1,1,1",
        "2.9.33.0,transformers,5.9.1,1,0,0,1,0",
        '2.9.33.0,"",,1,1,0,0,0',
        ",trans\x1bformers,1,1,1,0,0,0",
    ]
    assert err == f"{data}, tested to 2026-11-20\n"


def test_a_table_is_the_default_and_clean(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["stacks", "--data", data]) == 0
    assert capfd.readouterr().out.splitlines() == [
        "neuronx-cc  library           version  records  PASS  FAIL  other  left out",
        "2.10.1.0    transformers      5.10.0         4     1     1      1         1",
        "2.9.33.0    transformers      5.9.1          1     0     0      1         0",
        '2.9.33.0    ""                –              1     1     0      0         0',
        "–           trans\\x1bformers  1              1     1     0      0         0",
    ]


def test_json_jsonl_and_parquet_have_the_same_with_real_types(
    data: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    told = {}
    for form in ("json", "jsonl", "parquet"):
        assert run(["stacks", "--data", data, "--format", form]) == 0
        told[form] = capfdbinary.readouterr().out
    rows = json.loads(told["json"])
    assert rows[0] == {
        "neuronx_cc": "2.10.1.0", "library": "transformers", "library_version": "5.10.0",
        "records": 4, "pass": 1, "fail": 1, "other": 1, "excluded": 1,
    }  # fmt: skip
    assert (rows[2]["library"], rows[2]["library_version"], rows[3]["neuronx_cc"]) == ("", None, None)
    assert [json.loads(line) for line in told["jsonl"].splitlines()] == rows
    frame = pl.read_parquet(io.BytesIO(told["parquet"]))
    assert frame.to_dicts() == rows
    assert frame.schema == dict.fromkeys(HEADERS.split(",")[:3], pl.String) | dict.fromkeys(
        HEADERS.split(",")[3:], pl.Int64
    )


def test_at_40_columns_the_versions_are_whole(
    data: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(formats, "is_terminal", lambda _stream: True)
    monkeypatch.setenv("COLUMNS", "40")
    assert run(["stacks", "--data", data]) == 0
    assert capfd.readouterr().out.splitlines()[:2] == [
        "neuronx-cc  library           version",
        "2.10.1.0    transformers      5.10.0",
    ]


def test_the_sample_says_so_in_every_row(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["stacks", "--sample", "--format", "jsonl"]) == 0
    assert {json.loads(line)["sample"] for line in capfd.readouterr().out.splitlines()} == {True}


def test_the_first_is_the_one_that_other_verbs_take(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    run(["stacks", "--data", data, "--format", "json"])
    first = json.loads(capfd.readouterr().out)[0]
    assert run(["script", "acme/a", "--data", data]) == 0
    assert f"{first['neuronx_cc']} · {first['library']} {first['library_version']}" in capfd.readouterr().err


def test_without_data_it_exits_5_and_a_wrong_format_2(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["stacks", "--offline"]) == 5
    assert run(["stacks", "--sample", "--format", "xml"]) == 2
    assert run(["stacks", "--sample", "--refresh"]) == 2
    assert capfd.readouterr().out == ""


def test_the_help_has_two_examples(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["stacks", "--help"]) == 0
    assert capfd.readouterr().out.count("trn-models stacks") >= 3
