"""Looking for a text in whole columns in any case, as `str.casefold` has it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_LAST_WITH_CASE = 0x1E943
"""The last code point of an alphabet that has capitals."""
_LONGEST_PATTERN = 500
"""Characters of a text that can be looked for as a pattern; those of a longer one become too many."""


def has_folded(texts: pl.Expr, casefolded: str) -> pl.Expr:
    """Whether a text has `casefolded`, a text that is casefolded already, in it in any case; null for null."""
    import polars as pl

    if len(casefolded) > _LONGEST_PATTERN:
        return folded_text(texts).str.contains(casefolded, literal=True)
    # A pattern is fifty times as fast as folding, and differs for the few characters only that fold to several.
    special = texts.str.contains(f"[{''.join(_folding_to_several())}]")
    several = folded_text(pl.when(special).then(texts)).str.contains(casefolded, literal=True)
    return texts.str.contains(f"(?i){pl.escape_regex(casefolded)}") | several.fill_null(value=False)


def folded_text(texts: pl.Expr) -> pl.Expr:
    """Each text casefolded."""
    special = _beyond_lower_case()
    return texts.str.to_lowercase().str.replace_many(list(special), list(special.values()))


@cache
def _beyond_lower_case() -> dict[str, str]:
    """The lower case characters that fold to something else, such as ß: about 200 of all."""
    characters = map(chr, range(0x80, _LAST_WITH_CASE + 1))
    return {each: each.casefold() for each in characters if each.casefold() != each == each.lower()}


@cache
def _folding_to_several() -> tuple[str, ...]:
    return tuple(each for each in map(chr, range(0x80, _LAST_WITH_CASE + 1)) if len(each.casefold()) > 1)
