"""The verb `command run`: one shell line that runs a model's record again, for a colleague or an sbatch file."""

from __future__ import annotations

import sys
from typing import Any

import click

from tui.cli.command_recipe import cache_verb, install_verb
from tui.cli.options import (
    VerbWithArguments,
    begin,
    environment_option,
    record_options,
    source_options,
)


@click.group("command", short_help="Print a command instead of doing what it does.")
def command_verbs() -> None:
    """Print a command for a shell, and nothing else.

    \b
    Examples:
      trn-models command run ORG/NAME
      trn-models command run ORG/NAME --cores 4 | ssh HOST bash
      trn-models command install ORG/NAME
    """


@command_verbs.command("run", cls=VerbWithArguments, short_help="One shell line that runs a model's record.")
@click.argument("model")
@record_options
@click.option("--python", metavar="PYTHON", help="Python there.  [default: python3]")
@environment_option
@source_options
@click.pass_context
def command_run_verb(
    context: click.Context,
    /,
    *,
    model: str,
    neuronx_cc: str | None,
    library_version: str | None,
    cores: int | None,
    environment: tuple[str, ...],
    arguments: tuple[str, ...],
    python: str | None,
    **flags: Any,
) -> None:
    """Print one self-contained shell line that runs the run.py of MODEL's record, MODEL being the full id.

    It carries run.py with it and needs nothing of this app. Which record was taken is told on stderr.

    \b
    Examples:
      trn-models command run ORG/NAME
      trn-models command run ORG/NAME --neuronx-cc 2.28.7631.0 >> job.sbatch
    """
    from tui.cli.chosen_record import Wish
    from tui.cli.output import write
    from tui.cli.preparing import line_for_a_shell
    from tui.rerun.preparation import Changes
    from tui.rerun.run_environment import parse_environment, without_secret_words

    wish = Wish(model=model, neuronx_cc=neuronx_cc, library_version=library_version, cores=cores)
    changes = Changes(environment=parse_environment(environment), arguments=without_secret_words(arguments))
    settings = begin(context, flags)
    # Not the Python of the settings: the line is for another machine.
    write(line_for_a_shell(settings, wish, changes, python=python or "python3") + "\n", sys.stdout)
    context.exit(0)


command_verbs.add_command(install_verb)
command_verbs.add_command(cache_verb)
