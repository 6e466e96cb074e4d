"""How values and columns of foreign files become those of the app's own files."""

import json
import math
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest

from tui.catalog import schema
from tui.catalog.columns import OWN_SCHEMA, conformed, field_names, json_text, plain
from tui.catalog.conform import conform_batch, plan_columns


def values_and_misfits(array: pa.Array, kind: str):
    conformed_array, misfits = conformed(array, kind)
    assert conformed_array.type == {
        "text": pa.string(), "int32": pa.int32(), "float64": pa.float64(), "time": pa.timestamp("ms", "UTC")
    }[kind]  # fmt: skip
    conformed_array.validate(full=True)
    return conformed_array.to_pylist(), misfits


@pytest.mark.parametrize(
    ("array", "values", "misfits"),
    [
        (pa.array([8, None, -1], pa.int32()), [8, None, -1], {}),
        (pa.array([8, None], pa.int8()), [8, None], {}),
        (pa.array([8, 2**40, -(2**31)]), [8, None, -(2**31)], {1: "1099511627776"}),
        (pa.array([2**64 - 1, 2**31 - 1, 2**31], pa.uint64()), [None, 2**31 - 1, None],
         {0: "18446744073709551615", 2: "2147483648"}),
        (pa.array([8.0, 3.7, math.nan, math.inf, -0.0, None]), [8, None, None, None, 0, None],
         {1: "3.7", 2: "NaN", 3: "inf"}),
        (pa.array([8.0, 3.5], pa.float16()), [8, None], {1: "3.5"}),
        (pa.array([True, False, None]), [None, None, None], {0: "true", 1: "false"}),
        (pa.array(["8", " 16 ", "+4", "8.0", "1e3", "-2"]), [8, 16, 4, 8, 1000, -2], {}),
        (pa.array(["", "None", "8 cores", "0x10", "1_000", "٣", "3.7", "nan", None]), [None] * 9,
         {0: "", 1: "None", 2: "8 cores", 3: "0x10", 4: "1_000", 5: "٣", 6: "3.7", 7: "nan"}),
        (pa.array(["1e999999999", "1e99999999999999999999", "1e-999999999"]), [None] * 3,
         {0: "1e999999999", 1: "1e99999999999999999999", 2: "1e-999999999"}),
        (pa.array([Decimal("8.00"), Decimal("8.50")]), [8, None], {1: "8.50"}),
        (pa.array(["8", "16", "8"]).dictionary_encode(), [8, 16, 8], {}),
        (pa.array([b"8", b"\xff8"]), [8, None], {1: "\\xff8"}),
        (pa.array([[8], None]), [None, None], {0: "[8]"}),
        (pa.nulls(2), [None, None], {}),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)  # fmt: skip
def test_whole_numbers(array, values, misfits):
    assert values_and_misfits(array, "int32") == (values, misfits)


@pytest.mark.parametrize(
    ("array", "values", "misfits"),
    [
        (pa.array([18.2, None, 0.0]), [18.2, None, 0.0], {}),
        (pa.array([18.2, 0.1], pa.float32()), [18.2, 0.1], {}),
        (pa.array([24, 2**53 + 1]), [24.0, None], {1: "9007199254740993"}),
        (pa.array(["18.2", " 24 ", ".5", "1e-3"]), [18.2, 24.0, 0.5, 0.001], {}),
        (pa.array(["", "None", "18,2", "18.2 GB", "1e999", "1_0"]), [None] * 6,
         {0: "", 1: "None", 2: "18,2", 3: "18.2 GB", 4: "1e999", 5: "1_0"}),
        (pa.array(["inf", "-Infinity"]), [math.inf, -math.inf], {}),
        (pa.array([True]), [None], {0: "true"}),
        (pa.array([Decimal("18.20")]), [18.2], {}),
    ],
)  # fmt: skip
def test_numbers(array, values, misfits):
    assert values_and_misfits(array, "float64") == (values, misfits)


def test_not_a_number_stays_apart_from_null():
    for array in (pa.array([math.nan, None]), pa.array(["NaN", None]), pa.array([math.nan, None], pa.float32())):
        values, misfits = values_and_misfits(array, "float64")
        assert math.isnan(values[0])
        assert values[1] is None
        assert misfits == {}


NOON = datetime(2026, 11, 20, 12, 0, 0, 123_000, tzinfo=UTC)


@pytest.mark.parametrize(
    "array",
    [
        *(
            pa.array([NOON, None], pa.timestamp(unit, tz))
            for unit in ("ms", "us", "ns")
            for tz in ("UTC", "Asia/Tokyo")
        ),
        pa.array([NOON.replace(tzinfo=None), None], pa.timestamp("us")),
        pa.array(["2026-11-20T12:00:00.123Z", None]),
        pa.array(["2026-11-20 12:00:00.123456789 UTC", None]),
        pa.array([" 2026-11-20T21:00:00.123+09:00 ", None]),
        pa.array(["2026-11-20T12:00:00.123", None]),
    ],
    ids=lambda array: str(array.type),
)
def test_times_of_any_unit_and_zone_and_iso_text(array):
    assert values_and_misfits(array, "time") == ([NOON, None], {})


def test_an_unknown_time_zone_does_not_matter_since_the_instant_is_stored():
    array = pa.array([0], pa.timestamp("ns", "Mars/Olympus"))
    assert values_and_misfits(array, "time") == ([datetime(1970, 1, 1, tzinfo=UTC)], {})


def test_dates_are_midnight():
    midnight = datetime(2026, 11, 20, tzinfo=UTC)
    for array in (
        pa.array([date(2026, 11, 20)]),
        pa.array([date(2026, 11, 20)], pa.date64()),
        pa.array(["2026-11-20"]),
    ):
        assert values_and_misfits(array, "time") == ([midnight], {})


def test_times_before_1970_and_whole_seconds():
    array = pa.array([-1, 1_790_000_000], pa.timestamp("s"))
    assert values_and_misfits(array, "time") == (
        [datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), datetime.fromtimestamp(1_790_000_000, UTC)],
        {},
    )


@pytest.mark.parametrize(
    ("array", "misfits"),
    [
        (pa.array([1_790_000_000]), {0: "1790000000"}),
        (pa.array([1.79e9]), {0: "1790000000.0"}),
        (pa.array(["yesterday"]), {0: "yesterday"}),
        (pa.array(["20261120"]), {0: "20261120"}),
        (pa.array([""]), {0: ""}),
        (pa.array(["2026-13-45"]), {0: "2026-13-45"}),
        (pa.array(["0001-01-01T00:00:00+14:00"]), {0: "0001-01-01T00:00:00+14:00"}),
        (pa.array([2**62], pa.timestamp("ms", "UTC")), {0: "4611686018427387904Z"}),
        (pa.array([2**62], pa.timestamp("s")), {0: "4611686018427387904"}),
        (pa.array([2**30], pa.date32()), {0: "1073741824"}),
        (pa.array([True]), {0: "true"}),
        (pa.array([time(12)]), {0: "12:00:00.000000"}),
    ],
)
def test_what_is_no_certain_time_stays_as_text(array, misfits):
    assert values_and_misfits(array, "time") == ([None], misfits)


def test_kept_times_can_be_shown_in_every_time_zone():
    edges = pa.array([-62135596800000, 253402300799000], pa.timestamp("ms", "UTC"))
    values, misfits = values_and_misfits(edges, "time")
    assert values == [None, None]
    assert len(misfits) == 2


def test_null_empty_and_the_text_none_stay_three_things():
    array = pa.array([None, "", "None", "nan", " pass "])
    assert values_and_misfits(array, "text") == ([None, "", "None", "nan", " pass "], {})


@pytest.mark.parametrize(
    ("array", "texts"),
    [
        (pa.array(["ü", None], pa.large_string()), ["ü", None]),
        (pa.array(["ü", None], pa.string_view()), ["ü", None]),
        (pa.array(["ok", None, "ok"]).dictionary_encode(), ["ok", None, "ok"]),
        (pa.array([True, False]), ["true", "false"]),
        (pa.array([2.27, 2.0]), ["2.27", "2.0"]),
        (pa.array([2.27], pa.float32()), ["2.27"]),
        (pa.array([5, None]), ["5", None]),
        (pa.array([Decimal("5.20")]), ["5.20"]),
        (pa.array([b"text", None]), ["text", None]),
        (pa.array([["a", None], [], None]), ['["a",null]', "[]", None]),
        (pa.array([{"a": 1.5, "b": "x"}, None]), ['{"a":1.5,"b":"x"}', None]),
        (pa.array([NOON]), ["2026-11-20 12:00:00.123000Z"]),
        (pa.array([date(2026, 11, 20)]), ["2026-11-20"]),
    ],
)
def test_other_types_in_a_text_column_become_their_text(array, texts):
    assert values_and_misfits(array, "text") == (texts, {})


BAD_UTF8 = pa.array([b"pass\xff", b"pass", None, b"\xed\xa0\x80"])


@pytest.mark.parametrize("array", [BAD_UTF8, BAD_UTF8.view(pa.string()), BAD_UTF8.cast(pa.large_binary())])
def test_bytes_that_are_no_text_are_visible_and_counted(array):
    values, misfits = values_and_misfits(array, "text")
    assert values == ["pass\\xff", "pass", None, "\\xed\\xa0\\x80"]
    assert misfits == {0: "pass\\xff", 3: "\\xed\\xa0\\x80"}


def test_a_text_of_many_million_characters_is_cut_and_counted():
    values, misfits = values_and_misfits(pa.array(["short", "x" * 5_000_000]), "text")
    assert values[0] == "short"
    assert values[1].endswith("x… (cut: 5,000,000 characters in all)")
    assert len(values[1]) < 4_200_000
    assert misfits == {1: "x" * 1_000}


def test_many_short_texts_are_not_cut():
    texts = ["x" * 5_000] * 2_000
    assert values_and_misfits(pa.array(texts), "text") == (texts, {})
    assert values_and_misfits(pa.array([*texts, "y"])[2_000:], "text") == (["y"], {})


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (pa.array([math.nan, -math.inf]), '["NaN","-inf"]'),
        (pa.array([Decimal("1.10")]), '["1.10"]'),
        (pa.array([b"\x00\xff"]), '["\\u0000\\\\xff"]'),
        (pa.array([timedelta(seconds=1)]), '["1000000 us"]'),
        (pa.array([5], pa.time64("ns")), '["00:00:00.000000005"]'),
        (pa.array([2**62], pa.timestamp("s", "UTC")), '["4611686018427387904Z"]'),
        (pa.array([[("a", 1), ("b", None)]], pa.map_(pa.string(), pa.int64())), '[{"a":1,"b":null}]'),
        (pa.array([[(1, "x")]], pa.map_(pa.int64(), pa.string())), '[[[1,"x"]]]'),
        (pa.array([[1, 2], None], pa.list_(pa.int64(), 2)), "[[1,2],null]"),
        (pa.array([[1, 2]], pa.large_list(pa.int64())), "[[1,2]]"),
        (pa.array([[{"t": [NOON]}]]), '[[{"t":["2026-11-20 12:00:00.123000Z"]}]]'),
        (pa.array([BAD_UTF8.to_pylist()]), '[["pass\\\\xff","pass",null,"\\\\xed\\\\xa0\\\\x80"]]'),
        (pa.nulls(1), "[null]"),
        (pa.array(["ü"]).dictionary_encode(), '["ü"]'),
        (pa.ExtensionArray.from_storage(pa.json_(), pa.array(['{"a":1}'])), '["{\\"a\\":1}"]'),
        (pa.array([{}, None], pa.struct([])), "[{},null]"),
    ],
    ids=lambda value: str(value.type)[:40] if isinstance(value, pa.Array) else "",
)
def test_values_of_any_type_become_json(array, text):
    assert json_text(plain(array)) == text
    json.loads(text, parse_constant=lambda constant: pytest.fail(f"{constant} is no JSON"))


def test_equal_names_in_a_struct_lose_nothing():
    array = pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    assert json_text(plain(array)) == '[{"a":1,"a (2)":2}]'


def test_columns_are_found_by_name_in_any_order():
    plan = plan_columns(["result", "new", "model_id"], own_file=False)
    assert (plan.own, plan.extra) == ({"model_id": 2, "result": 0}, {"new": 1})


def test_a_name_in_other_letters_is_taken_only_when_it_is_the_only_one():
    assert plan_columns(["Result ", "TP"], own_file=False).own == {"result": 0, "tp": 1}
    both = plan_columns(["Result", "RESULT"], own_file=False)
    assert (both.own, both.extra) == ({}, {"Result": 0, "RESULT": 1})
    exact = plan_columns(["Result", "result"], own_file=False)
    assert (exact.own, exact.extra) == ({"result": 1}, {"Result": 0})


def test_a_second_column_of_one_name_is_extra():
    names = field_names(pa.schema([("result", pa.string()), ("result", pa.string()), ("result (2)", pa.string())]))
    assert names == ["result", "result (2)", "result (2) (2)"]
    assert plan_columns(names, own_file=False).own == {"result": 0}


def test_a_batch_gets_the_own_columns_and_nothing_is_lost():
    batch = pa.RecordBatch.from_pydict(
        {
            "tp": ["8", "eight"],
            "score": [1.5, None],
            "model_id": ["acme/a", None],
            "tested_at": [None, "soon"],
        }
    )
    own, misfits, extra = conform_batch(batch, plan_columns(batch.schema.names, own_file=False))
    assert own.schema.equals(OWN_SCHEMA)
    assert tuple(own.schema.names) == schema.OWN_COLUMNS
    assert own.column("tp").to_pylist() == [8, None]
    assert own.column("result").to_pylist() == [None, None]
    assert own.column(schema.EXTRA).to_pylist() == ['{"score":1.5}', '{"score":null}']
    assert [text and json.loads(text) for text in own.column(schema.UNCONVERTED).to_pylist()] == [
        None,
        {"tp": "eight", "tested_at": "soon"},
    ]
    assert misfits == {"tp": 1, "tested_at": 1}
    assert list(extra) == ["score"]


def test_columns_called_like_the_apps_own_are_extra_in_a_foreign_file():
    batch = pa.RecordBatch.from_pydict({"extra": ['{"a":1}'], "unconverted": ["x"]})
    own, misfits, _ = conform_batch(batch, plan_columns(batch.schema.names, own_file=False))
    assert json.loads(own.column(schema.EXTRA)[0].as_py()) == {"extra": '{"a":1}', "unconverted": "x"}
    assert own.column(schema.UNCONVERTED).to_pylist() == [None]
    assert misfits == {}


def test_a_forged_own_file_cannot_bring_other_json():
    batch = pa.RecordBatch.from_pydict(
        {"extra": ["[1", '{"a":"\\ud800"}', "3"], "unconverted": ['{"tp":8,"nonsense":"x"}', "null", '["ab"]']}
    )
    own, misfits, _ = conform_batch(batch, plan_columns(batch.schema.names, own_file=True))
    assert [json.loads(text) for text in own.column(schema.EXTRA).to_pylist()] == [
        {"extra": "[1"},
        {"a": "\\ud800", "unconverted": "null"},
        {"extra": "3", "unconverted": '["ab"]'},
    ]
    assert own.column(schema.UNCONVERTED).to_pylist() == ['{"tp":"8"}', None, None]
    assert misfits == {"tp": 1}
