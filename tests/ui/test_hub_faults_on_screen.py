"""What a person sees and can do while the Hub does not answer as it should."""

from __future__ import annotations

import asyncio
from time import monotonic

import pytest
from loopback_hub import login_page, rate_limited, reset, silent, status
from parquet_builder import DATASET, parquet

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
