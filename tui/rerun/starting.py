"""What the main process of a run is started with: its environment, the folders named in that, and words for its log."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tui import numbers
from tui.rerun.identity import TOKEN_VARIABLE
from tui.rerun.plan import Plan
from tui.rerun.run_environment import NEFF_CACHE_VARIABLE, NEFF_LOCKS_VARIABLE
from tui.rerun.waiting import Granted

# torchrun takes its port from the second one (torch.distributed.argparse_util), a script started alone from the first.
_PORT_VARIABLES = ("MASTER_PORT", "PET_MASTER_PORT")


def environment_of(plan: Plan, token: str, granted: Granted | None) -> dict[str, str]:
    """What the main process gets: all that was inherited, what the plan sets, and what only is known now."""
    environment = {**os.environ}
    # Of the app's own Python; another one finds none of its modules there.
    environment.pop("PYTHONHOME", None)
    environment |= plan.environment
    if granted is not None:
        environment["NEURON_RT_VISIBLE_CORES"] = granted.allocation.visible_cores
        if granted.master_port is not None:
            environment |= dict.fromkeys(_PORT_VARIABLES, str(granted.master_port))
    environment[TOKEN_VARIABLE] = token
    return environment


def environment_inside(plan: Plan, hidden: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    """What is set in a container: nothing that was inherited here but the secrets, which were asked for."""
    wanted = {*plan.environment, *hidden}
    if plan.cores:
        wanted |= {*_PORT_VARIABLES, "NEURON_RT_VISIBLE_CORES"}
    return {name: environment[name] for name in sorted(wanted) if name in environment}


def make_neff_folders(plan: Plan, folder: Path) -> Iterator[str]:
    """Make the folders for compiled graphs and their locks that a plan names, for this user alone.

    Gives a sentence for each that cannot be made or used; a path that is not absolute is below `folder`, that of the
    run. torch-neuronx ends when the one for the locks cannot be used.
    """
    if plan.elsewhere:
        return
    for name in (NEFF_CACHE_VARIABLE, NEFF_LOCKS_VARIABLE):
        if not (value := plan.environment.get(name)):
            continue
        path = folder / value
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not os.access(path, os.W_OK | os.X_OK):
                raise PermissionError(13, os.strerror(13))
        except (OSError, ValueError) as error:
            yield f"{name}: {path} cannot be used: {getattr(error, 'strerror', None) or error}"


def where_it_runs(granted: Granted | None) -> str:
    """`on cores 4-11 of devices 1-2`"""
    if granted is None:
        return "on no Neuron device"
    allocation = granted.allocation
    cores = f"on core{'s' * (len(allocation.cores) > 1)} {allocation.visible_cores}"
    if not allocation.devices:
        return f"{cores}, though there is no Neuron device here"
    return f"{cores} of device{'s' * (len(allocation.devices) > 1)} {numbers.ranges(allocation.devices)}"
