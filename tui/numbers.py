"""Durations, sizes, counts and dates as people read them.

Every function takes `None` for "not recorded" and answers `NOT_RECORDED`, says `NaN` for what is not a
number, and raises nothing for a negative or huge value.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime

NOT_RECORDED = "–"


def duration(seconds: float | None) -> str:
    """Seconds in a narrow column: `45s`, `6m12s`, `1h02m`."""
    if (odd := _not_a_plain_number(seconds)) is not None:
        return odd
    assert seconds is not None
    sign, hours, minutes, rest = _clock_parts(seconds)
    if hours:
        return f"{sign}{hours}h{minutes:02}m"
    return f"{sign}{minutes}m{rest:02}s" if minutes else f"{sign}{rest}s"


def duration_words(seconds: float | None) -> str:
    """Seconds in a sentence: `45 s`, `6 min 12 s`, `1 h 2 min`; the smaller unit is left out when it is 0."""
    if (odd := _not_a_plain_number(seconds)) is not None:
        return odd
    assert seconds is not None
    sign, hours, minutes, rest = _clock_parts(seconds)
    named = ((hours, "h"), (minutes, "min")) if hours else ((minutes, "min"), (rest, "s"))
    return sign + (" ".join(f"{number} {unit}" for number, unit in named if number) or "0 s")


def gigabytes(value: float | None) -> str:
    """Gigabytes without their unit, to one decimal: `18.2`, `24`; something above zero never reads `0`."""
    if (odd := _not_a_plain_number(value)) is not None:
        return odd
    assert value is not None
    if 0 < abs(value) < 0.05:
        return "<0.1" if value > 0 else ">-0.1"
    return _one_decimal(value)


def decimal(value: float) -> str:
    """A number as it was recorded, without a meaningless `.0`, to six significant digits: `18.2`, `24`."""
    if (odd := _not_a_plain_number(value)) is not None:
        return odd
    return f"{value:.6g}" if value else "0"


def size(number_of_bytes: float | None) -> str:
    """Bytes in units of 1000: `812 B`, `4.1 KB`, `16.1 GB`."""
    if (odd := _not_a_plain_number(number_of_bytes)) is not None:
        return odd
    assert number_of_bytes is not None
    return _scaled(number_of_bytes, (" B", " KB", " MB", " GB", " TB", " PB"))


def count(number: float | None) -> str:
    """A whole number with its thousands set apart: `1,204`."""
    if (odd := _not_a_plain_number(number)) is not None:
        return odd
    assert number is not None
    return f"{round(number):,}"


def short_count(number: float | None) -> str:
    """A count in a narrow column: whole up to four digits, then `12k`, `1.2M`, `8B`."""
    if (odd := _not_a_plain_number(number)) is not None:
        return odd
    assert number is not None
    if abs(number) < 10_000:
        return count(number)
    return _scaled(number, ("", "k", "M", "B", "T"))


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


def _not_a_plain_number(value: float | None) -> str | None:
    if value is None:
        return NOT_RECORDED
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "infinite" if value > 0 else "-infinite"
    return None


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
