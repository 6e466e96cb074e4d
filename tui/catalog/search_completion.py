"""How a search goes on: the names and values that complete what is being typed. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from tui.catalog.search_names import EXACT, NAMES, UNKNOWN, Kind
from tui.catalog.search_terms import Term, parsed, quoted
from tui.catalog.search_values import HERE, folded, has_unknown

if TYPE_CHECKING:
    from tui.catalog.vocabulary import Vocabulary

AT_MOST: Final = 50
"""So many completions are offered."""


@dataclass(frozen=True, slots=True)
class Completion:
    """One way to go on: the whole new text and cursor when it is taken.

    `shown` is what stands for it in a list, a name with its operator (`cores<=`) or a value; `count` how many models
    have that value, None for a name and where that is not known; `meaning` says what a name asks for.
    """

    text: str
    cursor: int
    shown: str
    count: int | None = None
    meaning: str = ""


def completions(text: str, cursor: int, vocabulary: Vocabulary | None) -> tuple[Completion, ...]:
    """What can stand where the cursor is, likeliest first, at most `AT_MOST`; nothing where the term is complete.

    In an empty place all names; for a word the names that begin so; after a name and operator the values that begin
    with what stands there, then those that have it somewhere. The whole term at the cursor is replaced.
    """
    cursor = min(max(cursor, 0), len(text))
    whole = next((term for term in parsed(text).terms if term.start < cursor <= term.end), None)
    if whole is None:
        typed, end = Term(cursor, cursor, "", "", ""), cursor
    else:
        typed, end = parsed(text[:cursor]).terms[-1], whole.end
    if not typed.name:
        return () if typed.quoted else tuple(_names(text, typed, end))
    if typed.name not in NAMES or typed.operator not in NAMES[typed.name].operators:
        return ()
    return tuple(_values(text, typed, end, vocabulary))[:AT_MOST]


def _names(text: str, typed: Term, end: int) -> Iterable[Completion]:
    begun = typed.value.casefold()
    for name in NAMES.values():
        if name.name.startswith(begun):
            yield _taken(text, typed, end, name.begins, shown=name.begins, meaning=name.meaning)


def _values(text: str, typed: Term, end: int, vocabulary: Vocabulary | None) -> Iterable[Completion]:
    wanted = folded(typed.value)
    for value, count, written in _possible(typed, vocabulary):
        if wanted != folded(value):
            head = f"{typed.name}{typed.operator}{written}"
            yield _taken(text, typed, end, head + ("" if text[end:] else " "), shown=value, count=count)


def _possible(typed: Term, vocabulary: Vocabulary | None) -> list[tuple[str, int | None, str]]:
    """Value, number of models and how it is written, for what fits what was typed."""
    name = NAMES[typed.name]
    if name.kind is Kind.HERE:
        return [(HERE, None, HERE)] if HERE.startswith(folded(typed.value)) else []
    if vocabulary is None:
        return []
    wanted = folded(typed.value)
    first = list(islice(vocabulary.beginning(name.name, wanted), AT_MOST))
    # What begins with the text and has it once more behind that is among the first already.
    later = (value for value in vocabulary.within(name.name, wanted) if not folded(value).startswith(wanted))
    found = [*first, *islice(later, AT_MOST - len(first))]
    counts = vocabulary.values(name.name)
    possible: list[tuple[str, int | None, str]] = [(value, counts[value], quoted(value)) for value in found]
    missing = vocabulary.unknown(name.name) if has_unknown(name.name) else 0
    if missing and not typed.quoted and typed.operator in EXACT and UNKNOWN.startswith(wanted):
        possible.insert(min(len(first), AT_MOST - 1), (UNKNOWN, missing, UNKNOWN))
    return possible


def _taken(
    text: str, typed: Term, end: int, written: str, *, shown: str, count: int | None = None, meaning: str = ""
) -> Completion:
    head = f"{text[: typed.start]}{'-' if typed.negated else ''}{written}"
    return Completion(head + text[end:], len(head), shown, count, meaning)
