"""The real app and every verb over text that wants something of the terminal, judged by the bytes that came.

`tests/soak/hostile_text.py` has each kind of text by itself, and 100,000 characters without a space.
"""

from __future__ import annotations

import os
from pathlib import Path

import hostile_session
import pytest
from hostile_text import GROUPS, MODEL, World
from loopback_hub import LoopbackHub

MIXED = [poison for group in ("escapes", "c1", "order", "markup") for poison in GROUPS[group]]
SHOWN = {
    *("record notes", "record result", "record runner", "record neuronx_cc", "record torch", "figure", "exclusion"),
    *("column", "value of a column", "nested value", "id with another word", "ranked id", "script"),
    *("error", "last line of the error", "Hub library_name", "Hub license", "card line", "holder", "editor"),
    *("unreadable file", "file of the dataset", "home", "cache", "state", "graphs", "venv"),
    *("run model", "run note", "outcome note", "log error"),
}
"""Places that are on one of the screens: a test that does not come there says nothing."""
PRINTED = {
    "record notes", "record result", "figure", "damaged file", "folder", "run model", "run note",
    "outcome note", "killed", "run argument", "run dataset", "run python", "log", "script", "argument", "card line",
}  # fmt: skip


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory):
    seed = int(os.environ.get("TRN_TEST_SEED", "1"))
    with LoopbackHub() as hub:
        yield World(Path(tmp_path_factory.mktemp("hostile")), hub, MIXED, seed=seed, in_a_text=4)


def test_no_screen_sends_what_the_app_did_not_make(world: World) -> None:
    seen = hostile_session.app(world)
    assert seen.faults == []
    assert {place for place in seen.interpreted if "log" not in place} == set()
    assert SHOWN - seen.places == set()
    assert MODEL.encode() in seen.copied
    assert any(text.startswith(b"# q") and text.endswith(b"\nprint(1)\n") for text in seen.copied)
    assert b"owned" not in seen.copied


def test_no_verb_prints_what_the_app_did_not_make(world: World) -> None:
    seen = hostile_session.verbs(world)
    assert seen.faults == []
    assert PRINTED - seen.places == set()
