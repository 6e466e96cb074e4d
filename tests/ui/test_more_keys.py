"""Keys, pickers and the palette of the main screen: what keeps its place, what is remembered, what is not asked."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from parquet_builder import DATASET, parquet

PASSING = "sample/Quartz-8B-Instruct"
NEWEST = {"neuronx_cc": "2.28.7631.0", "library_version": "5.23.1"}
RANKINGS = "/api/models?"


@pytest.fixture
def records(hub):
    return hub.add_dataset(DATASET, {"a.parquet": parquet({"model_id": "acme/one", **NEWEST})})


def marked_lines(reader) -> list[str]:
    """The table's lines with the mark of the cursor."""
    return [line.split("│")[0] for line in reader.lines if line.startswith("▌")]


def cursor_line(reader) -> str:
    (line,) = marked_lines(reader)
    return line


def listed(reader) -> list[str]:
    """The ids on screen, from the top."""
    words = [word for line in reader.lines for word in line.split("│")[0].split()]
    return [word for word in words if word.startswith(("sample/", "acme/"))]


async def rest_on(reader, model_id: str) -> None:
    """The cursor on this model with every model listed."""
    await reader.rest_on(model_id)
    assert len(listed(reader)) > 15


@pytest.mark.parametrize(("key", "older"), [("c", "2.27"), ("v", "5.21"), ("c", "2.26"), ("v", "5.18")])
async def test_another_stack_keeps_the_cursor_on_its_model_among_all_the_others(start, key, older):
    async with start(sample=True) as reader:
        await rest_on(reader, PASSING)
        before = listed(reader)
        await reader.press(key)
        await reader.type(older)
        await reader.press("enter")
        assert older in reader.lines[2]
        assert PASSING in cursor_line(reader)
        assert len(listed(reader)) > 10
        assert listed(reader) != before
        await reader.press(key)
        await reader.type("2.28" if key == "c" else "5.23")
        await reader.press("enter")
        assert PASSING in cursor_line(reader)


async def test_any_keeps_the_cursor_on_its_model(start):
    async with start(sample=True) as reader:
        await rest_on(reader, PASSING)
        await reader.press("c", *"any", "enter")
        assert "neuronx-cc any" in reader.lines[2]
        assert PASSING in cursor_line(reader)


@pytest.fixture
def four_stacks(records_of):
    """Versions whose order by letters is another one than their own."""
    pairs = [("2.9.5.0", "5.9.0", 1), ("2.10.1.0", "5.10.0", 2), ("2.10.1.0", "5.9.0", 1), ("2.2.7.0", "5.2.0", 3)]
    rows = [
        {"model_id": f"acme/{compiler}-{library}-{number}", "neuronx_cc": compiler, "library_version": library}
        for compiler, library, count in pairs
        for number in range(count)
    ]
    return records_of(*rows)


def offered(reader) -> list[tuple[str, str]]:
    """(label, remark) of the lines of the open picker."""
    inside = [line.split("│") for line in reader.lines if line.count("│") >= 2]
    lines = [part for parts in inside for part in parts if "record" in part]
    return [tuple(line.strip(" ▌●").split("  ", 1)) for line in lines]  # type: ignore[misc]


async def test_c_lists_versions_newest_first_with_their_numbers_of_records(start, four_stacks):
    async with start(100, 30, data=four_stacks) as reader:
        await reader.until(lambda: "acme/" in reader.text)
        assert "neuronx-cc 2.10.1.0 ▾   transformers 5.10.0 ▾" in reader.lines[1] + reader.lines[2]
        await reader.press("c")
        assert [(label, remark.strip()) for label, remark in offered(reader)] == [
            ("any", "for each model the newest that has a record"),
            ("2.10.1.0", "2 records"),
            ("2.9.5.0", "1 record, none with transformers 5.10.0"),
            ("2.2.7.0", "3 records, none with transformers 5.10.0"),
        ]


async def test_v_lists_versions_newest_first_with_their_numbers_of_records(start, four_stacks):
    async with start(100, 30, data=four_stacks) as reader:
        await reader.until(lambda: "acme/" in reader.text)
        await reader.press("v")
        assert [(label, remark.strip()) for label, remark in offered(reader)] == [
            ("any", "for each model the newest that has a record"),
            ("transformers 5.10.0", "2 records"),
            ("transformers 5.9.0", "1 record"),
            ("transformers 5.2.0", "3 records, none with 2.10.1.0"),
        ]
        await reader.type("5.9")
        await reader.press("enter", "v")
        assert ("transformers 5.10.0", "2 records") in [(label, each.strip()) for label, each in offered(reader)]


async def test_a_in_a_ranking_says_why_nothing_changes(start):
    async with start(sample=True) as reader:
        await reader.press("2")
        before = listed(reader)
        await reader.press("a")
        assert any("Rankings always show the models that were left out" in each for each in reader.said)
        assert listed(reader) == before


async def test_the_order_of_each_view_is_remembered(start):
    async with start(sample=True) as reader:
        await reader.press("2", "s", *"model", "enter")
    async with start(sample=True) as reader:
        assert "(s)" not in reader.lines[2]
        await reader.press("2")
        assert "by model (s)" in reader.lines[2]
        assert "model▲" in reader.text
        assert listed(reader)[:3] == sorted(listed(reader), key=str.casefold)[:3]
        await reader.press("3")
        assert "(s)" not in reader.lines[2]


async def test_the_direction_of_an_order_is_remembered_until_it_is_taken_back(start):
    async with start(sample=True) as reader:
        await reader.press("s", *"wall", "enter", "s", *"wall", "enter")
    async with start(sample=True) as reader:
        assert "by wall time, falling (s)" in reader.lines[2]
        assert "time▼" in reader.text
        slowest = max(reader.browse.selection.lines["wall_s"].drop_nulls())
        assert reader.browse.current_line()["wall_s"] == slowest
        await reader.press("s", *"own", "enter")
    async with start(sample=True) as reader:
        assert "(s)" not in reader.lines[2]


async def test_the_task_is_remembered(start):
    async with start(sample=True) as reader:
        await reader.press("2", "t")
        await reader.type("robotics")
        await reader.press("enter")
        assert "robotics ▾" in reader.lines[1]
    async with start(sample=True) as reader:
        await reader.press("2")
        assert "robotics ▾" in reader.lines[1]
        assert "text-generation" not in reader.lines[1]


async def test_down_leaves_the_search_box_and_keeps_its_text(start):
    async with start(sample=True) as reader:
        await reader.press("slash")
        await reader.type("quartz")
        first = cursor_line(reader)
        await reader.press("down")
        assert "/ quartz" in " ".join(reader.lines[3].split())
        assert all("Quartz" in each for each in listed(reader))
        assert cursor_line(reader) == first
        await reader.press("j")
        assert cursor_line(reader) != first
        assert "/ quartzj" not in reader.text


async def test_arrows_pages_and_ends_move_the_cursor(start):
    async with start(sample=True, height=24) as reader:
        ids = reader.browse.selection.lines["model_id"].to_list()

        async def at_after(*keys: str) -> int:
            await reader.press(*keys)
            return next(place for place, each in enumerate(ids) if f" {each} " in f"{cursor_line(reader)} ")

        assert await at_after("down", "down") == 2
        assert await at_after("up") == 1
        page = await at_after("pagedown") - 1
        assert page > 10
        assert await at_after("pagedown") == 1 + 2 * page
        assert await at_after("pageup") == 1 + page
        assert await at_after("pageup", "pageup") == 0
        half = await at_after("ctrl+d")
        assert abs(half - page / 2) <= 1
        assert await at_after("ctrl+u") == 0
        assert await at_after("end") == len(ids) - 1
        assert await at_after("home") == 0
        assert await at_after("up") == 0


@pytest.mark.parametrize("key", ["f5", "u"])
async def test_a_key_asks_the_source_again(start, hub, records, key):
    async with start() as reader:
        await reader.until(lambda: "checked" in reader.lines[-2])
        records.add_revision({"a.parquet": parquet({"model_id": "acme/another", **NEWEST})})
        await reader.press(key)
        await reader.until(lambda: listed(reader)[:1] == ["acme/another"])


# The palette


async def search_palette(reader, key: str, text: str, hit: str) -> None:
    """Open the palette, type, and wait until this hit is marked as the one that Enter takes."""
    await reader.press(key)
    await reader.type(text)
    await reader.until(lambda: hit in reader.text)


def brightness(reader) -> int:
    """How bright the background of the footer is, 0 to 255."""
    strip = reader.app.screen._compositor.render_strips()[-1]
    return min(segment.style.bgcolor.get_truecolor().red for segment in strip)


@pytest.mark.parametrize("key", ["colon", "ctrl+p"])
async def test_the_palette_changes_the_theme_by_name(start, key):
    async with start(sample=True) as reader:
        assert brightness(reader) < 60
        await search_palette(reader, key, "theme light", "theme: light")
        await reader.press("enter")
        await reader.until(lambda: "theme: light" not in reader.text)
        await reader.until(lambda: brightness(reader) > 200)
        await search_palette(reader, key, "theme dark", "theme: dark")
        await reader.press("enter")
        await reader.until(lambda: "theme: dark" not in reader.text)
        await reader.until(lambda: brightness(reader) < 60)


async def test_the_palette_takes_a_stack_by_its_version(start):
    async with start(sample=True) as reader:
        await search_palette(reader, "ctrl+p", "stack 2.27", "stack: 2.27.5334.0 · transformers 5.21.0")
        assert "40 records" in reader.text
        await reader.press("enter")
        await reader.until(lambda: "neuronx-cc 2.27.5334.0 ▾" in reader.lines[2])


async def test_the_palette_takes_any_stack(start):
    async with start(sample=True) as reader:
        await search_palette(reader, "ctrl+p", "stack any", "stack: any")
        await reader.press("enter")
        await reader.until(lambda: "neuronx-cc any ▾   any library version ▾" in reader.lines[2])


async def test_the_palette_runs_the_command_of_a_key(start, copies):
    async with start(sample=True) as reader:
        await rest_on(reader, PASSING)
        await search_palette(reader, "ctrl+p", "copy model id", "Copy the model id")
        await reader.press("enter")
        await reader.until(lambda: copies)
        assert copies == [PASSING]


async def test_the_palette_finds_a_command_by_what_its_explanation_says(start):
    async with start(200, 40, sample=True) as reader:
        await search_palette(reader, "ctrl+p", "most downloaded", "The Hub's most downloaded")
        await reader.press("enter")
        await reader.until(lambda: any(line.split("│")[0].split()[-1:] == ["downloads"] for line in reader.lines))


# A ranking is not asked for more than every ten minutes


async def see_ranking(reader) -> None:
    await reader.until(lambda: "acme/one" in reader.text)
    await reader.press("2")
    await reader.until(lambda: "ranking of " in reader.lines[0] + reader.lines[1])


async def test_coming_back_to_a_young_ranking_asks_nothing(start, hub, records):
    hub.add_model("acme/new", pipeline_tag="text-generation", trendingScore=9)
    async with start() as reader:
        await see_ranking(reader)
        assert len(hub.paths(RANKINGS)) == 1
        await reader.press("1", "2", "1", "2")
        await reader.until(lambda: "acme/new" in reader.text)
        await reader.press("3")
        await reader.until(lambda: len(hub.paths(RANKINGS)) == 2)
        await reader.until(lambda: "fetching" not in reader.lines[0])
        await reader.press("2", "3")
        assert "fetching" not in reader.text
        assert "refreshing" not in reader.text
        assert len(hub.paths(RANKINGS)) == 2
        await reader.press("u")
        await reader.until(lambda: len(hub.paths(RANKINGS)) == 3)


@pytest.mark.parametrize(("minutes", "requests"), [(9, 0), (11, 1)])
async def test_a_kept_ranking_is_asked_again_after_ten_minutes(start, hub, records, settings, minutes, requests):
    hub.add_model("acme/new", pipeline_tag="text-generation", trendingScore=9)
    async with start() as reader:
        await see_ranking(reader)
    (kept,) = (settings.cache_dir / "rankings").rglob("trending-*.json")
    then = datetime.now(UTC) - timedelta(minutes=minutes)
    kept.write_text(json.dumps({**json.loads(kept.read_text().partition("\n")[0]), "fetched_at": then.isoformat()}))
    hub.forget_requests()
    async with start() as reader:
        await see_ranking(reader)
        await reader.until(lambda: "refreshing" not in reader.text)
        assert "acme/new" in reader.text
        assert len(hub.paths(RANKINGS)) == requests
