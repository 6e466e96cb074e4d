"""Every request that the app makes to the Hub, every way in which it can go wrong, and what must hold then."""

from __future__ import annotations

import os
import socket
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from unittest.mock import patch

from loopback_hub import (
    Fault,
    LoopbackHub,
    answer,
    cut,
    drip,
    endless_head,
    login_page,
    old_copy,
    rate_limited,
    redirect_loop,
    reset,
    silent,
    status,
)

from tui.catalog import hub as asked
from tui.catalog import hub_session
from tui.errors import (
    HubError,
    HubGatedError,
    HubNotFoundError,
    HubRateLimitedError,
    HubUnreachableError,
    TrnModelsError,
)
from tui.settings import DEFAULT_DATASET, Settings

SECRET = "hf_NeverToBeSeenAnywhere0123456789"
BUCKET = "aws-neuron/neff-cache"
MODEL = "acme/model-0001"


@dataclass(frozen=True)
class Request:
    """One thing that the app asks for."""

    path: str
    """What the address begins with."""
    ask: Callable[[Settings], object]
    content: str = ""
    """What the address begins with to which the first one leads."""
    missing_is_nothing: bool = False
    """Whether "not found" is an answer like another."""


@dataclass(frozen=True)
class Told:
    """How a fault is told."""

    kind: type[TrnModelsError]
    title: str


REQUESTS: Mapping[str, Request] = {
    "revision": Request(f"/api/datasets/{DEFAULT_DATASET}", asked.dataset_revision),
    "ranking": Request("/api/models?", lambda given: asked.ranking_page(given, "downloads", "text-generation")),
    "next page": Request(
        "/api/models?",
        lambda given: asked.ranking_page(given, "downloads", "text-generation", "cursor=c2&sort=downloads"),
    ),
    "facts": Request(f"/api/models/{MODEL}", lambda given: asked.model_facts(given, MODEL)),
    "new id": Request(f"/api/models/{MODEL}", lambda given: asked.current_id(given, MODEL), missing_is_nothing=True),
    "card": Request(
        f"/datasets/{DEFAULT_DATASET}/resolve", asked.card_texts, "/api/resolve-cache", missing_is_nothing=True
    ),
    "list of the Space": Request(f"/api/spaces/{DEFAULT_DATASET}", asked.space_texts, missing_is_nothing=True),
    "file of the Space": Request(f"/spaces/{DEFAULT_DATASET}/resolve", asked.space_texts, "/api/resolve-cache"),
    "buckets": Request(
        "/api/buckets/aws-neuron", lambda given: asked.buckets_of(given, "aws-neuron"), missing_is_nothing=True
    ),
    "folders of a bucket": Request(f"/api/buckets/{BUCKET}", lambda given: asked.bucket_folders(given, BUCKET)),
}
TEXTS = frozenset({"card", "file of the Space"})
"""Requests to which any body is an answer."""

_NO_ANSWER = Told(HubUnreachableError, "The Hub did not answer within")
_BROKEN = Told(HubUnreachableError, "The connection to the Hub broke off")
_OWN_PROBLEM = Told(HubUnreachableError, "The Hub has a problem of its own")
_NOT_THE_HUB = Told(HubUnreachableError, "The answer is not one of the Hub's")
_NOT_FOUND = Told(HubNotFoundError, "Not found on the Hub")
_OLD = Told(HubUnreachableError, "The answer is an old copy, not the Hub's")
_LIMITED = Told(HubRateLimitedError, "The Hub asks to wait: too many requests")

FAULTS: Mapping[str, tuple[Fault, Told]] = {
    "silent": (silent(), _NO_ANSWER),
    "a byte a second": (drip(1.0), _NO_ANSWER),
    "an endless head": (endless_head(0.1), _NO_ANSWER),
    "reset": (reset(), _BROKEN),
    "truncated": (cut(), _BROKEN),
    "garbage": (answer(b'{"sha": nonsense'), _NOT_THE_HUB),
    "login page": (login_page(), _NOT_THE_HUB),
    "401": (status(401), _NOT_FOUND),
    "403": (status(403), Told(HubError, "The Hub does not allow this")),
    "gated": (status(403, {"X-Error-Code": "GatedRepo"}), Told(HubGatedError, "Access must be asked for first")),
    "404": (status(404), _NOT_FOUND),
    "429": (rate_limited(), _LIMITED),
    "429 with Retry-After": (rate_limited(retry_after=600), _LIMITED),
    "429 with RateLimit": (rate_limited(seconds=600), _LIMITED),
    "500": (status(500), _OWN_PROBLEM),
    "503": (status(503), _OWN_PROBLEM),
    "503 with Retry-After": (status(503, {"Retry-After": "600"}), _OWN_PROBLEM),
    "redirect loop": (redirect_loop(), _NOT_THE_HUB),
    "old copy": (old_copy(5 * 3600), _OLD),
}
TELL_A_TIME = frozenset({"429 with Retry-After", "429 with RateLimit", "503 with Retry-After"})
"""Faults that say how long to wait."""


def fill(hub: LoopbackHub) -> None:
    """Put on the Hub what all requests ask for."""
    hub.add_models(5)
    hub.add_dataset(DEFAULT_DATASET, {"a.parquet": b"one" * 1000, "README.md": b"# A card\n" * 40})
    hub.add_space(DEFAULT_DATASET, {"app.py": b"print('a page')\n" * 40})
    hub.add_bucket(BUCKET, {"2.28/a.neff": b"x", "2.29/b.neff": b"x"})


def expected(request: str, fault: str) -> Told | None:
    """How it is told; None when the request has an answer all the same."""
    told = FAULTS[fault][1]
    if told is _NOT_FOUND and REQUESTS[request].missing_is_nothing:
        return None
    return None if told in (_NOT_THE_HUB, _OLD) and fault != "redirect loop" and request in TEXTS else told


def wrong_with(hub: LoopbackHub, given: Settings, request: str, fault: str) -> list[str]:
    """Ask while it goes wrong; what is not as it must be."""
    hub_session.forget_waits()
    hub.clear_faults()
    for path in filter(None, (REQUESTS[request].path, REQUESTS[request].content)):
        hub.set_fault(path, FAULTS[fault][0])
    hub.forget_requests()
    error = failure(lambda: REQUESTS[request].ask(given))
    concerned = [path for path in hub.paths() if path.startswith(REQUESTS[request].path)]
    hub.clear_faults()
    wrong = []
    told = expected(request, fault)
    if told is None:
        if error is not None:
            wrong.append(f"told as an error: {error!r}")
    elif type(error) is not told.kind or not error.title.startswith(told.title):
        wrong.append(f"told as {error!r} instead of {told.kind.__name__} {told.title!r}")
    elif hub.url not in error.detail or not error.remedy:
        wrong.append(f"without the address or a way out: {error}")
    if len(concerned) != 1 and fault != "redirect loop":
        wrong.append(f"{len(concerned)} requests instead of 1")
    if error is not None and (error.until is not None) != (fault in TELL_A_TIME):
        wrong.append(f"until {error.until}")
    if error is not None and SECRET in "".join(traceback.format_exception(error)):
        wrong.append("the token is in the error")
    if error is not None and fault in TELL_A_TIME:
        hub.forget_requests()
        again = failure(lambda: REQUESTS[request].ask(given))
        if type(again) is not type(error) or again.until != error.until or hub.requests:
            wrong.append(f"asked again before the Hub allows: {hub.requests}, {again!r}")
    hub_session.forget_waits()
    if (lasting := failure(lambda: REQUESTS[request].ask(given))) is not None and not isinstance(
        error, HubNotFoundError
    ):
        wrong.append(f"still wrong when the Hub is well again: {lasting!r}")
    return [f"{request}, {fault}: {each}" for each in wrong]


def fresh(given: Settings, number: int) -> Settings:
    """Settings with a cache that nothing was kept in."""
    return replace(given, cache_dir=given.cache_dir / str(number))


def failure(work: Callable[[], object]) -> HubError | None:
    """The error that the Hub's part raised, if it did."""
    try:
        work()
    except HubError as error:
        return error
    return None


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """A request may take so long, and be silent for half of that."""
    with patch.object(hub_session, "HUB_TIMEOUT_S", seconds / 2), patch.object(hub_session, "TOTAL_S", seconds):
        yield


@contextmanager
def endpoint_of(address: str) -> Iterator[None]:
    """Another Hub is asked."""
    before = os.environ["HF_ENDPOINT"]
    os.environ["HF_ENDPOINT"] = address
    try:
        yield
    finally:
        os.environ["HF_ENDPOINT"] = before


@contextmanager
def no_names() -> Iterator[None]:
    """Nobody knows where any host is."""

    def getaddrinfo(host: object, *_: object, **__: object) -> object:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with patch.object(socket, "getaddrinfo", getaddrinfo):
        yield
