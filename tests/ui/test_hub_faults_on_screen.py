"""What a person sees and can do while the Hub does not answer as it should."""

from __future__ import annotations

import asyncio
import logging
import threading
from datetime import UTC, datetime, timedelta
from time import monotonic

import psutil
import pytest
from fault_table import SECRET
from loopback_hub import login_page, old_copy, rate_limited, reset, silent, status
from parquet_builder import DATASET, parquet

from tui import numbers
from tui.catalog import hub as asked
from tui.errors import HubError

NEWEST = {"neuronx_cc": "2.28.7631.0", "library_version": "5.23.1"}
BLOCKED_AT_MOST_S = 0.5
"""A loaded machine included; work of the Hub's part in the event loop takes its time limits, many seconds."""


@pytest.fixture
async def kept(start, hub):
    """The dataset was fetched by an earlier start."""
    hub.add_dataset(DATASET, {"a.parquet": parquet(*({"model_id": f"acme/model-{n}", **NEWEST} for n in range(60)))})
    async with start() as reader:
        await reader.until(lambda: "acme/model-0" in reader.text and "checked" in reader.lines[-2])
    return hub


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (status(500), "the Hub has a problem of its own"),
        (status(403), "the Hub does not allow this"),
        (status(404), "not found on the Hub"),
        (reset(), "the connection to the Hub broke off"),
        (login_page(), "the answer is not one of the Hub's"),
        (rate_limited(), "rate-limited by the Hub"),
        (old_copy(7200), "the answer is an old copy, not the Hub's"),
    ],
)
async def test_the_status_line_says_what_failed_where_and_when_it_is_tried_again(start, kept, fault, words):
    kept.set_fault("/api/datasets", fault)
    async with start(width=160) as reader:
        await reader.until(lambda: "stale" in reader.lines[-2])
        line = reader.lines[-2]
        assert f"stale: {words} ({kept.url.removeprefix('http://')}), again " in line
        assert "last checked" in line
        assert "acme/model-0" in reader.text


@pytest.mark.parametrize(
    ("fault", "minutes"),
    [
        (status(500), 1),
        (rate_limited(), 5),
        (rate_limited(seconds=900), 15),
        (status(503, {"Retry-After": "1200"}), 20),
    ],
)
async def test_the_hub_is_asked_again_no_sooner_than_it_allows(start, kept, fault, minutes):
    kept.set_fault("/api/datasets", fault)
    async with start(width=160) as reader:
        await reader.until(lambda: "stale" in reader.lines[-2])
        wait = reader.browse.next_look - datetime.now(UTC)
        assert timedelta(minutes=minutes - 0.5) < wait <= timedelta(minutes=minutes)
        assert numbers.clock(reader.browse.next_look) in reader.lines[-2]
        kept.forget_requests()
        await reader.press("u")
        await reader.until(lambda: not reader.browse.fetching)
        assert bool(kept.paths("/api/datasets")) == (minutes <= 5)


async def test_a_hub_that_refuses_is_named_and_the_records_stay(start, kept):
    kept.refuse()
    async with start(width=160) as reader:
        await reader.until(lambda: "stale" in reader.lines[-2])
        assert f"the Hub cannot be reached ({kept.url.removeprefix('http://')}), again " in reader.lines[-2]
        assert "acme/model-0" in reader.text


async def test_keys_are_answered_while_every_request_is_silent_and_leaving_waits_for_none(start, kept):
    kept.set_fault("/", silent())
    blocked = [0.0]

    async def watch() -> None:
        while True:
            before = monotonic()
            await asyncio.sleep(0.01)
            blocked.append(monotonic() - before - 0.01)

    async with start() as reader:
        await reader.until(lambda: "acme/model-0" in reader.text)
        watching = asyncio.create_task(watch())
        await reader.press("2", "3", "1", "u", "down", "down", "enter")
        await reader.until(lambda: "recorded" in reader.text or "NeuronCore" in reader.text)
        await reader.press("escape", "slash", *"model-42", "enter")
        assert reader.browse.current_line()["model_id"] == "acme/model-42"
        assert kept.paths("/api/models")
        watching.cancel()
        assert max(blocked) < BLOCKED_AT_MOST_S
        before = monotonic()
        await reader.press("q")
    assert monotonic() - before < 2


async def test_the_token_is_in_no_file_and_on_no_screen(start, kept, settings, monkeypatch, tmp_path, caplog):
    monkeypatch.setenv("HF_TOKEN", SECRET)
    caplog.set_level(logging.DEBUG)
    for fault in (status(401), status(500), login_page(), reset()):
        kept.set_fault("/", fault)
        async with start() as reader:
            await reader.until(lambda: "stale" in reader.lines[-2] or "SAMPLE" in reader.lines[0])
            await reader.press("2", "enter")
            await reader.pause(0.1)
            assert SECRET not in reader.text
            assert not any(SECRET in said for said in reader.said)
    assert any(sent == f"Bearer {SECRET}" for _, sent in kept.authorizations)
    assert SECRET not in caplog.text
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    assert [path for path in written if SECRET.encode() in path.read_bytes()] == []


def test_the_token_is_not_in_the_process_list_while_files_are_fetched(hub, settings, monkeypatch):
    records = hub.add_dataset(DATASET, {"a.parquet": b"one" * 1000})
    monkeypatch.setenv("HF_TOKEN", SECRET)
    hub.set_fault("/content/", silent())
    abandoned, seen = threading.Event(), []

    def look(_line: str) -> None:
        if not abandoned.is_set():
            seen.extend(word for child in psutil.Process().children(recursive=True) for word in child.cmdline())
            abandoned.set()

    with pytest.raises(HubError):
        asked.fetch_dataset(settings, records.main, look, abandoned)
    assert any("hub_download" in word for word in seen)
    assert not any(SECRET in word for word in seen)
