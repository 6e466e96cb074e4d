"""`x` and `X`: one model across all stacks, and two stacks against each other; and the way to a record from there."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tui import numbers
from tui.catalog.question import View
from tui.catalog.stacks import Stack, StackChoice, default_stack
from tui.screens.copying import NO_MODEL
from tui.screens.header_lines import HeaderLines
from tui.widgets.model_table import STILL_READING, ModelTable
from tui.widgets.search_box import SearchBox

if TYPE_CHECKING:
    from tui.screens.compare import RecordPlace
    from tui.screens.dialogs import Choice, PickDialog
    from tui.screens.opening import Place


class CompareKeys(HeaderLines):
    """Opens both comparisons with what is on screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "compare", "compare", id="compare", tooltip="Compare: the model across all stacks"),
        Binding("X", "two_stacks", "two stacks", id="stacks", tooltip="Two stacks: broken, fixed, new", priority=True),
    ]

    @property
    def _stack_on_screen(self) -> Stack | None:
        return self.question.stack.exact or default_stack(self.stacks)

    def action_compare(self) -> None:
        """The model of the cursor line across all stacks."""
        line = self.current_line()
        if self.snapshot is None:
            self.refuse(STILL_READING)
        elif line is None:
            self.refuse(NO_MODEL)
        elif not line["key"]:
            self.refuse("This record has no model id: there is nothing to compare it with.")
        else:
            from tui.catalog.compare import compared
            from tui.screens.compare import CompareScreen

            comparison = compared(self.snapshot, line["key"], self.renames)
            if comparison.cells:
                screen = CompareScreen(self.snapshot, comparison, self._stack_on_screen)
                self.app.push_screen(screen, self._come_to_record)
            else:
                where = "The data have" if comparison.complete else "What could be read of the data has"
                self.refuse(f"{where} no record of {line['model_id']}, on any stack: there is nothing to compare.")

    def action_two_stacks(self) -> None:
        """Ask for the newer stack, then for the older one; the one on screen and the one before it are proposed."""
        new = self._stack_on_screen
        if self.snapshot is None or new is None:
            self.refuse(STILL_READING)
        elif len(self.stacks) < 2:
            self.refuse("All records are of one stack: there is no other to compare it with.")
        else:
            self.app.push_screen(self._stack_dialog("Two stacks: the newer one", new), self._newer_picked)

    def _newer_picked(self, choice: Choice[Stack] | None) -> None:
        if choice is None:
            return
        from tui.catalog.compare import older_stack

        new = choice.value
        others = [count.stack for count in self.stacks if count.stack != new]
        dialog = self._stack_dialog("Two stacks: the older one", older_stack(others, new) or others[-1], new)
        self.app.push_screen(dialog, partial(self._older_picked, new))

    def _older_picked(self, new: Stack, choice: Choice[Stack] | None) -> None:
        if choice is None or self.snapshot is None:
            return
        from tui.screens.diff import DiffScreen

        self.app.push_screen(DiffScreen(self.snapshot, choice.value, new, self.renames), self._come_to_record)

    def _stack_dialog(self, title: str, current: Stack, without: Stack | None = None) -> PickDialog[Stack]:
        from tui.screens.dialogs import Choice, PickDialog

        choices = [
            Choice(count.stack, count.stack.label, numbers.counted(count.records, "record"))
            for count in self.stacks
            if count.stack != without
        ]
        return PickDialog(title, choices, current)

    def _come_to_record(self, place: RecordPlace | None) -> None:
        if place is None:
            return
        from tui.screens.opening import Place

        choice = StackChoice.of(place.stack)
        if any(choice.admits(count.stack) for count in self.stacks):
            self.come_to(place.model_id.casefold(), Place(View.SELECTED, choice))
        else:
            self.refuse(f"The records are others now: none is of {place.stack.label}.")

    def come_to(self, key: str, place: Place) -> None:
        """Put the cursor on a model that has a line at this place, and open its detail.

        A search that hides it is cleared; in Selected the models that were left out are shown when it is one.
        """
        if place.stack is not None:
            self.stack_chosen = True
            self.question = replace(self.question, stack=place.stack)
        self.pipeline_tag = place.task or self.pipeline_tag
        self.action_view(place.view)
        table = self.query_one(ModelTable)
        if not table.move_to(key) and self.question.search:
            self.question = replace(self.question, search="")
            self.query_one(SearchBox).value = ""
            self.draw_selection()
        if not table.move_to(key) and place.view is View.SELECTED:
            self.question = replace(self.question, left_out=True)
            self.draw_selection()
            table.move_to(key)
        self.call_after_refresh(self.open_detail)
