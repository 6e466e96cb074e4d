"""Runs of real processes for tests, each under a supervisor of its own, with short waits.

Everything that was started is killed at the end of the `with` block, also when the test failed.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from tui.process import module_argv
from tui.rerun import identity, members, run_log, runs
from tui.rerun.identity import Identity
from tui.rerun.plan import Kind, Plan
from tui.rerun.run import Outcome, Run, State
from tui.settings import Settings

QUICK = {
    "tick_s": 0.05,
    "sigint_s": 0.3,
    "sigterm_s": 0.3,
    "sigkill_s": 5.0,
    "leftover_s": 0.2,
    "own_runs_s": 0.05,
    "devices_s": 0.5,
    "neffs_s": 0.05,
    "dead_s": 0.2,
}

# What a script of a test can use besides its own lines.
_PRELUDE = """
import os, pathlib, signal, subprocess, sys, time
def note(name, value=None):
    part = pathlib.Path(name + ".part")
    part.write_text(str(os.getpid() if value is None else value))
    part.rename(name)
"""


class RealRuns:
    """Makes runs and starts their supervisors as `start.start` does."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._runs: list[Run] = []
        self._supervisors: dict[int, Identity | None] = {}

    def create(
        self,
        script: str | None,
        *,
        argv: tuple[str, ...] = (sys.executable, "run.py"),
        timing: Mapping[str, float] | None = None,
        **plan: Any,
    ) -> Run:
        """A run whose supervisor is not started; `note(NAME)` in its script writes its pid to a file in the folder."""
        values = {"kind": Kind.RUN, "model_id": "acme/small", **plan}
        run = runs.create(self.settings, Plan(argv=argv, script=script and _PRELUDE + script, **values))
        path = run.folder / "recipe.json"
        recipe = json.loads(path.read_text())
        recipe["settings"]["timing"] = QUICK | dict(timing or {})
        path.write_text(json.dumps(recipe))
        self._runs.append(run)
        return run

    def supervise(self, run: Run, env: Mapping[str, str] | None = None, before: str = "") -> Run:
        """Start the supervisor; `before` is Python that its process executes first."""
        argv = module_argv("tui.rerun.supervisor", str(run.folder))
        argv[3] = f"{before}\n{argv[3]}"
        environ = {**os.environ, **(env or {})}
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, env=environ, capture_output=True, text=True, timeout=30)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        started = runs.read(run.folder)
        self._supervisors[run.id] = started.supervisor
        return started

    def start(self, script: str | None, *, env: Mapping[str, str] | None = None, before: str = "", **plan: Any) -> Run:
        """Both."""
        return self.supervise(self.create(script, **plan), env, before)

    def stop(self, run: Run) -> None:
        """Ask the supervisor to stop the run."""
        supervisor = runs.read(run.folder).supervisor
        assert supervisor is not None
        os.kill(supervisor.pid, signal.SIGTERM)

    def until(self, run: Run, holds: Callable[[Run], object], within_s: float = 30.0) -> Run:
        """The run as soon as `holds` is true of it."""
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            now = runs.read(run.folder)
            if holds(now):
                return now
            time.sleep(0.01)
        raise AssertionError(f"it did not happen within {within_s} s: {now}\n{self.log(run)}")

    def outcome(self, run: Run, within_s: float = 30.0) -> Outcome:
        """How the run ended, once it has."""
        ended = self.until(run, lambda now: now.state is State.FINISHED, within_s)
        assert ended.outcome is not None
        return ended.outcome

    def noted(self, run: Run, name: str, within_s: float = 20.0) -> str:
        """What the run's script wrote with `note`."""
        path = run.folder / name
        deadline = time.monotonic() + within_s
        while not path.exists():
            assert time.monotonic() < deadline, f"{name} was not written; {self.log(run)}"
            time.sleep(0.01)
        return path.read_text()

    def pid(self, run: Run, name: str) -> Identity:
        """The process that wrote its pid with `note`."""
        found = identity.of(int(self.noted(run, name)))
        assert found is not None
        return found

    def main_pid(self, run: Run) -> int:
        """What the supervisor started."""
        self.until(run, lambda now: now.state is State.RUNNING)
        return int(json.loads((run.folder / "state.json").read_text())["main_pid"])

    def log(self, run: Run) -> str:
        """The log of a run as it is now."""
        return run_log.whole(run.folder).decode("utf-8", "replace")

    def __enter__(self) -> RealRuns:
        return self

    def __exit__(self, *error: object) -> None:
        for run in self._runs:
            supervisor = self._supervisors.get(run.id)
            alive = supervisor is not None and identity.alive(supervisor)
            found = members.find(run.token, supervisor.pid if supervisor and alive else None).alive
            if supervisor and alive:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(supervisor.pid, signal.SIGKILL)
            for member in found:
                members.send(member, signal.SIGKILL)


def gone(*those: Identity, within_s: float = 10.0) -> bool:
    """Whether the processes end within so many seconds."""
    deadline = time.monotonic() + within_s
    while any(identity.alive(one) for one in those):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
