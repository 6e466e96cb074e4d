"""A record against this host and an interpreter: what fits, what differs, what stands in the way. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from tui.catalog.verdict import Record
from tui.host.interpreters import Interpreter
from tui.host.neuron import Host

if TYPE_CHECKING:
    from tui.catalog.facts import ModelFacts


class Level(StrEnum):
    """How much an item matters."""

    OK = "OK"
    WARNING = "warning"
    BLOCKING = "blocking"


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the checklist: what was looked at, what was found, what to do."""

    level: Level
    name: str
    """`cores`, `memory`, `torch`, `driver`, `disk`, `token`, `logout` ..."""
    text: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Disk:
    """Free space of the file system that a folder is on, or will be on."""

    name: str
    """`Hugging Face cache`, `NEFF cache`, `run folder`"""
    folder: Path
    free_bytes: int | None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What else of this machine concerns a run (`tui.host.surroundings.look_around`)."""

    disks: tuple[Disk, ...] = ()
    has_token: bool = False
    weights_here: bool = False
    """Whether the Hugging Face cache has a snapshot of the model."""
    logout_kills: bool | None = None
    """logind's KillUserProcesses without linger; None: not known."""


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
        raise NotImplementedError


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
) -> Fit:
    """The checklist of a record.

    `taken` are device indexes of our own live runs; `installed_on_top` are packages of an overlay, which win over the
    interpreter's; with `any_host` what is missing of host and stack is a warning, not blocking.
    """
    raise NotImplementedError
