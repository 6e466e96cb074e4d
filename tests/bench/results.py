"""What was measured: every single value by name, medians, the machine."""

from __future__ import annotations

import os
import platform
import statistics
from importlib.metadata import version
from pathlib import Path


class Results:
    """Values by name: seconds, bytes, or counts; `counting` is False during a warm-up.

    `part` is what is being measured: a baseline counts for what was measured in the same part, as the machine may have
    been slower or faster in another.
    """

    def __init__(self) -> None:
        self.values: dict[str, list[float]] = {}
        self.counting = True
        self.part = ""
        self._by_part: dict[tuple[str, str], list[float]] = {}
        self._part_of: dict[str, str] = {}

    def add(self, name: str, value: float) -> None:
        """One more value."""
        if self.counting:
            self.values.setdefault(name, []).append(value)
            self._by_part.setdefault((self.part, name), []).append(value)
            self._part_of[name] = self.part

    def baseline(self, name: str, of: str) -> float | None:
        """The median of the baseline `name` in the part that measured `of`; of all parts where that had none."""
        values = self._by_part.get((self._part_of.get(of, ""), name))
        return statistics.median(values) if values else self.median(name)

    def median(self, name: str) -> float | None:
        """The median; None when nothing was measured."""
        values = self.values.get(name)
        return statistics.median(values) if values else None


def machine() -> dict[str, object]:
    """Processor, Python, and the versions that count."""
    names = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return {
        "cores": len(os.sched_getaffinity(0)),
        "processor": names[0] if names else platform.processor(),
        "system": platform.platform(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("textual", "polars", "pyarrow", "huggingface_hub")},
    }
