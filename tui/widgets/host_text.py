"""A host and its Pythons as text. Pure: values in, `Content` out."""

from __future__ import annotations

from collections.abc import Mapping

from textual.content import Content

from tui import numbers
from tui.host.interpreters import PACKAGES, Interpreter, preferred
from tui.host.neuron import Device, Host, in_words
from tui.terminal_text import clean
from tui.widgets.verdict_look import MUTED

HEADING = "bold $primary"
_STACK = ("torch-neuronx", "torch", "neuronx-cc", "nki", "transformers")


def about(host: Host, interpreters: tuple[Interpreter, ...] | None, taken: Mapping[int, int]) -> Content:
    """Devices with their holders, driver, what could not be found out, and every Python with its stack.

    `taken` is device index -> id of the run of ours that has it.
    """
    lines = [Content.styled(clean(in_words(host, taken)[0]), "bold")]
    facts = [
        ("chip", host.device_name),
        ("driver", host.driver),
        ("logical NeuronCore configuration", None if host.lnc is None else f"LNC={host.lnc}"),
    ]
    known = " · ".join(f"{name} {clean(value)}" for name, value in facts if value)
    if known:
        lines.append(Content(known))
    lines += [_device(device, taken.get(device.index)) for device in host.devices]
    lines += [Content.styled(clean(remark), "$text-warning") for remark in host.remarks]
    lines += [Content(""), Content.styled("Pythons that could run a run.py", HEADING)]
    if interpreters is None:
        lines.append(Content.styled("asking them …", MUTED))
    elif not interpreters:
        lines.append(Content("None but the app's own was found. Name one with --python, or with i on the run screen."))
    else:
        chosen = preferred(interpreters)
        lines += [interpreter(each, chosen=each is chosen) for each in interpreters]
    return Content("\n").join(lines)


def _device(device: Device, run_id: int | None) -> Content:
    name = f"  neuron{device.index:<3} cores {numbers.ranges(device.core_ids):<8} "
    if not device.in_use and run_id is None:
        return Content.assemble(name, ("not in use", MUTED))
    holders = [
        ", ".join(part for part in (f"pid {each.pid}" if each.pid else "", each.user, each.command) if part)
        or "somebody, not known who"
        for each in device.holders
    ]
    if run_id is not None:
        holders.insert(0, f"run {run_id} of yours")
    return Content.assemble(name, ("in use by ", "$text-warning"), clean("; ".join(holders)))


def interpreter(python: Interpreter, *, chosen: bool = False) -> Content:
    """One Python: path, version, where it was found, its stack; the chosen one marked."""
    mark = ("● ", "$primary") if chosen else ("  ", "")
    head = Content.assemble(mark, (clean(python.name), "bold" if chosen else ""), (f"  {clean(python.origin)}", MUTED))
    if python.problem:
        return head + Content.styled(f"\n    {clean(python.problem)}", "$text-warning")
    order = [*_STACK, *(name for name in PACKAGES if name not in _STACK)]
    named = [f"{name} {python.packages[name]}" for name in order if name in python.packages]
    stack = " · ".join(clean(text) for text in named) or "none of the packages of a stack"
    return head + Content.styled(f"\n    Python {clean(python.version or '?')} · {stack}", MUTED)
