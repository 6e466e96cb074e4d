"""Two stacks against each other as lines: groups by change, of each its models. Pure; no widget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.cells import cell_len

from tui import numbers
from tui.catalog import diff_told
from tui.catalog.outcome_change import MEANINGS, Change
from tui.catalog.verdict import Verdict
from tui.export import cut
from tui.terminal_text import brief
from tui.widgets.table_cells import STYLES, Piece, fit
from tui.widgets.verdict_look import SIGNS

ARROW: Final = "→"
GUTTER: Final = 2
_GAP: Final = 2
_LONGEST: Final = 300
"""Characters of a text that are looked at."""
_NAMES: Final[Mapping[Change, str]] = {
    Change.CORES: "on other cores",
    Change.OTHER: "changed otherwise",
    Change.SAME: "unchanged",
}
"""What a heading calls a change, where its word alone reads oddly after a number."""
_NARROWEST_MODEL, _WIDEST_MODEL = 28, 64
_COLUMNS: Final[Mapping[str, int]] = {"result": 26, "cores": 9, "time": 16, "memory GB": 15, "note": 30}
"""Cells of the columns beside the model; those at the end give way first."""


@dataclass(frozen=True, slots=True)
class Group:
    """A change, with the first row of the frame that has it, and how many follow."""

    change: Change
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class Groups:
    """Lines of a list: for each group a heading, its rows, and a blank line before the next one."""

    groups: tuple[Group, ...]

    def __len__(self) -> int:
        """How many lines there are."""
        return max(sum(group.count + 2 for group in self.groups) - 1, 0)

    @property
    def rows(self) -> int:
        """How many of them are rows."""
        return sum(group.count for group in self.groups)

    def at(self, line: int) -> Group | int | None:
        """What is on a line: a heading, a row of the frame, or nothing."""
        for group in self.groups:
            if line <= group.count:
                return group if line == 0 else group.first + line - 1
            line -= group.count + 2
            if line < 0:
                break
        return None

    def line_of(self, place: int) -> int:
        """The line of a row, by its place among the rows that are listed, from 0."""
        line = 0
        for group in self.groups:
            if place < group.count:
                return line + 1 + place
            place -= group.count
            line += group.count + 2
        return 0

    def row_at(self, place: int) -> int:
        """The row of the frame, by its place among those that are listed."""
        found = self.at(self.line_of(place))
        assert isinstance(found, int)
        return found

    def place_at(self, line: int) -> int | None:
        """The place among the rows of what is on a line; None for a heading or nothing."""
        before = 0
        for group in self.groups:
            if line <= group.count:
                return before + line - 1 if line > 0 else None
            line -= group.count + 2
            before += group.count
        return None


def groups(counts: Mapping[Change, int], only: Change | None) -> Groups:
    """The groups of a frame in the order of `Change`; all that changed, or one of them."""
    listed, first = [], 0
    for change in Change:
        if counts[change] and (change is only or (only is None and change in diff_told.LISTED)):
            listed.append(Group(change, first, counts[change]))
        first += counts[change]
    return Groups(tuple(listed))


def columns(width: int) -> dict[str, int]:
    """Name and cells of the columns for which there is room, the model first."""
    chosen = dict(_COLUMNS)
    while chosen and width - GUTTER - sum(chosen.values()) - _GAP * len(chosen) < _NARROWEST_MODEL:
        chosen.popitem()
    room = max(width - GUTTER - sum(chosen.values()) - _GAP * len(chosen), 8)
    return {"model": min(room, _WIDEST_MODEL), **chosen}


def titles(width: int) -> list[Piece]:
    """The titles of the columns."""
    return [(" " * GUTTER, ""), *_in_columns([[(name, "")] for name in columns(width)], width)]


def heading(group: Group) -> list[Piece]:
    """`2 broken   PASS before, FAIL now: a regression`."""
    style = {Change.BROKEN: "fail", Change.FIXED: "pass"}.get(group.change, "heading")
    sign = "! " if group.change is Change.BROKEN else ""
    return [
        (f"{sign}{numbers.count(group.count)} {_NAMES.get(group.change, group.change)}   ", style),
        (MEANINGS[group.change], "dim"),
    ]


def line(row: Mapping[str, Any], width: int) -> list[Piece]:
    """A model, without the gutter."""
    both = {
        "cores": diff_told.cores,
        "time": diff_told.time,
        "memory GB": diff_told.memory,
    }
    pieces: list[list[Piece]] = []
    for name, cells in columns(width).items():
        if name == "model":
            pieces.append([(_shortened(brief(row["model_id"], _LONGEST), cells), "")])
        elif name == "result":
            pieces.append(_result(row))
        elif name == "note":
            pieces.append([(brief(diff_told.note(row), _LONGEST), "dim")])
        else:
            of = both[name]
            text = diff_told.change(of(row, "old"), of(row, "new"), ARROW)
            pieces.append([(brief(text, _LONGEST), "" if ARROW in text else "dim")])
    return _in_columns(pieces, width)


def _result(row: Mapping[str, Any]) -> list[Piece]:
    old, new = (_word(row, side) for side in ("old", "new"))
    # A blank goes with what is before it: some programs that draw the SVG of a screen drop those in front.
    return [new] if old == new else [(f"{old[0]} ", old[1]), (f"{ARROW} ", "dim"), new]


def _word(row: Mapping[str, Any], side: str) -> Piece:
    verdict = Verdict(row[f"{side}_verdict"] or Verdict.UNTESTED)
    text = diff_told.result(row, side)
    return f"{SIGNS[verdict]} {cut(brief(text, _LONGEST), 14)}", STYLES[verdict]


def _in_columns(cells: Sequence[list[Piece]], width: int) -> list[Piece]:
    placed: list[Piece] = []
    for pieces, room in zip(cells, columns(width).values(), strict=True):
        placed += [*fit(pieces, room), (" " * _GAP, "")]
    return placed


def _shortened(model_id: str, cells: int) -> str:
    """A long id loses its beginning, since ids differ at the end."""
    if cell_len(model_id) <= cells:
        return model_id
    end = model_id[-(cells - 1) :]
    while cell_len(end) > cells - 1:
        end = end[1:]
    return f"…{end}"
