"""The last wall: whatever a widget draws, no character that a terminal acts on is in a line of the screen."""

from __future__ import annotations

import unicodedata

import hostile_text
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.color import Color
from textual.content import Content
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Input, Static

from tui.app import TrnModelsApp
from tui.safe_filter import SafeFilter, safe
from tui.settings import Settings
from tui.widgets.line_scroll import LineScroll

BLACK = Color(0, 0, 0)
ACTING = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
POISONS = [*hostile_text.ESCAPES, *hostile_text.C1, *hostile_text.ORDER]


def acting_in(text: str) -> set[str]:
    return {character for character in text if unicodedata.category(character) in ACTING}


@given(st.text(st.characters(), max_size=40))
def test_nothing_acts_and_nothing_moves_whatever_the_text(text: str) -> None:
    shown = safe(text)
    assert not acting_in(shown)
    assert cell_len(shown) == cell_len(text)
    shown.encode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ● 模型 e\u0301 5\u00a0GB", "plain ● 模型 e\u0301 5\u00a0GB"),
        ("ab\x1b[2Jc", "a\ufffd[2Jc"),
        ("\x9b2J\u202ex", "2\ufffdx"),
        ("👨\u200d👩.", "\ufffd\ufffd."),
        ("\x1b", ""),
        ("\ud800", "\ufffd"),
    ],
)
def test_what_stands_in_its_place(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_lines_that_are_safe_are_not_made_anew() -> None:
    segments = [Segment("plain", Style(bold=True)), Segment("● 模型", None)]
    assert SafeFilter().apply(segments, BLACK) is segments


def test_widths_and_styles_stay() -> None:
    line = Strip([Segment("a\x1b[2J", Style(bold=True)), Segment("ok", None)])
    filtered = line.apply_filter(SafeFilter(), BLACK)
    assert [segment.style for segment in filtered] == [Style(bold=True), None]
    assert filtered.cell_length == line.cell_length == cell_len(filtered.text)


class Lines(LineScroll):
    """Draws the poisons as they are."""

    def line_count(self) -> int:
        return len(POISONS)

    def looks_of(self, y: int) -> int:
        return y

    def draw_line(self, y: int, width: int) -> list[Segment]:
        text = f"q{POISONS[min(y, len(POISONS) - 1)]}q"
        return [Segment(text), Segment(" " * max(width - cell_len(text), 0))]


class Hostile(Screen[None]):
    def compose(self) -> ComposeResult:
        yield Static(Content("\n".join(POISONS)))
        yield Input("\x1b[2J\u202e\x9b", placeholder="\x1b]0;x\x07")
        yield Lines(id="lines")


async def test_no_widget_gets_past_it(settings: Settings) -> None:
    app = TrnModelsApp(Settings(sample=True, cache_dir=settings.cache_dir, state_dir=settings.state_dir))
    async with app.run_test(size=(80, 100)) as pilot:
        app.push_screen(Hostile())
        await pilot.pause()
        text = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
        assert "\ufffd" in text and "[2J" in text
        assert not acting_in(text.replace("\n", ""))
