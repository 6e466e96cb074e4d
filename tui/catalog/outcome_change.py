"""What came out for a model on one stack against another: one function says what that is. Pure, no data library.

Only PASS -> FAIL is a regression. Any other word is no FAIL: a timeout, a model that was left out or one that was not
tested again may have its cause elsewhere, and is told as what it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tui.catalog.verdict import Verdict


class Change(StrEnum):
    """How a model is on the newer stack compared with the older one, the worst first."""

    BROKEN = "broken"
    FIXED = "fixed"
    NEW = "new"
    GONE = "gone"
    CORES = "cores"
    OTHER = "other"
    SAME = "same"


MEANINGS: Final[dict[Change, str]] = {
    Change.BROKEN: "PASS before, FAIL now: a regression",
    Change.FIXED: "FAIL before, PASS now",
    Change.NEW: "no record before, a result now",
    Change.GONE: "a result before, no record now",
    Change.CORES: "PASS on both, on another number of cores",
    Change.OTHER: "any other change of the word, such as PASS to timeout",
    Change.SAME: "the same on both",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the table shows of a model on one stack.

    `word` as on its line (PASS, FAIL, another word, left out, no result); `cores` None when they are not recorded;
    `has_result` False for a model that was left out, or whose result was not written.
    """

    verdict: Verdict
    word: str
    cores: int | None
    has_result: bool


def change_of(before: Outcome | None, now: Outcome | None) -> Change:
    """What became of a model; None where a stack has no record of it."""
    if before is None or now is None:
        return _change_of_presence(before, now)
    pair = (before.verdict, now.verdict)
    if pair == (Verdict.PASS, Verdict.FAIL):
        return Change.BROKEN
    if pair == (Verdict.FAIL, Verdict.PASS):
        return Change.FIXED
    if before.verdict is not now.verdict or before.word.casefold() != now.word.casefold():
        return Change.OTHER
    other_cores = None not in (before.cores, now.cores) and before.cores != now.cores
    return Change.CORES if now.verdict is Verdict.PASS and other_cores else Change.SAME


def _change_of_presence(before: Outcome | None, now: Outcome | None) -> Change:
    """A record that has no result, such as that of a model that was left out, is neither new nor gone."""
    if before is None and now is None:
        return Change.SAME
    if before is None:
        return Change.NEW if now is not None and now.has_result else Change.OTHER
    return Change.GONE if before.has_result else Change.OTHER
