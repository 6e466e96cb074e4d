"""Bytes of a log become the lines that a terminal would show, and nothing that a terminal acts on."""

from __future__ import annotations

import gc
import random
import tracemalloc
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.rerun import kept_lines, sgr
from tui.rerun.log_lines import Line, LogLines
from tui.terminal_text import clean


def lines_of(*pieces: bytes, **limits: int) -> LogLines:
    lines = LogLines(**limits)
    for piece in pieces:
        lines.feed(piece)
    return lines


def texts(*pieces: bytes, **limits: int) -> list[str]:
    return list(lines_of(*pieces, **limits).texts())


# Lines


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"", []),
        (b"one", ["one"]),
        (b"one\n", ["one"]),
        (b"one\n\ntwo\n\n", ["one", "", "two", ""]),
        (b"one\r\ntwo\r\r\n", ["one", "two"]),
        (b"a\tb\n12345678\tc\n", ["a       b", "12345678        c"]),
        (b"abc\b\bX", ["aXc"]),
        (b"\b\bab", ["ab"]),
    ],
)
def test_lines_are_shown_as_a_terminal_would(data: bytes, shown: list[str]) -> None:
    assert texts(data) == shown


def test_lines_may_end_in_the_next_bytes() -> None:
    lines = lines_of(b"one\ntw")
    assert [line.text for line in (lines[0], lines[1])] == ["one", "tw"]
    lines.feed(b"o\nthree")
    assert list(lines.texts()) == ["one", "two", "three"]
    with pytest.raises(IndexError):
        lines[3]


def test_a_progress_bar_is_one_line_that_changes() -> None:
    lines = lines_of(b"start\n\r 10% 1/10")
    assert list(lines.texts()) == ["start", " 10% 1/10"]
    lines.feed(b"\r100% 10/10\nend\n")
    assert list(lines.texts()) == ["start", "100% 10/10", "end"]


def test_a_carriage_return_overwrites_only_as_far_as_the_new_text_goes() -> None:
    assert texts(b"abcdef\rXY\n") == ["XYcdef"]


def test_erasing_a_line_erases_it() -> None:
    assert texts(b"Downloading model\r\x1b[Kdone\n") == ["done"]
    assert texts(b"Downloading model\x1b[2K\rdone\n") == ["done"]
    assert texts(b"abcdef\b\b\b\x1b[1KX\n") == ["   Xef"]


def test_bars_below_each_other_stay_two_lines() -> None:
    first = b"\rFetching 2 files:   0%\n\rmodel.safetensors:  10%\x1b[A"
    later = b"\rFetching 2 files:  50%\n\rmodel.safetensors: 100%\x1b[A"
    lines = lines_of(first, later, b"\rFetching 2 files: 100%\n\nloaded\n")
    assert list(lines.texts()) == ["Fetching 2 files: 100%", "model.safetensors: 100%", "loaded"]


def test_moving_up_further_than_there_are_lines_stops_at_the_first() -> None:
    assert texts(b"one\ntwo\x1b[99A\rX\n") == ["Xne", "two"]
    assert texts(*(b"line %d\n" % n for n in range(10)), b"\x1b[9999AX", head=2, tail=3) == [
        "line 0", "line 1", "… 6 lines left out here", "Xine 8", "line 9",
    ]  # fmt: skip


# What is not text


@pytest.mark.parametrize(
    "escape",
    [
        b"\x1b[2J", b"\x1b[?25l", b"\x1b[10;20H", b"\x1b[1;31;K", b"\x1b[>25u", b"\x1b[!p", b"\x1b[0 q",
        b"\x1b]0;title\x07", b"\x1b]52;c;aGVsbG8=\x1b\\", b"\x1b]8;;http://x\x1b\\", b"\x1bP+q544e\x1b\\",
        b"\x1b_Gf=100;AAAA\x1b\\", b"\x1b^private\x1b\\", b"\x1bXstart\x1b\\", b"\x1b(B", b"\x1b)0", b"\x1b#8",
        b"\x1bc", b"\x1b7", b"\x1b=", b"\x1bM", b"\x1bNx", b"\x1bOP", b"\x1b%G", b"\x1b\x1b[2J", b"\x1b",
        "\x9b2J".encode(), "\x9d0;title\x9c".encode(), "\x90q\x9c".encode(), "\x9fG\x07".encode(), "\x85".encode(),
        "\x8ex".encode(), "\x8fx".encode(), b"\x1bPtmux;\x1b\x1b]52;c;aGk=\x07\x1b\\", b"\x1b]0;cut\x18",
    ],
)  # fmt: skip
def test_other_escapes_are_dropped_whole_wherever_the_bytes_are_split(escape: bytes) -> None:
    data = b"before " + escape + "é after\nnext\n".encode()
    assert texts(data) == ["before é after", "next"]
    for at in range(len(data)):
        assert texts(data[:at], data[at:]) == ["before é after", "next"], at


@pytest.mark.parametrize("start", [b"\x1b]0;", b"\x1bP", b"\x1b_", "\x9d".encode(), b"\x1b[31", b"\x1b(", b"\x1bO"])
def test_an_escape_without_an_end_hides_no_more_than_its_line(start: bytes) -> None:
    assert texts(b"before" + start + b"\nnext\n") == ["before", "next"]
    assert texts(b"before" + start, b"\nnext\n") == ["before", "next"]


def test_an_endless_escape_is_given_up() -> None:
    assert texts(b"\x1b]0;" + b"x" * 2_000_000)[0].startswith("xxxx")
    assert texts(b"\x1b[" + b"1" * 10_000 + b"\xc3\xa9 after")[0].endswith("é after")
    lines = lines_of(*[b"\x1b[" + b"1" * 512] * 64)
    assert len(lines._held) < 5_000


def test_invisible_and_reordering_characters_are_shown_as_escapes() -> None:
    shown = texts("a\u202eb\u200bc\ufeffd\x00e\x07f\x7f\u2028g\ufe0f".encode())
    assert shown == [r"a\u202eb\u200bc\ufeffd\x00e\x07f\x7f\u2028g\ufe0f"]


def test_a_stack_of_combining_marks_is_cut_also_between_feeds() -> None:
    mark = "\u0301".encode()
    assert texts(b"e" + mark * 5) == ["e\u0301\u0301\u0301\\u0301\\u0301"]
    assert texts(b"e" + mark * 3, mark) == ["e\u0301\u0301\u0301\\u0301"]


def test_bytes_that_are_no_utf8_are_shown_as_escapes() -> None:
    assert texts(b"caf\xe9 \xff\xfe ok\n", "né\n".encode()) == [r"caf\xe9 \xff\xfe ok", "né"]


def test_a_character_may_be_split_between_feeds() -> None:
    data = "中文 ✓ 😀\n".encode()
    assert texts(*(data[at : at + 1] for at in range(len(data)))) == ["中文 ✓ 😀"]


_PIECES = st.lists(
    st.sampled_from(
        [
            b"\n", b"\r", b"\r\n", b"\b", b"\t", b"\x1b", b"[", b"]", b"\x1b[31m", b"\x1b[0m", b"\x1b[K", b"\x1b[A",
            b"\x1b[2A", b"\x1b]0;", b"\x07", b"\x1b\\", b"\x1bO", b"\x1b(", b";", b"1", b"m", b"abc", b"\x18",
            "é".encode(), "中".encode(), b"\xe4", b"\xff", "\x9b".encode(), "\u202e".encode(), "\u0301".encode(),
        ]
    ),
    max_size=40,
)  # fmt: skip


@given(pieces=_PIECES, cuts=st.lists(st.integers(0, 200), max_size=6))
def test_where_the_bytes_are_split_changes_nothing_and_nothing_acts(pieces: list[bytes], cuts: list[int]) -> None:
    data = b"".join(pieces)
    whole = lines_of(data, head=3, tail=6, longest=20)
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    split = lines_of(*(data[a:b] for a, b in pairwise(places)), head=3, tail=6, longest=20)
    for lines in (whole, split):
        assert all(clean(line.text) == line.text for line in lines)
        assert all(0 <= first < end <= len(line.text) for line in lines for first, end, _ in line.spans)
    if "\u0301" in "".join(whole.texts()):
        return
    assert list(whole.texts()) == list(split.texts())
    assert [line.spans for line in whole] == [line.spans for line in split]


# Colours


def test_colours_are_kept_as_spans() -> None:
    line = lines_of(b"\x1b[1;31mERROR\x1b[0m plain \x1b[38;5;208mboth\x1b[m\n")[0]
    assert line == Line("ERROR plain both", ((0, 5, "1;31"), (12, 16, "38;5;208")))


def test_a_colour_goes_on_until_it_is_taken_back() -> None:
    lines = lines_of(b"\x1b[32mone\ntwo\x1b[39m three\n")
    assert lines[0] == Line("one", ((0, 3, "32"),))
    assert lines[1] == Line("two three", ((0, 3, "32"),))


def test_overwriting_takes_the_colours_along() -> None:
    assert lines_of(b"\x1b[31mabcdef\x1b[0m\rXY\n")[0] == Line("XYcdef", ((2, 6, "31"),))
    assert lines_of(b"abcdef\r\x1b[31mXY\x1b[0m\n")[0] == Line("XYcdef", ((0, 2, "31"),))


@pytest.mark.parametrize(
    ("before", "parameters", "then"),
    [
        ("", "", ""),
        ("1;31", "", ""),
        ("1;31", "0;32", "32"),
        ("", "31;1", "1;31"),
        ("1;2;31", "22", "31"),
        ("31", "44", "31;44"),
        ("31;44", "39", "44"),
        ("31;44", "49", "31"),
        ("31", "91", "91"),
        ("", "107", "107"),
        ("", "38;5;208", "38;5;208"),
        ("", "38:5:208", "38;5;208"),
        ("", "38;2;255;0;16;1", "1;38;2;255;0;16"),
        ("", "38:2::255:0:16", "38;2;255;0;16"),
        ("", "48;2;1;2;3", "48;2;1;2;3"),
        ("", "38;5;256", ""),
        ("", "38;2;1;2", ""),
        ("31", "38", "31"),
        ("", "4:3", "4"),
        ("4", "4:0", ""),
        ("", "5;8", ""),
        ("31", "?4", "31"),
        ("31", ">4;2", "31"),
        ("31", "9999999999999", "31"),
        ("", "3;4;7;9", "3;4;7;9"),
        ("3;4;7;9", "23;24;27;29", ""),
    ],
)
def test_every_way_to_say_a_colour_becomes_one(before: str, parameters: str, then: str) -> None:
    assert sgr.after(before, parameters) == then


# Limits


def test_a_long_line_is_cut_and_says_how_much_is_missing() -> None:
    lines = lines_of(*[b"x" * 1_000] * 2_000, b"\nnext\n")
    assert lines[0].text == "x" * 4_000 + "… 1,996,000 characters more"
    assert lines[1].text == "next"


def test_a_long_bar_that_is_written_over_is_measured_anew() -> None:
    assert texts(b"x" * 30 + b"\r\x1b[Kdone", longest=10) == ["done"]
    assert texts(b"x" * 30 + b"\rabc", longest=10) == ["abcxxxxxxx… 20 characters more"]


def test_head_and_tail_are_kept_with_a_line_that_tells_of_the_gap() -> None:
    lines = lines_of(*(b"line %d\n" % number for number in range(100)), head=2, tail=3)
    assert [line.text for line in lines] == [
        "line 0", "line 1", "… 96 lines left out here", "line 98", "line 99",
    ]  # fmt: skip
    assert (len(lines), lines.dropped, lines.gap) == (5, 96, 2)
    assert list(lines.texts(1, 4)) == ["line 1", "… 96 lines left out here", "line 98"]


@pytest.mark.parametrize("limits", [{}, {"head": 4, "tail": 6}, {"head": 0, "tail": 1}, {"head": 20, "tail": 9}])
def test_lines_that_come_all_at_once_are_kept_as_those_that_come_one_by_one(limits: dict[str, int]) -> None:
    block = b"plain %d\n" * 7 % (*range(7),) + b"\n\x1b[31mred\x1b[0m\ncaf\xc3\xa9\n" + b"x" * 30 + b"\na\rb\n\n\nend"
    whole, bytewise = lines_of(block * 3, longest=20, **limits), LogLines(longest=20, **limits)
    for at in range(3 * len(block)):
        bytewise.feed((block * 3)[at : at + 1])
    assert [*whole] == [*bytewise]
    assert (whole.dropped, whole.gap) == (bytewise.dropped, bytewise.gap)


def test_nothing_is_said_to_be_missing_when_nothing_is() -> None:
    lines = lines_of(b"1\n2\n3\n4\n5", head=2, tail=3)
    assert (list(lines.texts()), lines.dropped, lines.gap) == (["1", "2", "3", "4", "5"], 0, None)


@pytest.mark.parametrize(
    "line", [b"x" * 4_000, "中".encode() * 2_000, b"\x1b[31mx\x1b[32my" * 100], ids=["long", "wide", "coloured"]
)
def test_memory_is_bounded_also_for_lines_that_need_much(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_lines, "_MOST_BYTES", 1 << 17)
    gc.collect()  # what other tests left in the interpreter's free lists would be used, and not counted
    tracemalloc.start()
    try:
        lines = lines_of(*[line + b"\n"] * 60)
        used = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert lines.dropped
    assert 1 << 16 < used < 1 << 18


# Searching


def test_find_gives_the_next_line_that_has_the_words_whatever_their_case() -> None:
    lines = lines_of(b"one Error\ntwo\nthree ERROR\nfour\n")
    assert lines.find("error", 0) == 0
    assert lines.find("error", 1) == 2
    assert lines.find("error", 3) is None
    assert lines.find("error", 3, -1) == 2
    assert lines.find("error", 1, -1) == 0
    assert lines.find("error", -1, -1) is None
    assert lines.find("error", 99, -1) == 2
    assert lines.find("", 0) is None
    assert lines.find("STRASSE", 0) is None


def test_find_counts_the_line_of_the_gap_and_the_unfinished_one() -> None:
    lines = lines_of(*(b"line %d\n" % number for number in range(100)), b"last one", head=2, tail=3)
    for index in range(len(lines)):
        text = lines[index].text
        assert lines.find(text, 0) == index
        assert lines.find(text, len(lines) - 1, -1) == index


# Speed

LINE = b"2026-11-04 08:26:13 rank 3: compiling graph 214 of 640 (eager), module jit__matmul_0123456789, step\n"


def test_fifty_thousand_plain_lines_take_less_than_half_a_second_and_are_searched_at_once() -> None:
    data = LINE * 50_000
    started = process_time()
    lines = lines_of(data)
    assert process_time() - started < 0.5
    assert len(lines) == 50_000
    started = process_time()
    assert lines.find("no such words", 0) is None
    assert lines.find("no such words", 50_000, -1) is None
    assert process_time() - started < 0.1


def _seconds(data: bytes) -> float:
    started = process_time()
    lines_of(data)
    return process_time() - started


@pytest.mark.parametrize(
    "piece",
    [
        b"\rLoading checkpoint shards: 50% 1/2", "\r|██████████|".encode(), b"\x1b[31mx", b"\t", b"a\b", b"\x1b",
        b"\x1b[1", b"\x1b]0;", b"\n\rb\x1b[A\ra",
    ],
    ids=repr,
)  # fmt: skip
def test_no_flood_takes_more_than_its_share(piece: bytes) -> None:
    small = _seconds(piece * 2_000)
    assert _seconds(piece * 20_000) < 10 * 4 * max(small, 0.005)


def test_noise_is_survived() -> None:
    noise = random.Random(4).randbytes(300_000)
    assert all(clean(text) == text for text in lines_of(noise).texts())
