"""What goes into a rerun and what comes out of looking at it: values only; `tui.rerun.steps` makes one of the other."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from tui.catalog.verdict import Record
from tui.host.checklist import Item, Surroundings, Topic
from tui.host.fit import Fit
from tui.host.interpreters import Interpreter
from tui.host.neuron import Host
from tui.rerun.plan import Kind, Plan
from tui.rerun.recipe import CacheCommand

if TYPE_CHECKING:
    from tui.catalog.facts import ModelFacts

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a person wants to run again, and what is known of it."""

    record: Record
    script: str | None
    """run.py of the record."""
    dataset: str
    revision: str | None
    sample: bool
    compilers: Collection[str] = ()
    """All neuronx-cc versions of the dataset: one of them in the address of a bucket is not this record's."""
    cache: CacheCommand | None = None
    """None: nobody looked for compiled graphs yet."""
    facts: ModelFacts | None = None
    """What the Hub says of the model; None: nothing, or it was not asked yet."""
    asking: bool = False
    """Whether the Hub is being asked for `cache` and `facts` (`tui.rerun.hub_answers`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What a person changed about it; with any of these the run is "edited"."""

    script: str | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    arguments: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.script is not None or bool(self.environment) or bool(self.arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Here:
    """What this machine offers."""

    host: Host
    interpreter: Interpreter | None
    surroundings: Surroundings
    overlay: Interpreter | None = None
    """The overlay venv for the record's packages on top of `interpreter`, when it is there already."""
    taken: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    """Device index -> id of our live run that has it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the rerun screen."""

    kind: Kind
    title: str
    command: str
    """The exact command as a shell line; empty when there is none. It may be known of a step that cannot be started."""
    plan: Plan | None
    """None: it cannot be started, `reason` says why."""
    reason: str = ""
    remark: str = ""
    """`34 GB to download`, `already there`."""
    on_screen: str = ""
    """`reason` for the rerun screen, where a key does it; empty: as `reason`."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """All that the rerun screen and `run --dry-run` show."""

    fit: Fit
    steps: tuple[Step, ...]
    environment: Mapping[str, str]
    """What is set for Run (cores and port are chosen at its start)."""
    sha256: str
    recorded_sha256: str
    edited: bool

    def step(self, kind: Kind) -> Step:
        """The step of this kind."""
        return next(step for step in self.steps if step.kind is kind)

    def in_the_way(self, kind: Kind) -> tuple[Item, ...]:
        """Items of the checklist that stand in the way of a step, but cores in use: for those it can only wait."""
        if kind is not Kind.RUN:
            return ()
        return tuple(item for item in self.fit.blocking if item.name != Topic.CORES)

    def cores_in_use(self, kind: Kind) -> Item | None:
        """The item that says why a step that can be started cannot begin at once; only the queue helps then."""
        if kind is not Kind.RUN or self.step(kind).plan is None:
            return None
        return next((item for item in self.fit.blocking if item.name == Topic.CORES), None)
