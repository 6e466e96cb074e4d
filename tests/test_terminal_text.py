"""What outside text looks like once it may reach a terminal."""

from __future__ import annotations

import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.terminal_text import clean, last_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("acme/Quartz-8B", "acme/Quartz-8B"),
        ("", ""),
        ("\x1b]52;c;aGVsbG8=\x07", r"\x1b]52;c;aGVsbG8=\x07"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x9b31m and \x90q\x9c", r"\x9b31m and \x90q\x9c"),
        ("\x7f\x00\x08", r"\x7f\x00\x08"),
        ("invoice\u202egpj.exe", r"invoice\u202egpj.exe"),
        ("\u2066a\u2069\u200e\u200f\u061c", r"\u2066a\u2069\u200e\u200f\u061c"),
        ("one\u2028two\u2029three", r"one\u2028two\u2029three"),
        ("Llama\u200b-3\ufeff", r"Llama\u200b-3\ufeff"),
        ("👨\u200d👩", r"👨\u200d👩"),
        ("✔\ufe0f", r"✔\ufe0f"),
        ("\u3164", r"\u3164"),
        ("bad \udc80 byte", r"bad \udc80 byte"),
        ("\ufdd0\U0010ffff\ue000", r"\ufdd0\U0010ffff\ue000"),
        ("soft\u00adhyphen", r"soft\xadhyphen"),
        ("two\nlines\r\n", r"two\nlines\r\n"),
        ("a\tb", "a   b"),
        (r"C:\x1b is not an escape", r"C:\x1b is not an escape"),
    ],
)
def test_what_a_terminal_would_act_on_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert clean(text) == shown


@pytest.mark.parametrize("text", ["naïve café", "模型　名", "🤗 ● ✗ – … «yes»", "e\u0301", "5\u00a0GB", "ру́сский"])
def test_words_of_any_language_stay_as_they_are(text: str) -> None:
    assert clean(text) == text


def test_newlines_stay_when_asked_for_and_crlf_counts_as_one() -> None:
    assert clean("if x:\r\n\ty()\r\x1b\n\n", newlines=True) == "if x:\n    y()\\r\\x1b\n\n"


def test_tabs_line_up_in_each_line() -> None:
    assert clean("ab\tc\n\td", newlines=True) == "ab  c\n    d"


def test_a_tower_of_combining_marks_is_cut_open() -> None:
    assert clean("e" + "\u0301" * 6 + "!") == "e" + "\u0301" * 3 + r"\u0301\u0301\u0301" + "!"


def test_no_code_point_gets_through_that_acts_or_hides() -> None:
    for code in (*range(0x20000), *range(0xE0000, 0xE0200), 0xF0000, 0x10FFFE, sys.maxunicode):
        shown = clean(chr(code))
        if shown == chr(code):
            assert unicodedata.category(shown) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}, hex(code)
        else:
            assert shown.isascii() and shown.isprintable(), hex(code)


@given(st.text(st.characters(), max_size=60))
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = clean(text, newlines=True)
    assert clean(once, newlines=True) == once
    once.encode()


@given(st.text(st.characters(exclude_characters="\t\\"), max_size=60))
def test_nothing_is_lost(text: str) -> None:
    restored = []
    for part in clean(text).replace("\\", "\0\\").split("\0"):
        width = {"x": 4, "u": 6, "U": 10, "n": 2, "r": 2}.get(part[1:2], 0) if part.startswith("\\") else 0
        restored += [part[:width].encode().decode("unicode_escape"), part[width:]]
    assert "".join(restored) == text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("  \n\n \t", ""),
        ("Traceback:\n  File x\nRuntimeError: boom\n\n", "RuntimeError: boom"),
        ("10%\r50%\r100% done\r\n", "100% done"),
        ("one\n  \x1b[31mtwo\x1b[0m  \n", r"\x1b[31mtwo\x1b[0m"),
        ("only", "only"),
    ],
)
def test_the_last_line_that_says_something(text: str, line: str) -> None:
    assert last_line(text) == line


def test_a_large_plain_text_costs_almost_nothing() -> None:
    text = "x" * 10_000_000
    started = time.perf_counter()
    assert clean(text) == text
    assert last_line("first\n" * 1_000_000 + "end") == "end"
    assert time.perf_counter() - started < 1
