"""When the screen is painted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.app import App

_TURNS = 3
"""Turns of the event loop until every widget that was changed has told the screen: its task wakes, is idle, tells."""


@asynccontextmanager
async def painted_together(app: App[object]) -> AsyncIterator[None]:
    """All widgets that are changed inside are painted in one frame.

    Textual paints as soon as the first of them says that it changed, and the others a sixtieth of a second later.
    """
    with app.batch_update():
        yield
        for _ in range(_TURNS):
            await asyncio.sleep(0)
