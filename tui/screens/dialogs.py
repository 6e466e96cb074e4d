"""Small modal dialogs: pick one of a list, name something, read a long text, say yes or no."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tui.screens.steady import SteadyScreen
from tui.terminal_text import brief, clean
from tui.widgets.bars import Bar
from tui.widgets.clickable import clickable
from tui.widgets.copy_request import CopyRequested
from tui.widgets.long_text import READING_ROOM, shortened
from tui.widgets.reading_pane import ReadingPane

Value = TypeVar("Value")
Answer = TypeVar("Answer")


LONGEST_LIST = 24
"""Lines of a list that are on screen at once, where there is room."""
LONGEST_LABEL = 200
"""Characters of a line of a list."""


@dataclass(frozen=True, slots=True)
class Choice(Generic[Value]):
    """One line of a list: what it stands for, how it reads, and a remark at its right.

    Typing finds it by its label, and by what it is `also` found by.
    """

    value: Value
    label: str
    remark: str = ""
    also: str = ""


class LineDialog(ModalScreen[Answer], SteadyScreen[Answer]):
    """A dialog with a line to type into; what was typed ahead, before the line had the focus, gets there too."""

    def on_key(self, event: events.Key) -> None:
        """Enter takes what is typed, in the order of the keys."""
        if event.key == "enter":
            event.stop()
            self.take()
        elif event.is_printable and event.character is not None:
            event.stop()
            self.query_one(Input).insert_text_at_cursor(event.character)

    def take(self) -> None:
        """Answer with what is typed or chosen."""
        raise NotImplementedError


class PickDialog(LineDialog["Choice[Value] | None"], Generic[Value]):
    """Pick one of a list; typing narrows it. With `free_text` what was typed can be taken as it stands."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "close", show=False),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("up", "move(-1)", show=False, priority=True),
    ]
    HINT: ClassVar[str] = "⏎ take   esc close"

    def __init__(
        self,
        title: str,
        choices: list[Choice[Value]],
        current: Value,
        free_text: Callable[[str], Choice[Value] | None] | None = None,
    ) -> None:
        super().__init__()
        self._title = title
        self._choices = choices
        self._current = current
        self._free_text = free_text
        self._shown: list[Choice[Value]] = []
        self._narrowed_to: str | None = None
        self._marked = 0

    def compose(self) -> ComposeResult:
        """A title, a line to type into, the list."""
        with Vertical(classes="dialog"):
            yield Static(Content(brief(self._title, 300)), classes="dialog-title")
            search = Input(placeholder="type to narrow", compact=True, classes="dialog-input")
            search.cursor_blink = False
            yield search
            yield OptionList(compact=True)
            yield Static(Content(self.HINT), classes="dialog-hint")

    def on_mount(self) -> None:
        """Show the whole list with the current choice marked."""
        self.query_one(OptionList).can_focus = False
        self._narrow("")

    def on_resize(self, event: events.Resize) -> None:
        """The list is as high as leaves room for what stands around it, so that its last line can be reached."""
        self.query_one(OptionList).styles.max_height = max(3, min(LONGEST_LIST, event.size.height * 4 // 5 - 9))

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._narrow(event.value)

    def take(self) -> None:
        """Answer with the highlighted choice of what is typed."""
        choice = self.marked
        if choice is not None:
            self.taken(choice)

    @property
    def marked(self) -> Choice[Value] | None:
        """The highlighted choice of what is typed."""
        self._narrow(self.query_one(Input).value)
        index = self.query_one(OptionList).highlighted
        return None if index is None else self._shown[index]

    def taken(self, choice: Choice[Value]) -> None:
        """This one is wanted."""
        self.dismiss(choice)

    def offer(self, choices: list[Choice[Value]]) -> None:
        """Other choices, narrowed by what is typed."""
        self._choices, self._narrowed_to = choices, None
        self._narrow(self.query_one(Input).value)

    @on(OptionList.OptionSelected)
    def _take(self, event: OptionList.OptionSelected) -> None:
        self.taken(self._shown[event.option_index])

    def action_move(self, by: int) -> None:
        """Move in the list while the focus stays where one types."""
        options = self.query_one(OptionList)
        (options.action_cursor_down if by > 0 else options.action_cursor_up)()

    def _narrow(self, text: str) -> None:
        if text == self._narrowed_to:
            return
        self._narrowed_to = text
        words = text.casefold().split()
        shown = [choice for choice in self._choices if all(word in _found_by(choice) for word in words)]
        typed = self._free_text(text.strip()) if self._free_text and text.strip() else None
        if typed is not None and all(choice.value != typed.value for choice in shown):
            shown.append(typed)
        self._shown = shown
        options = self.query_one(OptionList)
        width = min(max((len(choice.label) for choice in shown), default=0), LONGEST_LABEL)
        options.clear_options()
        options.add_options(Option(self._line(choice, width, index)) for index, choice in enumerate(shown))
        if text.strip() and not shown:
            options.add_option(Option(Content.styled("   nothing here has that", "$text-muted"), disabled=True))
        if shown:
            values = [choice.value for choice in shown]
            options.highlighted = values.index(self._current) if self._current in values else 0

    @on(OptionList.OptionHighlighted)
    def _mark(self, event: OptionList.OptionHighlighted) -> None:
        """The line that Enter takes has a mark, which reads without colour."""
        options = self.query_one(OptionList)
        width = min(max((len(choice.label) for choice in self._shown), default=0), LONGEST_LABEL)
        for index in {self._marked, event.option_index}:
            if index < len(self._shown):
                options.replace_option_prompt_at_index(index, self._line(self._shown[index], width, index))
        self._marked = event.option_index

    def _line(self, choice: Choice[Value], width: int, index: int) -> Content:
        cursor = "▌" if index == self.query_one(OptionList).highlighted else " "
        current = "● " if choice.value == self._current else "  "
        label = brief(choice.label, LONGEST_LABEL)
        remark = brief(choice.remark, LONGEST_LABEL)
        return Content.assemble(cursor, current, label, " " * (width - len(label) + 2), remark)


def _found_by(choice: Choice[Value]) -> str:
    return f"{choice.label} {choice.also}".casefold()


@dataclass(frozen=True, slots=True)
class Objection:
    """What speaks against a text; unless `final`, a second Enter takes it all the same."""

    reason: str
    final: bool = False


class NameDialog(LineDialog["str | None"]):
    """Ask for a line of text, such as a file name. `objection` says why a text cannot be taken yet.

    `verb` says what Enter does. With `replaced` what one types takes the place of the text. No text is no answer,
    unless `may_be_empty`.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "close", show=False)]

    def __init__(
        self,
        title: str,
        text: str,
        objection: Callable[[str], Objection | None],
        *,
        verb: str = "write",
        replaced: bool = False,
        may_be_empty: bool = False,
    ) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._objection = objection
        self._verb = verb
        self._replaced = replaced
        self._may_be_empty = may_be_empty
        self._confirmed: str | None = None

    def compose(self) -> ComposeResult:
        """A title, the line, and a place for what speaks against it."""
        with Vertical(classes="dialog"):
            yield Static(Content(brief(self._title, 300)), classes="dialog-title")
            name = Input(self._text, compact=True, classes="dialog-input", select_on_focus=self._replaced)
            name.cursor_blink = False
            yield name
            yield Static(Content(f"⏎ {self._verb}   esc close"), classes="dialog-hint", id="objection")

    def take(self) -> None:
        """Answer with the text, when nothing speaks against it or after a second Enter."""
        text = self.query_one(Input).value.strip()
        if not text and not self._may_be_empty:
            return
        objection = self._objection(text)
        if objection is None or (self._confirmed == text and not objection.final):
            self.dismiss(text)
            return
        self._confirmed = text
        again = "" if objection.final else "  ⏎ again: do it"
        self.query_one("#objection", Static).update(
            Content.assemble((clean(objection.reason), "$text-warning"), f"{again}  esc close")
        )


def text_width(window: int) -> int:
    """Cells that a line of a `TextDialog` has room for in a window of so many, its scrollbar not counted."""
    return min(window * 9 // 10, 120) - 5


class TextDialog(ModalScreen[None], SteadyScreen[None]):
    """A long text to read, scroll and copy."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss(None)", "close"),
        Binding("y", "copy", "copy"),
    ]

    def __init__(self, title: str, body: Content, text: str) -> None:
        """`body` is what is drawn, `text` what is copied."""
        super().__init__()
        self._title = title
        self._body = body
        self._text = text

    def compose(self) -> ComposeResult:
        """A title, the text in a scrolling box, the keys."""
        with Vertical(classes="dialog dialog-large"):
            yield Static(Content(brief(self._title, 300)), classes="dialog-title")
            with ReadingPane():
                yield Static(shortened(self._body, "y copies all of it", READING_ROOM))
            yield Static(Content("j k scroll   y copy   esc close"), classes="dialog-hint")

    def action_copy(self) -> None:
        """Copy the text as it is, not as it is drawn."""
        self.post_message(CopyRequested(self._text, self._title))


class ConfirmDialog(ModalScreen[bool], SteadyScreen[bool]):
    """Ask before something happens. The answer is No unless a person goes to the other one, or presses its key."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,n,q", "dismiss(False)", "no", show=False),
        Binding("enter", "take", "take", show=False, priority=True),
        Binding("left,right,tab,shift+tab", "turn", "other answer", show=False, priority=True),
    ]

    def __init__(self, title: str, body: Sequence[str | Content], yes: str = "do it", key: str = "y") -> None:
        """`yes` says in a word or two what the other answer does; `key`, that answer's, is y unless habit would hit it.

        `body` has a text for each paragraph.
        """
        super().__init__()
        self._title = title
        self._body = Content("\n").join(Content(clean(part)) if isinstance(part, str) else part for part in body)
        self._yes = yes
        self._key = key
        self._chosen = False

    def compose(self) -> ComposeResult:
        """A title, what will happen, the two answers, the keys."""
        with Vertical(classes="dialog dialog-confirm"):
            yield Static(Content(brief(self._title, 300)), classes="dialog-title")
            with ReadingPane():
                yield Static(self._body)
            yield Bar(id="answers")
            yield Static(Content(f"⏎ the marked one   n no   {self._key} {self._yes}"), classes="dialog-hint")

    def on_mount(self) -> None:
        """No is the answer so far."""
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        """The answers are always on screen, whatever the length of the text above them."""
        self.query_one(ReadingPane).styles.max_height = max(3, event.size.height - 11)

    def on_key(self, event: events.Key) -> None:
        """The key of the other answer."""
        if event.character == self._key:
            event.stop()
            self.dismiss(True)

    def action_take(self) -> None:
        """The marked answer."""
        self.dismiss(self._chosen)

    def action_turn(self) -> None:
        """Mark the other answer."""
        self._chosen = not self._chosen
        self._draw()

    def action_answer(self, yes: bool) -> None:
        """The answer under the mouse."""
        self.dismiss(yes)

    def _draw(self) -> None:
        answers = [
            clickable(
                Content.assemble(("▌", "$primary"), (f" {label} ", "bold $background on $primary"))
                if chosen
                else Content(f"  {label} "),
                f"answer({yes})",
            )
            for label, yes, chosen in (("No", False, not self._chosen), (f"Yes, {self._yes}", True, self._chosen))
        ]
        self.query_one(Bar).show(Content("    ").join(answers))
