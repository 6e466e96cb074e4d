"""Each request to the Hub under each fault: told in words, once, in time, and over when the Hub is well again."""

from __future__ import annotations

import logging
import random
from functools import partial
from pathlib import Path

import download_table
import pytest
from fault_table import (
    FAULTS,
    REQUESTS,
    SECRET,
    endpoint_of,
    failure,
    fill,
    fresh,
    no_names,
    time_limit,
    wrong_with,
)
from loopback_hub import LoopbackHub, old_copy, rate_limited, status

from tui.catalog import hub as asked
from tui.errors import HubRateLimitedError, HubUnreachableError
from tui.settings import DEFAULT_DATASET, Settings

SLOW = ("silent", "a byte a second", "an endless head")
"""Faults that take until a time limit."""


@pytest.fixture
def filled(hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch) -> LoopbackHub:
    """A Hub with everything on it, and a token in use that it does not know."""
    fill(hub)
    monkeypatch.setattr("hub_handler.GOOD_TOKEN", SECRET)
    monkeypatch.setenv("HF_TOKEN", SECRET)
    return hub


@pytest.mark.parametrize("fault", [name for name in FAULTS if name not in SLOW])
def test_every_request_under_a_fault(
    filled: LoopbackHub, settings: Settings, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with time_limit(8.0):
        wrong = [
            each
            for number, request in enumerate(REQUESTS)
            for each in wrong_with(filled, fresh(settings, number), request, fault)
            if fault != "401" or "requests instead" not in each  # asked once more, without the token
        ]
    assert wrong == []
    assert SECRET not in caplog.text


@pytest.mark.parametrize("fault", SLOW)
def test_a_request_that_gets_no_answer_ends_in_time(filled: LoopbackHub, settings: Settings, fault: str) -> None:
    chosen = random.Random(fault).sample(sorted(REQUESTS), 3)
    with time_limit(0.5):
        assert [each for name in chosen for each in wrong_with(filled, settings, name, fault)] == []


@pytest.mark.parametrize("request_name", REQUESTS)
def test_a_token_that_the_hub_does_not_know_closes_nothing_public(
    filled: LoopbackHub, settings: Settings, request_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    assert failure(lambda: REQUESTS[request_name].ask(settings)) is None
    assert "Bearer hf_wrong" in [sent for _, sent in filled.authorizations]


@pytest.mark.parametrize("request_name", REQUESTS)
def test_a_hub_that_refuses_or_whose_name_nobody_knows_is_named(
    filled: LoopbackHub, settings: Settings, request_name: str
) -> None:
    with endpoint_of("http://hub.acme.example:8080"), no_names():
        error = failure(lambda: REQUESTS[request_name].ask(settings))
    assert isinstance(error, HubUnreachableError)
    assert error.title == "The Hub cannot be reached"
    assert "http://hub.acme.example:8080" in error.detail
    filled.refuse()
    error = failure(lambda: REQUESTS[request_name].ask(settings))
    assert isinstance(error, HubUnreachableError)
    assert filled.url in error.detail


def test_a_hub_that_speaks_no_tls_is_told_as_such(filled: LoopbackHub, settings: Settings) -> None:
    with endpoint_of(filled.url.replace("http:", "https:")), time_limit(2.0):
        error = failure(lambda: asked.dataset_revision(settings))
    assert isinstance(error, HubUnreachableError)
    assert "SSL" in error.detail


def test_while_the_hub_asks_to_wait_nothing_at_all_is_sent_to_it(filled: LoopbackHub, settings: Settings) -> None:
    filled.set_fault("/api/models", rate_limited(retry_after=600))
    assert isinstance(failure(lambda: asked.model_facts(settings, "acme/model-0001")), HubRateLimitedError)
    filled.clear_faults()
    filled.forget_requests()
    errors = [failure(partial(request.ask, settings)) for request in REQUESTS.values()]
    assert {type(error) for error in errors} == {HubRateLimitedError}
    commit = filled.datasets[DEFAULT_DATASET].main
    with pytest.raises(HubRateLimitedError):
        asked.fetch_dataset(settings, commit, lambda _: None)
    assert filled.requests == []


def test_a_download_that_was_asked_to_wait_is_not_tried_again_before(filled: LoopbackHub, settings: Settings) -> None:
    filled.set_fault("/datasets/", rate_limited(retry_after=600))
    commit = filled.datasets[DEFAULT_DATASET].main
    for _ in range(2):
        with pytest.raises(HubRateLimitedError):
            asked.fetch_dataset(settings, commit, lambda _: None)
    assert len(filled.paths("/datasets/")) == 1


def test_files_that_are_here_are_not_given_out_as_a_new_revision(filled: LoopbackHub, settings: Settings) -> None:
    records = filled.datasets[DEFAULT_DATASET]
    asked.fetch_dataset(settings, records.main, lambda _: None)
    newer = records.add_revision({"a.parquet": b"two" * 1000})
    filled.set_fault("/", status(503))
    with pytest.raises(HubUnreachableError):
        asked.fetch_dataset(settings, newer, lambda _: None)


def test_a_proxy_that_keeps_answers_is_asked_to_ask_the_hub(filled: LoopbackHub, settings: Settings) -> None:
    filled.set_fault("/", old_copy(7200, obeying=True))
    assert asked.dataset_revision(settings) == filled.datasets[DEFAULT_DATASET].main


@pytest.mark.parametrize(("step", "fault"), download_table.cases(seed=6, number=2))
def test_a_download_under_a_fault(
    filled: LoopbackHub, settings: Settings, step: str, fault: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    assert download_table.wrong_with(filled, settings, tmp_path / "home", step, fault) == []
    assert SECRET not in caplog.text


@pytest.mark.parametrize("step", ["list of files", "Xet's token", "reconstruction"])
def test_a_download_of_which_nothing_arrives_is_ended(
    filled: LoopbackHub, settings: Settings, step: str, tmp_path: Path
) -> None:
    with download_table.short_silence(2.5):
        assert download_table.wrong_with(filled, settings, tmp_path / "home", step, "silent") == []


def test_a_download_from_a_hub_that_refuses_or_speaks_no_tls_names_it(filled: LoopbackHub, settings: Settings) -> None:
    commit = filled.datasets[DEFAULT_DATASET].main
    with endpoint_of(filled.url.replace("http:", "https:")):
        error = failure(lambda: asked.fetch_dataset(settings, commit, lambda _: None))
    assert isinstance(error, HubUnreachableError)
    assert "SSL" in error.detail
    filled.refuse()
    error = failure(lambda: asked.fetch_dataset(settings, commit, lambda _: None))
    assert isinstance(error, HubUnreachableError)
    assert error.title == "The Hub cannot be reached"
    assert filled.url in error.detail
