"""The line at the bottom of a log that one types a search into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input


class LogSearch(Input):
    """On screen only while one types; Enter keeps what was found, Esc forgets it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "give_up", show=False)]
    DEFAULT_CSS = """
    LogSearch { display: none; height: 1; border: none; padding: 0 1; background: $panel; }
    """

    @dataclass
    class Left(Message):
        """The person goes back to the log."""

        text: str

    def __init__(self) -> None:
        super().__init__(placeholder="search the log", id="log-search", compact=True)
        self.cursor_blink = False

    def open(self) -> None:
        """Come on screen and take the keys."""
        self.display = True
        self.focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._leave()

    def action_give_up(self) -> None:
        """Forget the text."""
        self.value = ""
        self._leave()

    def _leave(self) -> None:
        self.display = False
        self.post_message(self.Left(self.value))
