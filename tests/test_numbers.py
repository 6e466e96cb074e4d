import math
from datetime import UTC, datetime, timedelta

import pytest

from tui import numbers

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "column", "words"),
    [
        (0, "0s", "0 s"),
        (45, "45s", "45 s"),
        (372, "6m12s", "6 min 12 s"),
        (360, "6m00s", "6 min"),
        (3599.6, "1h00m", "1 h"),
        (3720, "1h02m", "1 h 2 min"),
        (360_000, "100h00m", "100 h"),
        (-90, "-1m30s", "-1 min 30 s"),
        (math.nan, "NaN", "NaN"),
        (math.inf, "infinite", "infinite"),
        (None, "–", "–"),
    ],
)
def test_a_duration_reads_well_in_a_column_and_in_a_sentence(seconds, column, words):
    assert (numbers.duration(seconds), numbers.duration_words(seconds)) == (column, words)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (18.2, "18.2"),
        (18.24, "18.2"),
        (24.0, "24"),
        (0.0, "0"),
        (-0.0, "0"),
        (0.01, "<0.1"),
        (-0.01, ">-0.1"),
        (0.06, "0.1"),
        (1536.0, "1,536"),
        (1e300, "1e+300"),
        (math.nan, "NaN"),
        (None, "–"),
    ],
)
def test_gigabytes_have_one_decimal_and_something_is_never_nothing(value, text):
    assert numbers.gigabytes(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(18.2, "18.2"), (24.0, "24"), (0.001, "0.001"), (-0.0, "0"), (math.nan, "NaN")]
)
def test_a_recorded_number_keeps_its_digits(value, text):
    assert numbers.decimal(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 B"),
        (812, "812 B"),
        (4_100, "4.1 KB"),
        (99_949, "99.9 KB"),
        (123_456, "123 KB"),
        (999_960, "1 MB"),
        (16_100_000_000, "16.1 GB"),
        (5e18, "5,000 PB"),
        (-4_100, "-4.1 KB"),
        (None, "–"),
    ],
)
def test_sizes_are_in_units_of_a_thousand(value, text):
    assert numbers.size(value) == text


@pytest.mark.parametrize(
    ("value", "whole", "short"),
    [
        (0, "0", "0"),
        (412, "412", "412"),
        (1_204, "1,204", "1,204"),
        (12_340, "12,340", "12.3k"),
        (1_234_567, "1,234,567", "1.2M"),
        (999_999, "999,999", "1M"),
        (8_030_000_000, "8,030,000,000", "8B"),
        (-1_204, "-1,204", "-1,204"),
        (math.nan, "NaN", "NaN"),
        (None, "–", "–"),
    ],
)
def test_counts_are_exact_or_short(value, whole, short):
    assert (numbers.count(value), numbers.short_count(value)) == (whole, short)


@pytest.mark.parametrize(
    ("ago", "text"),
    [
        (timedelta(seconds=20), "just now"),
        (timedelta(minutes=3, seconds=20), "3 min ago"),
        (timedelta(hours=5), "5 h ago"),
        (timedelta(hours=47), "47 h ago"),
        (timedelta(days=12), "12 days ago"),
        (timedelta(seconds=-20), "just now"),
        (timedelta(minutes=-3), "in 3 min"),
    ],
)
def test_an_age_is_told_in_the_unit_that_matters(ago, text):
    assert numbers.age(NOON - ago, NOON) == text


def test_times_are_shown_in_the_time_zone_of_the_person(monkeypatch):
    import time

    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        moment = datetime(2026, 11, 19, 15, 2, tzinfo=UTC)
        assert numbers.clock(moment) == "00:02"
        assert numbers.day(moment) == "2026-11-20"
        assert numbers.day_and_clock(moment) == "2026-11-20 00:02"
        assert numbers.day_and_clock(moment.replace(tzinfo=None)) == "2026-11-20 00:02"
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()


def test_the_first_and_the_last_day_of_all_are_shown():
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    assert numbers.day(first) == "0001-01-01"
    assert numbers.day(last) == "9999-12-31"
    assert numbers.day(None) == numbers.clock(None) == numbers.age(None, NOON) == "–"


def test_counted_things_are_one_or_many():
    assert numbers.counted(1, "record") == "1 record"
    assert numbers.counted(0, "record") == "0 records"
    assert numbers.counted(1204, "record") == "1,204 records"


@pytest.mark.parametrize(
    ("ids", "words"),
    [((), ""), ((4,), "4"), ((0, 1), "0-1"), ((0, 1, 2, 3, 8), "0-3, 8"), ((8, 0, 1), "8, 0-1"), ((3, 3), "3, 3")],
)
def test_whole_numbers_that_follow_each_other_are_a_range(ids, words):
    assert numbers.ranges(ids) == words
