"""Searches that are saved under a name: `b` saves the one in the box, `B` lists them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tui import state as remembered
from tui.screens.detail_keys import DetailKeys
from tui.screens.remembering import remember
from tui.widgets.search_box import SearchBox

if TYPE_CHECKING:
    from tui.screens.dialogs import Choice, Objection

ROOM = 400_000
"""Bytes of the file of `tui.state` that saved searches may take: it is read at each start."""


class SavedSearches(DetailKeys):
    """Saves the text of the search box, and puts a saved one there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "save_search", "save search", id="search.save", tooltip="Save this search", priority=True),
        Binding("B", "saved_searches", "saved searches", id="search.saved", tooltip="Saved searches", priority=True),
    ]

    def action_save_search(self) -> None:
        """Ask for a name and save the search under it; one that is taken only after a second Enter."""
        text = self.question.search.strip()
        if not text:
            self.refuse("There is no search to save: / types one, then b saves it.")
            return
        if unfit := remembered.unfit(text):
            self.refuse(f"This search cannot be saved: it {unfit}.")
            return
        from tui.screens.dialogs import NameDialog

        def against(name: str) -> Objection | None:
            return objection(text, remembered.load(self.settings).searches, name)

        dialog = NameDialog("Save this search as", text, against, verb="save", replaced=True)
        self.app.push_screen(dialog, partial(self._save, text))

    def _save(self, text: str, name: str | None) -> None:
        if name is None:
            return
        remember(self.app, self.settings, searches={name: text})
        if remembered.unwritten(self.settings) is None:
            self.tell(f"Saved as «{name}»: B lists the saved searches.")

    def action_saved_searches(self) -> None:
        """List them; the one that is chosen is put into the search box."""
        if not remembered.load(self.settings).searches:
            self.refuse("No search is saved: / types one, then b saves it.")
            return
        from tui.screens.searches_dialog import SearchesDialog

        self.app.push_screen(
            SearchesDialog(self.settings, self.question.search.strip(), self.app.size.width), self._picked
        )

    def _picked(self, choice: Choice[tuple[str, str]] | None) -> None:
        if choice is not None:
            self.search_for(choice.value[1])

    def search_for(self, text: str) -> None:
        """Put a text into the search box, which answers it, and go to the table."""
        self.show_table()
        box = self.query_one(SearchBox)
        box.value = text
        box.cursor_position = len(text)


def objection(text: str, searches: Mapping[str, str], name: str) -> Objection | None:
    """What speaks against saving `text` as `name` beside these searches."""
    from tui.screens.dialogs import Objection

    if unfit := remembered.unfit(name):
        return Objection(f"This cannot be a name: it {unfit}.", final=True)
    if len(json.dumps({**searches, name: text})) > ROOM:
        return Objection("There is no room for more: B lists them, Ctrl+D there deletes one.", final=True)
    if name not in searches:
        return None
    if searches[name] == text:
        return Objection(f"«{name}» is this search already.", final=True)
    return Objection(f"«{name}» is another search so far: {searches[name]}")
