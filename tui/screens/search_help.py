"""The help of the search box: the language, made from its names, so that it cannot tell of one that is not there."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from textual.content import Content

from tui.catalog.search_names import NAMES, ORDERED, RULES, Kind, Name
from tui.widgets.verdict_look import MUTED

NARROWEST = 60
"""Cells of a line; in a window that has not so many the dialog breaks the lines."""

_KEYS = (
    ("Tab or →", "takes what stands faint behind the cursor: the first of the line at the bottom"),
    ("underlined", "is not finished or not known; it does not count, the rest does"),
    ("Enter or ↓", "to the table; the search stays"),
    ("Esc", "clears the search; again: to the table"),
)


def language(width: int) -> Content:
    """Rules, then each name with what it asks for and an example, then the keys; in lines of `width` cells."""
    names = [(each.example, _about(each)) for each in NAMES.values()]
    rules = [(example, [meaning]) for example, meaning in RULES]
    keys = [(key, [does]) for key, does in _KEYS]
    indent = 4 + max(len(left) for left, _ in (*names, *rules, *keys))
    return Content("\n").join(
        [
            Content("Words and terms in any order; all of them apply, in any case."),
            *_section("Words, terms, quotes", rules, indent, width),
            *_section("Names", names, indent, width),
            *_section("While one types", keys, indent, width),
        ]
    )


def _about(name: Name) -> list[str]:
    """What it asks for; then, less bright, what its values are."""
    if name.kind is Kind.HERE:
        return [name.meaning]
    return [name.meaning, f"{' '.join(name.operators)}  {name.values}" if name.operators == ORDERED else name.values]


def _section(title: str, lines: Iterable[tuple[str, Sequence[str]]], indent: int, width: int) -> list[Content]:
    """Examples at the left, what they mean at the right."""
    told = [Content(""), Content.styled(title, "bold $primary")]
    for left, texts in lines:
        first = Content.styled(f"  {left}".ljust(indent), "bold")
        for place, text in enumerate(texts):
            for part in textwrap.wrap(text, max(width, NARROWEST) - indent):
                told.append(first + Content.styled(part, MUTED if place else ""))
                first = Content(" " * indent)
    return told
