"""`trn-models list`: the lines of a view in every format."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from loopback_hub import LoopbackHub, status
from parquet_builder import DATASET, data_folder, parquet

from tui.catalog import renames
from tui.catalog.lines import LINES
from tui.catalog.views import View
from tui.cli import output
from tui.cli.command import run
from tui.cli.list import VIEWS
from tui.settings import Settings

SAMPLE_LINE = "SAMPLE DATA: invented models, not results of any real one"
OLDER = {"neuronx_cc": "2.27.5334.0", "library_version": "5.21.0"}
ROWS = (
    {"model_id": "acme/one", "tp": 8, "cpu_match": "yes", "english": None},
    {"model_id": "acme/two", "result": "fail", "hbm_peak_gb": None, "wall_s": None, "english": None},
    {"model_id": "acme/three", "result": "timeout"},
    {"model_id": "acme/three", "result": "fail", "tp": 4},
    {"model_id": "acme/huge", "result": None, "exclusion": "more than 16 cores", "english": None},
    {"model_id": "acme/old", **OLDER},
)
STACK = "neuronx-cc 2.28.7631.0 · transformers 5.23.1"
COLUMNS = [name for name in LINES if name not in {"key", "record"}]


@pytest.fixture
def data(tmp_path: Path) -> str:
    return data_folder(tmp_path, *ROWS)


@pytest.fixture
def ranked_hub(hub: LoopbackHub) -> LoopbackHub:
    hub.add_dataset(DATASET, {"a.parquet": parquet(*ROWS)})
    hub.add_model("acme/old", pipeline_tag="text-generation", library_name="transformers", trendingScore=9)
    hub.add_model("fresh/new", pipeline_tag="text-generation", library_name="diffusers", trendingScore=8)
    hub.add_model("acme/one", pipeline_tag="text-generation", library_name="transformers", trendingScore=7)
    hub.add_model("acme/two", pipeline_tag="image-text-to-text", downloads=5)
    return hub


# the table


def test_it_shows_the_models_with_a_result_on_the_newest_stack(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "--data", data]) == 0
    out, err = capfd.readouterr()
    assert out.splitlines() == [
        "result         model       cores   time      memory  check",
        "PASS           acme/one        8  6m12s  18.2/24 GB  CPU run: yes",
        "FAIL +1 other  acme/three      4  6m12s  18.2/24 GB  judge: yes",
        "FAIL           acme/two        1      –           –  –",
    ]
    assert err.splitlines() == [
        f"{data}, tested to 2026-11-20",
        f"{STACK}; 4 models, 3 of them listed; 1 PASS, 2 FAIL, 0 other, 1 left out",
        "1 model without a result: see --left-out",
    ]


def test_models_that_were_left_out_are_listed_when_asked_for(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    for words in (["--left-out"], ["--search", "HUGE acme"]):
        assert run(["list", "--data", data, *words]) == 0
        assert capfd.readouterr().out.splitlines()[-1].endswith("left out: more than 16 cores")


def test_the_sample_says_that_it_is_one(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "--sample", "--limit", "2"]) == 0
    out, err = capfd.readouterr()
    assert out.splitlines() == [
        SAMPLE_LINE,
        "result        model                     cores   time     memory  check",
        "PASS +1 FAIL  sample/Amber-3B               1  2m31s  6.9/24 GB  CPU run: yes",
        "PASS          sample/Amber-3B-Instruct      1  2m29s  6.9/24 GB  CPU run: yes",
    ]
    assert err.splitlines()[-1] == "57 more: leave out --limit"


def test_all_models_are_listed_without_a_limit(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.parquet").write_bytes(parquet(*({"model_id": f"acme/model-{place}"} for place in range(700))))
    assert run(["list", "--data", str(tmp_path)]) == 0
    assert len(capfd.readouterr().out.splitlines()) == 701


def test_another_stack_can_be_asked_for_and_any_names_the_stack_of_each_line(
    data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["list", "--data", data, "--neuronx-cc", "2.27"]) == 0
    assert [line.split()[1] for line in capfd.readouterr().out.splitlines()[1:]] == ["acme/old"]
    assert run(["list", "--data", data, "--neuronx-cc", "any"]) == 0
    out, err = capfd.readouterr()
    assert [line for line in out.splitlines() if "acme/o" in line] == [
        "PASS           acme/old        1  6m12s  18.2/24 GB  2.27.5334.0 · transformers 5.21.0  judge: yes",
        "PASS           acme/one        8  6m12s  18.2/24 GB  2.28.7631.0 · transformers 5.23.1  CPU run: yes",
    ]
    assert "each model on its newest stack of those; 5 models" in err


def test_a_search_without_a_hit_suggests_another(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "--data", data, "--search", "acne"]) == 0
    out, err = capfd.readouterr()
    assert out.splitlines() == ["result  model  cores  time  memory  check"]
    assert err.splitlines()[-1] == "no model has «acne»; did you mean acme?"


def test_columns_give_way_on_a_narrow_terminal(
    data: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda stream: True)
    monkeypatch.setenv("COLUMNS", "40")
    assert run(["list", "--data", data]) == 0
    assert capfd.readouterr().out.splitlines() == [
        "result         model       cores   time",
        "PASS           acme/one        8  6m12s",
        "FAIL +1 other  acme/three      4  6m12s",
        "FAIL           acme/two        1      –",
    ]
    monkeypatch.setenv("COLUMNS", "22")
    assert run(["list", "--data", data]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 22
    assert lines[1].split() == ["PASS", "acme/o…", "8"]


def test_names_of_strangers_cannot_act_on_the_terminal(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.parquet").write_bytes(parquet({"model_id": "acme/\x1b]0;x\x07", "result": "o\nk\x9b2J"}))
    assert run(["list", "--data", str(tmp_path), "--search", "acme"]) == 0
    out, err = capfd.readouterr()
    assert not {"\x1b", "\x07", "\x9b"} & set(out + err)
    assert len(out.splitlines()) == 2


# formats for programs


def test_json_has_stable_names_and_real_types(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "--data", data, "--format", "json", "--limit", "1"]) == 0
    (line,) = json.loads(capfd.readouterr().out)
    assert list(line) == COLUMNS
    assert line == {
        **dict.fromkeys(COLUMNS), "model_id": "acme/one", "verdict": "PASS", "word": "PASS", "tp": 8,
        "runner": "eager", "wall_s": 372, "hbm_peak_gb": 18.2, "hbm_capacity_gb": 24.0, "cpu_match": "yes",
        "tested_at": "2026-11-20T09:30:00Z", "neuronx_cc": "2.28.7631.0", "library": "transformers",
        "library_version": "5.23.1", "records": 1, "disagree": "", "has_result": True, "left_out": False,
    }  # fmt: skip


def test_every_format_for_programs_has_the_same_lines_and_those_of_the_sample_say_so() -> None:
    command = [sys.executable, "-m", "tui", "list", "--sample", "--left-out", "--format"]
    found = {}
    for form in ("json", "jsonl", "csv", "parquet"):
        found[form] = subprocess.run([*command, form], capture_output=True, check=True).stdout
    rows = json.loads(found["json"])
    assert len(rows) == 71
    assert list(rows[0]) == [*COLUMNS, "sample"]
    assert all(row["sample"] is True for row in rows)
    assert [json.loads(line) for line in found["jsonl"].splitlines()] == rows
    of_csv = list(csv.DictReader(io.StringIO(found["csv"].decode())))
    assert [row["model_id"] for row in of_csv] == [row["model_id"] or "" for row in rows]
    assert {row["sample"] for row in of_csv} == {"true"}
    frame = pl.read_parquet(io.BytesIO(found["parquet"]))
    assert {name: frame.schema[name] for name in COLUMNS} == {name: LINES[name] for name in COLUMNS}
    assert frame["sample"].all()


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_a_limit_of_any_size_lists_all(form: str, data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "--data", data, "--format", form]) == 0
    whole = capfd.readouterr().out
    assert run(["list", "--data", data, "--format", form, "--limit", "99999999999999999999"]) == 0
    assert capfd.readouterr().out == whole


def test_what_fits_no_column_is_an_object_in_json_and_text_in_the_others(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    names = ["acme/one", "acme/two"]
    pl.DataFrame({"model_id": names, "result": ["pass"] * 2, "tp": ["eight", "8"]}).write_parquet(file)
    command = [sys.executable, "-m", "tui", "list", "--data", str(file), "--format"]
    found = {
        form: subprocess.run([*command, form], capture_output=True, check=True).stdout
        for form in ("json", "jsonl", "csv", "parquet")
    }
    rows = json.loads(found["json"])
    assert {row["model_id"]: row["unconverted"] for row in rows} == {"acme/one": {"tp": "eight"}, "acme/two": None}
    assert [json.loads(line) for line in found["jsonl"].splitlines()] == rows
    of_csv = {row["model_id"]: row["unconverted"] for row in csv.DictReader(io.StringIO(found["csv"].decode()))}
    assert json.loads(of_csv["acme/one"]) == {"tp": "eight"}
    assert pl.read_parquet(io.BytesIO(found["parquet"])).schema["unconverted"] == pl.String


# rankings


def test_views_are_those_of_the_app() -> None:
    assert tuple(View) == VIEWS


def test_a_ranking_is_fetched_when_there_is_none_and_then_read_from_disk(
    ranked_hub: LoopbackHub, capfd: pytest.CaptureFixture[str]
) -> None:
    expected = [
        "rank  result       model      cores   time      memory  check",
        "   1  other stack  acme/old       –      –           –  not on this stack (PASS on 2.27.5334.0 · transformers 5.21.0)",  # noqa: E501
        "   2  not tested   fresh/new      –      –           –  diffusers, not a Transformers model",
        "   3  PASS         acme/one       8  6m12s  18.2/24 GB  CPU run: yes",
    ]
    assert run(["list", "--view", "trending"]) == 0
    out, err = capfd.readouterr()
    assert out.splitlines() == expected
    assert err.splitlines()[1:] == [
        "trending of text-generation, asked just now",
        f"{STACK}; 3 models; 1 PASS, 0 FAIL, 0 other, 0 left out, 2 without a record there",
    ]
    ranked_hub.refuse()
    assert run(["list", "--view", "trending", "--offline"]) == 0
    assert capfd.readouterr().out.splitlines() == expected


def test_task_and_refresh_ask_for_another_ranking_and_for_a_new_one(
    ranked_hub: LoopbackHub, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["list", "--view", "downloads", "--task", "image-text-to-text", "--format", "json"]
    assert run(words) == 0
    (line,) = json.loads(capfd.readouterr().out)
    assert (line["rank"], line["model_id"], line["verdict"], line["figure"]) == (1, "acme/two", "FAIL", 5.0)
    ranked_hub.add_model("acme/three", pipeline_tag="image-text-to-text", downloads=6)
    assert run(words) == 0
    assert len(json.loads(capfd.readouterr().out)) == 1
    assert run([*words, "--refresh"]) == 0
    assert [each["model_id"] for each in json.loads(capfd.readouterr().out)] == ["acme/three", "acme/two"]


def test_a_task_that_no_model_has_says_so(ranked_hub: LoopbackHub, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "--view", "trending", "--task", "cooking"]) == 0
    out, err = capfd.readouterr()
    assert len(out.splitlines()) == 1
    assert "trending of cooking, asked just now: no model of this task" in err


def test_without_a_ranking_it_exits_5(ranked_hub: LoopbackHub, data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "--data", data, "--view", "trending", "--offline"]) == 5
    ranked_hub.set_fault("/api/models", status(503))
    assert run(["list", "--data", data, "--view", "trending"]) == 5
    out, err = capfd.readouterr()
    assert out == ""
    assert "503" in err


def test_the_ranking_of_the_sample_is_never_a_live_one(
    ranked_hub: LoopbackHub, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["list", "--view", "trending"]) == 0
    capfd.readouterr()
    ranked_hub.forget_requests()
    assert run(["list", "--view", "trending", "--sample", "--format", "jsonl"]) == 0
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert all(line["model_id"].startswith("sample/") and line["sample"] for line in lines)
    assert len(lines) == 47
    assert ranked_hub.requests == []


def test_a_renamed_model_of_a_ranking_has_the_records_of_its_old_id(
    ranked_hub: LoopbackHub, settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    renames.remember_rename(settings, "acme/three", "fresh/new")
    assert run(["list", "--view", "trending", "--search", "fresh", "--format", "json"]) == 0
    (line,) = json.loads(capfd.readouterr().out)
    assert (line["model_id"], line["verdict"], line["tp"]) == ("fresh/new", "FAIL", 4)


# how it ends


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--offline"], 5),
        (["--data", "nowhere"], 5),
        (["--sample", "--refresh"], 2),
        (["--sample", "--neuronx-cc", "2.2"], 2),
        (["--sample", "--view", "all"], 2),
        (["--sample", "--task", "text-generation"], 2),
        (["--sample", "--limit", "0"], 2),
        (["--sample", "--format", "xml"], 2),
        (["--sample", "word"], 2),
    ],
)
def test_what_cannot_be_answered_prints_nothing(words: list[str], code: int, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["list", *words]) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert err


def test_records_are_fetched_when_there_are_none_or_when_asked_for(
    hub: LoopbackHub, capfd: pytest.CaptureFixture[str]
) -> None:
    dataset = hub.add_dataset(DATASET, {"a.parquet": parquet({"model_id": "acme/one"})})
    assert run(["list"]) == 0
    assert f"{DATASET} @ {dataset.main[:7]}, checked just now" in capfd.readouterr().err
    dataset.add_revision({"a.parquet": parquet({"model_id": "acme/two"})})
    assert run(["list"]) == 0
    assert "acme/one" in capfd.readouterr().out
    assert run(["list", "--refresh"]) == 0
    assert "acme/two" in capfd.readouterr().out


def test_what_could_not_be_read_is_told(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    (Path(data) / "b.parquet").write_bytes(b"PAR1 no PAR1")
    assert run(["list", "--data", data]) == 0
    assert sum("b.parquet" in line for line in capfd.readouterr().err.splitlines()) == 1


def test_a_reader_that_stops_reading_is_no_error(tmp_path: Path) -> None:
    rows = (
        {"model_id": f"acme/model-{place:05}", "tested_at": datetime(2026, 11, 1, tzinfo=UTC)} for place in range(9000)
    )
    (tmp_path / "a.parquet").write_bytes(parquet(*rows))
    script = '"$0" -m tui list --data "$1" --format "$2" | head -n 1; echo "${PIPESTATUS[0]}"'
    for form, first in (("table", "result  model"), ("csv", "model_id,verdict"), ("jsonl", '{"model_id"')):
        done = subprocess.run(
            ["bash", "-c", script, sys.executable, str(tmp_path), form], capture_output=True, text=True
        )
        line, code = done.stdout.splitlines()
        assert line.startswith(first)
        assert code == "0"
        assert "Error" not in done.stderr


def test_a_closed_stdout_is_no_error() -> None:
    for form in ("table", "json", "csv"):
        script = '"$0" -m tui list --sample --format "$1" >&-; echo $?'
        done = subprocess.run(["bash", "-c", script, sys.executable, form], capture_output=True, text=True)
        assert done.stdout == "0\n"
        assert "Error" not in done.stderr


@pytest.mark.parametrize("environ", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}])
def test_it_can_be_read_in_every_locale(environ: dict[str, str]) -> None:
    for form in ("table", "json"):
        done = subprocess.run(
            [sys.executable, "-m", "tui", "list", "--sample", "--format", form],
            capture_output=True, stdin=subprocess.DEVNULL, env={**os.environ, **environ},
        )  # fmt: skip
        assert (done.returncode, b"sample/Amber-3B" in done.stdout) == (0, True)


def test_neither_the_ui_nor_the_library_of_the_hub_is_loaded() -> None:
    program = (
        "import sys\nfrom tui.cli.command import run\ncode = run(sys.argv[1:])\n"
        'sys.exit(f\'{code} {sorted({"textual", "rich", "huggingface_hub"} & sys.modules.keys())}\')'
    )
    command = [sys.executable, "-c", program, "list", "--sample", "--view", "trending"]
    assert subprocess.run(command, capture_output=True, text=True).stderr.splitlines()[-1] == "0 []"


def test_the_help_has_examples_of_a_search_a_view_and_an_order(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "--help"]) == 0
    lines = capfd.readouterr().out.splitlines()
    examples = [line for line in lines if line.strip().startswith("trn-models list ")]
    assert [line.split()[2] for line in examples] == ["--search", "--view", "--sort"]
