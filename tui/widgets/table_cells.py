"""What stands in the table's cells: pieces of text with the name of their style. Pure; no widget.

Every text of the data is cleaned here. Widths are cells of the terminal, not characters: a wide character takes two,
a combining mark none.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from rich.cells import cell_len, set_cell_size

from tui import numbers
from tui.catalog import query
from tui.catalog.question import LEFT_OUT, LIBRARY_UNKNOWN, NOT_HERE
from tui.catalog.stacks import Stack
from tui.catalog.verdict import Verdict, is_blank, shown
from tui.terminal_text import clean
from tui.widgets.table_columns import GUTTER, MODEL, STACK, Layout, Place
from tui.widgets.verdict_look import SIGNS

Piece = tuple[str, str]
"""A text and the name of its style: "", pass, fail, other, left-out, untested, match or dim."""
Row = Mapping[str, Any]
"""One line of `catalog.lines.LINES`, by column."""

DRAWN = (
    *("model_id", "verdict", "word", "note", "tp", "wall_s", "hbm_peak_gb", "hbm_capacity_gb"),
    *("cpu_match", "english", "unconverted", "disagree", "rank", "figure"),
    *("record", "neuronx_cc", "library", "library_version", "hub_library"),
)
"""The columns of the lines that are read to draw one."""

STYLES: Mapping[str, str] = {
    Verdict.PASS: "pass",
    Verdict.FAIL: "fail",
    Verdict.OTHER: "other",
    Verdict.EXCLUDED: "left-out",
    Verdict.UNTESTED: "untested",
}
"""The name of a verdict's style."""

NOTE_LEAST = 8
"""In fewer cells a note says nothing and is left out."""
LONGEST = 1_000
"""Characters of a text that are looked at, from its beginning and from its end."""
BESIDE_LEAST = 7
"""`+1 FAIL`; in fewer cells after the word a bare "+" says that there is more."""


def header(layout: Layout, sort: tuple[str, bool] | None) -> list[Piece]:
    """The titles, with an arrow on the sorted column: ▲ ascending, ▼ descending."""
    pieces: list[Piece] = []
    at = 0
    for place in layout.places:
        title = place.column.title
        if sort is not None and sort[0] == place.column.name:
            title += "▼" if sort[1] else "▲"
        pieces += [(" " * (place.start - at), ""), *fit([(title, "")], place.width, right=place.column.right)]
        at = place.end
    return _merged(pieces)


def line(layout: Layout, row: Row, words: Sequence[str], *, mark_unknown_library: bool = False) -> list[Piece]:
    """One line from its first column on, without the gutter, in at most the rest of the layout's width.

    `mark_unknown_library` says it of a record whose model has no library on the Hub, where there is room.
    """
    row = _bounded(row)
    note = note_of(row)
    recorded = row["record"] is not None
    unknown = LIBRARY_UNKNOWN if mark_unknown_library and recorded and row["hub_library"] is None else ""
    if recorded and layout.numbers_start > layout.note_start:
        return _line_with_stack(layout, row, words, note, unknown)
    if note and unknown:
        note, unknown = f"{note}; {unknown}", ""
    pieces: list[Piece] = []
    at = GUTTER
    for place in layout.places:
        if note and layout.note_start <= place.start < layout.note_end:
            continue
        end = place.end
        cell: Sequence[Piece]
        if place.column is not MODEL:
            cell = _cell(row, place)
        elif note:
            cell, end = _model_and_note(layout, place, row, words, note)
        else:
            cell = model_cell(row, words, place.width, beside=unknown)
        pieces += [(" " * (place.start - at), ""), *cell]
        at = end
    return _merged(pieces)


def _bounded(row: Row) -> Row:
    """The row, or of texts that no line has room for the beginning and the end: to measure 100,000 signs takes long."""
    too_long = {
        name: f"{value[:LONGEST]}…{value[-LONGEST:]}"
        for name, value in row.items()
        if isinstance(value, str) and len(value) > 2 * LONGEST and name != "unconverted"
    }
    return {**row, **too_long} if too_long else row


def _line_with_stack(layout: Layout, row: Row, words: Sequence[str], note: str, unknown: str) -> list[Piece]:
    """A line whose stack keeps its column: a note stands after that, or beside the id where more of it fits."""
    room = layout.note_end - layout.numbers_start
    model = next(place for place in layout.places if place.column is MODEL)
    beside_room = model.width - _cells(model_cell(row, words, model.width, pad=False)) - layout.gap
    beside = note if cell_len(note) > room and beside_room > room else unknown
    pieces: list[Piece] = []
    at = GUTTER
    for place in layout.places:
        if note and layout.numbers_start <= place.start < layout.note_end:
            continue
        cell = model_cell(row, words, place.width, beside=beside) if place is model else _cell(row, place)
        pieces += [(" " * (place.start - at), ""), *cell]
        at = place.end
        if note and note != beside and place.column is STACK and room >= min(NOTE_LEAST, cell_len(note)):
            pieces += [(" " * (layout.numbers_start - at), ""), *fit([(note, "dim")], room)]
            at = layout.note_end
    return _merged(pieces)


def _cell(row: Row, place: Place) -> Sequence[Piece]:
    column = place.column
    _, names = _CELLS[column.name]
    return _drawn(column.name, place.width, column.right, tuple(map(row.__getitem__, names)))


@lru_cache(8192)
def _drawn(column: str, width: int, right: bool, values: tuple[Any, ...]) -> tuple[Piece, ...]:
    """While a search is typed the same lines are drawn again and again."""
    draw, names = _CELLS[column]
    return tuple(fit(draw(dict(zip(names, values, strict=True)), width), width, right=right))


def note_of(row: Row) -> str:
    """What a line without a result says in place of its numbers, "" for a line that shows its numbers."""
    note = clean(row["note"] or "").strip()
    match row["verdict"]:
        case Verdict.EXCLUDED:
            return note.removeprefix(f"{LEFT_OUT}:").strip()
        case Verdict.UNTESTED:
            return "" if note == row["word"] else note
        case _:
            return ""


def _model_and_note(layout: Layout, model: Place, row: Row, words: Sequence[str], note: str) -> tuple[list[Piece], int]:
    """The id and the note, with the cell after their last one.

    The note starts under the numbers; one that is too long for that moves left into what the id leaves free.
    """
    pieces = model_cell(row, words, model.width, pad=False)
    id_end = model.start + _cells(pieces)
    prefix = f"{NOT_HERE} ("
    if note.startswith(prefix) and cell_len(note) > layout.note_end - id_end - layout.gap:
        note = note.removeprefix(prefix).removesuffix(")")
    start = max(id_end + layout.gap, min(layout.note_start, layout.note_end - cell_len(note)))
    room = layout.note_end - start
    if room < min(NOTE_LEAST, cell_len(note)):
        return pieces, id_end
    return [*pieces, (" " * (start - id_end), ""), *fit([(note, "dim")], room)], layout.note_end


def verdict_cell(row: Row, width: int) -> list[Piece]:
    """Sign and word, then what stands against it: `● PASS +1 FAIL`, `● PASS +out` with an exclusion."""
    verdict = Verdict(row["verdict"])
    beside = [clean(row["disagree"] or "")]
    if verdict in (Verdict.PASS, Verdict.FAIL) and not is_blank(row["note"]):
        beside.append("+out")
    said = f"{SIGNS[verdict]} {clean(shown(row['word']))}"
    also = " ".join(text for text in beside if text)
    style = STYLES[verdict]
    if not also:
        return [(said, style)]
    if width - cell_len(said) - 1 < min(BESIDE_LEAST, cell_len(also)):
        return [(said, style), ("+", "dim")]
    return [(f"{said} ", style), (also, "dim")]


def model_cell(row: Row, words: Sequence[str], width: int, *, pad: bool = True, beside: str = "") -> list[Piece]:
    """The id with the words of the search marked, and `beside` after it where there is room.

    A long id loses its middle, since ids differ at the end.
    """
    if beside:
        model = model_cell(row, words, width, pad=False)
        room = width - _cells(model) - 2
        if room >= min(NOTE_LEAST, cell_len(beside)):
            return [*model, ("  ", ""), *fit([(beside, "dim")], room, pad=pad)]
    if is_blank(row["model_id"]):
        return fit([(shown(row["model_id"]), "dim")], width, pad=pad)
    text = clean(row["model_id"])
    marked = _marked(text, query.spans(text, words) if words else [])
    if cell_len(text) <= width:
        return fit(marked, width, pad=pad)
    head = max((width - 1) // 3, 0)
    tail = max(width - 1 - head, 0)
    start, rest = _split(marked, head)
    middle, end = _split(rest, _cells(rest) - tail)
    if _cells(end) > tail:
        # A wide character stands on the border: it goes too.
        _, end = _split(end, 2)
    hidden = "match" if any(style == "match" for _, style in middle) else "dim"
    return fit([*start, ("…", hidden), *end], width, pad=pad)


def _marked(text: str, spans: Iterable[tuple[int, int]]) -> list[Piece]:
    pieces: list[Piece] = []
    at = 0
    for start, end in spans:
        pieces += [(text[at:start], ""), (text[start:end], "match")]
        at = end
    return [*pieces, (text[at:], "")]


def stack_cell(row: Row, width: int) -> list[Piece]:
    """The stack of the record, `2.28 · 5.23.1` where the whole of it has no room; blank without a record."""
    if row["record"] is None:
        return []
    whole = clean(Stack(row["neuronx_cc"], row["library"], row["library_version"]).label)
    if cell_len(whole) <= width:
        return [(whole, "")]
    compiler = ".".join((row["neuronx_cc"] or "").split(".")[:2])
    parts = (clean(shown(part)) for part in (compiler or row["neuronx_cc"], row["library_version"]))
    return [(" · ".join(parts), "")]


def cores_cell(row: Row, width: int) -> list[Piece]:
    """The cores, or their raw text."""
    return [_value(row, "tp", str)]


def time_cell(row: Row, width: int) -> list[Piece]:
    """The wall time, or its raw text."""
    return [_value(row, "wall_s", numbers.duration)]


def memory_cell(row: Row, width: int) -> list[Piece]:
    """Peak of capacity, as recorded: `18.2/24 GB`; without the unit where that does not fit."""
    peak, peak_style = _value(row, "hbm_peak_gb", numbers.gigabytes)
    capacity, capacity_style = _value(row, "hbm_capacity_gb", numbers.gigabytes)
    if peak_style and capacity_style:
        return [(peak, "dim")]
    text = peak if capacity_style else f"{peak}/{capacity}"
    return [(f"{text} GB" if cell_len(text) + 3 <= width else text, "")]


def check_cell(row: Row, width: int) -> list[Piece]:
    """The recorded answers of the checks: `cpu: yes`, `judge: yes`, both, or –."""
    raw = _unconverted(row["unconverted"])
    answers = [
        f"{check}: {clean(shown(row[name], raw.get(name)))}"
        for name, check in (("cpu_match", "cpu"), ("english", "judge"))
        if row[name] is not None or name in raw
    ]
    return [(", ".join(answers), "")] if answers else [(shown(None), "dim")]


def rank_cell(row: Row, width: int) -> list[Piece]:
    """The place in the ranking."""
    return [(shown(row["rank"]), "dim")]


def figure_cell(row: Row, width: int) -> list[Piece]:
    """The Hub's figure: trending score or downloads."""
    figure = row["figure"]
    if figure is None or not math.isfinite(figure):
        return [(shown(figure), "dim")]
    return [(numbers.short_count(figure), "")]


_CELLS: Mapping[str, tuple[Callable[[Row, int], list[Piece]], tuple[str, ...]]] = {
    "rank": (rank_cell, ("rank",)),
    "verdict": (verdict_cell, ("verdict", "word", "disagree", "note")),
    "neuronx_cc": (stack_cell, ("record", "neuronx_cc", "library", "library_version")),
    "tp": (cores_cell, ("tp", "unconverted")),
    "wall_s": (time_cell, ("wall_s", "unconverted")),
    "hbm_peak_gb": (memory_cell, ("hbm_peak_gb", "hbm_capacity_gb", "unconverted")),
    "cpu_match": (check_cell, ("cpu_match", "english", "unconverted")),
    "figure": (figure_cell, ("figure",)),
}
"""What draws a column, and the columns of the lines that it reads."""


def _value(row: Row, name: str, in_words: Callable[[Any], str]) -> Piece:
    value = row[name]
    if value is not None:
        return in_words(value), ""
    raw = _unconverted(row["unconverted"]).get(name)
    return clean(shown(value, raw)), "dim" if raw is None else ""


def _unconverted(text: str | None) -> Mapping[str, str]:
    return json.loads(text) if text else {}


def fit(pieces: Sequence[Piece], width: int, *, right: bool = False, pad: bool = True) -> list[Piece]:
    """The pieces in exactly `width` cells: padded (on the left when `right`), or cut with "…"."""
    spare = width - _cells(pieces)
    if spare >= 0:
        blank = [(" " * spare, "")] if pad else []
        return [*blank, *pieces] if right else [*pieces, *blank]
    if width <= 0:
        return []
    kept, rest = _split(pieces, width - 1)
    # A wide character on the border leaves one cell.
    filler = " " * (width - 1 - _cells(kept))
    return [*kept, (f"…{filler}", rest[0][1])]


def _split(pieces: Sequence[Piece], cells: int) -> tuple[list[Piece], list[Piece]]:
    """The pieces of the first `cells` cells, and the rest; a wide character on the border goes to the rest."""
    left: list[Piece] = []
    for index, (text, style) in enumerate(pieces):
        size = cell_len(text)
        if size > cells:
            head = set_cell_size(text, cells)
            # Half of a wide character comes back as a blank.
            head = head if text.startswith(head) else head[:-1]
            return [*left, (head, style)], [(text[len(head) :], style), *pieces[index + 1 :]]
        left.append((text, style))
        cells -= size
    return left, []


def _merged(pieces: Iterable[Piece]) -> list[Piece]:
    """Fewer pieces that look the same: each costs time, and bytes on the way to the terminal.

    A blank goes with the piece before it, unless that is underlined: some programs that draw the SVG of a screen
    drop the blanks that a text begins with.
    """
    merged: list[Piece] = []
    for text, style in pieces:
        if not text:
            continue
        before, style_before = merged[-1] if merged else ("", style)
        goes_with = style == style_before or (text.isspace() and style_before != "match")
        if before and not before.isspace() and goes_with:
            merged[-1] = (before + text, style_before)
        else:
            merged.append((text, style))
    return merged


def _cells(pieces: Iterable[Piece]) -> int:
    return sum(len(text) if text.isascii() else cell_len(text) for text, _ in pieces)
