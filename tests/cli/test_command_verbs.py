"""`trn-models command install` and `command cache`: one line on stdout, or a reason and an exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from loopback_hub import LoopbackHub
from parquet_builder import DATASET, parquet

from tui.cli.command import run

CARD = "# Support\n\nCompiled graphs (NEFF cache): hf buckets sync hf://buckets/acme/graphs DIR\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The records, read once for all tests."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "a.parquet").write_bytes(
        parquet(
            {"model_id": "acme/one"},
            {"model_id": "acme/bare", "library": None, "transformers": None, "accelerate": None},
            {"model_id": "acme/evil", "library": "torch; rm -rf ~", "accelerate": "1.0 && true"},
            {"model_id": "acme/no-compiler", "neuronx_cc": None},
            {"model_id": "acme/old", "neuronx_cc": "2.27.5334.0", "library_version": "5.21.0"},
        )
    )
    return folder


@pytest.fixture
def data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("TRN_MODELS_CACHE_DIR", str(folder / "cache"))
    return str(folder / "a.parquet")


@pytest.fixture
def graphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The folder of this user for compiled graphs."""
    folder = str(tmp_path / "my graphs")
    monkeypatch.setenv("TRN_MODELS_NEFF_CACHE_DIR", folder)
    return folder


# install


def test_install_prints_the_pip_line_alone(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["command", "install", "acme/one", "--data", data]) == 0
    out, err = capfd.readouterr()
    assert out == "pip install transformers==5.23.1 accelerate==1.12.0\n"
    assert "acme/one, 2.28.7631.0 · transformers 5.23.1: PASS" in err


def test_install_names_what_it_leaves_out_and_nothing_gets_into_the_line_that_a_shell_acts_on(
    data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["command", "install", "acme/evil", "--data", data, "--neuronx-cc", "any"]) == 0
    out, err = capfd.readouterr()
    assert out == "pip install transformers==5.23.1\n"
    assert "«torch; rm -rf ~» is not a package name" in err
    assert "accelerate: «1.0 && true» is not a version" in err


def test_install_without_a_package_exits_5_and_says_why(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["command", "install", "acme/bare", "--data", data, "--neuronx-cc", "any"]) == 5
    out, err = capfd.readouterr()
    assert out == ""
    assert "There is no install line for acme/bare" in err
    assert "The record names no library." in err


def test_another_stack_has_other_versions(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["command", "install", "acme/old", "--data", data]) == 4
    assert capfd.readouterr().out == ""
    assert run(["command", "install", "acme/old", "--data", data, "--neuronx-cc", "2.27"]) == 0
    assert "transformers==5.21.0" in capfd.readouterr().out


# cache


def test_cache_prints_the_line_and_tells_where_the_address_is_from(
    hub: LoopbackHub, graphs: str, capfd: pytest.CaptureFixture[str]
) -> None:
    hub.add_dataset(DATASET, {"a.parquet": parquet({}), "README.md": CARD.encode()})
    hub.add_bucket("acme/graphs", {"neuronxcc-2.28.7631.0/ab/x.neff": b"1", "neuronxcc-2.27.5334.0/ab/y.neff": b"1"})
    assert run(["command", "cache", "acme/one"]) == 0
    out, err = capfd.readouterr()
    assert out == f"hf buckets sync hf://buckets/acme/graphs/neuronxcc-2.28.7631.0 '{graphs}'\n"
    assert "line 3: Compiled graphs (NEFF cache)" in err
    assert f"TORCH_NEURONX_NEFF_CACHE_DIR='{graphs}'" in err
    assert "CANDIDATE" not in err


def test_a_bucket_that_only_fits_by_its_name_is_a_candidate(
    hub: LoopbackHub, graphs: str, capfd: pytest.CaptureFixture[str]
) -> None:
    hub.add_dataset(DATASET, {"a.parquet": parquet({})})
    hub.add_bucket("aws-neuron/neff-cache", {"neuronxcc-2.28.7631.0/ab/x.neff": b"1"})
    assert run(["command", "cache", "acme/one"]) == 0
    out, err = capfd.readouterr()
    assert out.startswith("hf buckets sync hf://buckets/aws-neuron/neff-cache/")
    assert "CANDIDATE, unverified\nAddress from a bucket of aws-neuron that has" in err


def test_without_a_bucket_cache_exits_5_and_says_how_to_name_one(
    hub: LoopbackHub, capfd: pytest.CaptureFixture[str]
) -> None:
    hub.add_dataset(DATASET, {"a.parquet": parquet({})})
    assert run(["command", "cache", "acme/one"]) == 5
    out, err = capfd.readouterr()
    assert out == ""
    assert "There is no command that fetches compiled graphs for acme/one" in err
    assert "No bucket address was found" in err
    assert "TRN_MODELS_NEFF_BUCKET" in err


def test_the_setting_names_a_bucket_also_without_network(
    data: str, graphs: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRN_MODELS_NEFF_BUCKET", "s3://acme-graphs/{neuronx_cc}")
    words = ["command", "cache", "--data", data, "--offline"]
    assert run([*words, "acme/one"]) == 0
    out, err = capfd.readouterr()
    assert out == f"aws s3 sync --no-sign-request s3://acme-graphs/2.28.7631.0 '{graphs}'\n"
    assert "Address from your setting neff_bucket" in err
    assert run([*words, "acme/no-compiler", "--neuronx-cc", "any"]) == 5
    out, err = capfd.readouterr()
    assert out == ""
    assert "names no neuronx-cc version" in err


def test_of_the_sample_nothing_was_compiled(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["command", "cache", "sample/Basalt-0.5B", "--sample"]) == 5
    assert "its models are invented" in capfd.readouterr().err


# both


@pytest.mark.parametrize("verb", ["install", "cache"])
@pytest.mark.parametrize(("model", "code"), [("acme/nothing-like-it", 7), ("acme", 7), ("acme/old", 4)])
def test_models_that_are_not_there(
    verb: str, model: str, code: int, data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["command", verb, model, "--data", data, "--offline"]) == code
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(("words", "code"), [("install sample/Basalt-0.5B", 0), ("cache sample/Basalt-0.5B", 5)])
def test_exit_codes_of_a_real_process_without_the_ui_framework(words: str, code: int) -> None:
    program = (
        "import json, sys\nfrom tui.cli.command import run\ncode = run(sys.argv[1:])\n"
        "print(json.dumps([code, sorted({'textual', 'rich'} & sys.modules.keys())]), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "command", *words.split(), "--sample"], capture_output=True, text=True
    )
    assert json.loads(done.stderr.splitlines()[-1]) == [code, []]


@pytest.mark.parametrize("verb", ["install", "cache"])
def test_the_help_has_two_examples(verb: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["command", verb, "--help"]) == 0
    assert capfd.readouterr().out.count(f"trn-models command {verb}") >= 3
