"""`--format`: a frame, rows or one object on stdout, as a table for people or as data for programs."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import click

from tui.cli.output import as_far_as_read, is_terminal, write, write_bytes
from tui.errors import UsageError
from tui.terminal_text import clean

if TYPE_CHECKING:
    import polars as pl

FORMATS: Final = ("table", "json", "jsonl", "csv", "parquet", "markdown")

Types = Mapping[str, type]
"""Name -> str, int, float, bool, datetime (UTC), list[int], list[str] or dict; each can be null."""


def format_option() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option `--format`, which arrives as `form`, one of FORMATS."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default=FORMATS[0],
        help=f"How it is written.  [default: {FORMATS[0]}]",
    )


def write_frame(
    frame: pl.DataFrame,
    form: str,
    *,
    headers: Mapping[str, str] | None = None,
    keep: int | None = None,
    sample: bool = False,
    ascii_only: bool = False,
) -> None:
    """Write the frame to stdout in one of FORMATS.

    A table fits the terminal, with `headers` and `keep` as of `tui.export.table`, and is whole when piped. Its text is
    clean, and so is that of `markdown`; the other formats have the original, apart from csv on a terminal. `json` is a
    list with an object a line, `jsonl` the lines alone. With `sample` each row says so. When nobody reads on, the rest
    is not written. Raises `UsageError` for parquet on a terminal, `OSError` for a full disk.
    """
    from tui import export

    if form == "table":
        width = _width()
        text = export.table(frame, headers=headers, width=width, keep=keep)
        _write_table(text, width, sample=sample, ascii_only=ascii_only)
        return
    if form == "parquet" and is_terminal(sys.stdout):
        raise UsageError(
            "A parquet file is nothing for a terminal",
            "It is binary.",
            "Lead it to a file or a program: --format parquet > FILE",
        )
    data = export.written(frame, form, sample=sample, headers=headers)
    if form in {"csv", "markdown"}:
        _write_text(data)
    else:
        write_bytes(data)


def write_rows(rows: Iterable[Mapping[str, Any]], types: Types, form: str) -> None:
    """Write rows with the columns `types` to stdout in one of FORMATS but `table`; json and jsonl without polars.

    In csv and parquet a `dict` is JSON text. Raises as `write_frame` does.
    """
    from tui import export

    told = [{name: row.get(name) for name in types} for row in rows]
    if form == "json":
        write_bytes(export.json_list(map(export.json_line, told)))
    elif form == "jsonl":
        write_bytes(f"{export.json_line(row)}\n".encode() for row in told)
    else:
        write_frame(_frame(told, types), form)


def write_object(values: Mapping[str, Any], form: str, types: Types = MappingProxyType({})) -> None:
    """Write one thing to stdout: an indented JSON object, a Markdown table with a line for each value, or one row.

    A row is written as by `write_rows`; `types` are those of the values that are no text.
    """
    from tui import export, markdown

    if form == "json":
        write_bytes([json.dumps(export.json_value(values), indent=2, allow_nan=False).encode(), b"\n"])
    elif form == "markdown":
        told = ((name, export.markdown_text(value)) for name, value in values.items())
        _write_text(line.encode() for line in markdown.table(("field", "value"), told, (False, False)))
    else:
        write_rows([values], {name: types.get(name, str) for name in values}, form)


def _frame(rows: Sequence[Mapping[str, Any]], types: Types) -> pl.DataFrame:
    import polars as pl

    kinds: dict[Any, pl.DataType] = {
        str: pl.String(),
        int: pl.Int64(),
        float: pl.Float64(),
        bool: pl.Boolean(),
        datetime: pl.Datetime("us", "UTC"),
        list[int]: pl.List(pl.Int64),
        list[str]: pl.List(pl.String),
        dict: pl.String(),
    }
    return pl.DataFrame([pl.Series(name, [_cell(row[name]) for row in rows], kinds[types[name]]) for name in types])


def _cell(value: Any) -> Any:
    from tui import export

    match value:
        case Mapping():
            return export.json_line(value)
        case str():
            # A name of a file may be no text; arrow takes text only.
            return value.encode("utf-8", "backslashreplace").decode()
        case list() | tuple():
            return [_cell(item) for item in value]
        case _:
            return value


def _width() -> int | None:
    """Cells of the terminal that stdout leads to; None anywhere else."""
    return shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None


def _write_table(text: str, width: int | None, *, sample: bool, ascii_only: bool) -> None:
    from tui.cli.plain_list import SAMPLE_LINE

    about = [SAMPLE_LINE] if width is None else textwrap.wrap(SAMPLE_LINE, width)
    lines = [*(about if sample else ()), *([text] if text else ())]
    with as_far_as_read():
        write("".join(f"{line}\n" for line in lines), sys.stdout, ascii_only=ascii_only)


def _write_text(data: Iterable[bytes]) -> None:
    """On a terminal what it would act on is shown as an escape; anywhere else nothing is changed."""
    if is_terminal(sys.stdout):
        with as_far_as_read():
            write(clean(b"".join(data).decode(), newlines=True), sys.stdout)
    else:
        write_bytes(data)
