"""Runs in words: the table and the page of `runs`, what one that is over means, and its exit code."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tui import numbers
from tui.errors import EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_USAGE
from tui.export import aligned
from tui.process import signal_name
from tui.rerun.plan import TITLES
from tui.rerun.progress import elapsed_s, phase
from tui.rerun.runs import Result, Run, State
from tui.terminal_text import clean

if TYPE_CHECKING:
    from tui.rerun.diagnosis import Diagnosis

_HEADERS = ("id", "state", "model", "kind", "started", "duration", "exit", "cores")
_AT_RIGHT = (True, False, False, False, True, True, True, True)
_GIVE_WAY = ("cores", "kind", "duration", "started")
"""Columns that a narrow terminal does without, before the model's name is cut short."""
_MODEL_CELLS = 24
_LARGEST = 1 << 60
"""No number of a run is larger, in bytes or otherwise; a file that was damaged may have any."""
_MOST_CORES = 1 << 16
_LARGEST_CODE = 255
_LARGEST_SIGNAL = 64


def table(runs: Sequence[Run], width: int | None, *, now: datetime | None = None) -> str:
    """A line for each run, headers first; at most `width` cells wide, whole for None."""
    rows = [dict(zip(_HEADERS, _cells(sane(run), now or datetime.now(UTC)), strict=True)) for run in runs]
    names = list(_HEADERS)
    for name in _GIVE_WAY:
        if width is None or _model_room(rows, names, width) >= _MODEL_CELLS:
            break
        names.remove(name)
    at_right = [right for name, right in zip(_HEADERS, _AT_RIGHT, strict=True) if name in names]
    return aligned([names, *([row[name] for name in names] for row in rows)], at_right, width)


def state_in_words(run: Run) -> str:
    """`running`, `waiting: 4 cores needed, 0 not in use`, `lost`; how it ended when it is over: `done`, `failed`."""
    if run.state is State.WAITING and run.waiting_for:
        return f"waiting: {run.waiting_for}"
    return run.outcome.result.value if run.state is State.FINISHED and run.outcome is not None else run.state.value


def ending(run: Run) -> list[str]:
    """What became of a run that is over, as sentences: how it ended, what had to be killed, what is unusual."""
    run = sane(run)
    seconds = elapsed_s(run, datetime.now(UTC))
    took = f" after {numbers.duration_words(seconds)}" if seconds is not None and run.state is not State.LOST else ""
    return [f"run {run.id}: {phase(run)}{took}", *remarks(run)]


def remarks(run: Run) -> list[str]:
    """What had to be killed at its end, and what is unusual, as sentences."""
    if run.outcome is None:
        return []
    return [*(f"had to be ended: {each}" for each in run.outcome.killed), *filter(None, [run.outcome.note])]


def exit_code_of(run: Run) -> int:
    """The exit code of the run: its own, 128 + its signal, or one of this app when it has none.

    130 for one that was stopped and then ended with 0, 2 for one that was not started, 70 for a lost one, and for a
    code that no process can have.
    """
    code = _code_of(run)
    return code if 0 <= code <= _LARGEST_CODE else EXIT_INTERNAL


def _code_of(run: Run) -> int:
    outcome = run.outcome
    if run.state is State.LOST or outcome is None:
        return EXIT_INTERNAL
    if outcome.result is Result.NOT_STARTED:
        return EXIT_USAGE
    if outcome.signal:
        return 128 + outcome.signal
    if outcome.result is Result.STOPPED:
        return outcome.exit_code or EXIT_INTERRUPTED
    return EXIT_INTERNAL if outcome.exit_code is None else outcome.exit_code


def sentences(run: Run) -> list[str]:
    """How a run that is over ended, beside what was recorded, and the cause of a failure with what to do."""
    from tui.rerun import outcome

    run = sane(run)
    return [*outcome.compared(run), *remarks(run), *_cause(outcome.diagnosis_of(run))]


def page(run: Run) -> str:
    """What was run, where it is, and what became of it."""
    run = sane(run)
    recipe = run.recipe
    rows = [
        ("run", f"{run.id}: {TITLES[run.kind]} of {run.model_id}{', edited' if run.edited else ''}"),
        ("state", phase(run)),
        ("started", _begun(run)),
        ("command", shlex.join(command_of(run))),
        ("run.py", _script(recipe)),
        ("added", added_in_words(recipe.get("added"))),
        ("dataset", _dataset(recipe)),
        ("Python", _python(recipe.get("interpreter"))),
        ("on top", _python(recipe.get("overlay"))),
        ("host", _host(recipe.get("host"))),
        ("cores", cores_in_words(run.cores)),
        ("memory", _memory(run)),
        ("log", f"{numbers.size(run.log_bytes)}{_dropped(run)}"),
        ("folder", str(run.folder)),
        ("note", run.note),
    ]
    shown = [(name, clean(text)) for name, text in rows if text]
    lines = aligned(shown, (False, False)).splitlines()
    if run.live:
        return "\n".join(lines)
    return "\n".join([*lines, "", *(clean(text, newlines=True) for text in sentences(run))])


def command_of(run: Run) -> list[str]:
    """The words that were started, into a container or here; none where recipe.json does not tell them."""
    argv, elsewhere = run.recipe.get("argv"), run.recipe.get("elsewhere")
    words = [str(word) for word in argv] if isinstance(argv, list | tuple) else []
    there = [str(word) for word in elsewhere] if isinstance(elsewhere, list | tuple) else []
    return [*there, *words[1:]] if there else words


def script_in_words(sha256: str, recorded_sha256: str, *, edited: bool) -> str:
    """The hash of a script, and beside which one of the record it stands; that alone is named when they differ."""
    if not edited:
        return sha256
    if sha256 == recorded_sha256:
        return f"{sha256}; script as recorded; variables or arguments added"
    return f"{sha256}; edited, the record's is {recorded_sha256}" if recorded_sha256 else f"{sha256}; edited"


def _cells(run: Run, now: datetime) -> tuple[str, ...]:
    state = run.outcome.result.value if run.state is State.FINISHED and run.outcome is not None else run.state.value
    return (
        str(run.id),
        state,
        clean(run.model_id),
        run.kind.value,
        _started(run.started_at),
        numbers.duration(elapsed_s(run, now)),
        _short_end(run),
        cores_in_words(run.cores),
    )


def _model_room(rows: Sequence[Mapping[str, str]], names: Sequence[str], width: int) -> int:
    """Cells that are left for the model's name; as many as it wants count as enough."""
    wanted = max((len(row["model"]) for row in rows), default=0)
    others = sum(max(len(name), *(len(row[name]) for row in rows), 0) for name in names if name != "model")
    room = width - others - 2 * (len(names) - 1)
    return max(room, _MODEL_CELLS) if room >= wanted else room


def _started(moment: datetime | None) -> str:
    if moment is None or numbers.day(moment) == numbers.day(datetime.now(UTC)):
        return numbers.clock(moment)
    return f"{numbers.short_day(moment)} {numbers.clock(moment)}"


def _short_end(run: Run) -> str:
    outcome = run.outcome
    if outcome is None:
        return numbers.NOT_RECORDED
    if outcome.signal:
        return signal_name(outcome.signal)
    return numbers.NOT_RECORDED if outcome.exit_code is None else str(outcome.exit_code)


def cores_in_words(cores: Sequence[int]) -> str:
    """`0-3`, `4`, `0, 2`; a dash for none."""
    return numbers.ranges(cores) or numbers.NOT_RECORDED


def _cause(diagnosis: Diagnosis | None) -> list[str]:
    if diagnosis is None:
        return []
    from tui.rerun.diagnosis import UNKNOWN

    before = "" if diagnosis.kind == UNKNOWN else "Cause: "
    said = [f"{before}{diagnosis.title}" if diagnosis.title else "", diagnosis.line]
    return [*said, f"What to do: {diagnosis.advice}" if diagnosis.advice else ""]


def _begun(run: Run) -> str:
    seconds = elapsed_s(run, datetime.now(UTC))
    so_far = f", {numbers.duration_words(seconds)} so far" if run.live and seconds is not None else ""
    return f"{numbers.day_and_clock(run.started_at)}{so_far}"


def _script(recipe: Mapping[str, Any]) -> str:
    digest, recorded = recipe.get("sha256"), recipe.get("recorded_sha256")
    if not digest:
        return ""
    return f"SHA-256 {script_in_words(str(digest), str(recorded or ''), edited=recipe.get('edited') is True)}"


def _dataset(recipe: Mapping[str, Any]) -> str:
    if recipe.get("sample"):
        return "bundled sample: invented models"
    revision = recipe.get("revision")
    return f"{recipe.get('dataset') or ''}{f' @ {revision}' if revision else ''}"


def sane(run: Run) -> Run:
    """The run without numbers that none of its values can have: its files may have been changed by hand."""
    outcome = run.outcome
    if outcome is not None:
        outcome = replace(
            outcome,
            exit_code=_up_to(_LARGEST_CODE, outcome.exit_code),
            signal=_up_to(_LARGEST_SIGNAL, outcome.signal),
            wall_s=min(outcome.wall_s, float(_LARGEST)),
            peak_host_memory_bytes=_up_to(_LARGEST, outcome.peak_host_memory_bytes),
        )
    return replace(
        run,
        cores=_numbers(run.cores),
        devices=_numbers(run.devices),
        processes=min(run.processes, _LARGEST),
        compilers=min(run.compilers, _LARGEST),
        ranks=_up_to(_LARGEST, run.ranks),
        new_neffs=_up_to(_LARGEST, run.new_neffs),
        host_memory_bytes=_up_to(_LARGEST, run.host_memory_bytes),
        peak_host_memory_bytes=_up_to(_LARGEST, run.peak_host_memory_bytes),
        log_bytes=min(run.log_bytes, _LARGEST),
        log_dropped_bytes=min(run.log_dropped_bytes, _LARGEST),
        outcome=outcome,
    )


def _numbers(found: Sequence[int]) -> tuple[int, ...]:
    return tuple(number for number in found if 0 <= number < _MOST_CORES)[:_MOST_CORES]


def _up_to(largest: int, number: int | None) -> int | None:
    return number if number is not None and 0 <= number <= largest else None


def added_in_words(added: Any) -> str:
    """Variables and arguments that a person added, as words for a shell."""
    if not isinstance(added, Mapping):
        return ""
    environment, arguments = added.get("environment"), added.get("arguments")
    variables = environment.items() if isinstance(environment, Mapping) else ()
    words = [f"{name}={shlex.quote(str(value))}" for name, value in variables]
    if isinstance(arguments, list) and arguments:
        words += ["--", shlex.join(map(str, arguments))]
    return " ".join(words)


def _python(interpreter: Any) -> str:
    if not isinstance(interpreter, Mapping) or not isinstance(interpreter.get("argv"), list):
        return ""
    return f"{shlex.join(map(str, interpreter['argv']))} ({interpreter.get('version') or 'version not known'})"


def _host(host: Any) -> str:
    if not isinstance(host, Mapping):
        return ""
    return ", ".join(
        f"{word} {host[name]}".strip()
        for name, word in (("instance_type", ""), ("driver", "driver"))
        if isinstance(host.get(name), str)
    )


def _memory(run: Run) -> str:
    peak = run.peak_bytes
    return "" if peak is None else f"{numbers.size(peak)} of host memory at its peak (largest sum of PSS)"


def _dropped(run: Run) -> str:
    dropped = run.log_dropped_bytes
    return f", {numbers.size(dropped)} left out between beginning and end" if dropped else ""
