"""What went wrong with a request to the Hub, in words that a person can act on.

`what` is the thing that was asked for ("dataset acme/records"), `endpoint` the address of the Hub.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from tui.errors import (
    HubError,
    HubGatedError,
    HubNotFoundError,
    HubOfflineError,
    HubRateLimitedError,
    HubUnreachableError,
    what_helps,
)
from tui.terminal_text import clean

_CHECK_NETWORK = "Check the network, HF_ENDPOINT and HTTPS_PROXY; --offline works with what is on this machine."
_TRY_LATER = "Try again later; what is already on this machine stays usable."

# Whatever an answer tells: an app that is left open asks at least so often.
_LONGEST_WAIT = timedelta(days=1)


def _named(endpoint: str) -> str:
    """The address without a user and password in it."""
    scheme, separator, rest = endpoint.rpartition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"


def offline(what: str) -> HubOfflineError:
    """No request was made."""
    return HubOfflineError(
        "Offline: the Hub was not asked", what, "Leave out --offline (or unset HF_HUB_OFFLINE) to ask it."
    )


def no_answer(what: str, endpoint: str, seconds: float) -> HubUnreachableError:
    """The Hub was silent, or too slow, for `seconds`."""
    return HubUnreachableError(
        f"The Hub did not answer within {seconds:g} s", f"{what}, {_named(endpoint)}", _CHECK_NETWORK
    )


def unreachable(what: str, endpoint: str, reason: str) -> HubUnreachableError:
    """No connection came about."""
    if "CERTIFICATE" in reason.upper():
        return HubUnreachableError(
            "The Hub's certificate was not accepted",
            f"{what}, {_named(endpoint)}: {reason}",
            "Behind a proxy with its own certificate, set SSL_CERT_FILE to it.",
        )
    return HubUnreachableError("The Hub cannot be reached", f"{what}, {_named(endpoint)}: {reason}", _CHECK_NETWORK)


def certificates_unreadable(endpoint: str, reason: str) -> HubUnreachableError:
    """The certificates that this machine trusts could not be loaded."""
    return HubUnreachableError(
        "The certificates to check the Hub with cannot be read",
        f"{_named(endpoint)}: {reason}",
        "Check SSL_CERT_FILE and SSL_CERT_DIR.",
    )


def broken_off(what: str, endpoint: str, reason: str) -> HubUnreachableError:
    """The connection ended before the answer did."""
    return HubUnreachableError(
        "The connection to the Hub broke off", f"{what}, {_named(endpoint)}: {reason}", _TRY_LATER
    )


def not_the_hub(what: str, endpoint: str, found: str) -> HubUnreachableError:
    """Something answered, but not as the Hub does; `found` describes it."""
    return HubUnreachableError(
        "The answer is not one of the Hub's",
        f"{what}, {_named(endpoint)}: {found}",
        "Check HF_ENDPOINT and HTTPS_PROXY; a network that wants a login answers like this.",
    )


def old_copy(what: str, endpoint: str, age_s: int) -> HubUnreachableError:
    """Something between here and the Hub answered with what it had stored so long ago."""
    return HubUnreachableError(
        "The answer is an old copy, not the Hub's",
        f"{what}, {_named(endpoint)}: stored {age_s / 3600:.1f} h ago",
        "A proxy on the way keeps answers: check HTTPS_PROXY and HF_ENDPOINT, or try again later.",
    )


def too_large(what: str, endpoint: str, limit: int) -> HubError:
    """The answer is longer than `limit` bytes."""
    return HubError(
        "The Hub's answer is too large",
        f"{what}, {_named(endpoint)}: over {limit // 1_000_000} MB, not read",
        "Check HF_ENDPOINT.",
    )


def not_an_id(text: str) -> HubNotFoundError:
    """`text` cannot be the id of anything on the Hub."""
    return HubNotFoundError(f"«{clean(text[:120])}» is no id on the Hub", "", "An id looks like ORG/NAME.")


def of_status(
    what: str, endpoint: str, status: int, *, error_code: str, message: str, wait_s: float | None
) -> HubError:
    """The error for an answer with `status` >= 400.

    `error_code` and `message` are the Hub's X-Error-Code and X-Error-Message; `wait_s` is how long a header of
    a 429 or 503 said to wait, None when none did.
    """
    said = f"{what}, {_named(endpoint)}: {status}" + (f" {clean(message[:200])}" if message else "")
    until = None if wait_s is None else datetime.now(UTC) + min(timedelta(seconds=min(wait_s, 1e6)), _LONGEST_WAIT)
    if status == 429:
        return _rate_limited(said, until)
    kind: type[HubError] = HubError
    title, remedy = "The Hub did not accept the request", _TRY_LATER
    if error_code == "GatedRepo":
        kind, title = HubGatedError, "Access must be asked for first"
        remedy = f"Accept the terms at {_named(endpoint)}, then log in with `hf auth login` or set HF_TOKEN."
    elif error_code == "RevisionNotFound":
        kind, title, remedy = HubNotFoundError, "There is no such revision on the Hub", "Check --revision."
    elif status in (401, 404) or error_code in ("RepoNotFound", "EntryNotFound"):
        kind, title = HubNotFoundError, "Not found on the Hub"
        remedy = "Check the name; a private one needs HF_TOKEN or `hf auth login`."
    elif status == 403:
        title, remedy = "The Hub does not allow this", "Check what the token in use may read."
    elif status >= 500:
        kind, title = HubUnreachableError, "The Hub has a problem of its own"
    error = kind(title, said, remedy)
    error.until = until
    return error


def _rate_limited(said: str, until: datetime | None) -> HubRateLimitedError:
    return HubRateLimitedError(
        "The Hub asks to wait: too many requests",
        said,
        "Try again later; a free token in HF_TOKEN raises the limit.",
        until,
    )


def of_storage(what: str, endpoint: str, said: str) -> HubError:
    """The error for what hf_xet, which tells nothing but a sentence, says of the storage of large files."""
    status = re.search(r"\((429|5\d\d) ", said)
    if status is not None:
        return of_status(what, endpoint, int(status[1]), error_code="", message=said, wait_s=None)
    if "error sending request" in said:
        return HubUnreachableError(
            "The Hub's storage of files did not answer", f"{what}, {_named(endpoint)}: {said}", _CHECK_NETWORK
        )
    if "following redirect" in said:
        return not_the_hub(what, endpoint, said)
    return unusable(what, endpoint, said)


def stalled(what: str, endpoint: str, seconds: float, arrived: str) -> HubUnreachableError:
    """A download brought nothing for `seconds`; `arrived` tells what came before, with the reason if known."""
    return HubUnreachableError(
        f"Fetching stopped: nothing arrived for {seconds:g} s", f"{what}, {_named(endpoint)}: {arrived}", _TRY_LATER
    )


def given_up(what: str) -> HubError:
    """The app no longer wants the answer."""
    return HubError("Fetching was given up", what, "")


def cannot_write(what: str, reason: str, error: OSError) -> HubError:
    """The Hugging Face cache on this machine cannot be used."""
    return HubError(
        "The Hugging Face cache cannot be written",
        f"{what}: {reason}",
        f"{what_helps(error)}, or set HF_HOME to a folder that can be written.",
    )


def unusable(what: str, endpoint: str, reason: str) -> HubError:
    """Anything else."""
    return HubError("The Hub gave no usable answer", f"{what}, {_named(endpoint)}: {reason}", _TRY_LATER)


_KINDS: dict[str, type[HubError]] = {
    kind.__name__: kind
    for kind in (
        HubError,
        HubGatedError,
        HubNotFoundError,
        HubOfflineError,
        HubRateLimitedError,
        HubUnreachableError,
    )
}


def to_json(error: HubError) -> dict[str, Any]:
    """An error as it crosses from a child process."""
    return {
        "kind": type(error).__name__,
        "title": error.title,
        "detail": error.detail,
        "remedy": error.remedy,
        "until": error.until.isoformat() if error.until else None,
    }


def from_json(value: dict[str, Any]) -> HubError:
    """The error that `to_json` made this of."""
    kind = _KINDS[value["kind"]]
    error = kind(value["title"], value["detail"], value["remedy"])
    if value["until"]:
        error.until = datetime.fromisoformat(value["until"])
    return error
