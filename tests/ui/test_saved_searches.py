"""`b` saves the search in the box under a name, `B` lists what was saved, also by another app; the palette finds it."""

from __future__ import annotations

import pytest

from tui import state
from tui.screens.searches_dialog import SearchesDialog


async def search(reader, text: str) -> None:
    """Type a search and go back to the table."""
    await reader.press("slash", "ctrl+u")
    await reader.type(text)
    await reader.press("enter")


def saved(settings) -> dict[str, str]:
    return dict(state.load(settings).searches)


async def test_a_search_is_saved_under_its_text_or_another_name(start, settings):
    async with start(sample=True) as reader:
        await search(reader, "quartz 8b")
        await reader.press("b")
        assert "Save this search as" in reader.text
        await reader.press("enter")
        assert saved(settings) == {"quartz 8b": "quartz 8b"}
        assert any("Saved as «quartz 8b»: B lists" in each for each in reader.said)
        await reader.press("b")
        await reader.type("small ones")
        await reader.press("enter")
    assert saved(settings) == {"quartz 8b": "quartz 8b", "small ones": "quartz 8b"}


async def test_a_saved_search_comes_back_with_its_lines_and_the_keys_of_the_table(start, settings):
    state.remember(settings, searches={"quartzes": "quartz 8b", "ambers": "amber"})
    async with start(sample=True) as reader:
        await search(reader, "garnet")
        await reader.press("enter", "z")
        reader.type_in_one_breath("B", *"quartz", "enter")
        await reader.until(lambda: reader.browse.question.search == "quartz 8b")
        assert "quartz 8b" in reader.text
        ids = reader.browse.selection.lines["model_id"].to_list()
        assert ids and all("quartz" in each.casefold() for each in ids)
        assert any(line.startswith("▌") and "Quartz-8B" in line for line in reader.lines)
        await reader.press("2")
        assert reader.browse.question.view == "trending"


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 20)])
async def test_the_list_shows_name_and_text_and_typing_narrows_it_by_both(start, settings, size):
    state.remember(settings, searches={"quartzes": "quartz 8b", "amber": "amber", "n" * 200: "garnet"})
    async with start(*size, sample=True) as reader:
        await reader.press("B")
        assert "Saved searches" in reader.text
        assert any("quartzes" in line and "8b" in line for line in reader.lines)
        assert any("nnn" in line and "garn" in line for line in reader.lines) or size[0] == 40
        assert all(len(line) <= size[0] for line in reader.lines)
        await reader.type("garn!")
        assert "nothing here has that" in reader.text
        await reader.press("down", "enter")
        assert "Saved searches" in reader.text
        await reader.press("backspace")
        assert "quartzes" not in reader.text and "nothing here" not in reader.text
        await reader.press("enter")
        assert reader.browse.question.search == "garnet"


async def test_a_name_that_is_taken_is_given_another_search_only_after_a_second_enter(start, settings):
    state.remember(settings, searches={"mine": "amber"})
    async with start(sample=True) as reader:
        await search(reader, "quartz")
        await reader.press("b", "ctrl+u")
        await reader.type("mine")
        await reader.press("enter")
        assert "«mine» is another search so far: amber" in reader.words
        assert saved(settings) == {"mine": "amber"}
        await reader.press("enter")
        assert saved(settings) == {"mine": "quartz"}


async def test_a_saved_search_is_deleted_after_a_question(start, settings):
    state.remember(settings, searches={"ambers": "amber", "quartzes": "quartz"})
    async with start(sample=True) as reader:
        for answer, left in (("n", {"ambers", "quartzes"}), ("y", {"quartzes"})):
            await reader.press("B", "ctrl+d")
            assert "Delete the saved search «ambers»?" in reader.text
            await reader.press(answer)
            assert saved(settings).keys() == left
            assert ("ambers" in reader.text) is ("ambers" in left)
            assert "quartzes" in reader.text
            await reader.press("escape")
        await reader.press("B", "delete", "y")
        await reader.until(lambda: not isinstance(reader.app.screen, SearchesDialog))
        assert saved(settings) == {}


async def test_without_a_search_or_a_saved_one_the_keys_say_what_to_do(start):
    async with start(sample=True) as reader:
        await reader.press("b")
        assert any("There is no search to save: / types one" in each for each in reader.said)
        await reader.press("B")
        assert any("No search is saved: / types one, then b saves it" in each for each in reader.said)


@pytest.mark.parametrize(
    ("text", "why"),
    [("q" * 1001, "has 1,001 characters, more than 1,000"), ("a\u200bb", "has characters that no terminal shows")],
)
async def test_a_search_that_cannot_be_remembered_is_refused_with_the_reason(start, settings, text, why):
    async with start(sample=True, search=text) as reader:
        await reader.press("b")
        assert any(f"This search cannot be saved: it {why}." in each for each in reader.said)
        assert saved(settings) == {}


async def test_a_name_that_cannot_be_remembered_is_refused_and_the_dialog_stays(start, settings):
    async with start(sample=True, search="quartz") as reader:
        await reader.press("b", "ctrl+u")
        await reader.type("n" * 1001)
        await reader.press("enter")
        assert "This cannot be a name: it has 1,001 characters" in reader.words
        await reader.press("enter")
        assert saved(settings) == {}


async def test_more_searches_than_there_is_room_for_are_refused_before_anything_is_lost(start, settings, monkeypatch):
    monkeypatch.setattr("tui.screens.saved_searches.ROOM", 60)
    async with start(sample=True, search="quartz") as reader:
        await reader.press("b", "enter")
        await search(reader, "q" * 40)
        await reader.press("b", "enter")
        assert "There is no room for more" in reader.text
        assert saved(settings) == {"quartz": "quartz"}


async def test_what_another_app_saves_meanwhile_is_there_and_stays(start, settings):
    async with start(sample=True, search="quartz") as reader:
        state.remember(settings, searches={"theirs": "amber"})
        await reader.press("b", "enter", "B")
        assert "theirs" in reader.text
        assert saved(settings) == {"quartz": "quartz", "theirs": "amber"}


async def test_the_palette_finds_a_saved_search_and_puts_it_in_the_box(start, settings):
    state.remember(settings, searches={"[bold]small[/]": "quartz 8b"})
    async with start(sample=True) as reader:
        await reader.press("ctrl+p")
        await reader.type("search: [bold]small")
        await reader.until(lambda: "search: [bold]small[/]" in reader.text)
        await reader.press("down", "enter")
        await reader.until(lambda: reader.browse.question.search == "quartz 8b")


@pytest.mark.parametrize("size", [(80, 24), (40, 20)])
async def test_the_last_line_of_a_list_longer_than_the_window_can_be_seen(start, size):
    async with start(*size, sample=True) as reader:
        await reader.press("s", "up")
        assert any("▌" in line and "note or reason" in line for line in reader.lines)
        assert "⏎ take   esc close" in reader.text
