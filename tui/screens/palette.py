"""The command palette in any window: Textual's own ends the app where there is no room for one of its lines."""

from __future__ import annotations

from contextlib import suppress

from textual import work
from textual.command import CommandList, CommandPalette
from textual.css.query import NoMatches
from textual.widgets import Input

from tui.screens.steady import SteadyScreen


class Palette(CommandPalette, SteadyScreen[None]):
    """Nothing blinks in it, and a key that moves in a list without lines does nothing."""

    def on_mount(self) -> None:
        """Still the cursor of its line."""
        for line in self.query(Input):
            line.cursor_blink = False

    @work(exclusive=True, group=CommandPalette._GATHER_COMMANDS_GROUP)
    async def _gather_commands(self, search_value: str) -> None:
        with suppress(NoMatches):  # it was closed meanwhile
            await CommandPalette._gather_commands.__wrapped__(self, search_value)  # type: ignore[attr-defined]

    def _action_command_list(self, action: str) -> None:
        # Its lines are laid out for a width; there are none before that, and in a window without room for one.
        if self.query_one(CommandList)._lines:
            super()._action_command_list(action)
