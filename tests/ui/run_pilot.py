"""Runs made of files, and opening them as a person does."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from tui.rerun import identity, runs
from tui.rerun.news import first_to_tell
from tui.rerun.plan import Kind, Plan
from tui.rerun.runs import Outcome, Result, Run, State
from tui.screens.dialogs import ConfirmDialog
from tui.screens.run_log import RunLogScreen
from tui.screens.runs import RunsScreen
from tui.settings import Settings

NOW = datetime.now(UTC)


def made(settings: Settings, model_id: str = "acme/Model-8B", kind: Kind = Kind.RUN, **more: object) -> Run:
    """A run folder as `start` makes it, with nothing started."""
    plan = Plan(
        kind=kind, model_id=model_id, argv=("python3", "run.py"), script="print(1)\n", cores=4,
        about={"record": {"result": "PASS", "wall_s": 372, "tp": 4}}, **more,
    )  # fmt: skip
    return runs.create(settings, plan)


def going(run: Run, **fields: object) -> Run:
    """As if its supervisor, this process, were at work."""
    me = identity.of(os.getpid())
    assert me is not None
    supervisor = {"pid": me.pid, "started": me.started, "boot_id": me.boot_id}
    began = (NOW - timedelta(seconds=65)).isoformat()
    runs.update_state(
        run.folder,
        **{"state": "running", "started_at": began, "heartbeat_at": NOW.isoformat(), "supervisor": supervisor}
        | {"cores": [0, 1, 2, 3], "devices": [0], "processes": 5, "ranks": 4, **fields},
    )
    return runs.read(run.folder)


def over(
    run: Run, result: Result = Result.DONE, exit_code: int | None = 0, *, told: bool = True, **more: object
) -> Run:
    """As if it had ended a moment ago, and somebody was `told`."""
    runs.update_state(run.folder, state="finished", started_at=(NOW - timedelta(seconds=65)).isoformat())
    runs.write_outcome(run.folder, Outcome(result=result, ended_at=NOW, exit_code=exit_code, wall_s=65.0, **more))
    ended = runs.read(run.folder)
    if told:
        first_to_tell(ended)
    return ended


def log_of(run: Run, text: str | bytes) -> None:
    data = text if isinstance(text, bytes) else text.encode()
    with (run.folder / "log").open("ab") as log:
        log.write(data)


def lost(run: Run, **fields: object) -> Run:
    """As if its supervisor had been killed in an earlier boot."""
    going(run, supervisor={"pid": os.getpid(), "started": 1, "boot_id": "another"}, **fields)
    lost = runs.read(run.folder)
    assert lost.state is State.LOST
    return lost


async def listed(reader, run: Run) -> None:
    """Open the list of runs and wait for this one."""
    await reader.press("R")
    await reader.until(lambda: isinstance(reader.app.screen, RunsScreen) and run.model_id in reader.text)


async def opened(reader, run: Run) -> None:
    """Open its log from the list."""
    await listed(reader, run)
    await reader.press("enter")
    await reader.until(lambda: isinstance(reader.app.screen, RunLogScreen))


async def asked(reader, title: str) -> None:
    """Wait for the question."""
    await reader.until(lambda: isinstance(reader.app.screen, ConfirmDialog) and title in reader.text)


class Held:
    """Stands for work that takes long, as a read of a file server that hangs: calls wait until it is let go."""

    def __init__(self, real) -> None:
        self.real = real
        self.go_on = threading.Event()
        self.calls = self.at_once = self.most_at_once = 0

    def __call__(self, *args, **options):
        self.calls += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            assert self.go_on.wait(20)
            return self.real(*args, **options)
        finally:
            self.at_once -= 1


@contextmanager
def held(monkeypatch, place: object, name: str):
    """`place.name` hangs for the time of the block."""
    slow = Held(getattr(place, name))

    def called(*args, **options):  # a function, as it may stand for a method
        return slow(*args, **options)

    monkeypatch.setattr(place, name, called)
    try:
        yield slow
    finally:
        slow.go_on.set()


def noting(handle, seen: list[object]):
    def noted(self, event) -> None:
        handle(self, event)
        seen.append(event)

    return noted
