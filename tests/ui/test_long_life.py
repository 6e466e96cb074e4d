"""An app that stays open for a day and is used all the time has no more of anything at the end.

`tests/soak/long_life.py` does the same a thousand times.
"""

from __future__ import annotations

import pytest
from long_life import moved_clock, one_look, one_round, records, steadily
from parquet_builder import DATASET


@pytest.fixture
def dataset(hub):
    for place in range(30):
        hub.add_model(
            f"acme-{place % 40}/model-{place}-7b", pipeline_tag="text-generation", trendingScore=90 - place,
            library_name="transformers",
        )  # fmt: skip
    return hub.add_dataset(DATASET, {"a.parquet": records(0)})


async def test_a_day_in_which_the_hub_changes_and_fails_leaves_nothing_behind(start, hub, dataset):
    with moved_clock() as clock:
        async with start() as reader:
            await reader.until(lambda: "acme-0/model-0-7b" in reader.text and reader.browse.next_look is not None)
            began = clock.now()
            before, after = await steadily(
                reader.app, hub, 48, lambda number: one_look(reader, clock, hub, dataset, number)
            )
            assert after.grown_since(before) == []
            assert (clock.now() - began).total_seconds() > 12 * 3600
            assert "checked" in reader.lines[-2]


async def test_views_searches_and_details_leave_nothing_behind(start, hub, dataset):
    async with start() as reader:
        await reader.until(lambda: "acme-0/model-0-7b" in reader.text)
        before, after = await steadily(reader.app, hub, 20, lambda number: one_round(reader, number))
        assert after.grown_since(before) == []
        assert "1 Selected" in reader.lines[0]
