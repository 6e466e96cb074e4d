"""What the app keeps is damaged at random: what is right is used, the rest is read again or named, nothing is wrong."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from damaged_cache import check, prepared
from read_here import read_in_this_process

CASES = 30


def test_a_start_on_a_damaged_cache_shows_nothing_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """tests/soak/damaged_cache.py does this thousands of times."""
    read_in_this_process(monkeypatch.setattr)
    kept = prepared(tmp_path / "kept", monkeypatch.setattr)
    found = [check(kept, tmp_path / "work", random.Random(seed)) for seed in range(CASES)]
    assert [(told, wrong) for told, wrong in found if wrong] == []
