"""Write `screenshots/*.svg` from the real app on the bundled sample.

python tests/tools/take_screenshots.py            # into screenshots/
python tests/tools/take_screenshots.py FOLDER
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tui.app import TrnModelsApp
from tui.screens.browse import BrowseScreen
from tui.settings import Settings


@dataclass(frozen=True)
class Scene:
    """A terminal of `size` (columns, rows), the keys that lead there, and words that must be on screen."""

    size: tuple[int, int]
    keys: tuple[str, ...]
    words: tuple[str, ...]


QUARTZ_8B = ("slash", *"quartz", "space", *"8b", "space", *"instruct", "enter", "enter")
GARNET_9B = ("slash", *"garnet", "space", *"9b", "enter", "enter")

SCENES: Mapping[str, Scene] = {
    "selected-120x40": Scene(
        (120, 40), ("slash", *"quartz", "enter"), ("● PASS", "✗ FAIL", "sample/Quartz-8B-Instruct")
    ),
    "trending-120x40": Scene((120, 40), ("2", "j", "j"), ("● PASS", "· not tested", "trend", "sample ranking")),
    "detail-pass-120x40": Scene((120, 40), QUARTZ_8B, ("PASS on 4 cores", "sample/Quartz-8B-Instruct", "Run it again")),
    "detail-fail-120x40": Scene((120, 40), GARNET_9B, ("FAIL on 4 cores", "sample/Garnet-9B")),
    "selected-80x24": Scene((80, 24), (), ("● PASS", "sample/")),
    "detail-80x24": Scene((80, 24), ("enter",), ("PASS on",)),
    "versions-120x40": Scene((120, 40), ("c",), ("2.28.7631.0", "2.27.5334.0")),
    "selected-200x60": Scene((200, 60), (), ("● PASS", "✗ FAIL", "PASS on")),
}
"""File name -> what is on it."""

WAIT_S = 15.0


async def take(name: str, folder: Path, settings: Settings) -> None:
    """One scene in an app of its own. Raises SystemExit when the scene does not come to show its words."""
    scene = SCENES[name]
    app = TrnModelsApp(settings)
    async with app.run_test(size=scene.size) as pilot:
        while not (isinstance(app.screen, BrowseScreen) and app.screen.selection is not None):
            await pilot.pause(0.05)
        for key in scene.keys:
            await pilot.press(key)
        deadline = time.monotonic() + WAIT_S
        while missing := [word for word in scene.words if word not in text_of(app)]:
            if time.monotonic() > deadline:
                raise SystemExit(f"{name} does not show {', '.join(missing)}:\n{text_of(app)}")
            await pilot.pause(0.1)
        await pilot.pause(1.5)
        (folder / f"{name}.svg").write_text(app.export_screenshot(title="trn-models"), encoding="utf-8")


def text_of(app: TrnModelsApp) -> str:
    """The screen as it is painted."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


def main() -> None:
    """Take every scene, or those whose names follow the folder."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["HF_ENDPOINT"] = "https://huggingface.co"
    with tempfile.TemporaryDirectory() as temporary:
        own = Path(temporary)
        settings = Settings(
            sample=True, theme="dark", cache_dir=own / "cache", state_dir=own / "state", config_dir=own / "config"
        )
        for name in sys.argv[2:] or SCENES:
            asyncio.run(take(name, folder, settings))
            print(folder / f"{name}.svg")


if __name__ == "__main__":
    main()
