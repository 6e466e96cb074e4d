"""A day and a thousand rounds of the app in short, and what must not grow meanwhile.

The app runs without a terminal, against a loopback Hub, with the clock that a caller moves.
"""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import psutil
from loopback_hub import LoopbackHub, Repository, status
from parquet_builder import parquet
from screen_pilot import ScreenPilot

from tui.app import TrnModelsApp

NEWEST = {"neuronx_cc": "2.28.7631.0", "library_version": "5.23.1"}
RECORDS = 400
COMES_AND_GOES = 3
"""A scrollbar and a message are widgets with a task each."""
WORDS = ("one", "acme-1", "7b", "nothing-like-this", "acme 3")


@dataclass(frozen=True, slots=True)
class Vitals:
    """What an app at rest has."""

    resident_bytes: int
    threads: int
    files: int
    """Open file descriptors of the process."""
    tasks: int
    """Of asyncio: one for each widget and timer."""
    widgets: int

    def grown_since(self, before: Vitals, share: float = 0.1) -> list[str]:
        """What has grown: memory by more than `share`, anything else by more than `COMES_AND_GOES`."""
        grown = []
        for each in fields(self):
            was, now = getattr(before, each.name), getattr(self, each.name)
            if now > (was * (1 + share) if each.name == "resident_bytes" else was + COMES_AND_GOES):
                grown.append(f"{each.name}: {was:,} -> {now:,}")
        return grown


class Clock:
    """Stands for `datetime` in modules that ask it for the time."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def now(self, zone: object = UTC) -> datetime:
        return datetime.now(UTC) + self.ahead


@contextmanager
def moved_clock() -> Iterator[Clock]:
    """The clock of the part that asks the Hub."""
    clock = Clock()
    with patch("tui.screens.data_screen.datetime", clock):
        yield clock


def records(number: int) -> bytes:
    """A parquet file in which the first record has another time for each `number`."""
    rows = [
        {"model_id": f"acme-{row % 40}/model-{row}-7b", "run_py": f"print({row})\n" * 20, "error": None, **NEWEST}
        for row in range(RECORDS)
    ]
    rows[0]["wall_s"] = float(number + 1)
    return parquet(*rows)


async def vitals(app: TrnModelsApp, hub: LoopbackHub) -> Vitals:
    """Of an app at rest; what the Hub has noted of requests is thrown away before."""
    hub.forget_requests()
    process = psutil.Process()
    for _ in range(40):
        await asyncio.sleep(0.05)
        if not any(thread.daemon and thread.name.startswith("trn-models") for thread in threading.enumerate()):
            break
    gc.collect()
    return Vitals(
        process.memory_info().rss, threading.active_count(), process.num_fds(), len(asyncio.all_tasks()),
        len(app._registry),
    )  # fmt: skip


async def one_round(pilot: ScreenPilot[int], number: int) -> None:
    """Views, a search, the cursor, a detail and back."""
    await pilot.press("123"[number % 3])
    await pilot.press("slash", *WORDS[number % len(WORDS)])
    await pilot.press("enter", "down", "pagedown", "enter")
    await pilot.press("pagedown", "escape", "slash", "escape", "escape", "1")


async def one_look(pilot: ScreenPilot[int], clock: Clock, hub: LoopbackHub, dataset: Repository, number: int) -> None:
    """The app asks the Hub by itself: mostly nothing is new, now and then a file is, or the Hub is down."""
    screen = pilot.app.screen_stack[0]
    if number % 7 == 3:
        dataset.add_revision({"a.parquet": records(number)})
    if number % 5 == 4:
        hub.set_fault("/api/datasets", status(503))
    before = screen.next_look
    clock.ahead += max(before - clock.now(), timedelta())
    screen.look_if_due()
    await pilot.until(lambda: screen.next_look != before and not screen.fetching)
    hub.clear_faults()


async def steadily(
    app: TrnModelsApp, hub: LoopbackHub, times: int, work: Callable[[int], Awaitable[None]]
) -> tuple[Vitals, Vitals]:
    """Do it so many times; the vitals after the first fifth, in which things are loaded and kept, and at the end."""
    first = max(times // 5, 1)
    for number in range(first):
        await work(number)
    before = await vitals(app, hub)
    for number in range(first, times):
        await work(number)
    return before, await vitals(app, hub)
