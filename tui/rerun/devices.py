"""Which devices a run gets: whole ones that nobody holds, next to each other, under one lock."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tui.host.neuron import Device, Host
from tui.rerun.runs import Run
from tui.settings import Settings


@dataclass(frozen=True, slots=True)
class Allocation:
    """Devices and the logical cores on them that a run may use."""

    devices: tuple[int, ...]
    cores: tuple[int, ...]

    @property
    def visible_cores(self) -> str:
        """What NEURON_RT_VISIBLE_CORES gets: `4` or `4-11`."""
        raise NotImplementedError


def allocate(host: Host, cores: int, taken: Collection[int], *, any_host: bool = False) -> Allocation | str:
    """Whole unused devices with consecutive core ids for `cores` cores; or a sentence that says why not. Pure."""
    raise NotImplementedError


def taken(runs: Sequence[Run]) -> dict[int, int]:
    """Device index -> id of the run of ours that has it: live runs, and lost ones of which a process still lives."""
    raise NotImplementedError


@contextmanager
def locked(settings: Settings) -> Iterator[None]:
    """Hold the lock under which devices are given out; waits for others. Raises `TrnModelsError` when it cannot."""
    raise NotImplementedError
    yield
