"""A Markdown table of outside text: as many rows and cells as it was made of, and nothing but their text in them."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tui.export import written
from tui.markdown import cell, table
from tui.terminal_text import clean

APART = "\u200b"
HOSTILE = (
    "a|b", "a\\|b", "a\\\\|", "\\", "|", "||", "`|`", "``", "a\nb", "a\r\n| x | y |\n\n# big", "<b>bold</b>",
    "<!-- x", "<script>alert(1)</script>", "&lt;i&gt;", "&#124;", "[x](https://evil.example)", "![x](//evil.example/p)",
    "<https://evil.example>", "https://evil.example/a_b_c", "HTTP://evil.example", "www.evil.example",
    "see WWW.evil.example",
    "mail a@evil.example", "mailto:a@evil.example", "@someone", "acme/repo#12", "GH-12", "*a*", "**a**", "_a_", "~~a~~",
    "$x$", "[[Home]]", "{{ x }}", "\x1b[31mred", "\u202eabc", "a\x00b", "- [ ] x", "| --- |", "\u2028", "http:\\//x",
)  # fmt: skip
TEXTS = st.one_of(
    st.text(),
    st.text(alphabet="|\\`*_[](){}<>&#@!~$\n\r /:.wWaGH1-"),
    st.lists(st.sampled_from(HOSTILE), max_size=3).map(" ".join),
)


def parsed(text: str) -> list[Token]:
    """As GitHub does: tables, struck out text, HTML, addresses that become links. Names of hosts alone do not."""
    parser = MarkdownIt("gfm-like", {"html": True})
    assert parser.linkify is not None
    parser.linkify.set({"fuzzy_link": False, "fuzzy_email": True})
    return parser.parse(text)


def cells_of(tokens: list[Token]) -> list[list[Token]]:
    """The cells of each row of the only table; nothing else may be there."""
    assert (tokens[0].type, tokens[-1].type) == ("table_open", "table_close")
    assert sum(token.type == "table_open" for token in tokens) == 1
    rows: list[list[Token]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token)
    return rows


def text_of(inline: Token) -> str:
    """What a reader sees; fails when it is anything but text."""
    children = inline.children or []
    assert {child.type for child in children} <= {"text", "text_special"}, inline.content
    return "".join(child.content for child in children)


def as_told(text: str) -> str:
    return clean(text).strip()


@given(st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(TEXTS, min_size=width, max_size=width), min_size=1)))
def test_a_table_that_is_read_back_has_the_same_rows_cells_and_texts(rows: list[list[str]]) -> None:
    source = "".join(table(rows[0], rows[1:], [False] * len(rows[0])))
    assert source.count("\n") == len(rows) + 1
    found = [[text_of(inline) for inline in row] for row in cells_of(parsed(source))]
    assert [[text.replace(APART, "").split() for text in row] for row in found] == [
        [as_told(text).replace(APART, "").split() for text in row] for row in rows
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_a_cell_a_tag_or_a_link(text: str) -> None:
    source = "".join(table(["note", "model"], [[text, "acme/one"]], [False, False]))
    header, row = cells_of(parsed(source))
    assert [text_of(each) for each in header] == ["note", "model"]
    assert text_of(row[0]).replace(APART, "") == as_told(text)
    assert text_of(row[1]) == "acme/one"


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        ("@someone", "@|someone"),
        ("acme/repo#12", "acme/repo#|12"),
        ("GH-12", "GH|-12"),
        ("https://a.example", "https:/|/a.example"),
        ("www.a.example", "www|.a.example"),
        ("a@b.example", "a@|b.example"),
        ("50 @ 3 # x", "50 @ 3 # x"),
    ],
)
def test_what_github_makes_of_plain_text_is_kept_apart(text: str, apart: str) -> None:
    assert cell(text) == apart.replace("|", "&#8203;")


def test_an_ordinary_cell_reads_as_it_is() -> None:
    assert cell("sample/Quartz-8B-Instruct") == "sample/Quartz-8B-Instruct"
    assert cell("18.2/24 GB, more than 16 cores (CPU run: yes)") == "18.2/24 GB, more than 16 cores (CPU run: yes)"


def test_a_frame_has_its_numbers_at_the_right_its_times_in_utc_and_what_is_missing_told_apart() -> None:
    frame = pl.DataFrame(
        {
            "model_id": ["acme/a_b", "", None],
            "tp": [8, None, 0],
            "peak": [18.2, math.nan, None],
            "at": [datetime(2026, 11, 20, 9, 30, tzinfo=UTC), None, None],
            "parts": [["x", None], [], None],
        },
        schema_overrides={"at": pl.Datetime("ms", "UTC")},
    )
    assert b"".join(written(frame, "markdown", headers={"tp": "cores"})).decode() == (
        "| model\\_id | cores | peak | at | parts |\n"
        "| :-- | --: | --: | :-- | :-- |\n"
        '| acme/a\\_b | 8 | 18.2 | 2026-11-20T09:30:00Z | \\["x", null\\] |\n'
        '| "" | – | NaN | – | \\[\\] |\n'
        "| – | 0 | – | – | – |\n"
    )


def test_each_row_of_the_sample_says_so_and_a_frame_without_rows_has_its_names() -> None:
    frame = pl.DataFrame({"tp": [1, 2]})
    lines = b"".join(written(frame, "markdown", sample=True)).decode().splitlines()
    assert lines == ["| tp | sample |", "| --: | :-- |", "| 1 | true |", "| 2 | true |"]
    assert b"".join(written(frame.clear(), "markdown")) == b"| tp |\n| --: |\n"
