"""Where a run is, in words, as far as facts tell: never a percentage. Pure."""

from __future__ import annotations

from datetime import datetime

from tui import numbers
from tui.process import signal_name
from tui.rerun.plan import Kind
from tui.rerun.recorded import recorded_wall_s
from tui.rerun.run import Outcome, Result, Run, State

_AT_WORK = {Kind.WEIGHTS: "fetching", Kind.GRAPHS: "fetching", Kind.INSTALL: "installing", Kind.RUN: "running"}


def phase(run: Run) -> str:
    """`waiting: 8 cores needed, 4 not in use`, `compiling: 3 compilers, 14 new .neff files`, `failed, exit code 3`."""
    match run.state:
        case State.WAITING:
            return f"waiting: {run.waiting_for}" if run.waiting_for else "waiting"
        case State.RUNNING:
            return _at_work(run)
        case State.LOST:
            return f"lost at {numbers.when(run.heartbeat_at)}"
        case State.FINISHED if run.outcome is not None:
            end = ending(run.outcome) if run.outcome.result is Result.FAILED else ""
            return ", ".join(filter(None, (run.outcome.result.value, end)))
    return run.state.value


def ending(outcome: Outcome) -> str:
    """`exit code 3` or `ended by SIGKILL`; empty when neither is known."""
    if outcome.signal:
        return f"ended by {signal_name(outcome.signal)}"
    return "" if outcome.exit_code is None else f"exit code {outcome.exit_code}"


def told_at_the_end(outcome: Outcome) -> str:
    """`stopped, ended by SIGINT after 63.0 s`, as the log of the run says it, with what was killed and why."""
    if not outcome.wall_s:
        return f"{outcome.result}: {outcome.note}"
    asked = "stopped, " if outcome.result is Result.STOPPED else ""
    how = ending(outcome)
    how = f"ended with {how}" if outcome.exit_code is not None else how or "ended"
    killed = f"; ended afterwards: {', '.join(outcome.killed)}" if outcome.killed else ""
    return f"{asked}{how} after {outcome.wall_s:.1f} s{killed}{f'; {outcome.note}' if outcome.note else ''}"


def headline(run: Run, now: datetime) -> tuple[str, ...]:
    """What stands above the log, part by part: state, times, phase, ranks, host memory, cores, log, what is unusual."""
    where = phase(run)
    at_work = _AT_WORK[run.kind] if run.state is State.RUNNING and run.started_at is not None else ""
    parts = [at_work or where, _elapsed(run, now), _recorded(run), where.removeprefix(f"{at_work}: ")]
    parts += [_alive(run), _memory(run), _cores(run), _log(run), run.note]
    if run.outcome is not None:
        killed = len(run.outcome.killed)
        parts += [f"{_processes(killed)} had to be ended" if killed else "", run.outcome.note]
    return tuple(dict.fromkeys(part for part in parts if part))


def one_line(run: Run) -> str:
    """`run 3 · Quartz-8B · compiling`, for a line that has little room."""
    return f"run {run.id} · {run.model_id.rsplit('/', 1)[-1]} · {phase(run).partition(':')[0]}"


def elapsed_s(run: Run, now: datetime) -> float | None:
    """Seconds that the script runs or ran, of a lost run until its last sign of life; None: it was not started."""
    if run.started_at is None:
        return None
    if run.outcome is not None:
        return run.outcome.wall_s
    until = run.heartbeat_at if run.state is State.LOST else now
    return None if until is None else max((until - run.started_at).total_seconds(), 0.0)


def _at_work(run: Run) -> str:
    if run.started_at is None:
        return "starting"
    neffs = f"{numbers.counted(run.new_neffs, 'new .neff file')}" if run.new_neffs else ""
    if run.compilers:
        return ", ".join(filter(None, (f"compiling: {numbers.counted(run.compilers, 'compiler')}", neffs)))
    return ": ".join(filter(None, (_AT_WORK[run.kind], neffs)))


def _elapsed(run: Run, now: datetime) -> str:
    seconds = elapsed_s(run, now)
    return "" if seconds is None else numbers.duration_words(seconds)


def _recorded(run: Run) -> str:
    seconds = recorded_wall_s(run)
    return "" if seconds is None else f"recorded {numbers.duration_words(seconds)}, cache state then unknown"


def _alive(run: Run) -> str:
    if run.state not in (State.RUNNING, State.STOPPING):
        return ""
    if run.ranks is not None:
        return f"{numbers.counted(run.ranks, 'rank')} alive"
    return f"{_processes(run.processes)} alive" if run.processes else ""


def _processes(number: int) -> str:
    return f"{numbers.count(number)} {'process' if number == 1 else 'processes'}"


def _memory(run: Run) -> str:
    peak = run.peak_bytes
    if not run.live:
        return "" if peak is None else f"host memory at its peak {numbers.size(peak)} (PSS)"
    if run.host_memory_bytes is None:
        return ""
    peak_words = "" if peak is None else f"peak {numbers.size(peak)}, "
    return f"host memory {numbers.size(run.host_memory_bytes)} ({peak_words}PSS)"


def _cores(run: Run) -> str:
    if not run.cores:
        return ""
    cores = f"core{'s' if len(run.cores) > 1 else ''} {numbers.ranges(run.cores)}"
    if not run.devices:
        return cores
    return f"{cores} on device{'s' if len(run.devices) > 1 else ''} {numbers.ranges(run.devices)}"


def _log(run: Run) -> str:
    dropped = f", {numbers.size(run.log_dropped_bytes)} left out in the middle" if run.log_dropped_bytes else ""
    return f"log {numbers.size(run.log_bytes)}{dropped}" if run.log_bytes else ""
