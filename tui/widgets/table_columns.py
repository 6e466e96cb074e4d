"""The table's columns: which ones there is room for, and how wide. Pure; no widget.

As the terminal narrows, columns go in this order, each when the model's column would fall under `MODEL_COMFORT`
cells: check, memory, time, figure of the ranking, cores, stack, rank. Then the column of the verdict shrinks, from
the word with "+1 FAIL" to `● PASS+`. Verdict and model always stay. As the terminal widens, the model's column stops
at `MODEL_WIDEST` cells, so that the numbers stay near the id, then the stack's grows, then the check's. The widths
depend on the terminal alone, never on the lines: nothing shifts while a search is typed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rich.cells import cell_len

GUTTER = 2
"""Cells before the first column: the cursor's mark and a blank."""
MODEL_COMFORT = 24
MODEL_WIDEST = 48
MODEL_LEAST = 20
"""The verdict's column shrinks when the model's would be under this."""
VERDICT_WIDTHS = (14, 10, 7)
"""`● PASS +1 FAIL`, `– left out`, `● PASS+`."""
CHECK_WIDEST = 40
STACK_WIDEST = 36
"""`2.27.5334.0 · transformers 5.21.0` and a little more; the least is for `2.28 · 5.23.1`."""
NARROW = 40
"""In a table of fewer cells than this, columns are one cell apart instead of two."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table; `name` is the column of the lines that it is sorted by."""

    name: str
    title: str
    width: int
    right: bool = False


RANK = Column("rank", "#", 5, right=True)
VERDICT = Column("verdict", "result", VERDICT_WIDTHS[0])
MODEL = Column("model_id", "model", MODEL_WIDEST)
STACK = Column("neuronx_cc", "stack", 14)
CORES = Column("tp", "cores", 6, right=True)
TIME = Column("wall_s", "time", 6, right=True)
MEMORY = Column("hbm_peak_gb", "memory", 12, right=True)
CHECK = Column("cpu_match", "check", 20)

GIVE_WAY = ("cpu_match", "hbm_peak_gb", "wall_s", "figure", "tp", "neuronx_cc", "rank")
"""The columns that go as the terminal narrows, the first to go first."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a column stands: `width` cells from cell `start` of the line."""

    column: Column
    start: int
    width: int

    @property
    def end(self) -> int:
        """The first cell after it."""
        return self.start + self.width


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a table of `width` cells, left to right, `gap` cells apart.

    What is said of a line in place of its numbers may stand from `note_start` to before `note_end`; that of a line
    with a record, in a list of several stacks, from `numbers_start`.
    """

    width: int
    gap: int
    places: tuple[Place, ...]
    note_start: int
    numbers_start: int
    note_end: int

    def column_at(self, x: int) -> Column | None:
        """The column at cell `x`; the gap after a column belongs to it."""
        return next((each.column for each in self.places if each.start <= x < each.end + self.gap), None)


@lru_cache(maxsize=256)
def layout(width: int, *, ranking: bool, figure_title: str = "trend", stacks: bool = False) -> Layout:
    """The columns that a table of `width` cells has room for; `ranking` adds rank and figure, `stacks` the stack."""
    gap = 1 if width < NARROW else 2
    columns = [VERDICT, MODEL, *([STACK] if stacks else []), CORES, TIME, MEMORY, CHECK]
    if ranking:
        # One cell beside the title is for the arrow of the sorted column.
        figure = Column("figure", figure_title, max(6, cell_len(figure_title) + 1), right=True)
        columns = [RANK, *columns, figure]

    def model_room(verdict_width: int) -> int:
        others = sum(column.width + gap for column in columns if column not in (MODEL, VERDICT))
        return width - GUTTER - verdict_width - gap - others

    for name in GIVE_WAY:
        if model_room(VERDICT_WIDTHS[0]) >= MODEL_COMFORT:
            break
        columns = [column for column in columns if column.name != name]
    fitting = (each for each in VERDICT_WIDTHS if model_room(each) >= MODEL_LEAST)
    verdict_width = next(fitting, VERDICT_WIDTHS[-1])
    room = max(model_room(verdict_width), 0)
    widths = {VERDICT.name: verdict_width, MODEL.name: min(room, MODEL_WIDEST)}
    spare = room - widths[MODEL.name]
    if STACK in columns:
        widths[STACK.name] = min(STACK.width + spare, STACK_WIDEST)
        spare -= widths[STACK.name] - STACK.width
    widths[CHECK.name] = min(CHECK.width + spare, CHECK_WIDEST)

    places = []
    start = GUTTER
    for column in columns:
        places.append(Place(column, start, widths.get(column.name, column.width)))
        start = places[-1].end + gap
    model = next(place for place in places if place.column is MODEL)
    before_numbers = next((place for place in places if place.column is STACK), model)
    figure_start = next((place.start for place in places if place.column.name == "figure"), None)
    note_end = width if figure_start is None else figure_start - gap
    return Layout(width, gap, tuple(places), model.end + gap, before_numbers.end + gap, note_end)
