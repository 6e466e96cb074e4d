"""Two stacks against each other, over the main screen: what broke, what was fixed, what came and went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from tui import numbers
from tui.background import in_background
from tui.catalog import diff_told
from tui.catalog.compare import Cell, Comparison, compared, error_of
from tui.catalog.outcome_change import MEANINGS, Change
from tui.catalog.stacks import Stack
from tui.errors import TrnModelsError
from tui.screens.compare import CompareScreen, RecordPlace, errors_dialog
from tui.screens.dialogs import TextDialog
from tui.screens.steady import SteadyScreen
from tui.terminal_text import brief
from tui.widgets import compare_text, diff_text
from tui.widgets.bars import Bar
from tui.widgets.clickable import clickable
from tui.widgets.copy_request import CopyRequested
from tui.widgets.detail_text import one_line
from tui.widgets.diff_list import DiffList
from tui.widgets.key_hints import Hint, KeyHints
from tui.widgets.verdict_look import FAINT, MUTED

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot
    from tui.catalog.stack_diff import StackDiff

_KEYS: Mapping[str, Change] = {str(number): change for number, change in enumerate(Change, 1)}


@dataclass
class Compared(Message):
    """Both stacks were compared."""

    found: StackDiff


@dataclass
class NotCompared(Message):
    """They could not be."""

    error: TrnModelsError


@dataclass
class ErrorsRead(Message):
    """What both records of a model have of errors, as one text."""

    model_id: str
    text: str


@dataclass
class ErrorsNotRead(Message):
    """They cannot be read."""

    error: TrnModelsError


class DiffScreen(SteadyScreen["RecordPlace | None"]):
    """The models by what changed, with the counts over them."""

    AUTO_FOCUS = "DiffList"
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(key, f"only('{change}')", change.value, id=f"stacks.{change}", tooltip=f"Only: {MEANINGS[change]}")
            for key, change in _KEYS.items()
        ),
        Binding("0", "only('')", "all", id="stacks.all", tooltip="All that changed"),
        Binding("tab", "turn(1)", "next change", id="stacks.next", tooltip="Only the next change", priority=True),
        Binding("shift+tab", "turn(-1)", id="stacks.previous", tooltip="Only the change before", priority=True),
        Binding("f", "errors", "errors", id="stacks.errors", tooltip="Read the whole errors, on both stacks"),
        Binding("y", "copy", "copy", id="stacks.copy", tooltip="Copy what is listed as a Markdown table"),
        Binding("E", "export", "export", id="stacks.export", tooltip="Export what is listed: file or clipboard"),
        Binding("question_mark,f1", "help", "help", id="stacks.help", tooltip="This help"),
        Binding("escape,q", "leave", "back", id="stacks.leave", tooltip="Back"),
    ]

    def __init__(self, snapshot: Snapshot, old: Stack, new: Stack, renames: Mapping[str, str]) -> None:
        super().__init__()
        self.snapshot = snapshot
        self.old, self.new = old, new
        self.found: StackDiff | None = None
        self.only: Change | None = None
        self._renames = dict(renames)
        self._trouble = ""
        self._reading = False

    def compose(self) -> ComposeResult:
        """Both stacks, the counts, the list, keys."""
        yield Bar(id="diff-title")
        yield Bar(id="diff-counts")
        yield DiffList()
        yield KeyHints(id="keys")

    def on_mount(self) -> None:
        """Compare them in the background: of a million models that takes a moment."""
        in_background(
            self, partial(_compared, self.snapshot, self.old, self.new, self._renames), NotCompared, "comparing stacks"
        )
        self._draw()

    @on(Compared)
    def _came(self, event: Compared) -> None:
        self.found = event.found
        self._draw()

    @on(NotCompared)
    def _did_not_come(self, event: NotCompared) -> None:
        self._trouble = one_line(event.error)
        self._draw()

    # What is shown

    def _draw(self) -> None:
        found = self.found
        sample = Content.styled("sample data" if self.snapshot.source == "sample" else "", MUTED)
        old, new = brief(self.old.label), brief(self.new.label)
        heading = ("Two stacks  ", "bold $primary")
        self.query_one("#diff-title", Bar).show(
            (
                Content.assemble(heading, brief(self.old.title), (f"  {diff_text.ARROW}  ", MUTED), (new, "bold")),
                Content.assemble(heading, old, (f" {diff_text.ARROW} ", MUTED), (new, "bold")),
                Content.assemble(old, (f" {diff_text.ARROW} ", MUTED), (new, "bold")),
            ),
            (sample, Content("")),
        )
        self.query_one("#diff-counts", Bar).show(self._counts)
        frame = None if found is None else found.frame
        shown = diff_text.Groups(()) if found is None else diff_text.groups(found.counts, self.only)
        self.query_one(DiffList).show(frame, shown, self._why_none)
        self._draw_hints()

    @property
    def _counts(self) -> tuple[Content, ...]:
        """What the keys filter by: with the unchanged where there is room."""
        if self.found is None:
            return (Content(""),)
        parts = [_count(key, change, self.found.counts[change], self.only) for key, change in _KEYS.items()]
        everything = clickable(
            Content.assemble(("0", "bold $primary"), (" all", "bold reverse" if self.only is None else "")), "only('')"
        )
        gap = Content("   ")
        return (
            gap.join([*parts, everything]),
            Content("  ").join([*parts, everything]),
            Content("  ").join(parts[:-1]),
        )

    @property
    def _why_none(self) -> str:
        if self._trouble:
            return brief(self._trouble)
        if self.found is None:
            return "comparing …"
        if self.only is not None:
            return f"no model: {MEANINGS[self.only]}"
        return "nothing changed" if self.found.frame.height else "neither stack has a record of a model"

    @on(DiffList.Moved)
    def _draw_hints(self) -> None:
        listed = self.query_one(DiffList).row is not None
        self.query_one(KeyHints).show(
            (
                Hint("⏎", "all its stacks", "open", listed),
                Hint("f", "whole errors", "errors", listed),
                Hint("1-7", "one change", "help"),
                Hint("tab", "next change", "turn(1)"),
                Hint("y", "copy table", "copy", listed),
                Hint("E", "export", "export", listed),
                Hint("0", "all", "only('')"),
                Hint("?", "help", "help"),
                Hint("q", "back", "leave"),
            )
        )

    # Keys

    def action_only(self, name: str) -> None:
        """List the models of one change, or all that changed; by the same again: all."""
        change = Change(name) if name else None
        self.only = None if change is self.only else change
        self._draw()

    def action_turn(self, step: int) -> None:
        """The next change that any model has, then all again."""
        counts = self.found.counts if self.found is not None else {}
        there: list[Change | None] = [None, *(change for change in diff_told.LISTED if counts.get(change))]
        place = there.index(self.only) if self.only in there else 0
        self.only = there[(place + step) % len(there)]
        self._draw()

    def action_open(self) -> None:
        """The model of the cursor line across all stacks."""
        self.query_one(DiffList).action_open()

    def _comparison(self, row: int) -> Comparison:
        assert self.found is not None
        return compared(self.snapshot, self.found.frame["key"][row], self._renames)

    def action_errors(self) -> None:
        """The whole errors of the model of the cursor line, on both stacks."""
        row = self.query_one(DiffList).row
        if row is None:
            self.refuse(_NONE_LISTED)
        elif not self._reading:
            self._reading = True
            comparison = self._comparison(row)
            cells = [cell for stack in (self.new, self.old) if (cell := comparison.cells.get(stack)) is not None]
            work = partial(_read, self.snapshot, comparison.model_id, cells)
            in_background(self, work, ErrorsNotRead, "reading errors")

    @on(ErrorsRead)
    def _errors_read(self, event: ErrorsRead) -> None:
        self._reading = False
        if self.is_current:
            self.app.push_screen(errors_dialog(event.model_id, event.text))

    @on(ErrorsNotRead)
    def _errors_not_read(self, event: ErrorsNotRead) -> None:
        self._reading = False
        self.tell(one_line(event.error), "error")

    @on(DiffList.Opened)
    def _open(self, event: DiffList.Opened) -> None:
        comparison = self._comparison(event.row)
        self.app.push_screen(CompareScreen(self.snapshot, comparison, self.new), self._go_on)

    def _go_on(self, place: RecordPlace | None) -> None:
        """The main screen is under this one: it goes there when this one is left too."""
        if place is not None:
            self.call_later(self._leave_for, place)

    def _leave_for(self, place: RecordPlace) -> None:
        self.dismiss(place)

    @property
    def _listed(self) -> tuple[Change, ...]:
        return diff_told.LISTED if self.only is None else (self.only,)

    def _lines_or_refuse(self) -> StackDiff | None:
        found = self.found
        if found is None or not any(found.counts[change] for change in self._listed):
            self.refuse(_NONE_LISTED)
            return None
        return found

    def action_copy(self) -> None:
        """What is listed, as a table for an issue or a wiki."""
        found = self._lines_or_refuse()
        if found is not None:
            from tui import export

            text = "".join(export.markdown_lines(diff_told.told(found, self._listed, "markdown")))
            self.post_message(CopyRequested(text, "the table", "E writes it to a file"))

    def action_export(self) -> None:
        """What is listed, in a format that is chosen, to a file or the clipboard."""
        found = self._lines_or_refuse()
        if found is not None:
            from tui.screens.export_dialog import ExportDialog

            listed = self._listed
            dialog = ExportDialog(
                lambda form: diff_told.told(found, listed, form),
                f"stacks-{numbers.day(datetime.now(UTC))}",
                rows=sum(found.counts[change] for change in listed),
                sample=self.snapshot.source == "sample",
            )
            self.app.push_screen(dialog)

    def action_help(self) -> None:
        """Keys of this screen."""
        from tui.screens.help_text import keys_of

        body = Content("\n").join([keys_of(self, (("List", DiffList),)), Content(""), _EXPLAINED])
        self.app.push_screen(TextDialog("Two stacks: keys", body, body.plain))

    def action_leave(self) -> None:
        """Back to where it was opened."""
        self.dismiss(None)


_NONE_LISTED = "No model is listed."
_EXPLAINED = Content.styled(
    "Of several records of a model on a stack the one counts that the table shows; the note tells when they disagree. "
    "Broken is PASS before and FAIL now, and nothing else. More time or memory breaks nothing: the state of the cache "
    "of compiled graphs is not recorded.",
    MUTED,
)


def _count(key: str, change: Change, number: int, only: Change | None) -> Content:
    style = "$text-error" if change is Change.BROKEN and number else "" if number else FAINT
    if change is only:
        style = f"{style} bold reverse".strip()
    text = Content.assemble((key, "bold $primary"), " ", (f"{change.value} {numbers.count(number)}", style))
    return clickable(text, f"only('{change}')")


def _read(snapshot: Snapshot, model_id: str, cells: list[Cell]) -> ErrorsRead:
    errors = {each.index: error_of(snapshot, each) for each in cells}
    return ErrorsRead(model_id, compare_text.whole_errors(cells, errors))


def _compared(snapshot: Snapshot, old: Stack, new: Stack, renames: Mapping[str, str]) -> Compared:
    from tui.catalog.stack_diff import diff

    return Compared(diff(snapshot, old, new, renames))
