"""Two stacks against each other in words, and as frames that leave the app. Pure; nothing is cleaned here."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, Final

import polars as pl

from tui import numbers
from tui.catalog.compare_told import NO_RECORD
from tui.catalog.outcome_change import Change
from tui.catalog.stack_diff import StackDiff
from tui.catalog.verdict import shown

LISTED: Final = tuple(change for change in Change if change is not Change.SAME)
"""What is listed unless something else is asked for: all that changed."""

ARROW: Final = "->"

Line = Mapping[str, Any]
"""One line of `StackDiff.frame`, by column."""


def counts_in_words(counts: Mapping[Change, int]) -> str:
    """`2 broken, 3 fixed, 0 new, ...`."""
    return ", ".join(f"{numbers.count(counts[change])} {change}" for change in Change)


def result(line: Line, side: str) -> str:
    """The word of one side (`old` or `new`), or that it has no record."""
    return NO_RECORD if line[f"{side}_record"] is None else shown(line[f"{side}_word"])


def cores(line: Line, side: str) -> str:
    """The cores of one side, or their raw text; empty without a record."""
    return _figure(line, side, "tp", str)


def time(line: Line, side: str) -> str:
    """The wall time of one side, or its raw text; empty without a record."""
    return _figure(line, side, "wall_s", numbers.duration)


def memory(line: Line, side: str) -> str:
    """The peak memory of one side in GB, or its raw text; empty without a record."""
    return _figure(line, side, "hbm_peak_gb", numbers.gigabytes)


def change(old: str, new: str, arrow: str = ARROW) -> str:
    """Both of them, or the one that there is, or that both are."""
    return f"{old} {arrow} {new}" if old and new and old != new else new or old


def note(line: Line) -> str:
    """Empty, or on which side the records of the model disagree: `old: +1 FAIL; new: +2 other`."""
    disagreeing = ((side, line[f"{side}_disagree"]) for side in ("old", "new"))
    return "; ".join(f"{side}: {others}" for side, others in disagreeing if others)


def told(found: StackDiff, changes: Collection[Change], form: str) -> pl.DataFrame:
    """The lines of these changes for one of `tui.export.FILE_FORMATS`: Markdown is for people, the rest for programs.

    Programs get the columns of `StackDiff.frame` with the names of both stacks, and without what means something
    inside the app only.
    """
    lines = found.only(changes)
    if form == "markdown":
        return for_people(lines)
    names = (pl.lit(found.old.word).alias("old_stack"), pl.lit(found.new.word).alias("new_stack"))
    inside = ("key", "old_record", "new_record", "old_unconverted", "new_unconverted")
    return lines.with_columns(*names).drop(inside)


def for_people(frame: pl.DataFrame) -> pl.DataFrame:
    """The lines in words: change, model, result, cores, time, memory, note; `PASS -> FAIL` where they differ."""
    names = ("change", "model", "result", "cores", "time", "memory GB", "note")
    rows = [_words(line) for line in frame.iter_rows(named=True)]
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def _words(line: Line) -> list[str | None]:
    both = (change(of(line, "old"), of(line, "new")) for of in (result, cores, time, memory))
    return [line["change"], shown(line["model_id"]), *both, note(line) or None]


def _figure(line: Line, side: str, name: str, in_words: Any) -> str:
    if line[f"{side}_record"] is None:
        return ""
    value, raw = line[f"{side}_{name}"], line[f"{side}_unconverted"]
    if value is not None:
        return str(in_words(value))
    return shown(None, json.loads(raw).get(name) if raw else None)
