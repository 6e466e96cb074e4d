"""What the app asks the Hub, through the real huggingface_hub and a loopback Hub."""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from loopback_hub import (
    GOOD_TOKEN,
    Fault,
    LoopbackHub,
    answer,
    cut,
    drip,
    endless_head,
    login_page,
    rate_limited,
    reset,
    silent,
    slow,
    status,
)

from tui.catalog import hub as asked
from tui.catalog import hub_session
from tui.errors import (
    HubError,
    HubGatedError,
    HubNotFoundError,
    HubOfflineError,
    HubRateLimitedError,
    HubUnreachableError,
)
from tui.settings import Settings


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time limits of a fraction of a second."""
    monkeypatch.setattr(hub_session, "HUB_TIMEOUT_S", 0.3)
    monkeypatch.setattr(hub_session, "TOTAL_S", 0.8)


@pytest.fixture
def new_session() -> Iterator[None]:
    """A session that is made anew: proxies and certificates are read when it is made."""
    hub_session.library().close_session()
    yield
    hub_session.library().close_session()


def failure(call: Callable[[], object]) -> HubError:
    with pytest.raises(HubError) as caught:
        call()
    return caught.value


# Datasets


def test_the_revision_of_a_dataset_is_one_request(hub: LoopbackHub, settings: Settings) -> None:
    records = hub.add_dataset(settings.dataset, {"a.parquet": b"one"})
    assert asked.dataset_revision(settings) == records.main
    assert hub.requests == [("GET", f"/api/datasets/{settings.dataset}?expand=sha")]
    newer = records.add_revision({"a.parquet": b"two"})
    assert asked.dataset_revision(settings) == newer


def test_a_named_revision_is_asked_for(hub: LoopbackHub, settings: Settings) -> None:
    records = hub.add_dataset("acme/records", {"a.parquet": b"one"})
    first = records.main
    records.add_revision({"a.parquet": b"two"})
    assert asked.dataset_revision(replace(settings, dataset="acme/records", revision=first)) == first
    error = failure(lambda: asked.dataset_revision(replace(settings, dataset="acme/records", revision="v/2")))
    assert isinstance(error, HubNotFoundError)
    assert error.title == "There is no such revision on the Hub"


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"sha": 7}', b'{"sha": "../../x"}'])
def test_an_answer_without_a_commit_is_no_revision(hub: LoopbackHub, settings: Settings, body: bytes) -> None:
    hub.set_fault("/api/datasets/", answer(body))
    assert failure(lambda: asked.dataset_revision(settings)).title == "The answer is not one of the Hub's"


# What goes wrong, in words

FAULTS: list[tuple[Fault, type[HubError], str]] = [
    (silent(), HubUnreachableError, "The Hub did not answer within 0.3 s"),
    (drip(0.1), HubUnreachableError, "The Hub did not answer within 0.8 s"),
    (endless_head(0.1), HubUnreachableError, "The Hub did not answer within 0.8 s"),
    (slow(5), HubUnreachableError, "The Hub did not answer within 0.3 s"),
    (reset(), HubUnreachableError, "The connection to the Hub broke off"),
    (cut(), HubUnreachableError, "The connection to the Hub broke off"),
    (status(500), HubUnreachableError, "The Hub has a problem of its own"),
    (status(503, {"Retry-After": "60"}), HubUnreachableError, "The Hub has a problem of its own"),
    (login_page(), HubUnreachableError, "The answer is not one of the Hub's"),
    (answer(b"\xff\xfe"), HubUnreachableError, "The answer is not one of the Hub's"),
    (answer(b"[" * 100_000), HubUnreachableError, "The answer is not one of the Hub's"),
    (answer(b'{"error": "x"}'), HubUnreachableError, "The answer is not one of the Hub's"),
    (answer(b" " * 20_000_001), HubError, "The Hub's answer is too large"),
    (status(304), HubUnreachableError, "The answer is not one of the Hub's"),
    (status(400), HubError, "The Hub did not accept the request"),
    (status(401), HubNotFoundError, "Not found on the Hub"),
    (status(403), HubError, "The Hub does not allow this"),
    (status(403, {"X-Error-Code": "GatedRepo"}), HubGatedError, "Access must be asked for first"),
    (status(404, {"X-Error-Code": "RepoNotFound"}), HubNotFoundError, "Not found on the Hub"),
    (rate_limited(), HubRateLimitedError, "The Hub asks to wait: too many requests"),
]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("fault", "kind", "title"), FAULTS)
def test_every_fault_ends_soon_after_one_request_and_says_what_happened(
    hub: LoopbackHub, settings: Settings, fault: Fault, kind: type[HubError], title: str
) -> None:
    hub.add_models(3)
    hub.set_fault("/api/models", fault)
    started = time.monotonic()
    error = failure(lambda: asked.ranking_page(settings, "downloads", "text-generation"))
    assert time.monotonic() - started < 2
    assert (type(error), error.title) == (kind, title)
    assert "ranking of text-generation by downloads" in error.detail
    assert error.remedy
    assert len(hub.requests) == 1


def test_a_refused_connection_names_the_address_and_the_way_out(hub: LoopbackHub, settings: Settings) -> None:
    hub.refuse()
    error = failure(lambda: asked.dataset_revision(settings))
    assert (type(error), error.title) == (HubUnreachableError, "The Hub cannot be reached")
    assert hub.url in error.detail
    assert "refused" in error.detail
    assert "--offline" in error.remedy


@pytest.mark.parametrize("address", ["nonsense", "http://", "http://[::bad", "http://no.such.host.invalid"])
def test_an_endpoint_that_is_no_address_is_an_error_in_words(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", address)
    error = failure(lambda: asked.dataset_revision(settings))
    assert error.title == "The Hub cannot be reached"
    assert "HF_ENDPOINT" in error.remedy


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [
        (rate_limited(120), 120),
        (rate_limited(retry_after=30), 30),
        (status(429, {"Retry-After": "Mon, 30 Nov 2020 00:00:00 GMT"}), 0),
        (rate_limited(), None),
        (status(429, {"RateLimit": '"api";r=3;t=250'}), None),
        (status(429, {"Retry-After": "soon"}), None),
        (rate_limited(10**9), 24 * 3600),
    ],
)
def test_the_end_of_a_rate_limit_is_known_only_when_a_header_tells_it(
    hub: LoopbackHub, settings: Settings, fault: Fault, seconds: int | None
) -> None:
    hub.set_fault("/", fault)
    error = failure(lambda: asked.dataset_revision(settings))
    assert isinstance(error, HubRateLimitedError)
    if seconds is None:
        assert error.until is None
    else:
        assert error.until is not None
        assert abs(error.until - datetime.now(UTC) - timedelta(seconds=seconds)) < timedelta(seconds=3)


@pytest.mark.parametrize("dataset", ["", "../models", "acme/..", "a/b/c", "acme/a?x=1", "acme/a b", "x" * 300])
def test_what_cannot_be_an_id_is_never_sent(hub: LoopbackHub, settings: Settings, dataset: str) -> None:
    error = failure(lambda: asked.dataset_revision(replace(settings, dataset=dataset)))
    assert isinstance(error, HubNotFoundError)
    assert hub.requests == []


@pytest.mark.parametrize(
    "call",
    [
        asked.dataset_revision,
        lambda settings: asked.fetch_dataset(settings, "0" * 40, print),
        lambda settings: asked.ranking_page(settings, "downloads", "text-generation"),
        lambda settings: asked.model_facts(settings, "acme/one"),
        lambda settings: asked.current_id(settings, "acme/one"),
        asked.card_texts,
        asked.space_texts,
        lambda settings: asked.buckets_of(settings, "acme"),
        lambda settings: asked.bucket_folders(settings, "acme/neff"),
    ],
)
def test_offline_nothing_is_sent(hub: LoopbackHub, settings: Settings, call: Callable[[Settings], object]) -> None:
    error = failure(lambda: call(replace(settings, offline=True)))
    assert isinstance(error, HubOfflineError)
    assert hub.requests == []


# Tokens, proxies, certificates, the environment


def test_a_good_token_is_sent(hub: LoopbackHub, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", GOOD_TOKEN)
    hub.add_dataset(settings.dataset, {})
    asked.dataset_revision(settings)
    assert [sent for _, sent in hub.authorizations] == [f"Bearer {GOOD_TOKEN}"]


def test_a_bad_token_does_not_close_what_is_public(
    hub: LoopbackHub, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_expired")
    records = hub.add_dataset(settings.dataset, {})
    assert asked.dataset_revision(settings) == records.main
    assert [sent for _, sent in hub.authorizations] == ["Bearer hf_expired", None]


def test_the_token_does_not_follow_a_next_page_to_another_server(
    hub: LoopbackHub, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", GOOD_TOKEN)
    elsewhere = '<http://127.0.0.1:9/api/models?cursor=zz&limit=500>; rel="next"'
    hub.set_fault("/api/models", Fault("answer", headers={"Link": elsewhere}, body=b"[]"))
    page = asked.ranking_page(settings, "downloads", "text-generation")
    hub.clear_faults()
    hub.set_fault("/api/models?cursor=zz", answer(b'[{"id": "acme/second"}]'))
    second = asked.ranking_page(settings, "downloads", "text-generation", page.next_cursor)
    assert [row["id"] for row in second.rows] == ["acme/second"]


@pytest.mark.usefixtures("new_session")
def test_a_proxy_from_the_environment_is_used(
    hub: LoopbackHub, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", hub.url)
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.invalid")
    records = hub.add_dataset(settings.dataset, {})
    assert asked.dataset_revision(settings) == records.main
    assert hub.requests[0][1].startswith("http://hub.invalid/api/datasets/")


@pytest.mark.usefixtures("new_session")
def test_certificates_that_cannot_be_read_are_named(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    error = failure(lambda: asked.dataset_revision(settings))
    assert error.title == "The certificates to check the Hub with cannot be read"
    assert "SSL_CERT_FILE" in error.remedy


@pytest.mark.skipif(shutil.which("openssl") is None, reason="a certificate is made with openssl")
@pytest.mark.usefixtures("new_session")
def test_a_certificate_of_the_users_own_is_accepted(
    hub: LoopbackHub, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=loopback", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(["openssl", "req", "-x509", *curve, *names, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    hub.listeners[0].socket = context.wrap_socket(hub.listeners[0].socket, server_side=True)
    monkeypatch.setenv("HF_ENDPOINT", hub.url.replace("http://", "https://"))
    records = hub.add_dataset(settings.dataset, {})
    assert failure(lambda: asked.dataset_revision(settings)).title == "The Hub's certificate was not accepted"
    hub_session.library().close_session()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert asked.dataset_revision(settings) == records.main


def test_the_library_is_loaded_late_and_quietly_and_leaves_the_environment_alone() -> None:
    script = """
import os, sys
from tui.catalog import hub, hub_session, rankings
assert not {"huggingface_hub", "httpx2"} & set(sys.modules), "loaded at import"
before = dict(os.environ)
library = hub_session.library()
assert dict(os.environ) == before, "environment changed"
assert library.constants.HF_HUB_DISABLE_TELEMETRY and library.constants.HF_HUB_DISABLE_PROGRESS_BARS
import logging
logging.getLogger("huggingface_hub.x").error("seen by nobody")
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=dict(os.environ))
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
