"""The number of a run on a command line."""

from __future__ import annotations

import click
import pytest

from tui.cli.command import run
from tui.cli.options import RunId


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("3", 3), ("007", 7)])
def test_a_number_is_one(text: str, number: int) -> None:
    assert RunId().convert(text, None, None) == number


@pytest.mark.parametrize("text", ["x", "", "-1", "1.5", "1_0", "٣", "9" * 30, "run-3", "\x1b[2J"])
def test_anything_else_is_told_where_the_numbers_are(text: str) -> None:
    with pytest.raises(click.BadParameter) as raised:
        RunId().convert(text, None, None)
    assert "is no run: trn-models runs lists them." in raised.value.message
    assert "\x1b" not in raised.value.message


@pytest.mark.parametrize("words", ["show x", "log x", "stop x --yes", "delete 1 x --yes", "again x --yes"])
def test_the_verbs_of_runs_say_so(words: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["runs", *words.split()]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "«x» is no run: trn-models runs lists them." in err
