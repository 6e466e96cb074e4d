"""From a record and this host to the steps of a rerun, each ready to start or with the reason why not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from tui.catalog.verdict import Record
from tui.host.fit import Fit, Surroundings
from tui.host.interpreters import Interpreter
from tui.host.neuron import Host
from tui.rerun.plan import Kind, Plan
from tui.rerun.recipe import CacheCommand
from tui.settings import Settings

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
    cache: CacheCommand | None = None
    facts: ModelFacts | None = None


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
    """The exact command as a shell line; empty when there is none."""
    plan: Plan | None
    """None: it cannot be started, `reason` says why."""
    reason: str = ""
    remark: str = ""
    """`34 GB to download`, `already there`."""


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


def prepare(
    settings: Settings,
    wanted: Wanted,
    here: Here,
    changes: Changes,
    environ: Mapping[str, str],
    *,
    queue: bool = False,
    into_own: bool = False,
) -> Preparation:
    """The checklist and the steps. Reads nothing but its values.

    `settings.any_host` allows Run where there is no trn2 host. `into_own` installs packages into the interpreter
    itself instead of an overlay.
    """
    raise NotImplementedError


def overlay_folder(settings: Settings, interpreter: Interpreter, packages: tuple[str, ...]) -> Path:
    """Where the overlay for these requirements on top of this interpreter is, or will be made."""
    raise NotImplementedError
