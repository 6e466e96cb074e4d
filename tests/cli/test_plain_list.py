"""The list that is printed where there is no terminal for the app."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from loopback_hub import LoopbackHub, rate_limited
from parquet_builder import DATASET, data_folder, parquet

from tui.cli import plain_list
from tui.cli.command import run

OLDER = {"neuronx_cc": "2.27.5334.0", "library_version": "5.21.0"}
ROWS = (
    {"model_id": "acme/one", "tp": 8, "wall_s": 372, "cpu_match": "yes", "english": None},
    {"model_id": "acme/two", "result": "fail", "hbm_peak_gb": None, "wall_s": None, "english": None},
    {"model_id": "acme/three", "result": "timeout"},
    {"model_id": "acme/three", "result": "fail", "tp": 4},
    {"model_id": "acme/huge", "result": None, "exclusion": "more than 16 cores", "english": None},
    {"model_id": "acme/old", **OLDER},
)


@pytest.fixture
def data(tmp_path: Path) -> str:
    return data_folder(tmp_path, *ROWS)


def test_it_shows_models_with_a_result_on_the_newest_stack(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["--data", data]) == 0
    out, err = capfd.readouterr()
    assert out.splitlines() == [
        "neuronx-cc 2.28.7631.0 · transformers 5.23.1: 3 of 4 models; 1 PASS, 2 FAIL, 0 other, 1 left out",
        "result         model       cores   time      memory  check",
        "PASS           acme/one        8  6m12s  18.2/24 GB  CPU run: yes",
        "FAIL +1 other  acme/three      4  6m12s  18.2/24 GB  judge: yes",
        "FAIL           acme/two        1      –           –  –",
    ]
    assert err == f"{data}, tested to 2026-11-20\n"


def test_a_search_narrows_it_and_finds_models_that_were_left_out(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["--data", data, "--search", "HUGE acme"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[2].startswith("left out  acme/huge")
    assert lines[2].endswith("left out: more than 16 cores")


def test_a_search_without_a_hit_says_so(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["--data", data, "--search", "acne"]) == 0
    out, err = capfd.readouterr()
    assert "acme/" not in out
    assert "no model has «acne»; did you mean acme?" in err


def test_after_20_models_it_says_how_many_more_there_are(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rows = [{"model_id": f"acme/model-{number:02}"} for number in range(33)]
    (tmp_path / "a.parquet").write_bytes(parquet(*rows))
    assert run(["--data", str(tmp_path / "a.parquet")]) == 0
    out, err = capfd.readouterr()
    assert len(out.splitlines()) == 2 + 20
    assert "13 more: run trn-models in a terminal" in err


def test_with_nothing_local_the_dataset_is_fetched_and_kept(
    hub: LoopbackHub, capfd: pytest.CaptureFixture[str]
) -> None:
    hub.add_dataset(DATASET, {"a.parquet": parquet(*ROWS)})
    assert run([]) == 0
    out, err = capfd.readouterr()
    assert "acme/one" in out
    assert f"{DATASET} @ {hub.datasets[DATASET].main[:7]}, checked just now" in err
    hub.forget_requests()
    assert run([]) == 0
    assert "acme/one" in capfd.readouterr().out
    assert hub.requests == []


def test_without_records_the_sample_is_shown_and_says_so_on_both_streams(
    hub: LoopbackHub, capfd: pytest.CaptureFixture[str]
) -> None:
    hub.set_fault("/", rate_limited(60))
    assert run([]) == 0
    out, err = capfd.readouterr()
    assert out.splitlines()[0] == "SAMPLE DATA: invented models, not results of any real one"
    assert " sample/" in out.splitlines()[3]
    assert "The Hub asks to wait" in err
    assert "The bundled sample is shown instead." in err


def test_a_dataset_without_records_leads_to_the_sample_too(hub: LoopbackHub, capfd: pytest.CaptureFixture[str]) -> None:
    hub.add_dataset(DATASET, {"README.md": b"# Nothing yet"})
    assert run([]) == 0
    out, err = capfd.readouterr()
    assert out.startswith("SAMPLE DATA")
    assert f"{DATASET} has no parquet file" in err


def test_offline_with_nothing_local_shows_the_sample_and_asks_nobody(
    hub: LoopbackHub, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["--offline"]) == 0
    assert capfd.readouterr().out.startswith("SAMPLE DATA")
    assert hub.requests == []


def test_data_that_cannot_be_read_exits_5_and_never_becomes_the_sample(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["--data", str(tmp_path / "none")]) == 5
    out, err = capfd.readouterr()
    assert out == ""
    assert str(tmp_path / "none") in err


def test_several_problems_stand_on_lines_of_their_own(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("a.parquet", "b.parquet"):
        (tmp_path / name).write_bytes(b"PAR1 no PAR1")
    assert run(["--data", str(tmp_path)]) == 5
    lines = capfd.readouterr().err.splitlines()
    assert [line.split()[0] for line in lines if ".parquet" in line] == ["a.parquet", "b.parquet"]


def test_values_that_do_not_fit_their_column_are_shown_as_they_stand(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {
        "model_id": ["acme/one"], "result": ["pass"], "tp": ["eight"], "wall_s": ["ages"], "hbm_peak_gb": ["lots"],
        "neuronx_cc": ["2.28.7631.0"], "library": ["transformers"], "library_version": ["5.23.1"],
    }  # fmt: skip
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    assert run(["--data", str(tmp_path)]) == 0
    line = capfd.readouterr().out.splitlines()[2]
    assert line.split() == ["PASS", "acme/one", "eight?", "ages?", "lots?", "–"]


def test_names_of_strangers_cannot_act_on_the_terminal(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.parquet").write_bytes(parquet({"model_id": "acme/\x1b]0;x\x07", "result": "o\nk\x9b2J"}))
    assert run(["--data", str(tmp_path)]) == 0
    out, err = capfd.readouterr()
    assert not {"\x1b", "\x07", "\x9b"} & set(out + err)
    assert len(out.splitlines()) == 3


def test_a_dumb_terminal_gets_lines_that_fit_it(
    data: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(plain_list, "is_terminal", lambda stream: True)
    monkeypatch.setenv("COLUMNS", "50")
    assert run(["--data", data]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 50
    assert "PASS           acme/one        8  6m12s" in lines


@pytest.mark.parametrize(("encoding", "sign"), [("utf-8", "–"), ("latin-1", "-"), ("ascii", "-")])
def test_it_can_be_read_in_every_encoding(encoding: str, sign: str, data: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tui", "--data", data],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode(encoding).splitlines()[-1].split() == ["FAIL", "acme/two", "1", sign, sign, sign]


def test_ascii_signs_are_used_when_asked_for(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["--data", data, "--ascii"]) == 0
    assert capfd.readouterr().out.isascii()


def test_the_ui_is_not_loaded_for_it(data: str) -> None:
    program = (
        "import sys\nfrom tui.cli.command import run\ncode = run(sys.argv[1:])\n"
        'sys.exit(f\'{code} {sorted({"textual", "rich", "huggingface_hub"} & sys.modules.keys())}\')'
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "--data", data], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert done.stderr.splitlines()[-1] == "0 []"
