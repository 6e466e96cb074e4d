"""Known failures in a log, the first cause and not the echoes of other ranks; and what to do. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What went wrong, as far as the log tells."""

    kind: str
    """`cores_busy`, `hbm_oom_compile`, ...; `unknown` when no known text occurs."""
    title: str
    line: str
    """The line of the log that says it, cleaned; of an unknown failure the last error lines."""
    advice: str
    """What to do; empty for an unknown failure."""


def diagnose(lines: Iterable[str]) -> Diagnosis | None:
    """The cause of a failed run from its clean log lines, in order; None when there is nothing that looks like one."""
    raise NotImplementedError
