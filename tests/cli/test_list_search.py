"""`trn-models list --search`, and the list where there is no terminal: the search language on the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import fake_hosts
import pytest
from loopback_hub import LoopbackHub
from parquet_builder import DATASET, data_folder, parquet

from tui.catalog.search_names import NAMES
from tui.cli.command import run

ROWS = (
    {"model_id": "acme/one", "tp": 8, "notes": "slow start"},
    {"model_id": "acme/two", "result": "fail", "error": "RuntimeError: OOM", "wall_s": None},
    {"model_id": "other/three", "result": "timeout", "tp": 128},
    {"model_id": "other/huge", "result": None, "tp": None, "exclusion": "more than 16 cores"},
)


@pytest.fixture
def data(tmp_path: Path) -> str:
    return data_folder(tmp_path, *ROWS)


@pytest.fixture
def listed(data: str, capfd: pytest.CaptureFixture[str]):
    """The ids that a search lists, and what is said of it on stderr after the source."""

    def search(text: str, *words: str) -> tuple[list[str], list[str]]:
        assert run(["list", "--data", data, "--format", "csv", "--search", text, *words]) == 0
        out, err = capfd.readouterr()
        return [line.split(",")[0] for line in out.splitlines()[1:]], err.splitlines()[2:]

    return search


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("acme is:pass", ["acme/one"]),
        ("-is:pass", ["acme/two", "other/three", "other/huge"]),
        ("-acme", ["other/three", "other/huge"]),
        ("wall:unknown", ["acme/two"]),
        ('reason:"than 16"', ["other/huge"]),
        ("error:oom", ["acme/two"]),
        ("error:SLOW", ["acme/one"]),
        ("error:oom error:slow", []),
        ("is:timeout cores>16", ["other/three"]),
        ("task:unknown type:unknown org:acme", ["acme/one", "acme/two"]),
        ("tested:2026-11 org:other", ["other/three", "other/huge"]),
    ],
)
def test_words_and_terms_list_the_models_that_have_all_of_them(listed, text: str, ids: list[str]) -> None:
    assert listed(text)[0] == ids


def test_a_value_that_no_model_has_finds_nothing_and_is_told(listed) -> None:
    assert listed("org:amce") == (
        [],
        ["«org:amce»: no model here has this value; did you mean acme?", "no model has «org:amce»"],
    )
    ids, said = listed("-is:nonsense")
    assert len(ids) == 4
    assert said == ["«-is:nonsense»: no model here has this value"]
    assert listed("is:untested")[1] == ["no model has «is:untested»"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("is:pa", ["«is:pa»: goes on: pass", "Right would be, for example: is:pass."]),
        ("org:o", ["«org:o»: goes on: other", "org:Qwen"]),
        ("acme cores<=", ["«cores<=»: a number such as 4, or unknown", "cores<=4"]),
        ("coers<=4", ["«coers<=4»: there is no coers; did you mean cores?"]),
        ("tested>2026", ["«tested>2026»: a day such as 2026-10-01", "tested>2026-10-01"]),
        ("mem<x wall>1h3", ["«mem<x»: no number", "«wall>1h3»: no number", "mem<20, wall<300"]),
        ("acme -", ["«-»: a dash leaves out"]),
    ],
)
def test_what_does_not_count_is_refused_with_what_would_be_right(
    data: str, capfd: pytest.CaptureFixture[str], text: str, told: list[str]
) -> None:
    assert run(["list", "--data", data, "--search", text]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert f"--search «{text}» cannot be used" in err
    assert all(part in err for part in told)
    assert "trn-models list --help" in err


def test_what_can_never_count_is_refused_before_anything_is_fetched(hub: LoopbackHub) -> None:
    hub.add_dataset(DATASET, {"a.parquet": parquet(*ROWS)})
    assert run(["list", "--search", "coers<=4"]) == 2
    assert hub.requests == []


def test_fits_here_looks_at_this_machine(listed, data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRN_MODELS_PYTHON", sys.executable)
    monkeypatch.setenv("TRN_MODELS_HOST_ROOT", str(fake_hosts.trn2_48xlarge(tmp_path / "host")))
    monkeypatch.setattr("tui.host.limits.installed_stack", lambda interpreter, stacks: next(iter(stacks)))
    assert listed("fits:here")[0] == ["acme/one", "acme/two"]
    monkeypatch.setenv("TRN_MODELS_HOST_ROOT", str(fake_hosts.other_machine(tmp_path / "other")))
    ids, said = listed("fits:here")
    assert ids == []
    assert said[0] == "«fits:here»: nothing fits here: no Neuron device: not an EC2 accelerator machine"


def test_errors_and_this_machine_are_looked_at_only_when_asked_for(listed, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_arguments: object, **_options: object) -> None:
        raise AssertionError("it was looked at")

    monkeypatch.setattr("tui.catalog.error_search.find", never)
    monkeypatch.setattr("tui.host.neuron.look_at", never)
    monkeypatch.setattr("tui.catalog.kinds.read", never)
    assert listed("acme is:pass cores<=8 reason:x")[0] == []


def test_tasks_are_those_of_rankings_on_disk(hub: LoopbackHub, capfd: pytest.CaptureFixture[str]) -> None:
    hub.add_dataset(DATASET, {"a.parquet": parquet(*ROWS)})
    hub.add_model("acme/two", pipeline_tag="text-generation", library_name="transformers", trendingScore=9)
    assert run(["list", "--view", "trending", "--search", "task:text-generation"]) == 0
    assert "acme/two" in capfd.readouterr().out
    for text, models in (("task:text-generation", 1), ("task:unknown", 3)):
        assert run(["list", "--format", "csv", "--search", text]) == 0
        assert len(capfd.readouterr().out.splitlines()) == models + 1


def test_the_help_lists_every_name(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "--help"]) == 0
    out = capfd.readouterr().out
    assert all(f"    {name.example} " in out for name in NAMES.values())
    assert max(map(len, out.splitlines())) < 80


def test_the_list_without_a_terminal_takes_the_language(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-m", "tui", "--data", data, "--search"]
    done = subprocess.run([*command, "error:oom"], capture_output=True, text=True)
    assert done.returncode == 0
    assert "acme/two" in done.stdout and "acme/one" not in done.stdout
    done = subprocess.run([*command, "is:pa"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "goes on: pass" in done.stderr


def test_an_argument_in_another_encoding_is_no_error(data: str) -> None:
    command = [sys.executable.encode(), b"-m", b"tui", b"list", b"--data", data.encode(), b"--search", b"acme\xff"]
    done = subprocess.run(command, capture_output=True)
    assert done.returncode == 0
    assert b"internal error" not in done.stderr
