"""What a run is: its state, its outcome, and the values of both. Values only; `runs` reads them from a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tui.rerun.identity import Identity
from tui.rerun.plan import Kind

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class State(StrEnum):
    """Where a run is."""

    WAITING = "waiting"
    RUNNING = "running"
    STOPPING = "stopping"
    FINISHED = "finished"
    LOST = "lost"
    """Its supervisor is gone without a word: killed, out of memory, reboot."""


class Result(StrEnum):
    """How a finished run ended. DONE is exit code 0 and nothing more: no PASS is concluded."""

    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    NOT_STARTED = "not started"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """outcome.json."""

    result: Result
    ended_at: datetime
    exit_code: int | None = None
    signal: int | None = None
    """The signal that ended the main process; then `exit_code` is None."""
    wall_s: float = 0.0
    peak_host_memory_bytes: int | None = None
    """Largest sum of PSS over all processes of the run, sampled each second."""
    killed: tuple[str, ...] = ()
    """`pid 4711 python run.py (SIGKILL)` for each process that had to be ended."""
    note: str = ""
    """Why it was not started, what could not be ended, or what the look at the cores afterwards found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run as its folder tells. Times are UTC."""

    id: int
    folder: Path
    kind: Kind
    model_id: str
    state: State
    created_at: datetime
    started_at: datetime | None = None
    """When the script was started; None while it waits."""
    heartbeat_at: datetime | None = None
    """The supervisor's last sign of life; of a lost run: when it was lost."""
    devices: tuple[int, ...] = ()
    cores: tuple[int, ...] = ()
    waiting_for: str = ""
    """What a waiting run waits for, in words."""
    processes: int = 0
    """Processes of the run that are alive."""
    ranks: int | None = None
    """Those of them with RANK or LOCAL_RANK in their environment; None: no such process was seen."""
    compilers: int = 0
    """Those named neuronx-cc or walrus_driver."""
    new_neffs: int | None = None
    """.neff files in the cache folder that were not there at the start."""
    host_memory_bytes: int | None = None
    """Sum of PSS at the last sample."""
    peak_host_memory_bytes: int | None = None
    log_bytes: int = 0
    log_dropped_bytes: int = 0
    """Left out between head and tail of the log."""
    note: str = ""
    """What is unusual: it is on another host, the log could not be written."""
    recipe: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    """recipe.json."""
    outcome: Outcome | None = None
    token: str = ""
    """What every process of the run has as TRN_MODELS_RUN in its environment."""
    supervisor: Identity | None = None
    """None until it has started."""
    on_host: str = ""
    """Where its supervisor is, or was, when that cannot be seen from here: another host, a container; else empty."""
    unmarked: tuple[Identity, ...] = ()
    """Processes of the run that have no token in their environment, as they were noted down last."""

    @property
    def live(self) -> bool:
        """Whether it waits, runs or is being stopped."""
        return self.state in (State.WAITING, State.RUNNING, State.STOPPING)

    @property
    def edited(self) -> bool:
        """Whether it ran something else than the record's run.py as it stands."""
        return bool(self.recipe.get("edited"))

    @property
    def peak_bytes(self) -> int | None:
        """Largest sum of PSS over all processes of the run, in bytes: of its outcome, else as it was noted last."""
        of_outcome = None if self.outcome is None else self.outcome.peak_host_memory_bytes
        return self.peak_host_memory_bytes if of_outcome is None else of_outcome
