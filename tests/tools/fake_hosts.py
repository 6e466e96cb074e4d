"""Folders that look like the root of a Neuron host: sys, dev, proc and a neuron-ls that runs.

Each function lays one out in an empty or missing folder and returns it, for `Settings.host_root` or `Roots.below`:

    root = fake_hosts.trn2_48xlarge(tmp_path / "host", held={3: [(4711, "python train.py")]})
    fake_hosts.hold(root, 7, 4712, "python serve.py")   # seen by the next call of neuron-ls
    fake_hosts.release(root, 3)
    fake_hosts.hang(root)                                # the functions after `release` change what neuron-ls does

neuron-ls prints `opt/aws/neuron/bin/neuron-ls.json` and notes each call in `neuron-ls.calls` beside it. Nothing of
this reports the processes of a real run: a device is held only by what `hold` says, as on a host whose neuron-ls
tells of a holder only later.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Held = Mapping[int, Iterable[tuple[int, str]]]
"""Device -> (pid, command) of each process that holds it."""

DRIVER = "2.31.7.0"
INSTANCE_ID = "i-0123456789abcdef0"
HOST_PID = 1966680
"""A pid of the host as a container's neuron-ls shows it; nothing has it inside."""

_GIB = 1 << 30
_FIRST_PID_NAMESPACE = "pid:[4026531836]"
_OTHER_PID_NAMESPACE = "pid:[4026532201]"
_LIST = '  "--output-format json"|"--json-output"|"-j") cat "$here/neuron-ls.json"; exit 0 ;;'
_NO_DEVICES = (
    'time="2026-09-12T02:42:06Z" level=fatal msg="Failed to load MLA system information" '
    'error="failed to discover Neuron devices"'
)
_NO_DEVICES_OLD = (
    'FATA[0000] Failed to discover neuron devices error="Unable to read device information from the driver. '
    'Make sure aws-neuronx-dkms is installed and the neuron driver is accessible."'
)


def trn2_3xlarge(root: Path, held: Held | None = None, *, lnc: int = 2) -> Path:
    """One Trainium2 device, 4 logical cores."""
    return _trn2(root, "trn2.3xlarge", 1, held or {}, lnc)


def trn2_48xlarge(root: Path, held: Held | None = None, *, lnc: int = 2) -> Path:
    """16 Trainium2 devices, 64 logical cores (128 with `lnc=1`)."""
    return _trn2(root, "trn2.48xlarge", 16, held or {}, lnc)


def container(root: Path, device: int = 0, *, held: bool = False) -> Path:
    """A container on a trn2.48xlarge that got one device: sysfs lists all 16, neuron-ls counts from 0.

    With `held`, a process of the host has it: neuron-ls shows its pid there and an empty command.
    """
    trn2_48xlarge(root)
    for path in (root / "dev").iterdir():
        if path.name != f"neuron{device}":
            path.unlink()
    _write_list(root, _new_shape("trn2.48xlarge", 1, 4, 96 * _GIB, 2))
    namespace = root / "proc/self/ns/pid"
    namespace.unlink()
    namespace.symlink_to(_OTHER_PID_NAMESPACE)
    if held:
        hold(root, 0, HOST_PID, "", process=False)
    return root


def container_without_devices(root: Path) -> Path:
    """A container on a trn2.48xlarge that got no device, and has no neuron-ls."""
    container(root)
    (root / "dev/neuron0").unlink()
    remove(root)
    return root


def trn1(root: Path, held: Held | None = None) -> Path:
    """A trn1.32xlarge: 16 devices of 2 cores; neuron-ls tells neither type nor LNC."""
    _machine(root, "trn1.32xlarge")
    _driver(root, 16, "Trn1", "Trainium1", "NDv2", cores=2)
    return _listed(root, [_trn1_shape(index) for index in range(16)], held or {})


def inf2(root: Path, held: Held | None = None) -> Path:
    """An inf2.xlarge: one device of 2 cores; its `arch_type` is that of a Trainium2."""
    _machine(root, "inf2.xlarge")
    _driver(root, 1, "Inf2", "Inferentia2", "NDv3", cores=2)
    return _listed(root, [_trn1_shape(0)], held or {})


def trn3(root: Path, held: Held | None = None) -> Path:
    """Trainium3 devices, 16 logical cores in all. That it has four of them is made up."""
    _machine(root, "trn3.48xlarge")
    _driver(root, 4, "Trn3", "Trainium3", "NDv4", cores=8)
    return _listed(root, _new_shape("trn3.48xlarge", 4, 4, 144 * _GIB, 2), held or {})


def no_driver(root: Path) -> Path:
    """A trn2.48xlarge whose driver module is not loaded."""
    _machine(root, "trn2.48xlarge")
    _write_list(root, [])
    fails(root)
    return root


def other_machine(root: Path, product_name: str = "KVM") -> Path:
    """A machine without anything of Neuron."""
    return _machine(root, product_name)


def hold(root: Path, device: int, pid: int, command: str, *, process: bool = True) -> None:
    """Let a process hold a device: neuron-ls tells of it, and with `process` it is in proc with the device open."""
    listed = _read_list(root)
    entry = {"pid": pid, "command": command, "neuron_runtime_version": "2.0.0"}
    _of_device(listed, device)["neuron_processes"].append(entry)
    _write_list(root, listed)
    if process:
        open_device(root, device, pid, command)


def open_device(root: Path, device: int, pid: int, command: str) -> None:
    """Put a process into proc that has a device open; neuron-ls does not tell of it."""
    folder = root / "proc" / str(pid)
    (folder / "fd").mkdir(parents=True, exist_ok=True)
    (folder / "cmdline").write_bytes("".join(f"{word}\0" for word in command.split()).encode())
    (folder / "fd" / str(3 + device)).symlink_to(root / "dev" / f"neuron{device}")


def release(root: Path, device: int) -> None:
    """Let nobody hold the device any more."""
    listed = _read_list(root)
    _of_device(listed, device)["neuron_processes"] = []
    _write_list(root, listed)
    for link in (root / "proc").glob(f"[0-9]*/fd/{3 + device}"):
        link.unlink()


def calls(root: Path) -> list[str]:
    """The arguments of each call of neuron-ls so far."""
    path = _tool(root).with_suffix(".calls")
    return path.read_text().splitlines() if path.exists() else []


def old_tools(root: Path) -> None:
    """neuron-ls knows only --json-output; an unknown flag is told on stdout."""
    _write_tool(root, '  "--json-output"|"-j") cat "$here/neuron-ls.json"; exit 0 ;;')


def new_tools(root: Path) -> None:
    """neuron-ls knows only --output-format json and prints an object that holds the list. The fields are made up."""
    before = shlex.quote(json.dumps({"instance": {"instance_type": "trn2.48xlarge"}, "ultraserver": None})[:-1])
    answer = f"""printf '%s, "neuron_devices": ' {before}; cat "$here/neuron-ls.json"; printf '}}'; exit 0"""
    _write_tool(root, f'  "--output-format json") {answer} ;;')


def without_ids(root: Path) -> None:
    """neuron-ls prints what it did before the ids and the LNC were in it."""
    keys = ("neuron_device", "bdf", "connected_to", "nc_count", "memory_size", "neuron_processes")
    _write_list(root, [{key: device[key] for key in keys} for device in _read_list(root)])


def prints(root: Path, text: str, *, status: int = 0) -> None:
    """neuron-ls prints this text on stdout whatever it is asked."""
    _tool(root).with_suffix(".text").write_text(text, encoding="utf-8")
    _write_tool(root, f'  *) cat "$here/neuron-ls.text"; exit {status} ;;')


def garbage(root: Path) -> None:
    """neuron-ls prints something that is no JSON."""
    prints(root, "+--------+\n| NEURON | \x1b[31mred\x1b[0m\n")


def hang(root: Path) -> None:
    """neuron-ls never ends."""
    _write_tool(root, "  *) exec sleep 600 ;;")


def fails(root: Path) -> None:
    """neuron-ls finds no device: exit 1, nothing on stdout, one line on stderr."""
    _write_tool(root, f"  *) echo {shlex.quote(_NO_DEVICES)} >&2; exit 1 ;;")


def fails_as_old_tools_do(root: Path) -> None:
    """neuron-ls cannot read the driver and says so as older tools do."""
    _write_tool(root, f"  *) echo {shlex.quote(_NO_DEVICES_OLD)} >&2; exit 1 ;;")


def fails_at_first(root: Path, times: int = 2) -> None:
    """The next `times` calls fail with a driver error, as concurrent ones could; later ones answer."""
    already = len(calls(root))
    failing = f"echo {shlex.quote(_NO_DEVICES_OLD)} >&2; exit 1"
    count = '$(cat "$here/neuron-ls.calls" | wc -l)'
    soon = f"  *) if [ {count} -le {already + times} ]; then {failing}; fi ;;"
    _write_tool(root, f'{soon}\nesac\ncase "$*" in\n{_LIST}')


def not_found(root: Path) -> None:
    """neuron-ls is a script whose program is missing: exit 127."""
    _write_tool(root, '  *) echo "neuron-ls: command not found" >&2; exit 127 ;;')


def remove(root: Path) -> None:
    """There is no neuron-ls."""
    _tool(root).unlink()


def _trn2(root: Path, instance_type: str, devices: int, held: Held, lnc: int) -> Path:
    _machine(root, instance_type)
    _driver(root, devices, "Trn2", "Trainium2", "NDv3", cores=8)
    return _listed(root, _new_shape(instance_type, devices, 8 // lnc, 96 * _GIB, lnc), held)


def _machine(root: Path, product_name: str) -> Path:
    _file(root / "sys/devices/virtual/dmi/id/product_name", f"{product_name}\n")
    (root / "sys/class/dmi").mkdir(parents=True)
    (root / "sys/class/dmi/id").symlink_to("../../devices/virtual/dmi/id")
    (root / "dev").mkdir()
    _file(root / "dev/null", "")
    namespace = root / "proc/self/ns/pid"
    namespace.parent.mkdir(parents=True)
    namespace.symlink_to(_FIRST_PID_NAMESPACE)
    (root / "proc/1/fd").mkdir(parents=True)
    _file(root / "proc/1/cmdline", "/sbin/init\0")
    return root


def _driver(root: Path, devices: int, instance: str, chip: str, architecture: str, cores: int) -> None:
    _file(root / "sys/module/neuron/version", f"{DRIVER}\n")
    for index in range(devices):
        _file(root / f"dev/neuron{index}", "")
        folder = root / f"sys/devices/virtual/neuron_device/neuron{index}"
        _file(folder / "core_count", f"{cores}\n")
        _file(folder / "connected_devices", "\n")
        _file(folder / "info/serial_number", f"{index:016x}\n")
        _file(folder / "info/architecture/arch_type", f"{architecture}\n")
        _file(folder / "info/architecture/device_name", f"{chip}\n")
        _file(folder / "info/architecture/instance_type", f"{instance}\n")
        _file(folder / "reset", "")


def _listed(root: Path, listed: list[dict[str, Any]], held: Held) -> Path:
    _write_list(root, listed)
    _write_tool(root, _LIST)
    for device, holders in held.items():
        for pid, command in holders:
            hold(root, device, pid, command)
    return root


def _new_shape(instance_type: str, devices: int, cores: int, memory: int, lnc: int) -> list[dict[str, Any]]:
    return [
        {
            "instance_type": instance_type,
            "instance_id": INSTANCE_ID,
            "neuron_device": index,
            "bdf": f"0000:{0x33 + index:02x}:00.0",
            "connected_to": None if devices == 1 else sorted({(index - 1) % devices, (index + 1) % devices}),
            "nc_count": cores,
            "logical_neuroncore_config": lnc,
            "memory_size": memory,
            "cpu_affinity": "0-11",
            "numa_node": "-1",
            "neuroncore_ids": list(range(index * cores, (index + 1) * cores)),
            "neuron_processes": [],
        }
        for index in range(devices)
    ]


def _trn1_shape(index: int) -> dict[str, Any]:
    return {
        "neuron_device": index,
        "bdf": f"00:{0x1E - index:02x}.0",
        "connected_to": None,
        "nc_count": 2,
        "memory_size": 32 * _GIB,
        "cpu_affinity": "0-7",
        "numa_node": "-1",
        "neuroncore_ids": [2 * index, 2 * index + 1],
        "neuron_processes": [],
    }


def _tool(root: Path) -> Path:
    return root / "opt/aws/neuron/bin/neuron-ls"


def _write_tool(root: Path, cases: str) -> None:
    lines = (
        "#!/bin/sh",
        "PATH=/usr/bin:/bin",
        'here="${0%/*}"',
        'echo "$*" >> "$here/neuron-ls.calls"',
        'case "$*" in',
        cases,
        "esac",
        "echo \"unknown flag '$*'\"",
        "exit 1",
    )
    path = _tool(root)
    _file(path, "\n".join(lines) + "\n", mode=0o755)


def _read_list(root: Path) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(_tool(root).with_suffix(".json").read_text())
    return listed


def _write_list(root: Path, listed: list[dict[str, Any]]) -> None:
    # The real one ends its answer without a newline too.
    _file(_tool(root).with_suffix(".json"), json.dumps(listed))


def _of_device(listed: list[dict[str, Any]], device: int) -> dict[str, Any]:
    return next(entry for entry in listed if entry["neuron_device"] == device)


def _file(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a file as a whole: neuron-ls may be reading the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_text(text)
    part.chmod(mode)
    part.replace(path)
