"""Running the real app without a terminal, and reading its screen as a person does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from time import monotonic

import pytest
from textual.pilot import Pilot

from tui.app import TrnModelsApp
from tui.screens.browse import BrowseScreen
from tui.settings import Settings

Started = Callable[..., AbstractAsyncContextManager["Reader"]]


class Reader:
    """A pilot that also reads."""

    def __init__(self, app: TrnModelsApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def lines(self) -> list[str]:
        """The screen, a text for each line."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    @property
    def text(self) -> str:
        """The whole screen."""
        return "\n".join(self.lines)

    @property
    def browse(self) -> BrowseScreen:
        """The main screen, whatever lies over it."""
        return next(screen for screen in self.app.screen_stack if isinstance(screen, BrowseScreen))

    @property
    def said(self) -> list[str]:
        """Every notification so far."""
        return [notification.message for notification in self.app._notifications]

    async def press(self, *keys: str) -> None:
        """Press keys and let everything that follows happen."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Type into whatever has the focus."""
        names = {"/": "slash", "-": "minus", ".": "full_stop", " ": "space", "_": "underscore"}
        await self.press(*(names.get(letter, letter) for letter in text))

    async def until(self, condition: Callable[[], object], seconds: float = 30.0) -> None:
        """Wait for work in the background to have its effect."""
        end = monotonic() + seconds
        while monotonic() < end:
            await self.pilot.pause()
            if condition():
                return
            await self.pilot.pause(0.02)
        raise AssertionError(f"it did not happen within {seconds} s; the screen says:\n{self.text}")


@pytest.fixture(autouse=True)
def _no_look_at_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests of other things start no neuron-ls and no Pythons; those of the host call `look_at_machine`."""
    monkeypatch.setattr("tui.screens.rerun_keys.LOOK_AFTER_S", 3600.0)


@pytest.fixture
def start(settings: Settings) -> Started:
    """`async with start(width, height, sample=True) as reader` runs the app."""

    @asynccontextmanager
    async def run(
        width: int = 120, height: int = 40, search: str = "", model: str = "", **changes: object
    ) -> AsyncIterator[Reader]:
        app = TrnModelsApp(replace(settings, **changes), search, model)  # type: ignore[arg-type]
        async with app.run_test(size=(width, height), notifications=True) as pilot:
            reader = Reader(app, pilot)
            await reader.until(lambda: any(isinstance(screen, BrowseScreen) for screen in app.screen_stack))
            if changes.get("sample"):
                await reader.until(lambda: reader.browse.selection is not None)
            yield reader

    return run
