"""The matrix of a comparison as text: for a person, with what changed marked by a sign and a word. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from textual.content import Content

from tui.catalog import compare_told
from tui.catalog.compare import Cell, Comparison, LibraryVersion
from tui.catalog.outcome_change import Change
from tui.catalog.stacks import Stack, compiler_label, library_label
from tui.catalog.verdict import Verdict, shown
from tui.export import cut
from tui.terminal_text import brief
from tui.widgets.clickable import clickable
from tui.widgets.verdict_look import FAINT, MUTED, SIGNS, STYLES

MATRIX_FROM: Final = 98
"""Cells from which on there is room for a matrix: in fewer each stack is a line."""
CELL_LINES: Final = 3
_GAP: Final = 3
_WIDEST: Final = 34
"""Cells of a column at most."""
_WIDEST_RESULT: Final = 20
"""Cells of a result in the list; the record under it has it whole."""
_NO_STACK: Final = Content("")
_CHANGE_STYLES: Final[Mapping[Change | None, str]] = {
    Change.BROKEN: "bold $text-error",
    Change.FIXED: "$text-success",
}

Lines = list[Content]


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A text of some cells in width, to be put into a column."""

    lines: Sequence[Content]

    @property
    def width(self) -> int:
        return max((line.cell_length for line in self.lines), default=0)


def is_list(width: int) -> bool:
    """Whether a widget of this width has a line for each stack instead of the matrix."""
    return width < MATRIX_FROM


def lines_wanted(comparison: Comparison, width: int) -> int:
    """So many lines show everything."""
    if is_list(width):
        return 1 + len(comparison.of_its_libraries)
    return max(1 + len(comparison.compilers) * (CELL_LINES + 1) - 1, 1)


def drawn(comparison: Comparison, at: Stack | None, width: int, height: int) -> Content:
    """The comparison with the cursor on `at`, in so many cells; what has no room is the farthest from the cursor."""
    if is_list(width):
        lines, block = _list(comparison, at, width), 1
        place = 0 if at is None else comparison.of_its_libraries.index(at)
    else:
        lines, block = _matrix(comparison, at, width), CELL_LINES + 1
        place = 0 if at is None else comparison.compilers.index(at.neuronx_cc)
    titles, lines = lines[0], lines[1:]
    fitting = max((height if block > 1 else height - 1) // block, 1)
    blocks = -(-len(lines) // block)
    first = max(0, min(place - fitting // 2, blocks - fitting))
    if fitting < blocks:
        titles += Content.styled(f"   +{blocks - fitting} ↑ ↓", MUTED)
    return Content("\n").join([titles, *lines[first * block : (first + fitting) * block]])


# The matrix


def _matrix(comparison: Comparison, at: Stack | None, width: int) -> Lines:
    names = [Content.styled(brief(compiler_label(each)), "bold") for each in comparison.compilers]
    first = max([name.cell_length for name in names] + [len("neuronx-cc")]) + _GAP
    for narrow in (False, True):
        columns = [_column(comparison, column, at, narrow=narrow) for column in comparison.columns]
        widths = [min(max(each.width for each in column), _WIDEST) + _GAP for column in columns]
        if sum(widths) + first <= width:
            break
    start, end = _columns_shown(widths, _column_of(comparison, at), width - first)
    hidden = len(widths) - (end - start)
    titles = [_titled("neuronx-cc", first), *(_title(columns[place], widths[place]) for place in range(start, end))]
    lines = [_joined(titles) + Content.styled(f"+{hidden} ← →" if hidden else "", MUTED)]
    for row, name in enumerate(names):
        for number in range(CELL_LINES):
            left = _padded(name if number == 0 else Content(""), first)
            cells = [_padded(columns[place][row + 1].lines[number], widths[place]) for place in range(start, end)]
            lines.append(_joined([left, *cells]))
        lines.append(Content(""))
    return lines[:-1] if names else lines


def _column(comparison: Comparison, column: LibraryVersion, at: Stack | None, *, narrow: bool) -> list[_Drawn]:
    """The title, then a cell for each compiler."""
    title = _Drawn([Content.styled(f"  {brief(library_label(*column))}", MUTED)])
    return [title, *(_cell(comparison, Stack(each, *column), at, narrow=narrow) for each in comparison.compilers)]


def _cell(comparison: Comparison, stack: Stack, at: Stack | None, *, narrow: bool) -> _Drawn:
    """Verdict, cores, time, memory, and what changed; a narrow one has the cores beside the verdict."""
    stacks = comparison.of_its_libraries
    if stack not in stacks:
        return _Drawn([_NO_STACK] * CELL_LINES)
    cell = comparison.cells.get(stack)
    if cell is None:
        lines = [Content.styled(f"{SIGNS[Verdict.UNTESTED]} {compare_told.NO_RECORD}", FAINT), _NO_STACK, _NO_STACK]
    else:
        cores, *others = _figures(cell)
        beside, under = (cores, others) if narrow else ("", [cores, *others])
        figures = Content(f"  {'  '.join(filter(None, under))}")
        lines = [_verdict(cell) + (f"  {beside}" if beside else ""), figures, _changed(comparison, cell, indent="  ")]
    mark = Content.styled("▌ ", "$primary") if stack == at else Content("  ")
    action = f"go({stacks.index(stack)})"
    return _Drawn([clickable(mark + (line.stylize("bold") if stack == at else line), action) for line in lines])


def _verdict(cell: Cell) -> Content:
    style = STYLES[cell.outcome.verdict]
    return Content.styled(f"{SIGNS[cell.outcome.verdict]} {brief(compare_told.result(cell), 60)}", style)


def _figures(cell: Cell) -> list[str]:
    """Cores, time and memory; empty without a result."""
    if not cell.outcome.has_result:
        return [""] * 3
    record = cell.record
    cores = f"{brief(compare_told.cores(record), 20)} core{'' if record.tp == 1 else 's'}"
    return [cores, brief(compare_told.time(record), 20), brief(compare_told.memory(record), 20)]


def _changed(comparison: Comparison, cell: Cell, indent: str = "") -> Content:
    text = brief(compare_told.short_change(comparison, cell), 60)
    # The sign stands where that of the verdict does.
    placed = text if cell.regressed else f"{indent}{text}"
    return Content.styled(placed, _CHANGE_STYLES.get(cell.change, MUTED)) if text else Content("")


def _column_of(comparison: Comparison, at: Stack | None) -> int:
    return 0 if at is None else comparison.columns.index((at.library, at.library_version))


def _columns_shown(widths: Sequence[int], wanted: int, room: int) -> tuple[int, int]:
    """From which to before which column there is room, the wanted one included; all when they fit."""
    if sum(widths) <= room:
        return 0, len(widths)
    room -= len("+00 ← →   +00 ↑ ↓")
    start, end = wanted, wanted + 1
    while end < len(widths) and sum(widths[start : end + 1]) <= room:
        end += 1
    while start > 0 and sum(widths[start - 1 : end]) <= room:
        start -= 1
    return start, end


def _title(column: Sequence[_Drawn], width: int) -> Content:
    return _padded(column[0].lines[0], width)


def _titled(text: str, width: int) -> Content:
    return _padded(Content.styled(text, MUTED), width)


# The list

_TITLES: Final = ("result", "neuronx-cc", "library", "cores", "time", "memory", "since before")
_AT_RIGHT: Final = frozenset({3, 4, 5})
_GIVE_WAY: Final = (5, 4, 3)
"""Columns that are left out where there is no room, in this order."""


def _list(comparison: Comparison, at: Stack | None, width: int) -> Lines:
    libraries = {stack.library for stack in comparison.of_its_libraries}
    one = next(iter(libraries)) if len(libraries) == 1 else None
    rows = [_line(comparison, stack, one_library=one is not None) for stack in comparison.of_its_libraries]
    names = ["  result", "neuronx-cc", cut(brief(one or "library"), 30), *_TITLES[3:]]
    titles = [Content.styled(name, MUTED) for name in names]
    for left_out in range(len(_GIVE_WAY) + 1):
        columns = [place for place in range(len(_TITLES)) if place not in _GIVE_WAY[:left_out]]
        widths = {place: max(row[place].cell_length for row in [titles, *rows]) for place in columns}
        if sum(widths.values()) + 2 * len(columns) <= width:  # with the mark before, without the gap after
            break
    lines = [(Content("  ") + _joined([_placed(titles[place], widths[place], place) for place in columns])).rstrip()]
    for number, (stack, row) in enumerate(zip(comparison.of_its_libraries, rows, strict=True)):
        mark = Content.styled("▌ ", "$primary") if stack == at else Content("  ")
        line = (mark + _joined([_placed(row[place], widths[place], place) for place in columns])).rstrip()
        lines.append(clickable(line.stylize("bold") if stack == at else line, f"go({number})"))
    return [line.truncate(width, ellipsis=True) for line in lines]


def _line(comparison: Comparison, stack: Stack, *, one_library: bool) -> list[Content]:
    library = shown(stack.library_version) if one_library else library_label(stack.library, stack.library_version)
    versions = [Content(cut(brief(text), 30)) for text in (compiler_label(stack.neuronx_cc), library)]
    cell = comparison.cells.get(stack)
    if cell is None:
        said = Content.styled(f"{SIGNS[Verdict.UNTESTED]} {compare_told.NO_RECORD}", FAINT)
        return [said, *(text.stylize(FAINT) for text in versions), *[Content("")] * 4]
    record = cell.record
    figures = (compare_told.cores(record), compare_told.time(record), compare_told.memory(record))
    told = [Content(brief(figure, 20) if cell.outcome.has_result else "") for figure in figures]
    return [_verdict(cell).truncate(_WIDEST_RESULT, ellipsis=True), *versions, *told, _changed(comparison, cell)]


# Text in columns


def _placed(text: Content, width: int, place: int) -> Content:
    if place in _AT_RIGHT:
        return Content(" " * (width - text.cell_length)) + text + Content("  ")
    return _padded(text, width + 2)


def _padded(text: Content, width: int) -> Content:
    if text.cell_length > width - 1:
        text = text.truncate(width - 1, ellipsis=True)
    return text + Content(" " * (width - cell_len(text.plain)))


def _joined(parts: Sequence[Content]) -> Content:
    return Content("").join(parts)
