"""A comparison in words, and as frames that leave the app. Pure; nothing here is cleaned for a terminal yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import polars as pl

from tui import numbers
from tui.catalog.compare import Cell, Comparison
from tui.catalog.outcome_change import Change
from tui.catalog.records import VERDICT_TYPE
from tui.catalog.stack_diff import CHANGE_TYPE
from tui.catalog.stacks import Stack, compiler_label, library_label
from tui.catalog.verdict import Record, Verdict, is_blank, shown
from tui.terminal_text import last_line

Errors = Mapping[int, str | None]
"""The whole errors that were read: row in `snapshot.records` -> text, None where none is recorded. One that is missing
could not be read."""

NONE_RECORDED: Final = "none recorded"
NOT_READ: Final = "cannot be read"
NO_RECORD: Final = "no record"
REGRESSION: Final = "regression"

_SHORT: Final[Mapping[Change | None, str]] = {
    Change.BROKEN: f"! {REGRESSION}",
    Change.FIXED: "fixed",
    Change.CORES: "other cores",
}

_FOR_PROGRAMS: Final[Mapping[str, Any]] = {
    "model_id": pl.String,
    "neuronx_cc": pl.String,
    "library": pl.String,
    "library_version": pl.String,
    "verdict": VERDICT_TYPE,
    "word": pl.String,
    "tp": pl.Int32,
    "wall_s": pl.Int32,
    "hbm_peak_gb": pl.Float64,
    "hbm_capacity_gb": pl.Float64,
    "tested_at": pl.Datetime("ms", "UTC"),
    "records": pl.UInt32,
    "disagree": pl.String,
    "before_neuronx_cc": pl.String,
    "before_library_version": pl.String,
    "change": CHANGE_TYPE,
    "notes": pl.List(pl.String),
    "error": pl.String,
    "before_error": pl.String,
    "before_notes": pl.String,
}
_FOR_PEOPLE: Final = ("result", "neuronx-cc", "library", "cores", "time", "memory", "tested", "since before", "notes")


def result(cell: Cell) -> str:
    """The word, and how many records disagree: `PASS +1 FAIL`."""
    return " ".join(part for part in (shown(cell.outcome.word), cell.disagree) if part)


def cores(record: Record) -> str:
    """The cores, or their raw text."""
    return shown(record.values["tp"], record.unconverted.get("tp"))


def time(record: Record) -> str:
    """The wall time in a few cells, or its raw text."""
    raw = record.unconverted.get("wall_s")
    return shown(None, raw) if raw is not None else numbers.duration(record.values["wall_s"])


def memory(record: Record) -> str:
    """Peak of capacity: `18.2/24 GB`."""
    peak, capacity = record.values["hbm_peak_gb"], record.values["hbm_capacity_gb"]
    raw = record.unconverted.get("hbm_peak_gb")
    if raw is not None or peak is None:
        return shown(None, raw)
    return f"{numbers.gigabytes(peak)}{'' if capacity is None else f'/{numbers.gigabytes(capacity)}'} GB"


def short_change(comparison: Comparison, cell: Cell) -> str:
    """What changed since the older stack, for a cell of the matrix; empty when that is nothing."""
    before = comparison.before(cell)
    if before is not None and cell.change is Change.OTHER:
        return f"was {shown(before.outcome.word)}"
    return _SHORT.get(cell.change, "")


def change(comparison: Comparison, cell: Cell) -> str:
    """What changed since the older stack, and on which that was; empty when there is none to compare with."""
    before = comparison.before(cell)
    if before is None:
        return ""
    where = f"on {before.stack.label}"
    match cell.change:
        case Change.BROKEN:
            return f"{REGRESSION}: PASS {where}"
        case Change.FIXED:
            return f"fixed: FAIL {where}"
        case Change.CORES:
            return f"other cores: {cores(before.record)} before, {where}"
        case Change.OTHER:
            return f"other word: {shown(before.outcome.word)} {where}"
        case _:
            return f"the same {where}"


def summary(comparison: Comparison) -> str:
    """On how many stacks there is a record, and how many regressions there are."""
    of, here = len(comparison.of_its_libraries), len(comparison.cells)
    regressions = len(comparison.regressions)
    found = f"{here} of {numbers.counted(of, 'stack')}" if here != of else numbers.counted(of, "stack")
    told = "no regression" if not regressions else numbers.counted(regressions, REGRESSION)
    return f"a record on {found}, {told}"


def not_on(comparison: Comparison) -> list[str]:
    """Sentences that name the stacks of the dataset without a record of the model."""
    told = []
    if comparison.without:
        told.append(f"No record on {_listed(comparison.without)}")
    if comparison.of_other_libraries:
        told.append(f"No record with another library: {_listed(comparison.of_other_libraries)}")
    return told


def error_line(errors: Errors, cell: Cell, where: str = "") -> str:
    """The last line of a record's error, how many more there are and `where` they are; or why there is none."""
    if cell.index not in errors:
        return NOT_READ
    error = errors[cell.index]
    if error is None:
        return NONE_RECORDED
    if is_blank(error):
        return shown(error)
    more = len(error.splitlines()) - 1
    there = f": {where}" if where else ""
    return last_line(error) + (f" ({numbers.counted(more, 'more line')}{there})" if more > 0 else "")


def of_a_pass(errors: Errors, cell: Cell, where: str = "") -> str:
    """What a record that passed has of error and notes: a regression is judged by both sides."""
    notes, error = cell.record.text("notes"), error_line(errors, cell, where)
    if is_blank(notes):
        return f"error and notes: {NONE_RECORDED}" if error == NONE_RECORDED else f"error: {error}"
    return f"notes: {notes}" + ("" if error == NONE_RECORDED else f"; error: {error}")


def told(comparison: Comparison, errors: Errors, form: str) -> pl.DataFrame:
    """The comparison for one of `tui.export.FILE_FORMATS`: Markdown is for people, the rest for programs."""
    return (for_people if form == "markdown" else for_programs)(comparison, errors)


def for_programs(comparison: Comparison, errors: Errors) -> pl.DataFrame:
    """A row for each stack of the dataset, newest first; those without a record of the model are UNTESTED.

    Columns as of the dataset; `before_...` is the older stack of the same library that the record is compared with,
    `change` of `Change`, `notes` other differences. `error`, `before_error` and `before_notes` are those of a
    regression, whole; of other records they are null.
    """
    rows = [_row(comparison, stack, errors) for stack in comparison.stacks]
    return pl.DataFrame(rows, schema=dict(_FOR_PROGRAMS))


def for_people(comparison: Comparison, errors: Errors) -> pl.DataFrame:
    """A row in words for each stack of the matrix, newest first; of a regression the last lines of both errors."""
    rows = [_words(comparison, stack, errors) for stack in comparison.of_its_libraries]
    return pl.DataFrame(rows, schema=dict.fromkeys(_FOR_PEOPLE, pl.String), orient="row")


def _row(comparison: Comparison, stack: Stack, errors: Errors) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(_FOR_PROGRAMS) | {
        "model_id": comparison.model_id,
        "neuronx_cc": stack.neuronx_cc,
        "library": stack.library,
        "library_version": stack.library_version,
        "verdict": Verdict.UNTESTED.value,
        "word": NO_RECORD,
        "records": 0,
        "disagree": "",
        "notes": [],
    }
    cell = comparison.cells.get(stack)
    if cell is None:
        return row
    values = cell.record.values
    row |= {name: values[name] for name in ("tp", "wall_s", "hbm_peak_gb", "hbm_capacity_gb", "tested_at")}
    row |= {"verdict": cell.outcome.verdict.value, "word": cell.outcome.word}
    row |= {"records": cell.records, "disagree": cell.disagree, "notes": list(cell.notes)}
    before = comparison.before(cell)
    if before is not None and cell.change is not None:
        row |= {"before_neuronx_cc": before.stack.neuronx_cc, "before_library_version": before.stack.library_version}
        row["change"] = cell.change.value
        if cell.regressed:
            row |= {"error": errors.get(cell.index), "before_error": errors.get(before.index)}
            row["before_notes"] = before.record.text("notes")
    return row


def _words(comparison: Comparison, stack: Stack, errors: Errors) -> list[str | None]:
    versions = [compiler_label(stack.neuronx_cc), library_label(stack.library, stack.library_version)]
    cell = comparison.cells.get(stack)
    if cell is None:
        return [NO_RECORD, *versions, *[None] * 6]
    notes, before = list(cell.notes), comparison.before(cell)
    if cell.regressed and before is not None:
        notes.insert(0, f"error now: {error_line(errors, cell)}")
        notes.insert(1, f"before: {of_a_pass(errors, before)}")
    record = cell.record
    figures = [cores(record), time(record), memory(record), numbers.day(record.values["tested_at"])]
    return [result(cell), *versions, *figures, change(comparison, cell) or None, "; ".join(notes) or None]


def _listed(stacks: tuple[Stack, ...], most: int = 5) -> str:
    named = "; ".join(stack.label for stack in stacks[:most])
    return named if len(stacks) <= most else f"{named}; and {len(stacks) - most} more"
