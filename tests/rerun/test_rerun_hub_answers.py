"""What the Hub adds to what is wanted, whoever asks it: screen or command."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from loopback_hub import LoopbackHub

from tui.catalog.schema import COLUMN_NAMES, LONG_TEXT
from tui.catalog.verdict import Record, Verdict
from tui.rerun.hub_answers import completed
from tui.rerun.preparation import Wanted
from tui.settings import Settings

DATASET = "acme/records"
COMPILER = "2.28.7631.0"


def wanted(**fields: Any) -> Wanted:
    values: dict[str, Any] = {**dict.fromkeys(set(COLUMN_NAMES) - LONG_TEXT), "model_id": "acme/Model"}
    record = Record({**values, "neuronx_cc": COMPILER}, {}, {}, 0, 0, Verdict.PASS)
    known: dict[str, Any] = {"record": record, "script": "x = 1\n", "dataset": DATASET, "revision": "abc"}
    return Wanted(**{**known, "sample": False, "asking": True, **fields})


@pytest.fixture
def asking(settings: Settings, tmp_path: Path) -> Settings:
    return replace(settings, dataset=DATASET, neff_cache_dir=tmp_path / "neffs")


@pytest.fixture
def told(hub: LoopbackHub) -> LoopbackHub:
    hub.add_model("acme/Model", gated="manual", usedStorage=34 * 10**9)
    hub.add_dataset(DATASET, {"README.md": b"The NEFF cache: hf://buckets/acme/neffs/2.27.5334.0\n"})
    hub.add_bucket("acme/neffs", {f"{COMPILER}/a.neff": b"x"})
    return hub


def test_facts_and_the_way_to_compiled_graphs_are_added(told: LoopbackHub, asking: Settings, tmp_path: Path) -> None:
    found = completed(asking, wanted(compilers=["2.27.5334.0", COMPILER]))
    assert found.facts is not None
    assert (found.facts.gated, found.facts.size_bytes) == ("manual", 34 * 10**9)
    assert found.cache is not None
    assert found.cache.argv == ("hf", "buckets", "sync", f"hf://buckets/acme/neffs/{COMPILER}", str(tmp_path / "neffs"))
    assert not found.asking


def test_a_silent_hub_leaves_what_was_known_and_says_why_there_is_no_bucket(
    told: LoopbackHub, asking: Settings
) -> None:
    before = completed(asking, wanted(), graphs=False)
    assert before.cache is None
    told.refuse()
    after = completed(asking, before)
    assert after.facts == before.facts
    assert after.cache is not None
    assert after.cache.argv == ()
    assert after.cache.note.startswith("Not looked up: ")


def test_offline_and_for_a_sample_nothing_is_asked(told: LoopbackHub, asking: Settings) -> None:
    offline = completed(replace(asking, offline=True), wanted())
    assert offline.facts is None
    assert offline.cache is not None
    assert offline.cache.note.startswith("Not looked up: offline.")
    sample = completed(asking, wanted(sample=True))
    assert (sample.facts, sample.cache, sample.asking) == (None, None, False)
    assert told.requests == []


def test_the_models_of_a_file_are_not_asked_for(told: LoopbackHub, asking: Settings, tmp_path: Path) -> None:
    assert completed(replace(asking, data=tmp_path / "a.parquet"), wanted()).facts is None
    assert told.paths("/api/models") == []
