"""The texts of a detail as the lines in which they are drawn. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from textual.content import Content


class Flow(Enum):
    """What becomes of a line that is longer than there is room."""

    WRAP = "it goes on in the next line"
    CUT = "its end is left out"
    LONG = "it goes on to the right, where one can scroll"


@dataclass(frozen=True, slots=True)
class Section:
    """Lines that belong together; a blank line is between two sections."""

    lines: Sequence[Content]
    flow: Flow = Flow.WRAP

    @property
    def text(self) -> str:
        """It as plain text."""
        return "\n".join(line.plain for line in self.lines)


class DrawnLine(NamedTuple):
    """What stands in a line: a part of line `number` of the text, from its character `start` on."""

    content: Content
    number: int
    start: int = 0
    is_long: bool = False
    """Whether it may go on to the right."""


def laid_out(sections: Iterable[Section], width: int) -> list[DrawnLine]:
    """All lines of the sections, none of them wider than `width` cells but those of `Flow.LONG`."""
    lines: list[DrawnLine] = []
    number = 0
    for section in sections:
        if lines:
            lines.append(DrawnLine(Content(""), number))
            number += 1
        for line in section.lines:
            if section.flow is Flow.LONG:
                lines.append(DrawnLine(line, number, is_long=True))
            elif line.cell_length <= width:
                lines.append(DrawnLine(line, number))
            elif section.flow is Flow.CUT:
                lines.append(DrawnLine(line.truncate(width, ellipsis=True), number))
            else:
                lines += (DrawnLine(part, number, start) for part, start in _wrapped(line, width))
            number += 1
    return lines


def _wrapped(line: Content, width: int) -> Iterator[tuple[Content, int]]:
    """The parts of a line, and where in it they begin: what is left out between two of them is blank."""
    end = 0
    for part in line.wrap(width):
        start = line.plain.index(part.plain, end)
        yield part, start
        end = start + len(part.plain)
