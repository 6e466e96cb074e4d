"""Where a run is: here, or on another host or in another container that shares this home folder. Reads only."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from tui.rerun import identity, run_files
from tui.rerun.identity import Identity

FRESH: Final = timedelta(seconds=60)
"""A supervisor that cannot be looked at from here is alive when its last sign of life is newer than that."""

_PID_NAMESPACE = Path("/proc/self/ns/pid")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a process is, as far as that decides who can see it."""

    host: str
    pid_namespace: str
    """`pid:[4026531836]`, as /proc/self/ns/pid says; a container has its own. Empty where there is none."""

    def values(self) -> dict[str, Any]:
        """As it stands in state.json, beside the supervisor."""
        return {"host": self.host, "pid_namespace": self.pid_namespace}


def here() -> Place:
    """The place of this process. Raises nothing."""
    try:
        namespace = str(_PID_NAMESPACE.readlink())
    except OSError:
        namespace = ""
    return Place(socket.gethostname(), namespace)


def elsewhere(state: Mapping[str, Any], supervisor: Identity | None) -> str:
    """In words where the supervisor is that a state.json names; empty when it is, or was, here.

    The id of the boot tells one machine from another: the name of a host may change, and the initial namespace has
    the same number everywhere. Another boot of a host with this name is this host, started anew.
    """
    host = run_files.text(state.get("host"))
    if supervisor is None or not host:
        return ""
    own = here()
    if supervisor.boot_id and supervisor.boot_id == identity.boot_id():
        same = run_files.text(state.get("pid_namespace")) == own.pid_namespace
        return "" if same else f"{host}, in another container"
    return "" if host == own.host else host


def shares_devices(run_is_on: str, supervisor: Identity | None) -> bool:
    """Whether a run has its devices on this machine: `run_is_on` is what `elsewhere` said of it."""
    return not run_is_on or (supervisor is not None and supervisor.boot_id == identity.boot_id() != "")


def is_fresh(heartbeat_at: datetime | None, within: timedelta = FRESH) -> bool:
    """Whether a sign of life is newer than that; the clock of another host may be ahead."""
    return heartbeat_at is not None and datetime.now(UTC) - heartbeat_at < within
