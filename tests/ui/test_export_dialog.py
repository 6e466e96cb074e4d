"""`E`: what is shown goes to a file or to the clipboard, in each format, as the command line writes it."""

from __future__ import annotations

import json
import os
import stat
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

from tui import export
from tui.catalog.lines_told import told
from tui.screens.export_dialog import ExportDialog

TODAY = datetime.now().astimezone().date().isoformat()


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def expected(reader, form: str, ranked: bool = False) -> bytes:
    return b"".join(export.written(told(reader.browse.selection.lines, form, ranked=ranked), form, sample=True))


@pytest.mark.parametrize(
    ("typed", "form", "ending"),
    [
        ("", "csv", "csv"), ("json", "json", "json"), ("jsonl", "jsonl", "jsonl"), ("parquet", "parquet", "parquet"),
        ("markdown", "markdown", "md"),
    ],
)  # fmt: skip
async def test_all_lines_as_filtered_and_sorted_go_to_a_file(start, here, typed, form, ending):
    async with start(80, 24, sample=True) as reader:
        await reader.press("a", "slash", *"quartz", "enter", "s", *"wall", "enter", "S")
        height = reader.browse.selection.height
        assert height > 3
        await reader.press("E")
        assert f"Export {height} lines as" in reader.text
        await reader.type(typed)
        await reader.press("enter")
        assert f"selected-{TODAY}.{ending}" in reader.text
        await reader.press("enter")
        file = here / f"selected-{TODAY}.{ending}"
        await reader.until(lambda: any(f"Wrote {height} lines to {file}" in each for each in reader.said))
        assert file.read_bytes() == expected(reader, form)
        assert [each.name for each in here.iterdir()] == [file.name]
        walls = [row["wall_s"] for row in reader.browse.selection.lines.to_dicts() if row["wall_s"] is not None]
        assert walls == sorted(walls, reverse=True)
        assert isinstance(reader.app.screen, type(reader.browse))


async def test_a_ranking_is_called_by_its_task_and_has_its_places(start, here):
    async with start(sample=True) as reader:
        await reader.press("2", "E", "enter", "enter")
        file = here / f"trending-text-generation-{TODAY}.csv"
        await reader.until(file.exists)
        frame = pl.read_csv(file)
        assert frame["rank"].to_list() == reader.browse.selection.lines["rank"].to_list()
        assert frame["sample"].all()


@pytest.mark.parametrize(("typed", "form"), [("copy mark", "markdown"), ("copy csv", "csv"), ("copy json", "json")])
async def test_it_is_copied_when_that_is_chosen(start, here, copies, typed, form):
    async with start(40, 20, sample=True, search="quartz") as reader:
        reader.type_in_one_breath("E", *typed, "enter")
        await reader.until(lambda: copies)
        assert copies == [expected(reader, form).decode()]
        await reader.until(lambda: any("lines as" in each and "sent to your terminal" in each for each in reader.said))
        assert not any(here.iterdir())


async def test_a_file_that_exists_is_replaced_only_after_a_second_enter(start, here):
    file = here / f"selected-{TODAY}.csv"
    file.write_text("mine")
    async with start(sample=True) as reader:
        await reader.press("E", "enter", "enter")
        assert "exists" in reader.text
        assert file.read_text() == "mine"
        await reader.press("enter")
        await reader.until(lambda: file.read_text() != "mine")
        assert file.read_bytes() == expected(reader, "csv")


async def test_a_link_is_followed_and_what_is_no_file_is_refused(start, here, tmp_path):
    target = tmp_path / "target.csv"
    target.write_text("mine")
    (here / "link.csv").symlink_to(target)
    os.mkfifo(here / "pipe.csv")
    async with start(sample=True) as reader:
        await reader.press("E", "enter", "ctrl+u")
        await reader.type("link.csv")
        await reader.press("enter", "enter")
        await reader.until(lambda: target.read_text() != "mine")
        assert (here / "link.csv").is_symlink()
        await reader.press("E", "enter", "ctrl+u")
        await reader.type("pipe.csv")
        await reader.press("enter", "enter")
        assert "pipe.csv is no file" in reader.words
        assert stat.S_ISFIFO((here / "pipe.csv").stat().st_mode)


async def test_escape_leads_from_the_name_back_to_the_formats_and_then_out(start, here):
    async with start(sample=True) as reader:
        await reader.press("E", "enter", "escape")
        assert "lines as" in reader.text
        await reader.press("down", "enter")
        assert f"selected-{TODAY}.json" in reader.text
        await reader.press("escape", "escape")
        assert reader.app.screen is reader.browse
        assert not any(here.iterdir())


async def test_a_disk_that_takes_nothing_is_told_in_a_sentence_and_leaves_nothing(start, here, monkeypatch):
    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    async with start(sample=True) as reader:
        await reader.press("E", "enter")
        monkeypatch.setattr(Path, "write_bytes", full)
        await reader.press("enter")
        said = f"Not written: selected-{TODAY}.csv: No space left on device."
        await reader.until(lambda: any(said in each for each in reader.said))
        assert not any(here.iterdir())


async def test_what_fails_inside_is_told_too(start, here, monkeypatch):
    def fails(*_: object, **__: object) -> pl.DataFrame:
        raise RuntimeError("boom")

    monkeypatch.setattr("tui.catalog.lines_told.told", fails)
    async with start(sample=True) as reader:
        await reader.press("E", "enter", "enter")
        await reader.until(lambda: any("boom" in each for each in reader.said))


async def test_nothing_listed_is_nothing_to_export(start):
    async with start(sample=True, search="qqqq") as reader:
        await reader.press("E")
        assert any("Nothing is listed that could be exported" in each for each in reader.said)


async def test_any_frame_can_be_exported_by_the_same_dialog(start, here):
    frame = pl.DataFrame({"model_id": ["acme/a|b", None], "tp": [1, None]})
    async with start(80, 24, sample=True) as reader:
        reader.app.push_screen(ExportDialog(frame, "diff-2.27-2.28"))
        await reader.pause()
        assert "Export 2 lines as" in reader.text
        await reader.press("enter", "enter")
        await reader.until((here / "diff-2.27-2.28.csv").exists)
        assert (here / "diff-2.27-2.28.csv").read_bytes() == export.csv_bytes(frame)


async def test_hostile_ids_stay_themselves_for_programs_and_are_tamed_in_markdown(start, here, records_of):
    hostile = "acme/\x1b[2J|<b>`x`"
    async with start(data=records_of({"model_id": hostile})) as reader:
        await reader.until(lambda: reader.browse.selection is not None)
        for typed, ending in (("json", "json"), ("markdown", "md")):
            await reader.press("E", *typed, "enter", "enter")
            await reader.until((here / f"selected-{TODAY}.{ending}").exists)
        (row,) = json.loads((here / f"selected-{TODAY}.json").read_text())
        assert row["model_id"] == hostile
        assert "sample" not in row
        line = (here / f"selected-{TODAY}.md").read_text().splitlines()[2]
        assert "acme/\\\\x1b\\[2J\\|&lt;b&gt;\\`x\\`" in line
        assert line.replace("\\|", "").count("|") == 8
