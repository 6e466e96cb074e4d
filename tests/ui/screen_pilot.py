"""Driving an app without a terminal: keys and the mouse as a person uses them, and what then stands on the screen.

Textual's own pilot waits after every key until the process uses little CPU time, 60 ms at least. This one waits until
the event loop has nothing left to do, which is exact and takes no longer than the app itself.
"""

from __future__ import annotations

import asyncio
import threading
import unicodedata
import weakref
from collections.abc import Callable
from time import monotonic
from typing import ClassVar

from textual import events
from textual.app import App, ReturnType
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key
from textual.pilot import Pilot
from textual.screen import Screen

MOMENT_S = 0.05
"""What begins in the background gets this long to end before a test looks: most of it is a matter of milliseconds."""


class NotedThread(threading.Thread):
    """Stands for `threading.Thread` in `tui.background`, so that a pilot knows of work that is under way."""

    of_the_app: ClassVar[weakref.WeakSet[NotedThread]] = weakref.WeakSet()

    def start(self) -> None:
        self.of_the_app.add(self)
        super().start()


_draw = Screen._compositor_refresh
_undrawn: weakref.WeakSet[Screen[object]] = weakref.WeakSet()


def draw_at_rest(screen: Screen[object]) -> None:
    """Stands for `Screen._compositor_refresh`: of the frames between a key and the rest after it the last is drawn."""
    if screen is screen.app.screen:
        _undrawn.add(screen)
    else:
        _draw(screen)


class ScreenPilot(Pilot[ReturnType]):
    """A pilot that also reads."""

    def __init__(self, app: App[ReturnType]) -> None:
        super().__init__(app)
        self._threads_before = set(NotedThread.of_the_app)

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
    def words(self) -> str:
        """The whole screen without its line breaks."""
        return " ".join(self.text.split())

    @property
    def said(self) -> list[str]:
        """Every notification so far."""
        return [notification.message for notification in self.app._notifications]

    async def press(self, *keys: str) -> None:
        """Press keys, and let everything that follows one happen before the next: names (`enter`) or characters."""
        for key in keys:
            self._send(key)
            await self.pause()

    async def type(self, text: str) -> None:
        """Type quickly into whatever has the focus: what follows the letters is waited for once."""
        self.type_in_one_breath(*text)
        await self.pause()

    def type_in_one_breath(self, *keys: str) -> None:
        """All keys are in the app's queue before the first is handled, as when they come in one packet."""
        for key in keys:
            self._send(key)

    def _send(self, key: str) -> None:
        name = _character_to_key(key) if len(key) == 1 and not key.isalnum() else key
        try:
            character = unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(name, name)))
        except KeyError:
            character = key if len(key) == 1 else None
        driver = self.app._driver
        assert driver is not None
        driver.send_message(events.Key(name, character))

    async def resize_terminal(self, width: int, height: int) -> None:
        """Change the size of the window as its user does: the app follows at its next frame."""
        await super().resize_terminal(width, height)
        await self.until(lambda: self.app.screen._compositor.size == (width, height))

    async def pause(self, delay: float | None = None) -> None:
        """Let happen what is under way, and `delay` seconds more; the screen is drawn afterwards."""
        if delay is not None:
            await asyncio.sleep(delay)
        enough = monotonic() + MOMENT_S
        await self._rest()
        while self._works and monotonic() < enough:
            await asyncio.sleep(0.002)
            await self._rest()

    @property
    def _works(self) -> bool:
        return any(thread.is_alive() for thread in {*NotedThread.of_the_app} - self._threads_before)

    async def _rest(self) -> None:
        """Handle messages and draw until the event loop would wait for a timer, a thread or a terminal."""
        ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
        end = monotonic() + 30.0
        while True:
            while ready:
                assert monotonic() < end, "the app does not come to rest"
                await asyncio.sleep(0)
            screen = self.app.screen
            screen._on_timer_update()
            if not ready and screen in _undrawn:
                _undrawn.discard(screen)
                _draw(screen)
            if not ready:
                return

    async def until(self, condition: Callable[[], object], seconds: float = 30.0) -> None:
        """Wait for work in the background to have its effect."""
        end, nap = monotonic() + seconds, 0.005
        while True:
            await self._rest()
            if condition():
                return
            assert monotonic() < end, f"it did not happen within {seconds} s; the screen says:\n{self.text}"
            await asyncio.sleep(nap)
            nap = min(1.3 * nap, 0.05)
