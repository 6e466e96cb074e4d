"""`trn-models refresh` against a loopback Hub."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from loopback_hub import LoopbackHub, silent, status
from parquet_builder import DATASET, parquet

from tui.cli.command import run
from tui.export import json_line


@pytest.fixture(autouse=True)
def dataset(hub: LoopbackHub) -> None:
    hub.add_dataset(DATASET, {"a.parquet": parquet({"model_id": "acme/one"}, {"model_id": "acme/two"})})


def test_the_first_refresh_says_what_it_brought(hub: LoopbackHub, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["refresh"]) == 0
    out, err = capfd.readouterr()
    sha = hub.datasets[DATASET].main
    assert out.splitlines()[-1] == f"{DATASET} @ {sha[:7]}: 2 records in 1 file, tested to 2026-11-20"
    assert err == ""


def test_another_refresh_says_what_is_different(hub: LoopbackHub, capfd: pytest.CaptureFixture[str]) -> None:
    run(["refresh"])
    capfd.readouterr()
    assert run(["refresh"]) == 0
    assert capfd.readouterr().out.splitlines()[0] == "nothing changed"
    hub.datasets[DATASET].add_revision(
        {
            "a.parquet": parquet(
                {"model_id": "acme/one", "result": "fail"}, {"model_id": "acme/two"}, {"model_id": "acme/3"}
            )
        }
    )
    assert run(["refresh"]) == 0
    first = capfd.readouterr().out.splitlines()[0]
    assert "1 file changed" in first
    assert "1 record new" in first


def test_for_programs_it_is_an_object_with_what_is_there_and_what_was(
    hub: LoopbackHub, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["refresh", "--format", "json"]) == 0
    out, err = capfd.readouterr()
    first = json.loads(out)
    sha = hub.datasets[DATASET].main
    assert datetime.fromisoformat(first.pop("checked_at")).tzinfo == UTC
    assert first == {
        "dataset": DATASET, "revision": sha, "previous_revision": None, "newest_test_at": "2026-11-20T09:30:00Z",
        "changed": "2 records of 1 stack", "files": 1, "records": 2, "stacks": 1, "complete": True, "problems": [],
        "folder": None, "sample": False,
    }  # fmt: skip
    assert err == ""
    newer = hub.datasets[DATASET].add_revision({"a.parquet": parquet({"model_id": "acme/one"})})
    assert run(["refresh", "--format", "jsonl"]) == 0
    second = json.loads(capfd.readouterr().out)
    assert (second["revision"], second["previous_revision"]) == (newer, sha)
    assert second["changed"] == "1 of 1 file changed: 1 record gone"


def test_csv_and_parquet_have_the_same_object(
    hub: LoopbackHub, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    run(["refresh"])
    capfdbinary.readouterr()
    words = ["refresh", "--offline", "--to", str(tmp_path / "out"), "--format"]
    told = {}
    for form in ("json", "csv", "parquet"):
        assert run([*words, form]) == 0
        told[form] = capfdbinary.readouterr().out
    plain = json.loads(told["json"])
    assert (plain["changed"], plain["previous_revision"]) == (None, None)
    assert (tmp_path / "out").is_dir()
    assert told["csv"].decode() == (
        "dataset,revision,previous_revision,checked_at,newest_test_at,changed,files,records,stacks,complete,problems,"
        f"folder,sample\n{DATASET},{plain['revision']},,{plain['checked_at']},2026-11-20T09:30:00Z,,1,2,1,true,[],"
        f"{tmp_path / 'out'},false\n"
    )
    frame = pl.read_parquet(told["parquet"])
    assert frame.schema["checked_at"] == frame.schema["newest_test_at"] == pl.Datetime("us", "UTC")
    assert json.loads(json_line(frame.to_dicts()[0])) == plain


def test_a_folder_that_is_refused_leaves_stdout_empty_for_programs(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    assert run(["refresh", "--to", str(tmp_path), "--format", "json"]) == 2
    assert capfd.readouterr().out == ""


def test_problems_are_in_the_object_too(hub: LoopbackHub, capfd: pytest.CaptureFixture[str]) -> None:
    hub.datasets[DATASET].add_revision({"a.parquet": parquet({"model_id": "acme/one"}), "b.parquet": b"PAR1 no PAR1"})
    assert run(["refresh", "--format", "json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["complete"], told["files"], told["records"]) == (False, 2, 1)
    assert "b.parquet" in told["problems"][0]


def test_a_written_snapshot_opens_on_a_host_without_network(
    hub: LoopbackHub, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "for the other host"
    assert run(["refresh", "--to", str(folder)]) == 0
    line = capfd.readouterr().out.splitlines()[-1]
    assert line == f"written to {folder}; read it with: trn-models --data '{folder}'"
    hub.refuse()
    monkeypatch.setenv("TRN_MODELS_CACHE_DIR", str(tmp_path / "another cache"))
    assert run(["--offline", "--data", str(folder)]) == 0
    out, _ = capfd.readouterr()
    assert "acme/one" in out
    assert "acme/two" in out


def test_the_last_snapshot_can_be_written_without_network(
    hub: LoopbackHub, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run(["refresh"])
    hub.forget_requests()
    assert run(["--offline", "refresh", "--to", str(tmp_path / "out")]) == 0
    assert hub.requests == []
    assert "2 records" in capfd.readouterr().out


def test_options_may_stand_before_the_verb_or_after_it(hub: LoopbackHub, capfd: pytest.CaptureFixture[str]) -> None:
    hub.add_dataset("acme/other", {"b.parquet": parquet({"model_id": "acme/three"})})
    assert run(["--dataset", "acme/other", "refresh"]) == 0
    assert run(["--dataset", "acme/none", "refresh", "--dataset", "acme/other"]) == 0
    assert capfd.readouterr().out.count("acme/other @ ") == 2


def test_a_refused_name_and_password_in_the_address_is_told_in_words(
    hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", hub.url.replace("://", "://person:secret@"))
    hub.set_fault("/", status(401))
    assert run(["refresh"]) == 5
    out, err = capfd.readouterr()
    assert out == ""
    assert "TokenRefused" not in err
    assert len(err.splitlines()) == 3


def test_without_an_answer_it_exits_5_and_says_what_to_do(hub: LoopbackHub, capfd: pytest.CaptureFixture[str]) -> None:
    hub.set_fault("/", status(503))
    assert run(["refresh"]) == 5
    out, err = capfd.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 3
    assert "503" in err


@pytest.mark.parametrize("arguments", [["--offline"], ["--sample"], ["--data", "x"]])
def test_with_nothing_to_fetch_it_exits_2(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["refresh", *arguments]) == 2
    assert "There is nothing to fetch" in capfd.readouterr().err


def test_offline_without_a_snapshot_exits_5(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["refresh", "--offline", "--to", str(tmp_path / "out")]) == 5
    assert "There is no snapshot on this machine" in capfd.readouterr().err


def test_a_folder_with_other_things_in_it_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    assert run(["refresh", "--to", str(tmp_path)]) == 2
    assert (tmp_path / "thesis.txt").read_text() == "years of work"
    assert capfd.readouterr().err


def test_files_that_cannot_be_read_are_named(hub: LoopbackHub, capfd: pytest.CaptureFixture[str]) -> None:
    hub.datasets[DATASET].add_revision({"a.parquet": parquet({"model_id": "acme/one"}), "b.parquet": b"PAR1 no PAR1"})
    assert run(["refresh"]) == 0
    out, err = capfd.readouterr()
    assert "b.parquet" in err
    assert "1 record in 2 files" in out


def running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("path", ["/api/datasets", "/content"])
def test_ctrl_c_ends_it_at_once_also_while_the_hub_is_silent(
    path: str, hub: LoopbackHub, tmp_path: Path, wait_until: Callable[[Callable[[], object]], None]
) -> None:
    hub.set_fault(path, silent())
    process = subprocess.Popen(
        [sys.executable, "-m", "tui", "refresh"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ}
    )
    wait_until(lambda: hub.paths(path))
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 130
    assert time.monotonic() - start < 3
    assert process.communicate() == (b"", b"")
