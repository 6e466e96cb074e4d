"""The columns that lines can be sorted by, as people call them. No data library is needed for it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

SORT_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "model_id": "model",
        "verdict": "verdict",
        "word": "result word",
        "tp": "cores",
        "wall_s": "wall time",
        "hbm_peak_gb": "peak memory",
        "hbm_capacity_gb": "memory available",
        "tested_at": "test date",
        "cpu_match": "check",
        "english": "judge",
        "runner": "runner",
        "library": "library",
        "library_version": "library version",
        "neuronx_cc": "neuronx-cc",
        "records": "records",
        "note": "note or reason",
        "rank": "rank",
        "figure": "trend or downloads",
        "hub_library": "library on the Hub",
    }
)
"""Column of `catalog.lines.LINES` -> its name, in the order in which they are offered."""

ONLY_IN_RANKINGS: Final = frozenset({"rank", "figure", "hub_library"})
"""Columns that lines of Selected have no value in."""

_ALSO: Final[Mapping[str, str]] = MappingProxyType(
    {
        "result": "verdict",
        "note": "note",
        "reason": "note",
        "time": "wall_s",
        "memory": "hbm_peak_gb",
        "date": "tested_at",
        "trend": "figure",
        "downloads": "figure",
    }
)


def words_of(column: str) -> str:
    """The name of a column as one word, for a command line: `wall-time`."""
    return SORT_NAMES[column].replace(" ", "-")


def column_named(text: str) -> str | None:
    """The column that is meant: a name of `SORT_NAMES` or of the lines, in any case, `-` and `_` as spaces; else None.

    A few shorter words are taken too: `result`, `time`, `memory`, `date`, `note`, `reason`, `trend`, `downloads`.
    """
    asked = _folded(text)
    names = {_folded(name): column for column, name in SORT_NAMES.items()}
    columns = {_folded(column): column for column in SORT_NAMES}
    return (names | columns | {_folded(word): column for word, column in _ALSO.items()}).get(asked)


def _folded(text: str) -> str:
    return text.strip().casefold().replace("-", " ").replace("_", " ")
