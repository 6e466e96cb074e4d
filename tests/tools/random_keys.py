"""Keys, clicks, wheel, resizes and pastes in random order: what a hurried person, a stuck key or a cat makes.

`events(chance)` draws from every key that the app's screens bind, the ways that lead into each of them, and anything
else a keyboard has. Values only: tests/tools/keys_by_pilot.py plays them without a terminal, terminal_cases.py in one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from textual.binding import Binding
from textual.dom import DOMNode

from tui.screens import compare, dialogs, diff, overview, rerun, run_log, runs
from tui.screens.browse import BrowseScreen
from tui.screens.export_dialog import ExportDialog
from tui.screens.searches_dialog import SearchesDialog
from tui.widgets.compare_matrix import CompareMatrix
from tui.widgets.diff_list import DiffList
from tui.widgets.log_search import LogSearch
from tui.widgets.log_view import LogView
from tui.widgets.model_table import ModelTable
from tui.widgets.overview_page import OverviewPage
from tui.widgets.reading_pane import ReadingPane
from tui.widgets.run_list import RunList
from tui.widgets.search_box import SearchBox

SIZES = ((1, 1), (2, 1), (1, 40), (200, 1), (3, 3), (20, 5), (40, 12), (79, 3), (80, 24), (116, 30), (120, 40),
         (160, 50), (200, 60), (500, 200))  # fmt: skip
SMALL = SIZES[:-2]
"""The two largest take as long to draw as all the others."""

WAYS: tuple[tuple[str, ...], ...] = (
    ("escape", "escape", "r"), ("r", "r"), ("r", "r", "y"), ("1", "n"), ("escape", "r", "4", "tab", "enter"),
    ("escape", "R"), ("R", "enter"), ("R", "down", "enter", "/"), ("R", "D", "y"), ("R", "r", "y"), ("R", "s", "y"),
    ("escape", "H"), ("escape", "?"), (":",), ("ctrl+p", "pagedown"), (":", "t", "h", "enter"),
    ("t", "enter"), ("c", "down", "enter"), ("v", "down", "enter"), ("s", "down", "enter"), ("t", "x", "x", "enter"),
    ("/", "q", "u"), ("/", "escape", "escape"), ("enter", "pagedown"), ("d",), ("z",), ("f",), ("P",), ("u",),
    ("i", "down", "enter"), ("a",), ("a", "A", "=", "b", "enter"), ("2",), ("3",), ("1",), ("p",), ("e",), ("Q",),
    ("escape", "escape", "4"), ("4", "down", "enter"), ("4", "c", "down", "enter", "end", "enter"),
    ("O",), ("x", "down", "f"), ("x", "enter"), ("X", "enter", "enter"), ("X", "down", "enter", "enter", "enter", "y"),
    ("S",), ("/", "q", "enter", "b", "enter", "B", "enter"), ("b", "enter", "B", "ctrl+d", "y"),
    ("E", "enter", "enter"), ("E", "down", "enter", "escape", "up", "enter", "enter"), ("E", "c", "o", "p", "enter"),
    ("ctrl+c", "ctrl+c"), ("ctrl+z",), ("ctrl+l",), ("escape", "escape", "escape", "escape"), ("escape", "q", "q", "q"),
    ("escape", "escape", "1", "home", "enter"), ("escape", "escape", "escape", "1", "/", "e", "8", "enter"),
)  # fmt: skip
"""Keys in a row that lead somewhere; the others are pressed on the way."""

_BOUND = (
    BrowseScreen, rerun.RerunScreen, run_log.RunLogScreen, runs.RunsScreen, dialogs.PickDialog, dialogs.NameDialog,
    compare.CompareScreen, diff.DiffScreen, CompareMatrix, DiffList, ExportDialog, SearchesDialog,
    overview.OverviewScreen, OverviewPage,
    dialogs.TextDialog, dialogs.ConfirmDialog, LogSearch, LogView, ModelTable, ReadingPane, RunList, SearchBox,
)  # fmt: skip
_ANY = (
    "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "enter", "escape", "tab", "shift+tab", "space",
    "backspace", "delete", "insert", "ctrl+a", "ctrl+b", "ctrl+d", "ctrl+e", "ctrl+f", "ctrl+k", "ctrl+l", "ctrl+p",
    "ctrl+u", "ctrl+v", "ctrl+w", "ctrl+x", "ctrl+c", "ctrl+o", "ctrl+home", "ctrl+end", "shift+up", "shift+end",
    "ctrl+left", "ctrl+right", "f1", "f2", "f5", "f12", "é", "漢", "😀", "\u0301", "[", "]", "\\", '"', "'", "-", "~",
)  # fmt: skip
TEXTS = (
    "quartz",
    "8b",
    "sample/",
    "zzz",
    "[red]x[/]",
    "é漢😀",
    "a" * 300,
    "fits:here",
    " ",
    "-",
    "A=1 -- --seconds 1",
    "'",
    "1\n2",
)


@dataclass(frozen=True, slots=True)
class Key:
    """A key by Textual's name, or the character itself."""

    name: str


@dataclass(frozen=True, slots=True)
class Breath:
    """Keys that arrive in one packet."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Paste:
    """Bracketed paste."""

    text: str


@dataclass(frozen=True, slots=True)
class Mouse:
    """At a share of the width and height of the window: click, right, double, wheel-up, wheel-down, move, drag."""

    what: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Resize:
    """The window has another size, in cells."""

    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Rest:
    """Nothing is pressed for this long, and work in the background ends."""

    seconds: float


Event = Key | Breath | Paste | Mouse | Resize | Rest


def bound_keys() -> tuple[str, ...]:
    """Every key that a screen, a dialog or a part of one answers to."""
    found: dict[str, None] = {}
    for node in _BOUND:
        for base in node.__mro__:
            if issubclass(base, DOMNode):
                for binding in Binding.make_bindings(vars(base).get("BINDINGS", [])):
                    found[binding.key] = None
    return tuple(found)


def events(chance: random.Random, sizes: tuple[tuple[int, int], ...] = SMALL) -> Iterator[Event]:
    """Without end; the same for the same `chance`."""
    bound = bound_keys()
    while True:
        kind = chance.random()
        if kind < 0.42:
            yield Key(chance.choice(bound))
        elif kind < 0.54:
            yield Key(chance.choice(_ANY))
        elif kind < 0.60:
            yield Key(chr(chance.randrange(33, 127)))
        elif kind < 0.74:
            yield from map(Key, chance.choice(WAYS))
        elif kind < 0.78:
            yield Breath(tuple(chance.choices(bound, k=chance.randrange(2, 12))))
        elif kind < 0.81:
            yield Breath(tuple(chance.choice(TEXTS)))
        elif kind < 0.82:
            yield Paste(chance.choice(TEXTS))
        elif kind < 0.93:
            what = chance.choice(
                ("click", "click", "click", "right", "double", "wheel-up", "wheel-down", "move", "drag")
            )
            yield Mouse(what, chance.random(), chance.random())
        elif kind < 0.97:
            yield Resize(*chance.choice(sizes))
        else:
            yield Rest(chance.choice((0.01, 0.05, 0.2)))


# As a terminal sends them

_LETTER = {"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F", "f1": "P", "f2": "Q"}
_NUMBER = {"insert": 2, "delete": 3, "pageup": 5, "pagedown": 6, "f5": 15, "f12": 24}
_CODE = {"escape": 27, "enter": 13, "tab": 9, "space": 32, "backspace": 127}
_CHARACTER = {
    "slash": "/", "question_mark": "?", "colon": ":", "left_square_bracket": "[", "right_square_bracket": "]",
    "space": " ", "enter": "\r", "tab": "\t", "backspace": "\x7f",
}  # fmt: skip
_MODIFIERS = {"shift": 1, "alt": 2, "ctrl": 4, "super": 8}
_BUTTONS = {"click": 0, "double": 0, "drag": 0, "right": 2, "wheel-up": 64, "wheel-down": 65}


def sent(event: Event, size: tuple[int, int]) -> str:
    """What a terminal of `size` sends for this; nothing for a resize and a rest."""
    match event:
        case Key(name):
            return _key(name)
        case Breath(keys):
            return "".join(map(_key, keys))
        case Paste(text):
            return f"\x1b[200~{text}\x1b[201~"
        case Mouse(what, x, y):
            return _mouse(what, 1 + int(x * size[0]), 1 + int(y * size[1]), size)
    return ""


def _key(name: str) -> str:
    if len(name) == 1:
        return name
    *modifiers, key = name.split("+")
    bits = 1 + sum(_MODIFIERS[each] for each in modifiers)
    if key in _LETTER:
        return f"\x1b[1;{bits}{_LETTER[key]}"
    if key in _NUMBER:
        return f"\x1b[{_NUMBER[key]};{bits}~"
    if modifiers == ["ctrl"] and len(key) == 1:
        return chr(ord(key) & 0x1F)
    if not modifiers and key in _CHARACTER:
        return _CHARACTER[key]
    return f"\x1b[{_CODE.get(key) or ord(_CHARACTER.get(key, key))};{bits}u"


def _mouse(what: str, x: int, y: int, size: tuple[int, int]) -> str:
    if what == "move":
        return f"\x1b[<35;{x};{y}M"
    button = _BUTTONS[what]
    press, release = f"\x1b[<{button};{x};{y}M", f"\x1b[<{button};{x};{y}m"
    if what.startswith("wheel"):
        return press
    if what == "drag":
        to_x, to_y = 1 + x // 2, 1 + min(size[1] - 1, y + 2)
        return f"{press}\x1b[<32;{to_x};{to_y}M\x1b[<{button};{to_x};{to_y}m"
    return (press + release) * (2 if what == "double" else 1)
