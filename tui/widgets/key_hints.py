"""The footer: keys that do something here, those that do not apply at the moment dimmed."""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content

from tui.widgets.clickable import ClickableLine, clickable
from tui.widgets.verdict_look import FAINT, MUTED


@dataclass(frozen=True, slots=True)
class Hint:
    """One key, what it does in a word or two, and whether it applies now."""

    key: str
    label: str
    action: str
    applies: bool = True


class KeyHints(ClickableLine):
    """As many hints as fit on one line; the last two (help, quit) always stay."""

    DEFAULT_CSS = """
    KeyHints { background: $panel; }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._hints: tuple[Hint, ...] = ()

    def show(self, hints: tuple[Hint, ...]) -> None:
        """Replace the hints."""
        if hints != self._hints:
            self._hints = hints
            self.refresh()

    def render(self) -> Content:
        """The hints that fit, in their order."""
        parts = [_hint_text(hint) for hint in self._hints]
        room = self.content_size.width - 1 - sum(part.cell_length + 2 for part in parts[-2:])
        line = Content(" ")
        for part in parts[:-2]:
            if line.cell_length + part.cell_length > room:
                break
            line = line + part + Content("  ")
        for part in parts[-2:]:
            line = line + part + Content("  ")
        return line.rstrip()


def _hint_text(hint: Hint) -> Content:
    key_style = "bold $primary" if hint.applies else FAINT
    label_style = MUTED if hint.applies else FAINT
    text = Content.assemble((hint.key, key_style), " ", (hint.label, label_style))
    return clickable(text, hint.action)
