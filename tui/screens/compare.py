"""One model across every stack, over the main screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui import numbers
from tui.background import in_background
from tui.catalog import compare_told
from tui.catalog.compare import Cell, Comparison, error_of
from tui.catalog.stacks import Stack
from tui.errors import TrnModelsError
from tui.screens.dialogs import TextDialog
from tui.screens.steady import SteadyScreen
from tui.terminal_text import brief, clean
from tui.widgets import compare_text
from tui.widgets.bars import Bar
from tui.widgets.compare_matrix import CompareMatrix
from tui.widgets.copy_request import CopyRequested
from tui.widgets.detail_text import one_line
from tui.widgets.key_hints import Hint, KeyHints
from tui.widgets.long_text import SECTION_ROOM, shortened
from tui.widgets.reading_pane import ReadingPane
from tui.widgets.verdict_look import MUTED

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot

MATRIX_AT_MOST = 0.6
"""Share of the window that the matrix may take."""
ROOMY = 30
"""Lines from which on one of them may be blank."""
_AROUND = 4
"""Cells beside the text: padding, scrollbar."""


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """Where the main screen is to go: the model by its id, and a stack that has a record of it."""

    model_id: str
    stack: Stack


@dataclass
class ErrorsRead(Message):
    """The errors of some records; None where none is recorded."""

    asked: frozenset[int]
    errors: dict[int, str | None]


@dataclass
class ErrorsNotRead(Message):
    """They cannot be read."""

    asked: frozenset[int]
    error: TrnModelsError


class CompareScreen(SteadyScreen["RecordPlace | None"]):
    """The matrix, and under it the record of the stack that the cursor is on."""

    AUTO_FOCUS = "CompareMatrix"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "open", id="compare.open", tooltip="This record in the main screen"),
        Binding("y", "copy", "copy", id="compare.copy", tooltip="Copy the comparison as a Markdown table"),
        Binding("E", "export", "export", id="compare.export", tooltip="Export the comparison: file or clipboard"),
        Binding("f", "errors", "errors", id="compare.errors", tooltip="Read the whole errors, this one and before"),
        Binding("pagedown,space", "page(1)", show=False, id="compare.page_down", tooltip="The text below: further"),
        Binding("pageup", "page(-1)", show=False, id="compare.page_up", tooltip="The text below: back"),
        Binding("question_mark,f1", "help", "help", id="compare.help", tooltip="This help"),
        Binding("escape,q", "leave", "back", id="compare.leave", tooltip="Back"),
    ]

    def __init__(self, snapshot: Snapshot, comparison: Comparison, at: Stack | None) -> None:
        """The comparison is of `snapshot` and has a record; the cursor begins on `at` where that has a place."""
        super().__init__()
        self.snapshot = snapshot
        self.comparison = comparison
        self._at = at
        self._errors: dict[int, str | None] = {}
        self._being_read: frozenset[int] = frozenset()
        self._problem = ""

    def compose(self) -> ComposeResult:
        """Title, matrix, the record, keys."""
        yield Bar(id="compare-title")
        yield CompareMatrix(self.comparison, self._at)
        with ReadingPane(id="compare-record"):
            yield Static(id="compare-about")
            yield Static(id="compare-without")
        yield KeyHints(id="keys")

    def on_mount(self) -> None:
        """Draw all of it."""
        told = compare_told.summary(self.comparison)
        sample = "sample data · " if self.snapshot.source == "sample" else ""
        bad = self.comparison.regressions
        self.query_one("#compare-title", Bar).show(
            Content.assemble(("Compare  ", "bold $primary"), (brief(self.comparison.model_id), "bold")),
            (
                Content.assemble((sample, MUTED), (told, "bold $text-error" if bad else "")),
                Content.styled(numbers.counted(len(bad), compare_told.REGRESSION) if bad else "", "bold $text-error"),
            ),
        )
        self.query_one("#compare-without", Static).update(compare_text.stacks_without(self.comparison))
        self._take_room()
        befores = [self.comparison.before(cell) for cell in bad]
        self._bring_errors([*bad, *(each for each in befores if each is not None)])
        self._moved()

    @on(events.Resize)
    def _resized(self) -> None:
        self.call_after_refresh(self._take_room)

    def _take_room(self) -> None:
        """The matrix has the lines that it wants, as far as the text below it keeps some."""
        if not self.is_mounted:
            return
        matrix, window = self.query_one(CompareMatrix), self.app.size
        matrix.styles.height = max(2, min(matrix.lines_wanted(window.width), int(window.height * MATRIX_AT_MOST)))
        matrix.styles.margin = (1 if window.height >= ROOMY else 0, 0, 0, 0)
        self._draw()

    # The record under the cursor

    @property
    def cell(self) -> Cell | None:
        """What the cursor is on; None where there is no record."""
        at = self.query_one(CompareMatrix).at
        return None if at is None else self.comparison.cells.get(at)

    @on(CompareMatrix.Moved)
    def _moved(self) -> None:
        cell = self.cell
        if cell is not None:
            before = self.comparison.before(cell)
            self._bring_errors([cell] if before is None else [cell, before])
        self.query_one("#compare-record", ReadingPane).action_to(0)
        self._draw()

    def _draw(self) -> None:
        matrix, cell = self.query_one(CompareMatrix), self.cell
        width = self.app.size.width - _AROUND
        text = compare_text.about(self.comparison, matrix.at, self._errors, self._being_read, width)
        if self._problem:
            text = text + Content.styled(f"\n\n{brief(self._problem)}", "$text-warning")
        self.query_one("#compare-about", Static).update(shortened(text, "f has the whole errors", SECTION_ROOM))
        self.query_one(KeyHints).show(
            (
                Hint("⏎", "open it", "open", cell is not None),
                Hint("↑↓←→", "other stack", "help"),
                Hint("f", "whole errors", "errors", cell is not None),
                Hint("y", "copy table", "copy"),
                Hint("E", "export", "export"),
                Hint("?", "help", "help"),
                Hint("q", "back", "leave"),
            )
        )

    def _bring_errors(self, cells: Sequence[Cell]) -> None:
        """Those of these records that were not read yet, in the background."""
        wanted = [each for each in cells if each.index not in {*self._errors, *self._being_read}]
        if wanted:
            asked = frozenset(each.index for each in wanted)
            self._being_read |= asked
            work = partial(_read, self.snapshot, wanted)
            in_background(self, work, partial(ErrorsNotRead, asked), "reading errors")

    @on(ErrorsRead)
    def _errors_read(self, event: ErrorsRead) -> None:
        self._being_read -= event.asked
        self._errors |= event.errors
        self._draw()

    @on(ErrorsNotRead)
    def _errors_not_read(self, event: ErrorsNotRead) -> None:
        self._being_read -= event.asked
        self._problem = one_line(event.error)
        self._draw()

    # Keys

    def action_go(self, place: int) -> None:
        """The stack that was clicked on; a second click opens its record."""
        matrix, stack = self.query_one(CompareMatrix), self.comparison.of_its_libraries[place]
        if stack == matrix.at:
            self.action_open()
        else:
            matrix.go(stack)

    def action_open(self) -> None:
        """The record in the main screen."""
        cell = self.cell
        if cell is None or cell.record.model_id is None:
            self.refuse("There is no record of the model on this stack.")
        else:
            self.dismiss(RecordPlace(cell.record.model_id, cell.stack))

    def action_copy(self) -> None:
        """All stacks as a table for an issue or a wiki, with the errors of regressions."""
        from tui import export

        frame = compare_told.for_people(self.comparison, self._errors)
        text = "".join(export.markdown_lines(frame))
        self.post_message(CopyRequested(text, f"the comparison of {self.comparison.model_id}"))

    def action_export(self) -> None:
        """All stacks, in a format that is chosen, to a file or the clipboard; the errors of regressions are in it."""
        if self._being_read:
            self.refuse(_STILL_READING)
            return
        from tui.screens.export_dialog import ExportDialog

        comparison, errors = self.comparison, dict(self._errors)
        dialog = ExportDialog(
            lambda form: compare_told.told(comparison, errors, form),
            f"compare-{numbers.day(datetime.now(UTC))}",
            sample=self.snapshot.source == "sample",
        )
        self.app.push_screen(dialog)

    def action_errors(self) -> None:
        """Both errors, whole."""
        cell = self.cell
        if cell is None:
            self.refuse("There is no record of the model on this stack.")
        elif self._being_read:
            self.refuse(_STILL_READING)
        else:
            text = compare_text.whole_errors((cell, self.comparison.before(cell)), self._errors)
            self.app.push_screen(errors_dialog(self.comparison.model_id, text))

    def action_page(self, pages: int) -> None:
        """Scroll the text below the matrix."""
        self.query_one("#compare-record", ReadingPane).action_page(pages)

    def action_help(self) -> None:
        """Keys of this screen."""
        from tui.screens.help_text import keys_of

        body = Content("\n").join([keys_of(self, (("Matrix", CompareMatrix),)), Content(""), _EXPLAINED])
        self.app.push_screen(TextDialog("Compare: keys", body, body.plain))

    def action_leave(self) -> None:
        """Back to where it was opened."""
        self.dismiss(None)


def errors_dialog(model_id: str, text: str) -> TextDialog:
    """Whole errors of records of a model, to read and to copy."""
    return TextDialog(f"Errors of {model_id}", Content(clean(text, newlines=True)), text)


_STILL_READING = "The errors are still being read."
_EXPLAINED = Content.styled(
    "A record is compared with the newest stack of the same library that is not newer in either version and has a "
    "result. A regression is PASS there and FAIL here, and nothing else. Times and memory are notes: the state of the "
    "cache of compiled graphs is not recorded.",
    MUTED,
)


def _read(snapshot: Snapshot, cells: list[Cell]) -> ErrorsRead:
    return ErrorsRead(frozenset(cell.index for cell in cells), {cell.index: error_of(snapshot, cell) for cell in cells})
