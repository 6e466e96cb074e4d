"""What the app makes of the Hub's answers: rankings, facts of a model, texts and buckets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from loopback_hub import LoopbackHub, answer, status

from tui.catalog import facts, rankings
from tui.catalog import hub as asked
from tui.errors import HubError, HubNotFoundError
from tui.settings import Settings


def failure(call: Callable[[], object]) -> HubError:
    with pytest.raises(HubError) as caught:
        call()
    return caught.value


def test_a_ranking_page_has_the_hubs_order_and_leads_to_the_next(hub: LoopbackHub, settings: Settings) -> None:
    ids = hub.add_models(7)
    hub.add_model("acme/picture", pipeline_tag="text-to-image", downloads=10**9)
    first = asked.ranking_page(settings, "trending_score", "text-generation", limit=5)
    assert [row["id"] for row in first.rows] == ids[:5]
    assert first.rows[0]["trendingScore"] == 7
    second = asked.ranking_page(settings, "trending_score", "text-generation", first.next_cursor)
    assert [row["id"] for row in second.rows] == ids[5:]
    assert second.next_cursor is None


def test_malformed_rows_are_left_out_and_their_number_is_logged(
    hub: LoopbackHub, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    body = b'[{"id": "acme/good"}, {"id": 7}, {"id": ""}, {"id": "a\\u0007b"}, {"id": "a b"}, null, [], {}, "acme/x"]'
    hub.set_fault("/api/models", answer(body))
    page = asked.ranking_page(settings, "downloads", "text-generation")
    assert [row["id"] for row in page.rows] == ["acme/good"]
    assert "8 rows have no usable id" in caplog.text


def test_facts_of_a_model_are_asked_once_a_day(
    hub: LoopbackHub, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add_model(
        "Acme/One",
        pipeline_tag="text-generation",
        library_name="transformers",
        downloads=1200,
        likes=30,
        gated="manual",
        cardData={"license": "apache-2.0"},
        safetensors={"parameters": {"BF16": 8_000_000_000, "F32": 30_000_000}},
        usedStorage=16_000_000_000,
    )
    found = asked.model_facts(settings, "Acme/One")
    assert (found.id, found.task, found.library) == ("Acme/One", "text-generation", "transformers")
    assert (found.downloads, found.likes, found.gated, found.license) == (1200, 30, "manual", "apache-2.0")
    assert (found.parameters, found.size_bytes) == (8_030_000_000, 16_000_000_000)
    assert found.url == f"{hub.url}/Acme/One"
    assert asked.model_facts(settings, "Acme/One") == found == asked.cached_facts(settings, "Acme/One")
    assert len(hub.requests) == 1

    facts.remember(
        settings.cache_dir, hub.url, "Acme/One", replace(found, fetched_at=found.fetched_at - timedelta(days=1))
    )
    hub.models["Acme/One"]["likes"] = 31
    assert asked.model_facts(settings, "Acme/One").likes == 31
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert asked.cached_facts(settings, "Acme/One") is None


def test_facts_of_a_renamed_model_carry_its_new_id_which_is_remembered(hub: LoopbackHub, settings: Settings) -> None:
    hub.add_model("new-org/One", likes=3)
    hub.rename_model("acme/one", "new-org/One")
    found = asked.model_facts(settings, "acme/one")
    assert (found.id, found.likes, found.url) == ("new-org/One", 3, f"{hub.url}/new-org/One")
    assert rankings.renames(settings) == {"acme/one": "new-org/one"}


def test_odd_values_in_facts_count_as_not_told(hub: LoopbackHub, settings: Settings) -> None:
    hub.add_model("acme/odd")
    body = b"""{"id": "acme/odd", "downloads": "12", "likes": -1, "gated": [], "pipeline_tag": 5, "library_name": "",
        "tags": ["license:mit", 3], "cardData": "x", "safetensors": {"total": true, "parameters": {"F32": "x"}},
        "usedStorage": 1e400}"""
    hub.set_fault("/api/models/", answer(body))
    found = asked.model_facts(settings, "acme/odd")
    assert (found.downloads, found.likes, found.gated, found.task, found.library) == (12, None, None, None, None)
    assert (found.license, found.size_bytes) == ("mit", None)
    assert found.parameters == 0


def test_a_model_that_is_gone_is_said_to_be_not_found(hub: LoopbackHub, settings: Settings) -> None:
    error = failure(lambda: asked.model_facts(settings, "acme/none"))
    assert isinstance(error, HubNotFoundError)
    assert "model acme/none" in error.detail
    assert asked.current_id(settings, "acme/none") is None


@pytest.mark.parametrize("code", [404, 401])
def test_that_a_model_is_gone_is_remembered_for_a_day_and_until_somebody_logs_in(
    hub: LoopbackHub, settings: Settings, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.setattr(asked, "has_token", lambda: False)
    hub.set_fault("/api/models/", status(code))
    first = failure(lambda: asked.model_facts(settings, "acme/none"))
    hub.forget_requests()
    again = failure(lambda: asked.model_facts(settings, "acme/none"))
    assert hub.requests == []
    assert isinstance(again, HubNotFoundError)
    assert (again.title, again.detail, again.remedy) == (first.title, first.detail, first.remedy)
    assert asked.cached_facts(settings, "acme/none") is None

    hub.clear_faults()
    hub.add_model("acme/none", likes=4)
    with monkeypatch.context() as logged_in:
        logged_in.setattr(asked, "has_token", lambda: True)
        assert asked.model_facts(settings, "acme/none").likes == 4
    assert asked.model_facts(settings, "acme/none").likes == 4


def test_a_model_that_was_gone_is_asked_for_again_after_a_day_but_not_what_failed_otherwise(
    hub: LoopbackHub, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    failure(lambda: asked.model_facts(settings, "acme/none"))
    hub.set_fault("/api/models/acme/other", status(500))
    failure(lambda: asked.model_facts(settings, "acme/other"))
    hub.clear_faults()
    hub.add_model("acme/none", likes=4)
    hub.add_model("acme/other", likes=5)
    assert asked.model_facts(settings, "acme/other").likes == 5
    failure(lambda: asked.model_facts(settings, "acme/none"))
    monkeypatch.setattr(asked, "FACTS_KEPT", timedelta())
    assert asked.model_facts(settings, "acme/none").likes == 4


def test_a_damaged_file_of_facts_is_asked_for_again(hub: LoopbackHub, settings: Settings) -> None:
    hub.add_model("acme/one", likes=3)
    asked.model_facts(settings, "acme/one")
    (kept,) = (settings.cache_dir / "facts").iterdir()
    for content in (b"", b"{}", b"[1]", b"\xff", b'{"fetched_at": "2026-11-30T00:00:00"}'):
        kept.write_bytes(content)
        assert asked.cached_facts(settings, "acme/one") is None
        assert asked.model_facts(settings, "acme/one").likes == 3


# Where compiled graphs may be


def test_the_card_and_the_small_texts_of_the_space_are_read(hub: LoopbackHub, settings: Settings) -> None:
    hub.add_dataset(settings.dataset, {"README.md": "compiled graphs: hf://buckets/acme/neff ✓".encode()})
    hub.add_space(
        settings.dataset,
        {"app.py": b"print()", "src/x.JS": b"1", "logo.png": b"p", "big.txt": b"x" * 200_001, "run.sh": b"\xff"},
    )
    assert asked.card_texts(settings) == [("dataset card README.md", "compiled graphs: hf://buckets/acme/neff ✓")]
    assert asked.space_texts(settings) == [
        ("Space file app.py", "print()"),
        ("Space file run.sh", "\ufffd"),
        ("Space file src/x.JS", "1"),
    ]


def test_at_most_thirty_files_of_a_space_are_read(hub: LoopbackHub, settings: Settings) -> None:
    hub.add_space(settings.dataset, {f"{number}.py": b"1" for number in range(40)})
    assert len(asked.space_texts(settings)) == 30


def test_without_card_and_space_there_is_no_text_but_a_failure_is_told(hub: LoopbackHub, settings: Settings) -> None:
    assert asked.card_texts(settings) == asked.space_texts(settings) == []
    hub.add_space(settings.dataset, {"app.py": b"1"})
    hub.set_fault("/spaces/", status(500))
    assert failure(lambda: asked.space_texts(settings)).title == "The Hub has a problem of its own"


def test_buckets_and_their_top_folders_are_listed(hub: LoopbackHub, settings: Settings) -> None:
    hub.add_bucket("acme/neff", {"2.28/a": b"1", "2.27/deep/b": b"2", "index": b"3"})
    hub.add_bucket("other/neff", {"x/a": b"1"})
    assert asked.buckets_of(settings, "acme") == ["acme/neff"]
    assert asked.buckets_of(settings, "nobody") == []
    assert asked.bucket_folders(settings, "acme/neff") == ["2.27", "2.28"]
    assert isinstance(failure(lambda: asked.bucket_folders(settings, "acme/none")), HubNotFoundError)


def test_a_password_in_the_address_of_the_hub_is_not_told() -> None:
    from tui.catalog import hub_errors

    error = hub_errors.unreachable("dataset acme/d", "http://ada:geheim@proxy.example:8000/hub", "refused")
    assert error.detail == "dataset acme/d, http://proxy.example:8000/hub: refused"
    assert "acme/d, https://huggingface.co" in hub_errors.no_answer("acme/d", "https://huggingface.co", 8).detail
