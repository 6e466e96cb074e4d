"""Every key of the main screen on the bundled sample, judged by what a person would read."""

from __future__ import annotations

import pytest

from tui.catalog.views import View

PASSING = "sample/Quartz-8B-Instruct"


async def test_the_selected_view_of_the_newest_stack_is_shown_under_the_sample_banner(start):
    async with start(sample=True) as reader:
        assert "SAMPLE DATA" in reader.lines[0]
        assert "neuronx-cc 2.28.7631.0" in reader.text
        assert "transformers 5.23.1" in reader.text
        assert "● PASS" in reader.text
        assert "tested to 2026-11-20" in reader.text
        assert reader.browse.focused.id is None or reader.browse.focused.id != "search"


async def test_letters_are_commands_in_the_table_and_text_in_the_search_box(start):
    async with start(sample=True) as reader:
        await reader.press("slash")
        await reader.type("q8b")
        assert reader.browse.question.search == "q8b"
        await reader.press("escape")
        assert reader.browse.question.search == ""
        await reader.press("escape")
        await reader.press("2")
        assert reader.browse.question.view is View.TRENDING


async def test_every_word_of_the_search_must_occur_and_the_text_is_kept_on_enter(start):
    async with start(sample=True) as reader:
        await reader.press("slash")
        await reader.type("INSTRUCT quartz")
        await reader.press("enter")
        ids = reader.browse.selection.lines["model_id"].to_list()
        assert PASSING in ids
        assert all("quartz" in each.casefold() and "instruct" in each.casefold() for each in ids)
        assert "INSTRUCT quartz" in reader.text
        assert reader.browse.focused.id != "search"


async def test_a_search_without_a_hit_says_so_and_suggests_a_near_word(start):
    async with start(sample=True) as reader:
        await reader.press("slash")
        await reader.type("qaurtz")
        assert "no model has «qaurtz»" in reader.text
        await reader.until(lambda: "no model has «qaurtz»; did you mean quartz?" in reader.text)


async def test_numbers_change_the_view_and_keep_the_search(start):
    async with start(sample=True) as reader:
        await reader.press("slash")
        await reader.type("sample")
        await reader.press("enter", "2")
        assert "trend" in reader.text
        assert "text-generation ▾" in reader.text
        assert reader.browse.question.search == "sample"
        await reader.press("3")
        assert "downloads" in reader.text
        await reader.press("1")
        assert reader.browse.question.view is View.SELECTED


async def test_a_ranking_says_what_is_true_of_models_without_a_result(start):
    async with start(sample=True, height=80) as reader:
        await reader.press("2")
        text = reader.text
        assert "not tested" in text
        notes = " ".join(reader.browse.selection.lines["note"].drop_nulls().to_list())
        assert "left out: " in notes
        assert "not on this stack (PASS on 2.2" in notes
        assert "diffusers, not a Transformers model" in notes
        assert "library unknown" in notes


async def test_capital_t_narrows_a_ranking_to_transformers_models(start):
    async with start(sample=True) as reader:
        await reader.press("2", "T")
        notes = reader.browse.selection.lines["note"].drop_nulls().to_list()
        assert not any("diffusers" in note for note in notes)
        assert any("library unknown" in note for note in notes)
        assert "Transformers only" in reader.text


async def test_capital_t_says_why_it_does_nothing_in_the_selected_view(start):
    async with start(sample=True) as reader:
        await reader.press("T")
        assert any("T narrows a ranking" in each for each in reader.said)


async def test_enter_opens_the_detail_beside_the_table_and_escape_goes_back(start):
    async with start(sample=True) as reader:
        await reader.rest_on(PASSING)
        await reader.press("enter")
        assert reader.browse.focused.id == "detail"
        assert "A functional test of 32 tokens" in reader.text
        await reader.press("escape")
        assert reader.browse.focused.id != "detail"


async def test_on_80_columns_the_detail_comes_over_the_table_and_q_goes_back(start):
    async with start(80, 24, sample=True) as reader:
        await reader.rest_on(PASSING)
        assert "A functional test" not in reader.text
        await reader.press("enter")
        assert "A functional test of 32 tokens, not a benchmark." in reader.text
        await reader.press("q")
        assert "A functional test" not in reader.text
        assert reader.app.is_running
        assert PASSING in reader.text


async def test_q_in_the_main_screen_quits(start):
    async with start(sample=True) as reader:
        await reader.press("q")
        assert reader.app.return_code == 0
        assert reader.app._exit


async def test_the_detail_shows_run_py_with_line_numbers(start):
    async with start(sample=True, height=120) as reader:
        await reader.rest_on(PASSING)
        await reader.until(lambda: "1  " in reader.text and "import" in reader.text)
        assert "Demonstration script" in reader.text


async def test_c_offers_the_compilers_with_their_records_and_keeps_search_and_cursor(start):
    async with start(sample=True, search=PASSING) as reader:
        await reader.press("c")
        assert "neuronx-cc version" in reader.text
        assert "2.27.5334.0" in reader.text
        assert "records" in reader.text
        await reader.type("2.27")
        await reader.press("enter")
        assert reader.browse.question.stack.neuronx_cc == "2.27.5334.0"
        assert reader.browse.question.stack.library_version == "5.21.0"
        assert reader.browse.question.search == PASSING
        assert "neuronx-cc 2.27.5334.0" in reader.text


async def test_v_offers_any_which_shows_each_model_on_its_newest_stack(start):
    async with start(sample=True) as reader:
        on_one_stack = reader.browse.selection.total
        await reader.press("v")
        await reader.type("any")
        await reader.press("enter")
        await reader.press("c")
        await reader.type("any")
        await reader.press("enter")
        assert reader.browse.selection.total > on_one_stack


async def test_t_takes_any_pipeline_tag_by_name(start):
    async with start(sample=True) as reader:
        await reader.press("2", "t")
        await reader.type("robotics")
        await reader.press("enter")
        assert reader.browse.pipeline_tag == "robotics"
        assert "robotics ▾" in reader.text
        assert "the ranking of robotics is empty" in reader.text


async def test_a_shows_the_models_that_were_left_out(start):
    async with start(sample=True) as reader:
        hidden = reader.browse.selection.hidden_left_out
        listed = reader.browse.selection.lines.height
        assert hidden > 0
        await reader.press("a")
        assert reader.browse.selection.lines.height == listed + hidden


async def test_s_sorts_by_a_column_and_again_turns_it_round(start):
    async with start(sample=True) as reader:
        await reader.press("s")
        await reader.type("wall")
        await reader.press("enter")
        walls = reader.browse.selection.lines["wall_s"].drop_nulls().to_list()
        assert walls == sorted(walls)
        await reader.press("s")
        await reader.type("wall")
        await reader.press("enter")
        walls = reader.browse.selection.lines["wall_s"].drop_nulls().to_list()
        assert walls == sorted(walls, reverse=True)


async def test_capital_s_turns_the_order_of_the_chosen_column_round_and_it_stays_so(start):
    async with start(sample=True) as reader:
        await reader.press("S")
        assert any("none is chosen: s chooses one" in each for each in reader.said)
        assert reader.browse.question.sort is None
        await reader.press("s", *"peak", "enter", "S")
        peaks = reader.browse.selection.lines["hbm_peak_gb"].to_list()
        known = [peak for peak in peaks if peak is not None]
        assert known == sorted(known, reverse=True)
        assert peaks[len(known) :] == [None] * (len(peaks) - len(known))
        assert "by peak memory, falling" in reader.text
    async with start(sample=True) as reader:
        assert "by peak memory, falling" in reader.text
        await reader.press("S")
        assert "by peak memory (s)" in reader.text


async def test_j_k_g_and_capital_g_move_the_cursor(start):
    async with start(sample=True) as reader:
        ids = reader.browse.selection.lines["model_id"].to_list()
        await reader.press("j", "j", "k")
        assert reader.browse.current_line()["model_id"] == ids[1]
        await reader.press("G")
        assert reader.browse.current_line()["model_id"] == ids[-1]
        await reader.press("g")
        assert reader.browse.current_line()["model_id"] == ids[0]
        await reader.press("pagedown")
        assert reader.browse.current_line()["model_id"] not in ids[:2]


async def test_the_help_tells_every_key_and_how_to_select_with_the_mouse(start):
    async with start(sample=True, height=100) as reader:
        await reader.press("question_mark")
        for words in ("Copy run.py", "neuronx-cc version", "Ctrl+C", "hold Shift"):
            assert words in reader.text
        await reader.press("escape")
        await reader.press("f1")
        assert "hold Shift" in reader.text


async def test_the_palette_finds_models_versions_and_commands(start):
    async with start(sample=True) as reader:
        await reader.press("colon")
        await reader.type("quartz 8b instruct")
        await reader.until(lambda: PASSING in reader.text)
        await reader.press("down", "enter")
        await reader.until(lambda: (reader.browse.current_line() or {}).get("model_id") == PASSING)


async def test_ctrl_c_asks_before_it_quits(start):
    async with start(sample=True) as reader:
        await reader.press("ctrl+c")
        assert any("Ctrl+C again quits" in each for each in reader.said)
        assert reader.app.is_running
        await reader.press("ctrl+c")
        assert reader.app._exit


async def test_z_gives_the_detail_the_whole_width(start):
    async with start(sample=True) as reader:
        await reader.rest_on(PASSING)
        await reader.press("z")
        assert not reader.browse.query_one("ModelTable").display
        await reader.press("z")
        assert reader.browse.query_one("ModelTable").display


async def test_a_theme_is_remembered(start, settings):
    async with start(sample=True) as reader:
        reader.app.theme = "light"
        await reader.pause()
    async with start(sample=True) as reader:
        assert reader.app.theme == "light"


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (200, 60), (30, 10)])
async def test_resizing_live_keeps_the_cursor_and_the_keys(start, size):
    async with start(sample=True) as reader:
        await reader.rest_on(PASSING)
        await reader.resize_terminal(*size)
        await reader.pause()
        assert reader.browse.current_line()["model_id"] == PASSING
        assert all(len(line) <= size[0] for line in reader.lines)
        await reader.press("2")
        assert reader.browse.question.view is View.TRENDING


async def test_what_is_typed_in_one_breath_after_a_key_that_opens_a_line_is_text(start):
    async with start(sample=True) as reader:
        reader.type_in_one_breath("slash", *"quit2", "enter")
        await reader.until(lambda: reader.browse.question.search == "quit2")
        assert reader.app.is_running
        assert reader.browse.question.view is View.SELECTED
        await reader.press("escape")
        reader.type_in_one_breath("c", *"2.27", "enter")
        await reader.until(lambda: reader.browse.question.stack.neuronx_cc == "2.27.5334.0")


async def test_every_scroll_key_of_a_burst_counts_in_the_detail(start):
    async with start(80, 24, sample=True) as reader:
        await reader.rest_on(PASSING)
        await reader.press("enter")
        await reader.until(lambda: "import argparse" in reader.browse.pane.text)
        reader.type_in_one_breath(*"jjjjjjjj")
        await reader.until(lambda: reader.browse.pane.scroll_offset.y == 8)


async def test_the_help_can_be_read_to_its_end(start):
    async with start(80, 24, sample=True) as reader:
        await reader.press("question_mark", "G")
        assert "or press p for plain text" in reader.text


async def test_the_line_of_a_list_that_enter_takes_is_marked_without_colour(start):
    async with start(sample=True) as reader:
        await reader.press("c", "down")
        marked = [line.split("▌")[1] for line in reader.lines if "│▌" in line or "│ ▌" in line]
        assert len(marked) == 1
        assert "2.27.5334.0" in marked[0]


async def test_a_selection_without_text_does_not_keep_ctrl_c_from_quitting(start, monkeypatch):
    async with start(sample=True) as reader:
        monkeypatch.setattr(reader.browse, "get_selected_text", lambda: "")
        await reader.press("ctrl+c")
        assert any("Ctrl+C again quits" in each for each in reader.said)
        await reader.press("ctrl+c")
        assert reader.app._exit
