"""The table of models under keys, and when its lines are replaced."""

from __future__ import annotations

import polars as pl
from table_lines import frame, made, numbered
from table_pilot import WatchedTable, table
from textual.events import MouseScrollDown

from tui.widgets.model_table import ModelTable

# Keys


async def test_letters_arrows_and_page_keys_move_the_cursor() -> None:
    async with table(numbered(100)) as seen:
        for keys, position in (
            (("down", "j", "j"), 3),
            (("k", "up"), 1),
            (("G",), 99),
            (("g",), 0),
            (("end",), 99),
            (("home",), 0),
            (("pagedown",), 19),
            (("pageup",), 0),
            (("ctrl+d",), 9),
            (("ctrl+u",), 0),
            (("up",), 0),
        ):
            await seen.press(*keys)
            assert seen.table.cursor == position, keys
            assert seen.at_cursor.split()[3] == f"acme/model-{position}"


async def test_a_cursor_key_draws_two_lines() -> None:
    async with table(numbered(10_000)) as seen:
        seen.table.drawn.clear()
        await seen.press("down")
        assert seen.table.drawn == {1, 2}


async def test_a_million_models_are_drawn_a_window_at_a_time() -> None:
    async with table(numbered(1_000_000)) as seen:
        await seen.press("G")
        assert seen.at_cursor.split()[3] == "acme/model-999999"
        assert len(seen.table._window[1]) <= 60


async def test_the_header_stays_while_the_lines_scroll() -> None:
    async with table(numbered(100), sort=("tp", True)) as seen:
        await seen.press("G")
        assert seen.lines[0].split() == ["result", "model", "cores▼", "time", "memory"]
        assert seen.lines[1].split()[2] == "acme/model-81"
        assert seen.lines[19].split()[3] == "acme/model-99"


async def test_every_model_the_cursor_rests_on_is_told_once() -> None:
    async with table(numbered(5)) as seen:
        await seen.press("down", "down", "down", "down", "down", "up")
        assert seen.highlighted == [f"acme/model-{number}" for number in (0, 1, 2, 3, 4, 3)]


async def test_enter_opens_the_model_on_the_line() -> None:
    async with table(numbered(5)) as seen:
        await seen.press("down", "enter")
        (opened,) = seen.told(ModelTable.Opened)
        assert opened.row == seen.table.current
        assert (opened.row["model_id"], opened.row["record"]) == ("acme/model-1", 1)


async def test_enter_without_a_model_says_why_nothing_happens() -> None:
    async with table(numbered(0)) as seen:
        await seen.press("enter")
        assert seen.told(ModelTable.Opened) == []
        assert [note.message for note in seen.app._notifications] == ["No model is listed here to open."]


async def test_the_cursor_can_be_put_on_a_model_by_its_key() -> None:
    async with table(numbered(500)) as seen:
        assert seen.table.move_to("acme/model-321")
        assert not seen.table.move_to("acme/nothing")
        await seen.pause()
        assert seen.at_cursor.split()[3] == "acme/model-321"


# Other lines


async def test_the_cursor_stays_on_its_model_and_its_screen_line_when_the_lines_are_replaced() -> None:
    lines = numbered(200)
    async with table(lines) as seen:
        seen.table.move_to("acme/model-100")
        await seen.press("up", "up", "up")
        before = seen.lines.index(seen.at_cursor)
        await seen.show(pl.concat([numbered(30, "acme/newer"), lines]))
        assert seen.at_cursor.split()[3] == "acme/model-97"
        assert seen.lines.index(seen.at_cursor) == before
        assert seen.highlighted[-1] == "acme/model-97"
        assert seen.highlighted.count("acme/model-97") == 1


async def test_a_search_that_keeps_the_model_keeps_the_cursor_on_it() -> None:
    lines = numbered(200)
    async with table(lines) as seen:
        seen.table.move_to("acme/model-150")
        await seen.show(lines.filter(pl.col("key").str.contains("5")), ["5"])
        assert seen.at_cursor.split()[3] == "acme/model-150"
        await seen.show(lines)
        assert seen.at_cursor.split()[3] == "acme/model-150"


async def test_a_search_that_hides_the_model_goes_to_the_first_one_found() -> None:
    lines = numbered(200)
    async with table(lines) as seen:
        seen.table.move_to("acme/model-150")
        await seen.show(lines.filter(pl.col("key").str.contains("7")), ["7"])
        assert seen.at_cursor.split()[3] == "acme/model-7"
        assert seen.lines[1] == seen.at_cursor


async def test_a_model_that_is_gone_leaves_the_cursor_where_it_was() -> None:
    lines = numbered(200)
    async with table(lines) as seen:
        seen.table.move_to("acme/model-150")
        await seen.show(lines.filter(pl.col("key") != "acme/model-150"))
        assert seen.at_cursor.split()[3] == "acme/model-151"
        await seen.show(lines.head(20))
        assert seen.at_cursor.split()[3] == "acme/model-19"


async def test_lines_under_the_cursor_of_somebody_who_scrolled_away_do_not_move() -> None:
    lines = numbered(200)
    async with table(lines) as seen:
        seen.table.scroll_to_line(100)
        await seen.pause()
        await seen.show(lines.with_columns(tp=pl.lit(2, pl.Int32)))
        assert seen.lines[1].split()[2:4] == ["acme/model-100", "2"]
        assert seen.table.cursor == 0
        await seen.press("down")
        assert seen.at_cursor.split()[3] == "acme/model-1"


async def test_matches_of_the_search_are_marked_without_colour() -> None:
    async with table(frame(made("acme/Quartz-8B"), made("acme/Quartz-7B")), words=["quartz", "8"]) as seen:
        underlined = [segment.text for segment in seen.strip(1) if segment.style and segment.style.underline]
        assert underlined == ["Quartz", "8"]


async def test_an_empty_list_says_why_and_what_to_do() -> None:
    async with table(numbered(3)) as seen:
        seen.table.empty_text = ["no model has «qwne»; did you mean qwen?", "", "Esc\x1b[2J clears the search."]
        await seen.show(numbered(0), ["qwne"])
        assert [line.strip() for line in seen.lines[1:6]] == [
            "",
            "no model has «qwne»; did you mean qwen?",
            "",
            "Esc\\x1b[2J clears the search.",
            "",
        ]
        assert seen.table.current is None
        assert seen.highlighted == ["acme/model-0", None]
        seen.table.empty_text = ["fetching"]
        await seen.pause()
        assert seen.lines[2].strip() == "fetching"
        await seen.press("down", "G", "pageup")
        await seen.show(numbered(3))
        assert seen.at_cursor.split()[3] == "acme/model-0"


async def test_a_long_explanation_is_wrapped() -> None:
    async with table(numbered(0), size=(30, 12)) as seen:
        seen.table.empty_text = ["no model has «qwne»; did you mean qwen?"]
        await seen.pause()
        assert [line.strip() for line in seen.lines[2:4]] == ["no model has «qwne»; did", "you mean qwen?"]


async def test_lines_about_to_be_replaced_are_dimmed() -> None:
    lines = frame(made("acme/a"), made("acme/b", "FAIL"))
    async with table(lines) as seen:
        bright = seen.strip(2)[1].style
        await seen.show(lines, dimmed=True)
        assert "✗ FAIL" in seen.lines[2]
        assert seen.strip(2)[1].style != bright
        assert len({segment.style for segment in seen.strip(2)[:-1]}) == 1


# The end of the list


async def test_the_end_is_told_once_when_a_page_or_less_is_left() -> None:
    async with table(numbered(100)) as seen:
        await seen.press("pagedown", "pagedown", "pagedown")
        assert seen.told(ModelTable.EndReached) == []
        await seen.press("pagedown", "down", "G", "k", "G")
        assert len(seen.told(ModelTable.EndReached)) == 1


async def test_more_lines_can_come_to_their_end_again() -> None:
    async with table(numbered(100)) as seen:
        await seen.press("G")
        await seen.show(numbered(200))
        assert seen.at_cursor.split()[3] == "acme/model-99"
        assert len(seen.told(ModelTable.EndReached)) == 1
        await seen.press("G")
        assert len(seen.told(ModelTable.EndReached)) == 2


async def test_lines_that_become_few_are_not_taken_for_reaching_the_end() -> None:
    async with table(numbered(500)) as seen:
        seen.table.move_to("acme/model-250")
        await seen.show(numbered(500).head(3), ["model"])
        await seen.show(numbered(500))
        seen.table.scroll_to_line(300)
        await seen.show(numbered(500).head(3))
        assert seen.told(ModelTable.EndReached) == []


async def test_the_end_of_what_a_search_found_on_less_than_a_page_is_not_told() -> None:
    async with table(numbered(500).head(3), words=["model"]) as seen:
        await seen.press("down", "G", "g", "pagedown")
        assert seen.told(ModelTable.EndReached) == []
        await seen.show(numbered(500).head(40), ["model"])
        await seen.press("G")
        assert len(seen.told(ModelTable.EndReached)) == 1


async def test_the_end_of_everything_is_not_told() -> None:
    async with table(numbered(100), more=False) as seen:
        await seen.press("G")
        assert seen.told(ModelTable.EndReached) == []
        await seen.show(numbered(100), more=True)
        await seen.press("g", "G")
        assert len(seen.told(ModelTable.EndReached)) == 1


async def test_stacks_and_unknown_libraries_are_shown_when_asked_for() -> None:
    row = made("acme/one", record=0, neuronx_cc="2.28.7631.0", library="transformers", library_version="5.23.1")
    async with table(frame(row), size=(120, 5), stacks=True, mark_unknown_library=True) as seen:
        assert seen.lines[0].split()[:4] == ["result", "model", "stack", "cores"]
        assert "acme/one  library unknown  " in seen.lines[1]
        assert "  2.28 · 5.23.1  " in seen.lines[1]
        await seen.show(frame(row))
        assert "stack" not in seen.lines[0]
        assert "unknown" not in seen.lines[1]


async def test_the_wheel_reaches_the_end_too() -> None:
    async with table(numbered(40)) as seen:
        assert seen.told(ModelTable.EndReached) == []
        for _ in range(3):
            await seen._post_mouse_events([MouseScrollDown], WatchedTable, offset=(5, 5))
        await seen.pause()
        assert len(seen.told(ModelTable.EndReached)) == 1
