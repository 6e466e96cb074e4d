"""The search language: a text -> terms and words. Pure; what a term finds is said in `search_filter`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from tui.catalog import search_values
from tui.catalog.search_names import UNKNOWN

if TYPE_CHECKING:
    from tui.catalog.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Term:
    """A term or a word, at `start` to before `end` of the text, in characters, its dash and quotes included.

    `name` is one of `search_names.NAMES`, what was typed for it when there is none of that name, and empty for a
    word; `value` is without quotes, as typed. `hint` says why the term does not count (unfinished or unknown), and
    is empty when it counts. `quoted`: a part of the value is in quotes. `note` says what there is to know of a term
    that counts: why nothing can fit here.
    """

    start: int
    end: int
    name: str
    operator: str
    value: str
    negated: bool = False
    hint: str = ""
    quoted: bool = False
    note: str = ""

    @property
    def counts(self) -> bool:
        """Whether it is applied."""
        return not self.hint


@dataclass(frozen=True)
class Search:
    """A text as it was understood: its terms in order, words included."""

    text: str = ""
    terms: tuple[Term, ...] = ()

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The plain positive words, casefolded, each once: every one occurs in the id."""
        plain = (term for term in self.terms if term.counts and not term.name and not term.negated)
        return tuple(dict.fromkeys(term.value.casefold() for term in plain))

    @cached_property
    def conditions(self) -> tuple[Term, ...]:
        """What counts beside `words`: terms with a name, and words to be left out."""
        return tuple(term for term in self.terms if term.counts and (term.name or term.negated))

    @cached_property
    def unclear(self) -> tuple[Term, ...]:
        """The terms that do not count, each with a hint."""
        return tuple(term for term in self.terms if term.hint)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that are in it, in terms that do not count too."""
        return frozenset(term.name for term in self.terms if term.name)

    @property
    def counts(self) -> bool:
        """Whether anything is searched for."""
        return bool(self.words or self.conditions)


NO_SEARCH: Final = Search()

_TOKEN = re.compile(r"\S+")
_NAMED = re.compile(r"([A-Za-z][A-Za-z_]*)(<=|>=|[:=<>])")
_SIGNS: Final = frozenset('":=<>!≤≥≠')


def parsed(text: str, vocabulary: Vocabulary | None = None) -> Search:
    """The text understood. Raises nothing.

    Without `vocabulary` a value that only begins one of the data counts as well.
    """
    spans = _quoted_spans(text) if '"' in text else (found.span() for found in _TOKEN.finditer(text))
    return Search(text, tuple(_term(text, start, end, vocabulary) for start, end in spans))


def quoted(value: str) -> str:
    """The value as it is typed, alone or after a name: in quotes where it would mean something else without."""
    bare = value and not value.startswith("-") and value.casefold() != UNKNOWN
    if bare and not any(character.isspace() or character in _SIGNS for character in value):
        return value
    return '"' + value.replace('"', '""') + '"'


def _quoted_spans(text: str) -> Iterator[tuple[int, int]]:
    """The parts between spaces, spaces in quotes apart; a quote that is not closed goes to the end."""
    start, within = -1, False
    for place, character in enumerate(text):
        if character == '"':
            within = not within
        if within or not character.isspace():
            start = place if start < 0 else start
        elif start >= 0:
            yield start, place
            start = -1
    if start >= 0:
        yield start, len(text)


def _term(text: str, start: int, end: int, vocabulary: Vocabulary | None) -> Term:
    negated = text[start] == "-"
    at = start + negated
    named = _NAMED.match(text, at, end)
    name, operator = ("", "") if named is None else (named[1].casefold(), named[2])
    raw = text[at if named is None else named.end() : end]
    in_quotes = '"' in raw
    value = _unquoted(raw) if in_quotes else raw
    if not value.isascii():
        # Half a surrogate pair, as an argument of another encoding has them, is in no text of the data.
        value = value.encode("utf-8", "replace").decode("utf-8")
    term = Term(start, end, name, operator, value, negated, quoted=in_quotes)
    hint = search_values.hint(term, vocabulary)
    return Term(start, end, name, operator, value, negated, hint, in_quotes) if hint else term


def _unquoted(raw: str) -> str:
    """Without the quotes; two of them in quotes are one."""
    parts = raw.split('"')
    # Every other part is in quotes; an empty one between two that are is a doubled quote.
    return "".join(
        '"' if not part and place % 2 == 0 and 0 < place < len(parts) - 1 else part for place, part in enumerate(parts)
    )
