"""Lines of a view, of which only those that are looked at need to be had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]
"""A line by column of `catalog.lines.LINES`."""


class Rows(Protocol):
    """Lines by their place, from 0."""

    def __len__(self) -> int:
        """How many lines there are."""
        ...

    def key(self, place: int) -> str | None:
        """The casefolded id of a line."""
        ...

    def place_of(self, key: str) -> int | None:
        """The first line with this key."""
        ...

    def row(self, place: int) -> Row | None:
        """A whole line; None when it is not at hand."""
        ...

    def rows(self, start: int, end: int, columns: Sequence[str]) -> list[Row]:
        """These columns of the lines from `start` to before `end`, as far as there are so many."""
        ...


@dataclass(frozen=True, slots=True)
class FrameRows:
    """Lines of a frame: all of them, or those at `places` (row numbers, rising), which are not copied."""

    frame: pl.DataFrame
    places: pl.Series | None = None

    def __len__(self) -> int:
        """How many lines there are."""
        return self.frame.height if self.places is None else self.places.len()

    def key(self, place: int) -> str | None:
        """The casefolded id of a line."""
        key: str | None = self.frame["key"][self.row_number(place)]
        return key

    def place_of(self, key: str) -> int | None:
        """The first line with this key."""
        keys = self.frame["key"]
        if self.places is None:
            return keys.index_of(key)
        found = keys.gather(self.places).index_of(key)
        return None if found is None else int(found)

    def row(self, place: int) -> Row | None:
        """A whole line."""
        return self.frame.row(self.row_number(place), named=True)

    def rows(self, start: int, end: int, columns: Sequence[str]) -> list[Row]:
        """These columns of the lines from `start` to before `end`, as far as there are so many."""
        wanted = slice(start, end) if self.places is None else self.places[start:end]
        return self.frame[wanted, list(columns)].to_dicts()

    def row_number(self, place: int) -> int:
        """The line's row in the frame."""
        return place if self.places is None else int(self.places[place])


@dataclass(frozen=True, slots=True)
class KeptRows:
    """The first lines of a longer list; of the others only their number is known."""

    first: Sequence[Row]
    height: int

    def __len__(self) -> int:
        """How many lines the list has."""
        return self.height

    def key(self, place: int) -> str | None:
        """The casefolded id of a line; None when the line is not at hand."""
        return self.first[place]["key"] if place < len(self.first) else None

    def place_of(self, key: str) -> int | None:
        """The first line at hand with this key."""
        return next((place for place, row in enumerate(self.first) if row["key"] == key), None)

    def row(self, place: int) -> None:
        """No line is known as a whole."""

    def rows(self, start: int, end: int, columns: Sequence[str]) -> list[Row]:
        """The lines at hand, with all the columns that are drawn."""
        return list(self.first[start:end])


NO_ROWS: Final = KeptRows((), 0)


def place_in(rows: Rows, before: Rows, place: int) -> int | None:
    """Where a line of other rows is in these: the same row of the same frame, else a line with its key."""
    if place >= len(before):
        return None
    if isinstance(rows, FrameRows) and isinstance(before, FrameRows) and rows.frame is before.frame:
        number = before.row_number(place)
        at = number if rows.places is None else int(rows.places.search_sorted(number))
        # Words find every line of a key or none of them, terms each line by itself: another one is no stand-in.
        return at if at < len(rows) and rows.row_number(at) == number else None
    key = before.key(place)
    if key is None or (place < len(rows) and rows.key(place) == key):
        return None if key is None else place
    return rows.place_of(key)
