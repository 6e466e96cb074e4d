"""The screen in ASCII: what each sign becomes, that nothing moves, and when it is wanted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import ControlType, Segment
from rich.style import Style
from textual._border import BORDER_CHARS
from textual.app import App, ComposeResult
from textual.color import Color
from textual.scrollbar import ScrollBarRender
from textual.strip import Strip
from textual.widgets import Input, Label

from tui.ascii_filter import AsciiFilter, to_ascii, wanted
from tui.settings import Settings


@pytest.mark.parametrize(
    ("shown", "plain"),
    [
        ("● PASS  ✗ FAIL  – OUT  · not tested", "* PASS  x FAIL  - OUT  . not tested"),
        ("┌─┬─┐", "+-+-+"),
        ("│┃║ ═━ ╭╯ ╴╵ ╳", "||| -- ++ -| X"),
        ("2.28.7631.0 ▾", "2.28.7631.0 v"),
        ("⏎ detail … «qwne»", '> detail . "qwne"'),
        ("▌ ▊▔▔▎ ▁▄█", "| |--| __#"),
        ("naïve Łódź, Ångström, 5\u00a0µs", "naive Lodz, Angstrom, 5 us"),
        ("e\u0301", "e"),
        ("Ａ１", "A 1 "),
        ("模型 🤗 名", "???? ?? ??"),
        ("½ ™ ﬁ", "? ? ?"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_a_sign_becomes_what_looks_like_it(shown: str, plain: str) -> None:
    assert to_ascii(shown) == plain


@given(st.text(st.characters(exclude_categories=["Cc"]), max_size=40))
def test_nothing_moves_whatever_the_text(text: str) -> None:
    plain = to_ascii(text)
    assert plain.isascii()
    assert len(plain) == cell_len(text)


@pytest.mark.parametrize(
    "text", ["✔\ufe0f ok", "👨\u200d👩\u200d👧 family", "\u200d", "🇦🇹 flag", "a\u200d", "\u200d👨."]
)
def test_joined_and_selected_signs_take_as_many_cells(text: str) -> None:
    assert len(to_ascii(text)) == cell_len(text)


def test_every_border_and_scrollbar_has_a_likeness() -> None:
    drawn = {sign for rows in BORDER_CHARS.values() for row in rows for sign in row}
    drawn |= {*ScrollBarRender.VERTICAL_BARS, *ScrollBarRender.HORIZONTAL_BARS}
    assert {sign for sign in drawn if "?" in to_ascii(sign)} == set()


def test_styles_and_control_sequences_stay() -> None:
    bold = Style(bold=True)
    control = Segment("\x1b[2J", None, [(ControlType.CLEAR,)])
    line = Strip([Segment("│", bold), control, Segment("plain", bold), Segment("模", None)])
    filtered = line.apply_filter(AsciiFilter(), Color(0, 0, 0))
    assert list(filtered) == [Segment("|", bold), control, Segment("plain", bold), Segment("??", None)]
    assert filtered.cell_length == line.cell_length


async def test_an_app_with_the_filter_shows_nothing_but_ascii() -> None:
    class Demo(App[None]):
        def compose(self) -> ComposeResult:
            yield Label("● PASS – «quartz» 模型")
            yield Input("né")

        def get_line_filters(self) -> list[object]:  # type: ignore[override]
            return [*super().get_line_filters(), AsciiFilter()]

    app = Demo()
    async with app.run_test(size=(40, 8)):
        strips = app.screen._compositor.render_strips()
    text = "\n".join(strip.text for strip in strips)
    assert '* PASS - "quartz" ????' in text
    assert "|  ne" in text
    assert text.isascii()


@pytest.mark.parametrize(
    ("environ", "encoding", "answer"),
    [
        ({"TERM": "xterm-256color"}, "utf-8", False),
        ({"TERM": "xterm-256color"}, "UTF8", False),
        ({}, "utf-8", False),
        ({"TERM": "xterm-256color"}, "iso8859-1", True),
        ({"TERM": "xterm-256color"}, "ascii", True),
        ({"TERM": "xterm-256color"}, None, True),
        ({"TERM": "xterm-256color"}, "no-such-encoding", True),
        ({"TERM": "linux"}, "utf-8", True),
        ({"TERM": "linux-16color"}, "utf-8", True),
    ],
)
def test_it_is_wanted_where_signs_cannot_be_shown(
    settings: Settings, environ: dict[str, str], encoding: str | None, answer: bool
) -> None:
    assert wanted(settings, environ, encoding) is answer
    assert wanted(replace(settings, ascii=True), environ, encoding)
    assert not wanted(replace(settings, ascii=False), environ, encoding)
