"""`trn-models command install` and `command cache`: one line on stdout, or a reason and an exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
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


@pytest.mark.parametrize("setting", ["", "hf://buckets/acme/graphs", "hf://buckets/acme/graphs/{neuronx_cc}"])
def test_a_bucket_that_the_hub_does_not_have_exits_5(
    setting: str, hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    card = b"" if setting else CARD.encode()
    hub.add_dataset(DATASET, {"a.parquet": parquet({}), "README.md": card})
    monkeypatch.setenv("TRN_MODELS_NEFF_BUCKET", setting)
    for words in ([], ["--offline"]):  # the answer is kept, and as good then
        assert run(["command", "cache", "acme/one", *words]) == 5
        out, err = capfd.readouterr()
        assert out == ""
        assert "There is no command that fetches compiled graphs for acme/one" in err
        assert "hf://buckets/acme/graphs" in err
        assert "The Hub has no such bucket, or it is private." in err
        assert "TRN_MODELS_NEFF_BUCKET" in err
    assert run(["show", "acme/one", "--format", "json"]) == 0
    shown = json.loads(capfd.readouterr().out)
    assert (shown["cache"], shown["cache_is_candidate"]) == (None, None)


def test_a_bucket_that_could_not_be_asked_about_is_printed_and_that_is_told(
    hub: LoopbackHub, graphs: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    hub.add_dataset(DATASET, {"a.parquet": parquet({})})
    assert run(["refresh"]) == 0
    monkeypatch.setenv("TRN_MODELS_NEFF_BUCKET", "hf://buckets/acme/graphs")
    capfd.readouterr()
    assert run(["command", "cache", "acme/one", "--offline"]) == 0
    out, err = capfd.readouterr()
    assert out == f"hf buckets sync hf://buckets/acme/graphs '{graphs}'\n"
    assert "was not looked up; all of it is fetched" in err
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("TRN_MODELS_DATA", str(_written(graphs)))
    assert run(["command", "cache", "acme/one"]) == 0
    out, err = capfd.readouterr()
    assert out == f"hf buckets sync hf://buckets/acme/graphs '{graphs}'\n"
    assert "Its folders could not be listed: " in err


def _written(beside: str) -> Path:
    file = Path(beside).with_name("a.parquet")
    file.write_bytes(parquet({}))
    return file


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


# for programs

INSTALL = {
    "model_id": "acme/one", "command": "pip install transformers==5.23.1 accelerate==1.12.0",
    "packages": ["transformers==5.23.1", "accelerate==1.12.0"], "left_out": [], "verdict": "PASS", "tp": 1,
    "neuronx_cc": "2.28.7631.0", "library": "transformers", "library_version": "5.23.1",
}  # fmt: skip


def test_install_is_an_object_in_json(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["command", "install", "acme/one", "--data", data, "--format"]
    source = {"dataset": data, "revision": None, "sample": False}
    assert run([*words, "json"]) == 0
    out, err = capfd.readouterr()
    assert out == json.dumps(INSTALL | source, indent=2) + "\n"
    assert "acme/one, 2.28.7631.0 · transformers 5.23.1: PASS" in err
    assert run([*words, "jsonl"]) == 0
    assert capfd.readouterr().out == json.dumps(INSTALL | source) + "\n"


def test_install_in_csv_and_in_the_table_is_exactly_this(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["command", "install", "acme/one", "--data", data, "--format"]
    assert run([*words, "csv"]) == 0
    assert capfd.readouterr().out == (
        "model_id,command,packages,left_out,verdict,tp,neuronx_cc,library,library_version,dataset,revision,sample\n"
        'acme/one,pip install transformers==5.23.1 accelerate==1.12.0,"[""transformers==5.23.1"",'
        f' ""accelerate==1.12.0""]",[],PASS,1,2.28.7631.0,transformers,5.23.1,{data},,false\n'
    )
    assert run([*words, "table"]) == 0
    assert capfd.readouterr().out == f"{INSTALL['command']}\n"


def test_what_is_left_out_is_in_the_object(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["command", "install", "acme/evil", "--data", data, "--neuronx-cc", "any", "--format", "json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert told["packages"] == ["transformers==5.23.1"]
    assert ["torch; rm" in told["left_out"][0], "accelerate" in told["left_out"][1]] == [True, True]


@pytest.mark.parametrize(
    ("setting", "bucket", "prefix"),
    [
        ("s3://acme-graphs/a/{neuronx_cc}", "s3://acme-graphs", "a/2.28.7631.0"),
        ("s3://acme-graphs", "s3://acme-graphs", ""),
        ("hf://buckets/acme/graphs", "hf://buckets/acme/graphs", ""),
        ("hf://buckets/acme/graphs/graphs", "hf://buckets/acme/graphs", "graphs"),
    ],
)
def test_cache_tells_bucket_folder_there_and_folder_here(
    setting: str, bucket: str, prefix: str, data: str, graphs: str, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("TRN_MODELS_NEFF_BUCKET", setting)
    words = ["command", "cache", "--data", data, "--offline", "acme/one"]
    assert run(words) == 0
    line = capfd.readouterr().out.rstrip("\n")
    assert run([*words, "--format", "json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert list(told) == [
        "model_id", "command", "bucket", "prefix", "folder", "source", "is_candidate", "note", "verdict", "tp",
        "neuronx_cc", "library", "library_version", "dataset", "revision", "sample",
    ]  # fmt: skip
    assert (told["command"], told["bucket"], told["prefix"], told["folder"]) == (line, bucket, prefix, graphs)
    assert (told["neuronx_cc"], told["is_candidate"], told["source"]) == (
        "2.28.7631.0", False, "your setting neff_bucket",
    )  # fmt: skip
    assert f"TORCH_NEURONX_NEFF_CACHE_DIR='{graphs}'" in told["note"]


def test_a_candidate_is_marked_in_the_object(hub: LoopbackHub, graphs: str, capfd: pytest.CaptureFixture[str]) -> None:
    hub.add_dataset(DATASET, {"a.parquet": parquet({})})
    hub.add_bucket("aws-neuron/neff-cache", {"neuronxcc-2.28.7631.0/ab/x.neff": b"1"})
    assert run(["command", "cache", "acme/one", "--format", "json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["is_candidate"], told["prefix"]) == (True, "neuronxcc-2.28.7631.0")
    assert (told["dataset"], told["revision"]) == (DATASET, hub.datasets[DATASET].main)


def test_parquet_of_a_line_has_real_types(data: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["command", "install", "acme/one", "--data", data, "--format", "parquet"]) == 0
    frame = pl.read_parquet(capfdbinary.readouterr().out)
    assert frame.to_dicts() == [INSTALL | {"dataset": data, "revision": None, "sample": False}]
    assert frame.schema["left_out"] == pl.List(pl.String)
    assert frame.schema["revision"] == pl.String


@pytest.mark.parametrize("verb", ["install acme/bare", "cache acme/one"])
@pytest.mark.parametrize("form", ["json", "csv"])
def test_without_a_line_nothing_is_written_in_any_format(
    verb: str, form: str, data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    words = [*verb.split(), "--data", data, "--offline", "--neuronx-cc", "any", "--format", form]
    assert run(["command", *words]) == 5
    assert capfd.readouterr().out == ""


def test_of_the_sample_the_object_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["command", "install", "sample/Basalt-0.5B", "--sample", "--format", "json"]) == 0
    assert json.loads(capfd.readouterr().out)["sample"] is True


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
