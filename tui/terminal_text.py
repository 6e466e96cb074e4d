r"""Outside text made safe for a terminal.

Model ids, notes, tracebacks, run logs and file names come from strangers. A terminal acts on some characters (ESC
starts commands, C1 does so too), others turn the reading order around or take no room. They are shown as the escape
that Python would write (`\x1b`, `\u202e`), so nothing acts and nothing is lost. A literal backslash stays as it is:
paths and scripts are read more often than forgeries of an escape.

Escaped are all control, format, surrogate, private-use and unassigned code points, line and paragraph separators
(Python's `str.isprintable` apart from spaces), the other code points that Unicode calls "default ignorable" (variation
selectors, fillers), which are invisible or change the width of the character before, and combining marks from the
fourth in a row. Zero-width joiners are among them: no two terminals agree on the width of what they join.
"""

from __future__ import annotations

import re
from functools import lru_cache

_TAB_WIDTH = 4

_NOT_ASCII = re.compile(r"[^ -~]")
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0") | frozenset(
    map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
_SPACES = frozenset("\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000")
_COMBINING = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_STACK = re.compile(f"(?<=[{_COMBINING}]{{3}})[{_COMBINING}]+")


def clean(text: str, *, newlines: bool = False) -> str:
    r"""`text` without anything that a terminal acts on; what was there is shown as an escape such as `\x1b`.

    Tabs become spaces. With `newlines`, line feeds stay and CR LF counts as one; otherwise both are shown as `\n` and
    `\r`, so that the answer is a single line.
    """
    if text.isascii() and text.isprintable():
        return text
    if newlines and "\n" in text:
        return "\n".join(map(_clean_line, text.replace("\r\n", "\n").split("\n")))
    return _clean_line(text)


def last_line(text: str) -> str:
    """The last line of `text` that is not blank, cleaned and without spaces around it; empty when there is none.

    A carriage return ends a line too, as in the output of a progress bar.
    """
    text = text.rstrip()
    start = max(text.rfind("\n"), text.rfind("\r")) + 1
    return clean(text[start:].strip())


def _clean_line(line: str) -> str:
    if "\t" in line:
        line = line.expandtabs(_TAB_WIDTH)
    if _NOT_ASCII.search(line) is None:
        return line
    line = _NOT_ASCII.sub(_shown, line)
    return _STACK.sub(lambda marks: "".join(map(_escape, marks[0])), line)


def _shown(match: re.Match[str]) -> str:
    return _shown_character(match[0])


@lru_cache(4096)
def _shown_character(character: str) -> str:
    if character in _SPACES or (character.isprintable() and character not in _INVISIBLE):
        return character
    return _escape(character)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
