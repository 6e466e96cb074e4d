"""`trn-models list --sort COLUMN --reverse`: the order of the app, in every format."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from golden_help import help_and_golden
from parquet_builder import parquet

from tui.catalog.sort_columns import SORT_NAMES, words_of
from tui.cli.command import run
from tui.cli.sort_option import SortColumn
from tui.cli.verbs import trn_models

ROWS = (
    {"model_id": "acme/slow", "wall_s": 3600, "tp": 8},
    {"model_id": "acme/Quick", "wall_s": 9, "tp": 16},
    {"model_id": "acme/unknown", "wall_s": None, "tp": 1, "result": "fail"},
    {"model_id": "acme/middle", "wall_s": 61, "tp": 2, "result": "fail"},
)


@pytest.fixture
def data(tmp_path: Path) -> str:
    (tmp_path / "a.parquet").write_bytes(parquet(*ROWS))
    return str(tmp_path / "a.parquet")


def listed(capfd: pytest.CaptureFixture[str], data: str, *words: str) -> list[str]:
    assert run(["list", "--data", data, "--format", "json", *words]) == 0
    return [row["model_id"].removeprefix("acme/") for row in json.loads(capfd.readouterr().out)]


def test_the_lines_stand_in_the_order_of_the_column_and_those_without_a_value_last(
    data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    rising = ["Quick", "middle", "slow", "unknown"]
    for name in ("wall-time", "wall_s", "Wall Time", "time"):
        assert listed(capfd, data, "--sort", name) == rising
    assert listed(capfd, data, "--sort", "wall-time", "--reverse") == ["slow", "middle", "Quick", "unknown"]
    assert listed(capfd, data, "--sort", "model") == ["middle", "Quick", "slow", "unknown"]


def test_the_first_of_a_limit_are_the_first_of_that_order(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert listed(capfd, data, "--sort", "cores", "--reverse", "--limit", "2") == ["Quick", "slow"]
    assert run(["list", "--data", data, "--sort", "cores", "--limit", "1"]) == 0
    assert "acme/unknown" in capfd.readouterr().out.splitlines()[1]


@pytest.mark.parametrize("column", SORT_NAMES)
def test_every_column_of_the_app_can_be_named(column: str, data: str, capfd: pytest.CaptureFixture[str]) -> None:
    view = ["--sample", "--view", "trending"]
    assert run(["list", *view, "--sort", words_of(column)]) == 0
    assert run(["list", *view, "--sort", column, "--reverse"]) == 0
    capfd.readouterr()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--sort", "colour"], "no column «colour» to sort by. The columns are model, verdict,"),
        (["--reverse"], "--reverse is for --sort COLUMN"),
        (["--sort", "rank"], "--sort rank is for --view trending and --view downloads"),
    ],
)
def test_an_order_that_cannot_be_is_refused(
    words: list[str], said: str, data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["list", "--data", data, *words]) == 2
    assert said in " ".join(capfd.readouterr().err.split())


def test_the_shell_completes_the_names() -> None:
    verb = trn_models.get_command(click.Context(trn_models), "list")
    assert verb is not None
    option = next(each for each in verb.params if each.name == "sort")
    assert isinstance(option.type, SortColumn)
    found = option.type.shell_complete(click.Context(verb), option, "me")
    assert [item.value for item in found] == ["memory-available"]


def test_markdown_has_the_columns_of_the_table_with_the_stack_of_each_line(
    data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["list", "--data", data, "--sort", "wall-time", "--limit", "1", "--format", "markdown"]) == 0
    assert capfd.readouterr().out == (
        "| result | model | cores | time | memory | stack | check |\n"
        "| :-- | :-- | :-- | :-- | :-- | :-- | :-- |\n"
        "| PASS | acme/Quick | 16 | 9s | 18.2/24 GB | 2.28.7631.0 · transformers 5.23.1 | judge: yes |\n"
    )


def test_markdown_of_a_ranking_begins_with_the_place_and_the_sample_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "--sample", "--view", "trending", "--limit", "2", "--format", "markdown"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "| rank | result | model | cores | time | memory | stack | check | sample |"
    assert lines[1].startswith("| --: | :-- |")
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| 1", "| 2"]
    assert all(line.endswith(" | true |") for line in lines[2:])


def test_the_help_tells_of_the_order_and_of_what_can_be_searched_for() -> None:
    said, expected = help_and_golden("list")
    assert said == expected
