"""What stands under the matrix of a comparison: the record of a stack, and what changed since an older one. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from textual.content import Content

from tui import numbers
from tui.catalog import compare_told
from tui.catalog.compare import Cell, Comparison
from tui.catalog.compare_told import Errors
from tui.catalog.outcome_change import Change
from tui.catalog.stacks import Stack
from tui.catalog.verdict import Verdict, sentence, shown
from tui.terminal_text import brief
from tui.widgets.detail_text import HEADING, LONGEST_LINE, LONGEST_NOTE
from tui.widgets.verdict_look import MUTED, SIGNS, STYLES

_INDENT = "  "
_LABEL = 8
"""Cells of a label and the gap after it."""
_WHOLE = "f reads all"


def about(
    comparison: Comparison, stack: Stack | None, errors: Errors, being_read: Collection[int], width: int
) -> Content:
    """Record, change and notes of one stack, in lines of at most `width` cells.

    `being_read` are the records whose errors are on their way.
    """
    cell = None if stack is None else comparison.cells.get(stack)
    if cell is None:
        said = Content.assemble(
            (f"{SIGNS[Verdict.UNTESTED]} ", STYLES[Verdict.UNTESTED]), ("No record on this stack", "bold")
        )
        return Content("\n").join([said, _muted(stack.title if stack is not None else "")])
    blocks = [_record(cell), _change(comparison, cell, errors, being_read, width), _notes(cell)]
    return Content("\n\n").join(block for block in blocks if block)


def stacks_without(comparison: Comparison) -> Content:
    """The stacks that have no record of the model; empty when all have one."""
    return Content("\n").join(_muted(text) for text in compare_told.not_on(comparison))


def whole_errors(cells: Iterable[Cell | None], errors: Errors) -> str:
    """The errors of these records as they stand, each under its stack and what came out there."""
    return "\n\n".join(_whole(each, errors) for each in cells if each is not None)


def _whole(cell: Cell, errors: Errors) -> str:
    error = errors.get(cell.index)
    text = compare_told.error_line(errors, cell) if error is None else error.rstrip()
    return f"{cell.stack.title}\n{sentence(cell.record)}\n\n{text}"


def _record(cell: Cell) -> Content:
    record, style = cell.record, STYLES[cell.outcome.verdict]
    where = cell.stack.title
    if record.values["tested_at"] is not None:
        where += f" · tested {numbers.day(record.values['tested_at'])}"
    if record.values["runner"] is not None:
        where += f" · runner {shown(record.values['runner'])}"
    if cell.records > 1:
        where += f" · the best of {cell.records} records there"
    lines = [
        Content.assemble(
            (f"{SIGNS[cell.outcome.verdict]} ", style), (brief(sentence(record), LONGEST_NOTE), f"bold {style}")
        ),
        _muted(where),
    ]
    return Content("\n").join(lines)


def _change(comparison: Comparison, cell: Cell, errors: Errors, being_read: Collection[int], width: int) -> Content:
    before = comparison.before(cell)
    now = [] if _passed_without_a_word(cell, errors, being_read) else _evidence(cell, errors, being_read)
    if before is None:
        lines = [_muted("No older stack of the same library has a result of this model to compare with."), *now]
    elif cell.change is Change.SAME:
        lines = [_headline(cell, before), *now]
    else:
        style = STYLES[before.outcome.verdict]
        then = Content.styled(f"{SIGNS[before.outcome.verdict]} {brief(sentence(before.record), LONGEST_NOTE)}", style)
        lines = [
            _headline(cell, before),
            *_labelled("now", now, width),
            *_labelled("before", [then, *_evidence(before, errors, being_read)], width),
        ]
    return Content("\n").join(lines)


def _headline(cell: Cell, before: Cell) -> Content:
    where = before.stack.label
    told = {
        Change.BROKEN: (f"! Regression: it passed on {where}", "bold $text-error"),
        Change.FIXED: (f"Fixed: it failed on {where}", "bold $text-success"),
        Change.CORES: (f"Passes on other cores than on {where}", "bold"),
        Change.SAME: (f"The same on {where}", MUTED),
    }
    text, style = told.get(cell.change or Change.OTHER, (f"Another word than on {where}", "bold"))
    return Content.styled(brief(text), style)


def _labelled(label: str, texts: Sequence[Content], width: int) -> list[Content]:
    """The label, and the texts beside it also where they go on."""
    room = max(width - len(_INDENT) - _LABEL, 20)
    lines = [line for text in texts for part in text.split("\n", allow_blank=True) for line in part.wrap(room)]
    return [
        Content.styled(f"{_INDENT}{'' if place else label:<{_LABEL}}", MUTED) + line for place, line in enumerate(lines)
    ]


def _passed_without_a_word(cell: Cell, errors: Errors, being_read: Collection[int]) -> bool:
    silent = cell.index not in being_read and errors.get(cell.index) is None and cell.record.text("notes") is None
    return cell.outcome.verdict in (Verdict.PASS, Verdict.EXCLUDED) and silent


def _evidence(cell: Cell, errors: Errors, being_read: Collection[int]) -> list[Content]:
    """The error's last line and the notes of a record; that of a PASS says so when it has neither."""
    if cell.index in being_read:
        return [_muted("reading its error …")]
    if cell.outcome.verdict is Verdict.PASS:
        return [_muted(compare_told.of_a_pass(errors, cell, _WHOLE))]
    line = compare_told.error_line(errors, cell, _WHOLE)
    of_none = line in (compare_told.NONE_RECORDED, compare_told.NOT_READ)
    lines = [_muted(f"error: {line}") if of_none else Content.styled(line[:LONGEST_LINE], "$text-error")]
    notes = cell.record.text("notes")
    return lines if notes is None else [*lines, _muted(f"notes: {shown(notes)}")]


def _notes(cell: Cell) -> Content:
    if not cell.notes:
        return Content("")
    lines = [Content.assemble(("Notes   ", HEADING), ("no regressions", MUTED))]
    lines += [Content(f"{_INDENT}{brief(note)}") for note in cell.notes]
    return Content("\n").join(lines)


def _muted(text: str) -> Content:
    return Content.styled(brief(text, LONGEST_NOTE, newlines=True), MUTED)
