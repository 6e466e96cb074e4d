"""Keys that change the question: view, task, stack, what is left out, order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType

from tui import state as remembered
from tui.catalog.question import Question, View
from tui.catalog.sort_columns import SORT_NAMES
from tui.catalog.stacks import (
    StackChoice,
    StackCount,
    compiler_label,
    library_label,
    with_compiler,
    with_library,
)
from tui.screens.remembering import remember
from tui.screens.rerun_keys import RerunKeys
from tui.settings import Settings
from tui.widgets.search_box import SearchBox

if TYPE_CHECKING:
    from tui.screens.dialogs import Choice

DEFAULT_TASK = "text-generation"

OPENS_A_LINE = frozenset(
    {"search", "pick_task", "pick_compiler", "pick_library", "pick_sort", "write_script"}
    | {"save_search", "saved_searches", "export", "two_stacks"}
)
"""Actions whose keys are handled the moment they arrive (`priority`), so that what is typed right after them, maybe in
the same packet of a slow connection, is text and no command."""


class QuestionKeys(RerunKeys):
    """Holds the question; the screen on top of it draws the answer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "view('selected')", "Selected", id="view.selected", tooltip="Models of the dataset with a result"),
        Binding("2", "view('trending')", "Trending", id="view.trending", tooltip="The Hub's trending models"),
        Binding("3", "view('downloads')", "Downloads", id="view.downloads", tooltip="The Hub's most downloaded"),
        Binding("t", "pick_task", "task", id="task", tooltip="Task of the rankings", priority=True),
        Binding("c", "pick_compiler", "compiler", id="compiler", tooltip="neuronx-cc version", priority=True),
        Binding("v", "pick_library", "library", id="library", tooltip="Library version", priority=True),
        Binding("T", "transformers_only", "Transformers", id="transformers", tooltip="Rankings: only Transformers"),
        Binding("a", "left_out", "left out", id="left_out", tooltip="Selected: show or hide models that were left out"),
        Binding("s", "pick_sort", "sort", id="sort", tooltip="Sort; by the same again: turn round", priority=True),
        Binding("S", "turn_sort", "turn order", id="sort.turn", tooltip="Turn the order round; no value stays last"),
    ]  # fmt: skip

    def __init__(self, settings: Settings, search: str = "") -> None:
        super().__init__(settings)
        memory = remembered.load(settings)
        self.pipeline_tag = memory.task or DEFAULT_TASK
        self.sorts = dict(memory.sort)
        self.question = Question(view=View.SELECTED, search=search, **self._sort_of(View.SELECTED))
        self.stacks: tuple[StackCount, ...] = ()
        self.stack_chosen = False

    def draw_lines(self) -> None:
        """The question has another view, stack or narrowing, or what it asks about changed."""
        raise NotImplementedError

    def draw_selection(self) -> None:
        """Only the search, the order or the left-out models of the question changed."""
        raise NotImplementedError

    def show_table(self) -> None:
        """The table has the screen and the keys."""
        raise NotImplementedError

    def action_view(self, name: str) -> None:
        """Another view; search, stack and task stay."""
        self.show_table()
        self.want_ranking(View(name), self.pipeline_tag)
        self.question = replace(self.question, view=View(name), **self._sort_of(View(name)))
        self.draw_lines()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys that open a line to type into go before all others, but not while one types already."""
        return not (action in OPENS_A_LINE and isinstance(self.focused, SearchBox))

    def action_pick_task(self) -> None:
        """Another task of the rankings."""
        from tui.screens import pickers

        self.app.push_screen(pickers.task_dialog(self.pipeline_tag), self._task_picked)

    def _task_picked(self, choice: Choice[str] | None) -> None:
        if choice is None:
            return
        self.pipeline_tag = choice.value
        remember(self.app, self.settings, task=self.pipeline_tag)
        self.action_view(View.TRENDING if self.question.view is View.SELECTED else self.question.view)

    def action_pick_compiler(self) -> None:
        """Another neuronx-cc version; the library version stays where that pair exists."""
        from tui.screens import pickers

        self.app.push_screen(pickers.compiler_dialog(self.stacks, self.question.stack), self._compiler_picked)

    def _compiler_picked(self, choice: Choice[str | None] | None) -> None:
        if choice is not None:
            before = self.question.stack
            self.choose_stack(with_compiler(self.stacks, before, choice.value))
            now = self.question.stack
            if (now.library, now.library_version) != (before.library, before.library_version):
                had = library_label(before.library, before.library_version)
                self.tell(f"No record of {had} with it; now {library_label(now.library, now.library_version)}.")

    def action_pick_library(self) -> None:
        """Another library version; the compiler stays where that pair exists."""
        from tui.screens import pickers

        self.app.push_screen(pickers.library_dialog(self.stacks, self.question.stack), self._library_picked)

    def _library_picked(self, choice: Choice[tuple[str | None, str | None]] | None) -> None:
        if choice is not None:
            before = self.question.stack
            self.choose_stack(with_library(self.stacks, before, *choice.value))
            if self.question.stack.neuronx_cc != before.neuronx_cc:
                had, now = compiler_label(before.neuronx_cc), compiler_label(self.question.stack.neuronx_cc)
                self.tell(f"No record with neuronx-cc {had}; now {now}.")

    def choose_stack(self, choice: StackChoice) -> None:
        """Show this stack from now on, also when newer ones arrive."""
        self.stack_chosen = True
        self.question = replace(self.question, stack=choice)
        self.draw_lines()

    def action_transformers_only(self) -> None:
        """Narrow a ranking to Transformers models; those of an unknown library stay."""
        if self.question.view is View.SELECTED:
            self.refuse("T narrows a ranking; Selected shows one library version (v changes it).")
            return
        self.question = replace(self.question, transformers_only=not self.question.transformers_only)
        self.draw_lines()

    def action_left_out(self) -> None:
        """Show or hide the models that were left out."""
        if self.question.view is not View.SELECTED:
            self.refuse("Rankings always show the models that were left out.")
            return
        self.question = replace(self.question, left_out=not self.question.left_out)
        self.draw_selection()

    def action_pick_sort(self) -> None:
        """Sort by another column."""
        from tui.screens import pickers

        self.app.push_screen(pickers.sort_dialog(self.question), self._sort_picked)

    def _sort_picked(self, choice: Choice[str | None] | None) -> None:
        if choice is not None:
            self.sort_by(choice.value)

    def action_turn_sort(self) -> None:
        """The other direction of the column that sorts; the view's own order has no other one."""
        if self.question.sort is None:
            self.refuse("S turns the order of a column round, and none is chosen: s chooses one.")
            return
        self.sort_by(self.question.sort)

    def sort_by(self, column: str | None) -> None:
        """Sort by this column of the lines; by the same again: the other direction. Remembered for each view."""
        descending = column is not None and column == self.question.sort and not self.question.descending
        view = self.question.view
        text = None if column is None else f"{'-' if descending else ''}{column}"
        self.sorts.pop(view, None)
        if text is not None:
            self.sorts[view] = text
        remember(self.app, self.settings, sort={str(view): text})
        self.question = replace(self.question, sort=column, descending=descending)
        self.draw_selection()

    def _sort_of(self, view: View) -> dict[str, Any]:
        text = self.sorts.get(view, "")
        column = text.removeprefix("-")
        return {"sort": column if column in SORT_NAMES else None, "descending": text.startswith("-")}
