"""The command `trn-models`: its verbs and its help. Imported at each Tab of a shell, so it imports little."""

from __future__ import annotations

from typing import Any

import click

from tui import __version__
from tui.cli.help_text import EPILOG, SUMMARY
from tui.cli.lazy_verbs import LazyGroup
from tui.cli.options import begin, host_options, look_options, source_options

_VERBS = {
    "command": "tui.cli.command_run:command_verbs",
    "compare": "tui.cli.compare:compare_verb",
    "completion": "tui.cli.completion:completion_verb",
    "diff": "tui.cli.diff:diff_verb",
    "doctor": "tui.cli.doctor:doctor_verb",
    "list": "tui.cli.list:list_verb",
    "open": "tui.cli.open:open_verb",
    "refresh": "tui.cli.refresh:refresh_verb",
    "run": "tui.cli.run:run_verb",
    "runs": "tui.cli.runs:runs_verb",
    "script": "tui.cli.script:script_verb",
    "show": "tui.cli.show:show_verb",
    "sql": "tui.cli.sql:sql_verb",
    "stacks": "tui.cli.stacks_verb:stacks_verb",
}
"""Name of a verb -> where its command is: it is imported when it is used."""


class _Verbs(LazyGroup):
    """The group of verbs, with the epilog's lines kept as they are written."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write("\n" + EPILOG)


@click.group(
    cls=_Verbs,
    verbs=_VERBS,
    invoke_without_command=True,
    help=SUMMARY,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@source_options
@host_options
@look_options
@click.version_option(__version__, prog_name="trn-models", message="%(prog)s %(version)s")
@click.pass_context
def trn_models(context: click.Context, /, search: str | None, **flags: Any) -> None:
    """Open the app, or print the list where there is no terminal for it."""
    if context.invoked_subcommand is not None:
        return
    from tui.cli.app_command import open_app_or_print

    context.exit(open_app_or_print(begin(context, flags), search or ""))
