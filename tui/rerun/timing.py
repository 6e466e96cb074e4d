"""How long a supervisor waits for what, in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """All values are seconds."""

    tick_s: float = 1.0
    """Between two samples of the run's processes and memory, and between two heartbeats."""
    sigint_s: float = 10.0
    """After SIGINT, before SIGTERM."""
    sigterm_s: float = 10.0
    """After SIGTERM, before SIGKILL."""
    sigkill_s: float = 5.0
    """After SIGKILL, before it is said that a process cannot be ended."""
    leftover_s: float = 2.0
    """After the end of the main process, before the others are ended."""
    own_runs_s: float = 1.0
    """Of a waiting run: between two looks at what has become of the other runs of the user."""
    devices_s: float = 10.0
    """Of a waiting run: between two looks at the devices."""
    neffs_s: float = 5.0
    """Between two looks into the NEFF cache."""
    dead_s: float = 5.0
    """For so long a failed process is left unnoticed by its parent before it is told of."""
    held_s: float = 5.0
    """After the end: for the look at whether the devices are free again."""
    folder_s: float = 30.0
    """A run without its folder, which nobody could stop any more, is stopped so long after that was removed."""
    outcome_s: float = 3_600.0
    """How long it is tried to write the outcome where the disk is full."""

    @classmethod
    def from_values(cls, values: object) -> Timing:
        """From JSON: those that are numbers of 0 or more, the usual ones for the rest."""
        if not isinstance(values, Mapping):
            return cls()
        given = {item.name: values.get(item.name) for item in fields(cls)}
        return cls(
            **{
                name: float(value)
                for name, value in given.items()
                if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
            }
        )
