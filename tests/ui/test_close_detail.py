"""`d`: the table alone, or the detail beside it."""

from __future__ import annotations

import json

import pytest
from parquet_builder import DATASET, parquet

from tui import state
from tui.widgets.model_table import ModelTable

QUARTZ = "sample/Quartz-8B-Instruct"
OF_DETAIL = "A functional test of 32 tokens"


def in_table(reader) -> bool:
    return isinstance(reader.browse.focused, ModelTable)


async def on_quartz(reader) -> None:
    await reader.rest_on(QUARTZ)
    if reader.browse.pane.display:
        await reader.until(lambda: OF_DETAIL in reader.words)


async def test_d_gives_the_table_the_whole_width_and_d_brings_the_detail_back(start):
    async with start(160, 40, sample=True) as reader:
        await on_quartz(reader)
        await reader.press("d")
        assert reader.browse.query_one(ModelTable).size.width == 160
        assert OF_DETAIL not in reader.text
        assert in_table(reader)
        await reader.press("d")
        await reader.until(lambda: OF_DETAIL in reader.words)
        assert reader.browse.query_one(ModelTable).size.width < 160
        assert in_table(reader)


async def test_it_is_remembered_at_the_next_start(start, settings):
    async with start(160, 40, sample=True) as reader:
        await reader.press("d")
    assert json.loads((settings.state_dir / "state.json").read_text())["detail"] == "closed"
    async with start(160, 40, sample=True) as reader:
        assert not reader.browse.pane.display
        await reader.press("d")
        assert reader.browse.pane.display
    assert state.load(settings).detail is None
    async with start(160, 40, sample=True) as reader:
        assert reader.browse.pane.display


async def test_what_else_stands_in_the_state_file_does_not_matter(start, settings):
    settings.state_dir.mkdir(parents=True)
    (settings.state_dir / "state.json").write_text(json.dumps({"detail": ["closed"]}))
    async with start(160, 40, sample=True) as reader:
        assert reader.browse.pane.display


async def test_d_in_the_detail_closes_it_and_the_table_has_the_keys(start):
    async with start(160, 40, sample=True) as reader:
        await on_quartz(reader)
        await reader.press("enter")
        assert reader.browse.focused is reader.browse.pane
        await reader.press("d")
        assert not reader.browse.pane.display
        assert in_table(reader)
        assert reader.browse.current_line()["model_id"] == QUARTZ


@pytest.mark.parametrize("back", ["escape", "q"])
async def test_enter_while_it_is_closed_opens_it_over_the_table_and_back_closes_it(start, back):
    async with start(160, 40, sample=True) as reader:
        await on_quartz(reader)
        await reader.press("d", "enter")
        await reader.until(lambda: OF_DETAIL in reader.words)
        assert reader.browse.focused is reader.browse.pane
        assert not reader.browse.query_one(ModelTable).display
        await reader.press(back)
        assert in_table(reader)
        assert not reader.browse.pane.display
        assert reader.browse.query_one(ModelTable).size.width == 160
        assert not reader.app._exit


async def test_z_while_it_is_closed_shows_it_alone_and_z_shows_the_table_alone(start):
    async with start(160, 40, sample=True) as reader:
        await on_quartz(reader)
        await reader.press("d", "z")
        await reader.until(lambda: OF_DETAIL in reader.words)
        assert reader.browse.focused is reader.browse.pane
        await reader.press("z")
        assert in_table(reader)
        assert not reader.browse.pane.display


async def test_d_over_the_table_leads_to_the_detail_beside_it(start):
    async with start(160, 40, sample=True) as reader:
        await on_quartz(reader)
        await reader.press("d", "enter", "d")
        await reader.until(lambda: reader.browse.pane.display and reader.browse.query_one(ModelTable).display)
        await reader.until(lambda: OF_DETAIL in reader.words)
        await reader.press("d")
        assert not reader.browse.pane.display


async def test_where_there_is_no_room_d_says_so_and_changes_nothing(start, settings):
    async with start(80, 24, sample=True) as reader:
        await on_quartz(reader)
        await reader.press("d")
        assert reader.said == ["There is no room beside the table here; Enter opens the detail over it."]
        await reader.press("enter")
        assert reader.browse.focused is reader.browse.pane
        await reader.press("escape")
        assert in_table(reader)
    assert state.load(settings).detail is None


async def test_a_narrow_window_that_gets_wide_keeps_it_closed(start):
    async with start(160, 40, sample=True) as reader:
        await on_quartz(reader)
        await reader.press("d")
        await reader.resize_terminal(80, 24)
        await reader.press("enter")
        await reader.until(lambda: OF_DETAIL in reader.words)
        await reader.press("escape")
        await reader.resize_terminal(160, 40)
        await reader.pause()
        assert not reader.browse.pane.display
        assert reader.browse.query_one(ModelTable).size.width == 160


async def test_a_search_keeps_d_as_a_letter(start):
    async with start(160, 40, sample=True) as reader:
        await reader.press("slash", "d")
        assert reader.browse.question.search == "d"
        assert reader.browse.pane.display


async def test_moving_while_it_is_closed_reads_nothing_and_the_model_moved_to_is_shown_when_it_opens(start):
    async with start(160, 40, sample=True) as reader:
        await reader.press("d")
        await on_quartz(reader)
        await reader.press("d")
        await reader.until(lambda: OF_DETAIL in reader.words)
        assert in_table(reader)


async def test_a_detail_that_is_not_on_screen_is_ready_for_enter_and_asks_the_hub_nothing(start, hub, monkeypatch):
    monkeypatch.setattr("tui.screens.model_detail.FACTS_AFTER_S", 0.13)
    hub.add_dataset(DATASET, {"a.parquet": parquet({"model_id": "acme/one", "run_py": "print('first')\n"})})
    async with start(100, 40) as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.until(lambda: "print('first')" in reader.browse.pane.text)
        await reader.pause(0.2)
        assert not reader.browse.pane.display
        assert hub.paths("/api/models") == []
        await reader.press("enter")
        assert "print('first')" in reader.text
        await reader.until(lambda: hub.paths("/api/models/acme/one"))
