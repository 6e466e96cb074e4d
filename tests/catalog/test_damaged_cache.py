"""What the app keeps is damaged at random: what is right is used, the rest is read again or named, nothing is wrong."""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path
from typing import Any

import pytest
from damaged_cache import check, prepared

from tui.catalog import conform, ingest
from tui.process import Finished

CASES = 30


def test_a_start_on_a_damaged_cache_shows_nothing_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """tests/soak/damaged_cache.py does this thousands of times."""
    said = threading.local()

    def run(arguments: list[str], *, on_line: Any, **_: object) -> Finished:
        said.on_line = on_line
        return Finished(conform.main(arguments), "", "")

    monkeypatch.setattr(ingest, "module_argv", lambda _, *arguments: [str(argument) for argument in arguments])
    monkeypatch.setattr(ingest, "run_bounded", run)
    monkeypatch.setattr(conform, "_say", lambda **fact: said.on_line(json.dumps(fact)))
    monkeypatch.setattr(conform, "_be_modest", lambda: None)
    kept = prepared(tmp_path / "kept", monkeypatch.setattr)
    found = [check(kept, tmp_path / "work", random.Random(seed)) for seed in range(CASES)]
    assert [(told, wrong) for told, wrong in found if wrong] == []
