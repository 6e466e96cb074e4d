"""Tables for people: aligned, fitting a terminal, whole when piped."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import pytest

from tui.export import cell_width, cut, table


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
