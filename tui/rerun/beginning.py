"""What a run is started with, and the words about that in its log. Pure, but for the inherited environment."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from tui.rerun.identity import TOKEN_VARIABLE
from tui.rerun.plan import Plan
from tui.rerun.run import Outcome, Result
from tui.rerun.waiting import Granted


def environment_of(plan: Plan, token: str, granted: Granted | None) -> dict[str, str]:
    """What the main process gets: all that was inherited, what the plan sets, and what only is known now."""
    environment = {**os.environ}
    # Of the app's own Python; another one finds none of its modules there.
    environment.pop("PYTHONHOME", None)
    environment |= plan.environment
    if granted is not None:
        environment["NEURON_RT_VISIBLE_CORES"] = granted.allocation.visible_cores
        if granted.master_port is not None:
            environment["MASTER_PORT"] = str(granted.master_port)
    environment[TOKEN_VARIABLE] = token
    return environment


def environment_inside(plan: Plan, hidden: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    """What is set in a container: nothing that was inherited here but the secrets, which were asked for."""
    wanted = {*plan.environment, *hidden}
    if plan.cores:
        wanted |= {"MASTER_PORT", "NEURON_RT_VISIBLE_CORES"}
    return {name: environment[name] for name in sorted(wanted) if name in environment}


def where_it_runs(granted: Granted | None) -> str:
    """`on cores 4-11 of devices 1, 2`"""
    if granted is None:
        return "on no Neuron device"
    allocation = granted.allocation
    cores = f"on cores {allocation.visible_cores}"
    if not allocation.devices:
        return f"{cores}, though there is no Neuron device here"
    return f"{cores} of device{'s' * (len(allocation.devices) > 1)} {', '.join(map(str, allocation.devices))}"


def how_it_ended(outcome: Outcome) -> str:
    """`stopped, ended by signal 2 after 63.0 s`"""
    if not outcome.wall_s:
        return f"{outcome.result}: {outcome.note}"
    how = "ended"
    if outcome.exit_code is not None:
        how = f"ended with exit code {outcome.exit_code}"
    elif outcome.signal is not None:
        how = f"ended by signal {outcome.signal}"
    asked = "stopped, " if outcome.result is Result.STOPPED else ""
    killed = f"; ended afterwards: {', '.join(outcome.killed)}" if outcome.killed else ""
    return f"{asked}{how} after {outcome.wall_s:.1f} s{killed}{f'; {outcome.note}' if outcome.note else ''}"
