"""The status line and the ranking's line in every state, at the widths of 80 and 120 columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from tui import numbers
from tui.errors import HubNotFoundError, HubRateLimitedError, HubUnreachableError
from tui.widgets.header_text import Activity, banner, pass_rate, ranking_state, status

NOW = datetime.now(UTC)
CLOCK = numbers.clock(NOW)
LIMITED = HubRateLimitedError("Too many requests", until=NOW + timedelta(minutes=10))
UNTIL = numbers.clock(LIMITED.until)
MINUTE = timedelta(minutes=1)
AGAIN = numbers.clock(NOW + MINUTE)


@dataclass
class Kept:
    source: str = "hub"
    name: str = "aws-neuron/torch-neuronx-model-support"
    revision: str | None = "3971d00aa11bb22cc33dd44ee55ff66aa77bb88c"
    checked_at: datetime | None = NOW
    newest_test: datetime | None = datetime(2026, 11, 20, 12, tzinfo=UTC)
    problems: tuple[str, ...] = ()


@dataclass
class Listed:
    fetched_at: datetime | None = NOW
    next_cursor: str | None = "more"
    models: pl.DataFrame = field(default_factory=lambda: pl.DataFrame({"key": ["a"] * 500}))


def fitting(texts, columns: int) -> str:
    plain = [text if isinstance(text, str) else text.plain for text in texts]
    return next((text for text in plain if len(text) <= columns), plain[-1])


@pytest.mark.parametrize("columns", [78, 118])
@pytest.mark.parametrize(
    ("kept", "activity", "offline", "words"),
    [
        (Kept(), Activity(), False, ["@ 3971d00", CLOCK, "2026-11-20"]),
        (Kept(), Activity(error=LIMITED), False, ["stale", f"until {UNTIL}", "@ 3971d00", CLOCK, "2026-11-20"]),
        (
            Kept(),
            Activity(error=HubRateLimitedError("Too many requests")),
            False,
            ["stale", "rate-limited", "@ 3971d00", CLOCK],
        ),
        (Kept(), Activity(error=HubUnreachableError("The Hub cannot be reached")), False, ["stale", "@ 3971d00"]),
        (
            Kept(),
            Activity(
                error=HubUnreachableError("The Hub cannot be reached"), host="huggingface.co", again_at=NOW + MINUTE
            ),
            False,
            ["stale", "huggingface.co", f"again {AGAIN}", "@ 3971d00", CLOCK],
        ),
        (
            Kept(),
            Activity(error=LIMITED, host="huggingface.co", again_at=LIMITED.until),
            False,
            ["stale", f"until {UNTIL}", "huggingface.co", "@ 3971d00", CLOCK],
        ),
        (Kept(), Activity(), True, ["offline", "@ 3971d00", CLOCK, "2026-11-20"]),
        (Kept(), Activity(progress="asking the Hub", error=LIMITED), False, ["asking the Hub", "@ 3971d00"]),
        (Kept(problems=("a.parquet: x",)), Activity(), False, ["(P)", "@ 3971d00"]),
        (
            Kept(source="data", name="/shared/records", revision=None, checked_at=None),
            Activity(read_at=NOW),
            False,
            ["records", f"read {CLOCK}", "2026-11-20"],
        ),
        (Kept(source="data", name="/shared/records"), Activity(), True, ["offline", "records @ 3971d00", "2026-11-20"]),
        (Kept(source="sample", revision=None, checked_at=None), Activity(), False, ["SAMPLE DATA", "2026-11-20"]),
        (
            Kept(source="sample", revision=None, checked_at=None),
            Activity(error=HubNotFoundError("The dataset is not on the Hub")),
            False,
            ["SAMPLE DATA", "not"],
        ),
    ],
)
def test_the_status_line_tells_source_revision_time_and_what_is_wrong(kept, activity, offline, words, columns):
    text = fitting(status(kept, activity, offline), columns)
    assert len(text) <= columns
    assert [word for word in words if word not in text] == []


def test_until_is_never_said_when_the_hub_did_not_say_it():
    texts = status(Kept(), Activity(error=HubRateLimitedError("Too many requests")), False)
    assert not any("until" in text.plain for text in texts)


def test_fresh_records_are_not_called_stale():
    assert not any("stale" in text.plain or "last" in text.plain for text in status(Kept(), Activity(), False))


@pytest.mark.parametrize("columns", [26, 70])
@pytest.mark.parametrize(
    ("listed", "loading", "error", "words"),
    [
        (Listed(), False, None, [CLOCK, "500+"]),
        (Listed(next_cursor=None), False, None, [CLOCK, "500"]),
        (Listed(), True, None, [CLOCK]),
        (None, True, None, ["fetching"]),
        (None, False, HubUnreachableError("The Hub cannot be reached"), ["reached", "no answer"]),
    ],
)
def test_a_rankings_time_and_size_stay_on_a_narrow_screen(listed, loading, error, words, columns):
    text = fitting(ranking_state(listed, loading, error), columns)
    assert any(word in text for word in words) if error else [word for word in words if word not in text] == []


def test_a_ranking_under_a_rate_limit_keeps_its_time():
    text = fitting(ranking_state(Listed(), False, LIMITED), 60)
    assert CLOCK in text
    assert f"until {UNTIL}" in text


def test_the_banner_never_promises_a_fetch_that_cannot_be():
    assert "u fetches the dataset" in banner(False, False, None).plain
    assert "u fetches" not in banner(True, False, None).plain
    assert "u fetches" not in banner(False, True, None).plain
    assert "u fetches" not in banner(False, False, Path("/shared/export")).plain


@pytest.mark.parametrize(
    ("passed", "tested", "text"),
    [
        (0, 0, "none tested"),
        (2, 4, "50 % of 4 tested"),
        (999, 1000, "99 % of 1,000 tested"),
        (1, 1000, "1 % of 1,000 tested"),
        (1000, 1000, "100 % of 1,000 tested"),
        (0, 3, "0 % of 3 tested"),
    ],
)
def test_the_pass_rate_is_whole_only_when_it_is(passed, tested, text):
    assert pass_rate(passed, tested) == text
