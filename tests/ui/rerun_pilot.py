"""The rerun screen alone in an app, on a machine made of values, and reading it as a person does."""

from __future__ import annotations

import shlex
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from screen_pilot import ScreenPilot
from textual.app import App

import tui.app
from tui.errors import TrnModelsError
from tui.host import neuron
from tui.host.checklist import Item, Level, Surroundings
from tui.host.fit import Fit
from tui.host.interpreters import Interpreter
from tui.host.neuron import Device, Host
from tui.rerun import hub_answers, recipe, runs, start, steps, this_machine
from tui.rerun.plan import TITLES, Kind, Plan
from tui.rerun.preparation import Changes, Here, Preparation, Step, Wanted
from tui.rerun.runs import Run, State
from tui.screens.rerun import RerunScreen
from tui.settings import Settings
from tui.themes import THEMES
from tui.widgets.copy_request import CopyRequested

NO_ANSWER = "nothing yet"
SCRIPT = '"""Demonstration script."""\nprint("hello")\n'
CORES = Item(Level.OK, "cores", "4 needed, 8 not in use")
DISK = Item(Level.BLOCKING, "disk", "16.1 GB to download, 9.8 GB free", "free some first")
STACK = Item(Level.WARNING, "transformers", "5.21.0 here, tested with 5.23.1", "3 installs the tested one")
WELL = (CORES, STACK)

VENV = Interpreter(("/opt/venv/bin/python",), "/opt", "3.12.4", "/opt/venv/bin/python", packages={"torch": "2.14.0"})
DOCKER = Interpreter(("docker", "exec", "-i", "neuron", "python"), "conda", "3.11.2", "/usr/bin/python")
HOST = Host(datetime.now(UTC), "trn2.3xlarge", "Trainium2", (Device(0, (0, 1, 2, 3)), Device(1, (4, 5, 6, 7))), 2)


class RerunApp(App[None]):
    """The rerun screen alone, with the app's looks; notes what it answers."""

    CSS_PATH = Path(tui.app.__file__).with_name("app.tcss")

    def __init__(self, screen: RerunScreen) -> None:
        super().__init__()
        self.rerun = screen
        self.answer: object = NO_ANSWER
        self.copied: list[str] = []
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = "dark"

    def on_mount(self) -> None:
        self.push_screen(self.rerun, self._answered)

    def on_copy_requested(self, event: CopyRequested) -> None:
        self.copied.append(event.text)

    def _answered(self, answer: int | None) -> None:
        self.answer = answer


class Reader(ScreenPilot[None]):
    """A pilot of the rerun screen."""

    app: RerunApp

    @property
    def screen(self) -> RerunScreen:
        """The rerun screen, whatever lies over it."""
        return self.app.rerun

    def static(self, name: str) -> str:
        """All of a section, also what is scrolled away, without its line breaks."""
        return " ".join(str(self.screen.query_one(name).content).split())  # type: ignore[attr-defined]


class Machine:
    """This machine as the screen sees it, and what was asked of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.items: tuple[Item, ...] = WELL
        self.cores = 4
        self.refusals: dict[Kind, str] = {}
        self.interpreters = (VENV, DOCKER)
        self.live: tuple[Run, ...] = ()
        self.error: TrnModelsError | None = None
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.named: list[str | None] = []
        self.looked_with: list[Interpreter | None] = []
        self.prepared_with: dict[str, Any] = {}
        self.started: list[Plan] = []
        self.start_error: TrnModelsError | None = None
        self.added: list[dict[str, str]] = []
        self.hub_may_answer = threading.Event()
        self.hub_may_answer.set()
        self.hub_asked: list[Wanted] = []
        self.hub_error: TrnModelsError | None = None
        self.of_the_hub: dict[str, Any] = {}
        monkeypatch.setattr(hub_answers, "completed", self._completed)
        monkeypatch.setattr(this_machine, "interpreters_here", self._interpreters_here)
        monkeypatch.setattr(this_machine, "here", self._here)
        monkeypatch.setattr(steps, "prepare", self._prepare)
        monkeypatch.setattr(runs, "every", lambda _: self.live)
        monkeypatch.setattr(start, "start", self._start)
        monkeypatch.setattr(neuron, "in_words", lambda *_: ("trn2.3xlarge · 8 cores, 8 not in use", "8 cores"))

    def _interpreters_here(self, settings: Settings, environ: Any, also: Any = ()) -> tuple[Interpreter, ...]:
        self.named.append(settings.python)
        if settings.python is None:
            return self.interpreters
        return (Interpreter(tuple(shlex.split(settings.python)), "--python", "3.12.1"), *self.interpreters)

    def _completed(self, settings: Settings, wanted: Wanted) -> Wanted:
        assert self.hub_may_answer.wait(20)
        self.hub_asked.append(wanted)
        if self.hub_error is not None:
            raise self.hub_error
        return replace(wanted, asking=False, **self.of_the_hub)

    def _here(
        self, settings: Settings, wanted: Wanted, interpreter: Interpreter | None, environ: Any, *, added: Any
    ) -> Here:
        assert self.may_answer.wait(20)
        self.added.append(dict(added))
        self.looked_with.append(interpreter)
        if self.error is not None:
            raise self.error
        return Here(host=HOST, interpreter=interpreter, surroundings=Surroundings())

    def _prepare(
        self, settings: Settings, wanted: Wanted, here: Here, changes: Changes, environ: Any, **options: bool
    ) -> Preparation:
        self.prepared_with = {"changes": changes, **options}
        self.prepared_for = wanted
        made = tuple(self._step(kind, changes, **options) for kind in TITLES)
        sha256 = recipe.recipe_of(wanted.record, changes.script or wanted.script).script_sha256
        environment = {"PYTHONUNBUFFERED": "1", **changes.environment}
        recorded = recipe.recipe_of(wanted.record, wanted.script).script_sha256
        return Preparation(Fit(self.items), made, environment, sha256, recorded, bool(changes))

    def _step(self, kind: Kind, changes: Changes, *, queue: bool, into_own: bool) -> Step:
        if reason := self.refusals.get(kind):
            return Step(kind, TITLES[kind], "", None, reason)
        cores = self.cores if kind is Kind.RUN else 0
        plan = Plan(kind=kind, model_id="acme/one", argv=("do", kind), cores=cores, queue=queue, edited=bool(changes))
        return Step(kind, TITLES[kind], f"do-it --{kind} run.py", plan)

    def _start(self, settings: Settings, plan: Plan) -> Run:
        assert self.may_answer.wait(20)
        if self.start_error is not None:
            raise self.start_error
        self.started.append(plan)
        return run_of(7, plan.kind)


def run_of(run_id: int, kind: Kind, state: State = State.RUNNING) -> Run:
    return Run(
        id=run_id,
        folder=Path("/nowhere"),
        kind=kind,
        model_id="sample/Quartz-8B-Instruct",
        state=state,
        created_at=datetime.now(UTC),
    )


@asynccontextmanager
async def opened(
    settings: Settings, wanted: Wanted, size: tuple[int, int] = (120, 40), *, known: bool = True, **options: Any
) -> AsyncIterator[Reader]:
    app = RerunApp(RerunScreen(settings, wanted, **options))
    async with app.run_test(size=size, notifications=True):
        reader = Reader(app)
        if known:
            await reader.until(lambda: "Checklist" in reader.text)
        yield reader
