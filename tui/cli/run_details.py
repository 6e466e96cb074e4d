"""All that is known of one run as JSON: what was run, where, what was recorded, and what became of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tui.catalog.verdict import sentence
from tui.cli.runs_text import as_object, command_of
from tui.rerun import outcome, recorded, run_files
from tui.rerun.log_segments import LOG
from tui.rerun.run import Run

_STACK = ("neuronx_cc", "library", "library_version", "transformers", "torch_neuronx", "torch", "nki", "python")


def details(run: Run) -> dict[str, Any]:
    """What `as_object` tells and more, JSON values only; reads the log of a failed run for its cause.

    `record` is null where the recipe has none. Secrets are in no value: recipe.json does not have them.
    """
    recipe = run.recipe
    added = recipe.get("added")
    added = added if isinstance(added, Mapping) else {}
    arguments = added.get("arguments")
    return as_object(run) | {
        "command": command_of(run),
        "arguments": [str(word) for word in arguments] if isinstance(arguments, list | tuple) else [],
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
        "sample": recipe.get("sample") is True,
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
    wall_s = record.values.get("wall_s")
    return {
        "result": record.text("result"),
        "in_words": sentence(record),
        "wall_s": wall_s if wall_s is not None and math.isfinite(wall_s) else None,
        "cores": record.tp,
        "stack": {name: text for name in _STACK if (text := record.text(name)) is not None},
    }


def _diagnosis(run: Run) -> dict[str, str] | None:
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
