"""One arrow array of a foreign file -> one column of the app's own files, value by value where need be.

Everything here runs in the child process of `catalog.conform` and may meet any type that a parquet file can hold.
Plain Python loops are meant: 2,000 values take 1 ms, and importing pyarrow.compute alone takes 75 ms.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Any

import pyarrow as pa

from tui.catalog.schema import COLUMNS, EXTRA, UNCONVERTED, Kind

ARROW_TYPES: Mapping[Kind, pa.DataType] = {
    "text": pa.string(),
    "int32": pa.int32(),
    "float64": pa.float64(),
    "time": pa.timestamp("ms", tz="UTC"),
}

OWN_SCHEMA = pa.schema(
    [
        *(pa.field(column.name, ARROW_TYPES[column.kind]) for column in COLUMNS),
        pa.field(EXTRA, pa.string()),
        pa.field(UNCONVERTED, pa.string()),
    ]
)

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_FLOAT_WORDS = {"nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"}
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_MS = 86_400_000
# A day inside the years 1 to 9999, the only ones that Python knows, so that no time zone leads out of them.
_FIRST_MS = (datetime(1, 1, 2, tzinfo=UTC) - _EPOCH).days * _DAY_MS
_LAST_MS = (datetime(9999, 12, 31, tzinfo=UTC) - _EPOCH).days * _DAY_MS
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_LONGEST_NAME = 200
_SHOWN_BAD_TEXT = 1_000
_NOTE = 100
"""Characters that a text may be longer before it is cut, so that one that was cut is not cut again."""
LONGEST_TEXT = 4 << 20
"""Characters; the longest run.py have some ten thousand, and a screen that gets hundreds of millions stands still."""
LONGEST_SHORT_TEXT = 200_000
"""Characters of a text that is not in `schema.LONG_TEXT`, extra ones included: all of these are in memory together."""


def conformed(array: pa.Array, kind: Kind, longest: int = LONGEST_TEXT) -> tuple[pa.Array, dict[int, str]]:
    """The array as the column's own type, and {position: raw text} of the values that do not fit.

    A value that does not fit is null in the array, with one exception: text that is not UTF-8 stays, with its bad
    bytes as `\\xNN`, and is told of as well. So is text of more than `longest` characters, of which the
    beginning stays. A raw text is the first 1,000 characters. Times lose what is finer than a millisecond. Nulls stay
    nulls.
    """
    array = _unwrapped(array)
    match kind:
        case "text":
            return _text(array, longest)
        case "int32" if array.type == pa.int32():
            return array, {}
        case "int32":
            return _one_by_one(array, _whole_number, pa.int32())
        case "float64" if array.type == pa.float64():
            return array, {}
        case "float64":
            return _one_by_one(array, _number, pa.float64())
        case "time":
            return _time(array)


def plain(array: pa.Array, longest: int = LONGEST_SHORT_TEXT) -> list[Any]:
    """The values as None, bool, int, float, Decimal, str, list or dict; times and bytes are text, cut at `longest`.

    No value makes it fail, whatever it is.
    """
    array = _unwrapped(array)
    kind = array.type
    if _is_text_or_bytes(kind):
        return _decoded(array, longest)[0]
    if pa.types.is_float16(kind) or pa.types.is_float32(kind):
        # The shortest text that means this number: 18.2 and not 18.200000762939453.
        return [None if text is None else float(text) for text in array.cast(pa.string()).to_pylist()]
    if pa.types.is_temporal(kind):
        return _temporal_text(array)
    if pa.types.is_nested(kind):
        return _nested(array)
    try:
        return list(array.to_pylist())
    except Exception:  # noqa: BLE001 - a type that is not known here; its text is still worth keeping
        return [str(value) if value.is_valid else None for value in array]


def json_text(value: Any) -> str:
    """A value of `plain` as strict JSON; NaN and the infinities, which JSON lacks, are texts."""
    return json.dumps(_strict(value), ensure_ascii=False, separators=(",", ":"))


def field_names(fields: pa.Schema | pa.StructType) -> list[str]:
    """The names of the fields, each only once: a second `a` is `a (2)`; a name that is not UTF-8 is `column 3`.

    Of a long name only the beginning is taken.
    """
    distinct: dict[str, None] = {}
    for index in range(len(fields)):
        try:
            name = _cut(fields.field(index).name, _LONGEST_NAME)
        except UnicodeDecodeError:
            name = f"column {index + 1}"
        label, number = name, 1
        while label in distinct:
            number += 1
            label = f"{name} ({number})"
        distinct[label] = None
    return list(distinct)


def raw_text(value: Any) -> str:
    """A value of `plain`, other than None, as the text that a person reads."""
    strict = _strict(value)
    return strict if isinstance(strict, str) else json_text(strict)


def short(value: Any) -> Any:
    """A value of `plain` as it is, or the beginning of its text when that is too long for an extra column."""
    if isinstance(value, str | list | dict):
        text = raw_text(value)
        beginning = _cut(text, LONGEST_SHORT_TEXT)
        return value if beginning is text else beginning
    return value


def raw_beginning(value: Any) -> str:
    """`raw_text`, of which only the beginning when it is long."""
    return _cut(raw_text(value), _SHOWN_BAD_TEXT)


def _nested(array: pa.Array) -> list[Any]:
    kind = array.type
    if pa.types.is_struct(kind):
        names = field_names(kind)
        columns = [plain(array.field(index)) for index in range(kind.num_fields)]
        rows = zip(*columns, strict=True) if columns else [()] * len(array)
        present = array.is_valid().to_pylist()
        return [dict(zip(names, row, strict=True)) if valid else None for valid, row in zip(present, rows, strict=True)]
    if pa.types.is_map(kind):
        return [None if not row.is_valid else _pairs(plain(row.values)) for row in array]
    return [None if not row.is_valid else plain(row.values) for row in array]


def _strict(value: Any) -> Any:
    match value:
        case float() if not math.isfinite(value):
            return "NaN" if math.isnan(value) else str(value)
        case None | bool() | int() | float():
            return value
        case str():
            # Half a surrogate pair, which JSON can hold and UTF-8 cannot.
            return value.encode("utf-8", "backslashreplace").decode("utf-8")
        case list():
            return [_strict(item) for item in value]
        case dict():
            return {_strict(str(name)): _strict(item) for name, item in value.items()}
        case _:
            return str(value)


def _pairs(entries: list[dict[str, Any]]) -> Any:
    pairs = [tuple(entry.values()) for entry in entries]
    keys = [key for key, _ in pairs]
    if all(isinstance(key, str) for key in keys) and len(set(keys)) == len(keys):
        return dict(pairs)
    return [list(pair) for pair in pairs]


def _unwrapped(array: pa.Array) -> pa.Array:
    while True:
        if isinstance(array.type, pa.BaseExtensionType):
            array = array.storage
        elif pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        else:
            return array


def _is_text_or_bytes(kind: pa.DataType) -> bool:
    return any(
        test(kind)
        for test in (
            pa.types.is_string,
            pa.types.is_large_string,
            pa.types.is_string_view,
            pa.types.is_binary,
            pa.types.is_large_binary,
            pa.types.is_binary_view,
            pa.types.is_fixed_size_binary,
        )
    )


def _decoded(array: pa.Array, longest: int) -> tuple[list[str | None], dict[int, str]]:
    """Text of a text or bytes array; of what is not UTF-8 or too long also {position: its beginning}."""
    if pa.types.is_string(array.type):
        array = array.view(pa.binary())
    elif pa.types.is_large_string(array.type):
        array = array.view(pa.large_binary())
    elif pa.types.is_string_view(array.type):
        array = array.cast(pa.binary())
    texts: list[str | None] = []
    misfits: dict[int, str] = {}
    for position, data in enumerate(array.to_pylist()):
        if data is None:
            texts.append(None)
            continue
        try:
            text, fits = data.decode("utf-8"), True
        except UnicodeDecodeError:
            text, fits = data.decode("utf-8", "backslashreplace"), False
        if (beginning := _cut(text, longest)) is not text:
            text, fits = beginning, False
        if not fits:
            misfits[position] = text[:_SHOWN_BAD_TEXT]
        texts.append(text)
    return texts, misfits


def _cut(text: str, longest: int) -> str:
    return f"{text[:longest]}… (cut: {len(text):,} characters in all)" if len(text) > longest + _NOTE else text


def _text(array: pa.Array, longest: int) -> tuple[pa.Array, dict[int, str]]:
    if array.type == pa.string() and _longest(array, longest) <= longest:
        try:
            array.validate(full=True)
        except pa.ArrowInvalid:
            pass
        else:
            return array, {}
    if _is_text_or_bytes(array.type):
        texts, misfits = _decoded(array, longest)
        return pa.array(texts, pa.string()), misfits
    texts = [None if value is None else raw_text(value) for value in plain(array)]
    kept = [text and _cut(text, longest) for text in texts]
    misfits = {
        place: text[:_SHOWN_BAD_TEXT]
        for place, (text, whole) in enumerate(zip(kept, texts, strict=True))
        if text and text is not whole
    }
    return pa.array(kept, pa.string()), misfits


def _longest(array: pa.StringArray, enough: int) -> int:
    """Bytes of the longest text, or more of all together when they are few anyway."""
    if array.nbytes <= enough:
        return int(array.nbytes)
    ends = memoryview(array.buffers()[1]).cast("i")[array.offset : array.offset + len(array) + 1]
    return max(end - start for start, end in pairwise(ends))


def _one_by_one(array: pa.Array, convert: Callable[[Any], Any], kind: pa.DataType) -> tuple[pa.Array, dict[int, str]]:
    values: list[Any] = []
    misfits: dict[int, str] = {}
    for position, value in enumerate(plain(array, sys.maxsize)):
        fitted = None if value is None else convert(value)
        if fitted is None and value is not None:
            misfits[position] = raw_beginning(value)
        values.append(fitted)
    return pa.array(values, kind), misfits


def _whole_number(value: Any) -> int | None:
    if isinstance(value, str):
        value = _decimal(value)
    # The range comes first: int(Decimal("1e999999999")) would take for ever.
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    if not -(2**31) <= value < 2**31:
        return None
    whole = int(value)
    return whole if whole == value else None


def _decimal(text: str) -> Decimal | None:
    text = text.strip()
    try:
        return Decimal(text) if _NUMBER.fullmatch(text) else None
    except InvalidOperation:
        return None


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        text = value.strip().lower()
        if text in _FLOAT_WORDS:
            return float(text)
        value = _decimal(text)
    if isinstance(value, float):
        return value
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    if isinstance(value, int) and int(number) != value:
        return None
    return None if math.isinf(number) else number


def _time(array: pa.Array) -> tuple[pa.Array, dict[int, str]]:
    kind = array.type
    if pa.types.is_timestamp(kind):
        counts = array.view(pa.int64()).to_pylist()
        per_second = _PER_SECOND[kind.unit]
        times = [None if count is None else count * 1_000 // per_second for count in counts]
    elif pa.types.is_date64(kind):
        times = array.view(pa.int64()).to_pylist()
    elif pa.types.is_date32(kind):
        days = array.view(pa.int32()).to_pylist()
        times = [None if day is None else day * _DAY_MS for day in days]
    elif _is_text_or_bytes(kind):
        return _times(array, [None if text is None else _iso_ms(text) for text in plain(array, sys.maxsize)])
    else:
        # A bare number may count seconds, milliseconds or days: not guessed.
        return _times(array, [None] * len(array))
    if kind == ARROW_TYPES["time"] and all(time is None or _FIRST_MS <= time < _LAST_MS for time in times):
        return array, {}
    return _times(array, times)


def _times(array: pa.Array, times: list[int | None]) -> tuple[pa.Array, dict[int, str]]:
    fitting = [None if time is None or not _FIRST_MS <= time < _LAST_MS else time for time in times]
    misfits = {}
    if any(time is None for time in fitting):
        raw = plain(array, sys.maxsize)
        misfits = {
            position: raw_beginning(value)
            for position, (value, time) in enumerate(zip(raw, fitting, strict=True))
            if time is None and value is not None
        }
    return pa.array(fitting, pa.int64()).view(ARROW_TYPES["time"]), misfits


def _iso_ms(text: str) -> int | None:
    """Milliseconds since 1970 of an ISO date or time, in UTC where it names no zone."""
    text = text.strip().removesuffix("UTC").rstrip()
    if not _ISO_DATE.match(text):
        return None
    try:
        time = datetime.fromisoformat(text)
        since = (time if time.tzinfo else time.replace(tzinfo=UTC)) - _EPOCH
    except (ValueError, OverflowError):
        return None
    return (since.days * 86_400 + since.seconds) * 1_000 + since.microseconds // 1_000


def _temporal_text(array: pa.Array) -> list[str | None]:
    """ISO text; a count with its unit for durations and for times that no calendar reaches."""
    kind = array.type
    suffix = ""
    if pa.types.is_timestamp(kind):
        suffix = "" if kind.tz is None else "Z"
        array = array.view(pa.int64()).view(pa.timestamp(kind.unit))
    elif pa.types.is_duration(kind):
        suffix = f" {kind.unit}"
    elif pa.types.is_interval(kind):
        return [str(value) if value.is_valid else None for value in array]
    return [
        None if text is None else text.removeprefix("<value out of range: ").removesuffix(">") + suffix
        for text in array.cast(pa.string()).to_pylist()
    ]
