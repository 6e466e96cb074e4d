"""The overview as lines of text, in one or two columns. Pure: values in, pieces of text with their styles out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len, set_cell_size

from tui import numbers
from tui.catalog.overview import Bar, Counts, Overview, Section, Topic
from tui.catalog.stacks import compiler_label, library_label
from tui.catalog.verdict import Verdict
from tui.terminal_text import brief
from tui.widgets.overview_bars import Glyphs, Piece, bar
from tui.widgets.verdict_look import SIGNS

MEANING: Final = (
    "Each model counts once on a stack, with the record that the table shows. % is PASS of all that were tested: PASS, "
    "FAIL and other words. Models that were left out, or of which no result is recorded, are counted apart and are in "
    "no bar. Enter on a bar lists exactly its models.",
    "The first section is about every stack, the others about the one that is chosen. In the first three a full bar is "
    "all that were tested; in the others its length is the number of models.",
    "Kinds of failure: what was tried and did not pass, by the last line of the recorded error. # stands for numbers, "
    "* for names, paths and addresses, so that one failure is one kind.",
    "Memory against capacity: peak device memory in percent of the memory that was available. Both are shown as "
    "recorded: whether they are for one core or for the run is not documented.",
)
"""What the page shows, for its help."""

TWO_COLUMNS: Final = 116
"""Cells from which on two columns have room."""
GAP: Final = 3
"""Cells between two columns."""

_TITLES: Final = {
    Topic.STACKS: ("Pass rate by stack", "every stack, newest first"),
    Topic.TASKS: ("Pass rate by task", "as far as the Hub said it"),
    Topic.CORES: ("Pass rate by cores", "NeuronCores of the record"),
    Topic.FAILURES: ("Kinds of failure", "by last line; # numbers, * names"),
    Topic.MEMORY: ("Memory against capacity", "peak, as recorded"),
}
_READING: Final = {Topic.FAILURES: "reading errors …", Topic.TASKS: "reading tasks …"}
_SHARES: Final = frozenset({Topic.STACKS, Topic.TASKS, Topic.CORES})
"""Sections in which a full bar is all models that were tested; in the others it is the most of any bar."""
_CODE: Final = re.compile(r"\[[A-Z]+_?[A-Z]*[0-9]+\]")
_PLAIN_ERROR: Final = re.compile(r"^(?:RuntimeError|AssertionError|Exception): ")
_LONGEST_LABEL: Final = 300
_NARROWEST_BAR: Final = 10
_LABEL_SHARE: Final = {
    Topic.STACKS: 0.68,
    Topic.TASKS: 0.55,
    Topic.CORES: 0.55,
    Topic.FAILURES: 0.75,
    Topic.MEMORY: 0.55,
}
"""How much of label and bar the label may take where both are long."""
_WIDEST_BAR: Final = 60
_RATE: Final = 5


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a column, in exactly its width; `bar` is the place of its bar in all of the page."""

    pieces: tuple[Piece, ...]
    bar: int | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """What is drawn: columns of rows, the width of each in cells, and the bars in the order of the cursor."""

    columns: tuple[tuple[Row, ...], ...] = ()
    widths: tuple[int, ...] = ()
    bars: tuple[tuple[Topic, Bar], ...] = ()

    @property
    def height(self) -> int:
        """Lines of the longest column."""
        return max((len(column) for column in self.columns), default=0)

    def place_of(self, index: int) -> tuple[int, int]:
        """Column and line of a bar."""
        for number, column in enumerate(self.columns):
            for line, row in enumerate(column):
                if row.bar == index:
                    return number, line
        return 0, 0

    def bar_at(self, x: int, line: int) -> int | None:
        """The bar under a cell; None where there is none."""
        for column, cells in zip(self.columns, self.widths, strict=True):
            if 0 <= x < cells:
                return column[line].bar if line < len(column) else None
            x -= cells + GAP
        return None

    def nearest(self, column: int, line: int) -> int | None:
        """The bar of a column that is nearest to a line; None without one."""
        if not 0 <= column < len(self.columns):
            return None
        found = [(abs(at - line), row.bar) for at, row in enumerate(self.columns[column]) if row.bar is not None]
        return min(found)[1] if found else None


def page(overview: Overview, width: int, glyphs: Glyphs, troubles: Mapping[Topic, str] | None = None) -> Page:
    """The page for a window of so many cells. `troubles` says of a section why it cannot be known."""
    two = width >= TWO_COLUMNS
    widths = (room := (width - GAP) * 53 // 100, width - GAP - room) if two else (width,)
    bars = tuple((section.topic, each) for section in overview.sections for each in section.bars)
    columns, first = [], 0
    of_shares = [each for section in overview.sections if section.topic in _SHARES for each in section.bars]
    for sections, cells in zip(_halves(overview.sections) if two else [overview.sections], widths, strict=True):
        rows: list[Row] = []
        for section in sections:
            rows += [Row(((" " * cells, ""),))] if rows else []
            rows.append(_heading(section.topic, cells))
            if section.known:
                beside = of_shares if section.topic in _SHARES else section.bars
                rows += _around(section, _bars(section, beside, cells, glyphs, first), cells)
            else:
                rows.append(_said((troubles or {}).get(section.topic) or _READING[section.topic], cells))
            first += len(section.bars)
        columns.append(tuple(rows))
    return Page(tuple(columns), widths, bars)


def legend(glyphs: Glyphs, width: int) -> list[Piece]:
    """What the signs mean, over the page."""
    pass_sign, fail_sign, out_sign = SIGNS[Verdict.PASS], SIGNS[Verdict.FAIL], SIGNS[Verdict.EXCLUDED]
    pieces: list[Piece] = [
        ("  ", ""), (pass_sign, "pass"), (" PASS ", "muted"), (glyphs.passed * 2, "pass-bar"),
        ("  ", ""), (fail_sign, "fail"), (" FAIL ", "muted"), (glyphs.failed * 2, "fail-bar"),
        ("  ", ""), (SIGNS[Verdict.OTHER], "other"), (" other word ", "muted"), (glyphs.other * 2, "other-bar"),
        ("  ", ""), (out_sign, "left-out"), (" left out, in no bar", "muted"),
    ]  # fmt: skip
    rates = "  % of tested"
    if sum(cell_len(text) for text, _ in pieces) + len(rates) <= width:
        pieces.append((rates, "muted"))
    return pieces


def about(topic: Topic, each: Bar) -> str:
    """A bar in words: all of its label, and what is counted."""
    counts = each.counts
    said = [numbers.counted(counts.total, "model")]
    if counts.tested and topic is not Topic.FAILURES:
        said.append(f"{rate(counts).strip()} of {numbers.count(counts.tested)} tested passed")
    said += [
        f"{numbers.count(number)} {word}"
        for number, word in ((counts.left_out, "left out"), (counts.no_result, "without a result"))
        if number
    ]
    prefix = {Topic.CORES: "cores: ", Topic.MEMORY: "peak memory: "}.get(topic, "")
    when = f", tested to {numbers.day(each.tested_at)}" if each.tested_at else ""
    return f"{', '.join(said)} · {prefix}{brief(each.label, _LONGEST_LABEL)}{when}"


def summary(counts: Counts) -> str:
    """The chosen stack in a few words."""
    tested = f"{rate(counts)} of {numbers.count(counts.tested)} tested" if counts.tested else "none tested"
    apart = f" · {numbers.count(counts.left_out)} left out" if counts.left_out else ""
    return f"{tested}{apart}"


def rate(counts: Counts) -> str:
    """`61 %`, 100 only when all passed and 0 only when none did; a dash when none was tested."""
    if not counts.tested:
        return numbers.NOT_RECORDED
    percent = round(100 * counts.passed / counts.tested)
    if 0 < counts.passed < counts.tested:
        percent = min(max(percent, 1), 99)
    return f"{percent} %"


def short_label(topic: Topic, label: str) -> str:
    """What tells a bar from the others, first: of an error its code, without the name of an exception that says
    nothing."""
    text = brief(label, _LONGEST_LABEL)
    if topic is not Topic.FAILURES:
        return text
    code = _CODE.search(text)
    return text[code.start() :] if code else _PLAIN_ERROR.sub("", text)


def _halves(sections: Sequence[Section]) -> list[Sequence[Section]]:
    """The sections in two columns, in order, as level as can be."""
    heights = [max(len(section.bars), 1) + bool(section.more) + 2 for section in sections]
    cut = min(range(1, len(sections)), key=lambda at: max(sum(heights[:at]), sum(heights[at:])))
    return [sections[:cut], sections[cut:]]


def _heading(topic: Topic, width: int) -> Row:
    title, note = _TITLES[topic]
    return _fitted([("  ", ""), (title, "title"), ("  ", ""), (note, "muted")], width)


def _said(text: str, width: int) -> Row:
    return _fitted([("  ", ""), (brief(text, _LONGEST_LABEL), "muted")], width)


def _around(section: Section, bars: list[Row], width: int) -> list[Row]:
    """The bars, and what there is to say without them or of those that are not shown."""
    if not section.bars:
        none = "none that was tried failed" if section.topic is Topic.FAILURES else "nothing is recorded"
        return [_said(none, width)]
    if not section.more:
        return bars
    return [*bars, _said(f"and {numbers.counted(section.more, 'older stack')}: c and v choose them", width)]


def _bars(section: Section, beside: Sequence[Bar], width: int, glyphs: Glyphs, first: int) -> list[Row]:
    """A row for each bar of the section; its numbers stand under those of the bars `beside` it."""
    columns = _number_columns(beside)
    numbers_width = sum(1 + cells for _, _, cells in columns)
    shares = section.topic in _SHARES
    fixed = 2 + 1 + numbers_width + (1 + _RATE if shares else 0) + 1
    dates = [numbers.short_day(each.tested_at) if each.tested_at else "" for each in section.bars]
    date_width = max((len(date) for date in dates), default=0)
    room = width - fixed - (date_width + 1 if date_width else 0)
    labels = _labels(section, room - _NARROWEST_BAR)
    longest = max((cell_len(label) for label in labels), default=0)
    label_width = max(min(longest, max(int(room * _LABEL_SHARE[section.topic]), room - _WIDEST_BAR)), 1)
    bar_width = max(min(room - label_width, _WIDEST_BAR), 1)
    label_width = max(room - bar_width, 1)
    scale = _scale(section)
    rows = []
    for place, (each, label, date) in enumerate(zip(section.bars, labels, dates, strict=True)):
        pieces: list[Piece] = [("  ", ""), (_cut(label, label_width), ""), (" ", "")]
        if date_width:
            pieces += [(date.rjust(date_width), "muted"), (" ", "")]
        pieces += bar(each.counts, bar_width, each.counts.tested if shares else scale, glyphs)
        if shares:
            pieces.append((rate(each.counts).rjust(1 + _RATE), "" if each.counts.tested else "muted"))
        pieces += _numbers(each.counts, columns)
        rows.append(Row(_fitted([*pieces, (" ", "")], width).pieces, first + place))
    return rows


def _labels(section: Section, room: int) -> list[str]:
    """As they are; where there is no room for the longest stack, without the library that most stacks have."""
    labels = [short_label(section.topic, each.label) for each in section.bars]
    if section.topic is not Topic.STACKS or max((cell_len(label) for label in labels), default=0) <= room:
        return labels
    libraries = [each.stack.library for each in section.bars]
    usual = max(set(libraries), key=libraries.count)
    return [
        brief(f"{compiler_label(each.stack.neuronx_cc)} {_library(each, usual)}", _LONGEST_LABEL)
        for each in section.bars
    ]


def _library(each: Bar, usual: str | None) -> str:
    if usual is not None and each.stack.library == usual and each.stack.library_version:
        return each.stack.library_version
    return library_label(each.stack.library, each.stack.library_version)


def _scale(section: Section) -> int:
    """The most models of a bar; those that take what is left over would leave no room for the others."""
    every = [each.counts.tested for each in section.bars]
    return max((each.counts.tested for each in section.bars if not each.rest), default=0) or max(every, default=0)


def _number_columns(bars: Sequence[Bar]) -> list[tuple[str, str, int]]:
    """Sign, style and width of each column of numbers that has any."""
    found = []
    for name, (sign, style) in _COLUMNS.items():
        most = max((_column(each.counts, name) for each in bars), default=0)
        if most:
            found.append((sign, style, 1 + len(numbers.count(most))))
    return found


_COLUMNS: Final = {
    "passed": (SIGNS[Verdict.PASS], "pass"),
    "failed": (SIGNS[Verdict.FAIL], "fail"),
    "other": (SIGNS[Verdict.OTHER], "other"),
    "rest": (SIGNS[Verdict.EXCLUDED], "left-out"),
}
_OF_SIGN: Final = {sign: name for name, (sign, _) in _COLUMNS.items()}


def _column(counts: Counts, name: str) -> int:
    if name == "rest":
        return counts.left_out + counts.no_result
    return int(getattr(counts, name))


def _numbers(counts: Counts, columns: Iterable[tuple[str, str, int]]) -> list[Piece]:
    pieces: list[Piece] = []
    for sign, style, cells in columns:
        number = _column(counts, _OF_SIGN[sign])
        text = numbers.count(number) if number else ""
        pieces.append((" " * (1 + cells - len(text) - (1 if text else 0)), ""))
        if text:
            pieces += [(sign, style), (text, "")]
    return pieces


def _cut(text: str, cells: int) -> str:
    if cell_len(text) <= cells:
        return set_cell_size(text, cells)
    return set_cell_size(text, cells - 1) + "…"


def _fitted(pieces: list[Piece], width: int) -> Row:
    """The pieces in exactly so many cells."""
    fitted: list[Piece] = []
    left = width
    for text, style in pieces:
        cells = min(cell_len(text), left)
        if cells:
            fitted.append((text if cell_len(text) <= left else _cut(text, left), style))
        left -= cells
    if left:
        fitted.append((" " * left, ""))
    return Row(tuple(fitted))
