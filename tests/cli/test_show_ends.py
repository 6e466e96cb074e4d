"""How `trn-models show` ends, and what it asks of the Hub."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from loopback_hub import LoopbackHub, status
from parquet_builder import DATASET, data_folder, parquet
from show_rows import OLDER, ROWS

from tui.catalog import neff_bucket, rankings, renames
from tui.catalog.views import View
from tui.cli import show
from tui.cli.command import run
from tui.settings import Settings


@pytest.fixture
def data(tmp_path: Path) -> str:
    return data_folder(tmp_path, *ROWS)


def trn_models(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tui", *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL,
        env={**os.environ, **environ},
    )  # fmt: skip


# exit codes, in a process of its own


@pytest.mark.parametrize(
    ("model", "code"),
    [
        ("acme/one", 0),
        ("acme/one-more", 1),
        ("acme/huge", 3),
        ("acme/old", 4),
        ("acme/timeout", 6),
        ("acme/blank", 6),
        ("acme", 7),
        ("acme/nothing", 7),
    ],
)
def test_the_exit_code_tells_the_verdict(model: str, code: int, data: str) -> None:
    done = trn_models("show", model, "--data", data)
    assert done.returncode == code, done.stderr
    assert bool(done.stdout) is (code != 7)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["acme/one", "--data", "nowhere"], 5),
        (["acme/one", "--offline"], 5),
        (["acme/one", "--sample"], 7),
        (["acme/one", "--sample", "--refresh"], 2),
        (["acme/one", "--sample", "--neuronx-cc", "9"], 2),
        (["acme/one", "--format", "xml"], 2),
        (["", "--sample"], 2),
        (["acme/one", "acme/two"], 2),
        ([], 2),
    ],
)
def test_what_cannot_be_answered_has_other_exit_codes_and_prints_nothing(
    words: list[str], code: int, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", *words]) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert err


def test_an_id_that_begins_with_a_hyphen_works_after_two_of_them(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "--data", data, "--", "-acme/-x"]) == 0
    out = capfd.readouterr().out
    assert out.startswith("-acme/-x\nPASS on 1 core, peak")
    assert out.splitlines()[-1] == f"  trn-models script --data {data} -- -acme/-x"


def test_what_may_be_in_an_unreadable_file_is_not_called_untested(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    (Path(data) / "b.parquet").write_bytes(b"PAR1 no PAR1")
    assert run(["show", "acme/old", "--data", data]) == 5
    out, err = capfd.readouterr()
    assert out.splitlines()[1].startswith("Not known: ")
    assert "b.parquet" in err
    assert run(["show", "acme/old", "--data", data, "--format", "json"]) == 5
    assert json.loads(capfd.readouterr().out)["verdict"] is None


def test_an_older_record_is_no_pass_while_the_newest_may_be_in_an_unreadable_file(
    data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (Path(data) / "b.parquet").write_bytes(b"PAR1 no PAR1")
    for words in ([], ["--neuronx-cc", "latest"]):
        assert run(["show", "acme/one", "--data", data, *words]) == 5
        out, err = capfd.readouterr()
        assert out.splitlines()[1].startswith("PASS on 8 cores")
        assert err.splitlines()[-1] == (
            "A part of the data could not be read: newer records of the model may be in it."
        )
    assert run(["show", "acme/one", "--data", data, "--format", "json"]) == 5
    shown = json.loads(capfd.readouterr().out)
    assert (shown["verdict"], shown["complete"]) == ("PASS", False)
    assert ["b.parquet" in problem for problem in shown["problems"]] == [True]
    for words in (["--neuronx-cc", "2.28"], ["--library-version", "5.23.1"]):
        assert run(["show", "acme/one", "--data", data, *words]) == 0
        assert "could not be read:" not in capfd.readouterr().err.splitlines()[-1]
    assert run(["show", "acme/nothing", "--data", data]) == 5


def test_a_reader_that_stops_reading_does_not_turn_a_failure_into_a_pass(data: str) -> None:
    script = '"$0" -m tui show acme/one-more --data "$1" $2 | head -n 1; echo "${PIPESTATUS[0]}"'
    done = subprocess.run(["bash", "-c", script, sys.executable, data], capture_output=True, text=True)
    assert done.stdout == "acme/one-more\n1\n"
    script = '(sleep 0.1; "$0" -m tui show acme/one-more --data "$1" $2; echo $? >&2) | true'
    for form in ("", "--format json"):
        done = subprocess.run(["bash", "-c", script, sys.executable, data, form], capture_output=True, text=True)
        assert done.stderr.splitlines()[1:] == ["1"]


def test_a_closed_stdout_leaves_the_exit_code(data: str) -> None:
    for form in ("table", "json"):
        script = '"$0" -m tui show acme/one-more --data "$1" --format "$2" >&-; echo $?'
        done = subprocess.run(["bash", "-c", script, sys.executable, data, form], capture_output=True, text=True)
        assert (done.stdout, len(done.stderr.splitlines())) == ("1\n", 1)


@pytest.mark.parametrize(
    "environ", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}]
)
def test_it_can_be_read_in_every_locale(environ: dict[str, str], data: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tui", "show", "acme/one", "--data", data], capture_output=True,
        stdin=subprocess.DEVNULL, env={**os.environ, **environ},
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stdout.startswith(b"acme/one\nPASS on 8 cores, 6 min 12 s with compilation")
    json_bytes = trn_models("show", "acme/one", "--data", data, "--format", "json", **environ).stdout
    assert json.loads(json_bytes)["model_id"] == "acme/one"


# the Hub


@pytest.fixture
def dataset(hub: LoopbackHub) -> LoopbackHub:
    hub.add_dataset(DATASET, {"a.parquet": parquet(*ROWS)})
    return hub


def test_records_are_fetched_once_and_the_revision_is_told(
    dataset: LoopbackHub, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "acme/one"]) == 0
    out, err = capfd.readouterr()
    assert err == f"{DATASET} @ {dataset.datasets[DATASET].main[:7]}, checked just now, tested to 2026-11-20\n"
    assert out.splitlines()[-1] == "  trn-models script acme/one"
    dataset.forget_requests()
    assert run(["show", "acme/one-more"]) == 1
    assert dataset.requests == []


def test_refresh_asks_for_the_newest_revision_and_fails_when_the_hub_does(
    dataset: LoopbackHub, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "acme/one"]) == 0
    dataset.datasets[DATASET].add_revision({"a.parquet": parquet({"model_id": "acme/one", "result": "fail"})})
    assert run(["show", "acme/one"]) == 0
    assert run(["show", "acme/one", "--refresh"]) == 1
    assert run(["show", "acme/one"]) == 1
    capfd.readouterr()
    dataset.set_fault("/", status(503))
    assert run(["show", "acme/one", "--refresh"]) == 5
    out, err = capfd.readouterr()
    assert out == ""
    assert "503" in err


def test_a_model_that_only_a_ranking_has_is_untested(
    dataset: LoopbackHub, settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    dataset.add_model("fresh/Newcomer-3B", pipeline_tag="text-generation", trendingScore=1)
    rankings.fetch(settings, View.TRENDING, "text-generation")
    assert run(["show", "newcomer"]) == 4
    lines = capfd.readouterr().out.splitlines()
    assert lines[:2] == ["fresh/Newcomer-3B", "Not tested: the dataset has no record of it."]
    assert lines[3] == "What would it take?"


def test_a_renamed_model_is_found_by_its_new_id_and_shown_with_all_its_records(
    tmp_path: Path, settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = ({"model_id": "tiny/One", **OLDER}, {"model_id": "giant/One", "result": "fail"})
    (tmp_path / "a.parquet").write_bytes(parquet(*rows))
    renames.remember_rename(settings, "tiny/One", "giant/One")
    assert run(["show", "tiny/one", "--data", str(tmp_path)]) == 1
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "giant/One"
    assert [line.split()[0] for line in lines if line.endswith("2026-11-20") and "tiny/One" in line] == ["PASS"]


def test_the_cache_command_is_shown_when_its_bucket_is_known_and_nobody_is_asked(
    dataset: LoopbackHub, settings: Settings, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run(["show", "acme/one"])
    assert "  trn-models command cache acme/one" in capfd.readouterr().out.splitlines()
    dataset.datasets[DATASET].add_revision(
        {"a.parquet": parquet(*ROWS), "README.md": b"NEFF cache: hf://buckets/acme/neff-cache\n"}
    )
    dataset.add_bucket("acme/neff-cache", {"neuronxcc-2.28.7631.0/x.neff": b""})
    neff_bucket.find(settings)
    dataset.forget_requests()
    run(["show", "acme/one"])
    lines = capfd.readouterr().out.splitlines()
    folder = lines[lines.index("compiled graphs") + 1].split()
    assert folder[:3] == ["hf", "buckets", "sync"]
    assert folder[3] == "hf://buckets/acme/neff-cache/neuronxcc-2.28.7631.0"
    assert dataset.requests == []


def test_neither_the_ui_nor_the_library_of_the_hub_is_loaded(data: str) -> None:
    program = (
        "import sys\nfrom tui.cli.command import run\ncode = run(sys.argv[1:])\n"
        'sys.exit(f\'{code} {sorted({"textual", "rich", "huggingface_hub"} & sys.modules.keys())}\')'
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "show", "acme/one", "--data", data], capture_output=True, text=True
    )
    assert done.stderr.splitlines()[-1] == "0 []"


def test_the_help_has_two_examples(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "--help"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert len([line for line in lines if line.strip().startswith("trn-models show ")]) == 2
    assert show.show_verb.short_help
