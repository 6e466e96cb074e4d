"""The app is killed at random moments: nothing is lost, nothing half-written is read.

`tests/soak/kills.py` does the same two hundred times.
"""

from __future__ import annotations

import random

from kills import Killing

REFRESHES, STARTS = 7, 13


def test_a_refresh_that_is_killed_leaves_the_records_of_before_or_the_new_ones(hub, tmp_path, monkeypatch):
    killing = Killing(tmp_path, hub, random.Random(1))
    monkeypatch.setenv("HF_HOME", killing.environ["HF_HOME"])
    assert [wrong for _ in range(REFRESHES) for wrong in killing.refresh()] == []
    assert killing.whole < REFRESHES


def test_a_start_that_is_killed_leaves_a_whole_run_or_none_and_no_process(hub, tmp_path):
    killing = Killing(tmp_path, hub, random.Random(2))
    assert [wrong for _ in range(STARTS) for wrong in killing.start()] == []
    assert killing.whole < STARTS
    assert killing.runs_made > 1
