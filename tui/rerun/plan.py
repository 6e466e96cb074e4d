"""One step of a rerun, ready to start: what is executed, with which environment, on how many cores. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Kind(StrEnum):
    """The steps. Each is a run of its own, with folder, log and state."""

    RUN = "run"
    WEIGHTS = "weights"
    GRAPHS = "graphs"
    INSTALL = "install"


TITLES: Mapping[Kind, str] = {
    Kind.WEIGHTS: "Fetch weights",
    Kind.GRAPHS: "Fetch compiled graphs",
    Kind.INSTALL: "Install packages on top",
    Kind.RUN: "Run",
}
"""In the order in which a person takes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the supervisor needs to know. Without `script` no run.py is written."""

    kind: Kind
    model_id: str
    argv: tuple[str, ...]
    """Started in the run folder, without a shell; `run.py` in it is the script there."""
    environment: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """What is set on top of the inherited environment, PATH included; written into recipe.json."""
    hidden: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """Set as well, handed over through the supervisor's environment only and never written down."""
    cores: int = 0
    """Logical NeuronCores on whole devices; 0: it touches no device."""
    any_host: bool = False
    """Goes on where there is no device, with cores counted from 0."""
    queue: bool = False
    """Waits until devices are free instead of ending at once."""
    script: str | None = None
    sha256: str = ""
    """Of the script as it runs, hexadecimal."""
    recorded_sha256: str = ""
    """Of the run.py of the record."""
    edited: bool = False
    """Script, environment or arguments are not the record's: no outcome is compared as the same run."""
    elsewhere: tuple[str, ...] = ()
    """The interpreter's command line when it leads into a container: the script is handed over through stdin,
    `argv` is then (`python`, `run.py`, arguments ...) as seen inside."""
    about: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    """JSON for recipe.json: `record` (values as text), `dataset`, `revision`, `sample`, `interpreter`, `host`."""
