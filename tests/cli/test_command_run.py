"""`trn-models command run`: one shell line, and nothing else on stdout."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import subprocess
from pathlib import Path

import polars as pl
import pytest
from parquet_builder import parquet

from tui.cli.command import run as command
from tui.rerun import this_machine

SCRIPT = "import os, sys\nprint('hello', *sys.argv[1:], os.environ.get('A'))\nsys.exit(3)\n"


@pytest.fixture
def data(tmp_path: Path) -> str:
    file = tmp_path / "a.parquet"
    file.write_bytes(parquet({"model_id": "acme/Model", "run_py": SCRIPT}, {"model_id": "acme/Model", "tp": 4}))
    return str(file)


def test_stdout_has_the_line_alone_and_a_shell_runs_it(
    data: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["command", "run", "acme/model", "--cores", "1", "--data", data, "--env", "A=b c", "--", "x y"]
    assert command(words) == 0
    out, err = capfd.readouterr()
    assert out.endswith("\n")
    assert out.count("\n") == 1
    assert "acme/Model" in err
    done = subprocess.run(
        ["sh", "-c", out], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (3, "hello x y b c")


def test_the_python_there_can_be_named_but_is_one_path(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["command", "run", "acme/Model", "--data", data, "--python"]
    assert command([*words, "/opt/venv/bin/python"]) == 0
    assert "p=$(/opt/venv/bin/python -c " in capfd.readouterr().out
    assert command([*words, "'/opt/my venv/python'"]) == 0
    assert "p=$('/opt/my venv/python' -c " in capfd.readouterr().out
    assert command([*words, "docker exec -i box python"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "one path" in err


@pytest.mark.parametrize("words", ["it's", "a b"])
def test_a_python_that_is_no_word_is_refused(words: str, data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert command(["command", "run", "acme/Model", "--data", data, "--python", words]) == 2
    assert "one path" in capfd.readouterr().err


def test_the_python_of_the_settings_is_not_the_one_there(
    data: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRN_MODELS_PYTHON", "docker exec -i mine python")
    assert command(["command", "run", "acme/Model", "--data", data, "--cores", "4"]) == 0
    out = capfd.readouterr().out
    assert "p=$(python3 -c " in out
    assert "docker" not in out


def test_the_pythons_of_this_machine_are_asked_only_to_choose_among_records(
    data: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(this_machine, "interpreters_here", lambda *_, **__: asked.append(True) or ())
    assert command(["command", "run", "acme/Model", "--data", data, "--cores", "4"]) == 0
    assert asked == []
    assert command(["command", "run", "acme/Model", "--data", data]) == 0
    assert asked == [True]


@pytest.mark.parametrize(("model", "code"), [("acme/Mode", 7), ("model", 7)])
def test_only_the_full_id_is_taken(data: str, model: str, code: int, capfd: pytest.CaptureFixture[str]) -> None:
    assert command(["command", "run", model, "--data", data]) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert "acme/Model" in err


def test_variables_that_a_run_chooses_itself_are_refused(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert command(["command", "run", "acme/Model", "--data", data, "--env", "MASTER_PORT=1"]) == 2
    assert "MASTER_PORT cannot be set" in capfd.readouterr().err


def test_for_programs_it_is_an_object_with_the_line_and_its_parts(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    token = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz012345"
    words = ["command", "run", "acme/model", "--cores", "1", "--data", data, "--env", "A=b c"]
    words += ["--env", f"HF_TOKEN={token}"]
    assert command([*words, "--", "x y"]) == 0
    line = capfd.readouterr().out.rstrip("\n")
    assert command([*words, "--format", "json", "--", "x y"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out) == {
        "model_id": "acme/Model", "command": line, "python": "python3", "arguments": ["x y"],
        "environment": {"A": "b c"}, "hidden": ["HF_TOKEN"],
        "script_sha256": hashlib.sha256(SCRIPT.encode()).hexdigest(),
        "verdict": "PASS", "tp": 1, "neuronx_cc": "2.28.7631.0", "library": "transformers",
        "library_version": "5.23.1", "dataset": data, "revision": None, "sample": False,
    }  # fmt: skip
    assert token not in out
    assert "acme/Model" in err


def test_other_formats_have_the_same_object(data: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    words = ["command", "run", "acme/Model", "--cores", "4", "--data", data, "--env", "A=b", "--format"]
    told = {}
    for form in ("table", "json", "jsonl", "csv", "parquet"):
        assert command([*words, form]) == 0
        told[form] = capfdbinary.readouterr().out
    plain = json.loads(told["json"])
    assert json.loads(told["jsonl"]) == plain
    assert told["table"].decode() == f"{plain['command']}\n"
    (row,) = csv.DictReader(io.StringIO(told["csv"].decode(), newline=""))
    assert (row["command"], row["arguments"], row["environment"]) == (plain["command"], "[]", '{"A": "b"}')
    (exact,) = pl.read_parquet(told["parquet"]).to_dicts()
    assert exact == plain | {"environment": '{"A": "b"}'}
