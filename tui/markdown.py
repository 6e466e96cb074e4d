r"""Outside text in a Markdown table, as GitHub and wikis read it: it stays text, whatever is in it.

Signs that begin something in Markdown or HTML are escaped, so that no text adds a cell, a line, a tag or a link. What
GitHub makes of plain text too (`@name` notifies a person, `#12` leaves a trace in another issue, `https://` and `www.`
become links) is kept apart by a zero-width space, written `&#8203;`. What a terminal would act on is shown as an
escape, as in the app: a line end is `\n`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tui.terminal_text import clean

_SIGNS = re.compile(r"[\\`*_\[\]{}|~$]")
_OF_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_COMES_ALIVE = re.compile(r"(?<=[@#])(?=\w)|(?<=/)(?=/)|(?<=www)(?=\.)|(?<=GH)(?=-\d)", re.IGNORECASE)
_APART = "&#8203;"


def table(names: Sequence[str], rows: Iterable[Sequence[str]], at_right: Sequence[bool]) -> Iterable[str]:
    """The lines of a table, each with its line end: names, what tells that it is a table, a line for each row.

    `at_right` tells for each column whether its cells stand at the right.
    """
    yield _line(names)
    yield f"| {' | '.join('--:' if right else ':--' for right in at_right)} |\n"
    for row in rows:
        yield _line(row)


def cell(text: str) -> str:
    """The text as a cell shows it."""
    apart = _COMES_ALIVE.sub("\0", clean(text).strip())
    escaped = _SIGNS.sub(r"\\\g<0>", apart.translate(_OF_HTML))
    return escaped.replace("\0", _APART)


def _line(row: Sequence[str]) -> str:
    return f"| {' | '.join(map(cell, row))} |\n"
