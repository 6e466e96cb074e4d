"""A second start shows the first lines before the records are read, and the records then take their place."""

from __future__ import annotations

import threading

import pytest
from parquet_builder import DATASET, parquet

from tui.catalog import snapshot as snapshots
from tui.widgets.model_table import STILL_READING, ModelTable

NEWEST = {"neuronx_cc": "2.28.7631.0", "library_version": "5.23.1"}


def numbered(count: int) -> list[dict[str, object]]:
    return [{"model_id": f"acme/m{number:03}", **NEWEST} for number in range(count)]


@pytest.fixture
def gate():
    """What waits for it goes on at the end of the test at the latest."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def read_late(monkeypatch, gate):
    """From its call on what is on disk is read when the gate opens."""

    def wait() -> None:
        real = snapshots.last_snapshot

        def late(settings):
            gate.wait(30)
            return real(settings)

        monkeypatch.setattr(snapshots, "last_snapshot", late)

    return wait


@pytest.fixture
async def second_start(start, hub, settings, read_late):
    """`await second_start(*records)`: they were fetched and shown once, and are read late from now on."""

    async def first(*records: dict[str, object]):
        dataset = hub.add_dataset(DATASET, {"a.parquet": parquet(*records)})
        async with start() as reader:
            await reader.until(lambda: records[0]["model_id"] in reader.text)
            await kept(reader, settings)
        read_late()
        return dataset

    return first


async def kept(reader, settings) -> None:
    """Wait for the page of what is on disk now."""
    from tui.catalog import front_page
    from tui.widgets.table_cells import DRAWN

    await reader.until(lambda: not reader.browse.fetching)
    await reader.until(lambda: front_page.read(settings, DRAWN) is not None)


def at_cursor(reader) -> str:
    """The model on the line with the cursor's mark."""
    (line,) = [line for line in reader.lines if line.startswith("▌")]
    return next(word for word in line.split() if word.startswith("acme/"))


async def read(reader, gate) -> None:
    """Let the records be read, and see them."""
    gate.set()
    await reader.until(lambda: reader.browse.selection is not None)


async def test_the_first_lines_stand_there_before_the_records_are_read(start, second_start, gate):
    await second_start({"model_id": "acme/one", **NEWEST}, {"model_id": "acme/two", "result": "fail", **NEWEST})
    async with start(offline=True) as reader:
        assert reader.browse.snapshot is None
        assert "acme/one" in reader.text
        assert any("FAIL" in line and "acme/two" in line for line in reader.lines)
        assert "2.28" in reader.text
        assert "tested to 2026-11-20" in reader.text
        assert "1 PASS" in reader.words
        before = reader.lines
        await read(reader, gate)
        await reader.press("g")
        table = [line.split("│")[0] for line in reader.lines]
        assert table[:6] == [line.split("│")[0] for line in before][:6]


async def test_a_start_after_a_check_that_found_nothing_new_shows_them_too(start, second_start, gate, hub, settings):
    await second_start({"model_id": "acme/one", **NEWEST})
    gate.set()
    async with start() as reader:
        await reader.until(lambda: "nothing changed" in reader.text)
        await kept(reader, settings)
    gate.clear()
    async with start(offline=True) as reader:
        assert reader.browse.snapshot is None
        assert "acme/one" in reader.text


async def test_the_records_take_their_place_with_the_cursor_on_its_model(start, second_start, gate):
    await second_start(*numbered(50))
    async with start(offline=True) as reader:
        await reader.press("down", "j", "down")
        assert at_cursor(reader) == "acme/m003"
        await read(reader, gate)
        assert at_cursor(reader) == "acme/m003"
        assert reader.browse.current_line()["model_id"] == "acme/m003"
        await reader.until(lambda: "acme/m003" in reader.browse.pane.text)


async def test_the_cursor_beyond_the_kept_lines_stays_at_its_position(start, second_start, gate):
    await second_start(*numbered(450))
    async with start(offline=True) as reader:
        await reader.press("G")
        assert reader.browse.query_one(ModelTable).cursor == 449
        assert "…" in reader.text
        await read(reader, gate)
        assert at_cursor(reader) == "acme/m449"
        await reader.press("g")
        assert at_cursor(reader) == "acme/m000"


async def test_a_search_typed_meanwhile_is_answered_when_the_records_are_there(start, second_start, gate):
    await second_start(*numbered(50))
    async with start(offline=True) as reader:
        await reader.press("slash", *"m04")
        assert reader.browse.selection is None
        await read(reader, gate)
        listed = [line for line in reader.lines if "acme/m" in line.split("│")[0]]
        assert len(listed) == 10
        assert all("acme/m04" in line for line in listed)
        await reader.press("enter")
        assert reader.browse.current_line()["model_id"] == "acme/m040"


@pytest.mark.parametrize("key", ["enter", "y", "r", "o", "p", "i", "right", "left", "P", "s", "a", "z", "d", "e", "w"])
async def test_a_key_that_needs_the_records_is_no_crash(start, second_start, gate, key):
    await second_start({"model_id": "acme/one", **NEWEST}, {"model_id": "acme/two", **NEWEST})
    async with start(160, 40, offline=True) as reader:
        await reader.press(key)
        await reader.press("escape")
        assert reader.browse.snapshot is None
        await read(reader, gate)
        assert "acme/one" in reader.text


@pytest.mark.parametrize("key", ["enter", "y", "r", "o", "p", "w"])
async def test_a_key_for_the_model_says_that_the_records_are_still_being_read(start, second_start, gate, key):
    await second_start({"model_id": "acme/one", **NEWEST})
    async with start(160, 40, offline=True) as reader:
        await reader.press(key)
        assert reader.said == [STILL_READING]


async def test_enter_says_that_the_records_are_still_being_read(start, second_start, gate):
    await second_start({"model_id": "acme/one", **NEWEST})
    async with start(offline=True) as reader:
        await reader.press("enter")
        assert reader.said == [STILL_READING]
        await read(reader, gate)
        await reader.press("enter")
        await reader.until(lambda: reader.browse.focused is reader.browse.pane)


async def test_a_click_on_a_line_says_it_too(start, second_start, gate):
    await second_start({"model_id": "acme/one", **NEWEST})
    async with start(offline=True) as reader:
        await reader.click(ModelTable, offset=(10, 1))
        assert reader.said == [STILL_READING]


async def test_another_view_and_back_shows_them_again(start, second_start, gate):
    await second_start({"model_id": "acme/one", **NEWEST})
    async with start(offline=True) as reader:
        await reader.press("2")
        assert not any("acme/one" in line for line in reader.lines)
        await reader.press("1")
        assert "acme/one" in reader.text
        await read(reader, gate)
        assert reader.browse.current_line()["model_id"] == "acme/one"


async def test_another_view_chosen_meanwhile_stays_when_the_records_are_there(start, second_start, gate):
    await second_start({"model_id": "acme/one", **NEWEST})
    async with start(offline=True) as reader:
        await reader.press("3")
        await read(reader, gate)
        assert reader.browse.question.view.value == "downloads"
        await reader.press("1")
        assert "acme/one" in reader.text


async def test_a_start_with_a_search_waits_for_the_records(start, second_start, gate):
    await second_start(*numbered(50))
    async with start(search="m04", offline=True) as reader:
        assert "acme/m" not in reader.text
        await read(reader, gate)
        assert "acme/m040" in reader.text


async def test_when_the_records_changed_since_the_old_lines_are_not_shown(start, second_start, gate, settings):
    from dataclasses import replace

    dataset = await second_start({"model_id": "acme/one", **NEWEST})
    dataset.add_revision({"a.parquet": parquet({"model_id": "acme/other", **NEWEST})})
    gate.set()
    snapshots.refresh(replace(settings), None, lambda _text: None)
    gate.clear()
    async with start(offline=True) as reader:
        assert "acme/one" not in reader.text
        await read(reader, gate)
        assert "acme/other" in reader.text
        assert "acme/one" not in reader.text


async def test_a_folder_of_files_has_its_first_lines_too(start, settings, tmp_path, monkeypatch, gate):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "a.parquet").write_bytes(parquet({"model_id": "acme/one", **NEWEST}))
    async with start(data=folder) as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        from dataclasses import replace

        await kept(reader, replace(settings, data=folder))
    real = snapshots.open_path

    def late(*arguments, **options):
        gate.wait(30)
        return real(*arguments, **options)

    monkeypatch.setattr(snapshots, "open_path", late)
    async with start(data=folder) as reader:
        assert reader.browse.snapshot is None
        assert "acme/one" in reader.text
        await read(reader, gate)
        assert reader.browse.current_line()["model_id"] == "acme/one"
    (folder / "b.parquet").write_bytes(parquet({"model_id": "acme/two", **NEWEST}))
    gate.clear()
    async with start(data=folder) as reader:
        assert "acme/one" not in reader.text


async def test_the_sample_is_never_kept(start, settings):
    async with start(sample=True) as reader:
        await reader.pause(0.1)
    assert not (settings.cache_dir / "pages").exists()


async def test_records_that_cannot_be_read_leave_no_old_lines_behind(start, second_start, gate, monkeypatch):
    await second_start({"model_id": "acme/one", **NEWEST})

    def none(_settings):
        gate.wait(30)

    monkeypatch.setattr(snapshots, "last_snapshot", none)
    async with start(offline=True) as reader:
        assert "acme/one" in reader.text
        gate.set()
        await reader.until(lambda: "SAMPLE DATA" in reader.lines[0])
        assert "acme/one" not in reader.text
