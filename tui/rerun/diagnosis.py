"""Known failures in a log, the first cause and not the echoes of other ranks; and what to do. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from tui.rerun.known_failures import COMPILER_CODES, KNOWN_FAILURES, NOISE, KnownFailure
from tui.terminal_text import clean

UNKNOWN = "unknown"
_NOT_KNOWN = "Cause not known; last error line"

_MOMENT_LINES = 12
"""Lines that belong to the same moment: the frames of a traceback go on from there as well."""
_NEAR_LINES = 500
"""How far from a line that only says that something failed the reason may be: tracebacks of 16 ranks lie between."""
_MOST_OCCURRENCES = 10_000
_LONGEST_LINE = 1_000
_LAST_ERRORS = 3
_EXCEPTION_LINES = 4

_TRACEBACK = "Traceback (most recent call last):"
_ERROR_WORDS = (
    *("rror", "xception", "ERROR", "FATAL", "fatal", "panicked"),
    *("Killed", "Aborted", "Segmentation fault", "core dumped", "not found"),
)
"""A line with none of them is not looked at with `_ERROR`, which takes its time."""
_CODE = re.compile(r"NCC_(E[A-Z]*\d+)")
_TIME = re.compile(r"(?:\d{4}-(?:\d\d|[A-Z][a-z]{2})-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?Z?")
_ERROR = re.compile(
    r"\b\w*(?:Error|Exception)\b|\bERROR\b|\bFATAL\b|\b(?:error|fatal|panicked)\b: |\bKilled\b|\bAborted\b"
    r"|Segmentation fault|core dumped|: command not found|: not found$"
)
_NO_ERROR = re.compile(r"\b(?:no|0) errors?\b|error=None", re.IGNORECASE)
_EXCEPTION = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Timeout|Expired)\b")
# pip names each version that it knows: thousands of some packages.
_VERSIONS = re.compile(r"\(from versions: [^)]{40,}\)?")
_CHAIN = re.compile(r"The above exception was the direct cause|During handling of the above exception")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What went wrong, as far as the log tells."""

    kind: str
    """`cores_busy`, `hbm_oom_compile`, ...; `unknown` when no known text occurs."""
    title: str
    line: str
    """The line of the log that says it, cleaned; of an unknown failure the last error lines."""
    advice: str
    """What to do; empty for an unknown failure."""


@dataclass(frozen=True, slots=True)
class _Found:
    number: int
    """Of the line."""
    order: int
    """In the table, the more specific first."""
    failure: KnownFailure
    line: str


def diagnose(lines: Iterable[str]) -> Diagnosis | None:
    """The cause of a failed run from the lines of its log, in order and without escapes; None when none is told.

    The first known failure in time is the cause. One that only reports that something failed gives way to the reason
    near it, and what ranks say of each other counts only when nothing else is told.
    """
    log = list(lines)
    found = sorted(_found(log), key=lambda each: (each.number, each.order))
    causes = [each for each in found if not each.failure.echo] or found
    if not causes:
        return _unknown(log)
    cause = causes[0]
    if cause.failure.wraps:
        near = (each for each in causes if abs(each.number - cause.number) <= _NEAR_LINES and not each.failure.wraps)
        cause = next(near, cause)
    end = _end_of_moment(log, cause.number)
    return _told(min((each for each in causes if cause.number <= each.number <= end), key=_specific))


def _specific(found: _Found) -> tuple[bool, int, int]:
    return found.failure.wraps, found.order, found.number


def _told(found: _Found) -> Diagnosis:
    failure, line = found.failure, found.line
    title, advice = failure.title, failure.advice
    code = _CODE.search(line)
    meaning = COMPILER_CODES.get(code[1]) if code else None
    if code and failure.kind == "compile_error":
        title = f"{title} (NCC_{code[1]})"
        advice = meaning or advice
    return Diagnosis(failure.kind, title, _shortened(line), advice)


def _found(log: Sequence[str]) -> Iterator[_Found]:
    """The first line of each entry of the table."""
    text = "\n".join(log)
    starts = _LineNumbers(log)
    for order, failure in enumerate(KNOWN_FAILURES):
        also = re.compile(failure.also) if failure.also else None
        numbers = []
        for words in failure.texts:
            for number in islice(starts.of(text, words), _MOST_OCCURRENCES):
                if (also is None or also.search(log[number])) and not NOISE.search(log[number]):
                    numbers.append(number)
                    break
        if numbers:
            first = min(numbers)
            yield _Found(first, order, failure, log[first])


class _LineNumbers:
    """In which line of the joined text something stands: text is searched as a whole, which is quick."""

    def __init__(self, log: Sequence[str]) -> None:
        self._starts: list[int] = []
        at = 0
        for line in log:
            self._starts.append(at)
            at += len(line) + 1

    def of(self, text: str, words: str) -> Iterator[int]:
        """The numbers of the lines with these words, each once, in order."""
        at = text.find(words)
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            yield number
            if number + 1 >= len(self._starts):
                return
            at = text.find(words, self._starts[number + 1])


def _end_of_moment(log: Sequence[str], number: int) -> int:
    """The last line that belongs to the same moment: some lines on, or to the end of a traceback that is open there."""
    end = min(number + _MOMENT_LINES, len(log) - 1)
    for start in range(number, end + 1):
        at = log[start].find(_TRACEBACK)
        if at >= 0:
            exception = _exception(log, start)
            return max(end, exception + _EXCEPTION_LINES if exception is not None else end)
    return end


def _unknown(log: Sequence[str]) -> Diagnosis | None:
    for start, line in enumerate(log):
        if _TRACEBACK in line and (exception := _exception(log, start)) is not None:
            return Diagnosis(UNKNOWN, _NOT_KNOWN, _exception_text(log, start, exception), "")
    candidates = (line for line in reversed(log) if any(word in line for word in _ERROR_WORDS))
    errors = [*islice(filter(_tells_of_error, islice(candidates, _MOST_OCCURRENCES)), _LAST_ERRORS)]
    if not errors:
        return None
    last = "\n".join(map(_shortened, reversed(errors)))
    return Diagnosis(UNKNOWN, _NOT_KNOWN, last, "")


def _tells_of_error(line: str) -> bool:
    return bool(_ERROR.search(line)) and not NOISE.search(line) and not _NO_ERROR.search(line)


def _exception(log: Sequence[str], start: int) -> int | None:
    """The line with the exception of the traceback that starts there, on the same rank; None when it is cut off."""
    prefix, first = _prefix(log[start]), None
    for number in range(start + 1, min(start + _NEAR_LINES, len(log))):
        rest = _after(prefix, log[number])
        if rest and not rest[0].isspace() and _TRACEBACK not in rest and not _CHAIN.search(rest):
            # Where ranks put nothing before their lines, one of another rank may stand between the frames.
            if _EXCEPTION.match(rest):
                return number
            first = number if first is None else first
    return first


def _exception_text(log: Sequence[str], start: int, exception: int) -> str:
    """The exception's message: its line and the next ones of it, without what stands before each line of a rank."""
    prefix = _prefix(log[start])
    parts: list[str] = []
    for line in log[exception : exception + _EXCEPTION_LINES]:
        rest = _after(prefix, line)
        over = parts and (_TRACEBACK in line or _other_rank(prefix, line))
        if not rest or not rest.strip() or over:
            break
        parts.append(_shortened(rest))
    return "\n".join(parts)


def _prefix(line: str) -> re.Pattern[str]:
    """What ranks put before each line (`[rank3]: `), with any time in it."""
    parts = _TIME.split(line[: line.find(_TRACEBACK)])
    return re.compile(f"(?:{_TIME.pattern})".join(map(re.escape, parts)))


def _after(prefix: re.Pattern[str], line: str) -> str | None:
    match = prefix.match(line)
    return line[match.end() :] if match else None


def _other_rank(prefix: re.Pattern[str], line: str) -> bool:
    return not prefix.pattern and re.match(r"\[?(?:rank|ERROR|WARN|INFO)", line) is not None


def _shortened(line: str) -> str:
    line = _VERSIONS.sub("(from versions: …)", line.strip())
    return clean(line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…")
