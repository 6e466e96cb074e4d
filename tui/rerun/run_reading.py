"""A run folder -> a run; what others damaged, or another version wrote, is read as far as it can be."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from tui.errors import TrnModelsError
from tui.rerun import identity, place, run_files
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
_REWRITTEN_S = 3.0
"""A supervisor at work writes a state.json that was removed or damaged anew within a second."""
_RECENT_S = 10.0
_LIVE = (State.WAITING, State.RUNNING, State.STOPPING)

_Stamp = tuple[int, int, int] | None
"""What differs when a file was replaced; None when there is no file."""


def read(folder: Path) -> Run:
    """One run from its folder; LOST when its supervisor is not alive (pid and start time are checked).

    As long as it is at work, neither an outcome.json nor a damaged recipe.json changes what it is. One on another
    host is alive when its last sign of life is fresh. Raises `TrnModelsError` for a folder that is no run.
    """
    if not is_run_name(folder.name):
        raise TrnModelsError("This folder is no run", f"{folder}: a run's folder is named by its number.")
    try:
        return _read_finished(folder) or _read_in_order(folder)
    except TrnModelsError as error:
        without_recipe = _read_without_recipe(folder, error)
        if without_recipe is None:
            raise
        return without_recipe


def settled(run: Run) -> Run:
    """The same run, read anew for up to 3 s while its state.json cannot be read and may be about to be written anew.

    Raises `TrnModelsError` as `read`.
    """
    until = time.monotonic() + _REWRITTEN_S
    while not run.token and run.outcome is None and _changed_lately(run.folder) and time.monotonic() < until:
        time.sleep(0.1)
        run = read(run.folder)
    return run


def every_in(folder: Path) -> tuple[Run, ...]:
    """All runs with a folder in `folder`, newest first; those that are no run are logged and left out.

    Raises `OSError` when the folder is there and cannot be read.
    """
    try:
        with os.scandir(folder) as entries:
            names = [item.name for item in entries if is_run_name(item.name) and item.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return ()
    found = []
    for name in sorted(names, key=int, reverse=True):
        try:
            found.append(read(folder / name))
        except TrnModelsError as error:
            if (folder / name).is_dir():
                log_once(f"{folder / name} is left out of the runs: {error.title}: {error.detail}")
    return tuple(found)


def is_run_name(name: str) -> bool:
    """Whether a folder of this name can be a run's."""
    return name.isascii() and name.isdigit() and not name.startswith("0") and len(name) < 19


@lru_cache(maxsize=256)
def log_once(what: str) -> None:
    """Log what is wrong with the runs. Once: they are looked at every few seconds."""
    log.warning("%s", what)


def _changed_lately(folder: Path) -> bool:
    found = [stamp for stamp in (_stamp(folder), _stamp(folder / STATE)) if stamp is not None]
    return any(time.time() - stamp[0] / 1e9 < _RECENT_S for stamp in found)


def _read_in_order(folder: Path) -> Run:
    run = _read_unfinished(folder)
    # It may have ended between the looks at the two files; its supervisor is gone then too.
    return (run.state is State.LOST and _read_finished(folder)) or run


def _read_finished(folder: Path) -> Run | None:
    """None also when its supervisor is still at work: it writes an outcome first, and then that it has finished."""
    ended = _stamp(folder / OUTCOME)
    if ended is None:
        return None
    run, word = _finished(folder, _stamp(folder / RECIPE), _stamp(folder / STATE), ended)
    return None if word in _LIVE and _at_work(run.supervisor, run.on_host, run.heartbeat_at) else run


def _read_without_recipe(folder: Path, error: TrnModelsError) -> Run | None:
    """A run of which only state.json can be read; None unless its supervisor is at work."""
    values, _ = _state_values(folder)
    supervisor = Identity.from_values(values.get("supervisor"))
    on_host = place.elsewhere(values, supervisor)
    if not _at_work(supervisor, on_host, run_files.moment(values.get("heartbeat_at"))):
        return None
    kind = values.get("kind")
    recipe = {"kind": kind if kind in tuple(Kind) else Kind.RUN, "model_id": values.get("model_id")}
    state = _live_state(values)
    return _run(folder, MappingProxyType(recipe), values, state=state, on_host=on_host, note=error.detail)


def _at_work(supervisor: Identity | None, on_host: str, heartbeat_at: datetime | None) -> bool:
    if supervisor is None:
        return False
    return place.is_fresh(heartbeat_at) if on_host else identity.alive(supervisor)


def _live_state(values: Mapping[str, Any]) -> State:
    word = values.get("state")
    return State(word) if word in _LIVE else State.RUNNING


@lru_cache(maxsize=_KEPT_IN_MEMORY)
def _finished(folder: Path, recipe: _Stamp, state: _Stamp, ended: _Stamp) -> tuple[Run, object]:
    """The run, and what state.json calls its state; the stamps are only there so that a changed file is read again."""
    values, note = _state_values(folder)
    try:
        outcome = _outcome(run_files.read(folder / OUTCOME, run_files.STATE_BYTES), _ended_at(ended))
    except FileNotFoundError as error:
        raise _no_run(folder, OUTCOME, error) from error
    except (OSError, ValueError) as error:
        outcome, note = None, f"{OUTCOME} cannot be read: {_reason(error)}"
    ended_as = State.FINISHED if outcome else State.LOST
    on_host = place.elsewhere(values, Identity.from_values(values.get("supervisor")))
    run = _run(folder, _recipe(folder, recipe), values, state=ended_as, on_host=on_host, note=note, outcome=outcome)
    return run, values.get("state")


def _read_unfinished(folder: Path) -> Run:
    recipe = _recipe(folder, _stamp(folder / RECIPE))
    values, note = _state_values(folder)
    supervisor = Identity.from_values(values.get("supervisor"))
    on_host = place.elsewhere(values, supervisor)
    if supervisor is None:
        age = datetime.now(UTC) - _created_at(folder, recipe)
        state = State.WAITING if abs(age) < STARTS_WITHIN else State.LOST
    elif _at_work(supervisor, on_host, run_files.moment(values.get("heartbeat_at"))):
        state = _live_state(values)
    else:
        state = State.LOST
    return _run(folder, recipe, values, state=state, on_host=on_host, note=note)


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
        return run_files.read(folder / STATE, run_files.STATE_BYTES), ""
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
    on_host: str,
    note: str,
    outcome: Outcome | None = None,
) -> Run:
    supervisor = Identity.from_values(values.get("supervisor"))
    unusual = note or run_files.text(values.get("note"))
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
        note="; ".join(filter(None, (f"on {on_host}" if on_host and state is not State.FINISHED else "", unusual))),
        recipe=recipe,
        outcome=outcome,
        token=run_files.text(values.get("token")),
        supervisor=supervisor,
        on_host=on_host,
        unmarked=_unmarked(values.get("unmarked"), supervisor),
    )


def _unmarked(values: object, supervisor: Identity | None) -> tuple[Identity, ...]:
    """`[[pid, started], ...]`, of the boot of the supervisor."""
    if supervisor is None or not isinstance(values, list):
        return ()
    pairs = (run_files.wholes(item) for item in values)
    return tuple(Identity(pair[0], pair[1], supervisor.boot_id) for pair in pairs if len(pair) == 2 and pair[0] > 0)


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
