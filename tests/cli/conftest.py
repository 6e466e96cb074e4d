"""The command line in this process, with what it changes of the process put back."""

from __future__ import annotations

import logging
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tui.cli import app_command
from tui.settings import Settings


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for kind in ("CACHE", "STATE", "CONFIG"):
        monkeypatch.setenv(f"TRN_MODELS_{kind}_DIR", str(tmp_path / kind.lower()))
    root = logging.getLogger()
    handlers, level, hook = [*root.handlers], root.level, threading.excepthook
    yield
    for handler in [*root.handlers]:
        if handler not in handlers:
            root.removeHandler(handler)
            handler.close()
    for handler in handlers:
        if handler not in root.handlers:
            root.addHandler(handler)
    root.setLevel(level)
    logging.captureWarnings(False)
    threading.excepthook = hook


@pytest.fixture
def wait_until() -> Callable[[Callable[[], object]], None]:
    """Wait for another process to bring something about."""

    def wait(happened: Callable[[], object], seconds: float = 20) -> None:
        end = time.monotonic() + seconds
        while not happened():
            assert time.monotonic() < end, "it did not happen"
            time.sleep(0.02)

    return wait


@pytest.fixture
def log(tmp_path: Path) -> Callable[[], str]:
    return lambda: (tmp_path / "state" / "trn-models.log").read_text(encoding="utf-8")


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Settings, str]]:
    """A terminal for the app, and a stand-in for it that notes what it was opened with and ends with 0."""
    opened: list[tuple[Settings, str]] = []

    def run(settings: Settings, search: str = "") -> int:
        opened.append((settings, search))
        return 0

    stand_in = types.ModuleType("tui.app")
    stand_in.run = run  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tui.app", stand_in)
    monkeypatch.setattr(app_command, "has_full_screen", lambda: True)
    return opened
