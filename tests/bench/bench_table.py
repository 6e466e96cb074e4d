"""What the table costs for each key, against the least that Textual can draw, in the same run.

    python tests/bench/bench_table.py [--rows 10000 1000000] [--repeat 200] [--size 120x40]

The baseline is a bare line-API widget of the same size that draws one plain text on each line: its "two lines" and its
"whole window". CPU time of the process counts, from the call until the screen is painted, so that neither Textual's
60 Hz paint timer nor other programs count; bytes are what goes to the terminal.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl
from textual.app import App, ComposeResult
from textual.drivers.headless_driver import HeadlessDriver
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.strip import Segment, Strip
from textual.widget import Widget
from textual.widgets import Static

from tui.catalog.verdict import Verdict
from tui.widgets.model_table import ModelTable


class CountingDriver(HeadlessDriver):
    """Counts the bytes that would go to the terminal."""

    written = 0
    # A driver that says it is headless is given nothing to write.
    is_headless = False

    def write(self, data: str) -> None:
        CountingDriver.written += len(data.encode())


class Bare(ScrollView):
    """The floor: one ready text on each line."""

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        return Strip([Segment(f"line {y}".ljust(width), self.rich_style)], width)


class Bench(App[None]):
    """A title, the widget, a footer."""

    CSS = "Static { height: 1; }"

    def __init__(self, widget: Widget) -> None:
        super().__init__(driver_class=CountingDriver)
        self.widget = widget

    def compose(self) -> ComposeResult:
        yield Static("title")
        yield self.widget
        yield Static("footer")


@dataclass(frozen=True)
class Cost:
    """Medians of one kind of key."""

    milliseconds: float
    kilobytes: float


def lines(rows: int) -> pl.DataFrame:
    """Made-up lines with the columns that the table draws."""
    number = pl.int_range(rows, dtype=pl.UInt32)
    names = pl.format("acme-{}/Model-{}-8B-Instruct", number % 97, number)
    return pl.select(
        model_id=names,
        key=names.str.to_lowercase(),
        verdict=pl.lit("PASS").cast(pl.Enum([each.value for each in Verdict])),
        word=pl.lit(None, pl.String),
        note=pl.lit(""),
        tp=(number % 16).cast(pl.Int32),
        wall_s=(number % 4000).cast(pl.Int32),
        hbm_peak_gb=(number % 240) / 10,
        hbm_capacity_gb=pl.lit(24.0),
        cpu_match=pl.lit("yes"),
        english=pl.lit(None, pl.String),
        unconverted=pl.lit(None, pl.String),
        disagree=pl.lit(""),
        rank=number + 1,
        figure=number.cast(pl.Float64),
    )


async def painted(widget: Widget) -> None:
    """Wait until what was asked for is on the screen."""
    done = asyncio.Event()
    widget.call_after_refresh(done.set)
    await done.wait()


async def cost(widget: Widget, act: Callable[[int], object], repeat: int) -> Cost:
    """Medians over `repeat` calls of `act(number)`."""
    times, sizes = [], []
    for number in range(repeat + 5):
        written, start = CountingDriver.written, time.process_time()
        act(number)
        await painted(widget)
        if number >= 5:
            times.append(time.process_time() - start)
            sizes.append(CountingDriver.written - written)
    return Cost(statistics.median(times) * 1000, statistics.median(sizes) / 1000)


async def floor(size: tuple[int, int], repeat: int) -> dict[str, Cost]:
    """What Textual itself needs for two lines and for the whole window."""
    widget = Bare()
    async with Bench(widget).run_test(headless=False, size=size) as pilot:
        await pilot.pause()
        width = widget.size.width
        return {
            "two lines": await cost(
                widget, lambda n: widget.refresh(Region(0, n % 9, width, 1), Region(0, n % 9 + 1, width, 1)), repeat
            ),
            "whole window": await cost(widget, lambda n: widget.refresh(), repeat),
        }


async def table(rows: int, size: tuple[int, int], repeat: int) -> dict[str, Cost]:
    """What the table needs for each kind of key."""
    widget = ModelTable()
    every = lines(rows)
    found = [every.filter(pl.col("key").str.contains(word)) for word in ("model-1", "model-12", "model-123")]
    async with Bench(widget).run_test(headless=False, size=size) as pilot:
        widget.show(every)
        await pilot.pause()
        return {
            "cursor key": await cost(widget, lambda n: widget.action_move(1 if n % 20 < 10 else -1), repeat),
            "cursor key that scrolls": await cost(widget, lambda n: widget.action_move(1), repeat),
            "page down": await cost(widget, lambda n: widget.action_page(1.0), min(repeat, rows // 40 - 10)),
            "search key": await cost(widget, lambda n: widget.show(found[n % 3], words=["model", str(n % 3)]), repeat),
            "same lines again": await cost(widget, lambda n: widget.show(every, words=["model"]), repeat),
        }


async def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--rows", type=int, nargs="+", default=[10_000])
    options.add_argument("--repeat", type=int, default=200)
    options.add_argument("--size", default="120x40")
    given = options.parse_args()
    width, height = map(int, given.size.split("x"))

    base = await floor((width, height), given.repeat)
    print(f"{'':>10}  {'':<24} {'ms':>8} {'x floor':>8} {'KB':>6}")
    for name, spent in base.items():
        print(f"{'floor':>10}  {name:<24} {spent.milliseconds:8.2f} {1:8.1f} {spent.kilobytes:6.1f}")
    for rows in given.rows:
        for name, spent in (await table(rows, (width, height), given.repeat)).items():
            against = base["two lines" if name == "cursor key" else "whole window"]
            ratio = spent.milliseconds / against.milliseconds
            print(f"{rows:>10,}  {name:<24} {spent.milliseconds:8.2f} {ratio:8.1f} {spent.kilobytes:6.1f}")


if __name__ == "__main__":
    asyncio.run(main())
