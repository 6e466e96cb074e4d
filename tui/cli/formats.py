"""`--format`: a frame, or one object, on stdout as a table for people or as data for programs."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from tui.cli.output import as_far_as_read, is_terminal, write, write_bytes
from tui.errors import UsageError
from tui.terminal_text import clean

if TYPE_CHECKING:
    import polars as pl

FORMATS: Final = ("table", "json", "jsonl", "csv", "parquet")
SAMPLE: Final = "sample"
"""The field that every row of a program's format has when the data are the sample's: true."""


def format_option(*formats: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option `--format`, which arrives as `form`: the first of `formats` is the default; none are all FORMATS."""
    offered = formats or FORMATS
    return click.option(
        "--format",
        "form",
        type=click.Choice(offered),
        default=offered[0],
        help=f"How it is written.  [default: {offered[0]}]",
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
    clean, that of the other formats the original, apart from csv on a terminal. `json` is a list with an object a line,
    `jsonl` the lines alone. With `sample` each row says so. When nobody reads on, the rest is not written.
    Raises `UsageError` for parquet on a terminal, `OSError` for a full disk.
    """
    import polars as pl

    from tui import export

    if form == "table":
        width = _width()
        text = export.table(frame, headers=headers, width=width, keep=keep)
        _write_table(text, width, sample=sample, ascii_only=ascii_only)
        return
    if sample:
        frame = frame.with_columns(pl.lit(value=True).alias(SAMPLE))
    match form:
        case "json":
            lines = ",\n".join(export.json_lines(frame))
            write_bytes([f"[\n{lines}\n]\n".encode() if lines else b"[]\n"])
        case "jsonl":
            write_bytes(f"{line}\n".encode() for line in export.json_lines(frame))
        case "csv":
            _write_csv(export.csv_bytes(frame))
        case "parquet":
            if is_terminal(sys.stdout):
                raise UsageError(
                    "A parquet file is nothing for a terminal",
                    "It is binary.",
                    "Lead it to a file or a program: --format parquet > FILE",
                )
            write_bytes([export.parquet_bytes(frame)])
        case _:
            raise ValueError(f"«{form}» is none of {FORMATS}")


def write_object(
    values: Mapping[str, Any],
    form: str,
    *,
    headers: Mapping[str, str] | None = None,
    sample: bool = False,
    ascii_only: bool = False,
) -> None:
    """Write one thing to stdout: a line for each of its values, an indented JSON object, or a frame of one row.

    Values may be mappings and lists. Raises as `write_frame` does.
    """
    from tui import export

    match form:
        case "table":
            rows = [(clean((headers or {}).get(name, name)), clean(_in_words(value))) for name, value in values.items()]
            width = _width()
            text = export.aligned(rows, (False, False), width) if rows else ""
            _write_table(text, width, sample=sample, ascii_only=ascii_only)
        case "json":
            told = {**values, SAMPLE: True} if sample else values
            write_bytes([json.dumps(export.json_value(told), indent=2, allow_nan=False).encode(), b"\n"])
        case _:
            import polars as pl

            write_frame(pl.DataFrame([dict(values)], infer_schema_length=None), form, sample=sample)


def _in_words(value: Any) -> str:
    from tui.catalog.verdict import shown

    return shown(value)


def _width() -> int | None:
    """Cells of the terminal that stdout leads to; None anywhere else."""
    return shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None


def _write_table(text: str, width: int | None, *, sample: bool, ascii_only: bool) -> None:
    from tui.cli.plain_list import SAMPLE_LINE

    about = [SAMPLE_LINE] if width is None else textwrap.wrap(SAMPLE_LINE, width)
    lines = [*(about if sample else ()), *([text] if text else ())]
    with as_far_as_read():
        write("".join(f"{line}\n" for line in lines), sys.stdout, ascii_only=ascii_only)


def _write_csv(data: bytes) -> None:
    """On a terminal what it would act on is shown as an escape; anywhere else nothing is changed."""
    if is_terminal(sys.stdout):
        with as_far_as_read():
            write(clean(data.decode(), newlines=True), sys.stdout)
    else:
        write_bytes([data])
