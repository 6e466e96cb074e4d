"""A search whose value no model has, with the nearest value that some have. Pure."""

from __future__ import annotations

import difflib
from itertools import islice
from typing import TYPE_CHECKING, Final

from tui.catalog.search_names import NAMES, Kind
from tui.catalog.search_terms import Search, Term, quoted
from tui.catalog.search_values import folded, is_unknown

if TYPE_CHECKING:
    from tui.catalog.vocabulary import Vocabulary

_COMPARED: Final = 2_000
"""Values that one is compared with, the likeliest: more take longer than typing rests."""


def mended(search: Search, vocabulary: Vocabulary) -> str | None:
    """The text with the first such value replaced; None without one, or when nothing is near."""
    for term in search.conditions:
        known = term.name in NAMES and NAMES[term.name].kind is Kind.KNOWN
        if known and not term.negated and not is_unknown(term) and not vocabulary.spellings(term.name, term.value):
            near = _nearest(term, vocabulary)
            if near is not None:
                written = f"{term.name}{term.operator}{quoted(near)}"
                return f"{search.text[: term.start]}{written}{search.text[term.end :]}".strip()
    return None


def _nearest(term: Term, vocabulary: Vocabulary) -> str | None:
    values = {folded(value): value for value in islice(vocabulary.values(term.name), _COMPARED)}
    found = difflib.get_close_matches(folded(term.value), values, n=1)
    return values[found[0]] if found else None
