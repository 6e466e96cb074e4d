"""The names of the search language: what each asks for, which operators it takes, and what its values are.

Help, completion and the hints of a term that is not finished are all made from here. No data library is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """What the values of a name are."""

    KNOWN = "known"
    """One of the values that the data have, whole, in any case; an unfinished one does not count."""
    NUMBER = "number"
    """A number, whole or with decimals."""
    DURATION = "duration"
    """Seconds, or with units: 5m, 1h, 1h30m."""
    DAY = "day"
    """A day in UTC, 2026-10-01, or a month, 2026-10."""
    TEXT = "text"
    """A part of a text, in any case."""
    HERE = "here"
    """The word `here` alone."""


UNKNOWN: Final = "unknown"
"""The value that stands for no value, of every name but those of texts; in quotes it is a text like any other."""

EXACT: Final = (":", "=")
ORDERED: Final = (":", "=", "<", "<=", ">", ">=")
CONTAINS: Final = (":",)


@dataclass(frozen=True, slots=True)
class Name:
    """A name of the language. `values` says in a few words what may follow; `begins` is what completion writes."""

    name: str
    kind: Kind
    operators: tuple[str, ...]
    meaning: str
    values: str
    example: str
    begins: str


_LISTED: Final = (
    Name("is", Kind.KNOWN, EXACT, "what is recorded of a model",
         "pass, fail, excluded, untested, other, or a word of the result column", "is:pass", "is:"),
    Name("cores", Kind.NUMBER, ORDERED, "NeuronCores that the model was sharded over",
         "a number such as 4, or unknown", "cores<=4", "cores<="),
    Name("mem", Kind.NUMBER, ORDERED, "peak device memory in GB",
         "a number such as 20 or 7.5, or unknown", "mem<20", "mem<"),
    Name("full", Kind.NUMBER, ORDERED, "peak device memory in percent of the memory recorded as available",
         "a number such as 90, or unknown", "full>=90", "full>="),
    Name("wall", Kind.DURATION, ORDERED, "wall time of the run, compilation included",
         "seconds, or 5m, 1h, 1h30m, or unknown", "wall<300", "wall<"),
    Name("tested", Kind.DAY, ORDERED, "day of the test, in UTC",
         "a day such as 2026-10-01, a month such as 2026-10, or unknown", "tested>2026-10-01", "tested>"),
    Name("org", Kind.KNOWN, EXACT, "what stands before the slash of the id",
         "an organization", "org:Qwen", "org:"),
    Name("task", Kind.KNOWN, EXACT, "task on the Hub, from rankings and kept answers",
         "a task, or unknown", "task:text-generation", "task:"),
    Name("type", Kind.KNOWN, EXACT, "model type on the Hub, from kept answers",
         "a model type, or unknown", "type:qwen3", "type:"),
    Name("runner", Kind.KNOWN, EXACT, "how the model was run",
         "a word of the records, or unknown", "runner:unknown", "runner:"),
    Name("library", Kind.KNOWN, EXACT, "library of the record, else the Hub's",
         "a library, or unknown", "library:transformers", "library:"),
    Name("reason", Kind.TEXT, CONTAINS, "text in the reason for leaving the model out",
         "a part of it, in quotes when it has spaces", 'reason:"more than 16"', "reason:"),
    Name("error", Kind.TEXT, EXACT, "text in the error, or in the notes of the testers; with = the error's last line",
         "a part of it, in quotes when it has spaces; after = all of it, numbers and ids may differ",
         "error:OOM", "error:"),
    Name("fits", Kind.HERE, EXACT, "the cores of this host suffice, and the record's stack is installed",
         "here", "fits:here", "fits:"),
)  # fmt: skip

NAMES: Final[Mapping[str, Name]] = {each.name: each for each in _LISTED}
"""Every name of the language, in the order of the help."""

RULES: Final[tuple[tuple[str, str], ...]] = (
    ("qwen 8b", "words: each is in the id, in any order and any case"),
    ("is:fail cores>4", "terms: all of them apply, with the words"),
    ("-is:fail -8b", "a dash leaves out what a term or word finds; all other models stay"),
    ('"a b" "-8b"', 'quotes keep spaces and a dash at the beginning; "" in quotes is a quote'),
    ("mem:unknown", "models without a value; -cores<=4 has them, cores>4 has not"),
    (": = < <= > >=", "operators: for numbers, times and days all of them; for texts the first, for error = too"),
)
"""An example and what it means, for what is not in `NAMES`."""
