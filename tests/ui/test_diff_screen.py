"""`X`: two stacks against each other, from the two lists to pick from to the record that broke."""

from __future__ import annotations

import pytest

from tui.catalog.stacks import Stack
from tui.errors import UnreadableFileError
from tui.screens.browse import BrowseScreen
from tui.screens.compare import CompareScreen
from tui.screens.dialogs import PickDialog
from tui.screens.diff import DiffScreen
from tui.widgets.bars import Bar
from tui.widgets.diff_list import DiffList

BROKEN = "sample/Quartz-VL-8B"


async def opened(reader) -> DiffScreen:
    await reader.press("X", "enter", "enter")
    await reader.until(lambda: isinstance(reader.app.screen, DiffScreen) and reader.app.screen.found is not None)
    return reader.app.screen


def counts(reader) -> str:
    return reader.app.screen.query_one("#diff-counts", Bar).text


async def test_the_stack_on_screen_and_the_one_before_it_are_proposed(start):
    async with start(sample=True) as reader:
        await reader.press("X")
        assert isinstance(reader.app.screen, PickDialog)
        assert "Two stacks: the newer one" in reader.text
        assert "▌● 2.28.7631.0 · transformers 5.23.1" in reader.text
        await reader.press("enter")
        await reader.until(lambda: "Two stacks: the older one" in reader.text)
        assert "▌● 2.27.5334.0 · transformers 5.21.0" in reader.text
        await reader.press("enter")
        await reader.until(lambda: isinstance(reader.app.screen, DiffScreen))
        assert (reader.app.screen.old, reader.app.screen.new) == (
            Stack("2.27.5334.0", "transformers", "5.21.0"),
            Stack("2.28.7631.0", "transformers", "5.23.1"),
        )


async def test_others_can_be_picked_and_letters_typed_ahead_are_for_the_list(start):
    async with start(sample=True) as reader:
        reader.type_in_one_breath("X", *"2.27", "enter")
        await reader.until(lambda: "the older one" in reader.text)
        await reader.type("2.26")
        await reader.press("enter")
        await reader.until(lambda: isinstance(reader.app.screen, DiffScreen) and reader.app.screen.found)
        assert "2.26.4100.0 · transformers 5.18.2  →  2.27.5334.0 · transformers 5.21.0" in reader.lines[0]
        await reader.press("escape")
        assert isinstance(reader.app.screen, BrowseScreen)


async def test_models_are_grouped_by_change_with_the_broken_first_and_counts_at_the_top(start):
    async with start(120, 40, sample=True) as reader:
        await opened(reader)
        assert "1 broken 1   2 fixed 8   3 new 26   4 gone 3   5 cores 1   6 other 10   7 same 25   0 all" in counts(
            reader
        )
        assert "! 1 broken   PASS before, FAIL now: a regression" in reader.lines[3]
        assert reader.lines[4].split()[:6] == ["▌", BROKEN, "●", "PASS", "→", "✗"]
        assert reader.lines[6].startswith("8 fixed   FAIL before, PASS now")
        row = next(line for line in reader.lines if "Basalt-72B-Instruct" in line)
        assert row.split()[1:13] == ["✗", "FAIL", "→", "●", "PASS", "16", "55m50s", "→", "41m06s", "–", "→", "22.4"]


async def test_keys_and_tab_filter_by_change(start):
    async with start(120, 40, sample=True) as reader:
        screen = await opened(reader)
        await reader.press("4")
        assert [line.split()[0] for line in reader.lines[4:7]] == [
            "▌",
            "sample/Older-2B-Instruct",
            "sample/Older-VL-5B",
        ]
        assert "● PASS → · no record" in reader.lines[4]
        assert "Quartz" not in reader.text
        await reader.press("4")
        assert screen.only is None
        assert "sample/Older-2B" in next(line for line in reader.lines if line.startswith("▌")), "the cursor stays"
        await reader.press("tab")
        assert screen.only == "broken"
        await reader.press("tab", "shift+tab", "shift+tab")
        assert screen.only is None
        await reader.press("7")
        assert "25 unchanged" in reader.text
        await reader.press("0")
        assert screen.only is None


async def test_the_cursor_passes_the_headings(start):
    async with start(120, 40, sample=True) as reader:
        screen = await opened(reader)
        listed = screen.query_one(DiffList)
        model = screen.found.frame["model_id"]
        await reader.press("down")
        assert model[listed.row] == "sample/Amber-9B-Instruct"
        await reader.press("up", "up")
        assert model[listed.row] == BROKEN
        await reader.press("G")
        assert screen.found.frame["change"][listed.row] == "other"
        await reader.press("pageup", "g")
        assert model[listed.row] == BROKEN
        assert "1 broken" in reader.lines[3]


async def test_enter_opens_the_model_across_all_stacks_and_enter_again_its_record(start):
    async with start(120, 40, sample=True, search="opal") as reader:
        screen = await opened(reader)
        await reader.press("enter")
        await reader.until(lambda: isinstance(reader.app.screen, CompareScreen))
        assert "Regression" in reader.text
        await reader.press("q")
        assert reader.app.screen is screen
        await reader.press("enter", "enter")
        await reader.until(lambda: isinstance(reader.app.screen, BrowseScreen))
        assert reader.browse.current_line()["model_id"] == BROKEN
        await reader.until(lambda: "NCC_EOOM001" in reader.text)


async def test_f_reads_the_whole_errors_of_both_stacks(start, monkeypatch):
    async with start(120, 40, sample=True) as reader:
        screen = await opened(reader)
        await reader.press("2", "f")
        await reader.until(lambda: "Errors of sample/Amber-9B-Instruct" in reader.text)
        told = reader.words.partition("Errors of ")[2]
        now, before = (told.index(f"neuronx-cc {stack.label}") for stack in (screen.new, screen.old))
        assert now < told.index("none recorded") < before < told.index("429 Too Many Requests")
        await reader.press("escape")
        assert reader.app.screen is screen

        def refuse(*_: object) -> None:
            raise UnreadableFileError("error cannot be read", "a.parquet: damaged.", "Refresh.")

        monkeypatch.setattr("tui.screens.diff.error_of", refuse)
        await reader.press("f")
        await reader.until(lambda: any("a.parquet: damaged. Refresh." in said for said in reader.said))
        monkeypatch.undo()
        await reader.press("1", "f")
        await reader.until(lambda: f"Errors of {BROKEN}" in reader.text)


async def test_y_copies_what_is_listed(start, copies):
    async with start(sample=True) as reader:
        await opened(reader)
        await reader.press("2", "y")
        await reader.until(lambda: copies)
        lines = copies[0].splitlines()
        assert lines[0] == "| change | model | result | cores | time | memory GB | note |"
        assert len(lines) == 2 + 8
        assert lines[2].startswith("| fixed | sample/Amber-9B-Instruct | FAIL -&gt; PASS | 4 |")


async def test_E_exports_what_is_listed(start, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with start(sample=True) as reader:
        await opened(reader)
        await reader.press("2", "E")
        await reader.until(lambda: "Export 8 lines as" in reader.text)
        await reader.type("csv")
        await reader.press("enter")
        await reader.until(lambda: "Write csv to" in reader.text)
        await reader.press("enter")
        await reader.until(lambda: list(tmp_path.glob("*.csv")))
        (file,) = tmp_path.glob("*.csv")
        lines = file.read_text().splitlines()
        assert len(lines) == 9
        assert lines[0].startswith("change,model_id,old_verdict")
        assert lines[1].startswith("fixed,sample/Amber-9B-Instruct,FAIL")


@pytest.mark.parametrize("size", [(20, 5), (80, 24), (200, 60)])
async def test_every_size_shows_what_it_can(start, size):
    async with start(*size, sample=True) as reader:
        await opened(reader)
        assert all(len(line) <= size[0] for line in reader.lines)
        if size[0] >= 80:
            assert any(BROKEN in line and "PASS → ✗ FAIL" in line for line in reader.lines)
            assert "1 broken 1" in counts(reader)


async def test_one_stack_alone_has_nothing_to_be_compared_with(start, records_of):
    async with start(data=records_of({"model_id": "acme/one"})) as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.press("X")
        assert isinstance(reader.app.screen, BrowseScreen)
        assert "All records are of one stack" in reader.said[-1]


async def test_it_says_when_nothing_changed_and_when_it_fails(start, monkeypatch):
    def fail(*_: object) -> None:
        raise RuntimeError("no memory")

    async with start(120, 40, sample=True) as reader:
        await opened(reader)
        await reader.press("1", "y")
        await reader.press("q")
        monkeypatch.setattr("tui.catalog.stack_diff.diff", fail)
        await reader.press("X", "enter", "enter")
        await reader.until(lambda: "no memory" in reader.text)
        await reader.press("y")
        assert "No model is listed." in reader.said
        await reader.press("?")
        await reader.until(lambda: "Broken is PASS before and FAIL now" in reader.words)
