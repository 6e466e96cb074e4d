"""Durations, sizes, counts and dates as people read them.

Every function takes `None` for "not recorded" and answers `NOT_RECORDED`, says `NaN` for what is not a
number, and raises nothing for a negative or huge value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import wraps

NOT_RECORDED = "–"


def _of_a_number(words: Callable[[float], str]) -> Callable[[float | None], str]:
    """Only plain numbers get to `words`: the others are told here, alike for all."""

    @wraps(words)
    def told(value: float | None) -> str:
        if value is None:
            return NOT_RECORDED
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "infinite" if value > 0 else "-infinite"
        return words(value)

    return told


@_of_a_number
def duration(seconds: float) -> str:
    """Seconds in a narrow column: `45s`, `6m12s`, `1h02m`."""
    sign, hours, minutes, rest = _clock_parts(seconds)
    if hours:
        return f"{sign}{hours}h{minutes:02}m"
    return f"{sign}{minutes}m{rest:02}s" if minutes else f"{sign}{rest}s"


@_of_a_number
def duration_words(seconds: float) -> str:
    """Seconds in a sentence: `45 s`, `6 min 12 s`, `1 h 2 min`; the smaller unit is left out when it is 0."""
    sign, hours, minutes, rest = _clock_parts(seconds)
    named = ((hours, "h"), (minutes, "min")) if hours else ((minutes, "min"), (rest, "s"))
    return sign + (" ".join(f"{number} {unit}" for number, unit in named if number) or "0 s")


@_of_a_number
def gigabytes(value: float) -> str:
    """Gigabytes without their unit, to one decimal: `18.2`, `24`; something above zero never reads `0`."""
    if 0 < abs(value) < 0.05:
        return "<0.1" if value > 0 else ">-0.1"
    return _one_decimal(value)


@_of_a_number
def decimal(value: float) -> str:
    """A number as it was recorded, without a meaningless `.0`, to six significant digits: `18.2`, `24`."""
    return f"{value:.6g}" if value else "0"


@_of_a_number
def size(number_of_bytes: float) -> str:
    """Bytes in units of 1000: `812 B`, `4.1 KB`, `16.1 GB`."""
    return _scaled(number_of_bytes, (" B", " KB", " MB", " GB", " TB", " PB"))


@_of_a_number
def count(number: float) -> str:
    """A whole number with its thousands set apart: `1,204`."""
    return f"{round(number):,}"


def counted(number: int, what: str) -> str:
    """A count of things, `what` being the word for one: `1 record`, `1,204 records`."""
    return f"{count(number)} {what}{'' if number == 1 else 's'}"


@_of_a_number
def short_count(number: float) -> str:
    """A count in a narrow column: whole up to four digits, then `12k`, `1.2M`, `8B`."""
    if abs(number) < 10_000:
        return count(number)
    return _scaled(number, ("", "k", "M", "B", "T"))


def ranges(ids: Iterable[int]) -> str:
    """Whole numbers, those that follow each other as a range: `4`, `0-3`, `0-3, 8`; empty for none."""
    spans: list[list[int]] = []
    for number in ids:
        if spans and number == spans[-1][-1] + 1:
            spans[-1][1:] = [number]
        else:
            spans.append([number])
    return ", ".join("-".join(map(str, span)) for span in spans)


def clock(moment: datetime | None) -> str:
    """The local time of day: `14:02`."""
    return NOT_RECORDED if moment is None else f"{_local(moment):%H:%M}"


def day(moment: datetime | None) -> str:
    """The local date: `2026-11-20`."""
    return NOT_RECORDED if moment is None else _local(moment).date().isoformat()


def short_day(moment: datetime | None) -> str:
    """A local day in six or seven cells: `20 Nov` of this year, `2025-11` of another."""
    if moment is None:
        return NOT_RECORDED
    local = _local(moment)
    return local.strftime("%d %b" if local.year == datetime.now().astimezone().year else "%Y-%m")


def day_and_clock(moment: datetime | None) -> str:
    """The local date and time of day: `2026-11-20 14:02`."""
    return NOT_RECORDED if moment is None else f"{day(moment)} {clock(moment)}"


def when(moment: datetime | None) -> str:
    """The local time of day when that is today, else with its day."""
    return clock(moment) if day(moment) == day(datetime.now().astimezone()) else day_and_clock(moment)


def age(then: datetime | None, now: datetime) -> str:
    """How long ago: `just now`, `3 min ago`, `5 h ago`, `12 days ago`; `in 3 min` when clocks disagree."""
    if then is None:
        return NOT_RECORDED
    seconds = (now - then).total_seconds()
    minutes = int(abs(seconds) // 60)
    if minutes == 0:
        return "just now"
    if minutes < 60:
        length = f"{minutes} min"
    elif minutes < 48 * 60:
        length = f"{minutes // 60} h"
    else:
        length = f"{minutes // (24 * 60)} days"
    return f"{length} ago" if seconds > 0 else f"in {length}"


def _clock_parts(seconds: float) -> tuple[str, int, int, int]:
    whole = round(seconds)
    minutes, rest = divmod(abs(whole), 60)
    hours, minutes = divmod(minutes, 60)
    return "-" if whole < 0 else "", hours, minutes, rest


def _one_decimal(value: float) -> str:
    if abs(value) >= 1e15:
        return f"{value:.3g}"
    text = f"{value:,.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _scaled(value: float, units: tuple[str, ...]) -> str:
    scaled = float(value)
    for unit in units[:-1]:
        # 999.95 would be rounded to 1000.0 of the smaller unit.
        if abs(scaled) < 999.95:
            return f"{_one_decimal(scaled) if abs(scaled) < 100 else f'{scaled:.0f}'}{unit}"
        scaled /= 1000
    return f"{_one_decimal(scaled)}{units[-1]}"


def _local(moment: datetime) -> datetime:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        return aware.astimezone()
    except (OverflowError, OSError, ValueError):
        # The first and last days that a datetime can hold have no local time everywhere.
        return aware
