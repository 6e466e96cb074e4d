"""A frame as text: tables that fit a terminal; JSON, CSV and parquet that read back as what they were."""

from __future__ import annotations

import csv
import io
import json
import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tui.export import cell_width, csv_bytes, cut, json_lines, json_value, parquet_bytes, table


def test_texts_stand_at_the_left_and_numbers_at_the_right() -> None:
    frame = pl.DataFrame({"model_id": ["acme/one", "acme/eleven"], "tp": [1, 16]})
    assert table(frame, headers={"tp": "cores"}).splitlines() == [
        "model_id     cores",
        "acme/one         1",
        "acme/eleven     16",
    ]


def test_null_empty_nan_zero_and_the_word_none_look_different() -> None:
    frame = pl.DataFrame({"a": [None, "", "None"], "b": [float("nan"), 0.0, None]})
    assert [line.split() for line in table(frame).splitlines()[1:]] == [["–", "NaN"], ['""', "0"], ["None", "–"]]


def test_a_table_without_a_width_is_never_cut() -> None:
    long = "x" * 500
    assert table(pl.DataFrame({"a": [long], "b": ["y"]})).splitlines()[1] == f"{long}  y"


def test_the_widest_texts_give_way_until_lines_fit_and_numbers_stay_whole() -> None:
    frame = pl.DataFrame({"model_id": ["acme/" + "m" * 60], "wall_s": [123456], "note": ["n" * 40]})
    lines = table(frame, width=50).splitlines()
    assert max(map(cell_width, lines)) <= 50
    model, number, note = lines[1].split()
    assert number == "123456"
    assert model.startswith("acme/mmm")
    assert model.endswith("…")
    assert note.endswith("…")
    assert abs(len(model) - len(note)) <= 1


@pytest.mark.parametrize("width", [1, 5, 12, 20])
def test_even_a_very_narrow_terminal_is_never_overrun(width: int) -> None:
    frame = pl.DataFrame({"model_id": ["acme/model-of-eight"], "tp": [8], "result": ["passed"]})
    assert max(map(cell_width, table(frame, width=width).splitlines())) <= width


def test_wide_characters_keep_columns_aligned() -> None:
    frame = pl.DataFrame({"model": ["acme/日本語", "acme/e\u0301"], "tp": [1, 2]})
    lines = table(frame).splitlines()
    assert [cell_width(line) for line in lines] == [len("acme/日本語") + 3 + 2 + 2] * 3
    assert lines[1].endswith("   1")


def test_cutting_never_splits_a_wide_character_over_the_edge() -> None:
    assert cut("日本語", 4) == "日…"
    assert cut("日本語", 6) == "日本語"
    assert cut("abc", 0) == ""


def test_outside_text_cannot_act_on_the_terminal_or_break_a_line() -> None:
    text = table(pl.DataFrame({"notes": ["a\x1b]52;c;aGk=\x07\nb"]}))
    assert len(text.splitlines()) == 2
    assert "\x1b" not in text
    assert "\x07" not in text


def test_times_are_local_dates() -> None:
    frame = pl.DataFrame({"tested_at": [datetime(2026, 11, 20, 12, tzinfo=UTC)]})
    assert "2026-11-2" in table(frame)


def test_a_frame_without_rows_is_its_headers() -> None:
    assert table(pl.DataFrame({"model_id": [], "tp": []})) == "model_id  tp"


def test_columns_that_need_not_be_kept_are_left_out_before_a_text_is_cut() -> None:
    frame = pl.DataFrame({"model_id": ["acme/model-of-eight"], "tp": [8], "wall_s": [61], "note": ["n" * 9]})
    assert table(frame, width=34, keep=1).splitlines()[1] == "acme/model-of-eight   8      61"
    assert table(frame, width=19, keep=1).splitlines()[1] == "acme/model-of-eight"
    assert table(frame, width=12, keep=1).splitlines()[1] == "acme/model-…"
    assert table(frame, keep=1) == table(frame)


# for programs

HOSTILE = "\x1b]52;c;aGk=\x07\x9b2J\u202e\x00\r\n\ufeff"
TEXTS = [
    None,
    "",
    "None",
    "NaN",
    "null",
    " padded ",
    'quo"te',
    "a,b",
    "two\nlines",
    "lone\rreturn",
    "日本語 🦙",
    HOSTILE,
]
TIMES = [None, datetime(2026, 11, 20, 9, 30, tzinfo=UTC), datetime(1969, 12, 31, 23, 59, 59, 5000, tzinfo=UTC)]
MIXED = pl.DataFrame(
    {
        "text": TEXTS,
        "float": [None, math.nan, math.inf, -math.inf, 0.1, -0.0, 1e300, 5e-324, 24.0, 18.2, 1 / 3, 0.0],
        "integer": [None, 2**63 - 1, -(2**63), 0, *range(8)],
        "time": TIMES * 4,
        "flag": [None, True, False] * 4,
        "word": ["PASS", None] * 6,
    },
    schema_overrides={"time": pl.Datetime("ms", "UTC"), "word": pl.Enum(["FAIL", "PASS"])},
)


def test_json_has_stable_names_real_types_and_texts_for_what_json_lacks() -> None:
    rows = [
        {"model_id": "acme/é", "wall_s": 372, "hbm_peak_gb": 18.2, "flag": True, "tested_at": TIMES[1]},
        {"model_id": "", "wall_s": None, "hbm_peak_gb": math.nan, "flag": None, "tested_at": TIMES[2]},
        {"model_id": None, "wall_s": 0, "hbm_peak_gb": -math.inf, "flag": False, "tested_at": None},
    ]
    frame = pl.DataFrame(rows, schema_overrides={"tested_at": pl.Datetime("ms", "UTC")})
    assert list(json_lines(frame)) == [
        '{"model_id": "acme/\\u00e9", "wall_s": 372, "hbm_peak_gb": 18.2, "flag": true,'
        ' "tested_at": "2026-11-20T09:30:00Z"}',
        '{"model_id": "", "wall_s": null, "hbm_peak_gb": "NaN", "flag": null, "tested_at": "1969-12-31T23:59:59.005Z"}',
        '{"model_id": null, "wall_s": 0, "hbm_peak_gb": "-Infinity", "flag": false, "tested_at": null}',
    ]


def test_json_reads_back_as_what_it_was() -> None:
    names = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    rows = [json.loads(line) for line in json_lines(MIXED)]
    for row in rows:
        row["float"] = names.get(row["float"], row["float"])
        row["time"] = row["time"] and datetime.fromisoformat(row["time"])
    assert_frame_equal(pl.DataFrame(rows, schema=MIXED.schema), MIXED, check_exact=True)
    assert math.copysign(1, rows[5]["float"]) == -1


def test_every_line_of_json_is_ascii_without_anything_that_a_terminal_acts_on() -> None:
    assert all(line.isascii() and line.isprintable() for line in json_lines(MIXED))


def test_numbers_of_any_size_keep_all_their_digits_in_json() -> None:
    frame = pl.DataFrame({"big": [2**100, 0]}, schema={"big": pl.Int128})
    assert [json.loads(line)["big"] for line in json_lines(frame)] == [2**100, 0]


def test_lists_objects_and_other_types_become_json() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    value = {"of": [1, math.nan, {"at": moment}], "day": date(2026, 1, 2), "took": timedelta(seconds=1.5)}
    assert json_value(value) == {
        "of": [1, "NaN", {"at": "2026-01-01T00:00:00Z"}], "day": "2026-01-02", "took": 1.5,
    }  # fmt: skip
    assert json_value((b"a\xff", Decimal("1.10"))) == ["a\\xff", "1.10"]


def with_times() -> pl.DataFrame:
    """Every kind of time to the nanosecond: alone, in a struct, in a list of structs, in an array; and nothing."""
    at = pl.Series("at", [1_794_648_600_123_456_789, None], pl.Int64).cast(pl.Datetime("ns", "UTC"))
    local = at.dt.convert_time_zone("Asia/Tokyo").alias("local")
    plain = at.dt.replace_time_zone(None).alias("plain")
    took = pl.Series("took", [1_500_000_001, None], pl.Int64).cast(pl.Duration("ns"))
    clock = pl.Series("clock", [5_000_000_001, None], pl.Int64).cast(pl.Time)
    day = pl.Series("day", [20_000, None], pl.Int32).cast(pl.Date)
    frame = pl.DataFrame([at, local, plain, took, clock, day])
    present = pl.col("at").is_not_null()
    return frame.with_columns(
        pl.when(present).then(pl.struct("at", "local", "plain", "took", "clock", "day", n=pl.lit(1))).alias("struct"),
        pl.when(present).then(pl.concat_list(pl.struct("at"))).alias("list"),
        pl.when(present).then(pl.concat_list("at", "at").list.to_array(2)).alias("array"),
    )


TOLD = {
    "at": "2026-11-14T09:30:00.123456789Z", "local": "2026-11-14T09:30:00.123456789Z",
    "plain": "2026-11-14T09:30:00.123456789", "took": 1.500000001, "clock": "00:00:05.000000001", "day": "2024-10-04",
}  # fmt: skip


def test_times_have_all_their_digits_at_every_depth() -> None:
    first, second = map(json.loads, json_lines(with_times()))
    assert first == TOLD | {
        "struct": TOLD | {"n": 1},
        "list": [{"at": TOLD["at"]}],
        "array": [TOLD["at"]] * 2,
    }
    assert second == dict.fromkeys(first)


def test_in_csv_times_are_told_as_in_json() -> None:
    (row, empty) = csv.DictReader(io.StringIO(csv_bytes(with_times()).decode(), newline=""))
    told = json.loads(next(json_lines(with_times())))
    for name, value in told.items():
        assert row[name] == (value if isinstance(value, str) else json.dumps(value)), name
    assert set(empty.values()) == {""}


def test_a_day_that_python_does_not_have_is_told() -> None:
    far = pl.DataFrame({"day": [10_000_000]}).with_columns(pl.col("day").cast(pl.Int32).cast(pl.Date))
    far = far.with_columns(days=pl.concat_list("day"))
    assert list(json_lines(far)) == ['{"day": "+29349-01-26", "days": ["+29349-01-26"]}']


@pytest.mark.parametrize("microsecond", [0, 5_000, 120_000, 123_456, 7])
def test_a_time_is_told_alike_from_a_frame_and_from_a_value(microsecond: int) -> None:
    moment = datetime(2026, 11, 20, 9, 30, 0, microsecond, tzinfo=UTC)
    (line,) = json_lines(pl.DataFrame({"at": [moment], "plain": [moment.replace(tzinfo=None)]}))
    assert json.loads(line) == json_value({"at": moment, "plain": moment.replace(tzinfo=None)})


def test_in_csv_null_is_nothing_and_the_empty_text_is_quoted() -> None:
    frame = pl.DataFrame({"a": [None, "", "None"], "b": [math.nan, None, 24.0], "c": TIMES, "d": [[1], None, []]})
    assert csv_bytes(frame).decode().split("\n") == [
        "a,b,c,d",
        ",NaN,,[1]",
        '"",,2026-11-20T09:30:00Z,',
        "None,24.0,1969-12-31T23:59:59.005Z,[]",
        "",
    ]


def test_csv_reads_back_as_what_it_was() -> None:
    text = csv_bytes(MIXED).decode()
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0] == MIXED.columns
    assert [row[0] or None for row in rows[1:]] == [value or None for value in TEXTS]
    back = pl.read_csv(io.BytesIO(text.encode()), schema=MIXED.schema | {"time": pl.String(), "word": pl.String()})
    times = pl.col("time").str.to_datetime("%Y-%m-%dT%H:%M:%S%.fZ", time_unit="ms", time_zone="UTC")
    back = back.with_columns(times, pl.col("word").cast(MIXED.schema["word"]))
    assert_frame_equal(back, MIXED, check_exact=True)


def test_every_csv_field_that_needs_quotes_has_them() -> None:
    lines = csv_bytes(MIXED.select("text")).decode()
    for quoted in ('"quo""te"', '"a,b"', '"two\nlines"', '"lone\rreturn"', f'"{HOSTILE}"'):
        assert f"\n{quoted}\n" in lines


def test_parquet_has_exactly_the_types_and_values() -> None:
    frame = MIXED.with_columns(big=pl.lit(2**100, pl.Int128), days=pl.lit(date(2026, 1, 1)), parts=pl.lit([[1, None]]))
    back = pl.read_parquet(parquet_bytes(frame))
    assert back.schema == frame.schema
    assert_frame_equal(back, frame, check_exact=True)


def test_a_frame_without_rows_keeps_its_names_and_types() -> None:
    empty = MIXED.clear()
    assert list(json_lines(empty)) == []
    assert csv_bytes(empty) == b"text,float,integer,time,flag,word\n"
    assert pl.read_parquet(parquet_bytes(empty)).schema == empty.schema
