"""What the search box means: every word occurs in the model's id, in any order and any case."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_MANY = 100_000
"""Ids from which on it pays to share out a search among processors."""
_FEW = 4
"""Texts that lie apart in memory take so many times as long as those in a row."""
_LOOKED_AT = 50_000
"""Ids, evenly spread, that a suggestion is looked for in: it comes when typing rests."""
_COMPARED = 300
"""Parts of ids that a word is compared with: those that share the most letters, then the most frequent."""
_LONGEST = 100
"""Characters of a search above which it is something pasted and no name with a slip in it."""
_NEAR = 0.6
"""difflib's ratio from which on a part is near: `qwne` and `qwen` have 0.75."""


def words(text: str) -> list[str]:
    """The words to look for, casefolded; none for a blank text."""
    return list(dict.fromkeys(text.casefold().split()))


def matches(wanted: Sequence[str]) -> pl.Expr:
    """Whether every word occurs in `key`, the casefolded id; true without words."""
    import polars as pl

    occurs = (pl.col("key").str.contains(word, literal=True) for word in wanted)
    return pl.all_horizontal(pl.lit(value=True), *occurs)


def narrows(wanted: Sequence[str], before: Sequence[str]) -> bool:
    """Whether what has all of the wanted words has all of those before: as when one more letter is typed."""
    return all(any(old in new for new in wanted) for old in before)


def places(keys: pl.Series, wanted: Sequence[str], within: pl.Series | None = None) -> pl.Series:
    """The rows of `keys` (casefolded ids) that `matches` would keep; each word looks only where the others are.

    `within` are the only rows that are looked at, for a search that narrows another one.
    """
    longest_first = sorted(wanted, key=len, reverse=True)
    few = within is not None and within.len() * _FEW <= keys.len()
    found = within if within is not None and few else _rows_with(keys, longest_first.pop(0))
    for word in longest_first:
        found = found.filter(keys.gather(found).str.contains(word, literal=True))
    return found


def _rows_with(keys: pl.Series, word: str) -> pl.Series:
    if keys.len() < _MANY:
        return keys.str.contains(word, literal=True).arg_true()
    import polars as pl

    # The lazy engine looks with all processors.
    rows = pl.col(keys.name).str.contains(word, literal=True).arg_true()
    return keys.to_frame().lazy().select(rows).collect().to_series()


def spans(text_id: str, wanted: Sequence[str]) -> list[tuple[int, int]]:
    """Where the words occur in an id as written: (start, end) of characters, in order, none overlapping."""
    folded, places = _folded(text_id)
    marked: set[int] = set()
    for word in wanted:
        start = folded.find(word) if word else -1
        while start >= 0:
            marked.update(places[start : start + len(word)])
            start = folded.find(word, start + 1)
    found: list[tuple[int, int]] = []
    for place in sorted(marked):
        if found and found[-1][1] == place:
            found[-1] = (found[-1][0], place + 1)
        else:
            found.append((place, place + 1))
    return found


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """The text casefolded, and for each of its characters the place in the text of what it was folded from."""
    if text.isascii():
        return text.lower(), range(len(text))
    # One character can fold to several.
    folded = "".join(character.casefold() for character in text)
    return folded, [place for place, character in enumerate(text) for _ in character.casefold()]


def suggest(text: str, keys: pl.Series) -> str | None:
    """The search with each part that occurs in no id replaced by the nearest part of one.

    `keys` are casefolded ids. None when nothing is near, when the words so found do not occur together either,
    or when the search is longer than any name.
    """
    if keys.is_empty() or len(text) > _LONGEST:
        return None
    mended = []
    for word in words(text):
        pieces = re.split(r"([/_-])", word)
        for place, piece in enumerate(pieces):
            if not keys.str.contains(piece, literal=True).any():
                pieces[place] = _nearest(piece, keys) or piece
        mended.append("".join(pieces))
    found = not keys.to_frame("key").filter(matches(mended)).is_empty()
    suggestion = " ".join(mended)
    return suggestion if found and suggestion.split() != words(text) else None


def _nearest(word: str, keys: pl.Series) -> str | None:
    import polars as pl

    looked_at = keys.gather_every(-(-keys.len() // _LOOKED_AT)).to_frame("part").lazy()
    part = pl.col("part")
    one_separator = part.str.replace_all("_", "-", literal=True).str.replace_all("/", "-", literal=True)
    whole = looked_at.select(one_separator.str.split("-").explode())
    # The stem of `qwen2.5` is the name that a person has in mind.
    stems = whole.select(part.str.strip_chars_end("0123456789."))
    parts = pl.concat([whole, stems]).filter(part != "").group_by("part").agg(number=pl.len())
    shared = pl.sum_horizontal(part.str.contains(letter, literal=True).cast(pl.UInt32) for letter in set(word))
    likeness = 2 * shared / (part.str.len_chars() + len(word))
    ordered = parts.with_columns(likeness=likeness).sort("likeness", "number", "part", descending=[True, True, False])
    likely = ordered.head(_COMPARED).collect()["part"].to_list()
    near = difflib.get_close_matches(word, likely, n=1, cutoff=_NEAR)
    return near[0] if near else None
