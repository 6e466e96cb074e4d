"""Runs as text: a line of the list, the facts above a log, the outcome below it. Pure: values in, `Content` out."""

from __future__ import annotations

from datetime import datetime

from textual.content import Content

from tui import numbers
from tui.rerun import progress
from tui.rerun.diagnosis import Diagnosis
from tui.rerun.plan import TITLES
from tui.rerun.runs import Result, Run, State
from tui.terminal_text import brief
from tui.widgets.verdict_look import MUTED

SIGNS = {
    State.WAITING: ("…", "$text-warning"),
    State.RUNNING: ("▶", "$text-primary"),
    State.STOPPING: ("■", "$text-warning"),
    State.LOST: ("?", "$text-error"),
}
RESULT_SIGNS = {
    Result.DONE: ("●", "$text-success"),
    Result.FAILED: ("✗", "$text-error"),
    Result.STOPPED: ("■", MUTED),
    Result.NOT_STARTED: ("✗", "$text-error"),
}
HEADERS = ("run", "state", "model", "step", "started", "took", "cores")


def sign(run: Run) -> tuple[str, str]:
    """One character and its style; the word beside it says the same."""
    if run.state is State.FINISHED and run.outcome is not None:
        return RESULT_SIGNS[run.outcome.result]
    return SIGNS.get(run.state, ("?", MUTED))


def title(run: Run) -> tuple[Content, ...]:
    """`run 3  Run  acme/Model`, shorter without the organisation."""
    name = brief(run.model_id)
    edited = Content.styled("  EDITED", "bold $text-warning") if run.edited else Content("")
    sample = Content.styled("  SAMPLE", "bold $text-warning") if run.model_id.startswith("sample/") else Content("")
    return tuple(
        Content.assemble((f"run {run.id}", "bold $primary"), f"  {TITLES[run.kind]}  ", (text, "bold"))
        + edited
        + sample
        for text in (name, name.rsplit("/", 1)[-1])
    )


def follow_state(run: Run, lines: int, paused: bool) -> tuple[Content, ...]:
    """How many lines, and whether the view follows the end."""
    counted = numbers.counted(lines, "line")
    if paused and run.live:
        return (
            Content.assemble(counted, " · ", ("paused, G follows", "$text-warning")),
            Content.styled("paused (G)", "$text-warning"),
        )
    return (Content(f"{counted} · following" if run.live else counted), Content(""))


def facts(run: Run, now: datetime) -> Content:
    """State, elapsed time, phase, ranks, memory, cores: as many as fit are on one line each."""
    mark, style = sign(run)
    parts = [brief(part) for part in progress.headline(run, now) if part]
    return Content.assemble((f"{mark} ", style), " · ".join(parts))


def outcome(run: Run, sentences: tuple[str, ...], diagnosis: Diagnosis | None) -> Content:
    """What it meant: the outcome beside the record, the cause when one is known, what to do."""
    mark, style = sign(run)
    first, *rest = sentences or ("It is over.",)
    lines = [Content.assemble((f"{mark} ", style), (brief(first), "bold"))]
    lines += [Content(brief(text)) for text in rest]
    if diagnosis is not None:
        lines.append(Content.assemble((brief(diagnosis.title), "bold $text-error")))
        lines.append(Content.styled(brief(diagnosis.line, 4_000, newlines=True), MUTED))
        if diagnosis.advice:
            lines.append(Content.assemble(("What to do  ", "bold $primary"), brief(diagnosis.advice)))
    return Content("\n").join(lines)


def cells(run: Run, now: datetime) -> tuple[str, ...]:
    """A line of the list, as HEADERS."""
    elapsed = progress.elapsed_s(run, now)
    return (
        str(run.id),
        brief(progress.phase(run)),
        brief(run.model_id) + (" (edited)" if run.edited else ""),
        run.kind.value,
        numbers.when(run.started_at),
        numbers.duration(elapsed),
        numbers.ranges(run.cores) or numbers.NOT_RECORDED,
    )


def before_stop(run: Run) -> tuple[str, ...]:
    """What a person should know before the run is stopped."""
    if run.state is State.WAITING:
        return (f"{run.model_id} is waiting and was not started yet.",)
    gets = "gets an interrupt, after 10 s a request to end, after 10 s more it is killed."
    if run.state is State.LOST:
        return (
            f"{run.model_id}: {progress.phase(run)}. Its supervisor is gone, what it started may still be alive.",
            f"What is found of it {gets} That takes up to 25 s, for which the app has to stay open.",
        )
    return (f"{run.model_id}: {progress.phase(run)}.", f"Everything that it started {gets}")


def can_be_stopped(run: Run) -> bool:
    """Whether stopping it does something: a lost run may have left processes behind."""
    return run.live or run.state is State.LOST


def before_again(run: Run) -> tuple[str, ...]:
    """What a person should know before the same is started once more."""
    lines = [f"{TITLES[run.kind]} of {run.model_id}, as in run {run.id}: same script, interpreter and environment."]
    hidden = run.recipe.get("hidden")
    if isinstance(hidden, (list, tuple)) and hidden:
        lines.append(f"These values were not kept and have to be in the environment: {', '.join(map(str, hidden))}.")
    return tuple(lines)
