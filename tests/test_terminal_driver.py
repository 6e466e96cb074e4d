"""The way to a terminal, with a real one: what it shows is what the app means to show, and a slow one gets less."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import psutil
import pyte
import pytest

APP = Path(__file__).parent / "tools" / "drawing_app.py"
SYNC_START, SYNC_END = "\x1b[?2026h", "\x1b[?2026l"
ALTERNATE_SCREEN_ON, ALTERNATE_SCREEN_OFF = "\x1b[?1049h", "\x1b[?1049l"


class Terminal:
    """The small app of tests/tools in a pseudo-terminal, which reads only when it is told to."""

    def __init__(self, folder: Path, size: tuple[int, int] = (100, 30)) -> None:
        columns, rows = size
        self.raw = ""
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.Stream(self.screen)
        self.shows = folder / "shows.json"
        self.process = pexpect.spawn(
            sys.executable, [str(APP), str(self.shows)], dimensions=(rows, columns), encoding="utf-8",
            codec_errors="replace",
            env={
                "PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "xterm-256color", "COLORTERM": "truecolor",
                "LANG": "C.UTF-8",
            },
        )  # fmt: skip

    def read(self, seconds: float = 0.05) -> bool:
        """Take in what comes within this time; whether anything did."""
        try:
            text = self.process.read_nonblocking(65536, timeout=seconds)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return False
        self.raw += text
        self.stream.feed(text)
        return True

    def press(self, keys: str) -> None:
        self.process.send(keys)

    @property
    def text(self) -> str:
        # Not `screen.display`, which stumbles over half a wide character.
        columns = range(self.screen.columns)
        return "\n".join("".join(self.screen.buffer[y][x].data for x in columns) for y in range(self.screen.lines))

    def until(self, condition: Callable[[], object], seconds: float = 20) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"it did not happen; the screen says:\n{self.text}"
            self.read()

    def shows_as_meant(self) -> bool:
        """Whether each cell has the character and the colours that the app means to show."""
        meant = [[cell for text, *colours in line for cell in _cells(text, *colours)] for line in self.told["cells"]]
        buffer, width = self.screen.buffer, self.screen.columns
        return meant == [
            [_seen(buffer[y][x].data, buffer[y][x].fg, buffer[y][x].bg) for x in range(width)]
            for y in range(self.screen.lines)
        ]

    @property
    def told(self) -> dict[str, list[list[tuple[str, str, str]]]]:
        return json.loads(self.shows.read_text())

    def comes_to_show(self, words: str) -> None:
        """Wait for these words, and that everything else is right too."""
        self.until(lambda: words in self.text and self.shows_as_meant())

    def resize(self, columns: int, rows: int) -> None:
        """As a terminal does it: what is on its screen is cut or gets more room, then the program is told."""
        self.screen.resize(rows, columns)
        self.process.setwinsize(rows, columns)

    def is_over(self) -> bool:
        return not self.process.isalive() and not self.read()

    def close(self) -> None:
        if self.process.isalive():
            self.process.kill(signal.SIGCONT)
            self.process.kill(signal.SIGKILL)
        self.process.close(force=True)


def _cells(text: str, fg: str, bg: str) -> Iterator[tuple[str, ...]]:
    # Rich and pyte agree on the width of all that the app draws.
    for character in pyte.screens.unicodedata.normalize("NFC", text):
        yield _seen(character, fg, bg)
        if pyte.screens.wcwidth(character) == 2:
            yield _seen("", fg, bg)


def _seen(character: str, fg: str, bg: str) -> tuple[str, ...]:
    return (character, bg) if character == " " else (character, fg, bg)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """One app for the tests that leave it as they found it."""
    terminal = Terminal(tmp_path_factory.mktemp("drawing"))
    terminal.until(lambda: "page 0" in terminal.text and terminal.shows.exists())
    yield terminal
    terminal.close()


@pytest.fixture
def app(shared: Terminal) -> Iterator[Terminal]:
    """The main screen without toasts, all of it shown."""
    yield shared
    if (shared.screen.columns, shared.screen.lines) != (100, 30):
        shared.resize(100, 30)
    shared.press("c")
    shared.comes_to_show("no toasts")


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Terminal]:
    """An app that the test may end."""
    terminal = Terminal(tmp_path)
    yield terminal
    terminal.close()


def test_what_is_shown_is_what_is_meant_after_each_key(app: Terminal) -> None:
    app.comes_to_show("page 0")
    for number in (1, 2, 3):
        app.press("n")
        app.comes_to_show(f"page {number}")


def test_a_small_change_costs_few_bytes(app: Terminal) -> None:
    app.press("c")
    app.comes_to_show("no toasts")
    before = len(app.raw)
    app.press("l")
    app.comes_to_show("the dataset")
    app.press("c")
    app.read(0.3)
    assert len(app.raw) - before < 400


def test_a_link_reaches_the_terminal_and_what_follows_is_right(app: Terminal) -> None:
    before = len(app.raw)
    app.press("l")
    app.comes_to_show("the dataset")
    assert re.search(r"\x1b\]8;[^;]*;https://huggingface\.co/datasets\x1b\\", app.raw)
    app.press("n")
    app.comes_to_show("page")
    app.press("m")
    app.comes_to_show("a screen over it")
    app.press("\x1b")
    app.until(lambda: "a screen over it" not in app.text and app.shows_as_meant())
    assert len(app.raw) > before


def test_a_screen_over_it_comes_and_goes(app: Terminal) -> None:
    app.press("m")
    app.comes_to_show("a screen over it")
    app.press("\x1b")
    app.until(lambda: "a screen over it" not in app.text and app.shows_as_meant())


def test_a_toast_over_the_page_comes_and_goes(app: Terminal) -> None:
    app.press("t")
    app.comes_to_show("a toast over the page")
    app.press("n")
    app.until(app.shows_as_meant)
    app.press("c")
    app.until(lambda: "a toast over the page" not in app.text and app.shows_as_meant())


@pytest.mark.parametrize("size", [(60, 12), (140, 45), (99, 30), (101, 30)])
def test_all_is_right_after_a_resize(app: Terminal, size: tuple[int, int]) -> None:
    app.resize(*size)
    app.until(lambda: len(app.told["cells"]) == size[1] and app.shows_as_meant())
    app.press("n")
    app.comes_to_show("page")


def test_a_resize_there_and_back_draws_all_again(app: Terminal) -> None:
    app.screen.resize(10, 40)
    app.screen.resize(30, 100)
    app.process.setwinsize(10, 40)
    app.process.setwinsize(30, 100)
    app.until(app.shows_as_meant)


def test_many_resizes_while_frames_are_drawn_end_well(app: Terminal) -> None:
    app.press("b")
    for step in range(12):
        app.resize(100 - 5 * (step % 5), 30 - 3 * (step % 4))
        app.read(0.02)
    app.resize(100, 30)
    app.comes_to_show("the last frame")


def test_ctrl_l_draws_over_what_another_program_wrote(app: Terminal) -> None:
    app.stream.feed("\x1b[5;1H\x1b[mBroadcast message from root:\r\n the system goes down\r\n")
    app.press("n")
    app.until(lambda: "page" in app.text)
    app.press("\x0c")
    app.until(app.shows_as_meant)
    app.press("m")
    app.comes_to_show("a screen over it")
    app.stream.feed("\x1b[2J\x1b[1;1HBroadcast message")
    app.press("\x0c")
    app.comes_to_show("a screen over it")
    app.press("\x1b")
    app.until(lambda: "a screen over it" not in app.text and app.shows_as_meant())


def test_after_a_stop_that_cannot_be_noticed_all_is_drawn_again(app: Terminal) -> None:
    before = len(app.raw)
    process = psutil.Process(app.process.pid)
    process.suspend()
    app.until(lambda: process.status() == psutil.STATUS_STOPPED)
    while app.read():
        pass
    app.stream.feed("\x1b[2J\x1b[1;1H$ fg")
    process.resume()
    app.until(lambda: ALTERNATE_SCREEN_ON in app.raw[before:] and app.shows_as_meant())
    app.press("n")
    app.comes_to_show("page")


def test_a_stop_that_nobody_could_end_is_none(app: Terminal) -> None:
    process, drawn = psutil.Process(app.process.pid), app.told["drawn"]
    app.press("s")
    process.send_signal(signal.SIGTSTP)
    app.press("n")
    app.until(lambda: app.told["drawn"] > drawn and app.shows_as_meant())
    assert process.status() != psutil.STATUS_STOPPED


@pytest.mark.parametrize(("key", "at_the_end"), [("b", "the last frame"), ("w", "the dataset at last")])
def test_a_terminal_that_does_not_read_for_a_while_gets_the_last_state_and_fewer_bytes(
    app: Terminal, key: str, at_the_end: str
) -> None:
    received, drawn = len(app.raw), app.told["drawn"]
    app.press(key)
    app.until(lambda: app.told["drawn"] > drawn)
    end = time.monotonic() + 20
    while at_the_end not in json.dumps(app.told["cells"], ensure_ascii=False):
        assert time.monotonic() < end
        time.sleep(0.02)
    app.comes_to_show(at_the_end)
    assert "the last frame" in app.text
    assert len(app.raw[received:].encode()) < (app.told["drawn"] - drawn) / 4


def test_each_frame_is_shown_at_once_where_the_terminal_can_do_that(own: Terminal) -> None:
    own.until(lambda: "\x1b[?2026$p" in own.raw)
    own.press("\x1b[?2026;2$y")
    own.until(lambda: "page 0" in own.text and own.shows.exists())
    own.press("n")
    own.comes_to_show("page 1")
    before = len(own.raw)
    own.press("n")
    own.comes_to_show("page 2")
    own.press("l")
    own.comes_to_show("the dataset")
    own.press("m")
    own.comes_to_show("a screen over it")
    sent = own.raw[before:]
    inside = re.findall(r"\x1b\[\?2026h(.*?)\x1b\[\?2026l", sent, re.DOTALL)
    assert len(inside) >= 3
    assert not any(SYNC_START in frame for frame in inside)
    outside = re.sub(r"\x1b\[\?2026h.*?\x1b\[\?2026l", "", sent, flags=re.DOTALL)
    assert re.sub(r"\x1b\]22;\w+\x07|\x1b\[\?25[hl]", "", outside) == ""
    assert "\x1b]8;" in sent


def test_the_end_restores_the_terminal_also_while_output_waits(own: Terminal) -> None:
    own.until(lambda: "page 0" in own.text and own.shows.exists())
    drawn = own.told["drawn"]
    own.press("b")
    end = time.monotonic() + 20
    while own.told["drawn"] < drawn + 200_000:
        assert time.monotonic() < end
        time.sleep(0.02)
    own.press("\x11")
    time.sleep(0.3)
    own.until(own.is_over)
    screen, _, rest = own.raw.rpartition(ALTERNATE_SCREEN_OFF)
    assert ALTERNATE_SCREEN_ON in screen
    assert re.fullmatch(r"(\x1b\[\?\d+[hl])*", rest)
    assert "\x1b[?25h" in rest
    assert own.process.exitstatus == 0
