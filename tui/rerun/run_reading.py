"""A run folder -> a run; what others damaged, or another version wrote, is read as far as it can be."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from tui.errors import TrnModelsError
from tui.rerun import identity, run_files
from tui.rerun.identity import Identity
from tui.rerun.plan import Kind
from tui.rerun.run import Outcome, Result, Run, State

log = logging.getLogger(__name__)

RECIPE: Final = "recipe.json"
STATE: Final = "state.json"
OUTCOME: Final = "outcome.json"

STARTS_WITHIN: Final = timedelta(seconds=30)
"""A run without a supervisor is lost this long after it was made."""

_KEPT_IN_MEMORY = 1_000
_LIVE = (State.WAITING, State.RUNNING, State.STOPPING)

_Stamp = tuple[int, int, int] | None
"""What differs when a file was replaced; None when there is no file."""


def read(folder: Path) -> Run:
    """One run from its folder; LOST when its supervisor is not alive (pid and start time are checked).

    Raises `TrnModelsError` for a folder that is no run.
    """
    if not is_run_name(folder.name):
        raise TrnModelsError("This folder is no run", f"{folder}: a run's folder is named by its number.")
    finished = _read_finished(folder)
    if finished is not None:
        return finished
    run = _read_unfinished(folder)
    # It may have ended between the looks at the two files; its supervisor is gone then too.
    return (run.state is State.LOST and _read_finished(folder)) or run


def every_in(folder: Path) -> tuple[Run, ...]:
    """All runs with a folder in `folder`, newest first; those that are no run are logged and left out."""
    try:
        with os.scandir(folder) as entries:
            names = [item.name for item in entries if is_run_name(item.name) and item.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return ()
    except OSError as error:
        _tell_once(folder, str(error))
        return ()
    found = []
    for name in sorted(names, key=int, reverse=True):
        try:
            found.append(read(folder / name))
        except TrnModelsError as error:
            if (folder / name).is_dir():
                _tell_once(folder / name, f"{error.title}: {error.detail}")
    return tuple(found)


def is_run_name(name: str) -> bool:
    """Whether a folder of this name can be a run's."""
    return name.isascii() and name.isdigit() and not name.startswith("0") and len(name) < 19


@lru_cache(maxsize=256)
def _tell_once(folder: Path, reason: str) -> None:
    """Once: the runs are looked at every few seconds."""
    log.warning("%s is left out of the runs: %s", folder, reason)


def _read_finished(folder: Path) -> Run | None:
    ended = _stamp(folder / OUTCOME)
    return None if ended is None else _finished(folder, _stamp(folder / RECIPE), _stamp(folder / STATE), ended)


@lru_cache(maxsize=_KEPT_IN_MEMORY)
def _finished(folder: Path, recipe: _Stamp, state: _Stamp, ended: _Stamp) -> Run:
    """The stamps are only there so that a changed file is read again."""
    values, note = _state_values(folder)
    try:
        outcome = _outcome(run_files.read(folder / OUTCOME), _ended_at(ended))
    except FileNotFoundError as error:
        raise _no_run(folder, OUTCOME, error) from error
    except (OSError, ValueError) as error:
        outcome, note = None, f"{OUTCOME} cannot be read: {_reason(error)}"
    ended_as = State.FINISHED if outcome else State.LOST
    return _run(folder, _recipe(folder, recipe), values, state=ended_as, note=note, outcome=outcome)


def _read_unfinished(folder: Path) -> Run:
    recipe = _recipe(folder, _stamp(folder / RECIPE))
    values, note = _state_values(folder)
    supervisor = Identity.from_values(values.get("supervisor"))
    if supervisor is None:
        age = datetime.now(UTC) - _created_at(folder, recipe)
        state = State.WAITING if abs(age) < STARTS_WITHIN else State.LOST
    elif identity.alive(supervisor):
        word = values.get("state")
        state = State(word) if word in _LIVE else State.RUNNING
    else:
        state = State.LOST
    return _run(folder, recipe, values, state=state, note=note)


def _stamp(path: Path) -> _Stamp:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _ended_at(stamp: _Stamp) -> datetime:
    return datetime.fromtimestamp(stamp[0] / 1e9 if stamp else 0.0, UTC)


@lru_cache(maxsize=_KEPT_IN_MEMORY)
def _recipe(folder: Path, stamp: _Stamp) -> Mapping[str, Any]:
    """recipe.json; `stamp` is only there so that a changed file is read again."""
    try:
        recipe = run_files.read(folder / RECIPE)
        Kind(run_files.text(recipe.get("kind")))
    except (OSError, ValueError) as error:
        raise _no_run(folder, RECIPE, error) from error
    return MappingProxyType(recipe)


def _no_run(folder: Path, name: str, error: Exception) -> TrnModelsError:
    return TrnModelsError(
        f"Run {folder.name} cannot be read",
        f"{folder / name}: {_reason(error)}",
        "Its log may still be there; remove the folder when it is not needed.",
    )


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _state_values(folder: Path) -> tuple[dict[str, Any], str]:
    """state.json, and why it could not be read."""
    try:
        return run_files.read(folder / STATE), ""
    except (OSError, ValueError) as error:
        return {}, f"{STATE} cannot be read: {_reason(error)}"


def _created_at(folder: Path, recipe: Mapping[str, Any]) -> datetime:
    created = run_files.moment(recipe.get("created_at"))
    if created is not None:
        return created
    return _ended_at(_stamp(folder))


def _run(
    folder: Path,
    recipe: Mapping[str, Any],
    values: Mapping[str, Any],
    *,
    state: State,
    note: str,
    outcome: Outcome | None = None,
) -> Run:
    created_at = _created_at(folder, recipe)
    heartbeat_at = run_files.moment(values.get("heartbeat_at"))
    started_at = run_files.moment(values.get("started_at"))
    return Run(
        id=int(folder.name),
        folder=folder,
        kind=Kind(recipe["kind"]),
        model_id=run_files.text(recipe.get("model_id")),
        state=state,
        created_at=created_at,
        started_at=started_at,
        # Of a lost run it says when it was lost: the last moment of which anything is known.
        heartbeat_at=heartbeat_at or ((started_at or created_at) if state is State.LOST else None),
        devices=run_files.wholes(values.get("devices")),
        cores=run_files.wholes(values.get("cores")),
        waiting_for=run_files.text(values.get("waiting_for")),
        processes=run_files.count(values.get("processes")),
        ranks=run_files.whole(values.get("ranks")),
        compilers=run_files.count(values.get("compilers")),
        new_neffs=run_files.whole(values.get("new_neffs")),
        host_memory_bytes=run_files.whole(values.get("host_memory_bytes")),
        peak_host_memory_bytes=run_files.whole(values.get("peak_host_memory_bytes")),
        log_bytes=run_files.count(values.get("log_bytes")),
        log_dropped_bytes=run_files.count(values.get("log_dropped_bytes")),
        note=note or run_files.text(values.get("note")),
        recipe=recipe,
        outcome=outcome,
        token=run_files.text(values.get("token")),
        supervisor=Identity.from_values(values.get("supervisor")),
    )


def _outcome(values: Mapping[str, Any], written_at: datetime) -> Outcome:
    note = run_files.text(values.get("note"))
    word = values.get("result")
    if word in tuple(Result):
        result = Result(word)
    else:
        result, note = Result.FAILED, " ".join(filter(None, (f"The result reads {word!r}.", note)))
    return Outcome(
        result=result,
        ended_at=run_files.moment(values.get("ended_at")) or written_at,
        exit_code=run_files.whole(values.get("exit_code")),
        signal=run_files.whole(values.get("signal")),
        wall_s=run_files.seconds(values.get("wall_s")),
        peak_host_memory_bytes=run_files.whole(values.get("peak_host_memory_bytes")),
        killed=run_files.texts(values.get("killed")),
        note=note,
    )
