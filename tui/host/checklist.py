"""What a checklist is made of: its items, and what was found around a run. Values only; `tui.host.fit` fills them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Level(StrEnum):
    """How much an item matters."""

    OK = "OK"
    WARNING = "warning"
    BLOCKING = "blocking"


class Topic(StrEnum):
    """Names of items that are looked for by name; those of all others are words for people alone."""

    NO_DEVICE = "device"
    """Stands for all others about devices where there is no Neuron device."""
    CORES = "cores"
    WEIGHTS = "weights"
    IN_USE = "in use"
    INTERPRETER = "interpreter"


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the checklist: what was looked at, what was found, what to do."""

    level: Level
    name: str
    """`cores`, `memory`, `torch`, `driver`, `disk`, `token`, `logout` ..."""
    text: str
    advice: str = ""
    short: str = ""
    """How the one line of the whole checklist says it: `transformers differs`; empty: only there if it blocks."""
    on_screen: str = ""
    """`advice` for the rerun screen, where a key does it; empty: as `advice`."""


@dataclass(frozen=True, slots=True)
class Disk:
    """Free space of the file system that a folder is on, or will be on."""

    name: str
    """`Hugging Face cache`, `NEFF cache`, `run folder`"""
    folder: Path
    free_bytes: int | None
    writable: bool = True
    """Whether this user can make files in the folder, or make the folder."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What else of this machine concerns a run (`tui.host.surroundings.look_around`)."""

    disks: tuple[Disk, ...] = ()
    has_token: bool = False
    weights_here: bool = False
    """Whether the Hugging Face cache has a snapshot of the model."""
    logout_kills: bool | None = None
    """logind's KillUserProcesses without linger; None: not known."""


HUGGING_FACE_CACHE = "Hugging Face cache"
NEFF_CACHE = "NEFF cache"
RUN_FOLDER = "run folder"
"""Names of the disks that are looked at."""
