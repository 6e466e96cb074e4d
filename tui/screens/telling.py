"""What a key did, or why it does nothing: one answer on the screen at a time."""

from __future__ import annotations

from typing import Any

from textual.app import App
from textual.notifications import SeverityLevel

from tui.terminal_text import brief


def tell(app: App[Any], text: str, severity: SeverityLevel = "information", timeout: float | None = None) -> None:
    """Say it in the place of what was said before, for `timeout` seconds (None: as long as the app does)."""
    app.clear_notifications()
    app.notify(brief(text), severity=severity, markup=False, timeout=timeout)
