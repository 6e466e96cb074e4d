"""A frame as text: for people a table that fits the terminal, or Markdown; for programs JSON, CSV and parquet."""

from __future__ import annotations

import io
import json
import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from tui import markdown
from tui.catalog.verdict import shown
from tui.terminal_text import clean

if TYPE_CHECKING:
    import polars as pl
    from polars.datatypes import DataTypeClass

FILE_FORMATS: Final = ("csv", "json", "jsonl", "parquet", "markdown")
"""What `written` knows."""
SAMPLE: Final = "sample"
"""The column that says of every row that it is the sample's: true."""

_GAP = "  "
_NARROWEST = 6
"""Cells that a column keeps while others can still give way."""
_UNITS_IN_A_SECOND = {"ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


def table(
    frame: pl.DataFrame,
    *,
    headers: Mapping[str, str] | None = None,
    width: int | None = None,
    keep: int | None = None,
) -> str:
    """The frame as lines of text, headers first, numbers at the right, without a final newline.

    `headers` names columns otherwise than the frame does. `width` is the number of cells of a line: columns after the
    first `keep` (None: all are kept) are left out from the right, then the widest texts are cut with `…`, until lines
    fit. `None` cuts nothing.
    """
    names = [clean((headers or {}).get(name, name)) for name in frame.columns]
    numeric = [dtype.is_numeric() for dtype in frame.dtypes]
    rows = [names, *([clean(shown(value)) for value in row] for row in frame.iter_rows())]
    if width is not None and keep is not None:
        widths = [max(map(cell_width, column)) + len(_GAP) for column in zip(*rows, strict=True)]
        while len(widths) > keep and sum(widths) - len(_GAP) > width:
            widths.pop()
        rows = [row[: len(widths)] for row in rows]
        numeric = numeric[: len(widths)]
    return aligned(rows, numeric, width)


def aligned(rows: Sequence[Sequence[str]], at_right: Sequence[bool], width: int | None = None) -> str:
    """Rows of clean texts as lines with aligned columns; `at_right` tells it for each column."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(cell_width, column), default=0) for column in columns]
    if width is not None:
        widths = _fitting(widths, at_right, width - len(_GAP) * max(0, len(widths) - 1))
    lines = (
        _GAP.join(
            _padded(cut(text, cells), cells, right) for text, cells, right in zip(row, widths, at_right, strict=True)
        ).rstrip()
        for row in rows
    )
    return "\n".join(line if width is None else cut(line, width) for line in lines)


def _fitting(widths: Sequence[int], at_right: Sequence[bool], room: int) -> list[int]:
    """Widths whose sum is at most `room` where that can be reached by cutting texts; numbers are not cut."""
    texts = [index for index, right in enumerate(at_right) if not right]
    fitting = [width if at_right[index] else min(width, max(room, _NARROWEST)) for index, width in enumerate(widths)]
    # All texts give way to the widest that fits; what is then left of the room goes to the first ones.
    over = sum(fitting) - room
    while over > 0 and texts:
        widest = max(fitting[index] for index in texts)
        if widest <= _NARROWEST:
            break
        as_wide = [index for index in texts if fitting[index] == widest]
        narrower = max((fitting[index] for index in texts if fitting[index] < widest), default=0)
        less = max(1, min(widest - max(narrower, _NARROWEST), over // len(as_wide)))
        for index in as_wide[: over if less == 1 else None]:
            fitting[index] -= less
            over -= less
    return fitting


def _padded(text: str, cells: int, right: bool) -> str:
    space = " " * (cells - cell_width(text))
    return space + text if right else text + space


def cut(text: str, cells: int) -> str:
    """The text in at most `cells` cells; `…` at the end tells that something is missing."""
    if cell_width(text) <= cells:
        return text
    kept: list[str] = []
    used = 0
    for character in text:
        used += _character_width(character)
        if used > cells - 1:
            break
        kept.append(character)
    return "".join(kept) + "…" if cells > 0 else ""


def cell_width(text: Iterable[str]) -> int:
    """Terminal cells of a text: 2 for wide East Asian characters, 0 for combining ones, 1 for the others."""
    if isinstance(text, str) and text.isascii():
        return len(text)
    return sum(map(_character_width, text))


@lru_cache(4096)
def _character_width(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def written(
    frame: pl.DataFrame, form: str, *, sample: bool = False, headers: Mapping[str, str] | None = None
) -> Iterator[bytes]:
    """The frame in one of `FILE_FORMATS`, piece by piece; text is UTF-8 and ends with a line end.

    With `sample` each row says so. `headers` names columns of Markdown otherwise than the frame does. Raises ValueError
    for another format.
    """
    import polars as pl

    if sample and SAMPLE not in frame.columns:
        frame = frame.with_columns(pl.lit(value=True).alias(SAMPLE))
    match form:
        case "json":
            return json_list(json_lines(frame))
        case "jsonl":
            return (f"{line}\n".encode() for line in json_lines(frame))
        case "csv":
            return iter((csv_bytes(frame),))
        case "parquet":
            return iter((parquet_bytes(frame),))
        case "markdown":
            return (line.encode() for line in markdown_lines(frame, headers))
        case _:
            raise ValueError(f"«{form}» is none of {FILE_FORMATS}")


def markdown_lines(frame: pl.DataFrame, headers: Mapping[str, str] | None = None) -> Iterable[str]:
    """The frame as the lines of a Markdown table, for people: as `table`, but times are UTC as in JSON."""
    names = [(headers or {}).get(name, name) for name in frame.columns]
    rows = (list(map(markdown_text, row)) for row in _times_as_text(frame).iter_rows())
    return markdown.table(names, rows, [kind.is_numeric() for kind in frame.dtypes])


def markdown_text(value: Any) -> str:
    """One value as text for people, not escaped yet."""
    return shown(json_value(value) if isinstance(value, (datetime, dict, list, tuple)) else value)


# For programs. Text is the original, whatever it holds; names, types and order are the frame's.


def json_lines(frame: pl.DataFrame) -> Iterator[str]:
    """A JSON object for each row, as ASCII text on one line without a line end.

    Whole numbers have all their digits, floats the fewest that read back as the same number. What JSON lacks is text:
    `"NaN"`, `"Infinity"`, `"-Infinity"`, times in ISO 8601 (UTC with `Z`; without a zone where the column has none)
    with as many digits of a second as there are, also within lists and structs.
    """
    return map(json_line, _times_as_text(frame).iter_rows(named=True))


def json_list(lines: Iterable[str]) -> Iterator[bytes]:
    """Objects of `json_lines` as one JSON list with an object a line."""
    empty = True
    for line in lines:
        yield f"{'[' if empty else ','}\n{line}".encode()
        empty = False
    yield b"[]\n" if empty else b"\n]\n"


def json_line(values: Mapping[str, Any]) -> str:
    """One object as `json_lines` has it."""
    return json.dumps(json_value(values), allow_nan=False)


def json_value(value: Any) -> Any:  # noqa: PLR0911 - a line for each type
    """A value as strict JSON has it, `json_lines` tells how; decimals are text, durations seconds."""
    match value:
        case None | bool() | int():
            return value
        case str():
            return str(value)
        case float():
            if math.isfinite(value):
                return value
            return "NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
        case Mapping():
            return {str(name): json_value(item) for name, item in value.items()}
        case datetime():
            moment = value if value.tzinfo is None else value.astimezone(UTC)
            digits = "auto" if value.microsecond % 1000 else "milliseconds"
            return moment.isoformat(timespec=digits if value.microsecond else "seconds").replace("+00:00", "Z")
        case date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case bytes():
            return value.decode("utf-8", "backslashreplace")
        case Iterable():
            return [json_value(item) for item in value]
        case _:
            return str(value)


def csv_bytes(frame: pl.DataFrame) -> bytes:
    r"""The frame as UTF-8 text, headers first: RFC 4180 with lines that end in `\n`.

    Null is nothing, the empty text is `""`; NaN and the infinities are `NaN`, `inf`, `-inf`; times as in `json_lines`;
    a list or an object is JSON.
    """
    import polars as pl

    frame = _times_as_text(frame)
    of_objects = [name for name, kind in frame.schema.items() if kind.is_nested() or kind in (pl.Binary, pl.Object)]
    texts = (
        pl.Series(name, [None if value is None else _csv_text(value) for value in frame[name].to_list()], pl.String)
        for name in of_objects
    )
    return frame.with_columns(*texts).write_csv(null_value="", quote_style="necessary").encode()


def _csv_text(value: Any) -> str:
    plain = json_value(value)
    return plain if isinstance(plain, str) else json.dumps(plain, allow_nan=False)


def parquet_bytes(frame: pl.DataFrame) -> bytes:
    """The frame as a parquet file with exactly its types."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def _times_as_text(frame: pl.DataFrame) -> pl.DataFrame:
    """Times and dates as ISO 8601 with all their digits, durations as seconds, also within lists and structs.

    Python's own values end at microseconds and at the year 9999.
    """
    import polars as pl

    return frame.with_columns(
        _told(pl.col(name), kind).alias(name) for name, kind in frame.schema.items() if _has_times(kind)
    )


def _has_times(kind: pl.DataType | DataTypeClass) -> bool:
    import polars as pl

    match kind:
        case pl.List() | pl.Array():
            return _has_times(kind.inner)
        case pl.Struct():
            return any(_has_times(field.dtype) for field in kind.fields)
        case _:
            return kind.is_temporal()


def _told(value: pl.Expr, kind: pl.DataType | DataTypeClass) -> pl.Expr:  # noqa: PLR0911 - a line for each type
    import polars as pl

    match kind:
        case pl.Datetime(time_zone=None):
            return value.dt.to_string("%Y-%m-%dT%H:%M:%S%.f")
        case pl.Datetime():
            return value.dt.convert_time_zone("UTC").dt.to_string("%Y-%m-%dT%H:%M:%S%.fZ")
        case pl.Date():
            return value.dt.to_string("%Y-%m-%d")
        case pl.Time():
            return value.dt.to_string("%H:%M:%S%.f")
        case pl.Duration():
            return value.cast(pl.Int64) / _UNITS_IN_A_SECOND[kind.time_unit]
        case pl.List() if _has_times(kind):
            return value.list.eval(_told(pl.element(), kind.inner))
        case pl.Array() if _has_times(kind):
            return value.arr.to_list().list.eval(_told(pl.element(), kind.inner))
        case pl.Struct() if _has_times(kind):
            fields = (_told(value.struct.field(field.name), field.dtype).alias(field.name) for field in kind.fields)
            return pl.when(value.is_not_null()).then(pl.struct(fields))
        case _:
            return value
