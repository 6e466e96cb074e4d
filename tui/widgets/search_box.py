"""The search box: every printable key is text; what it means is shown in it; Esc clears, a second Esc leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events, on
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widgets import Input
from textual.widgets.input import Selection

from tui.catalog.search_terms import NO_SEARCH, Search
from tui.widgets.search_ahead import NOTHING_AHEAD, Ahead, ahead_of

if TYPE_CHECKING:
    from tui.catalog.vocabulary import Vocabulary


def _key(key: str, action: str, name: str, tooltip: str) -> Binding:
    return Binding(key, action, name, show=False, id=f"search.{name}", tooltip=tooltip)


class SearchBox(Input):
    """An input line that tells every change at once and hands the focus back to the table.

    `vocabulary` gives the values that a search can name, None while nothing is there to search in.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("escape", "clear_or_leave", "clear", "Clear; again: leave"),
        _key("tab", "complete", "complete", "Take what stands faint behind the cursor, as → does"),
        _key("f1", "screen.search_language", "language", "What can be searched for"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"search-box--term", "search-box--unclear"}

    # The box keeps its width whatever stands in it: a key needs no layout of the screen.
    virtual_size = Reactive(Size(0, 0))

    @dataclass
    class QueryChanged(Message):
        """The text is another one."""

        text: str

    class LooksAhead(Message):
        """What completes the text is something else, by a move of the cursor."""

    class Left(Message):
        """The person wants to go on in the table."""

    def __init__(self, text: str = "", vocabulary: Callable[[], Vocabulary | None] = lambda: None) -> None:
        self._understood = NO_SEARCH
        self._vocabulary = vocabulary
        self.ahead: Ahead = NOTHING_AHEAD
        """How the text can go on at the cursor."""
        super().__init__(text, placeholder="id, is:pass, cores<=4", id="search", compact=True, select_on_focus=False)
        self.cursor_blink = False
        self.disable_messages(self.Changed)

    def watch_value(self, value: str) -> None:
        """Tell the screen at once, so that the box and what was found are painted together."""
        if self.is_attached:
            self.screen.post_message(self.QueryChanged(value))

    def watch_selection(self) -> None:
        """The cursor moved, by itself or behind a letter."""
        self.look_ahead()

    def replace(self, text: str, start: int, end: int) -> None:
        """Every edit comes this way; one behind the cursor moves nothing."""
        super().replace(text, start, end)
        self.look_ahead()

    # What the text means

    def understood(self, search: Search) -> None:
        """Show which parts of the text are terms, and which of them do not count."""
        if search != self._understood:
            self._understood = search
            self.refresh()
        self.look_ahead()

    def look_ahead(self) -> None:
        """Find what completes the text, unless that is known; the first of it stands behind the cursor, faint."""
        if not self.is_attached:
            return
        before = self.ahead
        self.ahead = ahead_of(self.value, self.cursor_position, self._vocabulary(), before)
        self._suggestion = self.ahead.ghost
        if self.ahead.found != before.found and self.ahead.text == before.text:
            self.screen.post_message(self.LooksAhead())

    def on_focus(self) -> None:
        """Textual forgets what stood behind the cursor."""
        self.call_next(self.look_ahead)
        self.call_next(self._settle)

    def on_blur(self) -> None:
        """Nobody types: the text is read from its beginning."""
        self.call_next(self._settle)

    def on_resize(self) -> None:
        """More of the text has room, or less."""
        self._settle()

    def _settle(self) -> None:
        """The beginning of the text, or the cursor where that stands further right."""
        room = self.content_size.width
        at = self._cursor_offset - room if self.has_focus and self.content_width > room else 0
        self.scroll_to(max(at, 0), animate=False, force=True, immediate=True)

    @property
    def _value(self) -> Text:
        """The text with its terms marked."""
        text = Text(self.value, no_wrap=True, overflow="ignore", end="")
        if self._understood.text == self.value:
            for term in self._understood.terms:
                if term.name or term.hint:
                    part = "search-box--unclear" if term.hint else "search-box--term"
                    text.stylize(self.get_component_rich_style(part, partial=True), term.start, term.end)
        return text

    # Keys

    async def on_key(self, event: events.Key) -> None:
        """Keys act in their order: Textual lets letters behind an editing key, in one packet, go before it."""
        if self.check_consume_key(event.key, event.character):
            return
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            if not binding.priority and await self.app.run_action(binding.action, self):
                event.stop()
                event.prevent_default()
                return

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()

    def action_complete(self) -> None:
        """Take the first completion; without one the key goes on, to the next part of the screen."""
        if not self.ahead.found:
            raise SkipAction
        first = self.ahead.found[0]
        self.value = first.text
        self.selection = Selection.cursor(first.cursor)
        self.look_ahead()

    def action_cursor_right(self, select: bool = False) -> None:
        """At the end of the text take what stands behind it."""
        if self.ahead.ghost and self.cursor_at_end and not select:
            self.action_complete()
        else:
            super().action_cursor_right(select)

    def action_clear_or_leave(self) -> None:
        """Clear the text; when it is empty, go to the table."""
        if self.value:
            self.value = ""
        else:
            self.post_message(self.Left())
