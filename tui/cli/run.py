"""The verb `run`: from a model's id to a run, after the checklist and a yes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from tui.cli.options import (
    VerbWithArguments,
    begin,
    environment_option,
    follow_options,
    follows,
    host_options,
    queue_option,
    record_options,
    source_options,
    yes_option,
)
from tui.settings import Settings

if TYPE_CHECKING:
    from tui.cli.chosen_record import Wish
    from tui.rerun.plan import Plan
    from tui.rerun.preparation import Changes, Preparation, Step
    from tui.rerun.runs import Run

STEPS = ("run", "weights", "graphs", "install")
"""Values of `tui.rerun.plan.Kind`, which is not imported for the help alone."""


@click.command("run", cls=VerbWithArguments, short_help="Run a model's record again, here.")
@click.argument("model")
@record_options
@host_options
@environment_option
@click.option(
    "--step",
    type=click.Choice(STEPS),
    default="run",
    show_default=True,
    help="What to do: run it, fetch its weights or compiled graphs, install its packages on top.",
)
@click.option("--into-own", is_flag=True, help="--step install: into that Python itself, not a venv on top of it.")
@click.option("--dry-run", is_flag=True, help="Print checklist, command and environment; start nothing.")
@click.option("--run-anyway", is_flag=True, help="Run also when something stands in the way; not cores in use.")
@queue_option
@follow_options
@yes_option
@source_options
@click.pass_context
def run_verb(
    context: click.Context,
    /,
    *,
    model: str,
    neuronx_cc: str | None,
    library_version: str | None,
    cores: int | None,
    environment: tuple[str, ...],
    step: str,
    arguments: tuple[str, ...],
    **flags: Any,
) -> None:
    """Run the run.py of MODEL's record again on this machine, MODEL being the full id.

    The checklist comes first, then a question. The run outlives this terminal: Ctrl+C ends the watching and not the
    run. Its log goes to stdout, and its exit code is the exit code here (128 + signal when one ended it; 130 when it
    was stopped or the watching was interrupted; 2 when it could not be started; 7 when no record has this id).
    What follows -- is passed to run.py. Of several records, the one on the stack that is installed here is taken,
    else the newest.

    \b
    Examples:
      trn-models run ORG/NAME --dry-run
      trn-models run ORG/NAME --cores 4 --detach --yes
    """
    from tui.cli.chosen_record import Wish
    from tui.rerun.plan import Kind
    from tui.rerun.preparation import Changes
    from tui.rerun.run_environment import parse_environment, without_secret_words

    if flags["into_own"] and step != Kind.INSTALL:
        raise click.UsageError("--into-own goes with --step install.", context)
    for name in ("detach", "queue"):
        if flags["dry_run"] and flags[name]:
            raise click.UsageError(f"--dry-run starts nothing: --{name} does not go with it.", context)
    options = RunOptions(
        wish=Wish(model=model, neuronx_cc=neuronx_cc, library_version=library_version, cores=cores),
        changes=Changes(environment=parse_environment(environment), arguments=without_secret_words(arguments)),
        step=Kind(step),
        follow=follows(context, flags),
        **{name: bool(flags[name]) for name in ("into_own", "dry_run", "run_anyway", "queue", "yes")},
    )
    context.exit(run_model(begin(context, flags), options))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The words of one `run` command."""

    wish: Wish
    changes: Changes
    step: str
    into_own: bool = False
    dry_run: bool = False
    run_anyway: bool = False
    queue: bool = False
    follow: bool = True
    yes: bool = False


def run_model(settings: Settings, options: RunOptions) -> int:
    """Check, ask, start and follow; the exit code. Raises `TrnModelsError` when nothing can be started."""
    from tui.cli.checklist import checklist, dry_run
    from tui.cli.output import say, write
    from tui.cli.preparing import find_at_hand, prepare_record
    from tui.cli.questions import ANSWERED_NO, can_ask, need_an_answer
    from tui.errors import EXIT_PASS
    from tui.rerun import start
    from tui.rerun.plan import Kind

    if not options.dry_run and not options.yes and not can_ask():
        find_at_hand(settings, options.wish.model)
        need_an_answer(options.yes, "whether to run it")
    ready = prepare_record(
        settings,
        options.wish,
        options.changes,
        queue=options.queue,
        into_own=options.into_own,
        graphs=options.dry_run or options.step == Kind.GRAPHS,
    )
    preparation, kind = ready.preparation, Kind(options.step)
    step = preparation.step(kind)
    if options.dry_run:
        write(dry_run(ready, step), sys.stdout, ascii_only=bool(settings.ascii))
        _plan_of(preparation, step, options, asks=False)
        return EXIT_PASS
    say(*checklist(ready))
    plan = _plan_of(preparation, step, options, asks=not options.yes)
    if not options.yes and not _agreed(preparation, step, plan, run_anyway=options.run_anyway):
        say("Nothing was started.")
        return ANSWERED_NO
    return start_and_watch(lambda: start.start(settings, plan), follow=options.follow)


def start_and_watch(begin_run: Callable[[], Run], *, follow: bool) -> int:
    """Start a run; with `follow` show its log and give its exit code, else say what it came to.

    Without `follow` 0 when it runs, waits, or is over already, and 2 with the reason when it was not started. Raises
    `UsageError` when nothing could be started.
    """
    from tui.cli.following import until_begun
    from tui.cli.output import say, write
    from tui.cli.runs_text import state_in_words
    from tui.errors import EXIT_INTERRUPTED, EXIT_PASS, EXIT_USAGE, TrnModelsError, UsageError
    from tui.rerun.run import Result
    from tui.terminal_text import clean

    try:
        run = begin_run()
    except KeyboardInterrupt:
        _after_ctrl_c()
        say("Interrupted while it was started: see trn-models runs")
        return EXIT_INTERRUPTED
    except TrnModelsError as error:
        raise UsageError(error.title, error.detail, error.remedy) from error
    if follow:
        say(f"run {run.id}: {run.folder}", "Ctrl+C ends the watching, not the run.")
        return watch(run)
    try:
        run = until_begun(run)
    except KeyboardInterrupt:
        return _goes_on(run)
    if run.outcome is not None and run.outcome.result is Result.NOT_STARTED:
        say(f"run {run.id} was not started", run.outcome.note, f"folder: {run.folder}")
        return EXIT_USAGE
    lines = [f"run {run.id} is {state_in_words(run)}", f"folder: {run.folder}"]
    if run.live:
        lines += [f"follow: trn-models runs log {run.id} --follow", f"stop:   trn-models runs stop {run.id}"]
    else:
        lines.append(f"more:   trn-models runs show {run.id}")
    write("".join(f"{clean(line)}\n" for line in lines), sys.stdout)
    return EXIT_PASS


def watch(run: Run) -> int:
    """Show the log until the run is over, then how it ended on stderr; the run's exit code, 130 after Ctrl+C."""
    from tui.cli.following import follow
    from tui.cli.output import say
    from tui.cli.runs_text import exit_code_of, sentences
    from tui.errors import TrnModelsError
    from tui.rerun import news

    try:
        ended = follow(run)
    except KeyboardInterrupt:
        return _goes_on(run)
    news.first_to_tell(ended)
    try:
        say(f"run {run.id} is over", *sentences(ended))
    except TrnModelsError as error:  # its folder may have been deleted meanwhile: the exit code stays the run's
        say(error.title, error.detail)
    return exit_code_of(ended)


def _goes_on(run: Run) -> int:
    from tui.cli.output import say
    from tui.errors import EXIT_INTERRUPTED

    _after_ctrl_c()
    again = f"Watch it again: trn-models runs log {run.id} --follow"
    say(f"run {run.id} goes on. {again}; stop it: trn-models runs stop {run.id}")
    return EXIT_INTERRUPTED


def _after_ctrl_c() -> None:
    """A terminal shows `^C` where the cursor is: what is told comes on a line of its own."""
    from tui.cli.output import is_terminal, write

    if is_terminal(sys.stderr):
        write("\n", sys.stderr)


def _plan_of(preparation: Preparation, step: Step, options: RunOptions, *, asks: bool) -> Plan:
    """The plan of a step that can be started; where cores are in use and somebody `asks` for it, one that waits.

    Raises `UsageError` that says what stands in the way, and nobody is asked about.
    """
    from dataclasses import replace

    from tui.errors import UsageError

    if step.plan is None:
        raise UsageError(f"«{step.title}» cannot be started here", step.reason)
    in_use = None if step.plan.queue else preparation.cores_in_use(step.kind)
    if asks:
        return step.plan if in_use is None else replace(step.plan, queue=True)
    blocking = () if options.run_anyway else preparation.in_the_way(step.kind)
    said = [f"{item.name}: {item.text}" for item in ((in_use,) if in_use is not None else ()) + blocking]
    if said:
        queue = "--queue waits for cores that are in use." if in_use is not None else ""
        anyway = "Give --run-anyway to run it all the same." if blocking else ""
        raise UsageError("Something stands in the way", "\n".join(said), " ".join(filter(None, (queue, anyway))))
    return step.plan


def _agreed(preparation: Preparation, step: Step, plan: Plan, *, run_anyway: bool) -> bool:
    from tui.cli.output import say
    from tui.cli.questions import ask
    from tui.rerun.plan import Kind

    if step.kind is not Kind.RUN:
        say(step.command, step.remark)
        return ask(f"{step.title}?")
    say("run.py is code from a public dataset: s shows it before you answer.")
    blocked = bool(preparation.in_the_way(step.kind)) and not run_anyway
    if preparation.cores_in_use(step.kind) is not None:
        question = "Cores are in use: wait in the queue until they are free?"
        return ask(f"Something stands in the way. {question}" if blocked else question, plan.script or "")
    return ask("Something stands in the way: run anyway?" if blocked else "Run it?", plan.script or "")
