"""Which processes have a device open, and whose they are, from /proc. It is read only; nothing is signalled."""

from __future__ import annotations

import os
import pwd
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tui.host.neuron_ls import is_monitor
from tui.terminal_text import clean

_COMMAND_BYTES = 4096
_COMPARED = 1000
_FIRST_PID_NAMESPACE = "pid:[4026531836]"
"""The one that sees all processes: PROC_PID_INIT_INO of Linux, include/linux/proc_ns.h."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A process that has a device open."""

    pid: int
    command: str
    user: str


def opened(proc: Path, devices: Mapping[int, Path]) -> tuple[dict[int, list[Opened]], bool]:
    """Device number -> processes that have it open; and whether all processes of the machine could be seen.

    A user sees their own, root sees all, a container only what runs inside it. neuron-top and neuron-monitor, which
    open a device and reserve no core, are left out.
    """
    numbers = {identity: index for index, path in devices.items() if (identity := _identity(path)) is not None}
    found: dict[int, list[Opened]] = {}
    complete = _sees_all(proc)
    for folder in _processes(proc):
        try:
            links = list((folder / "fd").iterdir())
        except FileNotFoundError:
            continue  # it has ended
        except OSError:
            complete = False
            continue
        held = {numbers[identity] for link in links if (identity := _device_behind(link)) in numbers}
        command = _command(folder) if held else ""
        if is_monitor(command):
            continue
        for index in held:
            found.setdefault(index, []).append(Opened(int(folder.name), command, _owner(folder)))
    return found, complete


def user_of(proc: Path, pid: int | None, command: str) -> str:
    """Who runs the process that neuron-ls named; empty when it is not here.

    In a container the pid is the host's, and another process may have that number: its command line must begin as
    the named one does.
    """
    named = command.removesuffix("...").strip()[:_COMPARED]
    if pid is None or not named:
        return ""
    folder = proc / str(pid)
    return _owner(folder) if _command(folder).startswith(named) else ""


def _processes(proc: Path) -> Iterator[Path]:
    try:
        entries = sorted((path for path in proc.iterdir() if path.name.isdecimal()), key=lambda path: int(path.name))
    except OSError:
        return
    yield from entries


def _sees_all(proc: Path) -> bool:
    """Whether this is the first pid namespace, and the first process, which is root's, is shown (`hidepid`)."""
    try:
        return str((proc / "self/ns/pid").readlink()) == _FIRST_PID_NAMESPACE and (proc / "1").is_dir()
    except OSError:
        return False


def _device_behind(link: Path) -> tuple[int, int] | None:
    try:
        # Looking behind every link would touch all open files of the machine.
        if not re.search(r"neuron[0-9]+$", os.readlink(link)):  # noqa: PTH115 - a path object for each link is slow
            return None
    except OSError:
        return None
    return _identity(link)


def _identity(path: Path) -> tuple[int, int] | None:
    """What is the same for one device under all its names: containers may give it another."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (0, found.st_rdev) if stat.S_ISCHR(found.st_mode) else (found.st_dev, found.st_ino)


def _command(folder: Path) -> str:
    try:
        with (folder / "cmdline").open("rb") as stream:
            words = stream.read(_COMMAND_BYTES).rstrip(b"\0").split(b"\0")
    except OSError:
        return ""
    return clean(b" ".join(words).decode("utf-8", errors="backslashreplace"))


def _owner(folder: Path) -> str:
    try:
        uid = folder.stat().st_uid
    except OSError:
        return ""
    try:
        return clean(pwd.getpwuid(uid).pw_name)
    except KeyError:
        return str(uid)
