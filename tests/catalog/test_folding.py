"""Looking for a text in a column in any case, as Python folds it."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.catalog.folding import folded_text, has_folded

LETTERS = [chr(code) for code in range(0x1E944) if not 0xD800 <= code < 0xE000 and chr(code).isalpha()]
PIECES = st.sampled_from(
    [*"sSfiIjnx .*(^$[]{}-\\\n", "ß", "ẞ", "ﬃ", "ſ", "İ", "ı", "K", "σ", "ς", "Σ", "ŉ", "ǰ", "ᾈ", "é"]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


def found(text: str, needle: str) -> bool:
    return pl.DataFrame({"text": [text]}).select(has=has_folded(pl.col("text"), needle.casefold()))["has"].item()


@settings(deadline=None, max_examples=300)
@given(TEXTS, st.one_of(TEXTS, st.text(max_size=5)).filter(bool))
def test_a_text_is_found_where_it_is_once_both_are_folded(text: str, needle: str) -> None:
    assert found(text, needle) is (needle.casefold() in text.casefold())
    inside = f"{text}{needle.upper()}{text}"
    assert found(inside, needle) is (needle.casefold() in inside.casefold())


def test_every_letter_is_found_and_folded_as_python_does() -> None:
    frame = pl.DataFrame({"text": LETTERS})
    assert frame.select(folded_text(pl.col("text")))["text"].to_list() == [letter.casefold() for letter in LETTERS]
    for letter in LETTERS[::1_500]:
        wanted = letter.casefold()
        hits = frame.filter(has_folded(pl.col("text"), wanted))["text"].to_list()
        assert hits == [each for each in LETTERS if wanted in each.casefold()]


@pytest.mark.parametrize("letter", ["s", "k", "ß", "ﬁ", "σ", "µ", "å", "ꭰ", "i"])
def test_letters_with_several_forms_are_found_in_all_of_them(letter: str) -> None:
    frame = pl.DataFrame({"text": LETTERS})
    hits = frame.filter(has_folded(pl.col("text"), letter.casefold()))["text"].to_list()
    assert hits == [each for each in LETTERS if letter.casefold() in each.casefold()]


def test_a_long_text_is_looked_for_as_a_short_one_is() -> None:
    long = "Straße (.*) " * 2_000
    assert found(f"x{long.upper()}y", long)
    assert not found(long, f"{long}x")


def test_no_text_is_neither_found_nor_folded() -> None:
    nothing = pl.DataFrame({"text": [None]}, schema={"text": pl.String})
    assert nothing.select(has_folded(pl.col("text"), "x")).item() is None
    assert nothing.select(folded_text(pl.col("text"))).item() is None
