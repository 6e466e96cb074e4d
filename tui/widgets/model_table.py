"""The table of models: lines of which only the visible ones are ever read or drawn."""

from __future__ import annotations

import textwrap
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from tui.catalog.rows import NO_ROWS, FrameRows, KeptRows, Rows, place_in
from tui.terminal_text import clean
from tui.widgets import table_cells, table_columns
from tui.widgets.styled_lines import StyledLines, moving
from tui.widgets.table_cells import DRAWN
from tui.widgets.table_columns import GUTTER, Layout
from tui.widgets.table_style import COMPONENT_CLASSES, CSS

if TYPE_CHECKING:
    import polars as pl

Line = dict[str, Any]
"""One row of the lines that `views.select` gives, by column name."""

NOTHING_TO_OPEN = "No model is listed here to open."
STILL_READING = "The records are still being read."


class ModelTable(StyledLines, can_focus=True, inherit_bindings=False):
    """Models, one on a line, with a header that stays and a cursor that keeps to its model.

    It is given lines with `show` and tells what the person does with messages. The cursor moves by whole lines and
    nothing is animated: a cursor key repaints two lines.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        moving("up,k", "move(-1)", "table.up", "One model up"),
        moving("down,j", "move(1)", "table.down", "One model down"),
        moving("pageup", "page(-1.0)", "table.page_up", "One page up"),
        moving("pagedown", "page(1.0)", "table.page_down", "One page down"),
        moving("ctrl+u", "page(-0.5)", "table.half_page_up", "Half a page up"),
        moving("ctrl+d", "page(0.5)", "table.half_page_down", "Half a page down"),
        moving("g,home", "first", "table.first", "First model"),
        moving("G,end", "last", "table.last", "Last model"),
        Binding("enter", "open", "detail", id="table.open", tooltip="All that is recorded of the model on the line"),
    ]
    STYLES = "model-table"
    COMPONENT_CLASSES: ClassVar[set[str]] = set(COMPONENT_CLASSES)
    DEFAULT_CSS = CSS

    @dataclass
    class FromTable(Message):
        """What all messages of a table have."""

        table: ModelTable

        @property
        def control(self) -> ModelTable:
            """The table, for `@on` with a selector."""
            return self.table

    @dataclass
    class Highlighted(FromTable):
        """The cursor rests on another model; `row` is None when there is none."""

        row: Line | None

    @dataclass
    class Opened(FromTable):
        """Enter on the cursor's line, or a click on it."""

        row: Line

    @dataclass
    class EndReached(FromTable):
        """The person came within a page of the last line, and there are more; told once for each `show`."""

    @dataclass
    class SortRequested(FromTable):
        """A click on the title of `column`, a column of the lines."""

        column: str

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._lines: Rows = NO_ROWS
        self._words: Sequence[str] = ()
        self._conditions: Hashable = ()
        self._ranking = False
        self._stacks = False
        self._mark_unknown_library = False
        self._figure_title = "trend"
        self._sort: tuple[str, bool] | None = None
        self._dimmed = False
        self._empty_text: tuple[str, ...] = ()
        self._cursor = 0
        self._told_key: str | None = None
        self._more = True
        self._told_end = True
        self._click_moved = False
        self._window: tuple[int, list[Line]] = (0, [])

    # What it shows

    def show(
        self,
        lines: FrameRows | KeptRows | pl.DataFrame,
        *,
        words: Sequence[str] = (),
        conditions: Hashable = (),
        ranking: bool = False,
        figure_title: str = "trend",
        sort: tuple[str, bool] | None = None,
        dimmed: bool = False,
        stacks: bool = False,
        mark_unknown_library: bool = False,
        more: bool = True,
    ) -> None:
        """Replace the lines (columns as in `views.select`); the cursor stays on its model and on its screen line.

        When its model is gone the cursor goes to the first line after a changed search, else it stays at its
        position. `words` are marked in the ids, `conditions` is what else was searched for, `ranking` adds rank and
        figure, `sort` is (column, descending), `dimmed` says without words that the lines are about to be
        replaced, `stacks` adds the stack of each line, `mark_unknown_library` marks records of models whose library
        the Hub does not tell, and `more` is whether lines can be fetched at the end: only then is it told that the
        person came there.
        """
        at_rest = self._cursor_is_visible()
        offset = self._cursor - self.top
        searched = (list(words), conditions) != (list(self._words), self._conditions)

        rows = lines if isinstance(lines, (FrameRows, KeptRows)) else FrameRows(lines)
        found = place_in(rows, self._lines, self._cursor)
        self._lines, self._words, self._conditions = rows, list(words), conditions
        self._ranking, self._figure_title, self._sort, self._dimmed = ranking, figure_title, sort, dimmed
        self._stacks, self._mark_unknown_library, self._more = stacks, mark_unknown_library, more
        self._window = (0, [])
        self.forget_lines()
        if found is None:
            self._cursor = 0 if searched else max(min(self._cursor, len(rows) - 1), 0)
        else:
            self._cursor = found

        self._told_end = True
        self.scroll_to_line(self._cursor - offset if at_rest or searched else self.top)
        if at_rest or searched:
            self._bring_cursor_into_view()
        self._told_end = False
        self.refresh()
        self._tell_highlighted()

    @property
    def empty_text(self) -> tuple[str, ...]:
        """What is said, line by line, when there is nothing to list."""
        return self._empty_text

    @empty_text.setter
    def empty_text(self, lines: Sequence[str]) -> None:
        new = tuple(clean(line) for line in lines)
        if new != self._empty_text:
            self._empty_text = new
            self.forget_lines()
            if not len(self._lines):
                self.refresh()

    @property
    def cursor(self) -> int:
        """The position of the cursor's line, from 0; 0 when there are no lines."""
        return self._cursor

    @property
    def current(self) -> Line | None:
        """The row under the cursor."""
        return self._lines.row(self._cursor) if self._cursor < len(self._lines) else None

    def move_to(self, key: str) -> bool:
        """Put the cursor on the model with this key; False, and nothing moves, when it is not listed."""
        found = self._lines.place_of(key)
        if found is not None:
            self._go(found)
        return found is not None

    def _key(self, position: int) -> str | None:
        return self._lines.key(position) if position < len(self._lines) else None

    def _tell_highlighted(self) -> None:
        key = self._key(self._cursor)
        if key != self._told_key:
            self._told_key = key
            self.post_message(self.Highlighted(self, self.current))

    # Moving

    def line_count(self) -> int:
        """One for each model."""
        return len(self._lines)

    def _cursor_is_visible(self) -> bool:
        return 0 <= self._cursor - self.top < self.page

    def _go(self, position: int) -> None:
        if not len(self._lines):
            return
        before, self._cursor = self._cursor, max(0, min(position, len(self._lines) - 1))
        self._bring_cursor_into_view()
        if before != self._cursor:
            self.refresh_line(before)
            self.refresh_line(self._cursor)
        self._tell_highlighted()
        self._tell_end()

    def _bring_cursor_into_view(self) -> None:
        if self._cursor < self.top:
            self.scroll_to_line(self._cursor)
        elif self._cursor >= self.top + self.page:
            self.scroll_to_line(self._cursor - self.page + 1)

    def _tell_end(self) -> None:
        # A search that finds less than a page is no walk to the end of the list.
        few_found = bool(self._words) and len(self._lines) < self.page
        last_seen = max(self._cursor + 1, self.top + self.page)
        if self._more and not few_found and not self._told_end and last_seen + self.page >= len(self._lines):
            self._told_end = True
            self.post_message(self.EndReached(self))

    def scrolled(self) -> None:
        """Tell when scrolling, by wheel or bar, comes near the end."""
        self._tell_end()

    def action_move(self, lines: int) -> None:
        """Move the cursor by so many lines."""
        self._go(self._cursor + lines)

    def action_page(self, pages: float) -> None:
        """Move the cursor by so many pages."""
        self._go(self._cursor + int(pages * self.page))

    def action_first(self) -> None:
        """Go to the first line."""
        self._go(0)

    def action_last(self) -> None:
        """Go to the last line."""
        self._go(len(self._lines) - 1)

    def action_open(self) -> None:
        """Ask for the detail of the cursor's model."""
        row = self.current
        if row is None:
            self.notify(STILL_READING if len(self._lines) else NOTHING_TO_OPEN, markup=False)
        else:
            self.post_message(self.Opened(self, row))

    def on_click(self, event: events.Click) -> None:
        """Move the cursor; open on its own line, so a double click opens; sort on a title."""
        event.stop()
        if self.on_bar(event):
            return
        if event.y == 0:
            column = self._layout(self.size.width - 1).column_at(event.x)
            if column is not None and event.chain == 1:
                self.post_message(self.SortRequested(self, column.name))
            return
        position = self.top + event.y - 1
        if position >= len(self._lines):
            return
        if position != self._cursor:
            self._click_moved = True
            self._go(position)
        elif event.chain == 1 or (event.chain == 2 and self._click_moved):
            self._click_moved = False
            self.action_open()

    def on_resize(self) -> None:
        """Keep the cursor in view, and no room below the last line; the layout follows the width by itself."""
        self.scroll_to_line(self.top)
        self._bring_cursor_into_view()

    # Drawing

    def _layout(self, width: int) -> Layout:
        return table_columns.layout(width, ranking=self._ranking, figure_title=self._figure_title, stacks=self._stacks)

    def looks_of(self, y: int) -> Hashable:
        """A line looks the same wherever it is in the window; the header and what is under the last line stay."""
        position = self.top + y - 1
        return (position, position == self._cursor) if y and position < len(self._lines) else -y

    def draw_line(self, y: int, width: int) -> list[Segment]:
        """One line of the window: the header, a model, or what is said when there is none."""
        if y == 0:
            return self.segments(table_cells.header(self._layout(width), self._sort), "header", width)
        position = self.top + y - 1
        if position < len(self._lines):
            return self._model_line(position, width)
        text = "" if len(self._lines) else self._empty_line(y - 2, width - GUTTER - 1)
        if not text:
            return [Segment(" " * width, self.style_of("", ""))]
        return self.segments([(" " * GUTTER, ""), (text, "")], "", width)

    def _model_line(self, position: int, width: int) -> list[Segment]:
        at_cursor = position == self._cursor
        gutter = [("▌", "mark"), (" ", "")] if at_cursor else [("  ", "")]
        row = self._row(position)
        pieces = [("…", "dim")]
        if row is not None:
            layout = self._layout(width)
            pieces = table_cells.line(layout, row, self._words, mark_unknown_library=self._mark_unknown_library)
        return self.segments([*gutter, *pieces], "cursor" if at_cursor else "", width)

    def _row(self, position: int) -> Line | None:
        start, rows = self._window
        if not start <= position < start + len(rows):
            # After each key of a search the lines are others: as many are read as are drawn.
            start = max(position - self.page, 0) if rows else self.top
            rows = self._lines.rows(start, start + (3 if rows else 1) * self.page, DRAWN)
            self._window = (start, rows)
        return rows[position - start] if position - start < len(rows) else None

    def _empty_line(self, number: int, width: int) -> str:
        wrapped = [part for line in self._empty_text for part in textwrap.wrap(line, max(width, 1)) or [""]]
        return wrapped[number] if 0 <= number < len(wrapped) else ""

    def style_of(self, under: str, name: str) -> Style:
        """As of any line; while the lines are those of before, all but the cursor's are dim."""
        return super().style_of(under, "dim" if self._dimmed and under != "cursor" else name)
