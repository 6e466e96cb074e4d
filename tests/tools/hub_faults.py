"""What can go wrong with the loopback Hub's answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Literal


@dataclass(frozen=True)
class Fault:
    """What happens to requests instead of, or on top of, the answer. Made by the functions below."""

    kind: Literal["silent", "slow", "late", "answer", "cut", "drip", "endless_head", "reset", "loop", "old"]
    seconds: float = 0.0
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    until: Event | None = None


def silent() -> Fault:
    """Accept, read the request, never answer."""
    return Fault("silent")


def slow(seconds: float) -> Fault:
    """Answer rightly, but after so many seconds."""
    return Fault("slow", seconds=seconds)


def late(until: Event) -> Fault:
    """Answer rightly, but not before this happened."""
    return Fault("late", until=until)


def status(code: int, headers: Mapping[str, str] | None = None, message: str = "Something is wrong") -> Fault:
    """Answer with this status, as the Hub does: a JSON error and X-Error-Message."""
    body = json.dumps({"error": message}).encode()
    return Fault("answer", status=code, headers={"X-Error-Message": message, **(headers or {})}, body=body)


def rate_limited(seconds: int | None = None, retry_after: int | None = None) -> Fault:
    """429; with the RateLimit header when `seconds` is given, with Retry-After when `retry_after` is."""
    headers = {}
    if seconds is not None:
        headers["RateLimit"] = f'"api";r=0;t={seconds}'
        headers["RateLimit-Policy"] = '"fixed window";"api";q=500;w=300'
    if retry_after is not None:
        headers["Retry-After"] = str(retry_after)
    return status(429, headers, "Too Many Requests")


def login_page() -> Fault:
    """What a captive portal or a company's proxy answers: 200 and HTML."""
    body = b"<!DOCTYPE html><html><body><form action='/login'>Please log in</form></body></html>"
    return Fault("answer", headers={"Content-Type": "text/html"}, body=body)


def answer(body: bytes, content_type: str = "application/json") -> Fault:
    """200 with exactly this body."""
    return Fault("answer", headers={"Content-Type": content_type}, body=body)


def cut() -> Fault:
    """The right answer's head and half of its body, then the connection ends."""
    return Fault("cut")


def drip(seconds: float) -> Fault:
    """The right answer's body, one byte every so many seconds."""
    return Fault("drip", seconds=seconds)


def endless_head(seconds: float) -> Fault:
    """A head that goes on for ever, one byte every so many seconds."""
    return Fault("endless_head", seconds=seconds)


def redirect_loop() -> Fault:
    """Send to the same address again and again."""
    return Fault("loop")


def old_copy(seconds: float, *, obeying: bool = False) -> Fault:
    """The right answer, out of the store of a proxy on the way, which says for how long it has been there.

    One that is obeying asks the Hub when a request wants that.
    """
    return Fault("old", seconds=seconds, headers={"obeying": "yes"} if obeying else {})


def reset() -> Fault:
    """The connection is reset (RST) once the request was read."""
    return Fault("reset")
