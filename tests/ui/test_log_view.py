"""The view of a log that grows: following, scrolling, searching, colours; read from the screen as a person does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import thread_time

import pytest
from rich.segment import Segment
from screen_pilot import ScreenPilot
from textual.app import App, ComposeResult
from textual.events import MouseDown, MouseMove, MouseScrollDown, MouseScrollUp, MouseUp
from textual.selection import Selection

from tui.rerun.log_lines import LogLines
from tui.themes import THEMES
from tui.widgets.log_line import Looks, style_of
from tui.widgets.log_view import LogView


class WatchedView(LogView):
    """Notes which lines of the log are drawn anew."""

    drawn: list[str]

    def draw_line(self, looks: Looks) -> list[Segment]:
        self.drawn.append(looks.line.text if looks.line else "")
        return super().draw_line(looks)


class LogApp(App[None]):
    """A log and nothing else."""

    AUTO_FOCUS = "LogView"

    def __init__(self, lines: LogLines, theme: str) -> None:
        super().__init__()
        self.log_lines = lines
        self.view = WatchedView(lines, empty_text="nothing yet")
        self.view.drawn = []
        self.theme_name = theme
        self.told: list[bool] = []

    def compose(self) -> ComposeResult:
        yield self.view

    def note(self, following: bool) -> None:
        self.told.append(following)

    def on_mount(self) -> None:
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = self.theme_name
        self.watch(self.view, "following", self.note, init=False)


class Reader(ScreenPilot[None]):
    """Feeds the log, presses keys and reads."""

    app: LogApp

    @property
    def view(self) -> WatchedView:
        return self.app.view

    @property
    def log(self) -> LogLines:
        return self.app.log_lines

    def strip(self, y: int) -> list[Segment]:
        return list(self.app.screen._compositor.render_strips()[y])

    @property
    def lines(self) -> list[str]:
        """The screen without the cell of the scrollbar."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip)[: self.view.size.width - 1].rstrip() for strip in strips]

    async def feed(self, data: bytes) -> None:
        self.log.feed(data)
        self.view.grew()
        await self.pause()

    def styles_of(self, word: str) -> list[str]:
        """The styles of each place where a segment of the screen is this text."""
        strips = self.app.screen._compositor.render_strips()
        return [str(segment.style) for strip in strips for segment in strip if segment.text.strip() == word]


@asynccontextmanager
async def shown(
    data: bytes = b"", size: tuple[int, int] = (40, 10), theme: str = "dark", **limits: int
) -> AsyncIterator[Reader]:
    """A log of ten lines of 39 cells and a scrollbar."""
    lines = LogLines(**limits)
    lines.feed(data)
    app = LogApp(lines, theme)
    async with app.run_test(size=size):
        reader = Reader(app)
        await reader.pause()
        yield reader


def numbered(first: int, last: int) -> bytes:
    """`line 0`, `line 1`, ..."""
    return b"".join(b"line %d\n" % number for number in range(first, last))


# Following


async def test_an_empty_log_says_so_until_a_line_comes() -> None:
    async with shown() as seen:
        assert seen.lines[0] == "nothing yet"
        await seen.feed(b"rank 0: NeuronCore 4")
        assert seen.lines[:2] == ["rank 0: NeuronCore 4", ""]


async def test_it_follows_the_end_while_the_log_grows() -> None:
    async with shown(numbered(0, 30)) as seen:
        assert seen.lines[-1] == "line 29"
        await seen.feed(numbered(30, 75))
        assert (seen.lines[0], seen.lines[-1]) == ("line 65", "line 74")
        assert (seen.view.following, seen.app.told) == (True, [])


@pytest.mark.parametrize("key", ["k", "up", "pageup", "g", "home"])
async def test_a_key_that_leads_up_stops_following_and_says_so(key: str) -> None:
    async with shown(numbered(0, 50)) as seen:
        await seen.press(key)
        before = seen.lines
        await seen.feed(numbered(50, 90))
        assert seen.lines == before
        assert (seen.view.following, seen.app.told) == (False, [False])


@pytest.mark.parametrize("keys", [("G",), ("end",), ("pagedown", "space", "j", "down")])
async def test_the_end_follows_again(keys: tuple[str, ...]) -> None:
    async with shown(numbered(0, 50)) as seen:
        await seen.press("pageup", "k", "k", "k")
        await seen.press(*keys)
        await seen.feed(numbered(50, 60))
        assert seen.lines[-1] == "line 59"
        assert seen.app.told == [False, True]


async def test_the_wheel_stops_following_and_starts_it_at_the_end() -> None:
    async with shown(numbered(0, 50)) as seen:
        await seen._post_mouse_events([MouseScrollUp], WatchedView, offset=(5, 5))
        assert not seen.view.following
        for _ in range(3):
            await seen._post_mouse_events([MouseScrollDown], WatchedView, offset=(5, 5))
        assert seen.view.following


async def test_keys_scroll_by_lines_and_pages_at_once() -> None:
    async with shown(numbered(0, 100)) as seen:
        await seen.press("g")
        for keys, first in ((("j", "down"), 2), (("k",), 1), (("pagedown",), 10), (("space",), 19), (("pageup",), 10)):
            await seen.press(*keys)
            assert seen.lines[0] == f"line {first}", keys


async def test_following_stays_at_the_end_when_the_window_gets_smaller() -> None:
    async with shown(numbered(0, 50)) as seen:
        await seen.resize_terminal(40, 5)
        await seen.pause()
        assert (seen.lines[-1], seen.view.following) == ("line 49", True)


async def test_a_reader_stays_on_his_line_when_older_ones_are_dropped() -> None:
    async with shown(numbered(0, 30), head=5, tail=30) as seen:
        await seen.press("k", "k")
        assert seen.lines[0] == "line 18"
        await seen.feed(numbered(30, 40))
        assert seen.lines[0] == "line 18"
        await seen.feed(numbered(40, 45))
        assert seen.lines[0] == "line 18"
        await seen.feed(numbered(45, 500))
        assert seen.lines[0] == "… 466 lines left out here"
        assert seen.lines[1] == "line 471"
        await seen.press("g")
        assert seen.lines[4:7] == ["line 4", "… 466 lines left out here", "line 471"]


# Drawing


async def test_only_lines_that_changed_are_drawn_anew() -> None:
    async with shown(numbered(0, 5) + b"\rLoading 10%") as seen:
        seen.view.drawn.clear()
        await seen.feed(b"\rLoading 20%")
        assert seen.view.drawn == ["Loading 20%"]
        assert seen.lines[5] == "Loading 20%"
        await seen.feed(numbered(5, 45))
        await seen.press("g")
        assert seen.lines[0] == "line 0"
        seen.view.drawn.clear()
        await seen.feed(numbered(45, 49))
        assert seen.view.drawn == []


async def test_new_lines_and_keys_never_lay_the_screen_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shown(numbered(0, 5)) as seen:
        monkeypatch.setattr(type(seen.app.screen), "_refresh_layout", lambda *_, **__: pytest.fail("laid out"))
        for number in range(3):
            await seen.feed(numbered(5 + 50 * number, 55 + 50 * number))
            assert seen.lines[-1] == f"line {54 + 50 * number}"
            await seen.press("pageup", "g", "G")
        assert seen.lines[-1] == "line 154"


async def test_a_line_that_was_drawn_before_is_not_drawn_again() -> None:
    async with shown(numbered(0, 100)) as seen:
        await seen.press("g")
        seen.view.drawn.clear()
        await seen.press("j", "k", "j", "pagedown", "pageup")
        assert "line 5" not in seen.view.drawn
        assert {f"line {number}" for number in range(10, 19)} < set(seen.view.drawn)


async def test_the_scrollbar_shows_the_place_and_can_be_drawn() -> None:
    async with shown(numbered(0, 100)) as seen:
        assert [seen.strip(y)[-1].text[-1] for y in range(10)] == [" "] * 9 + ["█"]
        for kind, y in ((MouseDown, 9), (MouseMove, 5), (MouseMove, 0), (MouseUp, 0)):
            await seen._post_mouse_events([kind], WatchedView, offset=(39, y), button=1)
        assert (seen.lines[0], seen.view.following) == ("line 0", False)
        assert [seen.strip(y)[-1].text[-1] for y in range(10)] == ["█"] + [" "] * 9
        assert seen.app.screen.selections == {}
        await seen._post_mouse_events([MouseMove], WatchedView, offset=(39, 9), button=1)
        assert seen.lines[0] == "line 0"


async def test_no_scrollbar_is_shown_where_all_lines_are() -> None:
    async with shown(numbered(0, 10)) as seen:
        assert all(seen.strip(y)[-1].text[-1] == " " for y in range(10))
        await seen.feed(numbered(10, 11))
        assert any(seen.strip(y)[-1].text[-1] == "█" for y in range(10))


async def test_a_text_is_selected_with_the_mouse_where_it_stands() -> None:
    async with shown(b"\x1b[31mred\x1b[0m and " + "中文 more\n".encode() + numbered(0, 5)) as seen:
        for kind, place in ((MouseDown, (4, 0)), (MouseMove, (10, 0)), (MouseUp, (10, 0))):
            await seen._post_mouse_events([kind], WatchedView, offset=place, button=1)
        assert seen.app.screen.get_selected_text() == "and 中文"
        assert seen.styles_of("and 中文") != seen.styles_of("more")


async def test_a_bar_that_shrinks_leaves_nothing_behind() -> None:
    async with shown(b"one\nLoading 10%") as seen:
        await seen.feed(b"\r\x1b[K")
        assert seen.lines[:3] == ["one", "", ""]


async def test_long_lines_are_not_wrapped_but_marked_and_scroll_sideways() -> None:
    async with shown(b"short\n" + b"0123456789" * 6) as seen:
        assert seen.lines[:2] == ["short", "0123456789" * 3 + "01234567›"]
        await seen.press("right")
        assert seen.lines[:2] == ["", "89" + "0123456789" * 3 + "012345›"]
        await seen.press("right", "right", "right", "right")
        assert seen.lines[1] == ("0123456789" * 6)[22:]
        await seen.press("left", "left", "left")
        assert seen.lines[0] == "short"


async def test_wide_and_coloured_long_lines_scroll_sideways_too() -> None:
    text = "中文" * 20 + "ab" * 20
    coloured = text.replace("ab", "\x1b[31mab\x1b[32mab\x1b[0m", 1).replace("abab", "ab", 1)
    async with shown(f"{text}\n{coloured}\n".encode()) as seen:
        assert seen.lines[0] == "中文" * 9 + "中›"
        for _ in range(7):
            await seen.press("right")
            assert seen.lines[0] == seen.lines[1]
        assert seen.lines[0] == "中文" * 6 + "ab" * 7 + "›"
        for _ in range(7):
            await seen.press("right")
        assert seen.lines[0] == seen.lines[1] == "ab" * 19
        (red,) = [segment.style for segment in seen.strip(1) if segment.text == "ab"][:1]
        assert red is not None


async def test_colours_and_attributes_of_the_log_are_shown_and_wide_characters_keep_their_width() -> None:
    async with shown("\x1b[31mERROR\x1b[0m \x1b[1;38;2;1;2;3m中文\x1b[0m plain".encode()) as seen:
        assert seen.lines[0] == "ERROR 中文 plain"
        (error,) = [segment.style for segment in seen.strip(0) if segment.text == "ERROR"]
        (chinese,) = [segment.style for segment in seen.strip(0) if segment.text == "中文"]
        (plain,) = [segment.style for segment in seen.strip(0) if segment.text.strip() == "plain"]
        assert error and chinese and plain
        assert error.color != plain.color
        assert chinese.bold
        assert chinese.color is not None
        assert chinese.color.get_truecolor() == (1, 2, 3)


async def test_a_line_without_colours_has_those_of_the_view() -> None:
    async with shown(b"plain\n\x1b[31mred\x1b[0m\n") as seen:
        backgrounds = {segment.style.bgcolor for y in (0, 1, 5) for segment in seen.strip(y) if segment.style}
        assert len(backgrounds) == 1
        assert None not in backgrounds
        assert all(segment.style and segment.style.color for segment in seen.strip(0) if segment.text.strip())


@pytest.mark.parametrize(
    ("sgr", "style"),
    [
        ("1;31", "bold color(1)"),
        ("2;3;4;7;9;92", "dim italic underline reverse strike color(10)"),
        ("38;5;208;44", "color(208) on color(4)"),
        ("38;2;255;0;16;48;2;1;2;3", "#ff0010 on #010203"),
        ("103", "on color(11)"),
        ("97;40", "color(15) on color(0)"),
    ],
)
def test_sgr_parameters_become_styles(sgr: str, style: str) -> None:
    assert str(style_of(sgr)) == style


async def test_what_a_terminal_acts_on_never_reaches_it() -> None:
    async with shown("a\x1b]52;c;aGk=\x07b\x1b[2J\x9b5ncd\u202eef\x00".encode(), size=(60, 10)) as seen:
        assert seen.lines[0] == r"abcd\u202eef\x00"


@pytest.mark.parametrize("theme", sorted(THEMES))
async def test_it_is_drawn_in_every_theme(theme: str) -> None:
    async with shown(b"\x1b[1;31mneuron\x1b[0m neuron\n", theme=theme) as seen:
        assert seen.view.search("neuron")
        await seen.pause()
        assert seen.lines[0] == "neuron neuron"


async def test_the_text_under_a_selection_can_be_copied() -> None:
    async with shown(b"\x1b[31mone\x1b[0m\ntwo\nthree\n") as seen:
        assert seen.view.get_selection(Selection(None, None)) == ("one\ntwo\nthree", "\n")


# Searching

FOUND = numbered(0, 20) + b"an Error here\n" + numbered(20, 60) + b"another ERROR\n" + numbered(60, 80)


async def test_a_search_shows_the_next_hit_from_where_one_reads_and_stops_following() -> None:
    async with shown(FOUND) as seen:
        await seen.press("g")
        assert seen.view.search("error")
        await seen.pause()
        assert "an Error here" in seen.lines
        assert (seen.view.hit, seen.view.following) == (20, False)
        assert seen.view.search_next()
        await seen.pause()
        assert ("another ERROR" in seen.lines, seen.view.hit) == (True, 61)
        assert seen.view.search_next()
        assert seen.view.hit == 20
        assert seen.view.search_next(-1)
        assert seen.view.hit == 61


async def test_a_search_from_the_end_finds_what_is_above() -> None:
    async with shown(FOUND) as seen:
        assert seen.view.search("error")
        assert seen.view.hit == 61
        before = seen.view.scroll_offset
        await seen.feed(numbered(80, 99))
        assert seen.view.scroll_offset == before


async def test_a_hit_on_the_last_page_stays_when_new_lines_come() -> None:
    async with shown(numbered(0, 30) + b"the Error\n") as seen:
        assert seen.view.search("error")
        await seen.feed(numbered(30, 90))
        assert seen.lines[-1] == "the Error"
        assert seen.app.told == [False]


async def test_a_search_without_a_hit_answers_so_and_moves_nothing() -> None:
    async with shown(FOUND) as seen:
        assert not seen.view.search("no such words")
        assert not seen.view.search_next()
        assert (seen.view.hit, seen.view.following, seen.lines[-1]) == (None, True, "line 79")


async def test_hits_are_marked_and_the_current_one_stands_out() -> None:
    async with shown(b"neuron here\nnothing\nneuron there\n") as seen:
        seen.view.search("NEURON")
        await seen.pause()
        current, other = seen.styles_of("neuron")
        assert current != other
        assert "bold" in current
        assert "underline" in other
        seen.view.search("")
        await seen.pause()
        assert seen.styles_of("neuron") == []


async def test_a_hit_far_to_the_right_is_brought_into_view() -> None:
    async with shown(b"x" * 100 + b"neuron" + b"x" * 50 + b"\nneuron\n") as seen:
        seen.view.search("neuron")
        await seen.pause()
        assert "neuron" in seen.lines[0]
        seen.view.search_next()
        await seen.pause()
        assert seen.lines[1] == "neuron"


async def test_the_hit_stays_on_its_line_when_older_ones_are_dropped() -> None:
    async with shown(numbered(0, 25) + b"the ERROR\n" + numbered(25, 30), head=5, tail=40) as seen:
        seen.view.search("error")
        await seen.feed(numbered(30, 60))
        assert seen.view.hit is not None
        assert seen.log[seen.view.hit].text == "the ERROR"
        await seen.feed(numbered(60, 200))
        assert seen.view.hit is None


# Speed


async def test_keys_answer_while_fifty_thousand_lines_arrive() -> None:
    async with shown() as seen:
        line = b"2026-11-04 08:26:13 rank 3: compiling graph 214 of 640 (eager), module jit__matmul_0123456789\n"
        slowest = 0.0
        for _ in range(10):
            seen.log.feed(line * 5_000)
            started = thread_time()
            seen.view.grew()
            seen.view.action_move(-1)
            seen.view.action_last()
            seen.strip(0)
            slowest = max(slowest, thread_time() - started)
        assert (len(seen.log), seen.lines[-1]) == (50_000, line.decode()[:38] + "›")
        assert slowest < 0.1
        assert len(seen.view.drawn) <= 10
