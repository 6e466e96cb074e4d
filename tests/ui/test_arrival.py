"""The app against a loopback Hub: what is on screen before, while and after data arrives."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from loopback_hub import late, rate_limited, silent, status
from parquet_builder import DATASET, parquet

from tui.catalog import asking_times, hub_session
from tui.catalog.views import View
from tui.screens import data_screen

NEWEST = {"neuronx_cc": "2.28.7631.0", "library_version": "5.23.1"}
OLDER = {"neuronx_cc": "2.27.5334.0", "library_version": "5.21.0"}


@pytest.fixture
def records(hub):
    return hub.add_dataset(
        DATASET,
        {
            "a.parquet": parquet(
                {"model_id": "acme/one", **NEWEST},
                {"model_id": "acme/two", "result": "fail", "error": "Traceback\nRuntimeError: boom", **NEWEST},
                {"model_id": "acme/huge", "result": None, "exclusion": "needs more than 16 cores", **NEWEST},
            ),
            "b.parquet": parquet({"model_id": "acme/old", **OLDER}, without=("exclusion",)),
        },
    )


async def test_the_first_start_fetches_the_dataset_and_shows_where_it_is_from(start, hub, records):
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        assert "SAMPLE DATA" not in reader.text
        assert f"{DATASET} @ {records.main[:7]}" in reader.text
        assert "tested to 2026-11-20" in reader.text
        assert "checked " in reader.text


async def test_an_unchanged_dataset_costs_one_request_on_the_next_start(start, hub, records):
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
    hub.forget_requests()
    async with start() as reader:
        await reader.until(lambda: "nothing changed" in reader.text)
        assert "acme/one" in reader.text
    assert [path for path in hub.paths() if DATASET in path] == [f"/api/datasets/{DATASET}?expand=sha"]


async def test_a_new_revision_is_swapped_in_under_the_cursor_and_told(start, hub, records):
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.press("slash", *"two", "enter")
        assert reader.browse.current_line()["model_id"] == "acme/two"
        files = records.files
        files["c.parquet"] = parquet({"model_id": "acme/another", **NEWEST})
        hub.forget_requests()
        records.add_revision(files)
        await reader.press("escape", "u")
        await reader.until(lambda: "acme/another" in reader.text)
        assert reader.browse.current_line()["model_id"] == "acme/two"
        assert "1 record new" in reader.text or "1 records new" in reader.text
        fetched = [path for path in hub.paths() if "/resolve/" in path]
        assert fetched
        assert not any(
            "a.parquet" in path or "b.parquet" in path
            for _method, path in hub.requests
            if _method == "GET" and "content" in path
        )


async def test_a_silent_hub_leaves_the_sample_until_the_dataset_arrives(start, hub, records, monkeypatch):
    monkeypatch.setattr("tui.screens.data_screen.SILENCE_BEFORE_SAMPLE_S", 0.2)
    hub.set_fault("/api/datasets", late(answer := threading.Event()))
    async with start() as reader:
        assert "asking the Hub for" in reader.text
        await reader.until(lambda: "SAMPLE DATA" in reader.lines[0])
        assert "sample/" in reader.text
        answer.set()
        await reader.until(lambda: "acme/one" in reader.text)
        assert "SAMPLE DATA" not in reader.text
        await reader.until(lambda: "sample/" not in reader.text)


async def test_a_hub_that_refuses_shows_the_sample_at_once_and_says_why(start, hub):
    hub.refuse()
    async with start() as reader:
        await reader.until(lambda: "SAMPLE DATA" in reader.lines[0])
        assert "Hub" in reader.lines[-2]


async def test_a_snapshot_is_called_stale_when_the_hub_fails(start, hub, records):
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
    hub.set_fault("/", status(500))
    async with start() as reader:
        await reader.until(lambda: "stale" in reader.text)
        assert "acme/one" in reader.text
        assert "last checked" in reader.text
        assert f"(127.0.0.1:{hub.url.rpartition(':')[2]}), again " in reader.lines[-2]


async def test_a_hub_that_failed_is_asked_again_by_itself_when_it_is_time(start, hub, records, monkeypatch):
    hub.add_model("acme/one", pipeline_tag="text-generation", trendingScore=90, library_name="transformers")
    monkeypatch.setattr(asking_times, "AFTER_A_FAILURE", timedelta(seconds=0.2))
    monkeypatch.setattr(data_screen, "LOOK_EVERY_S", 0.05)
    hub.set_fault("/", status(503))
    async with start() as reader:
        await reader.until(lambda: "SAMPLE DATA" in reader.lines[0])
        hub.clear_faults()
        await reader.until(lambda: "acme/one" in reader.text)
        hub.set_fault("/api/models", status(503))
        await reader.press("2")
        await reader.until(lambda: "has a problem of its own" in reader.text)
        hub.clear_faults()
        await reader.until(lambda: "ranking of" in reader.text and "problem" not in reader.text)


async def test_a_hub_that_asks_to_wait_is_not_asked_before(start, hub, records, monkeypatch):
    monkeypatch.setattr(asking_times, "AFTER_A_FAILURE", timedelta(seconds=0.05))
    monkeypatch.setattr(data_screen, "LOOK_EVERY_S", 0.05)
    hub.set_fault("/api/datasets", rate_limited(retry_after=600))
    async with start() as reader:
        await reader.until(lambda: "rate-limited" in reader.lines[-2])
        hub.forget_requests()
        await reader.pause(0.5)
        assert [path for path in hub.paths() if "/api/datasets/" in path] == []


async def test_offline_nothing_is_asked_by_itself(start, hub, records, monkeypatch):
    monkeypatch.setattr(asking_times, "EVERY", timedelta(seconds=0.05))
    monkeypatch.setattr(data_screen, "LOOK_EVERY_S", 0.05)
    async with start(offline=True) as reader:
        await reader.pause(0.5)
        assert hub.requests == []
        assert "SAMPLE DATA" in reader.lines[0]


async def test_a_rate_limit_tells_until_when_only_if_the_hub_did(start, hub, records):
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
    hub.set_fault("/", rate_limited(retry_after=600))
    async with start() as reader:
        await reader.until(lambda: "rate-limited by the Hub until " in reader.text)
    hub.clear_faults()
    hub_session.forget_waits()
    hub.set_fault("/", rate_limited())
    async with start() as reader:
        await reader.until(lambda: "rate-limited by the Hub" in reader.text)
        assert "rate-limited by the Hub until" not in reader.text


async def test_offline_makes_no_request_and_says_so(start, hub, records):
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
    hub.forget_requests()
    async with start(offline=True) as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        assert "offline" in reader.lines[-2]
        await reader.press("2", "enter", "u")
        await reader.pause(0.3)
    assert hub.requests == []


async def test_a_ranking_comes_in_the_hubs_order_with_tested_and_untested_models(start, hub, records):
    hub.add_model("acme/new", pipeline_tag="text-generation", trendingScore=90, library_name="transformers")
    hub.add_model("ACME/One", pipeline_tag="text-generation", trendingScore=80, library_name="transformers")
    hub.add_model("acme/old", pipeline_tag="text-generation", trendingScore=70, library_name="transformers")
    hub.add_model("acme/huge", pipeline_tag="text-generation", trendingScore=60, library_name="transformers")
    hub.add_model("acme/draw", pipeline_tag="text-generation", trendingScore=50, library_name="diffusers")
    hub.add_model("acme/what", pipeline_tag="text-generation", trendingScore=40)
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.press("2")
        await reader.until(lambda: "acme/new" in reader.text)
        lines = reader.browse.selection.lines
        assert lines["model_id"].to_list() == [
            "acme/new",
            "ACME/One",
            "acme/old",
            "acme/huge",
            "acme/draw",
            "acme/what",
        ]
        assert lines["verdict"].to_list() == ["UNTESTED", "PASS", "UNTESTED", "EXCLUDED", "UNTESTED", "UNTESTED"]
        assert lines["note"].to_list()[2].startswith("not on this stack (PASS on 2.27.5334.0")
        assert lines["note"].to_list()[3] == "left out: needs more than 16 cores"
        assert lines["note"].to_list()[4] == "diffusers, not a Transformers model"
        assert "ranking of " in reader.text


async def test_further_pages_come_on_reaching_the_end_without_duplicates(start, hub, records):
    hub.add_models(1200)
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.press("2")
        await reader.until(lambda: reader.browse.selection.total == 500)
        await reader.press("G")
        await reader.until(lambda: reader.browse.selection.total == 1000)
        await reader.press("G")
        await reader.until(lambda: reader.browse.selection.total == 1200)
        keys = reader.browse.selection.lines["key"]
        assert keys.n_unique() == 1200
        await reader.press("slash", *"model-1199", "enter")
        assert reader.browse.current_line()["rank"] == 1199


async def test_a_failing_ranking_says_why_and_the_records_stay(start, hub, records):
    hub.set_fault("/api/models", status(503))
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.press("3")
        await reader.until(lambda: "no ranking of text-generation" in reader.text)
        await reader.press("1")
        assert "acme/one" in reader.text


async def test_a_silent_ranking_never_holds_up_a_key_or_the_end(start, hub, records):
    hub.set_fault("/api/models", silent())
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.press("2")
        assert "fetching the ranking of text-generation" in reader.text
        await reader.press("1", "j", "q")
        assert reader.app._exit


async def test_a_renamed_model_is_found_under_its_new_name(start, hub):
    hub.add_dataset(DATASET, {"a.parquet": parquet({"model_id": "oldorg/thing", **NEWEST})})
    hub.add_model("neworg/thing", pipeline_tag="text-generation", trendingScore=9, library_name="transformers")
    hub.rename_model("oldorg/thing", "neworg/thing")
    async with start() as reader:
        await reader.until(lambda: "oldorg/thing" in reader.text)
        await reader.press("2")
        await reader.until(lambda: reader.browse.selection.lines["verdict"].to_list() == ["PASS"])
        assert reader.browse.selection.lines["model_id"].to_list() == ["neworg/thing"]


async def test_enter_asks_the_hub_about_the_model_and_a_passing_cursor_does_not(start, hub, records):
    hub.add_model(
        "acme/one", pipeline_tag="text-generation", library_name="transformers", downloads=1234567, likes=12,
        tags=["license:apache-2.0"], gated="manual",
    )  # fmt: skip
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.press("j", "k", "j", "k")
        assert not hub.paths("/api/models/")
        await reader.press("slash", *"one", "enter", "enter")
        await reader.until(lambda: "apache-2.0" in reader.browse.query_one("DetailPanel").text)
        text = reader.browse.query_one("DetailPanel").text
        assert "downloads 1.2M" in text
        assert "accepted by hand" in text


async def test_an_unreadable_file_is_named_and_hides_nothing(start, hub):
    good = parquet({"model_id": "acme/one", **NEWEST})
    hub.add_dataset(DATASET, {"a.parquet": good, "broken.parquet": b"PAR1 this is not parquet PAR1"})
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        assert "1 problem in the files (P)" in reader.text
        await reader.press("P")
        assert "broken.parquet" in reader.text


async def test_control_characters_and_markup_of_the_dataset_are_shown_not_obeyed(start, records_of):
    evil = "acme/x\x1b]52;c;aGk=\x07[/][@click=app.quit]y\x9b2J"
    records = records_of({"model_id": evil, "notes": evil, "result": evil, **NEWEST})
    async with start(data=records) as reader:
        await reader.until(lambda: "acme/x" in reader.text)
        await reader.press("enter")
        await reader.until(lambda: "[/]" in reader.browse.query_one("DetailPanel").text)
        assert "\x1b" not in reader.text
        assert "\x9b" not in reader.text


async def test_the_five_kinds_of_nothing_look_different(start, records_of):
    rows = [
        {"model_id": "acme/null", "wall_s": None, "hbm_peak_gb": None, "notes": None},
        {"model_id": "acme/zero", "wall_s": 0, "hbm_peak_gb": 0.0, "notes": ""},
        {"model_id": "acme/nan", "wall_s": 1, "hbm_peak_gb": float("nan"), "notes": "None"},
    ]
    async with start(200, 60, data=records_of(*rows)) as reader:
        await reader.until(lambda: "acme/null" in reader.text)
        table = [each.split("│")[0] for each in reader.lines]
        line = {
            name: next(each for each in table if f" PASS          acme/{name} " in each)
            for name in ("null", "zero", "nan")
        }
        assert "0/24" in line["zero"]
        assert "NaN/24" in line["nan"]
        assert "0/24" not in line["null"]
        assert "NaN" not in line["null"]


async def test_the_view_asked_for_last_is_the_one_shown_when_rankings_arrive_late(start, hub, records):
    hub.add_model("acme/new", pipeline_tag="text-generation", trendingScore=90, downloads=5)
    hub.set_fault("/api/models", late(answer := threading.Event()))
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.press("2", "3", "1")
        answer.set()
        await reader.until(lambda: len(reader.browse.rankings) == 2)
        assert reader.browse.question.view is View.SELECTED
        assert "acme/one" in reader.text


async def test_a_search_in_a_ranking_fetches_nothing_and_claims_nothing_of_what_is_not_here(start, hub, records):
    hub.add_models(1200)
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.press("2")
        await reader.until(lambda: reader.browse.selection.total == 500)
        await reader.press("slash", *"model-1199", "enter", "j", "j", "G")
        await reader.until(lambda: "none of the first 500 has «model-1199»" in reader.text)
        assert "of 500+" in reader.text
        assert len(hub.paths("/api/models?")) == 1


async def test_a_page_that_failed_is_asked_for_again_only_by_u(start, hub, records):
    hub.add_models(1200)
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.press("2")
        await reader.until(lambda: reader.browse.selection.total == 500)
        hub.set_fault("/api/models", rate_limited(retry_after=600))
        hub.forget_requests()
        await reader.press("G")
        await reader.until(lambda: "until" in reader.lines[1])
        await reader.press("k", "k", "G", "k", "G")
        assert len(hub.paths("/api/models?")) == 1
        await reader.press("u")
        await reader.pause(0.2)
        assert len(hub.paths("/api/models?")) == 1  # the Hub said when
        hub.clear_faults()
        hub_session.forget_waits()
        await reader.press("u")
        await reader.until(lambda: "until" not in reader.lines[1] and "refreshing" not in reader.lines[1])
        await reader.press("G")
        await reader.until(lambda: reader.browse.selection.total == 1000)


async def test_u_keeps_the_further_pages_and_the_cursor(start, hub, records):
    hub.add_models(1200)
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.press("2")
        await reader.until(lambda: reader.browse.selection.total == 500)
        await reader.press("G")
        await reader.until(lambda: reader.browse.selection.total == 1000)
        await reader.press("G")
        await reader.until(lambda: reader.browse.selection.total == 1200)
        before = reader.browse.current_line()["model_id"]
        hub.forget_requests()
        await reader.press("u")
        await reader.until(lambda: len(hub.paths("/api/models?")) >= 2 and "refreshing" not in reader.lines[1])
        assert reader.browse.current_line()["model_id"] == before
        assert reader.browse.selection.total == 1200


async def test_with_any_the_stack_of_each_line_is_shown(start, hub, records):
    async with start() as reader:
        await reader.until(lambda: "acme/one" in reader.text)
        await reader.press("v", *"any", "enter", "c", *"any", "enter")
        await reader.until(lambda: "acme/old" in reader.text)
        line = next(each for each in reader.lines if "acme/old" in each)
        assert "2.27 · 5.21.0" in line
