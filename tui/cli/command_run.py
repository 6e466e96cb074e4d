"""The verb `command run`: one shell line that runs a model's record again, for a colleague or an sbatch file."""

from __future__ import annotations

from typing import Any

import click

from tui.cli.command_recipe import cache_verb, install_verb, write_line
from tui.cli.formats import format_option
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
@format_option()
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
    form: str,
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
    from tui.cli.preparing import line_for_a_shell
    from tui.rerun.preparation import Changes
    from tui.rerun.recipe import recipe_of
    from tui.rerun.run_environment import parse_environment, separated, without_secret_words

    wish = Wish(model=model, neuronx_cc=neuronx_cc, library_version=library_version, cores=cores)
    changes = Changes(environment=parse_environment(environment), arguments=without_secret_words(arguments))
    settings = begin(context, flags)
    # Not the Python of the settings: the line is for another machine.
    line, wanted = line_for_a_shell(settings, wish, changes, python=python or "python3")
    added = separated(changes.environment)
    parts = {
        "python": python or "python3",
        "arguments": list(changes.arguments),
        "environment": dict(added.open),
        "hidden": list(added.hidden),
        "script_sha256": recipe_of(wanted.record, wanted.script).script_sha256 or None,
    }
    source = {"dataset": wanted.dataset, "revision": wanted.revision, "sample": wanted.sample}
    write_line(line, wanted.record, parts, source, form)
    context.exit(0)


command_verbs.add_command(install_verb)
command_verbs.add_command(cache_verb)
