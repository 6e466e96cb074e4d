"""A record against this host and an interpreter: what fits, what differs, what stands in the way. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.catalog.verdict import Record
from tui.host import fit_devices, fit_room, fit_stack
from tui.host.checklist import Item, Level, Surroundings, Topic
from tui.host.interpreters import Interpreter
from tui.host.neuron import Host

if TYPE_CHECKING:
    from tui.catalog.facts import ModelFacts

_TOLD_IN_LINE = 2

_CONTAINER = (
    Item(
        Level.WARNING,
        "container",
        "cores are counted as this machine counts them; the container may count its own",
        "Compare `neuron-ls` here and inside.",
    ),
)


@dataclass(frozen=True, slots=True)
class Fit:
    """The checklist."""

    items: tuple[Item, ...]

    @property
    def blocking(self) -> tuple[Item, ...]:
        """Items that stand in the way."""
        return tuple(item for item in self.items if item.level is Level.BLOCKING)

    @property
    def line(self) -> str:
        """One line for the detail: `fits: 8 of 60 cores, transformers differs`."""
        for item in self.items:
            if item.name == Topic.NO_DEVICE:
                return item.short
        cores = next((item for item in self.items if item.name == Topic.CORES), None)
        in_the_way = [item.short or f"{item.name}: {item.text}" for item in self.blocking]
        if in_the_way:
            return f"does not fit: {_some_of(in_the_way)}"
        differences = [item.short for item in self.items if item.level is not Level.OK and item.short]
        said = [cores.short] if cores is not None else []
        well = "stack as tested" if any(item.name == Topic.INTERPRETER for item in self.items) else ""
        return f"fits: {', '.join(filter(None, [*said, _some_of(differences) or well]))}"


def _some_of(parts: list[str]) -> str:
    more = len(parts) - _TOLD_IN_LINE
    return ", ".join([*parts[:_TOLD_IN_LINE], *([f"{more} more"] if more > 0 else [])])


def fit_of(
    record: Record,
    host: Host,
    interpreter: Interpreter | None,
    surroundings: Surroundings | None = None,
    facts: ModelFacts | None = None,
    *,
    taken: Collection[int] = (),
    any_host: bool = False,
    installed_on_top: Mapping[str, str] | None = None,
    asking: bool = False,
    pythons_asked: bool = True,
) -> Fit:
    """The checklist of a record.

    `taken` are device indexes of our own live runs (of a mapping the values are shown as their ids);
    `installed_on_top` are packages of an overlay, which win over the interpreter's; with `any_host` what is missing
    of host and stack is a warning, not blocking, but for cores of devices that are there;
    with `asking` the Hub is being asked for `facts`; without `pythons_asked` nobody looked for an interpreter yet, and
    nothing is said of it.
    """
    items = [
        *fit_devices.items(record, host, taken, any_host=any_host),
        *(_CONTAINER if host.devices and interpreter is not None and interpreter.elsewhere else ()),
        *(
            fit_stack.items(record, host, interpreter, installed_on_top or {}, any_host=any_host)
            if pythons_asked or interpreter is not None
            else fit_stack.driver(record, host)
        ),
    ]
    if surroundings is not None:
        items += fit_room.items(surroundings, facts, asking=asking)
    return Fit(tuple(items))
