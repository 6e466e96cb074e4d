"""What the Hub tells of a model comes into the checklist of the rerun screen when it is there, and not before."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rerun_pilot import opened

from tui.catalog.facts import ModelFacts
from tui.errors import TrnModelsError
from tui.rerun import recipe, steps
from tui.rerun.steps import prepare

NOW = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.fixture
def of_the_hub(wanted, machine):
    facts = ModelFacts("acme/one", None, None, None, None, "manual", None, None, "https://hub.example", 34 * 10**9, NOW)
    note = "No bucket with compiled graphs is known."
    machine.of_the_hub = {"facts": facts, "cache": recipe.CacheCommand((), "", Path("/neffs"), False, note)}
    return replace(wanted, sample=False)


async def test_what_the_hub_tells_comes_later_into_the_checklist(settings, of_the_hub, machine, monkeypatch):
    monkeypatch.setattr(steps, "prepare", prepare)
    machine.hub_may_answer.clear()
    async with opened(settings, of_the_hub, (120, 60)) as reader:
        assert "asking the Hub" in reader.static("#rerun-trouble")
        assert "asking the Hub how much there is to download" in reader.static("#rerun-checklist")
        assert "cannot be started: Asking the Hub where compiled graphs are" in reader.static("#rerun-steps")
        assert "No bucket" not in reader.text
        machine.hub_may_answer.set()
        await reader.until(lambda: "the model is gated (manual approval)" in reader.static("#rerun-checklist"))
        assert "asking the Hub" not in reader.text
        assert "up to 34 GB to download" in reader.static("#rerun-checklist")
        assert "cannot be started: No bucket with compiled graphs is known." in reader.static("#rerun-steps")
        await reader.press("h")
        await reader.until(lambda: len(machine.hub_asked) == 2)


async def test_the_hub_is_not_asked_for_what_is_known_already_or_for_a_sample(settings, of_the_hub, wanted, machine):
    for known in (replace(of_the_hub, **machine.of_the_hub), wanted):
        async with opened(settings, known) as reader:
            assert "asking the Hub" not in reader.text
    assert machine.hub_asked == []


async def test_a_question_to_the_hub_that_goes_wrong_is_told_and_can_be_asked_again(settings, of_the_hub, machine):
    machine.hub_error = TrnModelsError("The cache folder is full", "", "Make room.")
    async with opened(settings, of_the_hub) as reader:
        await reader.until(lambda: "The cache folder is full" in reader.static("#rerun-trouble"))
        assert "asking the Hub" not in reader.text
        machine.hub_error = None
        await reader.press("h")
        await reader.until(lambda: machine.prepared_for.facts is not None)
