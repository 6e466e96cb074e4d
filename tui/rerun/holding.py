"""Which runs still hold devices of this machine, also when their supervisor is gone. Reads only."""

from __future__ import annotations

from collections.abc import Collection

from tui.rerun import identity, place
from tui.rerun.run import Run, State


def taken(runs: Collection[Run]) -> dict[int, int]:
    """Device index -> id of the run of ours that has it: live runs, and lost ones of which a process still lives.

    Runs on other hosts have none of these devices.
    """
    here = [run for run in runs if run.devices and place.shares_devices(run.on_host, run.supervisor)]
    lost = [run for run in here if run.state is State.LOST]
    living = identity.living({run.token for run in lost})
    holding = [run for run in here if run.live or (run in lost and (run.token in living or _unmarked_lives(run)))]
    return {device: run.id for run in holding for device in run.devices}


def any_lives(run: Run) -> bool:
    """Whether a process that the run started is alive here; of those without its token the ones noted down last."""
    return bool(identity.living((run.token,))) or _unmarked_lives(run)


def _unmarked_lives(run: Run) -> bool:
    return not run.on_host and any(identity.alive(who) for who in run.unmarked)
