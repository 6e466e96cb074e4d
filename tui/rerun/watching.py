"""What a run is doing, sampled: its processes, their memory, what the compiler has made."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

from tui.rerun import members
from tui.rerun.identity import Identity
from tui.rerun.members import Dead, Found
from tui.rerun.run_log import LogWriter
from tui.rerun.timing import Timing

log = logging.getLogger(__name__)

_MOST_FILES = 200_000
_LONGEST_SCAN_S = 2.0
_MOST_UNMARKED = 1_000
_SHARE = 0.05
"""Of its time a supervisor spends so much at most on adding up memory, and as much on the NEFF cache."""


class Watch:
    """Samples of one run, with the peak of its memory."""

    def __init__(
        self, token: str, without: Collection[Identity], neff_cache: Path | None, timing: Timing, *, client: bool
    ) -> None:
        """`client`: what the supervisor starts is only the client of a container; it is not counted."""
        self.peak_bytes: int | None = None
        self._token, self._without, self._timing, self._client = token, frozenset(without), timing, client
        self._neff_cache = neff_cache
        self._neffs_before = neff_files(neff_cache)
        self._memory_at = self._neffs_at = 0.0
        self._memory: int | None = None
        self._new_neffs = None if self._neffs_before is None else 0
        self._dead_since: dict[Dead, float] = {}
        self._by_rss = 0

    def find(self) -> Found:
        """The processes of the run, those of the client to a container included."""
        return members.find(self._token, os.getpid(), self._without)

    def sample(self, writer: LogWriter) -> dict[str, Any]:
        """Fields of state.json, as they are now; `note` tells what is unusual."""
        found = self.find()
        # What is in a container never descends from the client that asked for it.
        alive = found.beyond if self._client else found.alive
        now = time.monotonic()
        with_memory = now >= self._memory_at
        counted = members.count(alive, memory=with_memory)
        if with_memory:
            self._memory_at = _next(now, self._timing.tick_s / 2)
            self._memory, self._by_rss = (counted.memory_bytes if alive else None), counted.by_rss
            if self._memory is not None:
                self.peak_bytes = max(self.peak_bytes or 0, self._memory)
        return {
            "processes": counted.processes,
            "unmarked": [[who.pid, who.started] for who in members.unmarked(alive, self._token)[:_MOST_UNMARKED]],
            "ranks": counted.ranks,
            "compilers": counted.compilers,
            "new_neffs": self._count_neffs(now),
            "host_memory_bytes": self._memory,
            "peak_host_memory_bytes": self.peak_bytes,
            "log_bytes": writer.total_bytes,
            "log_dropped_bytes": writer.dropped_bytes,
            "note": "; ".join(self._notes(found, bool(alive), writer, now)),
        }

    def _notes(self, found: Found, any_alive: bool, writer: LogWriter, now: float) -> list[str]:
        notes = [writer.trouble] if writer.trouble else []
        self._dead_since = {dead: self._dead_since.get(dead, now) for dead in found.dead}
        # A parent that is about to look at its child is no sign of anything.
        notes += [str(dead) for dead, since in self._dead_since.items() if now - since >= self._timing.dead_s][:1]
        if self._client and not any_alive:
            notes.append("processes and memory inside the container cannot be seen from here")
        if self._by_rss:
            notes.append(f"of {self._by_rss} processes only RSS could be read, which counts shared memory repeatedly")
        return notes

    def _count_neffs(self, now: float) -> int | None:
        if self._neffs_before is not None and now >= self._neffs_at:
            files = neff_files(self._neff_cache)
            self._new_neffs = None if files is None else len(files - self._neffs_before)
            self._neffs_at = _next(now, self._timing.neffs_s)
        return self._new_neffs


def _next(begun: float, after_s: float) -> float:
    """When to do it again what began at `begun` and has just ended."""
    took = time.monotonic() - begun
    return begun + max(after_s, took / _SHARE)


def neff_files(folder: Path | None) -> frozenset[str] | None:
    """Paths of the .neff files, with the two levels of folders that torch-neuronx shards its cache into.

    Empty when there is no such folder yet; None without one, or when there are too many to look at each time.
    """
    if folder is None:
        return None
    found: set[str] = set()
    waiting = [(str(folder), 0)]
    seen, deadline = 0, time.monotonic() + _LONGEST_SCAN_S
    while waiting:
        path, depth = waiting.pop()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    seen += 1
                    if entry.name.endswith(".neff"):
                        found.add(entry.path)
                    elif depth < 2 and entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
        except OSError:
            # Folders may be removed meanwhile, or belong to somebody else.
            continue
        if seen > _MOST_FILES or time.monotonic() > deadline:
            log.warning("%s has too many files to be watched", folder)
            return None
    return frozenset(found)
