"""The list of saved searches: typing narrows it, Enter takes one, Ctrl+D deletes one."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from tui import state as remembered
from tui.export import cut
from tui.screens.dialogs import Choice, ConfirmDialog, PickDialog
from tui.screens.remembering import remember
from tui.settings import Settings
from tui.terminal_text import clean

NAMES_SHARE = 4
"""A name has at most this part of the window, so that the text beside it is on screen too."""

Saved = tuple[str, str]
"""A name and the text that it stands for."""


class SearchesDialog(PickDialog[Saved]):
    """Pick a saved search, by its name or its text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+d,delete", "delete", "delete", show=False, priority=True),
    ]
    HINT: ClassVar[str] = "⏎ search   ctrl+d delete   esc close"

    def __init__(self, settings: Settings, search: str, width: int) -> None:
        """`search` is the text in the search box, whose saved search is marked; `width` the window's, in cells."""
        widest = max(width // NAMES_SHARE, 8)
        choices = _choices(settings, widest)
        current = next((each.value for each in choices if each.value[1] == search), ("", ""))
        super().__init__("Saved searches", choices, current)
        self._settings = settings
        self._widest = widest

    def action_delete(self) -> None:
        """Delete the marked search when the person says so."""
        choice = self.marked
        if choice is None:
            return
        name, text = choice.value

        def answered(yes: bool | None) -> None:
            if yes:
                remember(self.app, self._settings, searches={name: None})
                left = _choices(self._settings, self._widest)
                self.offer(left)
                if not left:
                    self.dismiss(None)

        self.app.push_screen(ConfirmDialog(f"Delete the saved search «{name}»?", [text], yes="delete it"), answered)


def _choices(settings: Settings, widest: int) -> list[Choice[Saved]]:
    searches = remembered.load(settings).searches
    by_name = sorted(searches.items(), key=lambda item: item[0].casefold())
    return [
        Choice((name, text), label, "" if text == label else text, also=f"{name} {text}")
        for (name, text), label in ((saved, cut(clean(saved[0]), widest)) for saved in by_name)
    ]
