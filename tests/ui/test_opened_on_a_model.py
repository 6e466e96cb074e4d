"""The app opened on one model: cursor, view, stack and detail."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from parquet_builder import parquet

from tui.catalog.views import View

OnModel = Callable[..., AbstractAsyncContextManager[Any]]


@pytest.fixture
def on_model(start: OnModel) -> OnModel:
    """`async with on_model("sample/One", width=80) as reader` opens the app on a model, its detail open."""

    @asynccontextmanager
    async def run(
        model: str, width: int = 120, search: str = "", opened: bool = True, **changes: object
    ) -> AsyncIterator[Any]:
        async with start(width, 40, search, model, **{"sample": True, **changes}) as reader:
            await reader.until(lambda: reader.browse.selection is not None)
            if opened:
                await reader.until(lambda: reader.browse.focused is reader.browse.pane)
            yield reader

    return run


def model_at_cursor(reader: Any) -> str:
    line = reader.browse.current_line()
    return "" if line is None else line["model_id"]


@pytest.mark.parametrize("width", [80, 120, 200])
async def test_the_cursor_is_on_the_model_and_its_detail_is_open(on_model: OnModel, width: int) -> None:
    async with on_model("sample/Quartz-8B-Instruct", width) as reader:
        await reader.until(lambda: "A functional test of 32 tokens" in reader.text)
        assert model_at_cursor(reader) == "sample/Quartz-8B-Instruct"
        assert "sample/Quartz-8B-Instruct" in reader.text
        assert reader.browse.question.view is View.SELECTED
        assert reader.browse.question.search == ""
        await reader.press("q")
        assert reader.browse.focused is not reader.browse.pane
        assert model_at_cursor(reader) == "sample/Quartz-8B-Instruct"


async def test_the_id_is_found_in_any_case(on_model: OnModel) -> None:
    async with on_model("SAMPLE/quartz-8b-instruct") as reader:
        assert model_at_cursor(reader) == "sample/Quartz-8B-Instruct"


async def test_a_model_that_was_left_out_is_shown(on_model: OnModel) -> None:
    async with on_model("sample/Marble-405B") as reader:
        assert model_at_cursor(reader) == "sample/Marble-405B"
        assert reader.browse.question.left_out
        assert reader.browse.question.search == ""


async def test_left_out_models_stay_hidden_for_a_model_with_a_result(on_model: OnModel) -> None:
    async with on_model("sample/Quartz-8B-Instruct") as reader:
        assert not reader.browse.question.left_out


async def test_a_model_that_only_an_older_stack_has_is_shown_on_that_stack(on_model: OnModel, tmp_path: Path) -> None:
    older = {"neuronx_cc": "2.27.5334.0", "library_version": "5.21.0"}
    (tmp_path / "a.parquet").write_bytes(parquet({"model_id": "acme/new"}, {"model_id": "acme/old", **older}))
    async with on_model("acme/old", sample=False, data=tmp_path / "a.parquet") as reader:
        assert model_at_cursor(reader) == "acme/old"
        assert reader.browse.question.stack.neuronx_cc == "2.27.5334.0"


async def test_a_model_without_a_record_is_shown_in_a_ranking_that_has_it(on_model: OnModel) -> None:
    async with on_model("sample/Newcomer-VL-5B") as reader:
        assert model_at_cursor(reader) == "sample/Newcomer-VL-5B"
        assert reader.browse.question.view in {View.TRENDING, View.DOWNLOADS}
        assert "image-text-to-text" in reader.text


async def test_a_search_that_hides_the_model_gives_way(on_model: OnModel) -> None:
    async with on_model("sample/Quartz-8B-Instruct", search="marble") as reader:
        await reader.until(lambda: model_at_cursor(reader) == "sample/Quartz-8B-Instruct")


async def test_a_model_that_nobody_knows_leaves_the_app_as_it_always_opens(on_model: OnModel) -> None:
    async with on_model("acme/nothing", opened=False) as reader:
        assert model_at_cursor(reader) == "sample/Amber-3B"
        assert reader.browse.focused is not reader.browse.pane


async def test_the_model_is_opened_once_and_not_again_at_a_refresh(on_model: OnModel) -> None:
    async with on_model("sample/Quartz-8B-Instruct") as reader:
        await reader.press("q", "g")
        before = model_at_cursor(reader)
        reader.browse.records_changed()
        await reader.pause()
        assert model_at_cursor(reader) == before != "sample/Quartz-8B-Instruct"
