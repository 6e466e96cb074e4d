"""What a model without a record would take, in the detail beside the list and over it."""

from __future__ import annotations

import pytest
from loopback_hub import status
from parquet_builder import DATASET, parquet

from tui.screens.plain import plain_text
from tui.widgets.estimate_text import estimate

NEWEST = {"neuronx_cc": "2.28.7631.0", "library_version": "5.23.1"}
OLDER = {"neuronx_cc": "2.27.5334.0", "library_version": "5.21.0"}
QWEN = {"config": {"model_type": "qwen3"}, "pipeline_tag": "text-generation", "library_name": "transformers"}
ARITHMETIC = "8.19 B weights: BF16 8.19 B x 2 bytes = 16.4 GB"
HEADING = "What would it take?"


@pytest.fixture
def ranked(hub, monkeypatch):
    """A new model of the Hub's ranking, and one of its like in the dataset."""
    monkeypatch.setattr("tui.screens.model_detail.FACTS_AFTER_S", 0.15)
    hub.add_dataset(
        DATASET,
        {
            "a.parquet": parquet(
                {"model_id": "acme/like-8B", "tp": 2, **NEWEST}, {"model_id": "acme/old", "tp": 4, **OLDER}
            )
        },
    )
    for name, score in (("acme/new-8B", 9), ("acme/like-8B", 8), ("acme/old", 7)):
        hub.add_model(name, trendingScore=score, **QWEN, safetensors={"parameters": {"BF16": 8_190_735_360}})
    return hub


def words(reader) -> str:
    return " ".join(reader.browse.pane.text.split())


async def on_trending(reader, model_id):
    await reader.until(lambda: "acme/like-8B" in reader.text)
    await reader.press("2")
    await reader.until(lambda: "acme/new-8B" in reader.text)
    await reader.rest_on(model_id)


async def test_a_model_without_a_record_has_its_arithmetic_and_models_like_it(start, ranked):
    async with start() as reader:
        await on_trending(reader, "acme/like-8B")  # its type and size are known from now on
        await reader.until(lambda: ranked.paths("/api/models/acme/like-8B"))
        await reader.until(lambda: "On the Hub" in reader.browse.pane.text)
        assert HEADING not in reader.browse.pane.text
        await reader.rest_on("acme/new-8B")
        await reader.until(lambda: "pass, on 2 cores" in words(reader))
        shown = words(reader)
        assert ARITHMETIC in shown
        assert "One core has 24 GiB (25.8 GB): at least 1 NeuronCore for the weights alone." in shown
        assert "activations, KV cache and compiler workspace come on top" in shown
        assert "1 of 1 tested qwen3 models of 4.1-16.4 B pass, on 2 cores:" in shown
        assert "acme/like-8B: 8.19 B, 2 cores, 2.28.7631.0 · transformers 5.23.1" in shown
        assert shown.index("Not tested") < shown.index(HEADING) < shown.index("On the Hub")
        content = estimate(reader.browse.pane.detail)
        assert content.plain in reader.browse.pane.text
        styles = {str(span.style) for span in content.spans}
        assert not any(name in style for style in styles for name in ("success", "error", "warning")), "no verdict"
        plain = plain_text(reader.browse.pane.detail)
        assert ARITHMETIC in plain
        assert "acme/like-8B: 8.19 B" in plain


async def test_a_model_that_has_records_on_other_stacks_only_has_it_below_them(start, ranked):
    async with start() as reader:
        await on_trending(reader, "acme/old")
        await reader.until(lambda: ARITHMETIC in words(reader))
        shown = words(reader)
        assert shown.index("Records of this model") < shown.index(HEADING)
        await reader.press("]")
        await reader.until(lambda: "PASS on 4 cores" in words(reader))
        assert HEADING not in words(reader)


async def test_facts_that_are_not_there_are_said_to_be_so(start, ranked):
    ranked.set_fault("/api/models/acme/new-8B", status(500))
    async with start() as reader:
        await on_trending(reader, "acme/new-8B")
        await reader.until(lambda: "not at hand (not known: The Hub has a problem of its own)" in words(reader))
    async with start(offline=True) as reader:
        await on_trending(reader, "acme/new-8B")
        await reader.until(lambda: "not at hand (not asked: offline)" in words(reader))


async def test_of_the_sample_nothing_is_invented(start):
    async with start(sample=True) as reader:
        await reader.press("2")
        await reader.until(lambda: "not tested" in reader.text)
        line = next(line for line in reader.lines if "not tested" in line and "sample/" in line)
        await reader.rest_on(next(word for word in line.split() if word.startswith("sample/")))
        await reader.until(lambda: HEADING in words(reader))
        assert "Cannot be estimated" in words(reader)
        assert "sample models are invented" in words(reader)


@pytest.mark.parametrize("width", [80, 120])
async def test_it_can_be_read_at_every_width(start, ranked, width):
    async with start(width=width, height=40) as reader:
        await on_trending(reader, "acme/new-8B")
        if width < 100:
            await reader.press("enter")
        await reader.until(lambda: "KV cache" in reader.text)
        text = reader.words if width < 100 else words(reader)
        assert ARITHMETIC in text
