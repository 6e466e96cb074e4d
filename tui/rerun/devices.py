"""Which devices a run gets: whole ones that nobody holds, next to each other, under one lock."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tui import file_lock, numbers
from tui.errors import TrnModelsError, what_helps
from tui.host.neuron import Device, Host
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

    They begin at a multiple of their number where that is possible, in the smallest gap that suffices, at the place
    that leaves the largest gap: so that a bigger run still finds room. `any_host` counts cores from 0 where there is
    no device; where there are devices it changes nothing.
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
    chosen = _best_place(gaps, cores, host)
    ids = tuple(core for device in chosen for core in device.core_ids)
    return Allocation(tuple(device.index for device in chosen), ids[:cores])


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
            f"{what_helps(error)}, or let TRN_MODELS_STATE_DIR name another folder.",
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


def _best_place(gaps: Sequence[Sequence[Device]], cores: int, host: Host) -> list[Device]:
    """The devices for `cores` cores, out of gaps of which each has as many."""
    ordered = sorted((device for device in host.devices if device.core_ids), key=lambda device: device.core_ids)
    rank = {device.index: number for number, device in enumerate(ordered)}
    best: tuple[tuple[int, ...], list[Device]] | None = None
    for gap in gaps:
        for start in range(len(gap)):
            chosen = _enough(gap[start:], cores)
            if not chosen:
                break
            first = rank[gap[start].index]
            before, after = gap[:start], gap[start + len(chosen) :]
            left = [[rank[device.index] for device in rest] for rest in (before, after)]
            cost = (
                first % len(chosen) and 1,
                len(gap),
                -max(map(_largest_block, left)),
                -max(map(len, left)),
                first,
            )
            if best is None or cost < best[0]:
                best = cost, chosen
    assert best is not None
    return best[1]


def _enough(devices: Sequence[Device], cores: int) -> list[Device]:
    """As many of the first devices as have so many cores; none when all have fewer."""
    for count in range(1, len(devices) + 1):
        if _cores_of(devices[:count]) >= cores:
            return list(devices[:count])
    return []


def _largest_block(ranks: Sequence[int]) -> int:
    """Of devices next to each other: how many the largest run can have that is a power of two and begins at a multiple.

    Records are on 1, 2, 4 ... 64 cores.
    """
    size = 1 << len(ranks).bit_length()
    while size and not any(rank % size == 0 and rank + size - 1 <= ranks[-1] for rank in ranks):
        size //= 2
    return size


def _cores_of(devices: Sequence[Device]) -> int:
    return sum(len(device.core_ids) for device in devices)


def _devices_needed(devices: Sequence[Device], cores: int) -> int:
    largest = max(len(device.core_ids) for device in devices)
    return -(-cores // largest)


def _counted(cores: int) -> str:
    return numbers.counted(cores, "core")
