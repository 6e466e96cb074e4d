"""The page of `compare`: a matrix where a terminal has room for it, else a line for each stack; then what regressed."""

from __future__ import annotations

from collections.abc import Sequence

from tui import numbers
from tui.catalog import compare_told
from tui.catalog.compare import Cell, Comparison
from tui.catalog.compare_told import Errors
from tui.catalog.stacks import Stack, compiler_label, library_label
from tui.catalog.verdict import sentence
from tui.cli.wrapped_text import wrapped
from tui.export import aligned, cell_width
from tui.terminal_text import clean

_GAP = 3
_HEADERS = ("result", "neuronx-cc", "library", "cores", "time", "memory", "tested", "since before")
_AT_RIGHT = (False, False, False, True, True, True, False, False)
_KEPT = 3
"""Columns of the list that every terminal gets."""
_WHOLE = "--format json"
"""Where the whole errors are."""


def page(comparison: Comparison, errors: Errors, width: int | None) -> str:
    """Clean lines, the last one ended too, at most `width` cells wide; a list for None, which is a pipe."""
    matrix = _matrix(comparison) if width is not None else []
    fits = bool(matrix) and width is not None and max(map(cell_width, matrix)) <= width
    parts = [
        wrapped([comparison.model_id, compare_told.summary(comparison)], width),
        matrix if fits else _list(comparison, width),
        *(_regression(comparison, cell, errors, width) for cell in comparison.regressions),
        _notes(comparison, width),
        wrapped(compare_told.not_on(comparison), width),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _matrix(comparison: Comparison) -> list[str]:
    """Compilers down, library versions across; up to three lines for each compiler."""
    titles = ["neuronx-cc", *(clean(library_label(*column)) for column in comparison.columns)]
    blocks = [
        [[clean(compiler_label(compiler))], *(_cell(comparison, compiler, column) for column in comparison.columns)]
        for compiler in comparison.compilers
    ]
    widths = [
        max(cell_width(line) for line in [title, *(line for block in blocks for line in block[place])])
        for place, title in enumerate(titles)
    ]
    lines = [_row(titles, widths)]
    for block in blocks:
        height = max(map(len, block))
        lines += [_row([dict(enumerate(cell)).get(number, "") for cell in block], widths) for number in range(height)]
        lines.append("")
    return lines[:-1]


def _cell(comparison: Comparison, compiler: str | None, column: tuple[str | None, str | None]) -> list[str]:
    stack = Stack(compiler, *column)
    if stack not in comparison.of_its_libraries:
        return []
    cell = comparison.cells.get(stack)
    if cell is None:
        return [compare_told.NO_RECORD]
    record = cell.record
    number = record.tp
    on = f"  {compare_told.cores(record)} core{'' if number == 1 else 's'}" if cell.outcome.has_result else ""
    lines = [f"{compare_told.result(cell)}{on}"]
    if cell.outcome.has_result:
        lines.append(f"{compare_told.time(record)}  {compare_told.memory(record)}")
    lines.append(compare_told.short_change(comparison, cell))
    return [clean(line) for line in lines if line]


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (text + " " * (cells_wide - cell_width(text)) for text, cells_wide in zip(cells, widths, strict=True))
    return (" " * _GAP).join(padded).rstrip()


def _list(comparison: Comparison, width: int | None) -> list[str]:
    rows: list[tuple[str, ...]] = [_HEADERS]
    rows += [_line(comparison, stack) for stack in comparison.of_its_libraries]
    for columns in range(len(_HEADERS), _KEPT - 1, -1):
        text = aligned([row[:columns] for row in rows], _AT_RIGHT[:columns])
        if width is None or max(map(cell_width, text.splitlines())) <= width:
            return text.splitlines()
    return aligned([row[:_KEPT] for row in rows], _AT_RIGHT[:_KEPT], width).splitlines()


def _line(comparison: Comparison, stack: Stack) -> tuple[str, ...]:
    versions = (compiler_label(stack.neuronx_cc), library_label(stack.library, stack.library_version))
    cell = comparison.cells.get(stack)
    if cell is None:
        return tuple(map(clean, (compare_told.NO_RECORD, *versions, *[""] * 5)))
    record = cell.record
    sign = "! " if cell.regressed else ""
    figures = (compare_told.cores(record), compare_told.time(record), compare_told.memory(record))
    tested = numbers.day(record.values["tested_at"])
    told = (f"{sign}{compare_told.result(cell)}", *versions, *figures, tested, compare_told.change(comparison, cell))
    return tuple(map(clean, told))


def _regression(comparison: Comparison, cell: Cell, errors: Errors, width: int | None) -> list[str]:
    """Both sides: what fails and why, and what was recorded when it passed."""
    before = comparison.before(cell)
    assert before is not None
    now = [sentence(cell.record), f"error: {compare_told.error_line(errors, cell, _WHOLE)}"]
    then = [f"{sentence(before.record)}; on {before.stack.label}", compare_told.of_a_pass(errors, before, _WHOLE)]
    return [
        *wrapped([f"! Regression on {cell.stack.title}"], width),
        *_labelled("now", now, width),
        *_labelled("before", then, width),
    ]


def _labelled(name: str, texts: Sequence[str], width: int | None) -> list[str]:
    indent = 10
    lines = wrapped(texts, None if width is None else max(width - indent, 10))
    return [f"  {name if not place else '':{indent - 2}}{line}" for place, line in enumerate(lines)]


def _notes(comparison: Comparison, width: int | None) -> list[str]:
    noted = [cell for cell in comparison.cells.values() if cell.notes]
    if not noted:
        return []
    texts = [f"{cell.stack.label}{_beside(cell)}: {'; '.join(cell.notes)}" for cell in noted]
    return ["Notes, which are no regressions", *wrapped(texts, width)]


def _beside(cell: Cell) -> str:
    return "" if cell.before is None else f", against {cell.before.label}"
