"""Before the same run is started once more: the Python and the machine as they are now, not as they were then."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from tui.catalog.tested_packages import packages_on_top
from tui.errors import TrnModelsError
from tui.host import interpreters, neuron
from tui.host.interpreters import Candidate, Interpreter
from tui.rerun import about, recorded, run_files
from tui.rerun.run import Run
from tui.settings import Settings

ASK_S: Final = 20.0
"""For each Python."""
DEVICES_S: Final = 5.0
"""For each of up to four calls of neuron-ls."""


def about_now(settings: Settings, run: Run, told: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """`told`, which is `Plan.about` of the run, with `interpreter`, `overlay` and `host` as they are now.

    The same Pythons are asked, in at most `ASK_S` seconds. Raises `TrnModelsError` when one cannot be asked.
    """
    told = dict(told)
    pythons = [place for place in ("interpreter", "overlay") if run_files.texts(recorded.about(run, place).get("argv"))]
    roots = neuron.Roots.below(settings.host_root)
    with ThreadPoolExecutor() as threads:
        host = threads.submit(neuron.look, roots, environ, timeout_s=DEVICES_S) if told.get("host") else None
        answers = [*zip(pythons, threads.map(lambda place: _ask(run, place), pythons), strict=True)]
    for place, interpreter in answers:
        if interpreter.problem:
            raise TrnModelsError(
                f"Run {run.id} cannot be started again as it was",
                f"Its Python cannot be used: {shlex.join(interpreter.argv)}: {interpreter.problem}",
                "Start from the record, with another Python.",
            )
        told[place] = about.interpreter_values(interpreter)
    if host is not None:
        told["host"] = about.host_values(host.result())
    return told


def _ask(run: Run, place: str) -> Interpreter:
    then = recorded.about(run, place)
    candidate = Candidate(run_files.texts(then.get("argv")), "")
    record = recorded.record_of(run)
    tested = [package.name for package in packages_on_top(record)] if record is not None else []
    interpreters.forget(candidate.argv)
    return interpreters.ask(candidate, {*tested, *run_files.table(then.get("packages"))}, timeout_s=ASK_S)
