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

_TAB_WIDTH = 4

_NOT_ASCII = re.compile(r"[^ -~]")
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
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


def brief(text: str, longest: int = 1_000, *, newlines: bool = False) -> str:
    """`clean`, of a text on screen: of one with more than `longest` characters the beginning, and how many there are.

    To wrap and to draw 100,000 characters takes a second, in which no key is answered.
    """
    if len(text) > longest:
        return f"{clean(text[:longest], newlines=newlines)}… ({len(text):,} characters in all)"
    return clean(text, newlines=newlines)


def last_line(text: str) -> str:
    """The last line of `text` that is not blank, cleaned and without spaces around it; empty when there is none.

    A carriage return ends a line too, as in the output of a progress bar.
    """
    text = text.rstrip()
    start = max(text.rfind("\n"), text.rfind("\r")) + 1
    return clean(text[start:].strip())


def acting(text: str) -> str:
    """The characters of `text` that `clean` would not leave to a terminal, each once, as escapes; empty without any.

    Pasted into a shell they act, quoted or not, or let the line read otherwise than it runs.
    """
    if text.isprintable():
        return ""
    return " ".join(_escape(character) for character in dict.fromkeys(text) if not is_inert(character))


def _clean_line(line: str) -> str:
    if "\t" in line:
        line = line.expandtabs(_TAB_WIDTH)
    if _NOT_ASCII.search(line) is None:
        return line
    if not line.isprintable() or _INVISIBLE.search(line):
        line = line.translate(_SHOWN)
    return _STACK.sub(lambda marks: "".join(map(_escape, marks[0])), line)


class _Shown(dict[int, str]):
    """Code point -> how it is shown, for `str.translate`."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        shown = character if is_inert(character) and not _INVISIBLE.match(character) else _escape(character)
        if len(self) < 10_000:
            self[code] = shown
        return shown


_SHOWN = _Shown()


def is_inert(character: str) -> bool:
    """Whether no terminal acts on a character, or changes the order of what it reads because of it."""
    return character.isprintable() or character in _SPACES


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
