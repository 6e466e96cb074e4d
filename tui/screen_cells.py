"""What stands in the cells of a terminal, and the shortest text that turns one picture into another. Pure.

A frame of Textual draws whole lines, with all attributes set anew for each piece of text. Over a slow link bytes are
what a person waits for: a terminal needs only the cells that are different, and of the attributes only what changes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import compress, groupby
from operator import ne, or_
from unicodedata import category

from rich.cells import cell_len

_PIECE = re.compile(r"\x1b\[([\d;]*)([Hm])([^\x00-\x1f\x7f-\x9f]*)(?:\n(?=\x1b\[[\d;]*H))?")
"""A move (CUP) or attributes (SGR) of ECMA-48, and the text after it: all that a frame of Textual is made of. A line
may end before a move."""

_PART_OF = {
    **dict.fromkeys([*range(30, 39), *range(90, 98)], "fg"),
    **dict.fromkeys([*range(40, 49), *range(100, 108)], "bg"),
    58: "line colour",
    4: "line",
    21: "line",
    6: "5",
    52: "51",
}
"""Parameters that take each other's place; every other one that turns something on is a part by itself."""
_ENDED_BY = {
    22: ("1", "2"), 23: ("3", "20"), 24: ("line",), 25: ("5",), 27: ("7",), 28: ("8",), 29: ("9",), 39: ("fg",),
    49: ("bg",), 54: ("51",), 55: ("53",), 59: ("line colour",),
}  # fmt: skip
"""The parts that a parameter turns off. Bold and dim share one, so `transition` turns nothing off but colours by it."""
_COLOUR_WORDS = {"5": 3, "2": 5}
"""Parameters of an extended colour: `38;5;n` and `38;2;r;g;b`."""
_SEEN_OF_A_BLANK = frozenset(("line", "7", "9", "51", "53"))
_JOINER = "\u200d"
"""Between the parts of one emoji."""
_NEAR = 4
"""So many unchanged cells are cheaper to send again than to jump over."""

Cell = str
"""What stands in a cell: a character, or more that are drawn as one. Empty where a wider one to the left reaches."""


@dataclass(slots=True)
class _Line:
    cells: list[Cell | None] = field(default_factory=list)
    """None where it is not known what the terminal shows."""
    attributes: list[str] = field(default_factory=list)
    """SGR parameters of each cell, `1;38;5;2`; empty for none."""
    odd: bool = False
    """Whether a cell holds more than one character, or did."""

    def put(self, x: int, cells: tuple[Cell, ...] | str, attributes: str) -> None:
        end = x + len(cells)
        if end > len(self.cells):
            self.reach(end)
        if self.odd:
            self._clear_halves(x, end)
        self.cells[x:end] = cells
        self.attributes[x:end] = [attributes] * len(cells)
        self.odd = self.odd or not isinstance(cells, str)

    def cut(self, width: int) -> None:
        """Have at most so many cells."""
        if width < len(self.cells):
            self._clear_halves(width, width)
            del self.cells[width:], self.attributes[width:]

    def _clear_halves(self, start: int, end: int) -> None:
        """What comes between `start` and `end` leaves only a part of a wide cell at either side: a blank, then."""
        cells, attributes = self.cells, self.attributes
        left, right = start, end
        if start < len(cells) and cells[start] == "":
            left = next((x for x in range(start - 1, -1, -1) if cells[x] != ""), 0)
        while right < len(cells) and cells[right] == "":
            right += 1
        for x in (*range(left, start), *range(end, right)):
            cells[x], attributes[x] = " ", without_invisible(attributes[x])

    def reach(self, width: int) -> None:
        """Have at least so many cells."""
        if (missing := width - len(self.cells)) > 0:
            self.cells.extend([None] * missing)
            self.attributes.extend([""] * missing)


class Picture:
    """The cells of a screen, by line and column from 0, and where its cursor is."""

    def __init__(self) -> None:
        self.lines: list[_Line] = []
        self.size = (sys.maxsize, sys.maxsize)
        """(width, height): what is drawn outside is not kept."""
        self.cursor = (-1, -1)
        """(x, y); negative when it is not known."""
        self.drawn: set[int] = set()
        """Lines that were drawn on since `forget` or `change` was called."""

    def draw(self, frame: str) -> bool:
        """Draw a frame. False, and nothing is drawn, when it has anything but moves, attributes and text."""
        place, x, y, attributes = 0, *self.cursor, ""
        right = bottom = 0
        texts: list[tuple[int, int, tuple[Cell, ...] | str, str]] = []
        for piece in _PIECE.finditer(frame):
            if piece.start() != place:
                return False
            place = piece.end()
            parameters, command, text = piece.groups()
            if command == "H":
                row, _, column = parameters.partition(";")
                x, y = max(int(column or 1), 1) - 1, max(int(row or 1), 1) - 1
            elif parameters in ("", "0"):
                attributes = ""
            else:
                attributes = attributes_after(attributes, parameters)
            if text:
                if x < 0 or y < 0:
                    return False
                cells = text if text.isascii() else cells_of(text)
                texts.append((x, y, cells, without_invisible(attributes) if text.isspace() else attributes))
                x += len(cells)
                right, bottom = max(right, x), max(bottom, y)
        if place != len(frame):
            return False
        for at_x, at_y, cells, seen in texts:
            self._line(at_y).put(at_x, cells, seen)
            self.drawn.add(at_y)
        self.cursor = (x, y)
        if right > self.size[0] or bottom >= self.size[1]:
            self._cut()
        return True

    def crop(self, width: int, height: int) -> None:
        """Keep what is inside, also of what is drawn later; all of that counts as drawn now."""
        self.size = (width, height)
        self._cut()
        self.drawn = set(range(len(self.lines)))

    def _cut(self) -> None:
        width, height = self.size
        del self.lines[height:]
        for line in self.lines:
            line.cut(width)
        self.drawn = {y for y in self.drawn if y < height}
        self.cursor = (min(self.cursor[0], width - 1), min(self.cursor[1], height - 1))

    def forget(self) -> None:
        """Nothing is known any more of what the cells show."""
        self.lines.clear()
        self.drawn.clear()
        self.cursor = (-1, -1)

    def change(self, wanted: Picture) -> str:
        """The text that makes a terminal that shows this picture show the wanted one; this one is then equal to it.

        Cells that are not known of the wanted picture stay as they are.
        """
        out = _Writer(self.cursor)
        for y in sorted(wanted.drawn):
            self._change_line(y, wanted.lines[y], out)
        wanted.drawn.clear()
        if wanted.cursor != (-1, -1):
            out.finish(wanted.cursor)
            self.cursor = wanted.cursor
        return "".join(out.parts)

    def _change_line(self, y: int, new: _Line, out: _Writer) -> None:
        old = self._line(y)
        old.reach(len(new.cells))
        if old.cells == new.cells and old.attributes == new.attributes:
            return
        width = len(new.cells)
        if old.odd or new.odd:
            # Terminals differ in how wide they draw such text: the line is drawn as a whole, with a move after it.
            new.odd = any(map(_is_odd, new.cells))
            for x, cell in enumerate(new.cells):
                if cell:
                    out.put(x, y, cell, new.attributes[x], odd=_is_odd(cell))
        else:
            other = map(or_, map(ne, old.cells, new.cells), map(ne, old.attributes, new.attributes))
            changed = list(compress(range(width), other))
            if None in new.cells:
                changed = [x for x in changed if new.cells[x] is not None]
            for start, end in _stretches(changed, new):
                out.put_stretch(start, end, y, new)
        old.cells[:width] = new.cells
        old.attributes[:width] = new.attributes
        old.odd = any(map(_is_odd, old.cells)) if old.odd else new.odd

    def _line(self, y: int) -> _Line:
        while len(self.lines) <= y:
            self.lines.append(_Line())
        return self.lines[y]


def _stretches(changed: list[int], line: _Line) -> Iterator[tuple[int, int]]:
    """(start, end) of what is sent of a line: the changed cells, and the few between them that look like these."""
    if changed and changed[-1] - changed[0] + 1 == len(changed):
        yield changed[0], changed[-1] + 1
        return
    cells, attributes = line.cells, line.attributes
    start = end = -1
    for x in changed:
        if start < 0:
            start = x
        elif x > end and (
            x - end > _NEAR
            or None in cells[end:x]
            or not {attributes[end - 1], attributes[x]}.issuperset(attributes[end:x])
        ):
            yield start, end
            start = x
        end = x + 1
    if start >= 0:
        yield start, end


class _Writer:
    """Puts cells one after the other, with the fewest moves and attributes."""

    def __init__(self, cursor: tuple[int, int]) -> None:
        self.parts: list[str] = []
        self._cursor = cursor
        self._attributes = ""

    def put_stretch(self, start: int, end: int, y: int, line: _Line) -> None:
        """Put these cells of a line, of which none is odd."""
        cells, attributes = line.cells, line.attributes
        x = start
        for same, alike in groupby(attributes[start:end]):
            until = x + len(list(alike))
            self.put(x, y, "".join(cells[x:until]), same)  # type: ignore[arg-type]
            x = until

    def put(self, x: int, y: int, text: str, attributes: str, *, odd: bool = False) -> None:
        """Put a text of as many cells as it has characters; after an odd one nobody knows where the cursor is."""
        if self._cursor != (x, y):
            self._move(x, y)
        if attributes != self._attributes and not (
            text.isspace() and without_invisible(attributes) == without_invisible(self._attributes)
        ):
            self.parts.append(transition(self._attributes, attributes))
            self._attributes = attributes
        self.parts.append(text)
        self._cursor = (-1, -1) if odd else (x + len(text), y)

    def finish(self, cursor: tuple[int, int]) -> None:
        if self._attributes:
            self.parts.append("\x1b[m")
        if self._cursor != cursor:
            self._move(*cursor)

    def _move(self, x: int, y: int) -> None:
        at_x, at_y = self._cursor
        if y == at_y and 0 <= at_x < x:
            self.parts.append("\x1b[C" if x == at_x + 1 else f"\x1b[{x - at_x}C")
        elif x == 0:
            self.parts.append(f"\x1b[{y + 1}H" if y else "\x1b[H")
        else:
            self.parts.append(f"\x1b[{y + 1};{x + 1}H")
        self._cursor = (x, y)


@lru_cache(8192)
def cells_of(text: str) -> tuple[Cell, ...] | str:
    """What stands in each cell of a text without control characters.

    A text that as a whole has another width than its parts is one cell, and empty ones after it.
    """
    if text.isascii() or all(map(_is_narrow, text)):
        return text
    together: list[str] = []
    for character in text:
        if together and (not cell_len(character) or together[-1].endswith(_JOINER)):
            together[-1] += character
        else:
            together.append(character)
    cells: list[Cell] = []
    for part in together:
        if width := cell_len(part):
            cells += [part, *[""] * (width - 1)]
    width = cell_len(text)
    return tuple(cells) if len(cells) == width else (text, *[""] * (width - 1))


@lru_cache(4096)
def _is_narrow(character: str) -> bool:
    """Whether it takes one cell in all terminals of a Western locale: not wide, not combining, no part of an emoji."""
    return character.isascii() or (
        cell_len(character) == 1 and category(character) not in {"Mn", "Me", "Mc", "Cf", "Sk", "Co", "Cn"}
    )


def _is_odd(cell: Cell | None) -> bool:
    """Whether terminals may differ in its width."""
    return bool(cell) and (len(cell) != 1 or not _is_narrow(cell))  # type: ignore[arg-type]


@lru_cache(4096)
def without_invisible(attributes: str) -> str:
    """The attributes that can be seen of a blank cell: without colour, weight and slant of a text that is not there."""
    parts = _parts(attributes)
    if not _SEEN_OF_A_BLANK.isdisjoint(parts):
        return attributes
    return parts.get("bg", "")


@lru_cache(8192)
def transition(before: str, after: str) -> str:
    """The SGR sequence from one set of attributes to another."""
    anew = f"\x1b[{after}m" if not before else f"\x1b[0;{after}m" if after else "\x1b[m"
    was, now = _parts(before), _parts(after)
    if any(part not in now for part in was if part not in ("fg", "bg")):
        return anew
    changes = [value for part, value in now.items() if was.get(part) != value]
    changes += [code for part, code in (("fg", "39"), ("bg", "49")) if part in was and part not in now]
    changed = f"\x1b[{';'.join(changes)}m" if changes else ""
    return min(changed, anew, key=len)


@lru_cache(8192)
def attributes_after(attributes: str, parameters: str) -> str:
    """The attributes after an SGR sequence with these parameters, nothing in them that has no effect any more."""
    return ";".join(_parts(f"{attributes};{parameters}" if attributes else parameters).values())


@lru_cache(8192)
def _parts(attributes: str) -> dict[str, str]:
    """What SGR parameters turn on, by name: `fg`, `bg`, `line` (under the text), its colour, else the number."""
    parts: dict[str, str] = {}
    words = attributes.split(";") if attributes else []
    while words:
        number = int(words[0] or 0)
        taken = _COLOUR_WORDS.get(words[1], 1) if number in (38, 48, 58) and len(words) > 1 else 1
        value, words = ";".join(words[:taken]), words[taken:]
        if number == 0:
            parts.clear()
        for ended in _ENDED_BY.get(number, ()):
            parts.pop(ended, None)
        if number and number not in _ENDED_BY:
            parts[_PART_OF.get(number, str(number))] = value
    return parts
