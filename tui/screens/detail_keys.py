"""Where the detail is: beside the table, over it, or nowhere; and the way back from it."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from tui import state as remembered
from tui.screens.model_detail import ModelDetail
from tui.screens.question_keys import QuestionKeys
from tui.screens.remembering import remember
from tui.settings import Settings
from tui.widgets.model_table import ModelTable
from tui.widgets.search_box import SearchBox

CLOSED = "closed"


class DetailKeys(QuestionKeys):
    """The screen has a table and a detail. `-wide`, a class of the screen, says that there is room for both.

    What else is on screen is a matter of the two alone: classes of the whole screen would have every widget of it
    styled anew, which takes longer than all that a key does.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("z", "zoom", "zoom", id="zoom", tooltip="Detail over the whole screen, or beside the table"),
        Binding("d", "close_detail", "close detail", id="detail.close", tooltip="Table alone, or the detail beside it"),
        Binding("escape", "back", "back", id="back", tooltip="Back, or clear the search", show=False),
        Binding("q", "back_or_quit", "quit", id="quit", tooltip="Back from a detail, or quit", show=False),
    ]

    def __init__(self, settings: Settings, search: str = "") -> None:
        super().__init__(settings, search)
        self.closed = remembered.load(settings).detail == CLOSED

    @property
    def over(self) -> bool:
        """Whether the detail has the screen, without the table."""
        return self.pane.has_class("-over")

    def _place_detail(self, *, over: bool) -> None:
        """The detail alone; or beside the table, if that is wanted and there is room."""
        before = self.pane.classes
        self.pane.set_class(over, "-over", update=False)
        self.pane.set_class(self.closed and not over, "-closed", update=False)
        if self.pane.classes != before:
            self.pane.update_node_styles()
        for widget in (self.query_one(ModelTable), self.query_one("#search-line")):
            widget.display = not over

    @on(ModelTable.Opened)
    def open_detail(self) -> None:
        """The detail has the keys; where it is not beside the table it comes over it."""
        if not self.pane.display:
            self._place_detail(over=True)
        self._focus_pane()

    def _focus_pane(self) -> None:
        """At once where it is on screen; where it only comes there with the next frame, then."""

        def shown() -> None:
            if self.over:
                self.set_focus(self.pane)
            self.pane.open()

        self.set_focus(self.pane)
        self.call_after_refresh(shown)

    def show_table(self) -> None:
        """The table has the screen and the keys."""
        self._place_detail(over=False)
        self.set_focus(self.query_one(ModelTable))

    def action_zoom(self) -> None:
        """The detail over the whole screen, or beside the table again."""
        if not self.over:
            self._place_detail(over=True)
            self._focus_pane()
        else:
            self.show_table()

    def action_close_detail(self) -> None:
        """The table alone, or the detail beside it again; remembered."""
        if not self.has_class("-wide"):
            self.refuse("There is no room beside the table here; Enter opens the detail over it.")
            return
        self.closed = not self.closed
        self._place_detail(over=False)
        remember(self.app, self.settings, detail=CLOSED if self.closed else None)
        if isinstance(self.focused, ModelDetail):
            self.show_table()
        if not self.closed:
            self.call_after_refresh(self.pane.open)

    def action_back(self) -> None:
        """One step back: detail, search text; in the main screen Esc stays and q quits."""
        if self.over or isinstance(self.focused, ModelDetail):
            self.show_table()
        elif self.question.search:
            self.query_one(SearchBox).value = ""

    def action_back_or_quit(self) -> None:
        """Back from a detail, else the end."""
        if self.over or isinstance(self.focused, ModelDetail):
            self.action_back()
        else:
            self.app.exit()
