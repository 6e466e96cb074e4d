"""What this host can run, as the search asks it with `fits:here`. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from tui.catalog.question import Limits
from tui.catalog.stacks import Stack
from tui.host.fit_devices import OTHER_FAMILY
from tui.host.installed_stack import installed_stack
from tui.host.interpreters import Interpreter
from tui.host.neuron import Host
from tui.terminal_text import clean


def limits_of(host: Host, interpreter: Interpreter | None, stacks: Iterable[Stack]) -> Limits:
    """The limits of this host with the Python that is taken; `stacks` are those of the records.

    Cores that somebody holds now count too. Of another family than the tested one (trn1, inf2) no core counts.
    """
    other_family = host.generation in OTHER_FAMILY
    stack = installed_stack(interpreter, stacks)
    if not host.devices:
        why_not = f"no Neuron device: {host.why_none}" if host.why_none else "no Neuron device"
    elif other_family:
        why_not = f"this is {host.generation}, tested was trn2"
    elif not host.cores:
        why_not = "the number of its cores is not known"
    elif interpreter is None:
        why_not = "no Python was found that can run a run.py"
    elif stack is None:
        why_not = f"{interpreter.name} has no stack of the records"
    else:
        why_not = ""
    return Limits(0 if other_family else host.cores, stack, clean(why_not))
