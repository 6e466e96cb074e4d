"""Lets the app live for a day, and be used a thousand times, and says what has grown.

    python tests/soak/long_life.py --rounds 1000 --hours 24

The day is one of the clock that the app asks; the Hub is a loopback one, which changes and fails now and then.
Wrong is memory that grows by more than a tenth after the first fifth, and more threads, files, tasks or widgets.
Ends with 1 when anything was wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "ui"))
sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

from long_life import RECORDS, Vitals, moved_clock, one_look, one_round, records, steadily
from loopback_hub import LoopbackHub
from parquet_builder import DATASET
from screen_pilot import NotedThread, ScreenPilot

from tui import background
from tui.app import TrnModelsApp
from tui.settings import Settings


async def live(hub: LoopbackHub, folder: Path, rounds: int, hours: int) -> dict[str, tuple[Vitals, Vitals]]:
    dataset = hub.add_dataset(DATASET, {"a.parquet": records(0)})
    for place in range(RECORDS // 2):
        hub.add_model(
            f"acme-{place % 40}/model-{place}-7b", pipeline_tag="text-generation", trendingScore=900 - place,
            downloads=place * 1000, library_name="transformers",
        )  # fmt: skip
    app = TrnModelsApp(Settings(cache_dir=folder / "cache", state_dir=folder / "state", config_dir=folder / "config"))
    grown = {}
    with moved_clock() as clock:
        async with app.run_test(size=(120, 40)):
            pilot = ScreenPilot(app)
            screen = app.screen_stack[0]
            await pilot.until(lambda: "acme-0/model-0-7b" in pilot.text and screen.next_look is not None)
            looks = hours * 2
            grown["looks"] = await steadily(
                app, hub, looks, lambda number: one_look(pilot, clock, hub, dataset, number)
            )
            grown["rounds"] = await steadily(app, hub, rounds, lambda number: one_round(pilot, number))
    return grown


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--hours", type=int, default=24)
    given = parser.parse_args()
    background.threading.Thread = NotedThread  # type: ignore[misc]
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name, LoopbackHub() as hub:
        os.environ |= {"HF_ENDPOINT": hub.url, "HF_HOME": f"{name}/huggingface", "HOME": name}
        lived = asyncio.run(live(hub, Path(name), given.rounds, given.hours))
    wrong = 0
    for what, (before, after) in lived.items():
        grown = after.grown_since(before)
        wrong += len(grown)
        print(f"{what}: {before} -> {after}" + (f"; GROWN: {', '.join(grown)}" if grown else ""))
    print(f"{given.hours} h, {given.rounds} rounds in {time.monotonic() - began:.0f} s: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
