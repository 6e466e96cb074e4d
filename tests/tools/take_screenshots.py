"""Write `screenshots/*.svg` from the real app on the bundled sample and a laid out host.

The host is a folder with the files of a trn2.48xlarge, and a venv with empty packages of a stack; runs are real
processes of the demonstration script.

python tests/tools/take_screenshots.py            # into screenshots/
python tests/tools/take_screenshots.py FOLDER
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import fake_hosts
from made_packages import make_venv, write_wheel

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
    "overview-120x40": Scene(
        (120, 40), ("4", "j", "j"), ("Pass rate by stack", "61 %", "Kinds of failure", "no error recorded")
    ),
    "versions-120x40": Scene((120, 40), ("c",), ("2.28.7631.0", "2.27.5334.0")),
    "selected-200x60": Scene((200, 60), (), ("● PASS", "✗ FAIL", "PASS on")),
    "rerun-checklist-120x40": Scene((120, 40), (*QUARTZ_8B, "r"), ("60 of 64 not in use", "Fetch weights")),
    "run-log-120x40": Scene((120, 40), (*QUARTZ_8B, "r", "WAIT", "r", "y"), ("compiling graph 3 of 6", "4-7")),
    "run-finished-120x40": Scene((120, 40), (*GARNET_9B, "r", "WAIT", "r", "y"), ("exit code 1", "What to do")),
    "compare-120x40": Scene(
        (120, 40), ("slash", *"quartz-vl", "enter", "x"), ("! regression", "transformers 5.18.2", "it passed on")
    ),
    "two-stacks-120x40": Scene((120, 40), ("X", "enter", "enter"), ("! 1 broken", "8 fixed", "PASS → ✗ FAIL")),
    "runs-120x40": Scene((120, 40), ("R",), ("Quartz-8B-Instruct", "Garnet-9B")),
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
        if isinstance(app.screen, BrowseScreen):
            app.screen.look_at_machine()
        while not (app.screen.host and app.screen.interpreters):
            await pilot.pause(0.05)
        for key in scene.keys:
            if key == "WAIT":
                while "Checklist" not in text_of(app):
                    await pilot.pause(0.05)
            else:
                await pilot.press(key)
        deadline = time.monotonic() + WAIT_S
        while missing := [word for word in scene.words if word not in text_of(app)]:
            if time.monotonic() > deadline:
                raise SystemExit(f"{name} does not show {', '.join(missing)}:\n{text_of(app)}")
            await pilot.pause(0.1)
        await pilot.pause(0.1 if "log" in name else 1.5)
        (folder / f"{name}.svg").write_text(app.export_screenshot(title="trn-models"), encoding="utf-8")


def text_of(app: TrnModelsApp) -> str:
    """The screen as it is painted."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


def stack_of_the_sample(folder: Path) -> Path:
    """A venv with empty packages in the versions of the sample's newest stack, transformers aside; its python."""
    versions = {
        "torch": "2.14.0", "torch-neuronx": "2.14.3.0", "neuronx-cc": "2.28.7631.0", "nki": "0.7.0",
        "transformers": "5.21.0", "accelerate": "1.14.0",
    }  # fmt: skip
    wheels = [write_wheel(folder, name, version) for name, version in versions.items()]
    return make_venv(folder / "venv-pytorch-2.14", wheels)


def main() -> None:
    """Take every scene, or those whose names follow the folder."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["HF_ENDPOINT"] = "https://huggingface.co"
    own = Path(tempfile.gettempdir()) / "demo"  # the same each time: it is in the pictures
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir()
    try:
        os.environ["SAMPLE_SECONDS"] = "6"
        os.environ["HF_HOME"] = str(own / "huggingface")
        settings = Settings(
            sample=True,
            theme="dark",
            cache_dir=own / "cache",
            state_dir=own / "state",
            config_dir=own / "config",
            neff_cache_dir=own / "neff_cache",
            host_root=fake_hosts.trn2_48xlarge(own / "host", {0: [(4711, "python3 train.py")]}),
            python=str(stack_of_the_sample(own)),
        )
        for name in sys.argv[2:] or SCENES:
            asyncio.run(take(name, folder, settings))
            print(folder / f"{name}.svg")
    finally:
        shutil.rmtree(own, ignore_errors=True)


if __name__ == "__main__":
    main()
