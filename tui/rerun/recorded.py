"""The record that a run repeats, as recipe.json tells: a file that people may change, so every value is looked at."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from tui.catalog.schema import COLUMNS
from tui.catalog.verdict import Record, verdict_of
from tui.rerun.plan import Kind
from tui.rerun.run import Run


def about(run: Run, key: str) -> Mapping[str, Any]:
    """`record`, `interpreter`, `overlay` or `host` of the recipe; empty when it is not there."""
    found = run.recipe.get(key)
    return {str(name): value for name, value in found.items()} if isinstance(found, Mapping) else {}


def record_of(run: Run) -> Record | None:
    """The record; None when the recipe has none. Values of a wrong type are kept as text."""
    told = about(run, "record")
    if not told:
        return None
    values: dict[str, Any] = {}
    unconverted: dict[str, str] = {}
    for column in COLUMNS:
        value = told.get(column.name)
        values[column.name] = _value(column.kind, value)
        if values[column.name] is None and value is not None:
            unconverted[column.name] = str(value)
    extra = {name: value for name, value in told.items() if name not in values}
    verdict = verdict_of(_text(told.get("result")), _text(told.get("exclusion")))
    return Record(values, unconverted, extra, file=0, row=0, verdict=verdict)


def recorded_wall_s(run: Run) -> float | None:
    """The wall time of the record in seconds; None without one that a run could take, or of an edited run."""
    record = record_of(run) if run.kind is Kind.RUN and not run.edited else None
    seconds = record.values.get("wall_s") if record is not None else None
    return None if seconds is None or seconds <= 0 else float(seconds)


def _value(kind: str, value: object) -> Any:
    match kind:
        case "text":
            return _text(value)
        case "time":
            return _time(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    if kind == "float64":
        return float(value)
    return int(value) if value == int(value) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _time(value: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None
