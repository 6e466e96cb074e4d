"""Which devices a run gets: whole ones that nobody holds, next to each other, under one lock."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tui import numbers
from tui.errors import TrnModelsError
from tui.host.neuron import Device, Host
from tui.rerun import file_lock, identity
from tui.rerun.run import Run, State
from tui.rerun.runs import runs_folder
from tui.settings import Settings


@dataclass(frozen=True, slots=True)
class Allocation:
    """Devices and the logical cores on them that a run may use."""

    devices: tuple[int, ...]
    cores: tuple[int, ...]

    @property
    def visible_cores(self) -> str:
        """What NEURON_RT_VISIBLE_CORES gets: `4` or `4-11`."""
        return numbers.ranges(self.cores)


def allocate(host: Host, cores: int, taken: Collection[int], *, any_host: bool = False) -> Allocation | str:
    """Whole unused devices with consecutive core ids for `cores` cores; or a sentence that says why not. Pure.

    Of several gaps the smallest that suffices is used, so that a bigger run still finds room. `any_host` counts
    cores from 0 where there is no device; where there are devices it changes nothing.
    """
    if cores <= 0:
        return Allocation((), ())
    if not host.devices and any_host:
        return Allocation((), tuple(range(cores)))
    if cores > host.cores:
        has = str(host.cores) if host.devices else "no Neuron device"
        return f"needs {_counted(cores)}, this host has {has}{f': {host.why_none}' if host.why_none else ''}"
    unused = [device for device in host.unused(taken) if device.core_ids]
    count = sum(len(device.core_ids) for device in unused)
    if cores > count:
        return f"{_counted(cores)} needed, {count} not in use"
    gaps = [gap for gap in _gaps(unused) if _cores_of(gap) >= cores]
    if not gaps:
        return f"no {_devices_needed(unused, cores)} unused devices are next to each other"
    chosen: list[Device] = []
    for device in min(gaps, key=_cores_of):
        if _cores_of(chosen) < cores:
            chosen.append(device)
    ids = tuple(core for device in chosen for core in device.core_ids)
    return Allocation(tuple(device.index for device in chosen), ids[:cores])


def taken(runs: Sequence[Run]) -> dict[int, int]:
    """Device index -> id of the run of ours that has it: live runs, and lost ones of which a process still lives."""
    lost = {run.token for run in runs if run.state is State.LOST and run.devices}
    living = identity.living(lost)
    holding = [run for run in runs if run.live or (run.state is State.LOST and run.token in living)]
    return {device: run.id for run in holding for device in run.devices}


@contextmanager
def locked(settings: Settings, wait_s: float = 30.0) -> Iterator[None]:
    """Hold the lock under which devices are given out; waits for others up to `wait_s` seconds.

    For a moment only: the devices are looked at before, as neuron-ls can take minutes. Raises `TrnModelsError` when
    it cannot.
    """
    path = runs_folder(settings) / "devices.lock"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = file_lock.take(path, wait_s)
    except TimeoutError as error:
        raise TrnModelsError(
            "Another run is choosing its devices",
            f"It holds {path} for more than {numbers.duration_words(wait_s)}, which takes a moment else.",
            f"Try again; «fuser {path}» tells which process that is: it may be suspended, or hang on a slow disk.",
        ) from error
    except OSError as error:
        raise TrnModelsError(
            "The lock on the devices cannot be taken",
            f"{path}: {error.strerror or error}",
            "Make room there, or let TRN_MODELS_STATE_DIR name another folder.",
        ) from error
    try:
        yield
    finally:
        file_lock.let_go(lock)


def _gaps(unused: Sequence[Device]) -> list[list[Device]]:
    """Unused devices, those together whose core ids go on from one to the next; each in the order of the ids.

    A gap in the ids of one run is an error of the Neuron runtime ("Neuron cores are not contiguous").
    """
    gaps: list[list[Device]] = []
    for device in sorted(unused, key=lambda device: device.core_ids):
        first, last = device.core_ids[0], device.core_ids[-1]
        if device.core_ids != tuple(range(first, last + 1)):
            continue
        if gaps and gaps[-1][-1].core_ids[-1] + 1 == first:
            gaps[-1].append(device)
        else:
            gaps.append([device])
    return gaps


def _cores_of(devices: Sequence[Device]) -> int:
    return sum(len(device.core_ids) for device in devices)


def _devices_needed(devices: Sequence[Device], cores: int) -> int:
    largest = max(len(device.core_ids) for device in devices)
    return -(-cores // largest)


def _counted(cores: int) -> str:
    return numbers.counted(cores, "core")
