"""What completes the text of the search box where the cursor is. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.catalog.search_names import NAMES

if TYPE_CHECKING:
    from tui.catalog.search_completion import Completion
    from tui.catalog.vocabulary import Vocabulary

SHORTEST_NAME = 2
"""Letters of a word from which on it may become a name: with one, most words would flicker."""
LONGEST = 1_000
"""Characters of a text above which it was pasted, and nobody waits for its completion."""
_SIGNS = frozenset('":=<>')
"""Without any of them there is no term."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """How `text` can go on at `cursor`, likeliest first; `ghost` is the text to stand behind the cursor: the whole new
    text, empty when there is none. `vocabulary` is what it was found with."""

    text: str = ""
    cursor: int = 0
    found: tuple[Completion, ...] = ()
    ghost: str = ""
    vocabulary: Vocabulary | None = None


NOTHING_AHEAD = Ahead()


def ahead_of(text: str, cursor: int, vocabulary: Vocabulary | None, before: Ahead = NOTHING_AHEAD) -> Ahead:
    """What can be taken now; `before` is returned as it is when it is of the same text, cursor and vocabulary."""
    if (before.text, before.cursor) == (text, cursor) and before.vocabulary is vocabulary:
        return before
    found: tuple[Completion, ...] = ()
    if _being_typed(text[:cursor]) and len(text) <= LONGEST:
        from tui.catalog.search_completion import completions

        found = tuple(each for each in completions(text, cursor, vocabulary) if each.text != text)
    return Ahead(text, cursor, found, _ghost(text, cursor, found), vocabulary)


def _being_typed(before_cursor: str) -> bool:
    """Whether the cursor stands behind a term, or behind what may become the name of one: seldom, among words."""
    if not before_cursor or before_cursor[-1].isspace():
        return '"' in before_cursor
    word = before_cursor.rsplit(maxsplit=1)[-1].removeprefix("-").casefold()
    if word.isalpha() and '"' not in before_cursor:
        return len(word) >= SHORTEST_NAME and any(name.startswith(word) for name in NAMES)
    return not _SIGNS.isdisjoint(before_cursor)


def _ghost(text: str, cursor: int, found: tuple[Completion, ...]) -> str:
    """Only what goes on from the end of the text can stand there."""
    if not found or cursor != len(text):
        return ""
    first = found[0].text
    return first if len(first) > len(text) and first[: len(text)].casefold() == text.casefold() else ""
