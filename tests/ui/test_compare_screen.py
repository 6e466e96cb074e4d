"""`x`: one model across every stack, drawn, moved about in, and left for its records."""

from __future__ import annotations

import json
import re

import pytest

from tui.catalog.stacks import Stack
from tui.errors import UnreadableFileError
from tui.screens.browse import BrowseScreen
from tui.screens.compare import CompareScreen
from tui.widgets.compare_matrix import CompareMatrix
from tui.widgets.model_table import ModelTable

NEWEST = {"neuronx_cc": "2.28.7631.0", "library_version": "5.23.1"}
OLDER = {"neuronx_cc": "2.27.5334.0", "library_version": "5.21.0"}
OLDEST = {"neuronx_cc": "2.9.100.0", "library_version": "5.9.1"}
MODEL = "sample/Quartz-VL-8B"


async def compared(reader, model: str) -> CompareMatrix:
    await reader.rest_on(model)
    await reader.press("x")
    await reader.until(lambda: isinstance(reader.app.screen, CompareScreen))
    await reader.until(lambda: not reader.app.screen._being_read)
    return reader.app.screen.query_one(CompareMatrix)


async def test_the_matrix_has_compilers_down_and_library_versions_across(start):
    async with start(120, 40, sample=True) as reader:
        await compared(reader, MODEL)
        titles = next(line for line in reader.lines if "neuronx-cc" in line)
        columns = [titles.index(f"transformers {version}") for version in ("5.23.1", "5.21.0", "5.18.2")]
        assert columns == sorted(columns)
        first = next(place for place, line in enumerate(reader.lines) if line.startswith(" 2.28.7631.0"))
        failed, figures, change = (line[columns[0] - 2 : columns[1] - 2] for line in reader.lines[first : first + 3])
        assert failed.split() == ["▌", "✗", "FAIL"]
        assert figures.split() == ["▌", "8", "cores", "11m40s", "–"]
        assert change.split() == ["▌", "!", "regression"]
        passed = next(line for line in reader.lines if line.startswith(" 2.27.5334.0"))
        assert passed[columns[1] :].split() == ["●", "PASS"]
        assert "· no record" in next(line for line in reader.lines if line.startswith(" 2.26.4100.0"))
        assert "a record on 2 of 3 stacks, 1 regression" in reader.lines[0]
        assert "sample data" in reader.lines[0]


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_a_regression_is_told_with_both_records_and_errors(start, size):
    async with start(*size, sample=True) as reader:
        await compared(reader, MODEL)
        assert "! Regression: it passed on 2.27.5334.0 · transformers 5.21.0" in reader.words
        assert "now [ERROR] [NCC_EOOM001] Maximum peak HBM usage" in reader.words
        assert "before ● PASS on 8 cores, 10 min 55 s" in reader.words
        assert "notes: memory was close to its limit" in reader.words
        assert max(map(len, reader.lines)) <= size[0]
        await reader.press("f")
        await reader.until(lambda: f"Errors of {MODEL}" in reader.text)
        await reader.press("G")
        assert "none recorded" in reader.text


async def test_a_regression_is_marked_in_ascii_and_without_colour(start, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    async with start(100, 30, sample=True, ascii=True, search="quartz-vl") as reader:
        await reader.press("x")
        await reader.until(lambda: "Regression" in reader.text)
        assert "! regression" in reader.text
        assert "x FAIL" in reader.text
        assert reader.text.isascii()


async def test_the_cursor_goes_from_stack_to_stack_and_the_record_below_with_it(start):
    async with start(120, 40, sample=True) as reader:
        matrix = await compared(reader, MODEL)
        assert matrix.at == Stack("2.28.7631.0", "transformers", "5.23.1")
        await reader.press("down")
        assert matrix.at == Stack("2.27.5334.0", "transformers", "5.21.0")
        assert "PASS on 8 cores, 10 min 55 s" in reader.words
        assert "No older stack of the same library has a result" in reader.words
        await reader.press("right")
        assert matrix.at == Stack("2.26.4100.0", "transformers", "5.18.2")
        assert "No record on this stack" in reader.text
        await reader.press("down", "right")
        assert matrix.at == Stack("2.26.4100.0", "transformers", "5.18.2")
        await reader.press("g")
        assert "Regression" in reader.text
        await reader.press("G", "left", "up")
        assert matrix.at == Stack("2.28.7631.0", "transformers", "5.23.1")


async def test_at_80_columns_each_stack_is_a_line(start):
    async with start(80, 24, sample=True) as reader:
        matrix = await compared(reader, MODEL)
        rows = [line.split() for line in reader.lines[2:5]]
        assert [row[-1] for row in rows] == ["regression", "10m55s", "5.18.2"]
        assert rows[0][:5] == ["▌", "✗", "FAIL", "2.28.7631.0", "5.23.1"]
        await reader.press("j", "j", "j")
        assert matrix.at == Stack("2.26.4100.0", "transformers", "5.18.2")
        await reader.resize_terminal(130, 40)
        assert "transformers 5.18.2" in next(line for line in reader.lines if "neuronx-cc" in line)


async def test_more_columns_and_rows_than_fit_follow_the_cursor(start, records_of):
    many = [
        {"model_id": "acme/one", "neuronx_cc": f"2.{number}.0", "library_version": f"5.{number}.0"}
        for number in range(20)
    ]
    async with start(120, 30, data=records_of(*many)) as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        matrix = await compared(reader, "acme/one")
        assert "transformers 5.19.0" in reader.text
        assert "transformers 5.5.0" not in reader.text
        hidden = re.search(r"\+(\d+) ← →   \+(\d+) ↑ ↓", reader.text)
        assert hidden is not None
        assert int(hidden[1]) == 20 - reader.lines[2].count("transformers")
        assert int(hidden[2]) == 20 - sum(line.startswith(" 2.") for line in reader.lines)
        await reader.press("G")
        assert matrix.at.library_version == "5.0.0"
        assert "transformers 5.0.0" in reader.text and "2.0.0" in reader.text
        assert "transformers 5.19.0" not in reader.text


async def test_times_are_notes_and_no_regression(start, records_of):
    rows = [{"model_id": "acme/one", "wall_s": 1000, **NEWEST}, {"model_id": "acme/one", "wall_s": 100, **OLDER}]
    async with start(data=records_of(*rows)) as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await compared(reader, "acme/one")
        assert "10 x the wall time; cache state is not recorded" in reader.text
        assert "no regression" in reader.lines[0]
        assert "Regression" not in reader.text


async def test_enter_opens_the_record_in_the_main_screen_also_one_that_a_search_or_a_stack_hides(start):
    async with start(120, 40, sample=True, search="quartz-vl") as reader:
        matrix = await compared(reader, MODEL)
        await reader.press("down", "enter")
        await reader.until(lambda: isinstance(reader.app.screen, BrowseScreen))
        assert matrix.at == reader.browse.question.stack.exact
        assert reader.app.screen.query_one(ModelTable).current["model_id"] == MODEL
        await reader.until(lambda: "PASS on 8 cores, 10 min 55 s" in reader.words)
        assert reader.browse.question.search == "quartz-vl"


async def test_a_model_that_was_left_out_is_found_too(start):
    async with start(120, 40, sample=True) as reader:
        await compared(reader, "sample/Garnet-9B")
        await reader.press("down")
        assert "Left out: gated" in reader.words
        await reader.press("enter")
        await reader.until(lambda: isinstance(reader.app.screen, BrowseScreen))
        assert reader.app.screen.query_one(ModelTable).current["model_id"] == "sample/Garnet-9B"


async def test_y_copies_a_markdown_table(start, copies):
    async with start(120, 40, sample=True) as reader:
        await compared(reader, MODEL)
        await reader.press("y")
        await reader.until(lambda: copies)
        lines = copies[0].splitlines()
        assert lines[0].startswith("| result | neuronx-cc | library | cores |")
        assert "| FAIL | 2.28.7631.0 | transformers 5.23.1 | 8 | 11m40s |" in lines[2]
        assert "regression: PASS on 2.27.5334.0" in lines[2] and "NCC" in lines[2]
        assert "| no record | 2.26.4100.0 |" in lines[4]


async def test_E_exports_every_stack_with_the_errors_of_a_regression(start, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with start(120, 40, sample=True) as reader:
        await compared(reader, MODEL)
        await reader.press("E")
        await reader.until(lambda: "Export as" in reader.text)
        await reader.type("json")
        await reader.press("enter", "enter")
        await reader.until(lambda: list(tmp_path.glob("compare-*.json")))
        rows = json.loads(next(tmp_path.glob("compare-*.json")).read_text())
        assert len(rows) == len(reader.app.screen.comparison.stacks)
        assert (rows[0]["change"], rows[0]["before_notes"]) == ("broken", "memory was close to its limit")
        assert rows[0]["error"].startswith("Traceback") and "NCC_EOOM001" in rows[0]["error"]


async def test_many_columns_leave_no_figure_out(start, records_of):
    many = [
        {"model_id": "acme/one", "tp": 4, "neuronx_cc": f"2.{number}.0", "library_version": f"5.{number}.0"}
        for number in range(20)
    ]
    async with start(120, 40, data=records_of(*many)) as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await compared(reader, "acme/one")
        first = next(place for place, line in enumerate(reader.lines) if line.startswith(" 2.19.0"))
        cell = " ".join(line[10:] for line in reader.lines[first : first + 2])
        assert [word for word in cell.split() if word != "▌"] == ["●", "PASS", "4", "cores", "6m12s", "18.2/24", "GB"]


async def test_a_model_without_any_record_says_so(start):
    async with start(sample=True) as reader:
        await reader.press("2")
        await reader.rest_on("sample/Newcomer-3B")
        await reader.press("x")
        assert isinstance(reader.app.screen, BrowseScreen)
        assert "The data have no record of sample/Newcomer-3B, on any stack" in reader.said[-1]


async def test_an_error_that_cannot_be_read_is_told_and_the_rest_stays(start, monkeypatch):
    def refuse(*_: object) -> None:
        raise UnreadableFileError("error cannot be read", "a.parquet: damaged.", "Refresh.")

    monkeypatch.setattr("tui.screens.compare.error_of", refuse)
    async with start(sample=True) as reader:
        await compared(reader, MODEL)
        await reader.until(lambda: "error cannot be read. a.parquet: damaged. Refresh." in reader.words)
        assert "! Regression" in reader.text


async def test_texts_of_strangers_are_clean(start, records_of):
    bad = "\x1b[31mred\x9b2J [/] \u202e"
    rows = [
        {"model_id": f"acme/{bad}", "result": "fail", "error": bad, "notes": bad, "runner": bad, **NEWEST},
        {"model_id": f"acme/{bad}", "result": f"odd {bad}", "notes": bad, **OLDER},
        {"model_id": f"acme/{bad}", "notes": bad, "neuronx_cc": "2.1", "library_version": f"5 {bad}"},
    ]
    async with start(data=records_of(*rows)) as reader:
        await reader.until(lambda: "acme/" in reader.text)
        await reader.press("x")
        await reader.until(lambda: isinstance(reader.app.screen, CompareScreen))
        for key in ("down", "down", "right", "f", "escape"):
            await reader.press(key)
            assert not {"\x1b", "\x9b", "\u202e"} & set(reader.text)
        assert "[/]" in reader.text


async def test_help_has_the_keys_and_q_leads_back(start):
    async with start(sample=True) as reader:
        await compared(reader, MODEL)
        await reader.press("?")
        await reader.until(lambda: "Copy the comparison as a Markdown table" in reader.text)
        assert "To the library version at the right" in reader.text
        await reader.press("escape", "q")
        assert isinstance(reader.app.screen, BrowseScreen)


async def test_a_click_moves_the_cursor_and_a_second_one_opens(start):
    async with start(120, 40, sample=True) as reader:
        matrix = await compared(reader, MODEL)
        row = next(place for place, line in enumerate(reader.lines) if line.startswith(" 2.27.5334.0"))
        column = reader.lines[row].index("PASS")
        await reader.click(offset=(column, row))
        assert matrix.at == Stack("2.27.5334.0", "transformers", "5.21.0")
        await reader.click(offset=(column, row))
        await reader.until(lambda: isinstance(reader.app.screen, BrowseScreen))
