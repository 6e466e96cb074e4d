"""What a person is told before the same run is started once more: what it is, and what is no longer as it was then."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from tui.cli.runs_text import added_in_words
from tui.host import interpreters, neuron
from tui.host.interpreters import Candidate
from tui.rerun import holding, recorded, run_files, runs
from tui.rerun.plan import TITLES
from tui.rerun.run import Run
from tui.settings import Settings

_MOST_PACKAGES = 6


def told_before(settings: Settings, run: Run) -> list[str]:
    """Sentences; the interpreter is asked anew, the devices are looked at. Raises nothing."""
    edited = "EDITED, " if run.edited else ""
    said = [f"{TITLES[run.kind]} of {run.model_id}, {edited}as in run {run.id}: same script, arguments and variables."]
    if added := added_in_words(run.recipe.get("added")):
        said.append(f"added: {added}")
    if names := run_files.texts(run.recipe.get("hidden")):
        said.append(f"not kept, so taken from the environment here: {', '.join(names)}")
    return [*said, *_python(run), *_host(settings, run)]


def _python(run: Run) -> Iterator[str]:
    """The Python as it is found now, and what of it differs from then."""
    for place, word in (("interpreter", "Python"), ("overlay", "on top")):
        then = recorded.about(run, place)
        argv = run_files.texts(then.get("argv"))
        if not argv:
            continue
        packages = run_files.table(then.get("packages"))
        candidate = Candidate(argv, "")
        interpreters.forget(argv)
        now = interpreters.ask(candidate, packages)
        if now.problem:
            yield f"{word}: {shlex.join(argv)}: {now.problem}"
            continue
        changed = [*_changes({"python": then.get("version")} | packages, {"python": now.version, **now.packages})]
        yield f"{word}: {shlex.join(argv)}, {_compared(changed)}"


def _host(settings: Settings, run: Run) -> Iterator[str]:
    then = recorded.about(run, "host")
    if not then:
        return
    now = neuron.look_at(settings, os.environ)
    here = {"instance type": now.instance_type, "driver": now.driver, "cores": now.cores, "LNC": now.lnc}
    was = {"instance type": then.get("instance_type"), "driver": then.get("driver"), "cores": then.get("cores")}
    taken = holding.taken(runs.every(settings))
    yield f"host: {neuron.in_words(now, taken)[0]}, {_compared([*_changes({**was, 'LNC': then.get('lnc')}, here)])}"


def _changes(then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """`torch 2.14.0 (then 2.13.0)` for each that is not what it was."""
    for name, before in then.items():
        after = now.get(name)
        if before != after:
            told = "not known" if before is None else before
            yield f"{name} {'not found' if after is None else after} (then {told})"


def _compared(changed: list[str]) -> str:
    if not changed:
        return "as it was then"
    more = len(changed) - _MOST_PACKAGES
    return f"as it is now: {', '.join(changed[:_MOST_PACKAGES])}{f' and {more} more' if more > 0 else ''}"
