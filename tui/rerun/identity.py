"""Which process it is, across pid reuse and reboots; and whether a process of a run is alive."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import psutil

TOKEN_VARIABLE: Final = "TRN_MODELS_RUN"
"""Every process of a run has it in its environment, with the run's token."""

_PROC = Path("/proc")
_ON_LINUX = sys.platform == "linux"


@dataclass(frozen=True, slots=True)
class Identity:
    """One process, told apart from a later one with the same pid."""

    pid: int
    started: int
    """Clock ticks since boot (field 22 of /proc/PID/stat); without /proc the start in ms since 1970."""
    boot_id: str
    """Of the kernel, new with each boot; empty where there is none."""

    def values(self) -> dict[str, Any]:
        """As it stands in state.json."""
        return {"pid": self.pid, "started": self.started, "boot_id": self.boot_id}

    @classmethod
    def from_values(cls, values: object) -> Identity | None:
        """What `values()` gave, read back; None for anything else."""
        if not isinstance(values, Mapping):
            return None
        pid, started, boot = values.get("pid"), values.get("started"), values.get("boot_id")
        if type(pid) is int and pid > 0 and type(started) is int and isinstance(boot, str):
            return cls(pid, started, boot)
        return None


def of(pid: int) -> Identity | None:
    """The identity of a process that is alive; None when there is none, or only a zombie."""
    started = _started(pid)
    return None if started is None else Identity(pid, started, boot_id())


def alive(identity: Identity) -> bool:
    """Whether just this process is alive: not a zombie, not a later one with its pid, not one of another boot."""
    return identity.boot_id == boot_id() and _started(identity.pid) == identity.started


@cache
def boot_id() -> str:
    """The id of this boot; empty where the system has none."""
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def living(tokens: Collection[str]) -> frozenset[str]:
    """Those of `tokens` that a live process of this user has in its environment, the caller not counted.

    One look for all of them. Processes that may not be looked at do not count. Raises nothing.
    """
    wanted = frozenset(filter(None, tokens))
    found = {_token_of(pid) for pid in psutil.pids() if pid != os.getpid()} if wanted else set()
    return frozenset(token for token in found if token in wanted and token is not None)


def _started(pid: int) -> int | None:
    """When a live process began; None for a zombie and for none."""
    if not _ON_LINUX:
        try:
            process = psutil.Process(pid)
            return None if process.status() == psutil.STATUS_ZOMBIE else round(process.create_time() * 1_000)
        except psutil.Error:
            return None
    try:
        line = (_PROC / str(pid) / "stat").read_bytes()
        # The name in brackets may hold spaces and brackets itself; field 3 comes after the last one.
        fields = line[line.rindex(b")") + 1 :].split()
        return None if fields[0] in (b"Z", b"X", b"x") else int(fields[19])
    except (OSError, ValueError, IndexError):
        return None


def _token_of(pid: int) -> str | None:
    """The token in the environment of a process of this user; None when there is none or it cannot be known."""
    try:
        if not _ON_LINUX:
            process = psutil.Process(pid)
            return process.environ().get(TOKEN_VARIABLE) if process.uids().real == os.getuid() else None
        folder = _PROC / str(pid)
        if folder.stat().st_uid != os.getuid():
            return None
        entries = (folder / "environ").read_bytes().split(b"\0")
    except (OSError, psutil.Error):
        return None
    start = f"{TOKEN_VARIABLE}=".encode()
    for entry in entries:
        if entry.startswith(start):
            return entry.removeprefix(start).decode("utf-8", errors="replace")
    return None
