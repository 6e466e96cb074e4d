"""Runs as values, without a folder."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tui.rerun.plan import Kind
from tui.rerun.runs import Outcome, Result, Run, State

STARTED = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)


def a_run(number: int = 3, state: State = State.RUNNING, **other: Any) -> Run:
    """A run on four cores of one device, with these values instead of the usual ones."""
    values: dict[str, Any] = {
        "id": number,
        "folder": Path(f"/state/runs/{number}"),
        "kind": Kind.RUN,
        "model_id": "acme/Model-8B-Instruct",
        "state": state,
        "created_at": STARTED,
        "started_at": STARTED,
        "cores": (0, 1, 2, 3),
        "devices": (0,),
    }
    return Run(**{**values, **other})


def over(result: Result = Result.DONE, number: int = 3, **other: Any) -> Run:
    """A run that ended so after 61 s; `other` are values of its outcome."""
    values = {"exit_code": 0 if result is Result.DONE else None, "wall_s": 61.0, **other}
    outcome = Outcome(result=result, ended_at=STARTED + timedelta(seconds=61), **values)
    return a_run(number, State.FINISHED, outcome=outcome)
