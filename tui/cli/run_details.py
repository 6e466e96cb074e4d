"""Runs as values for programs: a row for each, or all that is known of one."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from tui.catalog.verdict import sentence
from tui.cli.runs_text import command_of, sane
from tui.rerun import recorded, run_files
from tui.rerun.run import Run

if TYPE_CHECKING:
    from tui.cli.formats import Types

RUN: Final[Types] = {
    "id": int,
    "model_id": str,
    "kind": str,
    "state": str,
    "result": str,
    "exit_code": int,
    "signal": int,
    "created_at": datetime,
    "started_at": datetime,
    "ended_at": datetime,
    "heartbeat_at": datetime,
    "wall_s": float,
    "peak_host_memory_bytes": int,
    "devices": list[int],
    "cores": list[int],
    "edited": bool,
    "sample": bool,
    "waiting_for": str,
    "note": str,
    "folder": str,
}
"""Names and types of `as_object`."""
DETAILS: Final[Types] = {
    **RUN,
    "command": list[str],
    "arguments": list[str],
    "added_variables": dict,
    "environment": dict,
    "hidden": list[str],
    "interpreter": dict,
    "overlay": dict,
    "host": dict,
    "record": dict,
    "differences": list[str],
    "diagnosis": dict,
    "log_bytes": int,
    "log_dropped_bytes": int,
}
"""Types of `details` that are no text."""

_STACK = ("neuronx_cc", "library", "library_version", "transformers", "torch_neuronx", "torch", "nki", "python")


def as_object(run: Run) -> dict[str, Any]:
    """A run as a row: times in UTC, None for what is not known."""
    run = sane(run)
    outcome = run.outcome
    return {
        "id": run.id,
        "model_id": run.model_id,
        "kind": run.kind.value,
        "state": run.state.value,
        "result": outcome.result.value if outcome is not None else None,
        "exit_code": outcome.exit_code if outcome is not None else None,
        "signal": outcome.signal if outcome is not None else None,
        "created_at": run.created_at,
        "started_at": run.started_at,
        "ended_at": outcome.ended_at if outcome is not None else None,
        "heartbeat_at": run.heartbeat_at,
        "wall_s": outcome.wall_s if outcome is not None else None,
        "peak_host_memory_bytes": run.peak_bytes,
        "devices": list(run.devices),
        "cores": list(run.cores),
        "edited": run.edited,
        "sample": run.recipe.get("sample") is True,
        "waiting_for": run.waiting_for or None,
        "note": run.note or (outcome.note if outcome is not None else "") or None,
        "folder": str(run.folder),
    }


def details(run: Run) -> dict[str, Any]:
    """What `as_object` tells and more; reads the log of a failed run for its cause.

    `record` is None where the recipe has none. Secrets are in no value: recipe.json does not have them.
    """
    from tui.rerun import outcome
    from tui.rerun.log_segments import LOG

    run = sane(run)
    recipe = run.recipe
    added = recorded.about(run, "added")
    return as_object(run) | {
        "command": command_of(run),
        "arguments": list(run_files.texts(added.get("arguments"))),
        "added_variables": run_files.table(added.get("environment")),
        "environment": run_files.table(recipe.get("environment")),
        "hidden": list(run_files.texts(recipe.get("hidden"))),
        "interpreter": _place(run, "interpreter"),
        "overlay": _place(run, "overlay"),
        "host": dict(recorded.about(run, "host")) or None,
        "script_sha256": _text(recipe.get("sha256")),
        "recorded_sha256": _text(recipe.get("recorded_sha256")),
        "dataset": _text(recipe.get("dataset")),
        "revision": _text(recipe.get("revision")),
        "record": _record(run),
        "differences": list(outcome._differences(run, recorded.record_of(run))),
        "diagnosis": _diagnosis(run),
        "log": str(run.folder / LOG),
        "log_bytes": run.log_bytes,
        "log_dropped_bytes": run.log_dropped_bytes,
    }


def _record(run: Run) -> dict[str, Any] | None:
    record = recorded.record_of(run)
    if record is None:
        return None
    return {
        "result": record.text("result"),
        "in_words": sentence(record),
        "wall_s": record.values.get("wall_s"),
        "cores": record.tp,
        "stack": {name: text for name in _STACK if (text := record.text(name)) is not None},
    }


def _diagnosis(run: Run) -> dict[str, str] | None:
    from tui.rerun import outcome

    found = outcome.diagnosis_of(run)
    if found is None:
        return None
    return {"kind": found.kind, "title": found.title, "line": found.line, "advice": found.advice}


def _place(run: Run, name: str) -> dict[str, Any] | None:
    told = recorded.about(run, name)
    if not told:
        return None
    return {
        "argv": list(run_files.texts(told.get("argv"))),
        "version": _text(told.get("version")),
        "packages": run_files.table(told.get("packages")),
    }


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
