"""Lines of a log in which words are looked for."""

import random

import pytest

from tui.rerun.plain_lines import plain_lines


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\n\nno end", ["one", "", "no end"]),
        (b"\x1b[1;31mError\x1b[0m: \x1b[Kx\n", ["Error: x"]),
        (b"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1b(Bc\x1b7d\n", ["abcd"]),
        (b"a\x1b]0;without an end\nb\n", ["a", "b"]),
        (b"\r 10%\r 50%\r100%\r\nError: x\r\n", ["100%", "Error: x"]),
        ("█ é\n".encode() + b"\xff\n", ["█ é", "\ufffd"]),
        (b"x" * 5_000 + b"\nnext", ["x" * 4_000, "next"]),
    ],
)
def test_lines_are_without_escapes_and_what_was_written_over(data: bytes, lines: list[str]) -> None:
    assert list(plain_lines(data)) == lines


def test_lines_are_whole_however_long_the_log() -> None:
    lines = [f"line {number} é" for number in range(200_000)]
    assert list(plain_lines("\n".join(lines).encode())) == lines


def test_a_line_that_never_ends_comes_in_pieces() -> None:
    assert list(plain_lines(b"y" * 3_000_000)) == ["y" * 4_000] * 3


def test_noise_is_survived() -> None:
    assert "".join(plain_lines(random.Random(4).randbytes(300_000)))
