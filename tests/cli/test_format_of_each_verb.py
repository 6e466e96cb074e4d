"""Every verb offers every format, apart from those that are named here with the reason."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from tui.cli.formats import FORMATS
from tui.cli.verbs import trn_models

WITHOUT = {
    "completion": "it prints a program for a shell",
    "open": "it opens the app",
    "run": "it starts a run, shows its log and ends with its exit code",
    "runs again": "the same",
    "runs delete": "it does something, and tells a person what",
    "runs log": "it prints the bytes of the log",
    "runs stop": "it does something, and tells a person what",
    "script": "it prints run.py byte for byte",
}


def verbs() -> Iterator[tuple[str, click.Command]]:
    """Each verb that does something by itself, also those within a verb, by the words that it is called with."""
    waiting = [("", trn_models)]
    while waiting:
        words, command = waiting.pop()
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                within = command.get_command(context, name)
                assert within is not None
                waiting.append((f"{words} {name}".strip(), within))
        if words and (not isinstance(command, click.Group) or command.invoke_without_command):
            yield words, command


VERBS = dict(verbs())


@pytest.mark.parametrize("words", sorted(VERBS))
def test_it_offers_every_format_with_the_table_first(words: str) -> None:
    offered = [option for option in VERBS[words].params if "--format" in option.opts]
    if words in WITHOUT:
        assert offered == []
        return
    (option,) = offered
    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices) == FORMATS == ("table", "json", "jsonl", "csv", "parquet", "markdown")
    assert option.default == "table"


def test_those_without_a_format_are_there() -> None:
    assert WITHOUT.keys() <= VERBS.keys()
