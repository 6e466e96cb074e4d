"""No key in any window ends the app or leaves it stuck: random ones, and those of which it once died."""

from __future__ import annotations

import asyncio

import pytest
from keys_by_pilot import play, surroundings
from run_pilot import log_of, made, over

from tui.screens.browse import BrowseScreen
from tui.screens.dialogs import Choice, ConfirmDialog, PickDialog
from tui.screens.palette import Palette
from tui.screens.run_log import RunLogScreen
from tui.widgets.model_table import ModelTable

EVERYWHERE = {
    "BrowseScreen", "RerunScreen", "RunsScreen", "RunLogScreen", "Palette", "TextDialog", "PickDialog", "NameDialog",
    "ConfirmDialog", "StepDialog", "HostDialog", "CompareScreen", "DiffScreen", "OverviewScreen",
    "SearchesDialog", "ExportDialog",
}  # fmt: skip


async def test_2000_random_events_end_nothing_and_leave_nothing_stuck(tmp_path, monkeypatch):
    monkeypatch.setattr("tui.screens.rerun_keys.LOOK_AFTER_S", 0.4)
    with surroundings(tmp_path, runs_at_most=3) as settings:
        seen = await play(2000, seed=1, settings=settings)
    assert seen.total() >= 2000
    # Some are reached only where this machine is quick enough.
    assert len(seen.keys() & EVERYWHERE) >= 8


async def test_the_palette_takes_every_key_in_a_window_without_room_for_a_line_of_it(start):
    async with start(20, 3, sample=True) as reader:
        await reader.press(":")
        assert isinstance(reader.app.screen, Palette)
        await reader.press("pagedown", "pageup", "end", "home", "down", "up", "s", "t", "pagedown", "pageup")
        await reader.press("escape")
        assert isinstance(reader.app.screen, BrowseScreen)


async def test_two_clicks_beside_the_palette_close_nothing_else(start):
    async with start(sample=True) as reader:
        await reader.press("R")
        await reader.press("ctrl+p")
        palette, below = reader.app.screen, reader.app.screen_stack[-2]
        palette.dismiss()
        palette.dismiss()
        await reader.pause()
        assert reader.app.screen is below


async def test_an_answer_given_twice_is_one_answer(start):
    async with start(sample=True) as reader:
        answers = []
        dialog = ConfirmDialog("Really?", ["It happens."])
        reader.app.push_screen(dialog, answers.append)
        await reader.pause()
        dialog.action_answer(True)
        dialog.action_answer(False)
        await reader.pause()
        assert answers == [True]
        assert isinstance(reader.app.screen, BrowseScreen)


async def test_what_is_typed_faster_than_a_list_is_drawn_may_fit_nothing_of_it(start):
    async with start(sample=True) as reader:
        reader.app.push_screen(PickDialog("One of", [Choice(1, "one"), Choice(2, "two")], 1))
        reader.type_in_one_breath(*"twoxyz")
        await reader.pause()
        assert "twoxyz" in reader.text
        await reader.press("escape")
        assert isinstance(reader.app.screen, BrowseScreen)


async def test_a_window_too_small_for_a_log_comes_to_rest(start, settings):
    run = over(made(settings))
    log_of(run, "a line\n" * 30)
    async with start(3, 3, sample=True) as reader:
        reader.app.push_screen(RunLogScreen(settings, run))
        await reader.pause()
        await reader.pause(0.2)
        assert isinstance(reader.app.screen, RunLogScreen)


async def test_keys_of_the_table_are_answered_after_a_window_without_room_for_it(start):
    async with start(sample=True) as reader:
        await reader.resize_terminal(1, 2)
        await reader.resize_terminal(100, 30)
        assert isinstance(reader.app.focused, ModelTable)
        before = reader.browse.current_line()
        await reader.press("j")
        assert reader.browse.current_line() != before


async def test_a_dialog_over_a_screen_without_focus_gives_the_keys_to_the_table_and_not_to_the_search(start):
    async with start(sample=True) as reader:
        reader.app.screen.set_focus(None)
        await reader.press("?")
        await reader.press("escape")
        assert isinstance(reader.app.focused, ModelTable)


@pytest.mark.parametrize("opening", ["t", "s", ":", "?", "w", "R"])
async def test_keys_that_come_with_the_one_that_opens_a_screen_are_for_that_screen(start, opening):
    async with start(sample=True) as reader:
        reader.type_in_one_breath(opening, "down", "pagedown", "end", "up", "escape", "escape", "escape")
        await reader.pause()
        assert isinstance(reader.app.screen, BrowseScreen)
        reader.type_in_one_breath(opening, "escape", opening, "down", "escape")
        await reader.pause()
        assert isinstance(reader.app.screen, BrowseScreen)


async def test_a_palette_may_be_closed_while_it_looks_for_commands(start):
    async with start(sample=True) as reader:
        for _ in range(3):
            reader.type_in_one_breath(":", "s", "t", "escape")
            await reader.pause()
            assert isinstance(reader.app.screen, BrowseScreen)


async def test_the_list_of_runs_asked_for_twice_takes_the_place_of_a_log_once(start, settings):
    run = over(made(settings))
    async with start(sample=True) as reader:
        log = RunLogScreen(settings, run)
        reader.app.push_screen(log)
        await reader.pause()
        log.action_runs()
        log.action_runs()
        await reader.until(lambda: run.model_id in reader.text)
        await reader.press("escape")
        assert isinstance(reader.app.screen, BrowseScreen)


async def test_the_palette_over_another_screen_offers_what_that_screen_can_do(start):
    async with start(sample=True) as reader:
        await reader.press("R")
        await reader.press("ctrl+p")
        await reader.type("stack")
        await reader.until(lambda: "No matches" in reader.text)
        await reader.press("escape")
        await reader.press("ctrl+p")
        await reader.type("delete")
        await reader.until(lambda: "Delete its folder" in reader.text)
        await reader.press("escape", "escape")
        assert isinstance(reader.app.screen, BrowseScreen)


async def test_what_is_typed_behind_the_key_that_ends_the_app_is_nothing(start):
    async with start(sample=True) as reader:
        reader.type_in_one_breath("ctrl+q", "t", "R", ":", "r", "?")
        await asyncio.sleep(0.3)
        assert reader.app.return_code == 0
        assert isinstance(reader.app.screen_stack[-1] if reader.app.screen_stack else None, BrowseScreen | None)
