"""Running the real app without a terminal, and reading its screen as a person does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from parquet_builder import parquet
from read_here import read_in_this_process
from rerun_pilot import SCRIPT, Machine
from screen_pilot import NotedThread, ScreenPilot, draw_at_rest

from tui import clipboard
from tui.app import TrnModelsApp
from tui.catalog import snapshot as snapshots
from tui.rerun.preparation import Wanted
from tui.screens.browse import BrowseScreen
from tui.settings import Settings

Started = Callable[..., AbstractAsyncContextManager["Reader"]]


class Reader(ScreenPilot[int]):
    """A pilot of the whole app."""

    app: TrnModelsApp

    @property
    def browse(self) -> BrowseScreen:
        """The main screen, whatever lies over it."""
        return next(screen for screen in self.app.screen_stack if isinstance(screen, BrowseScreen))

    async def rest_on(self, model_id: str) -> None:
        """Put the cursor on this model of the list, and see it there."""
        self.browse.go_to(model_id)
        await self.until(lambda: any(line.startswith("▌") and model_id in line for line in self.lines))


@pytest.fixture(autouse=True)
def _what_a_pilot_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for work in the background that takes a moment only, and draws when the app is at rest."""
    monkeypatch.setattr("tui.background.threading", SimpleNamespace(Thread=NotedThread))
    monkeypatch.setattr("textual.screen.Screen._compositor_refresh", draw_at_rest)


@pytest.fixture(autouse=True)
def _files_are_read_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here waits for a child to start: what a file does to the process that reads it is tested elsewhere."""
    read_in_this_process(monkeypatch.setattr)


@pytest.fixture(autouse=True)
def _no_look_at_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests of other things start no neuron-ls and no Pythons; those of the host call `look_at_machine`."""
    monkeypatch.setattr("tui.screens.rerun_keys.LOOK_AFTER_S", 3600.0)


@pytest.fixture(autouse=True)
def copies(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was copied, in order; nothing reaches a real clipboard."""
    copied: list[str] = []

    def copy(text: str, *_: object, **__: object) -> clipboard.Copied:
        copied.append(text)
        return clipboard.Copied("sent to your terminal, 4.1 KB", True, clipboard.Route.OSC52)

    monkeypatch.setattr(clipboard, "copy", copy)
    return copied


@pytest.fixture
def records_of(tmp_path: Path) -> Callable[..., Path]:
    """`start(data=records_of({...}, {...}))`: a file of these records, for tests to which their way here is nothing."""

    def write(*records: dict[str, Any], content: bytes | None = None) -> Path:
        path = tmp_path / "records.parquet"
        path.write_bytes(parquet(*records) if content is None else content)
        return path

    return write


@pytest.fixture
def start(settings: Settings) -> Started:
    """`async with start(width, height, sample=True) as reader` runs the app."""

    @asynccontextmanager
    async def run(
        width: int = 120, height: int = 40, search: str = "", model: str = "", **changes: object
    ) -> AsyncIterator[Reader]:
        app = TrnModelsApp(replace(settings, **changes), search, model)  # type: ignore[arg-type]
        async with app.run_test(size=(width, height), notifications=True):
            reader = Reader(app)
            await reader.until(lambda: any(isinstance(screen, BrowseScreen) for screen in app.screen_stack))
            if changes.get("sample"):
                await reader.until(lambda: reader.browse.selection is not None)
            yield reader

    return run


@pytest.fixture(scope="session")
def wanted() -> Wanted:
    """What the rerun screen is opened on: the first record of the sample."""
    record = snapshots.record_at(snapshots.open_sample(), 0)
    return Wanted(record=record, script=SCRIPT, dataset="acme/records", revision="0123abc", sample=True)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """This machine as the rerun screen sees it."""
    return Machine(monkeypatch)
