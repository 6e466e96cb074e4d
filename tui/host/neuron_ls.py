"""What neuron-ls says of the devices: asked within limits, read in every shape that it has been seen to print.

The tools of Neuron 2.34 know only `--output-format json`, older ones only `--json-output` (announcement of
2026-10-16). One that does not know a flag ends with 1 and says so on stdout; without a driver it ends with 1, nothing
on stdout, and one line on stderr. Before the tools of 2.28 two calls at the same time could fail with a driver error.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from tui.errors import TrnModelsError
from tui.process import Finished, run_bounded
from tui.terminal_text import clean, last_line

TIME_LIMIT_S = 20.0
OUTPUT_BYTES = 4_000_000
"""16 devices are about 8 KB; the command lines of their holders come on top."""

_PAUSE_S = 0.5
_OPTIONS = (("--output-format", "json"), ("--json-output",))
_MONITORS = {"neuron-ls", "neuron-top", "neuron-monitor"}
_HIGHEST_NUMBER = 1_000_000
_DEPTH = 3
_QUOTED = r'="((?:[^"\\]|\\.)*)"'


@dataclass(frozen=True, slots=True)
class Process:
    """A process that has a device. The pid is the host's, also when a container asks; then the command is empty."""

    pid: int | None
    command: str = ""


@dataclass(frozen=True, slots=True)
class ListedDevice:
    """One device as neuron-ls numbers it."""

    index: int
    core_ids: tuple[int, ...] = ()
    """What NEURON_RT_VISIBLE_CORES takes; empty: older tools, which only count. They win over `core_count`."""
    core_count: int | None = None
    """Logical cores."""
    memory_bytes: int | None = None
    processes: tuple[Process, ...] | None = ()
    """Without neuron-ls, neuron-top and neuron-monitor, which reserve no core; None: not told."""


@dataclass(frozen=True, slots=True)
class Answer:
    """All that neuron-ls said, devices in the order of their numbers."""

    devices: tuple[ListedDevice, ...]
    lnc: int | None = None
    instance_type: str | None = None
    remarks: tuple[str, ...] = ()
    """Sentences about what did not fit."""


def find(neuron: Path, environ: Mapping[str, str]) -> str | None:
    """The program in the `bin` of the tools' folder, else on PATH; only login shells of the DLAMI have it there."""
    usual = str(neuron / "bin/neuron-ls")
    return shutil.which(usual) or shutil.which("neuron-ls", path=environ.get("PATH", os.defpath))


def ask(
    program: str, environ: Mapping[str, str], *, timeout_s: float = TIME_LIMIT_S, pause_s: float = _PAUSE_S
) -> Answer:
    """Run neuron-ls with either flag; when both fail, once more after `pause_s` seconds. `timeout_s` is for each call.

    Raises `TrnModelsError` when it does not end in time or gives no list of devices.
    """
    problem = ""
    for attempt, option in enumerate(_OPTIONS * 2):
        if attempt == len(_OPTIONS):
            time.sleep(pause_s)
        finished = run_bounded([program, *option], timeout_s=timeout_s, output_bytes=OUTPUT_BYTES, env=environ)
        if finished.timed_out:
            raise _error(f"It did not answer within {timeout_s:g} s.")
        if finished.returncode == 0:
            try:
                return read(finished.stdout)
            except (ValueError, RecursionError) as error:
                problem = _too_much(finished) or f"Its answer cannot be read: {clean(str(error))[:200]}."
        # The other call may only have met a flag that these tools do not know, which is told on stdout.
        elif finished.stderr.strip() or not problem:
            problem = _reason(finished)
    raise _error(problem)


def read(text: str) -> Answer:
    """The devices in a JSON answer: a list of objects with `neuron_device`, or an object that holds such a list.

    Raises `ValueError` when there is none; `RecursionError` for absurd nesting.
    """
    answer = json.loads(text)
    listed = _device_list(answer, _DEPTH)
    if listed is None:
        raise ValueError("no list of devices is in it")
    remarks: list[str] = []
    devices: dict[int, ListedDevice] = {}
    for entry in listed:
        device = _device(entry, remarks)
        if device is None:
            remarks.append("An entry of neuron-ls without a device number was left out.")
        elif device.index in devices:
            devices[device.index] = _merged(devices[device.index], device)
        else:
            devices[device.index] = device
    if not devices:
        raise ValueError("it lists no device")
    places = [*(entry for entry in listed if isinstance(entry, dict)), *_objects(answer)]
    return Answer(
        devices=_with_told(sorted(devices.values(), key=lambda device: device.index)),
        lnc=_lnc(places, remarks),
        instance_type=next((word for word in _values(places, "instance_type") if isinstance(word, str)), None),
        remarks=tuple(dict.fromkeys(remarks)),
    )


def _device_list(value: Any, depth: int) -> list[Any] | None:
    if isinstance(value, list):
        return value if any(isinstance(entry, dict) and "neuron_device" in entry for entry in value) else None
    if isinstance(value, dict) and depth:
        found = (_device_list(inner, depth - 1) for inner in value.values())
        return next((listed for listed in found if listed is not None), None)
    return None


def _device(entry: Any, remarks: list[str]) -> ListedDevice | None:
    index = _whole(entry.get("neuron_device")) if isinstance(entry, dict) else None
    if index is None:
        return None
    memory = entry.get("memory_size")
    return ListedDevice(
        index=index,
        core_ids=_core_ids(entry.get("neuroncore_ids"), remarks),
        core_count=_whole(entry.get("nc_count")),
        memory_bytes=memory if isinstance(memory, int) and not isinstance(memory, bool) and memory > 0 else None,
        processes=_processes(entry, remarks),
    )


def _core_ids(value: Any, remarks: list[str]) -> tuple[int, ...]:
    if value is None:
        return ()
    numbers = [_whole(number) for number in value] if isinstance(value, list) else [None]
    ids = [number for number in numbers if number is not None]
    if len(ids) != len(numbers) or len(set(ids)) != len(ids):
        remarks.append("Core ids of neuron-ls that are no different whole numbers were not used.")
        return ()
    return tuple(ids)


def _processes(entry: Mapping[str, Any], remarks: list[str]) -> tuple[Process, ...] | None:
    if "neuron_processes" not in entry:
        return None
    value = entry["neuron_processes"]
    if value is None:
        return ()
    if not isinstance(value, list):
        remarks.append("What neuron-ls says of processes is no list.")
        return None
    processes = [_process(item, remarks) for item in value]
    return tuple(process for process in processes if not is_monitor(process.command))


def _process(item: Any, remarks: list[str]) -> Process:
    """Whatever stands there, somebody has the device."""
    if not isinstance(item, dict):
        remarks.append("neuron-ls names a process in a way that is not known.")
        return Process(None)
    command = item.get("command")
    pid = _whole(item.get("pid"), highest=1 << 31)
    return Process(pid or None, clean(command) if isinstance(command, str) else "")


def is_monitor(command: str) -> bool:
    """Whether this command line is a tool that opens a device and reserves no core."""
    words = command.split(maxsplit=1)
    return bool(words) and PurePath(words[0]).name in _MONITORS


def _merged(one: ListedDevice, other: ListedDevice) -> ListedDevice:
    """Two entries of the same device, as when there is one for each core."""
    both_told = one.processes is not None and other.processes is not None
    together = dict.fromkeys((*(one.processes or ()), *(other.processes or ())))
    return ListedDevice(
        index=one.index,
        core_ids=tuple(dict.fromkeys((*one.core_ids, *other.core_ids))),
        core_count=one.core_count or other.core_count,
        memory_bytes=one.memory_bytes or other.memory_bytes,
        processes=tuple(together) if both_told or together else None,
    )


def _with_told(devices: Sequence[ListedDevice]) -> tuple[ListedDevice, ...]:
    """Where processes are told for some devices, the others have none."""
    if all(device.processes is None for device in devices):
        return tuple(devices)
    return tuple(
        ListedDevice(device.index, device.core_ids, device.core_count, device.memory_bytes, device.processes or ())
        for device in devices
    )


def _objects(answer: Any) -> Iterator[dict[str, Any]]:
    """The answer and what is directly in it: a type that holds for all devices may be told there."""
    if isinstance(answer, dict):
        yield answer
        yield from (inner for inner in answer.values() if isinstance(inner, dict))


def _values(places: Sequence[Mapping[str, Any]], key: str) -> Iterator[Any]:
    return (place[key] for place in places if place.get(key) is not None)


def _lnc(places: Sequence[Mapping[str, Any]], remarks: list[str]) -> int | None:
    told = set(_values_as_numbers(places))
    if not told:
        return None
    if len(told) > 1 or not told <= {1, 2}:
        remarks.append("The LNC of neuron-ls is neither 1 nor 2 for all devices; it was not used.")
        return None
    return told.pop()


def _values_as_numbers(places: Sequence[Mapping[str, Any]]) -> Iterator[int | None]:
    return (_whole(value) for value in _values(places, "logical_neuroncore_config"))


def _whole(value: Any, highest: int = _HIGHEST_NUMBER) -> int | None:
    """A whole number from 0; some tools write numbers as texts."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,10}", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= highest:
        return None
    return value


def _reason(finished: Finished) -> str:
    """Why it failed, in its own words: logfmt with `error="..."` and `msg="..."`, or plain text."""
    line = last_line(finished.stderr) or last_line(finished.stdout)
    for key in ("error", "msg"):
        if found := re.search(rf"\b{key}{_QUOTED}", line):
            line = found[1]
            break
    said = line[:200] or "it said nothing"
    return f"It ended with {finished.returncode}: {said.rstrip('.')}."


def _too_much(finished: Finished) -> str:
    return f"It said more than {OUTPUT_BYTES} bytes." if finished.cut else ""


def _error(detail: str) -> TrnModelsError:
    return TrnModelsError(
        "neuron-ls could not tell about the devices",
        detail,
        "Run neuron-ls by hand; `lsmod | grep neuron` shows whether the driver is loaded.",
    )
