"""What a run that is over means, beside its record; and the page of `runs show`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tui import numbers
from tui.cli.runs_text import cores_in_words, remarks
from tui.export import aligned
from tui.rerun.plan import TITLES
from tui.rerun.progress import elapsed_s, phase
from tui.terminal_text import clean

if TYPE_CHECKING:
    from tui.rerun.diagnosis import Diagnosis
    from tui.rerun.runs import Run


def sentences(run: Run) -> list[str]:
    """How a run that is over ended, beside what was recorded, and the cause of a failure with what to do."""
    from tui.rerun import outcome

    return [*outcome.compared(run), *remarks(run), *_cause(outcome.diagnosis_of(run))]


def page(run: Run) -> str:
    """What was run, where it is, and what became of it."""
    recipe = run.recipe
    rows = [
        ("run", f"{run.id}: {TITLES[run.kind]} of {run.model_id}{', edited' if run.edited else ''}"),
        ("state", phase(run)),
        ("started", _started(run)),
        ("command", shlex.join(map(str, recipe.get("argv") or ()))),
        ("run.py", _script(recipe)),
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


def _cause(diagnosis: Diagnosis | None) -> list[str]:
    if diagnosis is None:
        return []
    said = [f"Cause: {diagnosis.title}" if diagnosis.title else "", diagnosis.line]
    return [*said, f"What to do: {diagnosis.advice}" if diagnosis.advice else ""]


def _started(run: Run) -> str:
    seconds = elapsed_s(run, datetime.now(UTC))
    so_far = f", {numbers.duration_words(seconds)} so far" if run.live and seconds is not None else ""
    return f"{numbers.day_and_clock(run.started_at)}{so_far}"


def _script(recipe: Mapping[str, Any]) -> str:
    digest = recipe.get("sha256")
    return f"SHA-256 {digest}" if digest else ""


def _dataset(recipe: Mapping[str, Any]) -> str:
    if recipe.get("sample"):
        return "bundled sample: invented models"
    revision = recipe.get("revision")
    return f"{recipe.get('dataset') or ''}{f' @ {revision}' if revision else ''}"


# What stands in recipe.json may have been changed by hand: other types are left out.


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
    peak = run.peak_host_memory_bytes if run.outcome is None else run.outcome.peak_host_memory_bytes
    return "" if peak is None else f"{numbers.size(peak)} of host memory at its peak (largest sum of PSS)"


def _dropped(run: Run) -> str:
    dropped = run.log_dropped_bytes
    return f", {numbers.size(dropped)} left out between beginning and end" if dropped else ""
