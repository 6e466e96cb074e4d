"""The Neuron devices of this machine: how many, which cores, who holds them. Reads only; resets and signals nothing."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from tui.errors import TrnModelsError
from tui.host import device_files, device_holders, neuron_ls
from tui.numbers import clock, counted
from tui.settings import Settings
from tui.terminal_text import clean


@dataclass(frozen=True, slots=True)
class Roots:
    """Where the trees are that tell of devices; another folder can stand for `/`."""

    sys: Path = Path("/sys")
    dev: Path = Path("/dev")
    proc: Path = Path("/proc")
    neuron: Path = Path("/opt/aws/neuron")

    @classmethod
    def below(cls, root: Path | None) -> Roots:
        """The same trees below `root`; None is `/`."""
        if root is None:
            return cls()
        return cls(root / "sys", root / "dev", root / "proc", root / "opt/aws/neuron")


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that holds a device. In a container the pid is the host's and the command is empty."""

    pid: int | None
    command: str = ""
    user: str = ""


@dataclass(frozen=True, slots=True)
class Device:
    """One Neuron device (chip)."""

    index: int
    core_ids: tuple[int, ...]
    """Logical NeuronCores, as NEURON_RT_VISIBLE_CORES counts them."""
    holders: tuple[Holder, ...] = ()
    memory_bytes: int | None = None

    @property
    def in_use(self) -> bool:
        """Whether anybody holds it, known by name or not."""
        return bool(self.holders)


@dataclass(frozen=True, slots=True)
class Host:
    """What this machine has, as it was at `looked_at` (UTC)."""

    looked_at: datetime
    instance_type: str | None = None
    """EC2 instance type, `trn2.48xlarge`."""
    device_name: str | None = None
    """The chip as sysfs names it, `Trainium2`."""
    devices: tuple[Device, ...] = ()
    """Those of /dev, in the order of their index."""
    lnc: int | None = None
    """Logical NeuronCore configuration, 1 or 2."""
    driver: str | None = None
    """Version of the loaded driver module."""
    holders_known: bool = False
    """Whether neuron-ls (or /proc) could tell who holds the devices."""
    why_none: str = ""
    """In a few words why there is no device: `driver not loaded`; empty when there is one."""
    devices_of_host: int | None = None
    """Devices that sysfs lists, which in a container are the host's, also those that were not passed in."""
    remarks: tuple[str, ...] = field(default=())
    """Sentences about what could not be found out."""

    @property
    def generation(self) -> str | None:
        """`trn2`, `trn1`, `inf2`, `trn3`, from the chip's name, else from the instance type; None: unknown."""
        return device_files.generation(self.device_name, self.instance_type)

    @property
    def cores(self) -> int:
        """Logical NeuronCores of all devices."""
        return sum(len(device.core_ids) for device in self.devices)

    def unused(self, taken: Collection[int] = ()) -> tuple[Device, ...]:
        """Devices that nobody holds and whose index is not in `taken`."""
        return tuple(device for device in self.devices if not device.in_use and device.index not in taken)


def look(roots: Roots, environ: Mapping[str, str], *, timeout_s: float = neuron_ls.TIME_LIMIT_S) -> Host:
    """Look at the devices of this machine; `timeout_s` is for each of up to four calls of neuron-ls. Raises nothing.

    /dev says which devices there are, neuron-ls which cores they have and who holds them. Without neuron-ls the cores
    are counted from sysfs, and who has a device open is looked up in /proc.
    """
    now = datetime.now(UTC)
    remarks: list[str] = []
    paths = _device_paths(roots.dev, remarks)
    product = device_files.product_name(roots.sys)
    instance_type = device_files.as_instance_type(product)
    device_name = device_files.device_name(roots.sys, paths)
    answer = _ask_neuron_ls(roots, environ, timeout_s, remarks) if paths else None
    if answer is not None:
        instance_type = instance_type or device_files.as_instance_type(answer.instance_type)
    generation = device_files.generation(device_name, instance_type)
    lnc = _lnc(answer, environ, roots.neuron, generation, remarks)
    counts = {index: _logical_cores(roots.sys, index, generation, lnc) for index in paths}
    listed = _matched(answer, tuple(paths), counts, remarks)
    devices, holders_known = _with_holders(listed, roots.proc, paths, remarks)
    return Host(
        looked_at=now,
        instance_type=instance_type,
        device_name=device_name,
        devices=devices,
        lnc=lnc,
        driver=device_files.driver_version(roots.sys),
        holders_known=holders_known,
        devices_of_host=device_files.listed_devices(roots.sys),
        why_none="" if paths else _why_none(roots.sys, product, remarks),
        remarks=tuple(dict.fromkeys(remarks)),
    )


def look_at(settings: Settings, environ: Mapping[str, str]) -> Host:
    """The devices, below the root that the settings name. Raises nothing."""
    return look(Roots.below(settings.host_root), environ)


def in_words(host: Host, taken: Collection[int] = ()) -> tuple[str, ...]:
    """A few characters for the header, longest first: `trn2.48xlarge · 64 cores, 60 not in use 14:02`.

    The shortest is `60/64 cores`: not in use, of all. `taken` are devices of our own live runs.
    """
    if not host.devices:
        return (*((f"no Neuron device: {host.why_none}",) if host.why_none else ()), "no Neuron device")
    name = host.instance_type or host.device_name or "Neuron"
    at = clock(host.looked_at)
    if not host.cores:
        devices = counted(len(host.devices), "device")
        return f"{name} · {devices}, cores unknown {at}", f"{devices}, cores unknown", devices
    cores = counted(host.cores, "core")
    if not host.holders_known:
        known = f"{cores}, use unknown"
        return f"{name} · {known} {at}", f"{name} · {known}", f"{known} {at}", known, cores
    unused = sum(len(device.core_ids) for device in host.unused(taken))
    known = f"{cores}, {unused} not in use"
    return f"{name} · {known} {at}", f"{name} · {known}", f"{known} {at}", known, f"{unused}/{cores}"


def _device_paths(dev: Path, remarks: list[str]) -> dict[int, Path]:
    try:
        paths = device_files.device_paths(dev)
    except OSError as error:
        remarks.append(f"{clean(str(dev))} cannot be listed: {error.strerror}.")
        return {}
    closed = [path.name for path in paths.values() if not os.access(path, os.R_OK | os.W_OK)]
    if closed:
        remarks.append(f"This user may not open {clean(str(dev))}/{', '.join(closed)}.")
    return paths


def _ask_neuron_ls(
    roots: Roots, environ: Mapping[str, str], timeout_s: float, remarks: list[str]
) -> neuron_ls.Answer | None:
    program = neuron_ls.find(roots.neuron, environ)
    if program is None:
        remarks.append(f"There is no neuron-ls, neither in {clean(str(roots.neuron))}/bin nor on PATH.")
        return None
    try:
        answer = neuron_ls.ask(program, environ, timeout_s=timeout_s)
    except TrnModelsError as error:
        remarks.append(f"{error.title}: {error.detail}")
        return None
    remarks.extend(answer.remarks)
    return answer


def _lnc(
    answer: neuron_ls.Answer | None,
    environ: Mapping[str, str],
    neuron: Path,
    generation: str | None,
    remarks: list[str],
) -> int | None:
    if answer is not None and answer.lnc is not None:
        return answer.lnc
    variable = environ.get(device_files.LNC_VARIABLE, "").strip()
    for value, origin in ((variable, "environment"), (device_files.configured_lnc(neuron), "host's file")):
        if value in ("1", "2"):
            return int(value)
        if value:
            remarks.append(f"{device_files.LNC_VARIABLE}={clean(value)} of the {origin} is neither 1 nor 2.")
    return device_files.DEFAULT_LNC.get(generation or "")


def _logical_cores(sys: Path, index: int, generation: str | None, lnc: int | None) -> int:
    """Logical cores of one device as sysfs and the LNC tell; 0: not known."""
    return (device_files.physical_cores(sys, index, generation) or 0) // (lnc or 1)


def _matched(
    answer: neuron_ls.Answer | None, indexes: tuple[int, ...], counts: Mapping[int, int], remarks: list[str]
) -> tuple[neuron_ls.ListedDevice, ...]:
    """What is known of each device of /dev, under its number there, with core ids.

    In a container neuron-ls counts the devices from 0, whatever their names in /dev are: where numbers differ and
    there are as many, they belong together in their order.
    """
    if answer is not None:
        listed = _with_core_ids(answer.devices, counts, remarks)
        numbers = tuple(device.index for device in listed)
        if set(indexes) <= set(numbers):
            if len(numbers) > len(indexes):
                remarks.append(f"neuron-ls lists {len(numbers)} devices, /dev has {len(indexes)}: only those count.")
            return tuple(device for device in listed if device.index in indexes)
        if len(numbers) == len(indexes):
            remarks.append("neuron-ls numbers the devices differently than /dev; they were matched in their order.")
            return tuple(replace(device, index=index) for device, index in zip(listed, indexes, strict=True))
        if set(numbers) < set(indexes):
            unlisted = ", ".join(f"neuron{index}" for index in indexes if index not in numbers)
            remarks.append(f"neuron-ls does not list /dev/{unlisted}: left out.")
            return listed
        remarks.append("The devices of neuron-ls and of /dev do not fit together; those of /dev count.")
    here = [neuron_ls.ListedDevice(index, processes=None) for index in indexes]
    return _with_core_ids(here, counts, remarks)


def _with_core_ids(
    listed: Sequence[neuron_ls.ListedDevice], counts: Mapping[int, int], remarks: list[str]
) -> tuple[neuron_ls.ListedDevice, ...]:
    """Core ids as told; where they are not told for all devices, each once, counted through from 0."""
    told = [core for device in listed for core in device.core_ids]
    if all(device.core_ids for device in listed) and len(set(told)) == len(told):
        return tuple(listed)
    if told:
        remarks.append("The core ids of neuron-ls do not fit together; the cores were counted through.")
    numbered: list[neuron_ls.ListedDevice] = []
    first = 0
    usual = max(counts.values(), default=0)
    for device in listed:
        count = device.core_count or len(device.core_ids) or counts.get(device.index, usual)
        numbered.append(replace(device, core_ids=tuple(range(first, first + count))))
        first += count
    return tuple(numbered)


def _with_holders(
    listed: Sequence[neuron_ls.ListedDevice], proc: Path, paths: Mapping[int, Path], remarks: list[str]
) -> tuple[tuple[Device, ...], bool]:
    """The devices with those who hold them, and whether that is all."""
    if all(device.processes is not None for device in listed):
        return tuple(_device(device, _named(device.processes or (), proc)) for device in listed), bool(listed)
    opened, complete = device_holders.opened(proc, paths)
    if not complete:
        remarks.append("Who holds the devices is not known: only some processes of the machine can be seen from here.")
    return tuple(
        _device(device, tuple(Holder(one.pid, one.command, one.user) for one in opened.get(device.index, ())))
        for device in listed
    ), complete


def _named(processes: Sequence[neuron_ls.Process], proc: Path) -> tuple[Holder, ...]:
    return tuple(Holder(one.pid, one.command, device_holders.user_of(proc, one.pid, one.command)) for one in processes)


def _device(listed: neuron_ls.ListedDevice, holders: tuple[Holder, ...]) -> Device:
    return Device(listed.index, listed.core_ids, holders, listed.memory_bytes)


def _why_none(sys: Path, product: str, remarks: list[str]) -> str:
    if device_files.driver_loaded(sys):
        remarks.append("In a container each device must be passed: --device=/dev/neuron0 and so on.")
        return "driver loaded, no /dev/neuron*"
    if device_files.generation(None, device_files.as_instance_type(product)):
        return "driver not loaded"
    # Without a readable name, as in some containers, it may be one.
    return "not an EC2 accelerator machine" if product or not os.access(sys, os.F_OK) else "driver not loaded"
