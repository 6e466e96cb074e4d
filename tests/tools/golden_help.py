"""The help of a verb against a file: what a verb promises changes only when that is meant."""

from __future__ import annotations

import os
from pathlib import Path

import click

from tui.cli.verbs import trn_models

GOLDEN = Path(__file__).parents[1] / "cli" / "golden"


def help_and_golden(verb: str) -> tuple[str, str]:
    """The help of a verb at 80 columns without its options, and what the file says; WRITE_GOLDEN=1 writes that."""
    context = click.Context(trn_models, info_name="trn-models")
    command = trn_models.get_command(context, verb)
    assert command is not None
    within = click.Context(command, parent=context, info_name=verb, terminal_width=80)
    found = f"{command.get_help(within).split(chr(10) + 'Options:')[0]}"
    file = GOLDEN / f"help-{verb}.txt"
    if os.environ.get("WRITE_GOLDEN"):
        file.write_text(found, encoding="utf-8")
    return found, file.read_text(encoding="utf-8")
