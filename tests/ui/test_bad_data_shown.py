"""Bad data on the screen: cells that are too long to draw, figures that cannot be, a state that means nothing."""

from __future__ import annotations

import json

import bad_files
import pyarrow as pa
import pytest
from textual.widgets import Static

from tui.widgets.long_text import READING_ROOM, SECTION_ROOM


def longest(reader) -> int:
    """Characters of the longest text that a widget on screen lays out."""
    return max(len(str(static.content)) for static in reader.app.screen.query(Static))


async def test_very_long_cells_are_cut_on_the_screen_and_copied_whole(start, records_of, copies):
    """All of such a cell takes tens of seconds to lay out, in which no key is answered."""
    length = 480_000
    texts = {name: [name[0] * length] for name in ("notes", "error", "cpu_match", "wall_s", "new")}
    script = "print()\n" * (length // 8)
    content = bad_files.written(pa.table({"model_id": ["acme/long"], "result": ["pass"], "run_py": [script], **texts}))
    async with start(160, 50, data=records_of(content=content)) as reader:
        await reader.rest_on("acme/long")
        await reader.until(lambda: "the whole script" in reader.browse.pane.text)
        assert longest(reader) < READING_ROOM
        said = reader.browse.pane.text
        assert "of 480,000 characters: y and w in the detail have the whole script" in said
        assert max(map(len, said.splitlines())) <= SECTION_ROOM + 100
        assert max(map(len, said.split("\n\n"))) < READING_ROOM
        await reader.press("f")
        assert longest(reader) < READING_ROOM + 200
        await reader.press("end")
        assert "of 480,000 characters: y copies all of it" in reader.words
        await reader.press("y", "escape", "y", "r")
        assert longest(reader) < READING_ROOM
        assert [len(copy) for copy in copies] == [length, length]


def test_there_is_room_for_what_real_records_have():
    assert SECTION_ROOM >= 20_000
    assert READING_ROOM >= 100_000


async def test_figures_that_cannot_be_are_shown_as_they_are(start, records_of):
    async with start(160, 50, data=records_of(content=bad_files.extremes())) as reader:
        for number, words in enumerate(bad_files.EXTREME_SENTENCES):
            await reader.rest_on(f"acme/extreme-{number}")
            await reader.until(lambda words=words: words in " ".join(reader.browse.pane.text.split()))
        await reader.press("slash", "escape", "escape")
        for _ in range(6):
            await reader.press("s", "down", "enter")
        assert "acme/extreme-0" in reader.text


@pytest.mark.parametrize(
    "remembered",
    [
        {"theme": "nore", "view": "trendinh", "task": "text\u2028generation", "sort": {"selected": "-wall_t"}},
        {"theme": 5, "view": [], "task": {}, "sort": "wall_s", "detail": "opem", "searches": {"a": 5}},
        {"sort": {"selected": "-", "trending": "record", "downloads": "--rank"}, "task": "x" * 999},
    ],
)
async def test_what_was_remembered_and_means_nothing_is_left_out(start, settings, records_of, remembered):
    settings.state_dir.mkdir(parents=True)
    (settings.state_dir / "state.json").write_text(json.dumps(remembered))
    async with start(data=records_of({"model_id": "acme/one"})) as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.press("2", "3", "1", "d", "d")
        assert "acme/one" in reader.text
