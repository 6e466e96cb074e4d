"""Ending all that a run started, here and inside a container, and making sure that it is gone."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tui.rerun import inside, members
from tui.rerun.members import Member
from tui.rerun.timing import Timing

_LOOK_INSIDE_S = 0.5
"""Between two looks into a container, each of which starts a process there."""

Stages = Sequence[tuple[signal.Signals, float]]


@dataclass(frozen=True, slots=True)
class Gone:
    """What came of ending a run."""

    killed: tuple[str, ...] = ()
    """`pid 4711 python run.py (SIGKILL)` for each that needed more than SIGINT."""
    note: str = ""
    """What could not be ended, or could not be looked at; empty when all is gone."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How the processes of one run are reached."""

    find: Callable[[], Sequence[Member]]
    """Those on this side."""
    token: str
    elsewhere: tuple[str, ...]
    """The command line into a container; empty without one."""
    wait: Callable[[float], object]
    """Called between two looks with the seconds to wait."""


def stop(reach: Reach, timing: Timing) -> Gone:
    """End a run that is at work: SIGINT, then SIGTERM, then SIGKILL; goes on as soon as all are gone."""
    return _end(reach, ((signal.SIGINT, timing.sigint_s), *_forcibly(timing)), timing)


def end_leftovers(reach: Reach, timing: Timing) -> Gone:
    """End what is left after the main process: a moment to end by itself, then SIGTERM, then SIGKILL."""
    until = time.monotonic() + timing.leftover_s
    while reach.find() and (remaining := until - time.monotonic()) > 0:
        reach.wait(min(0.1, remaining))
    return _end(reach, _forcibly(timing), timing)


def _forcibly(timing: Timing) -> Stages:
    return (signal.SIGTERM, timing.sigterm_s), (signal.SIGKILL, timing.sigkill_s)


def _end(reach: Reach, stages: Stages, timing: Timing) -> Gone:
    there = Gone()
    if reach.elsewhere:
        # The client stays until all is gone inside: a signal would end it alone, and with it the log.
        there = _end_inside(reach, stages)
        until = time.monotonic() + timing.leftover_s
        while reach.find() and (remaining := until - time.monotonic()) > 0:
            reach.wait(min(0.1, remaining))
        stages = _forcibly(timing)
    here = members.end(reach.find, stages, wait=reach.wait)
    left = f"could not be ended: {', '.join(map(str, here.left))}" if here.left else ""
    return Gone((*there.killed, *here.killed), "; ".join(filter(None, (there.note, left))))


def _end_inside(reach: Reach, stages: Stages) -> Gone:
    last: dict[str, signal.Signals] = {}
    answer = inside.Answer(None)
    for number, seconds in stages:
        until = time.monotonic() + seconds
        answer = inside.signal_inside(reach.elsewhere, reach.token, number)
        last |= dict.fromkeys(answer.signalled, number)
        while answer.left and (remaining := until - time.monotonic()) > 0:
            reach.wait(min(_LOOK_INSIDE_S, remaining))
            answer = inside.signal_inside(reach.elsewhere, reach.token, None)
        if answer.left == 0:
            break
    killed = tuple(f"inside: {who} ({how.name})" for who, how in last.items() if how is not signal.SIGINT)
    if answer.left is None:
        return Gone(killed, f"whether anything of it is left inside is not known: {answer.trouble}")
    return Gone(killed, f"could not be ended inside: {answer.left} processes" if answer.left else "")
