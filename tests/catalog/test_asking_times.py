"""When the Hub is asked again without a key."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tui.catalog.asking_times import next_time

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def minutes(failures: int) -> float:
    return (next_time(NOON, failures) - NOON).total_seconds() / 60


def test_after_an_answer_it_is_asked_in_half_an_hour():
    assert minutes(0) == 30


def test_after_failures_it_is_asked_soon_and_then_less_and_less_often():
    assert [minutes(failures) for failures in range(1, 8)] == [1, 2, 4, 8, 16, 30, 30]
    assert minutes(10_000) == 30


@pytest.mark.parametrize(("told", "asked"), [(10, 60), (300, 300), (7200, 7200)])
def test_no_earlier_than_the_server_allows(told, asked):
    assert next_time(NOON, 1, NOON + timedelta(seconds=told)) == NOON + timedelta(seconds=asked)
