"""Answers that come late, for another model, another snapshot, or not at all."""

from __future__ import annotations

import threading

import pytest
from loopback_hub import late, status
from parquet_builder import DATASET, parquet

from tui.catalog import neff_bucket

NEWEST = {"neuronx_cc": "2.28.7631.0", "library_version": "5.23.1"}


@pytest.fixture
def gate():
    """What waits for it goes on at the end of the test at the latest."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def late_bucket(monkeypatch, gate):
    """The bucket is found when the gate opens."""

    def find(settings, **_):
        gate.wait(20)
        return neff_bucket.Search(neff_bucket.from_setting("hf://buckets/acme/neff"), (), None, "")

    monkeypatch.setattr(neff_bucket, "find", find)


async def test_a_script_read_from_replaced_records_is_not_shown_or_copied(start, hub, monkeypatch, gate, copies):
    from tui.screens import long_texts

    records = hub.add_dataset(DATASET, {"a.parquet": parquet({"model_id": "acme/one", "run_py": "ONE\n", **NEWEST})})
    real, waiting = long_texts.read_long_texts, threading.Event()

    def late_at_first(snapshot, index):
        texts = real(snapshot, index)
        if not waiting.is_set():
            waiting.set()
            gate.wait(20)
        return texts

    monkeypatch.setattr(long_texts, "read_long_texts", late_at_first)
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.until(waiting.is_set)
        records.add_revision({"a.parquet": parquet({"model_id": "acme/other", "run_py": "OTHER\n", **NEWEST})})
        await reader.press("u")
        await reader.until(lambda: "OTHER" in reader.browse.pane.text)
        gate.set()
        await reader.pause(0.3)
        assert "OTHER" in reader.browse.pane.text
        await reader.press("y")
        await reader.until(lambda: copies)
        assert copies == ["OTHER\n"]


async def test_a_damaged_copy_is_never_called_a_record_without_a_script(start, hub, settings, copies):
    hub.add_dataset(DATASET, {"a.parquet": parquet({"model_id": "acme/one", "run_py": "ONE\n", **NEWEST})})
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
    for own in (settings.cache_dir / "records").glob("*.parquet"):
        own.write_bytes(own.read_bytes()[:4] + b"x" * (own.stat().st_size - 4))
    async with start(offline=True) as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.until(lambda: "own copy is damaged or missing" in reader.browse.pane.text.replace("\n", " "))
        assert "no script is recorded" not in reader.browse.pane.text
        await reader.press("y")
        assert not copies
        assert any("own copy is damaged or missing" in each for each in reader.said)


async def test_what_was_found_for_the_sample_is_asked_again_for_the_dataset(start, hub, monkeypatch, gate):
    monkeypatch.setattr("tui.screens.data_screen.SILENCE_BEFORE_SAMPLE_S", 0.2)
    hub.add_dataset(DATASET, {"a.parquet": parquet({"model_id": "acme/one", **NEWEST})})
    hub.set_fault("/api/datasets", late(gate))
    async with start() as reader:
        await reader.until(lambda: "Sample data" in reader.browse.pane.text)
        gate.set()
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.until(lambda: reader.browse.pane.bucket is not None)
        assert "Sample data" not in reader.browse.pane.bucket.note


async def test_a_rename_that_is_known_holds_offline(start, hub):
    hub.add_dataset(DATASET, {"a.parquet": parquet({"model_id": "oldorg/thing", **NEWEST})})
    hub.add_model("neworg/thing", pipeline_tag="text-generation", trendingScore=9, library_name="transformers")
    hub.rename_model("oldorg/thing", "neworg/thing")
    async with start() as reader:
        await reader.until(lambda: "oldorg/thing" in reader.text)
        await reader.press("2")
        await reader.until(lambda: reader.browse.selection.lines["verdict"].to_list() == ["PASS"])
    async with start(offline=True) as reader:
        await reader.until(lambda: "oldorg/thing" in reader.text)
        await reader.press("2")
        await reader.until(lambda: reader.browse.selection.lines["verdict"].to_list() == ["PASS"])


async def test_n_copies_as_soon_as_the_bucket_is_known(start, late_bucket, gate, copies):
    async with start(sample=True) as reader:
        await reader.press("n")
        await reader.pause(1.2)
        assert not copies
        gate.set()
        await reader.until(lambda: copies)
        assert copies[0].startswith("hf buckets sync hf://buckets/acme/neff")


async def test_n_copies_nothing_for_a_model_that_the_cursor_has_left(start, late_bucket, gate, copies):
    async with start(sample=True) as reader:
        await reader.press("n", "j")
        gate.set()
        await reader.until(lambda: reader.browse.pane.bucket is not None)
        await reader.pause(0.2)
        assert not copies


async def test_facts_that_failed_are_asked_for_again_after_u(start, hub):
    hub.add_dataset(DATASET, {"a.parquet": parquet({"model_id": "acme/one", **NEWEST})})
    hub.add_model("acme/one", pipeline_tag="text-generation", downloads=5, likes=77)
    hub.set_fault("/api/models/", status(500))
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.until(lambda: "not known" in reader.browse.pane.text)
        hub.clear_faults()
        await reader.press("u")
        await reader.until(lambda: "likes 77" in reader.browse.pane.text)
