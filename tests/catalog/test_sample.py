"""The bundled sample: it is what its writer writes, and it shows every case that the app must show."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from sample_errors import ERRORS
from write_sample import SAMPLE_FOLDER, write_sample

from tui.catalog.outcome_change import Change
from tui.catalog.snapshot import Snapshot, open_sample, read_text, record_at
from tui.catalog.stack_diff import diff
from tui.catalog.stacks import STACK_COLUMNS
from tui.catalog.verdict import Record, Verdict
from tui.catalog.views import records_of


@pytest.fixture(scope="module")
def sample() -> Snapshot:
    return open_sample()


@pytest.fixture(scope="module")
def records(sample: Snapshot) -> list[Record]:
    return [record_at(sample, index) for index in range(sample.records.height)]


def tables_of(folder: Path) -> tuple[dict[str, pl.DataFrame], pl.DataFrame, list[dict[str, Any]]]:
    """Own files by the name of their source, the index, and the manifest without what depends on bytes."""
    files = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["files"]
    own = {file["name"]: pl.read_parquet(folder / "records" / file["own"]) for file in files}
    (index,) = (folder / "index").glob("*.parquet")
    for file in files:
        del file["own"], file["own_bytes"], file["sha256"]
    return own, pl.read_parquet(index), files


def test_the_shipped_files_are_what_the_writer_writes_today(tmp_path: Path) -> None:
    write_sample(tmp_path)
    # The bytes of a parquet file depend on the version of pyarrow; its records do not.
    own, index, files = tables_of(SAMPLE_FOLDER)
    own_today, index_today, files_today = tables_of(tmp_path)
    assert files == files_today
    assert {name: frame.equals(own_today[name]) for name, frame in own.items()} == dict.fromkeys(own_today, True)
    assert index.equals(index_today)
    ranking = (SAMPLE_FOLDER / "ranking.json").read_text(encoding="utf-8")
    assert ranking == (tmp_path / "ranking.json").read_text(encoding="utf-8")


def test_the_sample_is_small_and_all_its_names_are_invented(sample: Snapshot) -> None:
    assert sum(path.stat().st_size for path in SAMPLE_FOLDER.rglob("*") if path.is_file()) < 500_000
    assert sample.records["model_id"].str.starts_with("sample/").all()
    ranking = json.loads((SAMPLE_FOLDER / "ranking.json").read_text(encoding="utf-8"))
    rows = [row for tasks in ranking.values() for rows in tasks.values() for row in rows]
    assert all(row["id"].startswith("sample/") for row in rows)


def test_opening_the_sample_writes_nothing_and_starts_no_child(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {path: path.stat().st_mtime_ns for path in SAMPLE_FOLDER.rglob("*") if path.is_file()}
    monkeypatch.setattr(subprocess, "Popen", None)
    snapshot = open_sample()
    assert (snapshot.source, snapshot.name, snapshot.revision) == ("sample", "bundled sample", None)
    assert (snapshot.complete, snapshot.problems) == (True, ())
    assert snapshot.newest_test is not None
    assert snapshot.newest_test.isoformat() == "2026-11-20T12:00:00+00:00"
    after = {path: path.stat().st_mtime_ns for path in SAMPLE_FOLDER.rglob("*") if path.is_file()}
    assert after == before


def test_three_stacks_of_transformers_and_other_libraries(sample: Snapshot) -> None:
    stacks = [count.stack for count in sample.stacks]
    transformers = [(stack.neuronx_cc, stack.library_version) for stack in stacks if stack.library == "transformers"]
    assert transformers == [("2.28.7631.0", "5.23.1"), ("2.27.5334.0", "5.21.0"), ("2.26.4100.0", "5.18.2")]
    assert {stack.library for stack in stacks} == {"transformers", "diffusers", "sentence-transformers"}
    newest = sample.records.filter(neuronx_cc="2.28.7631.0", library="transformers")
    assert newest["key"].n_unique() > 60


Case = Callable[[Record], bool]
CASES: dict[str, Case] = {
    "one core, compared with a CPU run": lambda r: passes(r, 1) and r.text("cpu_match") == "yes" and no(r, "english"),
    "two cores, judged": lambda r: passes(r, 2) and r.text("english") == "yes" and no(r, "cpu_match"),
    "four cores, judged": lambda r: passes(r, 4) and r.text("english") == "yes" and no(r, "cpu_match"),
    "eight cores, judged": lambda r: passes(r, 8) and r.text("english") == "yes" and no(r, "cpu_match"),
    "sixteen cores, judged": lambda r: passes(r, 16) and r.text("english") == "yes" and no(r, "cpu_match"),
    "both checks": lambda r: r.text("cpu_match") is not None and r.text("english") is not None,
    "no check": lambda r: passes(r, 1) and no(r, "english") and no(r, "cpu_match"),
    "too large": lambda r: r.verdict is Verdict.EXCLUDED and r.exclusion == "needs more than 16 cores",
    "custom code": lambda r: r.verdict is Verdict.EXCLUDED and r.exclusion == "custom code in the repository",
    "PASS and an exclusion": lambda r: r.verdict is Verdict.PASS and r.exclusion is not None,
    "FAIL and an exclusion": lambda r: r.verdict is Verdict.FAIL and r.exclusion is not None,
    "the word timeout": lambda r: r.verdict is Verdict.OTHER and r.result_word == "timeout",
    "the word ok": lambda r: r.verdict is Verdict.OTHER and r.result_word == "ok",
    "the word skipped?": lambda r: r.verdict is Verdict.OTHER and r.result_word == "skipped?",
    "PASS in another spelling": lambda r: r.verdict is Verdict.PASS and r.result_word == "Passed",
    "FAIL in another spelling": lambda r: r.verdict is Verdict.FAIL and r.result_word == "FAILED",
    "no result and no reason": lambda r: r.verdict is Verdict.OTHER and r.result_word is None,
    "an empty result": lambda r: r.result_word == "",
    "memory not a number": lambda r: r.values["hbm_peak_gb"] is not None and math.isnan(r.values["hbm_peak_gb"]),
    "memory zero": lambda r: r.values["hbm_peak_gb"] == 0.0,
    "memory null": lambda r: passes(r, 1) and r.values["hbm_peak_gb"] is None,
    "time null": lambda r: r.verdict is Verdict.PASS and r.values["wall_s"] is None,
    "time zero": lambda r: r.values["wall_s"] == 0,
    "notes empty": lambda r: r.text("notes") == "",
    "notes None": lambda r: r.text("notes") == "None",
    "notes null": lambda r: r.text("notes") is None,
    "cores that are no number": lambda r: r.unconverted == {"tp": "four"} and r.tp is None,
    "columns nobody knows": lambda r: r.extra == {"seed": 1, "hub_revision": "c0ffee12"},
    "another runner": lambda r: r.text("runner") == "compile",
}


def passes(record: Record, cores: int) -> bool:
    return record.verdict is Verdict.PASS and record.tp == cores


def no(record: Record, column: str) -> bool:
    return record.values[column] is None


@pytest.mark.parametrize("case", CASES)
def test_the_sample_shows(case: str, records: list[Record]) -> None:
    assert any(CASES[case](record) for record in records)


def test_every_kind_of_failure_is_there_and_ends_as_such_a_run_ends(sample: Snapshot) -> None:
    failing = sample.records.filter("has_error").select("file", "row").rows()
    found = {read_text(sample, file, row, "error") for file, row in failing}
    assert found == {error.text for error in ERRORS.values()}
    for text in (
        "[NCC_EOOM001]", "nrt_tensor_allocate status=4", "[F134]", "[F137]", "[NCC_EUOC002]", "GatedRepoError",
        "[Errno 28] No space left on device", "execution timeout (30000 ms)", "differ from the CPU run",
    ):  # fmt: skip
        assert any(text in str(error) for error in found), text
    assert sum(str(error).startswith("Traceback (most recent call last):\n  File") for error in found) > 15


def test_one_file_lacks_the_exclusion_and_one_has_more_columns(sample: Snapshot) -> None:
    assert [file.missing for file in sample.files if file.missing] == [("exclusion",)]
    assert [file.extra for file in sample.files if file.extra] == [("seed", "hub_revision")]


def test_several_records_of_a_model_on_one_stack_that_agree_and_that_do_not(sample: Snapshot) -> None:
    def on_newest(model: str) -> list[tuple[int | None, Verdict]]:
        found = [record_at(sample, index) for index in records_of(sample, f"sample/{model}")["record"]]
        return sorted((record.tp, record.verdict) for record in found if record.stack.neuronx_cc == "2.28.7631.0")

    assert on_newest("basalt-7b-instruct") == [(1, Verdict.FAIL), (4, Verdict.PASS)]
    assert on_newest("cobalt-14b") == [(4, Verdict.PASS), (8, Verdict.PASS)]
    assert on_newest("amber-3b") == [(1, Verdict.FAIL), (1, Verdict.PASS)]
    assert on_newest("slate-7b") == [(1, Verdict.OTHER), (2, Verdict.PASS), (4, Verdict.FAIL)]


def test_one_model_is_broken_by_the_newest_stack_for_the_comparisons_to_show(sample: Snapshot) -> None:
    new, old, *_ = (count.stack for count in sample.stacks if count.stack.library == "transformers")
    assert diff(sample, old, new).only([Change.BROKEN])["model_id"].to_list() == ["sample/Quartz-VL-8B"]


def test_a_model_is_found_on_all_stacks_whatever_the_case_of_its_id(sample: Snapshot) -> None:
    found = [record_at(sample, index) for index in records_of(sample, "sample/opal-1b")["record"]]
    assert [record.model_id for record in found] == ["sample/Opal-1B", "sample/opal-1b", "sample/Opal-1B"]
    assert [record.stack.neuronx_cc for record in found] == ["2.28.7631.0", "2.27.5334.0", "2.26.4100.0"]


@pytest.mark.parametrize("view", ["trending", "downloads"])
def test_the_ranking_has_tested_untested_left_out_and_foreign_models(sample: Snapshot, view: str) -> None:
    ranking = json.loads((SAMPLE_FOLDER / "ranking.json").read_text(encoding="utf-8"))[view]
    assert set(ranking) == {"text-generation", "image-text-to-text"}
    rows = {row["id"]: row for row in ranking["text-generation"]}
    assert len(rows) >= 40
    figure = {"trending": "trendingScore", "downloads": "downloads"}[view]
    figures = [row[figure] for row in rows.values()]
    assert figures == sorted(figures, reverse=True)
    newest = sample.records.filter(neuronx_cc="2.28.7631.0", library="transformers")
    verdicts = dict(newest.select("model_id", "verdict").rows())
    everywhere = set(sample.records["model_id"])
    assert verdicts["sample/Quartz-8B-Instruct"] == "PASS"
    assert verdicts["sample/Colossus-400B"] == "EXCLUDED"
    assert "sample/Newcomer-3B" in rows.keys() - everywhere
    assert "sample/Older-2B" in (rows.keys() & everywhere) - verdicts.keys()
    assert rows["sample/Draw-XL"]["library_name"] == "diffusers"
    assert rows["sample/Mystery-7B"]["library_name"] is None
    assert {row["gated"] for row in rows.values()} == {False, "auto", "manual"}
    fields = {"id", "trendingScore", "downloads", "likes", "pipeline_tag", "library_name", "gated", "tags", "createdAt"}
    assert all(fields <= row.keys() for row in rows.values())


def script_of(sample: Snapshot, model: str, verdict: str, tmp_path: Path) -> tuple[Path, str | None]:
    """The newest record's script in a file, and its recorded error."""
    (file, row), *_ = sample.records.filter(model_id=f"sample/{model}", verdict=verdict).select("file", "row").rows()
    script = read_text(sample, file, row, "run_py")
    assert script is not None
    path = tmp_path / "run.py"
    path.write_text(script, encoding="utf-8")
    return path, read_text(sample, file, row, "error")


def run(script: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, script, "--seconds", "0.2"],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
    )


def test_a_passing_script_says_what_it_is_and_starts_a_rank_on_each_core(sample: Snapshot, tmp_path: Path) -> None:
    script, _ = script_of(sample, "Quartz-8B-Instruct", "PASS", tmp_path)
    text = script.read_text(encoding="utf-8")
    assert text.startswith('"""Demonstration script of the bundled sample: it trains nothing and loads no model.')
    assert 'MODEL_ID = "sample/Quartz-8B-Instruct"\n' in text
    assert "\nTP = 4  # NeuronCores that the model is sharded over\n" in text
    assert len(text.splitlines()) < 120
    done = run(script, NEURON_RT_VISIBLE_CORES="8-11")
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert lines[0] == "demonstration script of the bundled sample: trains nothing, loads no model"
    assert sorted(line.partition(", process")[0] for line in lines if "NeuronCore " in line) == [
        "rank 0: NeuronCore 8", "rank 1: NeuronCore 9", "rank 2: NeuronCore 10", "rank 3: NeuronCore 11",
    ]  # fmt: skip
    assert "rank 0: 32 tokens after «For a week in the mountains, pack»" in lines
    assert lines[-1] == "result: pass (a demonstration: nothing was tested)"


def test_a_failing_script_ends_with_the_recorded_error(sample: Snapshot, tmp_path: Path) -> None:
    for model in ("Quartz-VL-8B", "Flint-8B", "Garnet-9B"):
        script, error = script_of(sample, model, "FAIL", tmp_path)
        done = run(script)
        assert done.returncode == 1
        assert error is not None
        assert done.stderr.rstrip("\n").endswith(error)


def test_a_script_with_too_few_cores_says_so(sample: Snapshot, tmp_path: Path) -> None:
    script, _ = script_of(sample, "Quartz-8B-Instruct", "PASS", tmp_path)
    done = run(script, NEURON_RT_NUM_CORES="2")
    assert done.returncode == 1
    assert "Logical Neuron Core(s) not available - Requested:4 Available:2" in done.stderr


def test_every_script_is_whole_and_needs_the_standard_library_only(sample: Snapshot) -> None:
    with_script = sample.records.filter("has_run_py").select("file", "row").rows()
    assert len(with_script) > 100
    for file, row in with_script:
        script = read_text(sample, file, row, "run_py")
        assert script is not None
        compile(script, "run.py", "exec")
        imported = [line.split()[1] for line in script.splitlines() if line.startswith(("import ", "from "))]
        assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names


def test_each_stack_names_all_its_versions(sample: Snapshot) -> None:
    versions = (*STACK_COLUMNS, "transformers", "torch_neuronx", "torch", "nki", "python", "neuron_driver")
    assert sample.records.select(versions).null_count().row(0) == (0,) * len(versions)
