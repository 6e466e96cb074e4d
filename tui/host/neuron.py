"""The Neuron devices of this machine: how many, which cores, who holds them. Reads only; resets and signals nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path


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
    remarks: tuple[str, ...] = field(default=())
    """Sentences about what could not be found out."""

    @property
    def generation(self) -> str | None:
        """`trn2`, `trn1`, `inf2`, `trn3`, from the chip's name, else from the instance type; None: unknown."""
        raise NotImplementedError

    @property
    def cores(self) -> int:
        """Logical NeuronCores of all devices."""
        return sum(len(device.core_ids) for device in self.devices)

    def unused(self, taken: Collection[int] = ()) -> tuple[Device, ...]:
        """Devices that nobody holds and whose index is not in `taken`."""
        return tuple(device for device in self.devices if not device.in_use and device.index not in taken)


def look(roots: Roots, environ: Mapping[str, str]) -> Host:
    """Look at the devices of this machine; takes up to the time limits of neuron-ls. Raises nothing."""
    raise NotImplementedError


def in_words(host: Host, taken: Collection[int] = ()) -> tuple[str, ...]:
    """A few characters for the header, longest first: `trn2.48xlarge · 64 cores, 60 not in use 14:02`."""
    raise NotImplementedError
