"""The part of a checklist that is about devices: generation, cores, who holds them, memory. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from tui.catalog.verdict import Record
from tui.host.checklist import Item, Level, Topic
from tui.host.neuron import Device, Host
from tui.numbers import counted, gigabytes, ranges
from tui.terminal_text import clean

TESTED_ON = "trn2"
_ANY_HOST = "--any-host allows it all the same, to try the app."
_LOOK_BY_HAND = "`neuron-ls` by hand tells more; devices and cores shown here may be wrong."
OTHER_FAMILY = frozenset({"trn1", "inf2", "inf1"})
_WITH_LNC = frozenset({"trn2", "trn3", None})
"""Generations whose cores are counted by LNC; of an unknown one it cannot be ruled out."""
_COMMAND_CHARACTERS = 60
_HOLDERS_NAMED = 3
_WELL_BELOW = 0.8
"""Share of a core's memory up to which a recorded peak is no question."""

# A Trainium2 bank of 24 GiB serves two physical cores, which LNC=2 makes one logical core (Neuron documentation:
# about-neuron/arch/neuron-hardware/trainium2, neuron-runtime/explore/device-memory).
_TRN2_CORE_GIB = {2: 24.0, 1: 12.0}


def items(record: Record, host: Host, taken: Collection[int], *, any_host: bool) -> list[Item]:
    """Items about the devices of `host` for this record; `taken` as in `tui.host.fit.fit_of`."""
    amiss = Level.WARNING if any_host else Level.BLOCKING
    if not host.devices:
        line = f"no Neuron device here: {host.why_none}" if host.why_none else "no Neuron device here"
        then = "Cores are counted from 0." if any_host else f"Start it on a {TESTED_ON} host. {_ANY_HOST}"
        return [Item(amiss, Topic.NO_DEVICE, clean(line), then, clean(line))]
    said = [_generation(host, amiss)]
    if host.lnc == 1 and host.generation in _WITH_LNC:
        said.append(
            Item(
                Level.WARNING,
                "LNC",
                "LNC=1 here, so a core is one physical core; on trn2 the default is 2",
                "NEURON_LOGICAL_NC_CONFIG or /opt/aws/neuron/logical_nc_config sets it.",
                "LNC=1",
            )
        )
    said += [Item(Level.WARNING, "host", clean(remark), _LOOK_BY_HAND) for remark in host.remarks]
    cores = _cores(record, host, taken)
    return [*said, *cores, *_in_use(host, taken, fits=cores[-1].level is Level.OK), _memory(record, host)]


def cores_needed(record: Record) -> int:
    """Logical cores that the record's run needs; 1 when that is not recorded, or not as a number above 0."""
    return max(record.tp or 1, 1)


def _generation(host: Host, amiss: Level) -> Item:
    found = host.generation
    machine = host.instance_type or host.device_name or found or "an unknown type"
    has = f"{clean(machine)}, {counted(len(host.devices), 'device')}, {counted(host.cores, 'core')}"
    if host.devices_of_host is not None and host.devices_of_host > len(host.devices):
        verb = "was" if len(host.devices) == 1 else "were"
        has += f"; {len(host.devices)} of the host's {host.devices_of_host} devices {verb} passed in"
    if found in OTHER_FAMILY:
        text = f"{has}: the records are of {TESTED_ON} and do not apply to {found}"
        return Item(amiss, "host", text, f"Start it on a {TESTED_ON} host. {_ANY_HOST}", f"{found}, not {TESTED_ON}")
    if found is None:
        text = f"{has}: which generation of Neuron device it has could not be found out"
        return Item(Level.WARNING, "host", text, f"The records are of {TESTED_ON}.", "device generation not known")
    if found != TESTED_ON:
        text = f"{has}: the records are of {TESTED_ON}, this is {found}"
        return Item(Level.WARNING, "host", text, "It may do, and may differ.", f"{found}, not {TESTED_ON}")
    return Item(Level.OK, "host", has)


def _cores(record: Record, host: Host, taken: Collection[int]) -> list[Item]:
    """What is not recorded of cores, if anything; last the item about having enough of them.

    Too few block whatever is allowed: no run is given cores of devices that are in use or not there.
    """
    needed = cores_needed(record)
    said = []
    if record.tp is None or record.tp < 1:
        raw = record.text("tp")
        recorded = "not recorded" if raw is None else f"recorded as «{clean(raw)}», which is no number of cores"
        text = f"how many cores it needs is {recorded}; one is assumed, which takes one whole device"
        advice = "When one is too few, choose another record of the model, or edit a copy of run.py."
        said.append(Item(Level.WARNING, "cores recorded", text, advice, "cores not recorded"))
    if not host.cores:
        text = "how many cores the devices have could not be found out"
        advice = "None can be given to a run; `neuron-ls` by hand tells more."
        return [*said, Item(Level.BLOCKING, Topic.CORES, text, advice, "number of cores not known")]
    unused = host.unused(taken)
    count = sum(len(device.core_ids) for device in unused)
    plural = counted(needed, "core")
    wait = "Wait until devices are free, or start it with the queue: it then begins by itself."
    if needed > host.cores:
        short = f"{plural} needed, this host has {host.cores}"
        return [
            *said,
            Item(Level.BLOCKING, Topic.CORES, short, "Take a larger host, or a record with fewer cores.", short),
        ]
    if needed > count:
        short = f"{plural} needed, {count} of {host.cores} not in use"
        return [*said, Item(Level.BLOCKING, Topic.CORES, short, wait, short)]
    if _most_together(unused) < needed:
        short = f"{plural} needed, the {count} not in use are not next to each other"
        return [*said, Item(Level.BLOCKING, Topic.CORES, short, wait, short)]
    text = f"{plural} needed, {count} of {host.cores} not in use"
    return [*said, Item(Level.OK, Topic.CORES, text, short=f"{needed} of {counted(count, 'core')}")]


def _most_together(devices: Sequence[Device]) -> int:
    """Cores of the longest row of devices whose core ids go on from one to the next.

    A gap is an error of the Neuron runtime: "Neuron cores are not contiguous" (Neuron documentation,
    deploy/troubleshooting).
    """
    most, together, last = 0, 0, None
    for ids in sorted(device.core_ids for device in devices if device.core_ids):
        together = len(ids) + (together if last is not None and ids[0] == last + 1 else 0)
        most, last = max(most, together), ids[-1]
    return most


def _in_use(host: Host, taken: Collection[int], *, fits: bool) -> list[Item]:
    level = Level.OK if fits else Level.WARNING
    advice = "" if fits else "Wait for it, or speak with who runs it; nothing of others is ever ended."
    said = []
    used: dict[str, list[int]] = {}
    for device in host.devices:
        ours = _run_id(taken, device.index)
        for who in [*([ours] if ours else []), *(_holder(one.user, one.pid, one.command) for one in device.holders)]:
            used.setdefault(who, []).append(device.index)
    if used:
        count = len({index for indexes in used.values() for index in indexes})
        named = [f"{who} ({_devices(indexes)})" for who, indexes in list(used.items())[:_HOLDERS_NAMED]]
        more = len(used) - len(named)
        text = f"{count} of {counted(len(host.devices), 'device')} in use: {'; '.join(named)}"
        text, shows = (f"{text}; and {more} more", "`neuron-ls` shows all.") if more else (text, "")
        by_key = f"{advice} H shows all.".strip() if more else ""
        said.append(Item(level, Topic.IN_USE, text, " ".join(filter(None, (advice, shows))), on_screen=by_key))
    if not host.holders_known:
        text = "who holds the devices could not be found out: one that looks unused may be held"
        see = "neuron-ls tells it; see that aws-neuronx-tools is installed."
        said.append(Item(Level.WARNING, Topic.IN_USE, text, see))
    return said


def _devices(indexes: Sequence[int]) -> str:
    return f"device{'s' if len(indexes) > 1 else ''} {ranges(sorted(set(indexes)))}"


def _run_id(taken: Collection[int], index: int) -> str:
    if index not in taken:
        return ""
    return f"your run {taken[index]}" if isinstance(taken, Mapping) else "a run of yours"


def _holder(user: str, pid: int | None, command: str) -> str:
    command = clean(command)
    if len(command) > _COMMAND_CHARACTERS:
        command = f"{command[: _COMMAND_CHARACTERS - 1]}…"
    known = [clean(user), f"pid {pid}" if pid is not None else "", command]
    return ", ".join(filter(None, known)) or "a process that is not known"


def _memory(record: Record, host: Host) -> Item:
    peak, capacity = record.values.get("hbm_peak_gb"), record.values.get("hbm_capacity_gb")
    here = _gib_of_core(host)
    has = "" if here is None else f"; a core here has {gigabytes(here)} GB"
    raw = record.text("hbm_peak_gb")
    if peak is None or not peak > 0:  # NaN and what is no peak
        recorded = "not recorded" if raw is None else f"recorded as «{clean(raw)}»"
        advice = "When it runs out of device memory, take a record on more cores."
        return Item(Level.WARNING, "memory", f"peak device memory is {recorded}{has}", advice)
    of = f" of {gigabytes(capacity)}" if capacity is not None else ""
    cores = cores_needed(record)
    if cores == 1:
        text = f"as recorded {gigabytes(peak)}{of} GB on one core{has}"
        if here is not None and peak <= here * _WELL_BELOW:
            return Item(Level.OK, "memory", text)
    else:
        text = f"{gigabytes(peak)}{of} GB recorded; whether for one core or for all is not documented{has}"
    if here is not None and peak > here * cores:
        text += f", {gigabytes(here * cores)} GB are on {counted(cores, 'core')}" if cores > 1 else ""
        return Item(Level.WARNING, "memory", text, "More was used than is here: it may run out of device memory.")
    advice = "On equal devices it should fit again; on others compare it with the memory of a core."
    return Item(Level.WARNING, "memory", text, advice)


def _gib_of_core(host: Host) -> float | None:
    """GiB of device memory for each logical core, where it is known.

    They are called GB, as the compiler does ("HBM limit of 24.00GB for Trn2") and the dataset most likely too.
    """
    sizes = [
        device.memory_bytes / len(device.core_ids) for device in host.devices if device.memory_bytes and device.core_ids
    ]
    if sizes:
        return min(sizes) / 2**30
    return _TRN2_CORE_GIB.get(host.lnc or 2) if host.generation == TESTED_ON else None
