"""The values that a search can name, each with the number of models that have it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from tui.catalog.search_values import folded
from tui.catalog.verdict import is_blank

if TYPE_CHECKING:
    import polars as pl

    from tui.catalog.snapshot import Snapshot

Counts = Mapping[str | None, int]
"""Value as it stands in the data -> number of models; None, and a blank text, for no value."""


@dataclass(frozen=True, slots=True)
class _Values:
    counts: Mapping[str, int]
    """Of values that are equal for a search the likeliest spelling, with the models of all of them."""
    unknown: int
    spellings: tuple[tuple[str, str], ...]
    """(folded, the value as it stands in the data), sorted."""
    shown: Mapping[str, str]
    """Folded -> its spelling in `counts`."""

    def from_(self, wanted: str, fits: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
        """The spellings from where `wanted` would stand on, as long as what they fold to fits."""
        start = bisect_left(self.spellings, (wanted, ""))
        return takewhile(lambda pair: fits(pair[0]), islice(self.spellings, start, None))


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Per name of the language the values of the data; those of a name are counted when they are first asked for.

    `counted` counts the values of a name, the likeliest first. `kinds` is what tasks and types are known from.
    """

    counted: Callable[[str], Counts]
    kinds: pl.DataFrame | None = None
    _kept: dict[str, _Values] = field(default_factory=dict, init=False, repr=False)

    def values(self, name: str) -> Mapping[str, int]:
        """Value -> number of models, the likeliest first; without those that have none."""
        return self._of(name).counts

    def unknown(self, name: str) -> int:
        """How many models have no value."""
        return self._of(name).unknown

    def spellings(self, name: str, value: str) -> tuple[str, ...]:
        """The values as they stand in the data that differ from `value` in case or spaces around them only."""
        wanted = folded(value)
        return tuple(spelling for _, spelling in self._of(name).from_(wanted, lambda each: each == wanted))

    def every_spelling(self, name: str) -> tuple[str, ...]:
        """All values as they stand in the data."""
        return tuple(spelling for _, spelling in self._of(name).spellings)

    def beginning(self, name: str, value: str) -> Iterator[str]:
        """The values that `value` is the beginning of, in any case, likeliest first."""
        wanted = folded(value)
        known = self._of(name)
        if any(known.from_(wanted, lambda each: each.startswith(wanted))):
            yield from (spelling for each, spelling in known.shown.items() if each.startswith(wanted))

    def within(self, name: str, value: str) -> Iterator[str]:
        """The values that have `value` somewhere behind their beginning, in any case, likeliest first."""
        wanted = folded(value)
        return (spelling for each, spelling in self._of(name).shown.items() if each.find(wanted) > 0)

    def _of(self, name: str) -> _Values:
        kept = self._kept.get(name)
        if kept is None:
            kept = self._kept[name] = _values(self.counted(name))
        return kept


def vocabulary_of(lines: pl.DataFrame, snapshot: Snapshot | None, kinds: pl.DataFrame | None = None) -> Vocabulary:
    """The vocabulary of lines as `views.lines_of` gives them; `kinds` as in `question.Beyond`.

    Nothing is counted here. The reasons for leaving models out are those of `snapshot`.
    """
    from tui.catalog.vocabulary_counts import counts

    return Vocabulary(lambda name: counts(name, lines, snapshot, kinds), kinds)


def _values(counted: Counts) -> _Values:
    known = {value: number for value, number in counted.items() if value is not None and not is_blank(value)}
    shown: dict[str, str] = {}
    counts: dict[str, int] = {}
    for value, number in known.items():
        spelling = shown.setdefault(folded(value), value)
        counts[spelling] = counts.get(spelling, 0) + number
    unknown = sum(counted.values()) - sum(known.values())
    return _Values(counts, unknown, tuple(sorted((folded(value), value) for value in known)), shown)
