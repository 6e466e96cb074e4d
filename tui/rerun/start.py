"""Starting and stopping runs from outside: the supervisor is another process, this only speaks to it."""

from __future__ import annotations

from collections.abc import Mapping

from tui.rerun.plan import Plan
from tui.rerun.runs import Run
from tui.settings import Settings


def start(settings: Settings, plan: Plan) -> Run:
    """Make the run's folder and start its supervisor; returns when that has written its state (or could not).

    Raises `TrnModelsError` when no supervisor could be started; the folder then says so too.
    """
    raise NotImplementedError


def stop(settings: Settings, run: Run) -> None:
    """Ask the supervisor to stop the run; returns at once, the run is STOPPING, then FINISHED (`stopped`).

    Of a lost run what still lives of it is ended here, which may take up to 25 s. Raises `TrnModelsError`.
    """
    raise NotImplementedError


def supervisor_environment(plan: Plan, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment that the supervisor inherits: the app's, with `plan.hidden` in it."""
    raise NotImplementedError
