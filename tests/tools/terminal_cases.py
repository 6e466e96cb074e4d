"""What is tried with the app in a real terminal, from each of its screens: ways to end it, windows, surroundings.

Each function raises AssertionError with what is wrong. tests/end_to_end/test_terminal_left.py tries a few,
tests/soak/terminal.py all of them.
"""

from __future__ import annotations

import os
import random
import re
import signal
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import psutil
import pyte
from random_keys import SIZES, Key, Resize, Rest, events, sent
from real_terminal import RealTerminal, app

Step = tuple[str, str]
"""Keys, and a word that is on the screen after them."""

_ONE: tuple[Step, ...] = (("/quartz-8b-instruct\r", "Quartz-8B-Instruct"),)
_CHECKLIST: tuple[Step, ...] = (*_ONE, ("r", "Checklist"))
SCREENS: dict[str, tuple[Step, ...]] = {
    "table": (),
    "search": (("/gar", "Garnet-9B"),),
    "detail": (*_ONE, ("\r", "functional")),
    "whole detail": (*_ONE, ("z", "functional")),
    "compare": (("/quartz-vl\r", "Quartz-VL-8B"), ("x", "Regression")),
    "two stacks": (("X", "the newer one"), ("\r", "the older one"), ("\r", "fixed")),
    "whole error": (("/garnet-9b\r", "Garnet-9B"), ("f", "Error")),
    "palette": ((":", "copy"),),
    "help": (("?", "signs"),),
    "task": (("t", "Task"),),
    "compiler": (("c", "neuronx-cc version"),),
    "sort": (("s", "Sort"),),
    "file name": (*_ONE, ("w", "write")),
    "host": (("H", "This host,"),),
    "runs": (("R", "Runs"),),
    "checklist": _CHECKLIST,
    "interpreter": (*_CHECKLIST, ("i", "typed")),
    "arguments": (*_CHECKLIST, ("a", "Variables")),
    "question": (*_CHECKLIST, ("r", "here?")),
    "log": (*_CHECKLIST, ("r", "here?"), ("y", "exit code 0")),
    "plain text": (*_ONE, ("p", "Enter goes back")),
}
"""How each is reached from the start."""

ESC = "\x1b[27u"
"""As terminals send it that tell it from the beginning of something longer."""
WORDS = "internal error"
DIES = "import tui.screens.actions as a\na.RecordActions.action_open_page = lambda self: 1 / 0"
HANGS = (
    "import time, tui.screens.actions as a\n"
    "a.RecordActions.action_open_page = lambda self: [time.sleep(0.1) for _ in range(600)]"
)


def shown(terminal: RealTerminal, since: int = 0) -> str:
    """The screen as text, by what came after this position; for windows that were not resized after it."""
    screen = pyte.Screen(*terminal.size)
    pyte.ByteStream(screen).feed(terminal.raw[since:])
    return "\n".join(screen.display)


def until_shown(terminal: RealTerminal, word: str, since: int = 0, seconds: float = 40.0) -> None:
    end = time.monotonic() + seconds
    while word not in (text := shown(terminal, since)):
        assert time.monotonic() < end and terminal.process.poll() is None, f"«{word}» is not on the screen:\n{text}"
        terminal.read(0.2)


def reach(terminal: RealTerminal, screen: str) -> None:
    """Go to a screen of SCREENS by keys."""
    until_shown(terminal, "PASS")
    for keys, word in SCREENS[screen]:
        terminal.press(keys)
        until_shown(terminal, word)


def assert_ended(terminal: RealTerminal, code: int, seconds: float = 6.0) -> None:
    """It ends within this time, with this code, and leaves the terminal as it was."""
    assert terminal.ended(seconds) == code, terminal.process.returncode
    assert not terminal.wrong, terminal.wrong


# Ways to end it


def by_keys(terminal: RealTerminal) -> None:
    """Esc out of whatever is open, then q."""
    for key in ["\r", *[ESC] * 8, *["q"] * 30]:
        if terminal.process.poll() is not None:
            break
        terminal.press(key)
        terminal.read(0.25)
    assert_ended(terminal, 0)


def by_signal(number: signal.Signals, code: int, *more: signal.Signals) -> Callable[[RealTerminal], None]:
    def end(terminal: RealTerminal) -> None:
        for each in (number, *more):
            terminal.process.send_signal(each)
        assert_ended(terminal, code)

    return end


def by_ctrl_q_after_stops(terminal: RealTerminal) -> None:
    """It was stopped and continued by others, heard of a mouse in pixels, and of bytes that are no text."""
    terminal.process.send_signal(signal.SIGCONT)
    terminal.settle()
    terminal.process.send_signal(signal.SIGSTOP)
    time.sleep(0.1)
    terminal.process.send_signal(signal.SIGCONT)
    terminal.settle()
    terminal.press(b"\x1b[?2048;2$y")
    terminal.settle()
    terminal.press(b"\xff\xfe\xc3\xe9\x1b[M\xff\xff\xff\x1b[<999999999999;1;1M\x1b[200~\xff\x1b[201~")
    terminal.settle()
    for _ in range(8):
        if terminal.process.poll() is None:
            terminal.press(b"\x11")  # what is typed while it takes the terminal back is lost
            terminal.read(0.5)
    assert_ended(terminal, 0)


def by_closed_window(terminal: RealTerminal) -> None:
    """No end of the terminal is open any more."""
    terminal.close()
    terminal.process.wait(6)
    assert terminal.process.returncode in (129, -signal.SIGHUP), terminal.process.returncode


ENDS: dict[str, Callable[[RealTerminal], None]] = {
    "keys": by_keys,
    "SIGTERM": by_signal(signal.SIGTERM, 143),
    "SIGTERM and SIGCONT": by_signal(signal.SIGTERM, 143, signal.SIGCONT),
    "SIGHUP": by_signal(signal.SIGHUP, 129),
    "SIGINT": by_signal(signal.SIGINT, 130),
    "stops": by_ctrl_q_after_stops,
    "closed window": by_closed_window,
}

LENT = {"SIGTERM": -15, "SIGTERM and SIGCONT": -15, "SIGHUP": -1, "SIGINT": None, "stops": None}
"""What differs while the terminal is lent to plain text: signals have their plain meaning."""


def end_in(folder: Path, screen: str, end: str) -> None:
    """One way to end it, from one screen."""
    with app(folder) as terminal:
        reach(terminal, screen)
        if screen == "plain text" and end in LENT:
            if (code := LENT[end]) is not None:
                terminal.process.send_signal(-code)
                assert_ended(terminal, code)
            return
        ENDS[end](terminal)


def dies_of_an_error(folder: Path) -> None:
    """A sentence and the path of the log on the restored terminal; the log has the traceback."""
    with app(folder, before=DIES, size=(40, 12)) as terminal:
        until_shown(terminal, "PASS")
        terminal.press("o")
        assert_ended(terminal, 70)
        log = folder / "state" / "trn-models" / "trn-models.log"
        told = terminal.raw[terminal.raw.rindex(b"\x1b[?1049l") :].decode()
        assert WORDS in told and str(log) in told, told
        assert "ZeroDivisionError" in log.read_text()


def ends_though_it_hangs(folder: Path) -> None:
    """What holds up the loop holds up no signal; the terminal is given back all the same."""
    with app(folder, before=HANGS) as terminal:
        until_shown(terminal, "PASS")
        terminal.press("o")
        terminal.read(0.3)
        terminal.process.send_signal(signal.SIGTERM)
        assert_ended(terminal, 143)


# Windows


def resized_often(folder: Path, seconds: float, seed: int, screen: str = "table", a_second: int = 100) -> int:
    """Resized that often while keys are pressed; then it answers, and ends. The number of resizes."""
    chance = random.Random(seed)
    others = ("q", "ctrl+q", "ctrl+c", "p")  # ends, and plain text, which has the terminal until Enter
    source = (each for each in events(chance) if isinstance(each, Key) and each.name not in others)
    with app(folder) as terminal:
        reach(terminal, screen)
        began, number = time.monotonic(), 0
        while (passed := time.monotonic() - began) < seconds:
            terminal.resize(*chance.choice(SIZES))
            number += 1
            if number % 10 == 0:
                terminal.press(sent(next(source), terminal.size))
            terminal.read(max(0.0, number / a_second - passed))
            assert terminal.process.poll() is None, f"it died: {terminal.raw[-2000:]!r}"
        answers(terminal)
        return number


def answers(terminal: RealTerminal) -> None:
    """In a window of a usual size again: ? is answered, and q ends it."""
    since = len(terminal.raw)
    terminal.resize(100, 30)
    end = time.monotonic() + 60
    while "esc close" not in shown(terminal, since):
        assert time.monotonic() < end and terminal.process.poll() is None, (
            f"? is not answered:\n{shown(terminal, since)}"
        )
        for key in (ESC, ESC, ESC, "?"):
            terminal.settle(0.4)  # what is typed before a dialog is closed is for the dialog
            terminal.press(key)
        terminal.settle(1.0)
    by_keys(terminal)


def every_size(folder: Path, screen: str) -> None:
    """Keys in windows of each size, then it answers."""
    with app(folder) as terminal:
        reach(terminal, screen)
        for size in (*SIZES, *SIZES[::-1]):
            terminal.resize(*size)
            terminal.read(0.2)
            for key in ("down", "pagedown", "end", "up", "pageup", "home", "tab", "right", "left", "a"):
                terminal.press(sent(Key(key), size))
            terminal.read(0.2)
            assert terminal.process.poll() is None, f"it died at {size}: {terminal.raw[-2000:]!r}"
        answers(terminal)


# Surroundings

COLOURS = {str(number).encode() for number in (*range(30, 50), *range(90, 108))}
TERMS = ("xterm-256color", "linux", "screen", "tmux-256color", "vt100", "unknown", "", "no-such-terminal")


def reads_in(folder: Path, **environ: str) -> None:
    """The list, a detail and the end, whatever the terminal is said to be."""
    with app(folder, **environ) as terminal:
        until_shown(terminal, "PASS")
        terminal.press("\r")
        until_shown(terminal, "functional")
        terminal.press("qq")
        assert_ended(terminal, 0)
        if environ.get("PYTHONIOENCODING"):
            assert terminal.raw.isascii(), terminal.raw
        if environ.get("NO_COLOR"):
            styles = {style for styles in re.findall(rb"\x1b\[([\d;]*)m", terminal.raw) for style in styles.split(b";")}
            assert not styles & COLOURS, styles


def prints_the_list(folder: Path, redirection: str, **environ: str) -> str:
    """With one of its streams elsewhere, or on a dumb terminal, it prints, and switches nothing on."""
    command = f'exec "{sys.executable}" -m tui --sample {redirection}'
    argv = ["sh", "-c", command]
    with RealTerminal(argv, os.environ | {"HOME": str(folder), **environ}, folder) as terminal:
        assert_ended(terminal, 0, 20)
        assert b"\x1b[?1049h" not in terminal.raw
        return terminal.raw.decode()


# Random keys


def _last_traceback(folder: Path) -> str:
    text = (folder / "state" / "trn-models" / "trn-models.log").read_text()
    return text[text.rfind("Traceback") :][-2500:]


def random_keys(folder: Path, number: int, seed: int) -> str:
    """So many random events; if none of them ended it, one of ENDS does. How it ended."""
    chance = random.Random(seed)
    quits = {"q", "ctrl+q", "ctrl+c", "w"}  # w: what is typed next might be the name of a file anywhere
    with app(folder, size=chance.choice(((80, 24), (120, 40)))) as terminal:
        until_shown(terminal, "PASS")
        for event in islice(events(chance, SIZES), number):
            if isinstance(event, Resize):
                terminal.resize(event.width, event.height)
            elif isinstance(event, Rest):
                terminal.read(event.seconds)
            elif not (isinstance(event, Key) and event.name in quits):
                terminal.press(sent(event, terminal.size))
            terminal.read(0.01)
            if terminal.process.poll() is not None:
                break
        terminal.settle()
        if terminal.process.poll() is not None:
            assert terminal.process.returncode != 70, _last_traceback(folder)
            assert_ended(terminal, 0)
            return "ended by its keys"
        end = chance.choice([name for name in ENDS if name != "keys"])
        if psutil.Process(terminal.process.pid).status() == psutil.STATUS_STOPPED:
            raise AssertionError("stopped, and no shell can bring it back")
        if b"\x1b[?1049h" in terminal.raw[terminal.raw.rindex(b"\x1b[?1049") :][:8]:
            ENDS[end](terminal)
            return end
        terminal.process.send_signal(signal.SIGTERM)
        assert_ended(terminal, -15)
        return "SIGTERM while plain text was shown"
