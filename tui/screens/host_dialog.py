"""This host to read, also while it is looked at again: what comes takes the place of what is shown."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from tui import numbers
from tui.host.neuron import Host
from tui.screens.dialogs import TextDialog
from tui.widgets.reading_pane import ReadingPane


class HostDialog(TextDialog):
    """Devices, holders and Pythons."""

    def __init__(self, host: Host, body: Content, *, looking: bool) -> None:
        super().__init__(_title(host, looking), body, body.plain)

    def show(self, host: Host, body: Content, *, looking: bool) -> None:
        """Show this instead, in the same place of the text."""
        self._title, self._body, self._text = _title(host, looking), body, body.plain
        if self.is_mounted:
            self.query_one(".dialog-title", Static).update(Content(self._title))
            self.query_one(ReadingPane).query_one(Static).update(body)


def _title(host: Host, looking: bool) -> str:
    return f"This host, as it was at {numbers.clock(host.looked_at)}{', looking again …' if looking else ''}"
