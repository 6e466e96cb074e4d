"""What the screens of this app have over Textual's: they are left once, and are laid out for one size at a time."""

from __future__ import annotations

from textual import events
from textual.await_complete import AwaitComplete
from textual.notifications import SeverityLevel
from textual.reactive import var
from textual.screen import Screen, ScreenResultType
from textual.widget import Widget

from tui.screens import telling


class SteadyScreen(Screen[ScreenResultType]):
    """A screen that takes no answer twice, and no size that the window has no more."""

    focused = var[Widget | None](None)
    """Textual would draw all of the screen again when the focus moves; the two widgets do so by themselves."""

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Leave with this answer, unless it was left already or something lies over it.

        Textual takes away whatever is on top, and ends the app when that is the last.
        """
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def tell(self, text: str, severity: SeverityLevel = "information", timeout: float | None = None) -> None:
        """Say what a key did; one answer at a time, for `timeout` seconds."""
        telling.tell(self.app, text, severity, timeout)

    def refuse(self, reason: str) -> None:
        """Say why a key does nothing here."""
        self.tell(reason, "warning")

    async def _on_resize(self, event: events.Resize) -> None:
        # Each layout tells the screen itself the size it was made for, and what is told leads to a layout. With two
        # sizes under way, as while a window is drawn larger, they would follow each other without end.
        if event.size != self.app.size:
            event.stop()
            event.prevent_default()
