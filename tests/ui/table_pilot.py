"""A table of models alone in an app, and reading it as a person does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import polars as pl
from rich.segment import Segment
from screen_pilot import ScreenPilot
from textual.app import App, ComposeResult
from textual.message import Message
from textual.widgets import Input

from tui.themes import THEMES
from tui.widgets.model_table import ModelTable

EVENTS = (ModelTable.Highlighted, ModelTable.Opened, ModelTable.EndReached, ModelTable.SortRequested)


class WatchedTable(ModelTable):
    """Notes which lines of the window are drawn anew."""

    drawn: set[int]

    def draw_line(self, y: int, width: int) -> list[Segment]:
        self.drawn.add(y)
        return super().draw_line(y, width)


class TableApp(App[None]):
    """A table over something else that can have the focus."""

    AUTO_FOCUS = "ModelTable"
    CSS = "Input { border: none; height: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.table = WatchedTable()
        self.table.drawn = set()
        self.told: list[Message] = []

    def compose(self) -> ComposeResult:
        yield self.table
        yield Input()

    def on_mount(self) -> None:
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = "dark"


class Reader(ScreenPilot[None]):
    """A pilot of the table."""

    app: TableApp

    @property
    def table(self) -> WatchedTable:
        return self.app.table

    def strip(self, y: int) -> list[Segment]:
        """Line `y` of the table as it is painted."""
        return list(self.app.screen._compositor.render_strips()[y])

    @property
    def lines(self) -> list[str]:
        """The table's lines as painted, without the scrollbar's cell."""
        strips = self.app.screen._compositor.render_strips()[: self.table.size.height]
        return ["".join(segment.text for segment in strip)[: self.table.size.width - 1].rstrip() for strip in strips]

    @property
    def at_cursor(self) -> str:
        """The line with the cursor's mark."""
        (line,) = [line for line in self.lines if line.startswith("▌")]
        return line

    def told(self, kind: type[Message]) -> list[Any]:
        """The messages of one kind so far."""
        return [message for message in self.app.told if isinstance(message, kind)]

    @property
    def highlighted(self) -> list[str | None]:
        """The ids that the cursor was told to rest on, in order."""
        return [message.row and message.row["model_id"] for message in self.told(ModelTable.Highlighted)]

    async def show(self, lines: pl.DataFrame, words: Sequence[str] = (), **options: Any) -> None:
        self.table.show(lines, words=words, **options)
        await self.pause()

    async def click_at(self, x: int, y: int, times: int = 1) -> None:
        """Click on a cell of the table."""
        await self.click(WatchedTable, offset=(x, y), times=times)


@asynccontextmanager
async def table(
    lines: pl.DataFrame | None = None, size: tuple[int, int] = (80, 21), **options: Any
) -> AsyncIterator[Reader]:
    """A table of 80 x 20: the header and 19 models."""
    app = TableApp()

    def note(message: Message) -> None:
        # The hook sees a message at every widget that it bubbles through.
        if isinstance(message, EVENTS) and not any(message is each for each in app.told):
            app.told.append(message)

    async with app.run_test(size=size, message_hook=note, notifications=True):
        reader = Reader(app)
        if lines is not None:
            await reader.show(lines, **options)
        yield reader
