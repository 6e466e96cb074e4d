"""One request to the Hub: bounded in time and size, and failing only with `tui.errors.Hub*`.

The only importer of huggingface_hub and httpx2. Left alone, that library has no time limit on listings and
repeats what fails for minutes. So requests are made one by one through its session (its token, proxies and
certificates count), never repeated, and left behind after `TOTAL_S`.

HF_ENDPOINT is read at each call; what else the library reads from the environment, it reads at its import.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tui import __version__
from tui.catalog import hub_errors
from tui.catalog.hub_address import endpoint
from tui.errors import HubError
from tui.settings import Settings
from tui.terminal_text import clean

if TYPE_CHECKING:
    from types import ModuleType

    import httpx2

logger = logging.getLogger(__name__)

HUB_TIMEOUT_S = 8.0
"""Longest silence in a request: connecting, or waiting for the next bytes."""
TOTAL_S = 20.0
"""Longest time for one request in all, whatever the server does."""
OLDEST_COPY_S = 3600
"""Age above which a stored answer is not taken for what the Hub says now."""
LARGEST_ANSWER = 20_000_000
"""Bytes of an answer above which it is not read; a ranking page of 500 models has less than a twentieth."""

ENVIRONMENT: Mapping[str, str] = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    "HF_HUB_VERBOSITY": "error",
    "HF_HUB_ETAG_TIMEOUT": "8",
    "HF_HUB_DOWNLOAD_TIMEOUT": "8",
    "HF_XET_CLIENT_RETRY_MAX_ATTEMPTS": "0",
    "HF_XET_CLIENT_CONNECT_TIMEOUT": "5s",
    "HF_XET_CLIENT_READ_TIMEOUT": "10s",
}
"""What the library must find at its import, where the user did not set it otherwise."""

_importing = threading.Lock()

_asked_to_wait: dict[str, HubError] = {}
"""By address of a Hub: its last answer that told how long to wait. Until then it is asked nothing more."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A body, and the query of the address where the next page of a listing is (None: this is the last)."""

    body: bytes
    next_page: str | None


@dataclass(frozen=True, slots=True)
class _Request:
    endpoint: str
    path: str
    query: Sequence[tuple[str, str]]
    what: str
    largest: int
    deadline: float


class _TokenRefusedError(Exception):
    """The token that was sent is not valid; without one, everything public can still be read."""


def has_token() -> bool:
    """Whether the user is logged in to the Hub, by HF_TOKEN or by `hf auth login`; no request."""
    try:
        return library().get_token() is not None
    except OSError as error:
        logger.warning("The token in use cannot be read: %s", error)
        return False


def get(
    settings: Settings,
    path: str,
    what: str,
    query: Sequence[tuple[str, str]] = (),
    *,
    largest: int = LARGEST_ANSWER,
) -> Answer:
    """The answer to GET `path` after at most `TOTAL_S`. Raises `HubError`, whose text names `what`.

    The request runs in a thread that is left behind when time is up: looking up a name, or a header that
    comes byte by byte, cannot be bounded in any other way.
    """
    if settings.offline:
        raise hub_errors.offline(what)
    total = TOTAL_S
    request = _Request(endpoint(), path, query, what, largest, time.monotonic() + total)
    refuse_while_asked_to_wait(request.endpoint)
    outcome: Future[Answer] = Future()

    def ask() -> None:
        try:
            outcome.set_result(_ask(request))
        except BaseException as error:  # noqa: BLE001 - it is raised in the thread that waits
            outcome.set_exception(error)

    threading.Thread(target=ask, name=f"hub: {what}", daemon=True).start()
    try:
        return outcome.result(total)
    except TimeoutError as error:
        raise hub_errors.no_answer(what, request.endpoint, total) from error
    except HubError as error:
        note_wait(request.endpoint, error)
        raise


def refuse_while_asked_to_wait(address: str) -> None:
    """Raise the Hub's last refusal again, without a request, as long as it has asked to wait."""
    told = _asked_to_wait.get(address)
    if told is not None and told.until is not None and datetime.now(UTC) < told.until:
        again = type(told)(told.title, told.detail, told.remedy)
        again.until = told.until
        raise again


def note_wait(address: str, error: HubError) -> None:
    """Remember that this Hub asked to wait, if it told until when."""
    if error.until is not None:
        _asked_to_wait[address] = error


def forget_waits() -> None:
    """Ask every Hub again, as a new process does."""
    _asked_to_wait.clear()


def get_object(settings: Settings, path: str, what: str, query: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """The JSON object at `path`; see `get`."""
    value = json_of(get(settings, path, what, query), what)
    if isinstance(value, dict):
        return value
    raise hub_errors.not_the_hub(what, endpoint(), "an object was expected")


def get_list(settings: Settings, path: str, what: str, query: Sequence[tuple[str, str]] = ()) -> list[dict[str, Any]]:
    """The objects in the JSON list at `path`, first page; see `get`."""
    value = json_of(get(settings, path, what, query), what)
    if isinstance(value, list):
        return [item for item in value if isinstance(item, dict)]
    raise hub_errors.not_the_hub(what, endpoint(), "a list was expected")


def get_text(settings: Settings, path: str, what: str, *, largest: int) -> str:
    """The text file at `path`, of at most `largest` bytes; see `get`."""
    return get(settings, path, what, largest=largest).body.decode("utf-8", errors="replace")


def json_of(answer: Answer, what: str) -> Any:
    """The value that an answer holds. Raises `HubUnreachableError` when it is no JSON."""
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError) as error:
        found = "an HTML page" if answer.body.lstrip()[:1] == b"<" else "no JSON"
        raise hub_errors.not_the_hub(what, endpoint(), found) from error


@cache
def _imported() -> ModuleType:
    ours = {name: value for name, value in ENVIRONMENT.items() if name not in os.environ}
    os.environ.update(ours)
    try:
        import huggingface_hub

        # The package itself loads its parts when they are first used: too late for the environment.
        import huggingface_hub.constants
        import huggingface_hub.errors
        import huggingface_hub.utils.logging
    finally:
        # Programs that the app starts are not to inherit what concerns the app alone.
        for name in ours:
            os.environ.pop(name, None)
    # Its own handler writes to stderr, in the middle of a full-screen display.
    its_logger = logging.getLogger("huggingface_hub")
    its_logger.handlers[:] = [logging.NullHandler()]
    its_logger.propagate = True
    huggingface_hub.set_client_factory(_client)
    return huggingface_hub


def library() -> ModuleType:
    """huggingface_hub, imported with `ENVIRONMENT` and a session whose every request has time limits."""
    with _importing:
        return _imported()


def repeat_nothing(what: str) -> None:
    """From now on the library's own requests raise a `HubError` where it would wait and ask again.

    It asks up to six times after a server's error or a failed connection, and after a 429 it waits each time as
    many seconds as the Hub says. A body that breaks off is still taken up again where it ended.
    """
    import httpx2

    class ImpatientClient(httpx2.Client):
        def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
            try:
                response = super().send(request, **options)
            except httpx2.TransportError as error:
                raise explained(error, what, endpoint()) from error
            if response.status_code == 429 or response.status_code >= 500:
                response.close()
                raise error_of(response, what, endpoint())
            return response

    library().set_client_factory(lambda: _client(ImpatientClient))


def _client(kind: type[httpx2.Client] | None = None) -> httpx2.Client:
    import httpx2
    from huggingface_hub.utils._http import hf_request_event_hook

    hooks = {"request": [hf_request_event_hook, _limit]}
    try:
        return (kind or httpx2.Client)(event_hooks=hooks, follow_redirects=True, timeout=None)
    except OSError as error:
        raise hub_errors.certificates_unreadable(endpoint(), clean(str(error))) from error


def _limit(request: httpx2.Request) -> None:
    """Fill in the time limits that a caller in the library left out."""
    limits = request.extensions.setdefault("timeout", {})
    for name in ("connect", "read", "write", "pool"):
        if limits.get(name) is None:
            limits[name] = HUB_TIMEOUT_S


def _ask(request: _Request) -> Answer:
    try:
        try:
            return _send(request, token=None)
        except _TokenRefusedError:
            logger.warning("The Hub does not accept the token in use: asking without it for %s", request.what)
            return _send(request, token=False)
    except Exception as error:
        raise explained(error, request.what, request.endpoint) from error


def _send(request: _Request, *, token: bool | None) -> Answer:
    hub = library()
    headers = hub.utils.build_hf_headers(token=token, library_name="trn-models", library_version=__version__)
    headers["Cache-Control"] = "no-cache"
    with hub.get_session().stream(
        "GET",
        request.endpoint + request.path,
        params=list(request.query),
        headers=headers,
        timeout=HUB_TIMEOUT_S,
    ) as response:
        if response.status_code != 200:
            # A name and password in the address are sent as well, with or without a token.
            if token is not False and token_refused(response):
                raise _TokenRefusedError
            raise error_of(response, request.what, request.endpoint)
        age = response.headers.get("Age", "")
        # Files, unlike the answers of the API, are the same however long they are kept.
        if request.path.startswith("/api/") and age.isdecimal() and int(age) > OLDEST_COPY_S:
            raise hub_errors.old_copy(request.what, request.endpoint, int(age))
        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > request.largest:
                raise hub_errors.too_large(request.what, request.endpoint, request.largest)
            if time.monotonic() > request.deadline:
                raise hub_errors.no_answer(request.what, request.endpoint, TOTAL_S)
        # Only the query of the next page's address is used: the token goes to no other server.
        following = urlsplit(response.links.get("next", {}).get("url") or "").query
        return Answer(bytes(body), following or None)


def token_refused(response: httpx2.Response) -> bool:
    """Whether the Hub refused because of the token that was sent."""
    sent = "authorization" in response.request.headers
    return sent and response.status_code == 401 and response.headers.get("X-Error-Code") != "GatedRepo"


def came_from_refused_token(error: BaseException) -> bool:
    """Whether the library raised this because of the token that was sent."""
    failed = library().errors.HfHubHTTPError
    return any(isinstance(cause, failed) and token_refused(cause.response) for cause in _causes(error))


def _causes(error: BaseException) -> list[BaseException]:
    causes = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None and cause not in causes:
        causes.append(cause)
    return causes


def error_of(response: httpx2.Response, what: str, address: str) -> HubError:
    """The error for an answer that is not the one that was asked for."""
    headers = response.headers
    if response.status_code < 400:
        return hub_errors.not_the_hub(what, address, f"status {response.status_code}")
    code, message = headers.get("X-Error-Code", ""), headers.get("X-Error-Message", "")
    wait_s = _wait_of(headers) if response.status_code in (429, 503) else None
    return hub_errors.of_status(what, address, response.status_code, error_code=code, message=message, wait_s=wait_s)


def _wait_of(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait that a header tells. RateLimit is on every answer: it counts when nothing remains."""
    limit = library().utils.parse_ratelimit_headers(headers)
    if limit is not None and limit.remaining == 0:
        return float(limit.reset_in_seconds)
    said = headers.get("Retry-After", "").strip()
    if said.isdecimal():
        return float(said)
    try:
        return max(0.0, (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def explained(error: BaseException, what: str, address: str) -> HubError:
    """The `HubError` for anything that the library raised; what it came from is looked at too."""
    causes = _causes(error)
    for cause in causes:
        if (known := _known(cause, what, address)) is not None:
            return known
    last = causes[-1]
    said = clean(f"{type(last).__name__}: {last}".partition("\n")[0])
    if isinstance(last, OSError) and last.errno is not None:
        return hub_errors.cannot_write(what, said, last)
    return hub_errors.of_storage(what, address, said)


def _known(error: BaseException, what: str, address: str) -> HubError | None:
    import httpx2

    errors = library().errors
    reason = clean(str(error).strip().partition("\n")[0])[:200] or type(error).__name__
    known: HubError | None = None
    match error:
        case HubError():
            known = error
        case errors.OfflineModeIsEnabled():
            known = hub_errors.offline(what)
        case errors.HfHubHTTPError():
            known = error_of(error.response, what, address)
        case httpx2.TimeoutException():
            known = hub_errors.no_answer(what, address, HUB_TIMEOUT_S)
        case httpx2.ConnectError() | httpx2.ProxyError() | httpx2.UnsupportedProtocol() | httpx2.InvalidURL():
            known = hub_errors.unreachable(what, address, reason)
        case httpx2.TransportError():
            known = hub_errors.broken_off(what, address, reason)
        case json.JSONDecodeError():
            known = hub_errors.not_the_hub(what, address, "no JSON")
        case errors.FileMetadataError() | httpx2.DecodingError() | httpx2.TooManyRedirects():
            known = hub_errors.not_the_hub(what, address, reason)
    return known
