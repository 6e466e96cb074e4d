"""The command `trn-models`: its verbs, its help, and how it ends.

Exit codes are those of `tui.errors`; every error is told on stderr: what happened, to what, what to do next.
"""

from __future__ import annotations

import errno
import logging
import os
import sys
from collections.abc import Sequence
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

import click

from tui import __version__
from tui.cli.command_run import command_verbs
from tui.cli.help_text import EPILOG, SUMMARY
from tui.cli.options import begin, host_options, look_options, source_options
from tui.cli.output import say
from tui.cli.run import run_verb
from tui.cli.runs import runs_verb
from tui.errors import EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_PASS, EXIT_USAGE, TrnModelsError
from tui.settings import Settings

logger = logging.getLogger(__name__)


class _Verbs(click.Group):
    """The group of verbs, with the epilog's lines kept as they are written."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write("\n" + EPILOG)


@click.group(
    cls=_Verbs,
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


@trn_models.command(short_help="Fetch the dataset's newest revision, or write it to a folder.")
@click.option(
    "--to",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write the snapshot there too, for a host without network: trn-models --data FOLDER.",
)
@source_options
@click.pass_context
def refresh(context: click.Context, /, to: Path | None, **flags: Any) -> None:
    """Ask the Hub for the dataset's newest revision, fetch what changed, and say what is different.

    \b
    Examples:
      trn-models refresh
      trn-models refresh --to /shared/trn-models
    """
    from tui.cli.refresh import refresh_records

    context.exit(refresh_records(begin(context, flags), to))


trn_models.add_command(run_verb)
trn_models.add_command(runs_verb)
trn_models.add_command(command_verbs)


def run(arguments: Sequence[str]) -> int:
    """Run one command line; the exit code. Raises nothing."""
    # Until the log file is open, logging would print warnings to stderr.
    logging.getLogger().addHandler(logging.NullHandler())
    try:
        code = _run(arguments)
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        return code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except OSError as error:
        if error.errno != errno.EPIPE:
            return _internal(error)
        # Nobody reads on (`| head -1`): what is buffered has nowhere to go, also at the interpreter's end.
        for name in ("stdout", "stderr"):
            _lead_nowhere(name)
        return EXIT_PASS
    except BaseException as error:  # noqa: BLE001 - the last stop of any error; polars panics are BaseException
        return _internal(error)


def _run(arguments: Sequence[str]) -> int:
    try:
        with trn_models.make_context("trn-models", list(arguments)) as context:
            trn_models.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.exceptions.Abort:
        return EXIT_INTERRUPTED
    except click.ClickException as error:
        error.show()
        return EXIT_USAGE
    except TrnModelsError as error:
        logger.warning("%s", error, exc_info=True)
        say(error.title, error.detail, error.remedy)
        return error.exit_code
    return EXIT_PASS


def _internal(error: BaseException) -> int:
    from tui import log_file

    files = [handler for handler in logging.getLogger().handlers if isinstance(handler, RotatingFileHandler)]
    log = Path(files[0].baseFilename) if files else log_file.start(Settings())
    logger.critical("unexpected", exc_info=error)
    where = f"see {log}" if log is not None else "no log file could be written"
    say(f"internal error, {where}", f"{type(error).__name__}: {str(error)[:500]}")
    return EXIT_INTERNAL


def _lead_nowhere(name: str) -> None:
    stream = getattr(sys, name)
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
