"""What the terms of a search find: one polars expression over the lines of a view. Pure."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from tui.catalog import failure_kinds
from tui.catalog.folding import has_folded
from tui.catalog.question import Beyond, Limits
from tui.catalog.records import recorded
from tui.catalog.search_terms import Search, Term
from tui.catalog.search_values import VERDICTS, days, figure, folded, is_no_error, is_unknown
from tui.catalog.stacks import STACK_COLUMNS
from tui.catalog.vocabulary_counts import KIND_COLUMNS, LINE_COLUMNS

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot
    from tui.catalog.vocabulary import Vocabulary

_COMPARED: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    ":": operator.eq,
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_EPOCH: Final = date(1970, 1, 1).toordinal()
_DAY_MS: Final = 86_400_000
_HAS_ORGANIZATION: Final = r"^[^/]*[^/\s][^/]*/"
_NONE: Final = pl.lit(value=False)


@dataclass(frozen=True)
class _Asked:
    """What terms are looked up in."""

    snapshot: Snapshot | None
    vocabulary: Vocabulary
    beyond: Beyond


def settled(search: Search, snapshot: Snapshot | None, beyond: Beyond) -> Search:
    """The search with a hint at each term that needs what is not at hand yet, and a note where nothing can fit."""
    return replace(search, terms=tuple(_settled(term, snapshot, beyond) for term in search.terms))


def missing_errors(search: Search, snapshot: Snapshot | None, beyond: Beyond) -> tuple[str, ...]:
    """What `needle` gives of the terms of errors of which it is not known yet which records they find."""
    if snapshot is None:
        return ()
    asked = (term for term in search.terms if term.name == "error" and (term.value or is_no_error(term)))
    wanted = (needle(term) for term in asked)
    return tuple(dict.fromkeys(text for text in wanted if text not in beyond.errors))


def needle(term: Term) -> str:
    """What is looked for in errors and notes, casefolded; for the kind of an error its key."""
    return failure_kinds.key(term.value) if term.operator == "=" else term.value.casefold()


def expression(search: Search, snapshot: Snapshot | None, vocabulary: Vocabulary, beyond: Beyond) -> pl.Expr:
    """Whether a line fulfils every condition of the search: all that counts beside the plain words. Never null.

    The search is one that was `settled` with the same `beyond`.
    """
    asked = _Asked(snapshot, vocabulary, beyond)
    return reduce(operator.and_, (_found(term, asked) for term in search.conditions))


def _settled(term: Term, snapshot: Snapshot | None, beyond: Beyond) -> Term:
    if term.hint or not term.name:
        return term
    hint = note = ""
    match term.name:
        case "task" | "type" if beyond.kinds is None:
            hint = "reading what the Hub said of the models …"
        case "reason" | "error" if snapshot is None:
            hint = "the records are still being read"
        case "error" if needle(term) not in beyond.errors:
            hint = "reading errors …"
        case "fits" if beyond.limits is None:
            hint = "looking at this host …"
        case "fits" if beyond.limits is not None:
            note = _why_nothing_fits(beyond.limits)
    return replace(term, hint=hint, note=note)


def _why_nothing_fits(limits: Limits) -> str:
    if limits.cores and limits.stack is not None:
        return ""
    return f"nothing fits here: {limits.why_not or 'no stack of the records is installed'}"


def _found(term: Term, asked: _Asked) -> pl.Expr:
    if not term.name:
        found = pl.col("key").str.contains(term.value.casefold(), literal=True)
    elif is_unknown(term):
        found = _unknown(term.name, asked)
    else:
        found = _FOUND[term.name](term, asked)
    found = found.fill_null(value=False)
    return ~found if term.negated else found


def _unknown(name: str, asked: _Asked) -> pl.Expr:
    match name:
        case "org":
            return ~pl.col("key").str.contains(_HAS_ORGANIZATION)
        case "task" | "type":
            return ~_with_kind(asked, KIND_COLUMNS[name], asked.vocabulary.every_spelling(name))
        case "runner" | "library":
            return ~_one_of(LINE_COLUMNS[name], asked.vocabulary.every_spelling(name))
        case _:
            return LINE_COLUMNS[name].is_null()


def _result(term: Term, asked: _Asked) -> pl.Expr:
    words = _one_of(pl.col("word"), asked.vocabulary.spellings("is", term.value))
    verdict = folded(term.value)
    return words | (pl.col("verdict") == verdict.upper()) if verdict in VERDICTS else words


def _figure(term: Term, _asked: _Asked) -> pl.Expr:
    column = LINE_COLUMNS[term.name].cast(pl.Float64)
    found: pl.Expr = _COMPARED[term.operator](column, figure(term.name, term.value))
    return found


def _organization(term: Term, _asked: _Asked) -> pl.Expr:
    return pl.col("key").str.starts_with(f"{folded(term.value)}/")


def _kind(term: Term, asked: _Asked) -> pl.Expr:
    return _with_kind(asked, KIND_COLUMNS[term.name], asked.vocabulary.spellings(term.name, term.value))


def _text(term: Term, asked: _Asked) -> pl.Expr:
    return _one_of(LINE_COLUMNS[term.name], asked.vocabulary.spellings(term.name, term.value))


def _reason(term: Term, asked: _Asked) -> pl.Expr:
    return _of_records(_with_text(asked, "exclusion", term))


def _error(term: Term, asked: _Asked) -> pl.Expr:
    of_errors = asked.beyond.errors[needle(term)]
    return _of_records(of_errors) if term.operator == "=" else _of_records(_with_text(asked, "notes", term), of_errors)


def _fits(_term: Term, asked: _Asked) -> pl.Expr:
    limits = asked.beyond.limits
    if limits is None or limits.stack is None or not limits.cores:
        return _NONE
    parts = (limits.stack.neuronx_cc, limits.stack.library, limits.stack.library_version)
    same = (pl.col(column).eq_missing(pl.lit(part)) for column, part in zip(STACK_COLUMNS, parts, strict=True))
    return pl.all_horizontal(pl.col("tp") <= limits.cores, *same)


def _tested(term: Term, _asked: _Asked) -> pl.Expr:
    named = days(term.value)
    assert named is not None
    start, end = ((day - _EPOCH) * _DAY_MS for day in named)
    at = LINE_COLUMNS["tested"].dt.timestamp("ms")
    by_operator = {"<": at < start, "<=": at < end, ">": at >= end, ">=": at >= start}
    return by_operator.get(term.operator, (at >= start) & (at < end))


def _one_of(column: pl.Expr, values: tuple[str, ...]) -> pl.Expr:
    return column.is_in(pl.Series(values, dtype=pl.String).implode()).fill_null(value=False)


def _with_kind(asked: _Asked, column: str, values: tuple[str, ...]) -> pl.Expr:
    kinds = asked.beyond.kinds
    if kinds is None or not values:
        return _NONE
    return pl.col("key").is_in(kinds.filter(_one_of(pl.col(column), values))["key"].implode())


def _with_text(asked: _Asked, column: str, term: Term) -> pl.Series:
    """The records of which a text has what the term looks for."""
    assert asked.snapshot is not None
    texts = asked.snapshot.records.select(text=recorded(column)).with_row_index("record")
    return texts.filter(has_folded(pl.col("text"), needle(term)))["record"]


def _of_records(*records: pl.Series) -> pl.Expr:
    numbers = pl.concat([each.cast(pl.UInt32) for each in records])
    return pl.col("record").is_in(numbers.implode())


_FOUND: Final[Mapping[str, Callable[[Term, _Asked], pl.Expr]]] = {
    "is": _result,
    "cores": _figure,
    "mem": _figure,
    "full": _figure,
    "wall": _figure,
    "tested": _tested,
    "org": _organization,
    "task": _kind,
    "type": _kind,
    "runner": _text,
    "library": _text,
    "reason": _reason,
    "error": _error,
    "fits": _fits,
}
"""Name -> what a term of it finds; null where a line has no value."""
