"""Which record of a model is run: by its full id, by options, by what is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from loopback_hub import LoopbackHub
from parquet_builder import DATASET, parquet

from tui.catalog import snapshot as snapshots
from tui.cli import chosen_record
from tui.cli.chosen_record import NoSuchModelError, Wish, choose, near_misses, records_of_model
from tui.cli.command import run as command
from tui.errors import UsageError
from tui.host.interpreters import Interpreter
from tui.settings import Settings

NEWEST = {"neuronx_cc": "2.28.7631.0", "library_version": "5.23.1"}
MIDDLE = {"neuronx_cc": "2.27.5334.0", "library_version": "5.21.0"}
ROWS = (
    {"model_id": "acme/Model-8B", "tp": 4, "result": "fail", **NEWEST},
    {"model_id": "acme/Model-8B", "tp": 8, **NEWEST},
    {"model_id": "acme/Model-8B", "tp": 2, **MIDDLE},
    {"model_id": "acme/Model-8B-Base", "tp": 1, **NEWEST},
    {"model_id": "acme/Lost", "run_py": None, **NEWEST},
    {"model_id": "acme/Lost", "tp": 2, **MIDDLE},
    {"model_id": "acme/Huge", "result": None, "exclusion": "more than 16 cores", "run_py": None, **NEWEST},
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    file = tmp_path / "a.parquet"
    file.write_bytes(parquet(*ROWS))
    return file


def having(**packages: str) -> Interpreter:
    return Interpreter(("/py",), "PATH", packages={name.replace("_", "-"): text for name, text in packages.items()})


def chosen(settings: Settings, data: Path, model: str, interpreter: Interpreter | None = None, **wish: Any) -> Any:
    snapshot = snapshots.open_path(data, settings, lambda _: None)
    found = records_of_model(settings, snapshot, model)
    return choose(found, Wish(model=model, **wish), interpreter)


def test_the_newest_record_is_taken_and_the_best_of_its_stack(settings: Settings, data: Path) -> None:
    found, why = chosen(settings, data, "ACME/model-8b")
    assert (found.record.model_id, found.record.tp, found.record.text("neuronx_cc")) == (
        "acme/Model-8B", 8, "2.28.7631.0",
    )  # fmt: skip
    assert why == "the newest of 3 records with a run.py"


def test_the_stack_that_is_installed_wins_over_the_newest(settings: Settings, data: Path) -> None:
    interpreter = having(neuronx_cc="2.27.5334.0+0a1b2c3d", transformers="5.21.0")
    found, why = chosen(settings, data, "acme/Model-8B", interpreter)
    assert found.record.tp == 2
    assert why == "of 3 records, the one on the stack that /py has"


@pytest.mark.parametrize(
    ("wish", "tp"),
    [
        ({"cores": 4}, 4),
        ({"neuronx_cc": "2.27.5334.0"}, 2),
        ({"neuronx_cc": "2.27"}, 2),
        ({"library_version": "5.21.0"}, 2),
        ({"neuronx_cc": "any", "library_version": "5.21"}, 2),
        ({"neuronx_cc": "latest", "cores": 4}, 4),
    ],
)
def test_options_choose_among_several_records(settings: Settings, data: Path, wish: dict[str, Any], tp: int) -> None:
    found, why = chosen(settings, data, "acme/Model-8B", None, **wish)
    assert found.record.tp == tp
    assert why == "the only record that fits and has a run.py"


def test_a_record_without_run_py_gives_way_to_one_that_has_it(settings: Settings, data: Path) -> None:
    found, _ = chosen(settings, data, "acme/Lost")
    assert found.record.tp == 2


def test_a_model_without_any_run_py_is_told_with_the_reason(settings: Settings, data: Path) -> None:
    with pytest.raises(UsageError) as raised:
        chosen(settings, data, "acme/Huge")
    assert raised.value.title == "There is no run.py of acme/Huge"
    assert "Left out: more than 16 cores" in raised.value.detail
    assert raised.value.remedy == "No record of this model has one, so there is nothing to run again."


def test_a_wish_that_no_record_fulfils_lists_what_there_is(settings: Settings, data: Path) -> None:
    with pytest.raises(UsageError) as raised:
        chosen(settings, data, "acme/Model-8B", None, cores=16)
    assert raised.value.title == "No record of acme/Model-8B is on 16 cores"
    assert len(raised.value.detail.splitlines()) == 3


@pytest.mark.parametrize(
    ("model", "near"),
    [
        ("model-8b", ("acme/Model-8B", "acme/Model-8B-Base")),
        ("acme/modle-8b-base", ("acme/Model-8B-Base",)),
        ("other/Nothing-Like-It", ()),
    ],
)
def test_near_misses_are_named(settings: Settings, data: Path, model: str, near: tuple[str, ...]) -> None:
    snapshot = snapshots.open_path(data, settings, lambda _: None)
    assert near_misses(snapshot, model) == near
    with pytest.raises(NoSuchModelError) as raised:
        records_of_model(settings, snapshot, model)
    assert raised.value.exit_code == 7
    assert all(name in raised.value.remedy for name in near)


def test_the_sample_never_stands_in_for_records_that_cannot_be_had(
    hub: LoopbackHub, capfd: pytest.CaptureFixture[str]
) -> None:
    hub.refuse()
    assert command(["run", "sample/Basalt-0.5B", "--dry-run", "--any-host"]) == 5
    out, err = capfd.readouterr()
    assert out == ""
    assert "sample" not in err


def test_records_are_fetched_when_there_are_none(hub: LoopbackHub, settings: Settings) -> None:
    hub.add_dataset(DATASET, {"a.parquet": parquet(*ROWS)})
    assert chosen_record.open_records(settings).records.height == len(ROWS)
