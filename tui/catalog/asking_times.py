"""When the Hub is asked again without a key: seldom while it answers, less and less often while it does not. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

EVERY = timedelta(minutes=30)
"""An unchanged dataset costs one request of less than a kilobyte."""
AFTER_A_FAILURE = timedelta(minutes=1)
"""Doubled with each further failure, up to `EVERY`."""
LIMITS_COUNT_FOR = timedelta(minutes=5)
"""The Hub counts requests in windows of this length: the wait after "too many" when no answer told another."""


def next_time(now: datetime, failures: int, not_before: datetime | None = None) -> datetime:
    """When to ask again after an answer (`failures` is 0), or after so many failures one after the other.

    `not_before` is what a server that refused has told (Retry-After, RateLimit): no earlier than that.
    """
    wait = min(AFTER_A_FAILURE * 2 ** min(failures - 1, 16), EVERY) if failures else EVERY
    return now + wait if not_before is None else max(now + wait, not_before)
