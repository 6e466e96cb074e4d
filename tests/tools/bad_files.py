"""Parquet files that no dataset should have, each of one kind of badness, made by hand or by odd writers."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from tui.catalog.schema import COLUMNS

NEWEST: Final = {"neuronx_cc": "2.28.7631.0", "library": "transformers", "library_version": "5.23.1"}
CODECS: Final = ("none", "snappy", "gzip", "brotli", "lz4", "zstd")
LONG: Final = 10_000_000
"""Characters of a very long cell."""


def table(rows: int = 2, *, model: str = "acme/bad", **columns: Sequence[Any] | pa.Array) -> pa.Table:
    """A table with every column of the dataset, `columns` in place of its own."""
    usual: dict[str, Any] = {
        **{column.name: pa.array([f"{column.name} {row}" for row in range(rows)]) for column in COLUMNS},
        "model_id": [f"{model}-{row}" for row in range(rows)],
        "tp": pa.array([1] * rows, pa.int32()),
        "wall_s": pa.array([60] * rows, pa.int32()),
        "hbm_peak_gb": pa.array([18.5] * rows),
        "hbm_capacity_gb": pa.array([24.0] * rows),
        "result": ["fail"] * rows,
        "exclusion": pa.nulls(rows, pa.string()),
        "tested_at": pa.array([datetime(2026, 11, 20, 9, 30, tzinfo=UTC)] * rows, pa.timestamp("ms", "UTC")),
        **{name: [value] * rows for name, value in NEWEST.items()},
    }
    return pa.table({**usual, **columns})


def written(made: pa.Table, **options: Any) -> bytes:
    """The table as a parquet file."""
    target = io.BytesIO()
    pq.write_table(made, target, **options)
    return target.getvalue()


def not_parquet() -> Mapping[str, tuple[bytes, str]]:
    """Files from which nothing can be read: their content, and what is said to be wrong with them."""
    good = written(table())
    return {
        "zero bytes": (b"", "the file is empty"),
        "one byte": (b"P", "it is no parquet file"),
        "a web page": (b"<!DOCTYPE html><html><title>Log in</title></html>" * 20, "it is no parquet file"),
        "csv": (b"model_id,result\nacme/bad,pass\n" * 20, "it is no parquet file"),
        "a pointer": (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4d7a" * 16 + b"\nsize 12345\n",
            "it is a Git LFS pointer and not the file itself, which `git lfs pull` fetches",
        ),
        "wrong magic": (b"PAR2" + good[4:-4] + b"PAR2", "it is no parquet file"),
        "encrypted": (b"PARE" + good[4:-4] + b"PARE", "it is encrypted"),
        "cut in the middle": (good[: len(good) // 2], "its end is missing or damaged"),
        "cut at its end": (good[:-1], "its end is missing or damaged"),
        "nothing but magic": (b"PAR1", "its footer is damaged"),
        "no footer": (b"PAR1" + bytes(4) + b"PAR1", "its footer is damaged"),
        "a footer longer than the file": (good[:-8] + b"\xff\xff\xff\x7fPAR1", "its footer is damaged"),
        "random bytes between magic": (b"PAR1" + bytes(range(256)) * 8 + b"PAR1", "its footer is damaged"),
    }


def of_codec(number: int) -> bytes:
    """A file of two records whose footer names another codec than was used, by its number in parquet.thrift."""
    content = written(table(), compression="snappy", use_dictionary=False)
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    # ColumnMetaData: field 4, codec, an i32 (1 is snappy), before field 5, num_values, an i64; both zigzag.
    changed = content[footer:].replace(b"\x15\x02\x16\x04", bytes([0x15, number * 2, 0x16, 0x04]))
    assert number == 1 or changed != content[footer:]
    return content[:footer] + changed


def asking_for_exabytes(content: bytes) -> bytes:
    """The file with one bit turned over: a page then has a negative number of values.

    polars 2.1 asks for 2^61 bytes and ends the process; pyarrow says that the size is negative.
    """
    # DataPageHeader: field 5 of the page header, a struct; num_values, then three encodings, all i32 and zigzag.
    found = re.search(rb"\x2c\x15.\x15\x10\x15\x06\x15\x06", content, re.DOTALL)
    assert found is not None
    place = found.start() + 2
    return content[:place] + bytes([content[place] | 1]) + content[place + 1 :]


EXTREME_SENTENCES: Final = (
    "PASS on -3 cores, -1 s with compilation, peak NaN of infinite GB recorded",
    "FAIL on 0 cores after 0 s, peak infinite of NaN GB recorded",
    "PASS on 2,147,483,647 cores, 596523 h 14 min with compilation, peak -infinite of -1 GB recorded",
    "FAIL on -2,147,483,648 cores after -596523 h 14 min, peak -5 of 0 GB recorded",
    "PASS, peak 1e+308 GB recorded",
    "FAIL on 1 core after 1 s, peak <0.1 of -infinite GB recorded",
)
"""What is said of the records of `extremes`."""


def extremes() -> bytes:
    """`acme/extreme-0` to `-5`: figures and times at the ends of what their types hold."""
    return written(
        table(
            6,
            model="acme/extreme",
            result=["pass", "fail"] * 3,
            tp=pa.array([-3, 0, 2**31 - 1, -(2**31), None, 1], pa.int32()),
            wall_s=pa.array([-1, 0, 2**31 - 1, -(2**31), None, 1], pa.int32()),
            hbm_peak_gb=[math.nan, math.inf, -math.inf, -5.0, 1e308, 5e-324],
            hbm_capacity_gb=[math.inf, math.nan, -1.0, 0.0, None, -math.inf],
            # Year 1 on its first and second day, year 9999 on its last and the day before, no year at all.
            tested_at=pa.array(
                [-62_135_596_800_000, -62_135_510_400_000, 253_402_300_799_000, 253_402_214_399_000, 2**62, 0],
                pa.timestamp("ms", "UTC"),
            ),
        )
    )


def one_array_of_each_type() -> Mapping[str, pa.Array]:
    """Two values of each arrow type that a parquet file can hold, then a null, under the type's name."""
    moment = datetime(2026, 11, 20, 9, 30)
    values: list[tuple[list[Any], pa.DataType]] = [
        ([True, False], pa.bool_()),
        *(([1, 8], kind) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())),
        *(([1, 255], kind) for kind in (pa.uint8(), pa.uint16(), pa.uint32())),
        ([1, 2**64 - 1], pa.uint64()),
        *(([1.5, math.nan], kind) for kind in (pa.float16(), pa.float32(), pa.float64())),
        *(([Decimal("1.50"), Decimal(-8)], kind) for kind in (pa.decimal128(20, 2), pa.decimal256(60, 2))),
        *((["pass", "\x1b[2J"], kind) for kind in (pa.string(), pa.large_string(), pa.string_view())),
        *(([b"8", b"\xff\xfe"], kind) for kind in (pa.binary(), pa.large_binary(), pa.binary_view())),
        ([b"ab", b"\xff\xfe"], pa.binary(2)),
        ([date(1, 1, 1), date(9999, 12, 31)], pa.date32()),
        ([date(2026, 11, 20), date(1970, 1, 1)], pa.date64()),
        ([time(9, 30), time(0)], pa.time32("ms")),
        ([time(9, 30), time(0)], pa.time64("us")),
        *(([moment, moment], pa.timestamp(unit, zone)) for unit in ("s", "ms", "us", "ns") for zone in (None, "UTC")),
        ([moment, moment], pa.timestamp("ms", "Asia/Tokyo")),
        ([timedelta(seconds=5), timedelta(days=-1)], pa.duration("ms")),
        ([[1, None], []], pa.list_(pa.int32())),
        ([["a"], []], pa.large_list(pa.string())),
        ([[1, 2], [3, 4]], pa.list_(pa.int32(), 2)),
        (
            [{"a": 1, "b": [{"c": "x"}]}, {"a": None, "b": []}],
            pa.struct({"a": pa.int32(), "b": pa.list_(pa.struct({"c": pa.string()}))}),
        ),
        ([[("k", 1)], []], pa.map_(pa.string(), pa.int32())),
        ([[["a"]], []], pa.list_(pa.list_(pa.string()))),
        ([None, None], pa.null()),
    ]
    arrays = {str(kind): pa.array([*each, None], kind) for each, kind in values}
    arrays["dictionary"] = pa.array(["pass", "fail", None]).dictionary_encode()
    return arrays
