"""The search box: every printable key is text; Esc clears, a second Esc leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widgets import Input


class SearchBox(Input):
    """An input line that tells every change at once and hands the focus back to the table."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "clear_or_leave", "clear", id="search.clear", tooltip="Clear; again: leave", show=False),
    ]

    # The box keeps its width whatever stands in it: a key needs no layout of the screen.
    virtual_size = Reactive(Size(0, 0))

    @dataclass
    class QueryChanged(Message):
        """The text is another one."""

        text: str

    class Left(Message):
        """The person wants to go on in the table."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text, placeholder="part of a model id", id="search", compact=True, select_on_focus=False)
        self.cursor_blink = False
        self.disable_messages(self.Changed)

    def watch_value(self, value: str) -> None:
        """Tell the screen at once, so that the box and what was found are painted together."""
        if self.is_attached:
            self.screen.post_message(self.QueryChanged(value))

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()

    def action_clear_or_leave(self) -> None:
        """Clear the text; when it is empty, go to the table."""
        if self.value:
            self.value = ""
        else:
            self.post_message(self.Left())
