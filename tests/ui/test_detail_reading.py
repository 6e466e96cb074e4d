"""Reading the detail: long lines, wrapped texts, the wheel, the scrollbar, selections; and what its opening costs."""

from __future__ import annotations

import pytest
from parquet_builder import parquet
from textual import events
from textual.content import Content
from textual.geometry import Offset
from textual.screen import Screen

from tui.widgets import detail_panel
from tui.widgets.detail_lines import Flow, Section, laid_out

NOTE = " ".join(f"word{number}" for number in range(40))
LONG_LINE = "x = 0  # " + "abcdefghij" * 16 + " its end"
SCRIPT = "\n".join([LONG_LINE, *(f"step_{number} = {number}" for number in range(100))])
HINTS_AND_STATUS = 2


@pytest.fixture
def one(records_of):
    row = {"model_id": "acme/one", "notes": NOTE, "run_py": SCRIPT}
    return records_of(content=parquet(row))


def pane_lines(reader) -> list[str]:
    """The lines of a detail that has the whole screen, without edge and scrollbar."""
    top = reader.browse.pane.region.y
    return [line[1:].removesuffix("█").rstrip() for line in reader.lines[top:-HINTS_AND_STATUS]]


async def ready(reader) -> None:
    """The detail is made for the day when it is opened."""
    await reader.rest_on("acme/one")
    await reader.until(lambda: "step_99" in reader.browse.pane.text)
    await reader.pause(0.2)


async def opened(reader) -> None:
    await ready(reader)
    await reader.press("enter")


# Lines


def lines_of(*sections: Section, width: int = 10) -> list[tuple[str, int, int]]:
    return [(line.content.plain, line.number, line.start) for line in laid_out(sections, width)]


def test_a_wrapped_line_knows_where_in_the_text_its_parts_begin():
    assert lines_of(Section([Content("one two   three"), Content("four")])) == [
        ("one two", 0, 0),
        ("three", 0, 10),
        ("four", 1, 0),
    ]
    assert lines_of(Section([Content("a" * 25)])) == [("a" * 10, 0, 0), ("a" * 10, 0, 10), ("a" * 5, 0, 20)]


def test_a_blank_line_is_between_sections():
    assert lines_of(Section([Content("one")]), Section([Content("two")])) == [("one", 0, 0), ("", 1, 0), ("two", 2, 0)]


def test_a_long_line_of_a_list_is_cut_and_one_of_a_script_is_whole():
    long = [Content("0123456789abc")]
    assert lines_of(Section(long, Flow.CUT)) == [("012345678…", 0, 0)]
    assert lines_of(Section(long, Flow.LONG)) == [("0123456789abc", 0, 0)]


# Keys and the mouse


async def test_right_shows_the_ends_of_long_lines_and_leaves_texts_where_they_are(start, one):
    async with start(100, 40, data=one) as reader:
        await opened(reader)
        assert "its end" not in reader.text
        assert f"  1  {LONG_LINE[:40]}" in reader.text
        await reader.press(*["right"] * 20)
        assert any(line.endswith("its end") for line in pane_lines(reader))
        assert "word0 word1" in reader.text
        assert pane_lines(reader)[0] == "acme/one"
        await reader.press(*["left"] * 20)
        assert f"  1  {LONG_LINE[:40]}" in reader.text


async def test_the_last_page_ends_with_the_last_line(start, one):
    async with start(100, 30, data=one) as reader:
        await opened(reader)
        await reader.press("G")
        assert pane_lines(reader)[-1] == reader.browse.pane.text.splitlines()[-1]
        await reader.press("g")
        assert pane_lines(reader)[0] == "acme/one"


async def test_another_width_wraps_anew_and_loses_nothing(start, one):
    async with start(100, 40, data=one) as reader:
        await opened(reader)
        for width in (60, 115, 40):
            await reader.resize_terminal(width, 40)
            await reader.press("g")
            lines = pane_lines(reader)
            assert NOTE in " ".join(lines)
            first = next(line for line in lines if line.startswith("word0"))
            assert width - 10 < len(first) <= width - 2


async def test_the_wheel_and_the_scrollbar_move_the_text(start, one):
    async with start(100, 30, data=one) as reader:
        await opened(reader)
        pane = reader.browse.pane
        await reader._post_mouse_events([events.MouseScrollDown], "#detail", offset=(5, 5))
        assert pane.scroll_offset == Offset(0, 2)
        await reader._post_mouse_events([events.MouseScrollUp], "#detail", offset=(5, 5))
        assert pane.scroll_offset == Offset(0, 0)
        await reader._post_mouse_events([events.MouseScrollDown], "#detail", offset=(5, 5), shift=True)
        assert pane.scroll_offset == Offset(detail_panel.WHEEL_CELLS, 0)
        bar = pane.outer_size.width - 1
        await reader.mouse_down("#detail", offset=(bar, 1))
        await reader.hover("#detail", offset=(bar, pane.size.height - 1))
        await reader.mouse_up("#detail", offset=(bar, pane.size.height - 1))
        assert pane.scroll_offset.y == pane.max_scroll_y
        assert "step_99" in reader.text


async def select(reader, begin: tuple[int, int], end: tuple[int, int]) -> None:
    await reader.mouse_down("#detail", offset=begin)
    await reader.hover("#detail", offset=end)
    await reader.mouse_up("#detail", offset=end)


async def test_a_selection_over_wrapped_lines_is_copied_as_it_was_recorded(start, one, copies):
    async with start(100, 40, data=one) as reader:
        await opened(reader)
        first = next(y for y, line in enumerate(pane_lines(reader)) if line.startswith("word0"))
        assert pane_lines(reader)[first + 1].startswith("word")
        await select(reader, (1, first), (6, first + 1))
        await reader.press("ctrl+c")
        await reader.until(lambda: copies)
        word = pane_lines(reader)[first + 1].split()[0]
        # Textual's selection reaches over the cell under the mouse.
        assert copies == [NOTE[: NOTE.index(word) + 6]]


async def test_a_selection_of_a_line_that_was_moved_is_what_is_seen(start, one, copies):
    async with start(100, 40, data=one) as reader:
        await opened(reader)
        await reader.press("right")
        y = next(y for y, line in enumerate(pane_lines(reader)) if "abcdefghij" in line)
        seen = pane_lines(reader)[y]
        await select(reader, (1 + 4, y), (1 + 16, y))
        await reader.press("ctrl+c")
        await reader.until(lambda: copies)
        assert copies == [seen[4:16]] or copies == [seen[4:17]]


async def test_selected_text_looks_selected_and_other_text_does_not(start, one):
    async with start(100, 40, data=one) as reader:
        await opened(reader)
        await select(reader, (1, 0), (5, 0))
        pane = reader.browse.pane
        chosen = {segment.text for segment in pane.render_line(0) if segment.style.bgcolor != pane.rich_style.bgcolor}
        assert chosen and all("acme/one".startswith(text) for text in chosen)


# What its opening costs


@pytest.fixture
def work(monkeypatch):
    """What is done from now on: the layouts of screens, and the lines of the detail that are drawn."""
    layouts: list[object] = []
    drawn: list[int] = []
    lay_out, draw = Screen._refresh_layout, detail_panel.DetailPanel._text_of

    def noted_layout(self, *arguments, **options):
        layouts.append(self)
        return lay_out(self, *arguments, **options)

    def noted_line(self, index, **options):
        drawn.append(index)
        return draw(self, index, **options)

    monkeypatch.setattr(Screen, "_refresh_layout", noted_layout)
    monkeypatch.setattr(detail_panel.DetailPanel, "_text_of", noted_line)
    return layouts, drawn


async def test_enter_lays_out_the_screen_once_and_has_nothing_of_the_detail_to_draw(start, one, work):
    layouts, drawn = work
    async with start(100, 40, data=one) as reader:
        await ready(reader)
        for _ in range(2):
            layouts.clear()
            drawn.clear()
            await reader.press("enter")
            assert "step_3 = 3" in reader.text
            assert len(layouts) == 1
            assert len(drawn) <= 3  # that the Hub is being asked
            await reader.press("escape")


async def test_only_visible_lines_are_ever_drawn(start, one, work):
    _, drawn = work
    async with start(100, 40, data=one) as reader:
        await opened(reader)
        assert 10 < max(drawn) < 40
        drawn.clear()
        await reader.press("down")
        assert len(drawn) <= 1
        drawn.clear()
        await reader.press("pagedown")
        assert len(drawn) <= 40


async def test_what_arrives_for_an_open_detail_needs_no_layout(start, one, work):
    layouts, _ = work
    async with start(160, 40, data=one) as reader:
        await ready(reader)
        layouts.clear()
        await reader.press("j", "k", "enter")
        await reader.until(lambda: "bucket" in reader.browse.pane.text)
        assert layouts == []
