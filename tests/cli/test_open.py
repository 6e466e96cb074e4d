"""`open`: which model the app is opened on, and what is said where it cannot be opened."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest
from parquet_builder import parquet

from tui.cli import app_command
from tui.cli.command import run
from tui.settings import Settings

Opened = list[tuple[Settings, str, str]]


@pytest.fixture
def data(tmp_path: Path) -> str:
    file = tmp_path / "a.parquet"
    file.write_bytes(parquet({"model_id": "Acme/One-7B"}, {"model_id": "acme/one-8B"}, {"model_id": "-beta/odd"}))
    return str(file)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """A terminal for the app, and a stand-in for it that notes what it was opened with."""
    seen: Opened = []

    def run_app(settings: Settings, search: str = "", model: str = "") -> int:
        seen.append((settings, search, model))
        return 129

    stand_in = types.ModuleType("tui.app")
    stand_in.run = run_app  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tui.app", stand_in)
    monkeypatch.setattr(app_command, "has_full_screen", lambda: True)
    return seen


@pytest.mark.parametrize("name", ["acme/one-7b", "Acme/One-7B", "7b", "one 7b"])
def test_the_app_is_opened_on_the_one_model_that_is_named(opened: Opened, data: str, name: str) -> None:
    assert run(["open", name, "--data", data, "--theme", "light"]) == 129
    ((settings, search, model),) = opened
    assert (model, search, settings.theme) == ("Acme/One-7B", "", "light")
    assert settings.data == Path(data)


def test_an_id_that_begins_with_a_dash_works_after_two_dashes(opened: Opened, data: str) -> None:
    assert run(["open", "--data", data, "--", "-beta/odd"]) == 129
    assert opened[0][2] == "-beta/odd"


def test_a_name_that_fits_several_models_opens_nothing(
    opened: Opened, data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["open", "one", "--data", data]) == 7
    err = capfd.readouterr().err
    assert "Acme/One-7B" in err
    assert "acme/one-8B" in err
    assert not opened


def test_a_name_that_fits_no_model_opens_nothing(opened: Opened, data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["open", "acme/nine", "--data", data]) == 7
    assert not opened


def test_without_data_it_is_exit_code_5_and_not_the_sample(opened: Opened) -> None:
    assert run(["open", "acme/one"]) == 5
    assert not opened


def test_without_a_terminal_it_says_what_prints_the_same(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["open", "acme/one 7b", "--data", data]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "There is no terminal here to open the app in" in err
    assert f"trn-models show --data {data} -- 'acme/one 7b'" in err
    assert run(["open", "basalt", "--sample"]) == 2
    assert "trn-models show --sample -- basalt" in capfd.readouterr().err


def test_the_help_has_two_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["open", "--help"]) == 0
    assert capsys.readouterr().out.count("  trn-models open ") == 2
