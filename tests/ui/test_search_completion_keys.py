"""Keys of the search box: what they take, where they lead, and that none overtakes another."""

from __future__ import annotations

from contextlib import asynccontextmanager

import pytest

from tui.widgets.search_box import SearchBox


def box_text(reader) -> str:
    """What stands in the box, with what is faint behind the cursor."""
    line = next(line for line in reader.lines if line.startswith(" / "))
    return line[3 : 3 + reader.browse.query_one(SearchBox).size.width].rstrip()


def status(reader) -> str:
    return reader.lines[-2]


@pytest.fixture
def in_the_box(start):
    """`async with in_the_box() as reader`: the sample, with the focus in the search box."""

    @asynccontextmanager
    async def opened(width=120, height=40, **changes):
        async with start(width, height, sample=True, **changes) as reader:
            await reader.press("slash")
            yield reader

    return opened


def typed(reader) -> str:
    return reader.browse.question.search


@pytest.mark.parametrize("key", ["tab", "right"])
async def test_a_key_takes_the_name_and_then_the_value(in_the_box, key):
    async with in_the_box() as reader:
        await reader.type("cor")
        assert box_text(reader) == "cores<="
        assert typed(reader) == "cor"
        await reader.press(key)
        assert typed(reader) == "cores<="
        await reader.press("escape")
        await reader.type("is:fa")
        assert box_text(reader) == "is:fail"
        assert "fail" in status(reader)
        await reader.press(key)
        assert typed(reader).strip() == "is:fail"
        assert set(reader.browse.selection.lines["verdict"].to_list()) == {"FAIL"}


async def test_the_line_below_tells_the_values_with_their_counts_as_the_header_does(in_the_box):
    async with in_the_box() as reader:
        await reader.type("is:")
        counts = dict(part.rsplit(" ", 1) for part in status(reader).removeprefix(" is: ").split(" · "))
        await reader.type("fail")
        assert int(counts["fail"]) == reader.browse.selection.height > 0


async def test_tab_goes_to_the_next_part_of_the_screen_when_there_is_nothing_to_take(in_the_box):
    async with in_the_box() as reader:
        await reader.type("quartz")
        await reader.press("tab")
        assert reader.browse.focused.id != "search"
        assert typed(reader) == "quartz"


async def test_right_within_the_text_moves_the_cursor(in_the_box):
    async with in_the_box() as reader:
        await reader.type("is:fa")
        await reader.press("left", "left", "right")
        assert typed(reader) == "is:fa"
        await reader.type("X")
        assert typed(reader) == "is:fXa"


async def test_everything_typed_in_one_packet_acts_in_its_order(in_the_box):
    async with in_the_box() as reader:
        reader.type_in_one_breath(
            *"is:fa", "tab", *"quarx", "backspace", *"tz", "home", *"8b ", "end", *" org:sam", "right"
        )
        await reader.until(lambda: typed(reader).strip() == "8b is:fail quartz org:sample")


async def test_f1_shows_the_language_and_escape_comes_back_to_the_text(in_the_box):
    async with in_the_box() as reader:
        await reader.type("is:fail ?")
        assert typed(reader) == "is:fail ?"
        await reader.press("f1")
        for words in ("cores<=4", "NeuronCores that the model was sharded over", "tested>2026-10-01"):
            assert words in reader.text
        await reader.press("escape")
        assert reader.browse.focused.id == "search"
        assert box_text(reader) == "is:fail ?"
        await reader.type("x is:fa")
        await reader.press("f1", "escape", "enter", "slash")
        assert box_text(reader) == "is:fail ?x is:fail"
        await reader.press("tab")
        assert typed(reader) == "is:fail ?x is:fail "


async def test_the_language_can_be_read_to_its_end_in_a_small_window(in_the_box):
    async with in_the_box(80, 24) as reader:
        await reader.press("f1")
        assert "fits:here" not in reader.text
        await reader.press("G")
        assert "underlined" in reader.text


@pytest.mark.parametrize("ascii", [False, True])
async def test_the_hint_and_the_keys_fit_into_eighty_columns(in_the_box, ascii):
    async with in_the_box(80, 24, ascii=ascii) as reader:
        await reader.type("is:")
        assert "pass" in status(reader)
        assert "fail" in status(reader)
        assert "tab complete" in reader.lines[-1]
        assert "F1" in reader.lines[-1]
        assert all(len(line) <= 80 for line in reader.lines)
        if ascii:
            assert reader.text.isascii()


async def test_the_mouse_takes_the_completion_too(in_the_box):
    async with in_the_box() as reader:
        await reader.type("is:fa")
        await reader.browse.run_action("complete")
        await reader.pause()
        assert typed(reader).strip() == "is:fail"
