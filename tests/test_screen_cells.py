"""Pictures of a screen: what a terminal shows after their changes is what it would show after the frames themselves."""

from __future__ import annotations

import pyte
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyte.screens import wcwidth

from tui.screen_cells import Picture, cells_of, transition, without_invisible

WIDTH, HEIGHT = 20, 4


class Screen(pyte.Screen):
    """A terminal that, as xterm and its kin do, blanks what is left of a wide character when half of it is drawn over.

    It does not wrap at the last column: Textual has that switched off.
    """

    def __init__(self, width: int = WIDTH, height: int = HEIGHT) -> None:
        super().__init__(width, height)
        self._stream = pyte.Stream(self)
        self.feed("\x1b[?7l")

    def feed(self, text: str) -> None:
        self._stream.feed(text)

    def draw(self, data: str) -> None:
        for character in data:
            line, x, width = self.buffer[self.cursor.y], self.cursor.x, wcwidth(character)
            if width > 0 and 0 < x < self.columns and line[x].data == "":
                line[x - 1] = line[x - 1]._replace(data=" ")
            super().draw(character)
            if width > 0 and x + width < self.columns and line[x + width].data == "":
                line[x + width] = line[x + width]._replace(data=" ")

    def seen(self) -> list[list[object]]:
        """What a person can tell apart of each cell."""
        return [[_seen(self.buffer[y][x]) for x in range(self.columns)] for y in range(self.lines)]

    @property
    def place(self) -> tuple[int, int]:
        return self.cursor.x, self.cursor.y


def _seen(cell: pyte.screens.Char) -> object:
    if cell.data.strip() or cell.reverse or cell.underscore or cell.strikethrough:
        return cell
    return cell.data, cell.bg


class Terminal:
    """A terminal that gets changes only."""

    def __init__(self, width: int = WIDTH, height: int = HEIGHT) -> None:
        self.screen = Screen(width, height)
        self.shown, self.wanted = Picture(), Picture()

    def draw(self, frame: str) -> None:
        assert self.wanted.draw(frame)

    def send(self) -> str:
        change = self.shown.change(self.wanted)
        self.screen.feed(change)
        return change

    def gets(self, *frames: str) -> str:
        """What is sent for these frames together."""
        for frame in frames:
            self.draw(frame)
        return self.send()


def at(x: int, y: int, *pieces: str) -> str:
    """A frame that draws at a column and line from 0."""
    return f"\x1b[{y + 1};{x + 1}H" + "".join(pieces)


def styled(text: str, attributes: str = "") -> str:
    """A piece as Rich renders it."""
    return f"\x1b[{attributes}m{text}\x1b[0m" if attributes else text


# Any frames


UNITS = [*"abxyz09 ^`", *"   ", *"│─┃▌●…", "é", "\u00a0", "漢", "字", "\u3000", "🦄", "e\u0301", "a\u0302\u0323"]
"""Rich and pyte have the same width for each of these."""

COLOURS = st.one_of(
    st.sampled_from(["31", "97", "38;5;1", "38;5;200", "39"]),
    st.tuples(*[st.integers(0, 255)] * 3).map(lambda rgb: "38;2;{};{};{}".format(*rgb)),
)
GROUNDS = st.one_of(
    st.sampled_from(["41", "107", "48;5;2", "48;5;100", "49"]),
    st.tuples(*[st.integers(0, 255)] * 3).map(lambda rgb: "48;2;{};{};{}".format(*rgb)),
)
FLAGS = st.sampled_from(["1", "3", "4", "7", "9", "22", "23", "24", "27", "29", "0", ""])
ATTRIBUTES = st.lists(st.one_of(FLAGS, FLAGS, COLOURS, GROUNDS), max_size=4).map(";".join)


@st.composite
def frames(draw: st.DrawFn) -> str:
    """Some stretches of text, in the middle of a line too, and a move of the cursor at the end."""
    parts, y = [], HEIGHT
    for _ in range(draw(st.integers(1, 4))):
        line_end = "\n" if y < HEIGHT - 1 and draw(st.booleans()) else ""
        x, y = draw(st.integers(0, WIDTH - 1)), draw(st.integers(0, HEIGHT - 1))
        parts.append(line_end + at(x, y))
        for _ in range(draw(st.integers(1, 3))):
            text = ""
            for unit in draw(st.lists(st.sampled_from(UNITS), min_size=1, max_size=8)):
                width = sum(max(wcwidth(character), 0) for character in unit)
                if x + width > WIDTH:
                    break
                text, x = text + unit, x + width
            if text:
                ends = draw(st.sampled_from(["\x1b[0m", "\x1b[0m", "\x1b[m", ""]))
                parts.append(f"\x1b[{draw(ATTRIBUTES)}m{text}{ends}")
    return "".join(parts) + "\x1b[m" + at(draw(st.integers(0, WIDTH - 1)), draw(st.integers(0, HEIGHT - 1)))


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(frames(), st.booleans()), min_size=1, max_size=6))
@example([(at(0, 0, "漢字"), True), (at(1, 0, "a"), True), (at(2, 0, "b"), True)])
@example([(at(0, 0, "bc"), True), (at(0, 0, "漢"), False), (at(0, 0, "a"), True)])
@example([(at(0, 0, styled("ab", "1;31;0;3")), True), (at(0, 0, styled("ab", "31;0;31")), True)])
@example([(at(0, 0, styled(" ", "7;31")), True), (at(0, 0, styled(" ", "7;32")), True)])
def test_changes_show_what_the_frames_themselves_show(drawn: list[tuple[str, bool]]) -> None:
    direct, terminal = Screen(), Terminal()
    for frame, ready in drawn:
        direct.feed(frame)
        terminal.draw(frame)
        if ready:
            terminal.send()
            assert terminal.screen.seen() == direct.seen()
            assert terminal.screen.place == direct.place
    terminal.send()
    assert terminal.screen.seen() == direct.seen()
    assert terminal.send() == ""


# Attributes


class Rendition:
    """Which SGR parameters are on, by a reading of ECMA-48 that knows nothing of the code under test."""

    def __init__(self) -> None:
        self.on: dict[str, str] = {}

    def feed(self, text: str) -> None:
        for sequence in text.split("\x1b[")[1:]:
            assert sequence.endswith("m")
            words = [word or "0" for word in sequence[:-1].split(";")]
            while words:
                word = words.pop(0)
                if word == "0":
                    self.on = {}
                elif word in ("38", "48"):
                    count = 1 if words[0] == "5" else 3
                    self.on["fg" if word == "38" else "bg"] = ";".join(words[: count + 1])
                    del words[: count + 1]
                elif word in ("39", "49"):
                    self.on.pop("fg" if word == "39" else "bg", None)
                elif word == "22":
                    self.on.pop("1", None)
                    self.on.pop("2", None)
                elif len(word) == 2 and word[0] == "3":
                    self.on["fg"] = word
                elif len(word) == 2 and word[0] == "4":
                    self.on["bg"] = word
                else:
                    assert word in "1234579"
                    self.on[word] = word


LASTING = st.tuples(
    st.sets(st.sampled_from("123479")).map(sorted),
    st.sampled_from(["", "31", "38;5;9", "38;2;1;2;3"]),
    st.sampled_from(["", "41", "48;5;9", "48;2;1;2;3"]),
).map(lambda parts: ";".join(part for part in (*parts[0], parts[1], parts[2]) if part))


@settings(max_examples=200, deadline=None)
@given(LASTING, LASTING)
@example("1", "2")
@example("1;2", "1")
@example("1;2", "2")
@example("2;31", "31")
@example("31;41", "")
def test_a_transition_leaves_on_what_is_wanted_and_nothing_else(before: str, after: str) -> None:
    terminal, wanted = Rendition(), Rendition()
    terminal.feed(f"\x1b[{before}m")
    terminal.feed(transition(before, after))
    wanted.feed(f"\x1b[{after}m")
    assert terminal.on == wanted.on


@pytest.mark.parametrize(
    ("before", "after", "sent"),
    [
        ("31", "31", ""),
        ("1;31", "", "\x1b[m"),
        ("31;44", "32;44", "\x1b[32m"),
        ("38;2;1;2;3;48;2;4;5;6", "48;2;4;5;6", "\x1b[39m"),
        ("38;2;1;2;3;48;2;4;5;6", "38;2;1;2;3", "\x1b[49m"),
        ("44", "1;44", "\x1b[1m"),
        ("1;44", "44", "\x1b[0;44m"),
        ("1", "2", "\x1b[0;2m"),
    ],
)
def test_the_shortest_way_from_one_look_to_another(before: str, after: str, sent: str) -> None:
    assert transition(before, after) == sent


def test_both_ways_to_reset_end_all_attributes() -> None:
    terminal = Terminal()
    terminal.gets(at(0, 0, "\x1b[1;31ma\x1b[mb\x1b[1;31mc\x1b[0md"))
    cells = terminal.screen.buffer[0]
    assert [(cells[x].data, cells[x].bold, cells[x].fg) for x in range(4)] == [
        ("a", True, "red"),
        ("b", False, "default"),
        ("c", True, "red"),
        ("d", False, "default"),
    ]


def test_colours_set_back_in_a_frame_are_no_colours() -> None:
    terminal = Terminal()
    terminal.gets(at(0, 0, "a"))
    assert terminal.gets(at(0, 0, styled("a", "31;39")), at(0, 0, styled("a", "39;49"))) == ""


def test_dim_and_bold_never_stay_on() -> None:
    terminal = Terminal()
    sent = terminal.gets(at(0, 0, styled("a", "1;2"), styled("b", "2"), styled("c", "1"), "d"))
    rendition, looks = Rendition(), {}
    for piece in sent.removeprefix("\x1b[H").split("\x1b[")[1:]:
        attributes, _, text = piece.partition("m")
        if "m" in piece:
            rendition.feed(f"\x1b[{attributes}m")
        looks.update({key: set(rendition.on) for key in text})
    assert looks == {"a": {"1", "2"}, "b": {"2"}, "c": {"1"}, "d": set()}


# What is sent


def test_nothing_is_sent_when_nothing_changed() -> None:
    terminal = Terminal()
    frame = at(3, 1, styled("PASS", "1;32"), styled(" ", "44"), "漢 e\u0301") + at(0, 0)
    assert terminal.gets(frame)
    assert terminal.gets(frame) == ""
    assert terminal.gets(frame, frame) == ""


def test_a_text_that_comes_and_goes_before_it_was_sent_is_never_sent() -> None:
    terminal = Terminal()
    terminal.gets(at(0, 0, "calm") + at(0, 0))
    assert terminal.gets(at(0, 0, "loud") + at(0, 0), at(0, 0, "calm") + at(0, 0)) == ""


def test_of_a_blank_only_what_can_be_seen_counts() -> None:
    terminal = Terminal()
    terminal.gets(at(0, 0, styled("   ", "1;31;44")) + at(0, 0))
    assert terminal.gets(at(0, 0, styled("   ", "3;32;44")) + at(0, 0)) == ""
    assert terminal.gets(at(0, 0, styled("   ", "4;32;44")) + at(0, 0))
    assert terminal.gets(at(0, 0, styled("   ", "4;33;44")) + at(0, 0))
    assert [without_invisible(look) for look in ("1;3;31;44", "7;31", "53", "2")] == ["44", "7;31", "53", ""]


def test_reversed_blanks_show_their_text_colour() -> None:
    terminal = Terminal()
    terminal.gets(at(0, 0, styled("  ", "7;31;44")))
    terminal.gets(at(0, 0, styled("  ", "7;32;44")))
    cell = terminal.screen.buffer[0][1]
    assert (cell.reverse, cell.fg, cell.bg) == (True, "green", "blue")


@pytest.mark.parametrize("look", ["", "1", "31;44", "38;5;200", "4;38;5;1"])
def test_one_changed_cell_costs_few_bytes(look: str) -> None:
    terminal = Terminal(120, 40)
    line = "x" * 120
    terminal.gets(at(0, 33, styled(line, look)) + at(0, 0))
    sent = terminal.gets(at(0, 33, styled(line[:100] + "y" + line[101:], look)) + at(0, 0))
    assert terminal.screen.display[33] == line[:100] + "y" + line[101:]
    assert len(sent.encode()) < 30


def test_the_cells_between_two_changes_are_sent_again_only_when_that_is_shorter() -> None:
    terminal = Terminal()
    terminal.gets(at(0, 0, "abcdefghijklmnop") + at(0, 0))
    assert terminal.gets(at(0, 0, "aBcDefghijklmnOp") + at(0, 0)) == "\x1b[CBcD\x1b[10CO\x1b[H"
    terminal.gets(at(0, 1, "abcdefgh") + at(0, 0))
    terminal.gets(at(2, 1, styled("c", "38;2;1;2;3")) + at(0, 0))
    assert "c" not in terminal.gets(at(1, 1, "B" + styled("c", "38;2;1;2;3") + "D") + at(0, 0))


def test_what_was_never_drawn_is_not_drawn_over() -> None:
    terminal = Terminal()
    terminal.screen.feed(at(0, 0, "shell prompt $"))
    terminal.gets(at(0, 0, "A"), at(4, 0, "B"))
    assert terminal.screen.display[0].rstrip() == "AhelB prompt $"


def test_the_cursor_goes_where_the_frame_left_it() -> None:
    terminal = Terminal()
    terminal.gets(at(0, 0, "abc漢") + at(7, 2))
    assert terminal.screen.place == (7, 2)
    terminal.gets(at(19, 3, "z") + at(19, 3))
    assert terminal.screen.place == (19, 3)
    assert terminal.gets(at(0, 3)) == "\x1b[4H"
    assert terminal.screen.place == (0, 3)


# Frames that it does not understand, and forgetting


@pytest.mark.parametrize(
    "frame",
    [
        at(0, 0, "a\x1b]8;id=1;https://huggingface.co\x1b\\link\x1b]8;;\x1b\\"),
        at(0, 0, "a\x1b[2K"),
        at(0, 0, "a\tb"),
        at(0, 0, "a\nb"),
        at(0, 0, "a\r\n"),
        at(0, 0, "\x1b[4:3mwavy\x1b[0m"),
        at(0, 0, "a\x9b2J"),
        "a text without a place",
        "\x1b[1mno place\x1b[0m",
    ],
)
def test_a_frame_with_anything_else_is_refused_and_leaves_the_picture_alone(frame: str) -> None:
    terminal = Terminal()
    if frame.startswith("\x1b[1;1H"):
        terminal.gets(at(0, 0, "before") + at(0, 0))
    assert terminal.wanted.draw(frame) is False
    assert terminal.send() == ""


def test_what_is_forgotten_is_sent_again() -> None:
    terminal = Terminal()
    terminal.gets(at(0, 0, "table") + at(0, 0))
    terminal.screen.reset()
    terminal.shown.forget()
    assert terminal.gets(at(0, 0, "table") + at(0, 0)) == "\x1b[Htable\x1b[H"


def test_a_text_after_a_move_to_an_unknown_place_is_refused() -> None:
    picture = Picture()
    assert picture.draw(at(0, 0)) is True
    assert picture.draw("\x1b[mwhere the last frame ended") is True
    picture.forget()
    assert picture.draw("\x1b[mnowhere") is False


# Another size


def test_after_a_resize_all_that_is_left_is_drawn_again() -> None:
    small = Terminal(10, 2)
    picture = Picture()
    for y in range(HEIGHT):
        picture.draw(at(0, y, "0123456789ABCDEFGHIJ"))
    Picture().change(picture)
    picture.crop(10, 2)
    small.wanted = picture
    small.send()
    assert small.screen.display == ["0123456789", "0123456789"]
    assert small.screen.cursor.y == 1


def test_a_frame_for_a_larger_screen_that_comes_late_draws_nothing_outside() -> None:
    small = Terminal(10, 2)
    small.wanted.crop(10, 2)
    small.gets(at(0, 0, "first line") + at(0, 1, "other line"))
    assert small.gets(at(15, 1, "spinner") + at(0, 0)) in ("", "\x1b[H")
    small.gets(at(0, 3, "status") + at(0, 0), at(8, 0, "ABCDEF") + at(0, 0))
    assert small.screen.display == ["first liAB", "other line"]


def test_a_wide_character_cut_by_the_edge_is_a_blank() -> None:
    small = Terminal(10, 2)
    small.draw(at(0, 0, styled("12345678漢", "44")) + at(8, 1, "字字"))
    small.wanted.crop(9, 2)
    small.send()
    assert small.screen.display[0].rstrip() == "12345678"
    assert small.screen.buffer[0][8].bg == "blue"
    assert small.screen.display[1].rstrip() == ""


# Wide and joined characters


def test_what_stands_in_the_cells_of_a_text() -> None:
    assert cells_of("│ é ^") == "│ é ^"
    assert cells_of("a漢b") == ("a", "漢", "", "b")
    assert cells_of("xe\u0301y") == ("x", "e\u0301", "y")
    assert cells_of("x\u26a0\ufe0fy") == ("x", "\u26a0\ufe0f", "", "y")
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert cells_of(f"x{family}y") == ("x", family, "", "y")


def test_drawing_over_half_of_a_wide_character_leaves_a_blank_of_the_other_half() -> None:
    terminal = Terminal()
    terminal.gets(at(0, 0, styled("漢字", "44"), "z"))
    terminal.gets(at(1, 0, "a"))
    assert [terminal.screen.buffer[0][x].data for x in range(5)] == [" ", "a", "字", "", "z"]
    terminal.gets(at(2, 0, "b"))
    assert [terminal.screen.buffer[0][x].data for x in range(5)] == [" ", "a", "b", " ", "z"]
    assert [terminal.screen.buffer[0][x].bg for x in (0, 3)] == ["blue", "blue"]


def test_a_line_of_narrow_text_again_is_sent_by_cells_again() -> None:
    terminal = Terminal()
    terminal.gets(at(0, 0, "漢 and more text") + at(0, 0))
    terminal.gets(at(0, 0, "no and more text") + at(0, 0))
    assert terminal.gets(at(0, 0, "no and more tent") + at(0, 0)) == "\x1b[14Cn\x1b[H"


DISPUTED = [
    "\u26a0\ufe0f",  # a warning sign as an emoji
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\U0001f44d\U0001f3fd",
    "\U0001f1e9\U0001f1ea",
    "1\ufe0f\u20e3",
    "\u0928\u093f",
    "\u200b",
    "\xad",
    "\ue0b0",
    "\u0301",
    "漢\u0301",
]
"""Terminals and libraries differ in how wide these are."""


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*DISPUTED, *"ab "]), min_size=1, max_size=6).map("".join))
def test_a_text_of_disputed_width_does_no_harm_to_other_lines(text: str) -> None:
    terminal = Terminal(60, 3)
    terminal.gets(at(0, 0, "above") + at(0, 1, "<") + at(50, 1, ">") + at(0, 2, "below") + at(0, 0))
    terminal.gets(at(1, 1, text) + at(0, 0))
    assert (terminal.screen.display[0].rstrip(), terminal.screen.display[2].rstrip()) == ("above", "below")
    assert terminal.screen.buffer[1][0].data == "<"
    assert terminal.screen.buffer[1][50].data == ">"
    assert terminal.screen.place == (0, 0)
    terminal.gets(at(1, 1, "plain " * 8) + at(0, 0))
    assert terminal.screen.display[1][1:49] == "plain " * 8


def test_the_text_after_a_disputed_character_stands_where_it_was_meant() -> None:
    terminal = Terminal(60, 2)
    terminal.gets(at(0, 0, "\u26a0\ufe0f care \U0001f468\u200d\U0001f469\u200d\U0001f467 | end") + at(0, 0))
    assert "".join(terminal.screen.buffer[0][x].data for x in range(3, 8)) == "care "
    assert "".join(terminal.screen.buffer[0][x].data for x in range(10, 16)) == " | end"
