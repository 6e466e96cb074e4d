"""Rankings: pages put together, kept on disk, dated; and models that were renamed."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from loopback_hub import LoopbackHub, answer, rate_limited, status

from tui.catalog import hub as hub_requests
from tui.catalog import rankings
from tui.catalog import renames as renamed
from tui.catalog.views import View
from tui.errors import HubError, HubRateLimitedError
from tui.settings import Settings

TASK = "text-generation"


def rows(*ids: object) -> bytes:
    return json.dumps([{"id": model_id, "downloads": 5, "trendingScore": 2} for model_id in ids]).encode()


def test_a_first_page_has_five_hundred_models_in_the_hubs_order(hub: LoopbackHub, settings: Settings) -> None:
    ids = hub.add_models(700)
    before = datetime.now(UTC)
    ranking = rankings.fetch(settings, View.DOWNLOADS, TASK)
    assert ranking.models["model_id"].to_list() == ids[:500]
    assert ranking.models["rank"].to_list() == list(range(1, 501))
    assert ranking.models["figure"][0] == 700_000.0
    assert ranking.models.row(0, named=True) | {"figure": None} == {
        "rank": 1,
        "model_id": "acme/model-0001",
        "key": "acme/model-0001",
        "figure": None,
        "library": "transformers",
        "pipeline_tag": TASK,
        "gated": "no",
        "likes": 700,
        "downloads": 700_000,
        "parameters": None,
    }
    assert ranking.fetched_at is not None
    assert before <= ranking.fetched_at <= datetime.now(UTC)
    assert (ranking.view, ranking.task, ranking.sample) == (View.DOWNLOADS, TASK, False)
    assert len(hub.requests) == 1
    trending = rankings.fetch(settings, View.TRENDING, TASK)
    assert trending.models["figure"][0] == 700.0
    assert "sort=trendingScore" in hub.paths()[-1]


def test_pages_follow_to_the_end_without_gaps_doubles_or_a_new_date(hub: LoopbackHub, settings: Settings) -> None:
    ids = hub.add_models(2100)
    ranking = rankings.fetch(settings, View.TRENDING, TASK)
    first_date = ranking.fetched_at
    # A model that rises between two pages pushes the last of the first page into the second.
    hub.add_model("acme/Newcomer", pipeline_tag=TASK, trendingScore=10_000)
    while ranking.next_cursor is not None:
        ranking = rankings.more(settings, ranking)
    assert ranking.models["model_id"].to_list() == ids
    assert ranking.models["rank"].to_list() == list(range(1, 2101))
    assert ranking.fetched_at == first_date
    hub.forget_requests()
    assert rankings.more(settings, ranking) is ranking
    assert hub.requests == []


def test_a_refresh_of_a_longer_ranking_brings_as_many_rows_again(hub: LoopbackHub, settings: Settings) -> None:
    ids = hub.add_models(2100)
    longer = rankings.more(settings, rankings.fetch(settings, View.TRENDING, TASK))
    hub.add_model("acme/Newcomer", pipeline_tag=TASK, trendingScore=10_000)
    hub.forget_requests()
    fresh = rankings.fetch(settings, View.TRENDING, TASK, rows=longer.models.height)
    assert fresh.models["model_id"].to_list() == ["acme/Newcomer", *ids[:999]]
    assert len(hub.requests) == 2
    kept = rankings.cached(settings, View.TRENDING, TASK)
    assert kept is not None
    assert kept.models.equals(fresh.models)
    assert rankings.more(settings, fresh).models["model_id"].to_list() == ["acme/Newcomer", *ids[:1499]]


def test_a_ranking_of_more_pages_than_are_fetched_at_once_keeps_its_old_rows_behind(
    hub: LoopbackHub, settings: Settings
) -> None:
    ids = hub.add_models(3600)
    ranking = rankings.fetch(settings, View.TRENDING, TASK)
    for _ in range(5):
        ranking = rankings.more(settings, ranking)
    hub.add_model("acme/Newcomer", pipeline_tag=TASK, trendingScore=10_000)
    hub.forget_requests()
    fresh = rankings.fetch(settings, View.TRENDING, TASK, rows=3000)
    assert len(hub.requests) == 5
    assert fresh.models["model_id"].to_list() == ["acme/Newcomer", *ids[:3000]]
    assert fresh.models["rank"].to_list() == list(range(1, 3002))
    assert fresh.models.schema == pl.Schema(rankings.COLUMNS)
    assert rankings.more(settings, fresh).models["model_id"].to_list() == ["acme/Newcomer", *ids[:3499]]


def test_a_further_page_that_does_not_come_leaves_the_old_rows(
    hub: LoopbackHub, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = hub.add_models(1100)
    rankings.more(settings, rankings.fetch(settings, View.TRENDING, TASK))
    hub.add_model("acme/Newcomer", pipeline_tag=TASK, trendingScore=10_000)
    ask = hub_requests.ranking_page

    def first_page_only(*words: Any, cursor: str | None = None) -> hub_requests.RankingPage:
        if cursor is not None:
            raise HubError("No")
        return ask(*words)

    monkeypatch.setattr(hub_requests, "ranking_page", first_page_only)
    fresh = rankings.fetch(settings, View.TRENDING, TASK, rows=1000)
    assert fresh.models["model_id"].to_list() == ["acme/Newcomer", *ids[:1000]]


def test_a_ranking_that_became_shorter_on_the_hub_does(hub: LoopbackHub, settings: Settings) -> None:
    hub.add_models(1100)
    rankings.more(settings, rankings.fetch(settings, View.TRENDING, TASK))
    hub.set_fault("/api/models", answer(rows("acme/one", "acme/two")))
    assert rankings.fetch(settings, View.TRENDING, TASK, rows=1000).models.height == 2


def test_ids_that_differ_in_case_only_are_one_model(hub: LoopbackHub, settings: Settings) -> None:
    hub.set_fault("/api/models", answer(rows("acme/One", "ACME/one", "acme/Two")))
    models = rankings.fetch(settings, View.DOWNLOADS, TASK).models
    assert models.select("rank", "model_id", "key").rows() == [
        (1, "acme/One", "acme/one"),
        (2, "acme/Two", "acme/two"),
    ]


def test_a_page_that_leads_to_itself_ends_the_ranking(hub: LoopbackHub, settings: Settings) -> None:
    hub.add_models(3)
    ranking = replace(rankings.fetch(settings, View.DOWNLOADS, TASK), next_cursor="limit=2&cursor=c0&sort=downloads")
    hub.set_fault("/api/models", answer(b"[]"))
    assert rankings.more(settings, ranking).next_cursor is None


def test_malformed_rows_do_not_end_a_ranking(hub: LoopbackHub, settings: Settings) -> None:
    body = json.dumps(
        [
            {"id": "acme/good", "downloads": "12", "likes": None, "gated": True, "tags": "x"},
            {"id": 5},
            "acme/text",
            {"id": "acme/odd", "downloads": [], "gated": {}, "library_name": 7, "safetensors": [1], "likes": 2**70},
            {"id": "acme/big", "downloads": 1e30, "safetensors": {"total": 8_000_000_000}, "gated": "auto"},
        ]
    )
    hub.set_fault("/api/models", answer(body.encode()))
    ranking = rankings.fetch(settings, View.DOWNLOADS, TASK)
    shown = ranking.models.select("rank", "model_id", "figure", "downloads", "likes", "gated", "parameters")
    assert shown.rows() == [
        (1, "acme/good", 12.0, 12, None, "yes", None),
        (2, "acme/odd", None, None, None, None, None),
        (3, "acme/big", None, None, None, "auto", 8_000_000_000),
    ]


def test_a_task_without_models_is_an_empty_ranking(hub: LoopbackHub, settings: Settings) -> None:
    ranking = rankings.fetch(settings, View.TRENDING, "no-such-task")
    assert (ranking.models.height, ranking.next_cursor) == (0, None)
    assert ranking.models.schema == pl.Schema(rankings.COLUMNS)


# On disk


def test_a_ranking_with_its_pages_is_there_again_without_a_request(hub: LoopbackHub, settings: Settings) -> None:
    hub.add_models(1100)
    ranking = rankings.more(settings, rankings.fetch(settings, View.TRENDING, TASK))
    hub.forget_requests()
    again = rankings.cached(replace(settings, offline=True), View.TRENDING, TASK)
    assert again is not None
    assert again.models.equals(ranking.models)
    assert again.models.schema == ranking.models.schema
    assert (again.fetched_at, again.next_cursor) == (ranking.fetched_at, ranking.next_cursor)
    assert hub.requests == []
    assert rankings.cached(settings, View.DOWNLOADS, TASK) is None
    assert rankings.cached(settings, View.TRENDING, "text-to-image") is None
    assert rankings.more(settings, again).models.height == 1100


def test_rankings_of_two_hubs_are_kept_apart(
    hub: LoopbackHub, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add_models(3)
    rankings.fetch(settings, View.TRENDING, TASK)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert rankings.cached(settings, View.TRENDING, TASK) is None


def test_a_task_name_cannot_leave_the_folder(hub: LoopbackHub, settings: Settings, tmp_path: Path) -> None:
    rankings.fetch(settings, View.TRENDING, "../../../../evil/" + "x" * 300)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert all(path.is_relative_to(settings.cache_dir / "rankings") for path in files)


def damaged(kept: dict[str, object]) -> list[bytes]:
    models = kept["models"]
    assert isinstance(models, dict)
    wrong = [
        {**kept, "format": 0},
        {**kept, "task": "text-to-image"},
        {**kept, "fetched_at": "yesterday"},
        {**kept, "fetched_at": "2026-11-30T10:00:00"},
        {**kept, "next_cursor": 5},
        {**kept, "models": []},
        {**kept, "models": {**models, "rank": [1, 3, 2]}},
        {**kept, "models": {**models, "key": ["a", "a", "b"]}},
        {**kept, "models": {**models, "likes": ["x", 1, 2]}},
        {**kept, "models": {**models, "model_id": [None, "a", "b"]}},
        {name: value for name, value in kept.items() if name != "models"},
    ]
    return [b"", b"\xff\xfe", b"[]", b'{"format": 1', *(json.dumps(value).encode() for value in wrong)]


def test_a_damaged_or_foreign_file_is_ignored_said_in_the_log_and_written_anew(
    hub: LoopbackHub, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    hub.add_models(3)
    rankings.fetch(settings, View.TRENDING, TASK)
    (path,) = settings.cache_dir.rglob("trending-*.json")
    good = path.read_bytes()
    for content in damaged(json.loads(good.partition(b"\n")[0])):
        path.write_bytes(content)
        caplog.clear()
        assert rankings.cached(settings, View.TRENDING, TASK) is None, content
        assert path.name in caplog.text, content
    rankings.fetch(settings, View.TRENDING, TASK)
    assert rankings.cached(settings, View.TRENDING, TASK) is not None


def test_a_failed_request_leaves_the_kept_ranking_as_it_was(hub: LoopbackHub, settings: Settings) -> None:
    hub.add_models(1100)
    ranking = rankings.fetch(settings, View.TRENDING, TASK)
    hub.set_fault("/api/models", rate_limited(30))
    with pytest.raises(HubRateLimitedError):
        rankings.fetch(settings, View.TRENDING, TASK)
    with pytest.raises(HubError):
        rankings.more(settings, ranking)
    again = rankings.cached(settings, View.TRENDING, TASK)
    assert again is not None
    assert again.models.equals(ranking.models)


def test_a_cache_folder_that_cannot_be_written_costs_nothing_but_the_cache(
    hub: LoopbackHub, settings: Settings, tmp_path: Path
) -> None:
    hub.add_models(3)
    (tmp_path / "file").write_text("in the way")
    blocked = replace(settings, cache_dir=tmp_path / "file")
    assert rankings.fetch(blocked, View.TRENDING, TASK).models.height == 3
    assert rankings.cached(blocked, View.TRENDING, TASK) is None


# The sample


def test_the_sample_has_invented_models_only_and_no_date(hub: LoopbackHub, settings: Settings) -> None:
    for view in (View.TRENDING, View.DOWNLOADS):
        ranking = rankings.open_sample(view, TASK)
        assert ranking.models.height >= 10
        assert ranking.models["key"].str.starts_with("sample/").all()
        assert ranking.models["figure"].is_sorted(descending=True)
        assert (ranking.sample, ranking.fetched_at, ranking.next_cursor) == (True, None, None)
        assert rankings.more(settings, ranking) is ranking
        assert rankings.look_for_renames(settings, ranking, ["other/old"]) == {}
    assert rankings.open_sample(View.TRENDING, "no-such-task").models.height == 0
    assert hub.requests == []


# Renames


@pytest.mark.parametrize(
    ("ranked", "recorded", "expected"),
    [
        (["new-org/Model-8B"], ["old-org/model-8b"], ["old-org/model-8b"]),
        (["acme/Llama-3.1-8B-Instruct"], ["acme/Meta-Llama-3.1-8B-Instruct"], ["acme/Meta-Llama-3.1-8B-Instruct"]),
        (["acme/Model-7B-Instruct"], ["acme/Model-14B-Instruct"], []),
        (["acme/Model-7B"], ["acme/Model-7B-Instruct"], []),
        (["acme/Model-7B"], ["ACME/model-7b"], []),
        (["new-org/Model", "old-org/Model"], ["old-org/Model"], []),
        (["new-org/Model"], ["old-org/Model", "new-org/Model"], []),
        (["b/One", "b/Two"], ["a/two", "x/none", "a/one"], ["a/two", "a/one"]),
        (["plain"], ["gpt2"], []),
        ([], ["a/one"], []),
    ],
)
def test_old_names_are_guessed_by_name_or_by_organisation(
    ranked: list[str], recorded: list[str], expected: list[str]
) -> None:
    assert renamed.candidates(ranked, recorded) == expected


def test_a_redirect_makes_a_rename_and_each_id_is_asked_once_a_week(
    hub: LoopbackHub, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add_model("new-org/Model-8B", pipeline_tag=TASK)
    hub.rename_model("old-org/Model-8B", "new-org/Model-8B")
    hub.add_model("new-org/Other", pipeline_tag=TASK)
    hub.add_model("old-org/Other", pipeline_tag="text-to-image")
    hub.add_model("new-org/Gone", pipeline_tag=TASK)
    recorded = ["old-org/Model-8B", "old-org/Other", "old-org/Gone"]
    ranking = rankings.fetch(settings, View.TRENDING, TASK)
    hub.forget_requests()
    assert rankings.look_for_renames(settings, ranking, recorded) == {"old-org/model-8b": "new-org/model-8b"}
    assert [path.partition("?")[0] for path in hub.paths("/api/models/old-org/")] == [
        f"/api/models/{model_id}" for model_id in recorded
    ]
    hub.forget_requests()
    assert rankings.look_for_renames(settings, ranking, recorded) == {"old-org/model-8b": "new-org/model-8b"}
    assert rankings.renames(settings) == {"old-org/model-8b": "new-org/model-8b"}
    assert hub.requests == []

    monkeypatch.setattr(renamed, "ASK_AGAIN", timedelta())
    rankings.look_for_renames(settings, ranking, recorded)
    assert len(hub.paths("/api/models/old-org/")) == 3


def test_at_most_twenty_ids_are_asked_the_newest_first(hub: LoopbackHub, settings: Settings) -> None:
    hub.add_models(30)
    ranking = rankings.fetch(settings, View.TRENDING, TASK)
    hub.forget_requests()
    recorded = [f"old/model-{number:04d}" for number in range(1, 31)]
    rankings.look_for_renames(settings, ranking, recorded)
    assert [path.partition("?")[0] for path in hub.paths()] == [f"/api/models/{name}" for name in recorded[:20]]
    hub.forget_requests()
    rankings.look_for_renames(settings, ranking, recorded)
    assert [path.partition("?")[0] for path in hub.paths()] == [f"/api/models/{name}" for name in recorded[20:]]


def test_when_the_hub_asks_to_wait_the_search_ends_and_keeps_what_it_learned(
    hub: LoopbackHub, settings: Settings
) -> None:
    hub.add_models(3)
    hub.rename_model("old/model-0001", "acme/model-0001")
    ranking = rankings.fetch(settings, View.TRENDING, TASK)
    hub.set_fault("/api/models/old/model-0002", rate_limited())
    hub.forget_requests()
    recorded = ["old/model-0001", "old/model-0002", "old/model-0003"]
    assert rankings.look_for_renames(settings, ranking, recorded) == {"old/model-0001": "acme/model-0001"}
    assert len(hub.paths("/api/models/old/")) == 2
    hub.set_fault("/", status(500))
    hub.forget_requests()
    assert rankings.look_for_renames(replace(settings, offline=True), ranking, recorded) == {
        "old/model-0001": "acme/model-0001"
    }
    assert hub.requests == []


def test_renames_remembered_by_two_threads_at_once_leave_a_readable_file(settings: Settings) -> None:
    threads = [
        threading.Thread(target=rankings.remember_rename, args=(settings, f"Old/{number}", f"New/{number}"))
        for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rankings.remember_rename(settings, "Old/Last", "New/Last")
    rankings.remember_rename(settings, "Same/One", "same/one")
    known = rankings.renames(settings)
    assert known["old/last"] == "new/last"
    assert "same/one" not in known


def test_a_damaged_file_of_renames_is_ignored(settings: Settings) -> None:
    path = settings.cache_dir / "renames.json"
    path.parent.mkdir(parents=True)
    for content in ("", "[]", "{}", '{"format": 1, "asked": []}', '{"format": 1, "asked": {"a/b": {"new": 1}}}'):
        path.write_text(content)
        assert rankings.renames(settings) == {}
