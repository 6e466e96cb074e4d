"""Ids that begin with `-` come after `--`, also where the words after it are arguments of run.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from parquet_builder import parquet

from tui.cli.command import run


@pytest.fixture
def data(tmp_path: Path) -> str:
    (tmp_path / "a.parquet").write_bytes(parquet({"model_id": "-dash/one"}, {"model_id": "acme/two"}))
    return str(tmp_path)


@pytest.mark.parametrize(
    ("words", "model", "arguments"),
    [
        (["--", "-dash/one"], "-dash/one", []),
        (["--", "-dash/one", "--", "--seconds", "1"], "-dash/one", ["--seconds", "1"]),
        (["--", "-dash/one", "--seconds", "1"], "-dash/one", ["--seconds", "1"]),
        (["acme/two", "--", "-dash/one"], "acme/two", ["-dash/one"]),
        (["acme/two", "--", "--", "x"], "acme/two", ["--", "x"]),
    ],
)
def test_the_model_comes_after_the_dashes_when_none_comes_before_them(
    data: str, capfd: pytest.CaptureFixture[str], words: list[str], model: str, arguments: list[str]
) -> None:
    assert run(["command", "run", "--data", data, "--format", "json", *words]) == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["model_id"], told["arguments"]) == (model, arguments)


def test_without_any_model_the_command_is_wrong(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["command", "run", "--data", data, "--"]) == 2
    assert "Missing argument 'MODEL'" in capfd.readouterr().err
