"""What this machine offers for a record: devices, Pythons, surroundings, the overlay, devices of our own runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

from tui.host import interpreters, neuron
from tui.host.interpreters import Interpreter
from tui.host.neuron import Host
from tui.host.surroundings import look_around
from tui.rerun import holding, overlay, runs
from tui.rerun.preparation import Here, Wanted
from tui.rerun.recipe import recipe_of
from tui.rerun.run_environment import neff_cache_of_run
from tui.rerun.steps import overlay_folder
from tui.settings import Settings

_NOTHING: Mapping[str, str] = MappingProxyType({})


def interpreters_here(
    settings: Settings, environ: Mapping[str, str], also: Collection[str] = ()
) -> tuple[Interpreter, ...]:
    """Every Python that could run a script, asked for its packages and those in `also`, in order of preference.

    Takes up to the time limit of `tui.host.interpreters.ask`. Raises `UsageError` for a setting `python` that no
    shell could split.
    """
    return interpreters.ask_all(interpreters.candidates(settings.python, environ), _distributions(also))


def here(
    settings: Settings,
    wanted: Wanted,
    interpreter: Interpreter | None,
    environ: Mapping[str, str],
    *,
    added: Mapping[str, str] = _NOTHING,
    host: Host | None = None,
) -> Here:
    """What there is for `wanted`, as a run sees it whose environment has the `added` variables over `environ`.

    A `host` that was looked at before is taken as it is. Raises nothing.
    """
    of_run = {**environ, **added}
    neff_cache = neff_cache_of_run(settings, added)
    return Here(
        host=neuron.look_at(settings, of_run) if host is None else host,
        interpreter=interpreter,
        surroundings=look_around(settings, wanted.record.model_id, neff_cache, of_run),
        overlay=None if interpreter is None else _overlay(settings, wanted, interpreter),
        taken=MappingProxyType(holding.taken(runs.every(settings))),
    )


def _overlay(settings: Settings, wanted: Wanted, interpreter: Interpreter) -> Interpreter | None:
    packages = tuple(package.requirement for package in recipe_of(wanted.record, None).packages)
    if wanted.sample or not packages or interpreter.problem or interpreter.elsewhere:
        return None
    return overlay.of(overlay_folder(settings, interpreter, packages), interpreter, packages)


def _distributions(names: Collection[str]) -> set[str]:
    """Those that are names of distributions: they come from outside."""
    return {
        name for name in names if name.isascii() and name.replace("-", "").replace("_", "").replace(".", "").isalnum()
    }
