"""The verb `runs`: the runs of this user on this machine; what became of one, its log, its end."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from tui.cli.formats import format_option
from tui.cli.options import RunId, begin, follow_options, follows, no_color_option, queue_option, yes_option
from tui.settings import Settings

if TYPE_CHECKING:
    from tui.rerun.runs import Run

STOP_WAIT_S = 60.0
"""A stop takes up to 20 s (SIGINT, SIGTERM, SIGKILL), and a look at the cores after it."""

_ID = click.argument("run_id", metavar="ID", type=RunId())


@click.group("runs", invoke_without_command=True, short_help="List runs; show, follow, stop, delete one.")
@no_color_option
@format_option()
@click.pass_context
def runs_verb(context: click.Context, /, form: str, **flags: Any) -> None:
    """List the runs that were started here, newest first: waiting, running, finished and lost ones.

    \b
    Examples:
      trn-models runs
      trn-models runs --format json
    """
    if context.invoked_subcommand is None:
        list_runs(begin(context, flags), form)


@runs_verb.command("show", short_help="What became of a run, beside its record.")
@no_color_option
@_ID
@format_option()
@click.pass_context
def show_verb(context: click.Context, /, run_id: int, form: str, **flags: Any) -> None:
    """Show what was run, what became of it beside what the dataset recorded, and the known cause of a failure.

    \b
    Examples:
      trn-models runs show 3
      trn-models runs show 3 --format json
    """
    if context.parent is not None and context.get_parameter_source("form") is ParameterSource.DEFAULT:
        form = context.parent.params["form"]
    show_run(begin(context, flags), run_id, form)


@runs_verb.command("log", short_help="The log of a run.")
@no_color_option
@_ID
@click.option("--follow", "-f", is_flag=True, help="Go on until the run is over; its exit code is the exit code here.")
@click.pass_context
def log_verb(context: click.Context, /, run_id: int, follow: bool, **flags: Any) -> None:
    """Write the log of a run to stdout: as it is into a file or pipe, without escapes other than colours to a terminal.

    \b
    Examples:
      trn-models runs log 3 --follow
      trn-models runs log 3 > run-3.log
    """
    from tui.cli.following import show_whole
    from tui.cli.run import watch
    from tui.rerun import runs

    run = runs.find(begin(context, flags), run_id)
    if follow:
        context.exit(watch(run))
    show_whole(run.folder)


@runs_verb.command("stop", short_help="Stop a run, with everything that it started.")
@no_color_option
@_ID
@yes_option
@click.pass_context
def stop_verb(context: click.Context, /, run_id: int, yes: bool, **flags: Any) -> None:
    """Stop a run: SIGINT, then SIGTERM, then SIGKILL to everything that it started. Waits until it is over.

    \b
    Examples:
      trn-models runs stop 3
      trn-models runs stop 3 --yes
    """
    context.exit(stop_run(begin(context, flags), run_id, yes=yes))


@runs_verb.command("delete", short_help="Delete runs that are over, with their logs.")
@no_color_option
@click.argument("run_ids", metavar="ID...", type=RunId(), nargs=-1, required=True)
@yes_option
@click.pass_context
def delete_verb(context: click.Context, /, run_ids: tuple[int, ...], yes: bool, **flags: Any) -> None:
    """Delete the folders of runs that are over: script, log and outcome.

    \b
    Examples:
      trn-models runs delete 3
      trn-models runs delete 1 2 3 --yes
    """
    context.exit(delete_runs(begin(context, flags), run_ids, yes=yes))


@runs_verb.command("again", short_help="Start the same run once more.")
@no_color_option
@_ID
@queue_option
@follow_options
@yes_option
@click.pass_context
def again_verb(context: click.Context, /, run_id: int, queue: bool, yes: bool, **flags: Any) -> None:
    """Start the same run once more, as a new one: same script, interpreter, environment and arguments.

    \b
    Examples:
      trn-models runs again 3
      trn-models runs again 3 --queue --detach --yes
    """
    context.exit(run_again(begin(context, flags), run_id, queue=queue, follow=follows(context, flags), yes=yes))


def list_runs(settings: Settings, form: str) -> None:
    """Write all runs: a table that fits the terminal, or a row for each."""
    from tui.cli.output import is_terminal, say, write
    from tui.rerun import runs

    found = runs.listed(settings)
    if not found:
        say("There are no runs. Start one: trn-models run MODEL")
    if form != "table":
        from tui.cli.formats import write_rows
        from tui.cli.run_details import RUN, as_object

        write_rows(map(as_object, found), RUN, form)
    elif found:
        from tui.cli.runs_text import table

        width = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None
        write(table(found, width) + "\n", sys.stdout, ascii_only=bool(settings.ascii))


def show_run(settings: Settings, run_id: int, form: str) -> None:
    """Write all that is known of a run: a page, or an object."""
    from tui.cli.output import write
    from tui.rerun import runs

    run = runs.find(settings, run_id)
    if form != "table":
        from tui.cli.formats import write_object
        from tui.cli.run_details import DETAILS, details

        write_object(details(run), form, DETAILS)
    else:
        from tui.cli.runs_text import page

        write(f"{page(run)}\n", sys.stdout, ascii_only=bool(settings.ascii))


def stop_run(settings: Settings, run_id: int, *, yes: bool, wait_s: float = STOP_WAIT_S) -> int:
    """Stop a run and wait until it is over; the exit code. Raises `TrnModelsError` when it goes on."""
    from tui.cli.output import say
    from tui.cli.questions import ANSWERED_NO, ask, need_an_answer
    from tui.cli.runs_text import ending
    from tui.errors import EXIT_PASS, TrnModelsError
    from tui.rerun import runs, start
    from tui.rerun.runs import State

    run = runs.find(settings, run_id)
    if not run.live and run.state is not State.LOST:
        say("It is over already.", *ending(run))
        return EXIT_PASS
    need_an_answer(yes, "whether to stop it")
    if not yes and not ask(f"Stop {_named(run)}?"):
        say("It was not stopped.")
        return ANSWERED_NO
    start.stop(settings, run)
    deadline = time.monotonic() + wait_s
    while (run := runs.read(run.folder)).live:
        if time.monotonic() > deadline:
            raise TrnModelsError(f"Run {run_id} is still being stopped", str(run.folder), "See trn-models runs show.")
        time.sleep(0.1)
    say(*ending(run))
    return EXIT_PASS


def delete_runs(settings: Settings, run_ids: Sequence[int], *, yes: bool) -> int:
    """Delete runs that are over; the exit code. Nothing is deleted when one of them is not there or not over."""
    from tui.cli.output import say
    from tui.cli.questions import ANSWERED_NO, ask, need_an_answer
    from tui.errors import EXIT_PASS, UsageError
    from tui.rerun import runs

    found = [runs.find(settings, run_id) for run_id in dict.fromkeys(run_ids)]
    for run in found:
        if run.live:
            raise UsageError(
                f"Run {run.id} is not over", f"It is {run.state.value}.", f"Stop it: trn-models runs stop {run.id}"
            )
    need_an_answer(yes, "whether to delete them")
    if not yes and not ask(f"Delete {', '.join(map(_named, found))}, with log and script?"):
        say("Nothing was deleted.")
        return ANSWERED_NO
    for run in found:
        runs.delete(settings, run)
        say(f"run {run.id} is deleted")
    return EXIT_PASS


def run_again(settings: Settings, run_id: int, *, queue: bool, follow: bool, yes: bool) -> int:
    """Start a copy of a run; the exit code as of `run`. Raises `UsageError` when a secret is not set here.

    Before, what it is, and what of interpreter and host is no longer as it was then.
    """
    from tui.cli.before_again import told_before
    from tui.cli.output import Progress, say
    from tui.cli.questions import ANSWERED_NO, ask, need_an_answer
    from tui.cli.run import start_and_watch
    from tui.rerun import runs, start

    run = runs.find(settings, run_id)
    need_an_answer(yes, "whether to run it")
    with Progress() as progress:
        progress("looking at this machine")
        told = told_before(settings, run)
    say(*told)
    if not yes and not ask(f"Run {_named(run)} again?"):
        say("Nothing was started.")
        return ANSWERED_NO
    return start_and_watch(lambda: start.again(settings, run, queue=queue), follow=follow)


def _named(run: Run) -> str:
    from tui.cli.runs_text import state_in_words

    return f"run {run.id} ({run.model_id}, {run.kind.value}, {state_in_words(run)})"
