"""What files of /sys, /dev and /opt/aws/neuron tell of Neuron devices. They are read, never written.

Names and places are the driver's (aws-neuron-driver, `neuron_sysfs_metrics.c`, `neuron_module.c`). The tree under
/sys is the host's also in a container, and lists devices that the container did not get: what can be used is in /dev.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from tui.terminal_text import clean

PHYSICAL_CORES: Mapping[str, int] = {"trn1": 2, "inf2": 2, "trn2": 8, "trn3": 8}
"""NeuronCores of one device, by generation (Neuron documentation, hardware pages)."""

DEFAULT_LNC: Mapping[str, int] = {"trn1": 1, "inf2": 1, "trn2": 2, "trn3": 2}
"""Logical NeuronCore configuration when nothing is set (Neuron documentation, logical-neuroncore-config)."""

LNC_VARIABLE = "NEURON_LOGICAL_NC_CONFIG"

_READ_BYTES = 4096
_MOST_CORES = 64
# A family has a digit, `trn2u`, `u-6tb1`; other makers write `KVM`, `HVM domU`, `Standard PC (i440FX + PIIX, 1996)`.
_INSTANCE_TYPE = re.compile(r"(?=[a-z-]*[0-9])[a-z][a-z0-9-]*\.[a-z0-9-]+")
_FAMILY = re.compile(r"(trn|inf)([0-9]+)")
_CHIP = re.compile(r"(Trainium|Inferentia)([0-9]*)")


def product_name(sys: Path) -> str:
    """The DMI product name; empty when it cannot be read."""
    return _text(sys / "class/dmi/id/product_name") or _text(sys / "devices/virtual/dmi/id/product_name")


def as_instance_type(name: str | None) -> str | None:
    """`name` when it looks like an EC2 instance type, as the product name is on Nitro; None for any other."""
    return name if name and len(name) < 64 and _INSTANCE_TYPE.fullmatch(name) else None


def generation(device_name: str | None, instance_type: str | None) -> str | None:
    """`trn2` and so on from the chip's name, else from the instance type, whose `trn2u`, `trn2p` are trn2 too."""
    if found := _CHIP.fullmatch(device_name or ""):
        return ("trn" if found[1] == "Trainium" else "inf") + (found[2] or "1")
    if found := _FAMILY.match(instance_type or ""):
        return found[0]
    return None


def device_paths(dev: Path) -> dict[int, Path]:
    """The devices that can be used, by number: `neuron0` and so on, character devices.

    In another folder than /dev plain files count too: only the system can make devices. Raises `OSError`.
    """
    found: dict[int, Path] = {}
    for path in dev.iterdir():
        number = re.fullmatch(r"neuron([0-9]{1,4})", path.name)
        if number and _is_device(path, plain=dev != Path("/dev")):
            found[int(number[1])] = path
    return dict(sorted(found.items()))


def listed_devices(sys: Path) -> int | None:
    """How many devices the driver has, in /dev or not; None when that is not told."""
    try:
        names = [path.name for path in _device_folder(sys, 0).parent.iterdir()]
    except OSError:
        return None
    return sum(re.fullmatch(r"neuron[0-9]{1,4}", name) is not None for name in names) or None


def device_name(sys: Path, indexes: Iterable[int]) -> str | None:
    """The chip as the driver names it, `Trainium2`. `arch_type` beside it is the same for Trainium2 and Inferentia2."""
    # Without a device in /dev the first one of the host still tells what machine this is.
    folders = [_device_folder(sys, index) for index in [*indexes] or [0]]
    return next(filter(None, (_text(folder / "info/architecture/device_name") for folder in folders)), None)


def physical_cores(sys: Path, index: int, chip_generation: str | None) -> int | None:
    """NeuronCores of one device before they are joined to logical ones."""
    told = _text(_device_folder(sys, index) / "core_count")
    if re.fullmatch(r"[0-9]{1,3}", told) and 0 < int(told) <= _MOST_CORES:
        return int(told)
    return PHYSICAL_CORES.get(chip_generation or "")


def driver_loaded(sys: Path) -> bool:
    """Whether the module is in the running kernel."""
    return os.access(sys / "module/neuron", os.F_OK)


def driver_version(sys: Path) -> str | None:
    """Version of the loaded module; `modinfo` would tell that of the installed file, which can be another."""
    return _text(sys / "module/neuron/version") or None


def configured_lnc(neuron: Path) -> str:
    """What the host's file `logical_nc_config` sets; empty when it does not."""
    for line in reversed(_text(neuron / "logical_nc_config").splitlines()):
        name, _, value = line.partition("=")
        if name.strip() == LNC_VARIABLE:
            return value.strip()
    return ""


def _device_folder(sys: Path, index: int) -> Path:
    return sys / "devices/virtual/neuron_device" / f"neuron{index}"


def _is_device(path: Path, *, plain: bool) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISCHR(mode) or (plain and stat.S_ISREG(mode))


def _text(path: Path) -> str:
    """The beginning of a small file, cleaned; empty when it cannot be read."""
    try:
        # A tree that was laid out elsewhere may have a pipe there, which nobody writes.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            data = os.read(descriptor, _READ_BYTES)
        finally:
            os.close(descriptor)
    except OSError:
        return ""
    return clean(data.decode("utf-8", errors="backslashreplace"), newlines=True).strip()
