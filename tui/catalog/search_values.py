"""What the value of a term means, and what there is to say of a term that means nothing yet. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, Final

from tui.catalog.search_names import EXACT, NAMES, UNKNOWN, Kind, Name
from tui.terminal_text import brief

if TYPE_CHECKING:
    from tui.catalog.search_terms import Term
    from tui.catalog.vocabulary import Vocabulary

VERDICTS: Final = ("pass", "fail", "excluded", "untested", "other")
"""Values of `is:` that there are whatever the data have: the verdicts, in lower case."""
HERE: Final = "here"
"""The only value of `fits:`."""

_NUMBER = re.compile(r"[0-9]{1,18}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}")
_OF_MEMORY = re.compile(r"(.*[0-9.])gb?")
_DURATION = re.compile(r"(?:([0-9.]+)h)?(?:([0-9.]+)m(?:in)?)?(?:([0-9.]+)s)?")
_DAY = re.compile(r"([0-9]{4})-([0-9]{2})(?:-([0-9]{2}))?")
_HALF_A_DAY = re.compile(r"[0-9]{1,4}|[0-9]{4}-[0-9]?|[0-9]{4}-[0-9]{2}-[0-9]?")
_LONE_OPERATOR = re.compile(r"[<>=:≤≥≠!]*[<>=≤≥≠].*", re.DOTALL)
_OTHER_OPERATOR = re.compile(r"([A-Za-z][A-Za-z_]*)(?:!=|[≤≥≠])")
_NAMED_AT_MOST = 5
_LONGEST = 40
"""Characters of a value that a hint repeats."""


def folded(value: str) -> str:
    """What makes two values of a name equal: neither case nor spaces around them count."""
    return value.strip().casefold()


def is_unknown(term: Term) -> bool:
    """Whether the term asks for models without a value."""
    return not term.quoted and has_unknown(term.name) and folded(term.value) == UNKNOWN


def is_no_error(term: Term) -> bool:
    """Whether the term asks for records without an error: `error=""`."""
    return term.name == "error" and term.operator == "=" and term.quoted and not term.value


def has_unknown(name: str) -> bool:
    """Whether a value of this name can be missing, and `unknown` asks for that."""
    return name in NAMES and NAMES[name].kind not in {Kind.TEXT, Kind.HERE} and name != "is"


def number(value: str) -> float | None:
    """A number that is not negative; None for another text."""
    return float(value) if _NUMBER.fullmatch(value) else None


def gigabytes(value: str) -> float | None:
    """A number of GB, with or without the unit; None for another text."""
    with_unit = _OF_MEMORY.fullmatch(value.casefold())
    return number(with_unit[1] if with_unit else value)


def percent(value: str) -> float | None:
    """A number, with or without the sign behind it; None for another text."""
    return number(value.removesuffix("%"))


def seconds(value: str) -> float | None:
    """`300`, `5m`, `1h30m`, `6m12s` in seconds; None for another text."""
    if (plain := number(value)) is not None:
        return plain
    found = _DURATION.fullmatch(value.casefold())
    if not value or found is None:
        return None
    parts = [0.0 if part is None else number(part) for part in found.groups()]
    if None in parts:
        return None
    return sum(part * unit for part, unit in zip(parts, (3600, 60, 1), strict=True) if part is not None)


def days(value: str) -> tuple[int, int] | None:
    """First day of what is named and the first one after it, as proleptic ordinals; None when there is no such day."""
    found = _DAY.fullmatch(value)
    if found is None:
        return None
    year, month, day = int(found[1]), int(found[2]), found[3]
    try:
        if day is not None:
            only = date(year, month, int(day)).toordinal()
            return only, only + 1
        return date(year, month, 1).toordinal(), date(year + month // 12, month % 12 + 1, 1).toordinal()
    except ValueError:
        return None


def hint(term: Term, vocabulary: Vocabulary | None) -> str:
    """Why the term does not count, and what would; empty when it counts."""
    if not term.name:
        return _of_word(term)
    name = NAMES.get(term.name)
    if name is None:
        return _no_such_name(term.name)
    if term.operator not in name.operators:
        return f"{name.name} takes {_listed(name.operators)}"
    if not term.value and not is_no_error(term):
        return _what_may_follow(name, vocabulary)
    return _of_value(name, term, vocabulary)


def figure(name: str, value: str) -> float | None:
    """The value of a name of numbers or times, in the unit of its column; None for a text that is none."""
    return {"mem": gigabytes, "full": percent, "wall": seconds}.get(name, number)(value)


def _of_word(term: Term) -> str:
    if term.value:
        return "" if term.quoted else _of_stray_operator(term.value)
    if term.quoted:
        return "quotes keep the spaces of what stands in them"
    return "a dash leaves out what the word or term after it finds"


def _of_stray_operator(word: str) -> str:
    """For what is meant as a term and would find nothing as a word: `cores <= 4`, `cores!=4`."""
    if _LONE_OPERATOR.match(word):
        return "an operator stands between a name and a value, without spaces: cores<=4"
    other = _OTHER_OPERATOR.match(word)
    name = NAMES.get(other[1].casefold()) if other else None
    if name is None:
        return ""
    return f"{name.name} takes {_listed(name.operators)}; a dash before the name leaves out what the term finds"


def _no_such_name(name: str) -> str:
    import difflib  # a start does without

    near = difflib.get_close_matches(name, NAMES, n=1) or [each for each in NAMES if each.startswith(name)]
    meant = f"; did you mean {near[0]}?" if near else ""
    return f"there is no {_shown(name)}{meant or f': the names are {_listed(tuple(NAMES))}'}"


def _what_may_follow(name: Name, vocabulary: Vocabulary | None) -> str:
    first = _some(vocabulary.values(name.name)) if vocabulary is not None and name.kind is Kind.KNOWN else ""
    return f"{name.values}{f': {first}' if first and name.name != 'is' else ''}"


def _of_value(name: Name, term: Term, vocabulary: Vocabulary | None) -> str:
    if is_unknown(term):
        return "" if term.operator in EXACT else f"{UNKNOWN} has no size: {name.name}:{UNKNOWN}"
    match name.kind:
        case Kind.KNOWN:
            return _of_known(name, term, vocabulary)
        case Kind.HERE:
            return _of_here(name, term)
        case Kind.TEXT:
            return ""
        case _:
            return _of_figure(name, term)


def _of_figure(name: Name, term: Term) -> str:
    value = term.value
    begins_unknown = not term.quoted and UNKNOWN.startswith(folded(value))
    if name.kind is Kind.DAY:
        if days(value) is not None:
            return ""
        return name.values if begins_unknown or _HALF_A_DAY.fullmatch(value) else f"no day: {name.values}"
    if figure(name.name, value) is not None:
        return ""
    return name.values if begins_unknown else f"no number: {name.values}"


def _of_known(name: Name, term: Term, vocabulary: Vocabulary | None) -> str:
    if vocabulary is None or vocabulary.spellings(name.name, term.value):
        return ""
    begun = list(islice(vocabulary.beginning(name.name, term.value), _NAMED_AT_MOST + 1))
    missing = has_unknown(name.name) and vocabulary.unknown(name.name)
    if missing and not term.quoted and UNKNOWN.startswith(folded(term.value)):
        begun.append(UNKNOWN)
    return f"goes on: {_some(begun)}" if begun else ""


def _of_here(name: Name, term: Term) -> str:
    value = folded(term.value)
    if value == HERE:
        return ""
    return f"goes on: {HERE}" if HERE.startswith(value) else f"the only thing to ask is {name.example}"


def _some(values: Collection[str]) -> str:
    named = [_shown(value) for value in islice(values, _NAMED_AT_MOST)]
    return ", ".join(named) + (" …" if len(values) > len(named) else "")


def _listed(parts: Sequence[str]) -> str:
    return f"{', '.join(parts[:-1])} or {parts[-1]}" if len(parts) > 1 else "".join(parts)


def _shown(value: str) -> str:
    return brief(value, _LONGEST)
