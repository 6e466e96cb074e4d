"""What the app's screen looks like when it is as awaited: conditions on its lines."""

from __future__ import annotations

from collections.abc import Sequence

from terminal import Condition

DOWN, PAGE_DOWN, PAGE_UP, ESCAPE, ENTER = "\x1b[B", "\x1b[6~", "\x1b[5~", "\x1b", "\r"
FIRST_MODEL = "acme-0/Mod-0000000-1B"
"""The first line of Selected in every made-up dataset."""

CURSOR = "▌"
_SCROLLBAR = str.maketrans(dict.fromkeys("▁▂▃▄▅▆▇█", " "))
VIEW_KEYS = {"selected": "1", "trending": "2", "downloads": "3"}
_OWN_TITLE = {"trending": "trend", "downloads": "downloads"}
"""The column that only this view has."""


def header(lines: Sequence[str]) -> bool:
    """title, views and search box"""
    return any("1 Selected" in line for line in lines[:3]) and any(line.startswith(" / ") for line in lines[:6])


def title_row(lines: Sequence[str]) -> int | None:
    """Where the column titles of the table are."""
    for place, line in enumerate(lines):
        if "result " in line and "model " in line:
            return place
    return None


def rows(lines: Sequence[str]) -> list[str]:
    """The lines of models, without what is beside the table."""
    title = title_row(lines)
    if title is None:
        return []
    left = [_of_table(line) for line in lines[title + 1 : -2]]
    return [line for line in left if "/" in line or "…" in line]


def _of_table(line: str) -> str:
    """A line without scrollbar, and without the detail beside it."""
    return line.split("│", maxsplit=1)[0].translate(_SCROLLBAR).rstrip()


def cursor_row(lines: Sequence[str]) -> str:
    """The model's line with the cursor; empty when there is none."""
    return next((line for line in rows(lines) if line.startswith(CURSOR)), "")


def listed(lines: Sequence[str]) -> bool:
    """lines of models"""
    return bool(rows(lines))


def cursor_left(before: str) -> Condition:
    """The cursor is on another model than on this line."""

    def holds(lines: Sequence[str]) -> bool:
        """the cursor on another line"""
        now = cursor_row(lines)
        return bool(now) and now != before

    return holds


def other_page(before: Sequence[str]) -> Condition:
    """The lines are others than these, and the cursor is on one of them."""
    first, last = before[0].strip(CURSOR), before[-1].strip(CURSOR)

    def holds(lines: Sequence[str]) -> bool:
        """another page"""
        now = rows(lines)
        return bool(now) and first not in now[0] and last not in now[-1] and bool(cursor_row(lines))

    return holds


def found(text: str, count: int) -> Condition:
    """So many are listed, and each line on the screen has the text."""

    def holds(lines: Sequence[str]) -> bool:
        now = rows(lines)
        counted = any(f" {count:,} of " in line for line in lines[:6])
        return counted and bool(now) and all(text in line.casefold() for line in now)

    holds.__doc__ = f"{count:,} models with «{text}»"
    return holds


def view(name: str) -> Condition:
    """The lines of this view."""

    def holds(lines: Sequence[str]) -> bool:
        title = title_row(lines)
        if title is None or not rows(lines):
            return False
        titles = _of_table(lines[title]).split()
        return {each for each, column in _OWN_TITLE.items() if column in titles} == {name} - {"selected"}

    holds.__doc__ = f"the view {name}"
    return holds


def has(*words: str) -> Condition:
    """Every one of these words is on the screen."""

    def holds(lines: Sequence[str]) -> bool:
        text = "\n".join(lines)
        return all(word in text for word in words)

    holds.__doc__ = f"{', '.join(words)} on the screen"
    return holds
