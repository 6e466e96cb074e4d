"""`trn-models show` of a model without a record: what it would take."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from loopback_hub import LoopbackHub, status
from parquet_builder import parquet

from tui.cli.command import run

OLDER = {"neuronx_cc": "2.27.5334.0", "library_version": "5.21.0"}
QWEN = {"config": {"model_type": "qwen3"}, "safetensors": {"parameters": {"BF16": 8_190_735_360}}}
HEADING = "What would it take?"


@pytest.fixture
def data(tmp_path: Path, hub: LoopbackHub) -> str:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "a.parquet").write_bytes(
        parquet({"model_id": "acme/like-8B", "tp": 2}, {"model_id": "acme/old", "tp": 4, **OLDER})
    )
    for name in ("acme/New-8B", "acme/like-8B", "acme/old"):
        hub.add_model(name, **QWEN)
    return str(folder)


def test_a_model_that_only_the_hub_has_is_shown_with_its_arithmetic(
    data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "acme/New-8B", "--data", data]) == 4
    assert capfd.readouterr().out.splitlines() == [
        "acme/New-8B",
        "Not tested: the dataset has no record of it.",
        "",
        HEADING,
        "8.19 B weights: BF16 8.19 B x 2 bytes = 16.4 GB",
        "One core has 24 GiB (25.8 GB): at least 1 NeuronCore for the weights alone.",
        "An estimate, not a test: activations, KV cache and compiler workspace come on top, and so may weights that "
        "are loaded as a wider dtype. Tests cover at most 16 cores.",
        "",
        "No record of a qwen3 model of like size (4.1-16.4 B) is known here.",
        "Types are known of models that the Hub was asked about before, sizes from rankings too. 2 of 2 other "
        "tested models have no known type.",
    ]


def test_records_on_other_stacks_come_before_it_and_known_models_are_evidence(
    data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    run(["show", "acme/like-8B", "--data", data, "--neuronx-cc", "2.27"])  # asks for its facts
    capfd.readouterr()
    assert run(["show", "acme/old", "--data", data]) == 4
    text = capfd.readouterr().out
    assert text.index("Records of this model") < text.index(HEADING)
    assert (
        "1 of 1 tested qwen3 models of 4.1-16.4 B pass, on 2 cores:\n"
        "  acme/like-8B: 8.19 B, 2 cores, 2.28.7631.0 · transformers 5.23.1\n"
    ) in text


def test_a_model_with_a_record_has_none_and_the_hub_is_not_asked(
    data: str, hub: LoopbackHub, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "acme/like-8B", "--data", data]) == 0
    assert HEADING not in capfd.readouterr().out
    assert run(["show", "acme/like-8B", "--data", data, "--format", "json"]) == 0
    assert json.loads(capfd.readouterr().out)["estimate"] is None
    assert hub.requests == []


def test_json_has_figures_and_evidence(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    run(["show", "acme/like-8B", "--data", data, "--neuronx-cc", "2.27"])
    capfd.readouterr()
    assert run(["show", "acme/New-8B", "--data", data, "--format", "json"]) == 4
    told = json.loads(capfd.readouterr().out)
    assert told["verdict"] == "UNTESTED"
    estimate = told["estimate"]
    assert estimate["parameters_by_dtype"] == {"BF16": 8_190_735_360}
    assert estimate["weights_least_bytes"] == estimate["weights_most_bytes"] == 16_381_470_720
    assert (estimate["least_cores"], estimate["core_bytes"], estimate["most_tested_cores"]) == (1, 24 * 2**30, 16)
    assert estimate["like_it"]["named"] == [
        {
            "model_id": "acme/like-8B", "parameters": 8_190_735_360, "cores": 2, "neuronx_cc": "2.28.7631.0",
            "library": "transformers", "library_version": "5.23.1",
        }
    ]  # fmt: skip


def test_csv_has_it_as_one_cell(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    for model, least_cores in (("acme/New-8B", 1), ("acme/like-8B", None)):
        run(["show", model, "--data", data, "--format", "csv"])
        (row,) = csv.DictReader(io.StringIO(capfd.readouterr().out))
        assert (json.loads(row["estimate"])["least_cores"] if row["estimate"] else None) == least_cores


def test_offline_says_that_the_facts_are_not_at_hand(
    data: str, hub: LoopbackHub, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "acme/old", "--data", data, "--offline"]) == 4
    text = capfd.readouterr().out
    assert "Cannot be estimated: the Hub's facts of it are not at hand (not asked: offline)." in text
    assert run(["show", "acme/New-8B", "--data", data, "--offline"]) == 7
    assert "Whether the Hub has acme/New-8B is not known (not asked: offline)" in capfd.readouterr().err
    assert hub.requests == []
    run(["show", "acme/old", "--data", data])
    capfd.readouterr()
    run(["show", "acme/old", "--data", data, "--offline"])
    assert "8.19 B weights" in capfd.readouterr().out, "what was asked before is at hand"


def test_a_hub_that_fails_is_said_to_and_an_unknown_id_stays_one(
    data: str, hub: LoopbackHub, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "acme/none", "--data", data]) == 7
    told = capfd.readouterr().err
    assert "No model has «acme/none» in its id" in told
    assert "is not known" not in told
    hub.set_fault("/api/models", status(500))
    assert run(["show", "acme/old", "--data", data]) == 4
    assert "not at hand (not known: The Hub has a problem of its own)" in capfd.readouterr().out


def test_the_sample_is_not_asked_about(hub: LoopbackHub, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "--sample", "acme/whatever"]) == 7
    assert hub.requests == []


def test_a_narrow_terminal_breaks_its_lines(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    from tui.catalog.estimate import Estimate
    from tui.cli.show_page import _estimate

    class Shown:
        estimate = Estimate(None, "not asked: offline")

    (part,) = _estimate(Shown(), 40)  # type: ignore[arg-type]
    assert max(map(len, part)) <= 40
    assert " ".join(part).startswith(f"{HEADING} Cannot be estimated:")
