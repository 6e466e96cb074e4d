"""What a record means, in words. Nothing here guesses: what is not recorded is left out or said so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from tui.catalog.stacks import Stack
from tui.numbers import NOT_RECORDED, counted, day_and_clock, decimal, duration_words, gigabytes


class Verdict(StrEnum):
    """What is recorded of a model, in the order in which it is shown."""

    PASS = "PASS"
    FAIL = "FAIL"
    OTHER = "OTHER"
    EXCLUDED = "EXCLUDED"
    UNTESTED = "UNTESTED"


NO_RESULT = "no result"
"""The word of a record that has neither a result nor a reason for leaving the model out."""

FUNCTIONAL_TEST = "A functional test of 32 tokens, not a benchmark."

_PASS_WORDS = frozenset({"pass", "passed"})
_FAIL_WORDS = frozenset({"fail", "failed"})

_CHECKS = (
    (
        "cpu_match",
        "comparison with a CPU run",
        "The tokens generated on one core were compared with a CPU run of the same checkpoint.",
    ),
    ("english", "judge model", "A small judge model read whether the text is fluent English."),
)


def verdict_of(result: str | None, exclusion: str | None) -> Verdict:
    """PASS and FAIL are exactly pass, passed, fail, failed (stripped, casefolded); any other word is OTHER.

    EXCLUDED is an exclusion that is not blank without PASS or FAIL. No result at all is OTHER too. Never
    UNTESTED: that is for a model without a record.
    """
    word = (result or "").strip().casefold()
    if word in _PASS_WORDS:
        return Verdict.PASS
    if word in _FAIL_WORDS:
        return Verdict.FAIL
    return Verdict.OTHER if is_blank(exclusion) else Verdict.EXCLUDED


def is_blank(text: str | None) -> bool:
    """Null, empty, or nothing but white space."""
    return text is None or not text.strip()


@dataclass(frozen=True, slots=True)
class Record:
    """One row of the dataset as Python values.

    `values` has every column but the long texts (str, int, float, datetime or None); `unconverted` the raw
    text of values that do not fit their column (there `values` has None); `extra` the columns that are not
    known; `file` is the index in the snapshot's files, `row` the row in that file.
    """

    values: Mapping[str, Any]
    unconverted: Mapping[str, str]
    extra: Mapping[str, Any]
    file: int
    row: int
    verdict: Verdict

    @property
    def result_word(self) -> str | None:
        """The result as it stands in the data."""
        return self.text("result")

    @property
    def exclusion(self) -> str | None:
        """Why the model was left out; `None` when that is null or blank."""
        reason = self.text("exclusion")
        return None if is_blank(reason) else reason

    @property
    def model_id(self) -> str | None:
        """The model's id on the Hub, as recorded."""
        return self.text("model_id")

    @property
    def library(self) -> str | None:
        """The Python library that ran the model."""
        return self.text("library")

    @property
    def tp(self) -> int | None:
        """Cores that the model was sharded over."""
        value = self.values.get("tp")
        return None if value is None else int(value)

    @property
    def stack(self) -> Stack:
        """The stack of this record."""
        return Stack(self.values.get("neuronx_cc"), self.values.get("library"), self.values.get("library_version"))

    def text(self, column: str) -> str | None:
        """The value of a text column, or the raw text of one that could not be converted."""
        value = self.values.get(column)
        return self.unconverted.get(column) if value is None else str(value)


def sentence(record: Record) -> str:
    """The verdict as one sentence, without a full stop; values that are null are left out.

    `PASS on 8 cores, 6 min 12 s with compilation, peak 18.2 of 24 GB recorded`
    """
    reason = record.exclusion
    word = record.result_word
    match record.verdict:
        case Verdict.EXCLUDED:
            left_out = f"Left out: {reason}"
            return left_out if is_blank(word) else f"{left_out}; recorded result «{word}»"
        case Verdict.PASS:
            parts = [f"PASS{_on_cores(record)}", *_raw_cores(record), *_time(record)]
        case Verdict.FAIL:
            after = record.values.get("wall_s")
            took = "" if after is None else f" after {duration_words(after)}"
            parts = [f"FAIL{_on_cores(record)}{took}", *_raw_cores(record)]
            parts += [] if took else _time(record)
        case _:
            head = "No result recorded" if word is None else f"Result {_quoted(word)}"
            parts = [head, _on_cores(record).strip(), *_raw_cores(record), *_time(record)]
    said = ", ".join(part for part in [*parts, *_memory(record)] if part)
    return said if reason is None else f"{said}, and yet an exclusion is recorded: {reason}"


def check_sentences(record: Record) -> list[str]:
    """What the verdict rests on, from what is recorded and never from the number of cores.

    One sentence for each recorded answer, then what each check is, then what kind of test it was. Empty for
    a record without a result and without an answer.
    """
    answers: list[str] = []
    explanations: list[str] = []
    for column, check, explanation in _CHECKS:
        answer = record.text(column)
        if answer is not None:
            as_recorded = ", as recorded" if column in record.unconverted else ""
            answers.append(f"Check: {check}; recorded answer {_quoted(answer)}{as_recorded}.")
            explanations.append(explanation)
    if is_blank(record.result_word):
        return answers + explanations
    if not answers:
        answers.append("What was checked is not recorded.")
    return [*answers, *explanations, FUNCTIONAL_TEST]


def shown(value: Any, unconverted: str | None = None) -> str:
    """One value as text. Null, the empty text, NaN, 0 and the text "None" look different.

    A blank text is in quotation marks, the raw text of a value that did not fit its column is followed by
    `?`, times are local, and a list or object of an unknown column is JSON.
    """
    if unconverted is not None:
        return f"{shown(unconverted)}?"
    match value:
        case None:
            text = NOT_RECORDED
        case str():
            text = f'"{value}"' if is_blank(value) else value
        case float():
            text = decimal(value)
        case datetime():
            text = day_and_clock(value)
        case list() | dict() | bool():
            text = json.dumps(value, ensure_ascii=False, default=str)
        case _:
            text = str(value)
    return text


def _quoted(word: str) -> str:
    return shown(word) if is_blank(word) else f"«{word}»"


def _on_cores(record: Record) -> str:
    cores = record.tp
    return "" if cores is None else f" on {counted(cores, 'core')}"


def _raw_cores(record: Record) -> list[str]:
    raw = record.unconverted.get("tp")
    return [] if raw is None else [f"cores {_quoted(raw)} as recorded"]


def _time(record: Record) -> list[str]:
    seconds = record.values.get("wall_s")
    if seconds is not None:
        return [f"{duration_words(seconds)} with compilation"]
    raw = record.unconverted.get("wall_s")
    return [] if raw is None else [f"time {_quoted(raw)} as recorded"]


def _memory(record: Record) -> list[str]:
    peak, raw_peak = record.values.get("hbm_peak_gb"), record.unconverted.get("hbm_peak_gb")
    capacity, raw_capacity = record.values.get("hbm_capacity_gb"), record.unconverted.get("hbm_capacity_gb")
    available = "" if capacity is None else f" of {gigabytes(capacity)}"
    said = []
    if peak is not None:
        said.append(f"peak {gigabytes(peak)}{available} GB recorded")
    elif raw_peak is not None:
        said.append(f"peak {_quoted(raw_peak)}{available and f'{available} GB'} as recorded")
    elif capacity is not None:
        said.append(f"{gigabytes(capacity)} GB available recorded")
    if raw_capacity is not None:
        said.append(f"memory available {_quoted(raw_capacity)} as recorded")
    return said
