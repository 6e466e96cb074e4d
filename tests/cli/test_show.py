"""`trn-models show`: the page and the JSON."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from parquet_builder import DEFAULTS, data_folder, parquet
from show_rows import ROWS

from tui.cli import output
from tui.cli.command import run

SAMPLE_LINE = "SAMPLE DATA: invented models, not results of any real one"
SCRIPT = DEFAULTS["run_py"]
SHA256 = hashlib.sha256(SCRIPT.encode()).hexdigest()
PAGE = f"""\
acme/one
PASS on 8 cores, 6 min 12 s with compilation, peak 18.2 of 24 GB recorded

Check: judge model; recorded answer «yes».
A small judge model read whether the text is fluent English.
A functional test of 32 tokens, not a benchmark.

stack    neuronx-cc 2.28.7631.0 · transformers 5.23.1
tested   2026-11-20 09:30
runner   eager
cores    8
time     6 min 12 s, compilation included
memory   peak 18.2 of 24 GB, of a core or of the run: not documented
CPU run  –
judge    yes

Other records of this model
result  stack                              cores   time  tested
FAIL    2.27.5334.0 · transformers 5.21.0      4  6m12s  2026-11-20

How to run it again
tested with  torch-neuronx 2.14.3.0, torch 2.14.0, neuronx-cc 2.28.7631.0, nki 0.7.0, python 3.12.11, driver 2.31.7.0
packages on top
  pip install transformers==5.23.1 accelerate==1.12.0
compiled graphs
  trn-models command cache --data {{data}} acme/one
run.py, 2 lines, 28 B, SHA-256
  {SHA256}
  trn-models script --data {{data}} acme/one
"""


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Times on the page are local ones."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def data(tmp_path: Path) -> str:
    return data_folder(tmp_path, *ROWS)


# the page


def test_the_page_has_verdict_check_figures_other_records_and_recipe(
    data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "ACME/One", "--data", data]) == 0
    out, err = capfd.readouterr()
    assert out == PAGE.format(data=data)
    assert err == f"{data}, tested to 2026-11-20\n"


def test_the_sample_says_that_it_is_one_and_has_no_compiled_graphs(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "--sample", "sample/Basalt-0.5B"]) == 0
    out, err = capfd.readouterr()
    lines = out.splitlines()
    assert lines[:4] == [
        SAMPLE_LINE,
        "",
        "sample/Basalt-0.5B",
        "PASS on 1 core, 1 min 1 s with compilation, peak 1.4 of 24 GB recorded",
    ]
    assert lines[lines.index("compiled graphs") + 1] == "  none: the sample's models are invented"
    assert lines[-1] == "  trn-models script --sample sample/Basalt-0.5B"
    assert err == "bundled sample, tested to 2026-11-20\n"


def test_a_failure_has_notes_and_the_last_line_of_its_error(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "one-more", "--data", data]) == 1
    lines = capfd.readouterr().out.splitlines()
    assert lines[1] == "FAIL on 2 cores after 6 min 12 s"
    assert "memory   –" in lines
    assert "What was checked is not recorded." in lines
    place = lines.index("notes    slow")
    assert lines[place + 1 : place + 3] == [
        "         and odd",
        r"error    RuntimeError: no\x1b[2J (2 more lines: --format json)",
    ]
    assert "accelerate: «newest» is not a version, so it is left out." in lines


def test_a_model_that_was_left_out_tells_why(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "acme/huge", "--data", data]) == 3
    lines = capfd.readouterr().out.splitlines()
    assert lines[:4] == [
        "acme/huge",
        "Left out: more than 16 cores",
        "",
        "stack    neuronx-cc 2.28.7631.0 · transformers 5.23.1",
    ]
    assert lines[-2:] == ["run.py", "  none is recorded"]


def test_a_stack_without_a_record_of_it_shows_those_of_other_stacks(
    data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "acme/old", "--data", data, "--offline"]) == 4
    assert capfd.readouterr().out.splitlines() == [
        "acme/old",
        "Not tested on neuronx-cc 2.28.7631.0 · transformers 5.23.1: "
        "the dataset has records of it on other stacks only.",
        "",
        "Records of this model",
        "result  stack                              cores   time  tested",
        "PASS    2.27.5334.0 · transformers 5.21.0      1  6m12s  2026-11-20",
        "",
        "What would it take?",
        "Cannot be estimated: the Hub's facts of it are not at hand (not asked: offline).",
    ]


def test_another_stack_can_be_asked_for_and_its_commands_name_it(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    for words in (["--neuronx-cc", "2.27"], ["--library-version", "5.21.0"]):
        assert run(["show", "acme/one", "--data", data, *words]) == 1
        out = capfd.readouterr().out
        assert "pip install transformers==5.21.0 accelerate==1.12.0" in out
        assert out.splitlines()[-1] == (
            f"  trn-models script --data {data} --neuronx-cc 2.27.5334.0 --library-version 5.21.0 acme/one"
        )
    assert run(["show", "acme/old", "--data", data, "--neuronx-cc", "any"]) == 0


def test_the_best_record_of_the_stack_is_shown_and_its_commands_name_its_cores(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    later = datetime(2026, 11, 21, tzinfo=UTC)
    rows = ({"tp": 8, "tested_at": later}, {"tp": 2}, {"tp": 1, "result": "fail"})
    (tmp_path / "a.parquet").write_bytes(parquet(*rows))
    assert run(["show", "acme/one", "--data", str(tmp_path)]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[1].startswith("PASS on 2 cores")
    assert lines[-1].endswith(" --cores 2 acme/one")
    place = lines.index("Other records of this model")
    assert [line.split()[0] for line in lines[place + 2 : place + 4]] == ["PASS", "FAIL"]


def test_the_script_line_prints_the_script_whose_digest_is_shown(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    later = datetime(2026, 11, 21, tzinfo=UTC)
    rows = ({"tp": 8, "tested_at": later, "run_py": "print(8)\n"}, {"tp": 2, "run_py": "print(2)\n"})
    (tmp_path / "a.parquet").write_bytes(parquet(*rows))
    assert run(["show", "acme/one", "--data", str(tmp_path)]) == 0
    digest, command = capfd.readouterr().out.splitlines()[-2:]
    assert run(shlex.split(command)[1:]) == 0
    script = capfd.readouterr().out
    assert script == "print(2)\n"
    assert digest.strip() == hashlib.sha256(script.encode()).hexdigest()


def test_values_that_do_not_fit_and_columns_that_are_not_known_are_shown(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {"model_id": ["acme/one"], "result": ["pass"], "tp": ["eight"], "wall_s": ["ages"], "batch": [[1, 2]]}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    assert run(["show", "acme/one", "--data", str(tmp_path)]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[1] == "PASS, cores «eight» as recorded, time «ages» as recorded"
    assert {"cores    eight?", "time     ages?", "batch: [1, 2]"} <= set(lines)
    assert "The record names no library." in lines


def test_what_strangers_wrote_cannot_act_on_the_terminal(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bad = "\x1b]0;x\x07\x9b2J\u202e"
    row = {name: f"{bad}{name}" for name, value in DEFAULTS.items() if isinstance(value, str)}
    row |= {"model_id": f"acme/{bad}\nPASS", "notes": f"{bad}\nnotes", "error": f"line\n{bad}", "result": f"o\nk{bad}"}
    (tmp_path / "a.parquet").write_bytes(parquet(row, {**row, "neuronx_cc": f"1{bad}\n"}))
    assert run(["show", "acme", "--data", str(tmp_path)]) == 6
    out, err = capfd.readouterr()
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(out + err)
    assert out.splitlines()[0] == r"acme/\x1b]0;x\x07\x9b2J\u202e\nPASS"


def test_a_page_fits_a_narrow_terminal_and_commands_stay_whole(
    data: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda stream: True)
    monkeypatch.setenv("COLUMNS", "40")
    assert run(["show", "acme/one", "--data", data]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert "  pip install transformers==5.23.1 accelerate==1.12.0" in lines
    whole = [line for line in lines if not line.startswith("  ") or line.startswith("   ")]
    assert max(map(len, whole)) <= 40
    assert lines[1:3] == ["PASS on 8 cores, 6 min 12 s with", "compilation, peak 18.2 of 24 GB recorded"]
    place = lines.index("Other records of this model")
    assert lines[place + 2].split()[:2] == ["FAIL", "2.27.5334.0"]


# the JSON


def test_the_json_has_the_datasets_names_and_real_types(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "acme/one-more", "--data", data, "--format", "json"]) == 1
    shown = json.loads(capfd.readouterr().out)
    of_record = {
        "verdict": "FAIL", "library": "transformers", "tp": 2, "runner": "eager", "result": "fail",
        "notes": "slow\nand odd", "exclusion": None, "wall_s": 372, "hbm_peak_gb": None, "hbm_capacity_gb": None,
        "cpu_match": None, "english": None, "neuronx_cc": "2.28.7631.0", "library_version": "5.23.1",
        "transformers": "5.23.1", "accelerate": "newest", "torch_neuronx": "2.14.3.0", "torch": "2.14.0",
        "nki": "0.7.0", "python": "3.12.11", "neuron_driver": "2.31.7.0", "tested_at": "2026-11-20T09:30:00Z",
        "unconverted": {}, "extra": {},
    }  # fmt: skip
    assert shown == {
        "model_id": "acme/one-more",
        **of_record,
        "error": "Traceback:\n  deep\nRuntimeError: no\x1b[2J\n",
        "install": "pip install transformers==5.23.1",
        "cache": None,
        "cache_is_candidate": None,
        "script_sha256": SHA256,
        "script_bytes": len(SCRIPT),
        "dataset": data,
        "revision": None,
        "sample": False,
        "complete": True,
        "problems": [],
        "asked_stack": {"neuronx_cc": "2.28.7631.0", "library": "transformers", "library_version": "5.23.1"},
        "records": [{"model_id": "acme/one-more", **of_record}],
        "estimate": None,
    }


def test_the_json_of_a_model_without_a_record_there_has_the_same_names(
    data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    run(["show", "acme/one", "--data", data, "--format", "json"])
    tested = json.loads(capfd.readouterr().out)
    assert run(["show", "acme/old", "--data", data, "--format", "json"]) == 4
    untested = json.loads(capfd.readouterr().out)
    assert list(untested) == list(tested)
    assert (untested["verdict"], untested["tp"], untested["script_bytes"]) == ("UNTESTED", None, None)
    assert [(each["verdict"], each["neuronx_cc"]) for each in untested["records"]] == [("PASS", "2.27.5334.0")]
    assert [each["tp"] for each in tested["records"]] == [8, 4]


def test_nan_is_a_text_in_the_json_and_sample_is_true_in_that_of_the_sample(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.parquet").write_bytes(parquet({"hbm_peak_gb": float("nan")}))
    assert run(["show", "acme/one", "--data", str(tmp_path), "--format", "json"]) == 0
    assert json.loads(capfd.readouterr().out)["hbm_peak_gb"] == "NaN"
    assert run(["show", "--sample", "sample/Basalt-0.5B", "--format", "json"]) == 0
    assert json.loads(capfd.readouterr().out)["sample"] is True


# the other formats for programs


def test_the_other_formats_have_the_names_of_the_json_in_one_row_csv_and_parquet_with_objects_as_json(
    data: str,
) -> None:
    found = {}
    for form in ("json", "jsonl", "csv", "parquet"):
        command = [sys.executable, "-m", "tui", "show", "acme/one-more", "--data", data, "--format", form]
        done = subprocess.run(command, capture_output=True)
        assert done.returncode == 1
        found[form] = done.stdout
    whole = json.loads(found["json"])
    (line,) = found["jsonl"].splitlines()
    of_jsonl = json.loads(line)
    (of_csv,) = csv.DictReader(io.StringIO(found["csv"].decode(), newline=""))
    frame = pl.read_parquet(io.BytesIO(found["parquet"]))
    assert list(of_jsonl) == list(of_csv) == frame.columns == list(whole)
    of_text = {name for name, value in whole.items() if isinstance(value, (dict, list))}
    assert of_text == {"unconverted", "extra", "problems", "asked_stack", "records"}
    assert of_jsonl == whole
    assert {name: json.loads(of_csv[name]) for name in of_text} == {name: whole[name] for name in of_text}
    assert (frame.schema["problems"], frame["problems"][0].to_list()) == (pl.List(pl.String), whole["problems"])
    assert json.loads(of_csv["records"]) == json.loads(frame["records"][0]) == whole["records"]
    assert (of_csv["tp"], of_csv["hbm_peak_gb"], of_csv["complete"]) == ("2", "", "true")
    assert [frame.schema[name] for name in ("tp", "hbm_peak_gb", "cache")] == [pl.Int32, pl.Float64, pl.String]
    assert frame["tested_at"][0] == datetime(2026, 11, 20, 9, 30, tzinfo=UTC)


def test_a_model_without_a_record_there_has_the_same_types(
    data: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    frames = []
    for model in ("acme/one", "acme/old"):
        run(["show", model, "--data", data, "--format", "parquet"])
        frames.append(pl.read_parquet(io.BytesIO(capfdbinary.readouterr().out)))
    assert frames[0].schema == frames[1].schema
    assert frames[1]["verdict"][0] == "UNTESTED"
