"""The overview on screen: what its bars show, and that each opens the list behind it."""

from __future__ import annotations

import pytest
from loopback_hub import silent
from rich.cells import cell_len

from tui.catalog import snapshot as snapshots
from tui.screens.browse import BrowseScreen
from tui.screens.overview import OverviewScreen
from tui.widgets.overview_page import OverviewPage
from tui.widgets.search_box import SearchBox


async def opened(reader) -> OverviewPage:
    await reader.press("4")
    await reader.until(lambda: isinstance(reader.app.screen, OverviewScreen))
    await reader.until(lambda: page_of(reader).overview is not None)
    await reader.until(lambda: all(section.known for section in page_of(reader).overview.sections))
    return page_of(reader)


def page_of(reader) -> OverviewPage:
    return reader.app.screen.query_one(OverviewPage)


async def test_the_page_shows_every_section_under_the_banner_of_the_sample(start):
    async with start(120, 40, sample=True) as reader:
        await opened(reader)
        for words in ("SAMPLE DATA", "4 Overview", "Pass rate by stack", "Kinds of failure", "Memory against capacity"):
            assert words in reader.text
        newest = next(line for line in reader.lines if "2.28.7631.0 5.23.1" in line)
        assert "█" in newest and "━" in newest and " 61 % " in newest and "●36" in newest and "✗20" in newest
        assert "61 % of 59 tested · 11 left out" in reader.text


@pytest.mark.parametrize(
    "label", ["2.26.4100.0 · transformers 5.18.2", "unknown", "8", "70–80 %", "8 more kinds", "no error recorded"]
)
async def test_a_bar_opens_the_list_of_exactly_its_models_and_esc_there_goes_back_as_usual(start, label):
    async with start(80, 24, sample=True) as reader:
        page = await opened(reader)
        place = [bar.label for _, bar in page._page.bars].index(label)
        await reader.press("home")
        reader.type_in_one_breath(*["down"] * place)
        await reader.pause()
        _, bar = page.current
        assert bar.label == label
        await reader.press("enter")
        await reader.until(lambda: isinstance(reader.app.screen, BrowseScreen))
        await reader.until(lambda: not reader.browse.search.unclear)
        assert reader.browse.selection.height == bar.counts.total
        assert reader.browse.selection.tested == bar.counts.tested
        assert reader.browse.query_one(SearchBox).value == bar.search
        assert reader.browse.question.stack == bar.stack
        await reader.press("escape")
        assert reader.browse.question.search == ""
        assert reader.browse.question.stack == bar.stack
        assert (await opened(reader)).current[0] in {topic for topic, each in page._page.bars if each == bar}


async def test_a_click_puts_the_cursor_on_a_bar_and_a_second_one_opens_its_list(start):
    async with start(120, 40, sample=True) as reader:
        page = await opened(reader)
        y = next(at for at, line in enumerate(reader.lines) if "image-text-to-text" in line)
        await reader.click(offset=(5, y))
        await reader.pause()
        assert page.current[1].label == "image-text-to-text"
        await reader.click(offset=(5, y))
        await reader.until(lambda: isinstance(reader.app.screen, BrowseScreen))
        assert reader.browse.query_one(SearchBox).value == "task:image-text-to-text"


async def test_another_stack_changes_the_page_and_the_list_below_it(start):
    async with start(120, 40, sample=True) as reader:
        page = await opened(reader)
        await reader.press("v")
        await reader.type("5.21")
        await reader.press("enter")
        await reader.until(lambda: "66 % of 35 tested" in reader.text)
        assert isinstance(reader.app.screen, OverviewScreen)
        assert page.overview.choice == reader.browse.question.stack
        await reader.press("q")
        assert isinstance(reader.app.screen, BrowseScreen)
        assert reader.browse.selection.counts["PASS"] == 23


async def test_left_and_right_lead_to_the_column_beside_and_paging_stays_on_the_page(start):
    async with start(120, 40, sample=True) as reader:
        page = await opened(reader)
        await reader.press("right")
        assert page.current[0] == "failures"
        await reader.press("left")
        assert page.current[0] == "stacks"
        await reader.press("end")
        assert page.current == page._page.bars[-1]
        await reader.press("pageup", "home", "up")
        assert page.current == page._page.bars[0]


async def test_records_that_arrive_meanwhile_are_on_the_page(start, records_of, settings):
    path = records_of({"model_id": "acme/new", "result": "pass", "neuronx_cc": "9.9", "tp": 4})
    arrived = snapshots.open_path(path, settings, lambda _: None)
    async with start(120, 40, sample=True) as reader:
        page = await opened(reader)
        reader.browse._take(arrived)
        await reader.until(lambda: "100 % of 1 tested" in reader.text)
        assert "9.9" in reader.text and "SAMPLE DATA" not in reader.text
        await reader.until(lambda: all(section.known for section in page.overview.sections))
        assert "none that was tried failed" in reader.text


@pytest.mark.parametrize("size", [(200, 60), (116, 24), (40, 12), (12, 5), (3, 3)])
async def test_in_any_window_lines_keep_to_its_width_and_no_key_breaks_the_page(start, size):
    async with start(*size, sample=True) as reader:
        await reader.press("4")
        await reader.until(lambda: isinstance(reader.app.screen, OverviewScreen) and page_of(reader).overview)
        await reader.press("down", "right", "left", "pagedown", "pageup", "end", "up", "home")
        assert all(cell_len(line) <= size[0] for line in reader.lines)
        await reader.resize_terminal(80, 24)
        assert "Pass rate by stack" in reader.text


@pytest.mark.parametrize("key", ["4", "escape", "q"])
async def test_the_page_is_left_as_it_was_opened(start, key):
    async with start(80, 24, sample=True) as reader:
        await reader.press("j", "j")
        before = reader.lines
        await opened(reader)
        await reader.press(key)
        await reader.until(lambda: isinstance(reader.app.screen, BrowseScreen))
        assert reader.lines == before


async def test_2_leads_from_the_page_to_that_view(start):
    async with start(120, 40, sample=True) as reader:
        await opened(reader)
        await reader.press("2")
        await reader.until(lambda: "sample ranking" in reader.text)


async def test_in_ascii_no_other_character_is_on_the_page_and_bars_read_without_colour(start):
    async with start(80, 24, sample=True, ascii=True) as reader:
        await opened(reader)
        whole = page_of(reader).size.region
        text = "\n".join(strip.text for strip in page_of(reader).render_lines(whole))
        assert text.isascii()
        newest = next(line for line in text.splitlines() if "2.28.7631.0 5.23.1" in line)
        assert "##xx" in newest and "x?" in newest


async def test_an_error_that_is_text_of_a_stranger_is_drawn_without_what_a_terminal_acts_on(start, records_of):
    error = "Traceback\n\x1b]0;owned\x07 [red]boom[/] \u202e" + "very long " * 60
    path = records_of({"model_id": "acme/a", "result": "fail", "error": error, "neuronx_cc": "1.0"})
    async with start(80, 24, data=path) as reader:
        await reader.until(lambda: reader.browse.selection is not None)
        await opened(reader)
        assert "[red]boom" in reader.text and "\\x1b" in reader.text
        assert "\x1b" not in reader.text and "\u202e" not in reader.text
        assert all(len(line) <= 80 for line in reader.lines)


async def test_while_records_are_read_the_key_says_so(start, hub):
    hub.set_fault("/", silent())
    async with start(80, 24, offline=False) as reader:
        await reader.press("4")
        assert isinstance(reader.app.screen, BrowseScreen)
        assert "still being read" in " ".join(reader.said)
