"""`trn-models runs` and `runs show` for programs: golden outputs, types, what is loaded."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
import run_folders
from run_values import a_run, over

from tui.cli.command import run as command
from tui.cli.run_details import RUN, as_object
from tui.export import json_value
from tui.rerun import runs
from tui.rerun.plan import Kind
from tui.rerun.runs import Result, Run, State
from tui.settings import Settings

ENDED = over(Result.FAILED, 4, exit_code=1, peak_host_memory_bytes=2_000, note="cores look free")
WAITING = a_run(5, State.WAITING, started_at=None, cores=(), devices=(), waiting_for="4 cores", kind=Kind.WEIGHTS)
GOLDEN = {
    "json": (
        '[\n{"id": 5, "model_id": "acme/Model-8B-Instruct", "kind": "weights", "state": "waiting", "result": null,'
        ' "exit_code": null, "signal": null, "created_at": "2026-11-20T09:30:00Z", "started_at": null,'
        ' "ended_at": null, "heartbeat_at": null, "wall_s": null, "peak_host_memory_bytes": null, "devices": [],'
        ' "cores": [], "edited": false, "sample": false, "waiting_for": "4 cores", "note": null,'
        ' "folder": "/state/runs/5"},\n'
        '{"id": 4, "model_id": "acme/Model-8B-Instruct", "kind": "run", "state": "finished", "result": "failed",'
        ' "exit_code": 1, "signal": null, "created_at": "2026-11-20T09:30:00Z",'
        ' "started_at": "2026-11-20T09:30:00Z", "ended_at": "2026-11-20T09:31:01Z", "heartbeat_at": null,'
        ' "wall_s": 61.0, "peak_host_memory_bytes": 2000, "devices": [0], "cores": [0, 1, 2, 3], "edited": false,'
        ' "sample": false, "waiting_for": null, "note": "cores look free", "folder": "/state/runs/4"}\n]\n'
    ),
    "csv": (
        "id,model_id,kind,state,result,exit_code,signal,created_at,started_at,ended_at,heartbeat_at,wall_s,"
        "peak_host_memory_bytes,devices,cores,edited,sample,waiting_for,note,folder\n"
        "5,acme/Model-8B-Instruct,weights,waiting,,,,2026-11-20T09:30:00Z,,,,,,[],[],false,false,4 cores,,"
        "/state/runs/5\n"
        "4,acme/Model-8B-Instruct,run,finished,failed,1,,2026-11-20T09:30:00Z,2026-11-20T09:30:00Z,"
        '2026-11-20T09:31:01Z,,61.0,2000,[0],"[0, 1, 2, 3]",false,false,,cores look free,/state/runs/4\n'
    ),
}
GOLDEN["jsonl"] = GOLDEN["json"].removeprefix("[\n").removesuffix("]\n").replace("},\n", "}\n")
SCHEMA = {
    "id": pl.Int64(), "model_id": pl.String(), "kind": pl.String(), "state": pl.String(), "result": pl.String(),
    "exit_code": pl.Int64(), "signal": pl.Int64(), "created_at": pl.Datetime("us", "UTC"),
    "started_at": pl.Datetime("us", "UTC"), "ended_at": pl.Datetime("us", "UTC"),
    "heartbeat_at": pl.Datetime("us", "UTC"), "wall_s": pl.Float64(), "peak_host_memory_bytes": pl.Int64(),
    "devices": pl.List(pl.Int64), "cores": pl.List(pl.Int64), "edited": pl.Boolean(), "sample": pl.Boolean(),
    "waiting_for": pl.String(), "note": pl.String(), "folder": pl.String(),
}  # fmt: skip


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> dict[int, Run]:
    """The runs that there are."""
    found: dict[int, Run] = {}
    monkeypatch.setattr(runs, "listed", lambda settings: tuple(found[key] for key in sorted(found, reverse=True)))
    monkeypatch.setattr(runs, "find", lambda settings, run_id: found[run_id])
    return found


@pytest.mark.parametrize("form", GOLDEN)
def test_each_format_of_the_list_is_exactly_this(
    form: str, known: dict[int, Run], capfd: pytest.CaptureFixture[str]
) -> None:
    known.update({4: ENDED, 5: WAITING})
    assert command(["runs", "--format", form]) == 0
    assert capfd.readouterr() == (GOLDEN[form], "")


def test_parquet_of_the_list_has_real_types_also_without_runs(
    known: dict[int, Run], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert command(["runs", "--format", "parquet"]) == 0
    assert pl.read_parquet(capfdbinary.readouterr().out).schema == SCHEMA
    known.update({4: ENDED, 5: WAITING})
    assert command(["runs", "--format", "parquet"]) == 0
    frame = pl.read_parquet(capfdbinary.readouterr().out)
    assert frame.schema == SCHEMA
    assert frame.to_dicts() == [as_object(WAITING), as_object(ENDED)]


def test_a_row_has_every_column_that_an_empty_list_has() -> None:
    assert list(RUN) == list(as_object(ENDED)) == list(as_object(WAITING))


def test_runs_of_the_sample_say_so() -> None:
    assert as_object(a_run(recipe={"sample": True}))["sample"] is True


@pytest.mark.parametrize(
    ("form", "told"),
    [("table", ""), ("json", "[]\n"), ("jsonl", ""), ("csv", GOLDEN["csv"].splitlines(keepends=True)[0])],
)
def test_no_runs_are_an_empty_list_and_a_hint(
    form: str, told: str, known: dict[int, Run], capfd: pytest.CaptureFixture[str]
) -> None:
    assert command(["runs", "--format", form]) == 0
    assert capfd.readouterr() == (told, "There are no runs. Start one: trn-models run MODEL\n")


def test_show_as_json_tells_all_that_is_known(
    known: dict[int, Run], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "log").write_text("PermissionError: [Errno 13] Permission denied: '/x'\n")
    recipe = {
        "argv": ["/py", "run.py", "--seconds", "1"], "sha256": "ab12", "recorded_sha256": "ab12", "edited": True,
        "dataset": "acme/records", "revision": "f" * 40, "hidden": ["HF_TOKEN"],
        "added": {"environment": {"A": "1", "HF_TOKEN": "(not kept)"}, "arguments": ["--seconds", "1"]},
        "interpreter": {"argv": ["/py"], "version": "3.12.4", "packages": {"transformers": "5.21.0"}},
        "record": {"model_id": "acme/Model", "result": "pass", "wall_s": 372, "tp": 4, "library": "transformers",
                   "library_version": "5.23.1", "transformers": "5.23.1", "torch": "2.14.0"},
    }  # fmt: skip
    known[3] = replace(over(Result.FAILED, exit_code=1), recipe=recipe, folder=tmp_path, log_bytes=56)
    assert command(["runs", "show", "3", "--format", "json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert told.items() >= json_value(as_object(known[3])).items()
    assert told["command"] == ["/py", "run.py", "--seconds", "1"]
    assert (told["arguments"], told["added_variables"]) == (["--seconds", "1"], {"A": "1", "HF_TOKEN": "(not kept)"})
    assert told["interpreter"] == {"argv": ["/py"], "version": "3.12.4", "packages": {"transformers": "5.21.0"}}
    assert (told["script_sha256"], told["dataset"], told["revision"]) == ("ab12", "acme/records", "f" * 40)
    assert (told["record"]["result"], told["record"]["wall_s"], told["record"]["stack"]["torch"]) == (
        "pass", 372, "2.14.0",
    )  # fmt: skip
    assert "transformers 5.21.0 (5.23.1 recorded)" in told["differences"]
    assert told["diagnosis"].keys() == {"kind", "title", "line", "advice"}
    assert "PermissionError" in told["diagnosis"]["line"]
    assert (told["log"], told["log_bytes"]) == (str(tmp_path / "log"), 56)
    assert command(["runs", "--format", "jsonl", "show", "3"]) == 0
    assert json.loads(capfd.readouterr().out) == told
    assert command(["runs", "show", "3", "--format", "csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capfd.readouterr().out, newline=""))
    for name, value in told.items():
        plain = "" if value is None else value if isinstance(value, str) else json.dumps(value)
        assert row[name] == plain, name


@pytest.mark.parametrize("run", [WAITING, ENDED, a_run(recipe={"record": {"result": "pass"}, "host": {"a": 1}})])
def test_parquet_of_one_run_has_the_same_types_whatever_is_known(
    run: Run, known: dict[int, Run], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    known[3] = run
    assert command(["runs", "show", "3", "--format", "parquet"]) == 0
    frame = pl.read_parquet(capfdbinary.readouterr().out)
    assert frame.height == 1
    assert frame.schema == SCHEMA | {
        "command": pl.List(pl.String), "arguments": pl.List(pl.String), "added_variables": pl.String(),
        "environment": pl.String(), "hidden": pl.List(pl.String), "interpreter": pl.String(), "overlay": pl.String(),
        "host": pl.String(), "script_sha256": pl.String(), "recorded_sha256": pl.String(), "dataset": pl.String(),
        "revision": pl.String(), "record": pl.String(), "differences": pl.List(pl.String), "diagnosis": pl.String(),
        "log": pl.String(), "log_bytes": pl.Int64(), "log_dropped_bytes": pl.Int64(),
    }  # fmt: skip


@pytest.mark.parametrize(("words", "loaded"), [("", []), ("--format json", []), ("--format csv", ["polars"])])
def test_polars_is_loaded_for_csv_and_parquet_alone(words: str, loaded: list[str], tmp_path: Path) -> None:
    runs.create(Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache"), run_folders.plan())
    program = (
        "import sys\nfrom tui.cli.command import run\ncodes = [run(['runs', *sys.argv[1:]]),"
        " run(['runs', 'show', '1', *sys.argv[1:]])]\n"
        "print(codes, sorted({'polars', 'textual', 'rich', 'huggingface_hub'} & sys.modules.keys()), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program, *words.split()], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == f"[0, 0] {loaded}"
