"""Write `screenshots/*.svg` from the real app on the bundled sample.

python tests/tools/take_screenshots.py            # into screenshots/
python tests/tools/take_screenshots.py FOLDER
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from tui.app import TrnModelsApp
from tui.screens.browse import BrowseScreen
from tui.settings import Settings

SCENES: dict[str, tuple[tuple[int, int], tuple[str, ...]]] = {
    "selected-120x40": ((120, 40), ("slash", *"quartz", "enter")),
    "trending-120x40": ((120, 40), ("2", "j", "j")),
    "detail-pass-120x40": ((120, 40), ("slash", *"quartz", "space", *"8b", "space", *"instruct", "enter", "enter")),
    "detail-fail-120x40": ((120, 40), ("slash", *"garnet", "enter", "enter")),
    "selected-80x24": ((80, 24), ()),
    "detail-80x24": ((80, 24), ("enter",)),
    "versions-120x40": ((120, 40), ("c",)),
    "selected-200x60": ((200, 60), ()),
}
"""File name -> (columns, rows) and the keys that lead there."""


async def take(name: str, folder: Path, settings: Settings) -> None:
    """One scene in an app of its own."""
    (width, height), keys = SCENES[name]
    app = TrnModelsApp(settings)
    async with app.run_test(size=(width, height)) as pilot:
        while not (isinstance(app.screen, BrowseScreen) and app.screen.selection is not None):
            await pilot.pause(0.05)
        for key in keys:
            await pilot.press(key)
        await pilot.pause(1.5)
        (folder / f"{name}.svg").write_text(app.export_screenshot(title="trn-models"), encoding="utf-8")


def main() -> None:
    """Take every scene, or those whose names follow the folder."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["HF_ENDPOINT"] = "https://huggingface.co"
    with tempfile.TemporaryDirectory() as temporary:
        own = Path(temporary)
        settings = Settings(sample=True, cache_dir=own / "cache", state_dir=own / "state", config_dir=own / "config")
        for name in sys.argv[2:] or SCENES:
            asyncio.run(take(name, folder, settings))
            print(folder / f"{name}.svg")


if __name__ == "__main__":
    main()
