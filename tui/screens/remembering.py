"""Remembering what was chosen, and saying once when it cannot be kept."""

from __future__ import annotations

from typing import Any

from textual.app import App

from tui import state
from tui.errors import what_helps
from tui.settings import Settings
from tui.terminal_text import clean


def remember(app: App[Any], settings: Settings, **changes: Any) -> None:
    """Remember as `state.remember` does; the first time that it cannot be written a toast tells it."""
    before = state.unwritten(settings)
    state.remember(settings, **changes)
    reason = state.unwritten(settings)
    if reason is None or before is not None:
        return
    said = (
        f"What you choose is kept until the app ends: {state.path(settings)} cannot be written "
        f"({reason.strerror or reason}). {what_helps(reason)}, or let TRN_MODELS_STATE_DIR name another folder."
    )
    app.notify(clean(said), severity="warning", markup=False, timeout=10)
