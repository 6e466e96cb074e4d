"""Run folders: where runs are kept, and what has become of each.

runs/last-id            the highest id that was given away, also of runs that were deleted
runs/7/run.py           the script as it ran; steps without a script have none
runs/7/recipe.json      what was to be run, without secrets
runs/7/state.json       where it is, by its supervisor
runs/7/log              what it printed
runs/7/outcome.json     how it ended

`Run` and what belongs to it live in `tui.rerun.run`. Whoever works with folders of runs needs both, so they can be had
from here too.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tui import file_lock
from tui.errors import TrnModelsError, UsageError, what_helps
from tui.rerun import holding, place, recipe_file, run_files
from tui.rerun.plan import Plan
from tui.rerun.recipe_file import SCRIPT_NAME
from tui.rerun.run import Outcome, Result, Run, State
from tui.rerun.run_reading import OUTCOME, RECIPE, STATE, every_in, is_run_name, log_once, read, settled
from tui.rerun.secret_values import without
from tui.settings import Settings

__all__ = [
    "Outcome",
    "Result",
    "Run",
    "State",
    "create",
    "delete",
    "every",
    "find",
    "is_over",
    "listed",
    "plan_of",
    "read",
    "runs_folder",
    "settled",
    "update_state",
    "write_outcome",
]

log = logging.getLogger(__name__)

_LOCK_WAIT_S = 30.0
_LEFTOVER_S = 86_400.0
_GONE_ELSEWHERE = timedelta(hours=1)
"""After so long without a sign of life a run of another host may be deleted here: that host may be no more."""
_MOST_KILLED = 1_000
_NEW, _REMOVED = ".new-", ".removed-"


def runs_folder(settings: Settings) -> Path:
    """The folder that has a folder for each run, named by its id."""
    return settings.state_dir / "runs"


def create(settings: Settings, plan: Plan) -> Run:
    """Make the folder of a new run, in state WAITING, with run.py and recipe.json; nothing is started yet.

    Ids count up and are never used twice. Folders are 0700, files 0600. Raises `TrnModelsError` when it cannot be
    written.
    """
    folder = runs_folder(settings)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with file_lock.held(folder / "lock", _LOCK_WAIT_S):
            _remove_leftovers(folder)
            made = _make(folder, _next_id(folder), settings, plan)
    except OSError as error:
        raise TrnModelsError(
            "The folder of the run cannot be written",
            f"{folder}: {error.strerror or error}",
            f"{what_helps(error)}, or let TRN_MODELS_STATE_DIR name another folder.",
        ) from error
    return read(made)


def update_state(folder: Path, **fields: Any) -> None:
    """Put `fields`, JSON each, into state.json beside what is there; replaced at once. Raises `OSError`.

    For a run without a supervisor: that one has a `StateFile`, which is not read back.
    """
    try:
        values = run_files.read(folder / STATE)
    except (FileNotFoundError, ValueError) as error:
        log.warning("%s is written anew: %s", folder / STATE, error)
        values = {}
    run_files.write(folder / STATE, values | fields)


def write_outcome(folder: Path, outcome: Outcome) -> None:
    """Write outcome.json, without the secrets of the run that are in this environment. Raises `OSError`."""
    values = {
        "result": outcome.result.value,
        "ended_at": outcome.ended_at.isoformat(),
        "exit_code": outcome.exit_code,
        "signal": outcome.signal,
        "wall_s": outcome.wall_s,
        "peak_host_memory_bytes": outcome.peak_host_memory_bytes,
        "killed": outcome.killed[:_MOST_KILLED],
        "note": outcome.note,
    }
    try:
        names = run_files.texts(run_files.read(folder / RECIPE).get("hidden"))
    except (OSError, ValueError) as error:
        log.warning("%s: %s", folder / RECIPE, error)
        names = ()
    hidden = {name: os.environ[name] for name in names if name in os.environ}
    run_files.write(folder / OUTCOME, without(values, hidden), durable=True)


def is_over(folder: Path) -> bool:
    """Whether the run has an outcome."""
    return (folder / OUTCOME).exists()


def find(settings: Settings, run_id: int) -> Run:
    """The run of this id. Raises `UsageError` when there is none, and `TrnModelsError` when it cannot be read."""
    folder = runs_folder(settings) / str(run_id)
    if not (is_run_name(folder.name) and folder.is_dir()):
        raise UsageError(f"There is no run {run_id}", f"In {folder.parent}.", "`trn-models runs` lists them.")
    return read(folder)


def every(settings: Settings) -> tuple[Run, ...]:
    """All runs, newest first; folders that are no run are logged and left out. Raises nothing.

    None when their folder cannot be read, which is logged once: `listed` tells it.
    """
    try:
        return every_in(runs_folder(settings))
    except OSError as error:
        log_once(f"the runs cannot be read: {error}")
        return ()


def listed(settings: Settings) -> tuple[Run, ...]:
    """The same. Raises `UsageError` when their folder is there and cannot be read."""
    folder = runs_folder(settings)
    try:
        return every_in(folder)
    except OSError as error:
        raise UsageError(
            "The runs cannot be read",
            f"{folder}: {error.strerror or error}",
            "Make it readable for you, or let TRN_MODELS_STATE_DIR name another folder.",
        ) from error


def plan_of(run: Run, *, queue: bool | None = None) -> Plan:
    """The plan of a run, for its supervisor and to run it again; `queue` None: as it was.

    `hidden` is empty: secrets were not kept; names are in recipe["hidden"]. Where such a value stood within an
    argument it is taken from this environment. Raises `TrnModelsError` when its files cannot be read.
    """
    try:
        script = None if run.recipe.get("script") is None else run_files.read_bytes(run.folder / SCRIPT_NAME)
        return recipe_file.to_plan(run.recipe, script, os.environ, queue=queue)
    except (OSError, ValueError) as error:
        raise TrnModelsError(
            f"What run {run.id} ran cannot be read", f"{run.folder}: {error}", "Start it from its record."
        ) from error


def delete(settings: Settings, run: Run) -> None:
    """Remove the folder of a run that is not live. Raises `TrnModelsError` for a live one or when it cannot.

    One that is no longer there is no error. A lost run of which a process still lives counts as live, as its folder
    tells how to find them; so does for an hour one that was lost on another host, which cannot be looked at.
    """
    folder = runs_folder(settings) / str(run.id)
    if not os.path.lexists(folder):
        return
    if folder.is_symlink() or not (folder / RECIPE).is_file():
        raise TrnModelsError(f"Run {run.id} is not deleted", f"{folder} is no folder of a run.", "Look at it yourself.")
    now = settled(read(folder))
    if now.on_host and (now.live or (now.state is State.LOST and place.is_fresh(now.heartbeat_at, _GONE_ELSEWHERE))):
        word = "runs" if now.live else "ran a short time ago"
        raise TrnModelsError(f"Run {run.id} is not deleted", f"It {word} on {now.on_host}: stop it there.")
    if now.live or (now.state is State.LOST and holding.any_lives(now)):
        what = f"It is {now.state}." if now.live else "It is lost, but a process that it started is alive."
        raise TrnModelsError(f"Run {run.id} is not deleted", what, "Stop it first.")
    removed = folder.with_name(f"{_REMOVED}{run.id}-{secrets.token_hex(4)}")
    try:
        folder.rename(removed)
        shutil.rmtree(removed)
    except OSError as error:
        raise TrnModelsError(
            f"Run {run.id} could not be deleted completely",
            f"{error.filename or removed}: {error.strerror or error}",
            f"Remove {removed if removed.exists() else folder} yourself.",
        ) from error


def _next_id(folder: Path) -> int:
    """An id that no run ever had, noted down as given away. Raises `OSError`."""
    noted = folder / "last-id"
    try:
        last = int(run_files.read_bytes(noted))
    except FileNotFoundError:
        last = 0
    except ValueError as error:
        log.warning("%s is written anew: %s", noted, error)
        last = 0
    number = 1 + max([last, *(int(item.name) for item in folder.iterdir() if is_run_name(item.name))])
    run_files.write_bytes(noted, f"{number}\n".encode())
    return number


def _make(folder: Path, number: int, settings: Settings, plan: Plan) -> Path:
    """The whole folder appears at once, under its name. Raises `OSError`."""
    part = folder / f"{_NEW}{number}-{secrets.token_hex(4)}"
    part.mkdir(mode=0o700)
    created_at = datetime.now(UTC)
    try:
        if plan.script is not None:
            run_files.write_bytes(part / SCRIPT_NAME, recipe_file.script_bytes(plan.script))
        run_files.write(part / RECIPE, recipe_file.to_values(plan, settings, created_at), durable=True)
        state = {"state": State.WAITING, "created_at": created_at.isoformat(), "token": secrets.token_hex(16)}
        run_files.write(part / STATE, state)
        return part.rename(folder / str(number))
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def _remove_leftovers(folder: Path) -> None:
    """What was left when an app was killed while it made or removed a run."""
    for item in folder.iterdir():
        if item.name.startswith((_NEW, _REMOVED)) and time.time() - item.lstat().st_mtime > _LEFTOVER_S:
            shutil.rmtree(item, ignore_errors=True)
