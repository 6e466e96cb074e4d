"""SGR parameters, the colours of a terminal (ECMA-48, xterm): many ways to say them -> one validated way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

_ON = {1: "1", 2: "2", 3: "3", 4: "4", 7: "7", 9: "9", 21: "4"}
"""Bold, dim, italic, underline, reverse, struck out. Blinking and hidden text are not for a log."""
_OFF = {22: "12", 23: "3", 24: "4", 27: "7", 29: "9"}
_BASIC = frozenset((*range(30, 38), *range(40, 48), *range(90, 98), *range(100, 108)))
_FOREGROUND, _BACKGROUND = 38, 48
_MOST_PARAMETERS = 64


@dataclass(frozen=True, slots=True)
class _Look:
    attributes: str = ""
    """Digits of _ON, ascending."""
    foreground: str = ""
    background: str = ""

    def __str__(self) -> str:
        return ";".join(part for part in (*self.attributes, self.foreground, self.background) if part)


@lru_cache(1024)
def after(style: str, parameters: str) -> str:
    """The style that holds after `ESC [ parameters m`; both are in the one way: `""` (plain), `1;31`, `4;38;5;208`.

    Attributes ascend, then comes the foreground (`31`, `91`, `38;5;N`, `38;2;R;G;B`), then the background. What is not
    understood, or out of its range, changes nothing.
    """
    before = _applied(_Look(), style) if style else _Look()
    return str(_applied(before, parameters or "0"))


def _applied(look: _Look, parameters: str) -> _Look:
    if len(parameters) > 1_000 or not parameters.replace(";", "").replace(":", "").isdecimal():
        # `?4m` and the like are private commands with the same last letter; `;m` is `0m`.
        return look if parameters.strip(";") else _Look()
    groups = [part.split(":") for part in parameters.split(";")[:_MOST_PARAMETERS]]
    at = 0
    while at < len(groups):
        code = _number(groups[at][0])
        rest = groups[at][1:]
        at += 1
        if code in (_FOREGROUND, _BACKGROUND):
            if not rest:
                rest = [group[0] for group in groups[at : at + 4]]
                at += {"2": 4, "5": 2}.get(rest[0] if rest else "", 0)
            look = _coloured(look, code, rest)
        elif code == 4 and rest:
            look = _without(look, "4") if rest[0] == "0" else _with(look, "4")
        else:
            look = _simple(look, code)
    return look


def _simple(look: _Look, code: int) -> _Look:
    if code == 0:
        return _Look()
    if code in _ON:
        return _with(look, _ON[code])
    if code in _OFF:
        return _without(look, _OFF[code])
    if code in _BASIC:
        is_background = (code // 10) % 10 in (4, 0)
        return replace(look, background=str(code)) if is_background else replace(look, foreground=str(code))
    if code == 39:
        return replace(look, foreground="")
    return replace(look, background="") if code == 49 else look


def _with(look: _Look, attribute: str) -> _Look:
    return replace(look, attributes="".join(sorted({*look.attributes, attribute})))


def _without(look: _Look, attributes: str) -> _Look:
    return replace(look, attributes="".join(each for each in look.attributes if each not in attributes))


def _coloured(look: _Look, code: int, parts: list[str]) -> _Look:
    """`parts` are `5 N` or `2 R G B`; with colons there may be the id of a colour space before R, often empty."""
    kind = parts[0] if parts else ""
    values = [_number(part) for part in (parts[1:][-3:] if kind == "2" else parts[1:2])]
    if len(values) != {"2": 3, "5": 1}.get(kind) or not all(0 <= value <= 255 for value in values):
        return look
    colour = ";".join(map(str, (code, int(kind), *values)))
    return replace(look, foreground=colour) if code == _FOREGROUND else replace(look, background=colour)


def _number(text: str) -> int:
    """-1 for what is no number of a few digits; nothing is 0."""
    if not text:
        return 0
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 5 else -1
