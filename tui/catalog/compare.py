"""One model on every stack: a matrix of compilers and library versions, each cell compared with an older one. Pure.

Errors are long texts on disk: `error_of` reads the one of a cell when it is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from tui import numbers
from tui.catalog import views
from tui.catalog.outcome_change import Change, Outcome, change_of
from tui.catalog.question import LEFT_OUT
from tui.catalog.records import one_a_model
from tui.catalog.snapshot import read_text, record_at
from tui.catalog.stacks import STACK_COLUMNS, Stack, version_key
from tui.catalog.verdict import Record, Verdict

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot

LibraryVersion = tuple[str | None, str | None]
"""A column of the matrix: library and its version."""

CACHE_STATE_UNKNOWN = "cache state is not recorded"


@dataclass(frozen=True, slots=True)
class Cell:
    """A model on a stack that has a record of it.

    `record` is the one that the table shows, `index` its row in `snapshot.records`, `records` how many there are and
    `disagree` those with another verdict (`+1 FAIL +2 other`). `before` is the newest older stack to compare with and
    `change` what changed since, None without one; `notes` are differences that are no change of what came out.
    """

    stack: Stack
    index: int
    record: Record
    outcome: Outcome
    records: int
    disagree: str
    before: Stack | None = None
    change: Change | None = None
    notes: tuple[str, ...] = ()

    @property
    def regressed(self) -> bool:
        """Whether it passed on the older stack and fails here."""
        return self.change is Change.BROKEN


@dataclass(frozen=True)
class Comparison:
    """One model across all stacks.

    `model_id` as the newest record has it; `stacks` every stack of the dataset, newest first; `cells` those of them
    with a record of the model, in the same order; `complete` whether all records could be read.
    """

    model_id: str
    stacks: tuple[Stack, ...]
    cells: Mapping[Stack, Cell]
    complete: bool = True

    @cached_property
    def of_its_libraries(self) -> tuple[Stack, ...]:
        """The stacks of the dataset that have a library with which the model was recorded: those of the matrix."""
        libraries = {stack.library for stack in self.cells}
        return tuple(stack for stack in self.stacks if stack.library in libraries)

    @cached_property
    def without(self) -> tuple[Stack, ...]:
        """The stacks of the matrix that have no record of the model."""
        return tuple(stack for stack in self.of_its_libraries if stack not in self.cells)

    @cached_property
    def of_other_libraries(self) -> tuple[Stack, ...]:
        """The stacks that are not in the matrix: none of them has a record of the model."""
        return tuple(stack for stack in self.stacks if stack not in set(self.of_its_libraries))

    @cached_property
    def compilers(self) -> tuple[str | None, ...]:
        """The rows of the matrix, newest first."""
        return tuple(sorted({stack.neuronx_cc for stack in self.of_its_libraries}, key=version_key, reverse=True))

    @cached_property
    def columns(self) -> tuple[LibraryVersion, ...]:
        """The columns of the matrix: the libraries in the order of their newest stacks, of each its newest first."""
        libraries = dict.fromkeys(stack.library for stack in self.of_its_libraries)
        return tuple(
            (library, version)
            for library in libraries
            for version in sorted(
                {stack.library_version for stack in self.of_its_libraries if stack.library == library},
                key=version_key,
                reverse=True,
            )
        )

    @property
    def regressions(self) -> tuple[Cell, ...]:
        """The cells that fail where an older stack passed, newest first."""
        return tuple(cell for cell in self.cells.values() if cell.regressed)

    def before(self, cell: Cell) -> Cell | None:
        """The cell that this one is compared with."""
        return None if cell.before is None else self.cells[cell.before]


def compared(snapshot: Snapshot, key: str, renames: Mapping[str, str]) -> Comparison:
    """The model with this casefolded id, the old one or what it was renamed to, on every stack of the snapshot.

    Each cell has the record that the table shows. It is compared with the newest stack of the same library that is not
    newer in compiler or library version and has a record with a result. No cell when the model has no record.
    """
    stacks = tuple(count.stack for count in snapshot.stacks)
    found = views.records_of(snapshot, key, renames)
    if found.is_empty():
        return Comparison(key, stacks, {}, snapshot.complete)
    places = {stack: place for place, stack in enumerate(stacks)}
    of_stacks = [str(places[Stack(*parts)]) for parts in found.select(STACK_COLUMNS).iter_rows()]
    shown = one_a_model(found.with_columns(model=pl.Series(of_stacks, dtype=pl.String)))
    rows = sorted(shown.iter_rows(named=True), key=lambda row: int(row["model"]))
    alone = {cell.stack: cell for cell in (_cell(snapshot, stacks, row) for row in rows)}
    cells = {stack: _compared(cell, _older(alone, cell)) for stack, cell in alone.items()}
    newest = next(iter(cells.values()))
    return Comparison(newest.record.model_id or key, stacks, cells, snapshot.complete)


def older_stack(stacks: Iterable[Stack], than: Stack) -> Stack | None:
    """The newest of the stacks that `than` is compared with, when they come newest first; None when there is none."""
    return next((stack for stack in stacks if stack != than and _is_older(stack, than)), None)


def error_of(snapshot: Snapshot, cell: Cell) -> str | None:
    """The whole error that is recorded with a cell, read from disk; None when there is none.

    Raises `UnreadableFileError` when the app's own copy is damaged or gone.
    """
    if not snapshot.records["has_error"][cell.index]:
        return None
    return read_text(snapshot, cell.record.file, cell.record.row, "error")


def _cell(snapshot: Snapshot, stacks: Sequence[Stack], row: Mapping[str, Any]) -> Cell:
    record = record_at(snapshot, row["record"])
    word = row["word"] or (LEFT_OUT if record.verdict is Verdict.EXCLUDED else str(record.verdict))
    outcome = Outcome(record.verdict, word, record.tp, row["has_result"])
    return Cell(stacks[int(row["model"])], row["record"], record, outcome, row["records"], row["disagree"])


def _older(cells: Mapping[Stack, Cell], cell: Cell) -> Cell | None:
    """What a cell is compared with; `cells` come newest first."""
    found = older_stack((each.stack for each in cells.values() if each.outcome.has_result), cell.stack)
    return None if found is None else cells[found]


def _is_older(stack: Stack, than: Stack) -> bool:
    return (
        stack.library == than.library
        and _not_newer(stack.neuronx_cc, than.neuronx_cc)
        and _not_newer(stack.library_version, than.library_version)
    )


def _not_newer(version: str | None, than: str | None) -> bool:
    """Whether it is the same or older; of what is no version nothing is known beside one that is."""
    mine, other = version_key(version), version_key(than)
    return mine[0] == other[0] and mine <= other


def _compared(cell: Cell, older: Cell | None) -> Cell:
    disagreeing = (
        (f"the records here disagree: {cell.disagree}", bool(cell.disagree)),
        (f"the records before disagree: {older.disagree if older else ''}", bool(older and older.disagree)),
    )
    notes = tuple(text for text, holds in disagreeing if holds)
    if older is None:
        return replace(cell, notes=notes)
    return replace(
        cell,
        before=older.stack,
        change=change_of(older.outcome, cell.outcome),
        notes=(*differences(older.record, cell.record), *notes),
    )


def differences(before: Record, now: Record) -> tuple[str, ...]:
    """What is otherwise between two records that both passed: cores, time, memory. Never a judgement.

    A time depends on what the cache of compiled graphs held, which is not recorded.
    """
    if not before.verdict is now.verdict is Verdict.PASS:
        return ()
    notes = []
    if before.tp is not None and now.tp is not None and before.tp != now.tp:
        notes.append(f"on {numbers.counted(now.tp, 'core')} instead of {before.tp}")
    times = _ratio(before.values.get("wall_s"), now.values.get("wall_s"))
    if times:
        notes.append(f"{times} x the wall time; {CACHE_STATE_UNKNOWN}")
    memory = _ratio(before.values.get("hbm_peak_gb"), now.values.get("hbm_peak_gb"))
    if memory:
        notes.append(f"{memory} x the peak memory")
    return tuple(notes)


def _ratio(before: float | None, now: float | None) -> str:
    """Now over before, to two digits: `1.4`; empty where it is 1 or cannot be told."""
    if before is None or now is None or not _positive((before, now)):
        return ""
    text = numbers.decimal(float(f"{now / before:.2g}"))
    return "" if text == "1" else text


def _positive(values: Iterable[float]) -> bool:
    return all(math.isfinite(value) and value > 0 for value in values)
