"""Runs of real processes for tests, each under a supervisor of its own, with short waits.

Everything that was started is killed at the end of the `with` block, also when the test failed.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from tui.rerun import identity, members, run_log, runs, supervisor
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
        """Start the supervisor; `before` is Python that its process executes first.

        It is forked from this process, which has imported it already: that takes a fraction of the time.
        """
        with tempfile.TemporaryFile() as said:
            child = os.fork()
            if not child:
                _become_supervisor(run.folder, env or {}, before, said.fileno())
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            said.seek(0)
            assert (code, said.read()) == (0, b"")
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


def _become_supervisor(folder: Path, env: Mapping[str, str], before: str, said: int) -> NoReturn:
    code = 1
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(said, 1)
        os.dup2(said, 2)
        sys.stdout = sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
        os.environ.update(env)
        exec(before, {})
        code = supervisor.main([str(folder)])
    except BaseException:  # noqa: BLE001 - the parent gets to see it
        traceback.print_exc()
    finally:
        # Nothing of the tests may go on in this process.
        sys.stderr.flush()
        os._exit(code)


def gone(*those: Identity, within_s: float = 10.0) -> bool:
    """Whether the processes end within so many seconds."""
    deadline = time.monotonic() + within_s
    while any(identity.alive(one) for one in those):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
