"""The table of models under the mouse, at all sizes and in all colours."""

from __future__ import annotations

import pytest
from table_lines import frame, made, numbered
from table_pilot import WatchedTable, table
from textual.events import MouseScrollDown
from textual.widgets import Input

from tui.themes import THEMES
from tui.widgets.model_table import ModelTable

# Mouse


async def test_the_wheel_scrolls_at_once_and_the_next_key_comes_back_to_the_cursor() -> None:
    async with table(numbered(200)) as seen:
        for _ in range(4):
            await seen._post_mouse_events([MouseScrollDown], WatchedTable, offset=(5, 5))
        assert seen.table.top == 8
        await seen.pause()
        assert seen.lines[1].split()[2] == "acme/model-8"
        await seen.press("down")
        assert seen.at_cursor.split()[3] == "acme/model-1"


async def test_a_click_moves_the_cursor_and_a_click_on_its_line_opens() -> None:
    async with table(numbered(50)) as seen:
        await seen.click_at(30, 4)
        assert seen.table.cursor == 3
        assert seen.told(ModelTable.Opened) == []
        seen.app._click_chain_last_offset = None
        await seen.click_at(30, 4)
        assert [opened.row["model_id"] for opened in seen.told(ModelTable.Opened)] == ["acme/model-3"]


async def test_a_double_click_opens_once() -> None:
    async with table(numbered(50)) as seen:
        await seen.click_at(30, 4, times=2)
        assert [opened.row["model_id"] for opened in seen.told(ModelTable.Opened)] == ["acme/model-3"]
        await seen.click_at(30, 1, times=3)
        assert len(seen.told(ModelTable.Opened)) == 2


async def test_a_click_below_the_last_line_does_nothing() -> None:
    async with table(numbered(3)) as seen:
        await seen.click_at(30, 10)
        assert (seen.table.cursor, seen.told(ModelTable.Opened)) == (0, [])


async def test_a_click_on_a_title_asks_for_that_order() -> None:
    columns = {"result": "verdict", "model": "model_id", "cores": "tp", "time": "wall_s", "memory": "hbm_peak_gb"}
    async with table(numbered(50)) as seen:
        await seen.press("down")
        for title in columns:
            await seen.click_at(seen.lines[0].index(title) + 1, 0)
        assert [asked.column for asked in seen.told(ModelTable.SortRequested)] == list(columns.values())
        assert seen.table.cursor == 1


# Sizes and looks


async def test_resizing_keeps_the_cursor_in_view_and_gives_columns_away() -> None:
    async with table(numbered(200), size=(120, 40)) as seen:
        await seen.press("pagedown")
        assert "check" in seen.lines[0]
        await seen.resize_terminal(24, 10)
        await seen.pause()
        assert seen.lines[0].split() == ["result", "model"]
        assert seen.at_cursor.split() == ["▌", "●", "PASS", "acme/model-38"]
        await seen.resize_terminal(200, 60)
        await seen.pause()
        assert seen.lines[0].split() == ["result", "model", "cores", "time", "memory", "check"]
        assert seen.at_cursor.split()[3:] == ["acme/model-38", "6", "–", "–", "–"]


async def test_a_table_of_one_line_or_a_few_cells_does_not_break() -> None:
    async with table(numbered(30), size=(80, 24)) as seen:
        for width, height in ((1, 1), (3, 2), (8, 3), (15, 4)):
            await seen.resize_terminal(width, height)
            await seen.press("j", "G", "pageup")
            assert all(len(line) <= width for line in seen.lines)


async def test_the_cursor_line_is_calmer_when_something_else_has_the_keys() -> None:
    async with table(numbered(5)) as seen:
        with_keys = [segment.style for segment in seen.strip(1)]
        seen.app.query_one(Input).focus()
        await seen.pause()
        without = [segment.style for segment in seen.strip(1)]
        assert seen.at_cursor.split()[3] == "acme/model-0"
        assert with_keys != without
        assert any(style.bold for style in with_keys if style)
        assert not any(style.bold for style in without if style)
        assert without[1].bgcolor != seen.strip(2)[1].style.bgcolor  # type: ignore[union-attr]


async def test_without_colour_the_cursor_line_is_reversed_and_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with table(frame(made("acme/a"), made("acme/b", "FAIL"))) as seen:
        at_cursor = seen.strip(1)
        assert at_cursor[0].text == "▌"
        assert all(segment.style and segment.style.reverse for segment in at_cursor[1:-1])
        assert len({(segment.style.color, segment.style.bgcolor) for segment in at_cursor[1:-1]}) == 1  # type: ignore[union-attr]
        assert not any(segment.style and segment.style.reverse for segment in seen.strip(2)[:-1])
        assert "✗ FAIL" in seen.lines[2]


async def test_verdicts_have_colours_of_the_theme() -> None:
    verdicts = ("PASS", "PASS", "FAIL", "OTHER", "EXCLUDED")
    lines = frame(*(made(f"acme/{number}", verdict, word="ok") for number, verdict in enumerate(verdicts)))
    async with table(lines) as seen:
        for theme in THEMES:
            seen.app.theme = theme
            await seen.pause()
            colours = {
                next(piece.style.color for piece in seen.strip(y) if piece.text.startswith(sign) and piece.style)
                for y, sign in ((2, "●"), (3, "✗"), (4, "?"), (5, "–"))
            }
            assert len(colours) == 4, theme


async def test_a_line_that_was_drawn_follows_a_change_of_theme() -> None:
    async with table(numbered(3)) as seen:
        before = [segment.style for segment in seen.strip(2)]
        seen.app.theme = "light"
        await seen.pause()
        assert [segment.style for segment in seen.strip(2)] != before


async def test_ids_are_text_and_never_markup_or_commands() -> None:
    async with table(frame(made("acme/[red]x[/] \x1b]0;owned\x07"))) as seen:
        assert "acme/[red]x[/] \\x1b]0;owned\\x07" in seen.lines[1]
