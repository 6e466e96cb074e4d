"""The question about a step. Its text may be longer than a small screen: then the keys that scroll it are named."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.widgets import Static

from tui.screens.dialogs import ConfirmDialog
from tui.widgets.reading_pane import ReadingPane


class StepDialog(ConfirmDialog):
    """As `ConfirmDialog`, with a hint at its scrolling."""

    def on_resize(self, event: events.Resize) -> None:
        """Whether all of it is seen is known after the layout."""
        super().on_resize(event)
        self.call_after_refresh(self._hint)

    def _hint(self) -> None:
        keys = f"⏎ the marked one   n no   {self._key} {self._yes}"
        scrolls = self.query_one(ReadingPane).max_scroll_y > 0
        self.query_one(".dialog-hint", Static).update(Content(f"{keys}   j k scroll" if scrolls else keys))
