"""A small app on the app's own way to a terminal; what it means to show is in the file named as argument 1.

Keys: n next page, t a toast, c no toasts, m a screen over it, escape back, s suspend, l a link, b many frames,
w many frames and at their end a change of one line and then a link.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from tui.app import TrnModelsApp
from tui.settings import Settings
from tui.terminal_driver import TerminalDriver

FRAMES = 25
LINES = 45
WORDS = ("PASS", "acme/漢字-7B", "│", "e\u0301tude", "12m", "● FAIL", "● PASS on 16 cores")


def page(number: int) -> Content:
    """More coloured lines than there is room for."""
    pieces: list[str | tuple[str, str]] = []
    for y in range(LINES):
        pieces.append(f"line {y} ")
        for x in range(len(WORDS)):
            colour = f"rgb({50 * x % 256},{(number * 31) % 256},{(y * 7 + number) % 256})"
            pieces.append((f"{WORDS[(x + number) % len(WORDS)]} {number} ", colour))
        pieces.append("\n")
    return Content.assemble(*pieces)


class Main(Screen[None]):
    """A page, a line for a state, and one for a link."""

    CSS = "#page { height: 1fr; } #state, #link { height: 1; }"

    def compose(self) -> ComposeResult:
        with Vertical(id="page"):
            yield Static(page(0), id="lines")
        yield Static("page 0", id="state")
        yield Static("", id="link")


class Over(ModalScreen[None]):
    """A box in the middle, the main screen seen around it."""

    CSS = "Over { align: center middle; background: black 40%; } #box { width: 41; height: 5; background: blue; }"
    BINDINGS = [("escape", "dismiss", "back")]  # noqa: RUF012 - as Textual has it

    def compose(self) -> ComposeResult:
        yield Static("a screen over it", id="box")


class CountingDriver(TerminalDriver):
    """Counts the bytes of the frames that Textual draws."""

    drawn = 0

    def write(self, data: str) -> None:
        if data.startswith("\x1b[") and data[2:3].isdigit():
            CountingDriver.drawn += len(data.encode())
        super().write(data)


class DrawingApp(TrnModelsApp):
    """Textual's keys and screens; everything else is the app's own."""

    CSS_PATH = None
    BINDINGS = [  # noqa: RUF012 - as Textual has it
        Binding(key, action, priority=True)
        for key, action in {
            "n": "next", "t": "toast", "c": "no_toasts", "m": "over", "s": "suspend_process", "l": "link('')",
            "b": "burst('')", "w": "burst('then a link')",
        }.items()
    ]  # fmt: skip

    def __init__(self, shows: Path) -> None:
        folder = shows.parent
        super().__init__(Settings(cache_dir=folder, state_dir=folder, config_dir=folder, theme="dark"))
        self._shows = shows
        self._number = 0

    def get_default_screen(self) -> Screen[None]:
        return Main()

    def get_driver_class(self) -> type[TerminalDriver]:
        assert super().get_driver_class() is TerminalDriver
        return CountingDriver

    def post_display_hook(self) -> None:
        """Tell what the screen is to show now."""
        strips = self.screen._compositor.render_strips()
        cells = [[(segment.text, *_colours(segment.style)) for segment in strip] for strip in strips]
        part = self._shows.with_suffix(".part")
        part.write_text(json.dumps({"cells": cells, "drawn": CountingDriver.drawn}))
        part.replace(self._shows)

    def _say(self, text: str) -> None:
        self.screen.query_one("#state", Static).update(text)

    def _turn(self) -> None:
        self._number += 1
        self.screen.query_one("#lines", Static).update(page(self._number))

    def action_next(self) -> None:
        self._turn()
        self._say(f"page {self._number}")

    def action_toast(self) -> None:
        self.notify("a toast over the page", timeout=600)

    def action_no_toasts(self) -> None:
        self.clear_notifications()
        self._say("no toasts")

    def action_over(self) -> None:
        self.push_screen(Over())

    def action_link(self, text: str) -> None:
        link = Text(f"the dataset {text}", style=Style(link="https://huggingface.co/datasets"))
        self.screen.query_one("#link", Static).update(link)

    def action_burst(self, then: str) -> None:
        """Other lines with each frame, so that a terminal that reads nothing has to wait."""

        def again(left: int) -> None:
            self._turn()
            if left:
                self.call_after_refresh(self.set_timer, 1 / 60, lambda: again(left - 1))
            else:
                self.call_after_refresh(end)

        def end() -> None:
            self._say("the last frame")
            if then:
                self.call_after_refresh(self.set_timer, 0.05, lambda: self.action_link("at last"))

        again(FRAMES)


def _colours(style: Style | None) -> tuple[str, str]:
    sides = (style.color, style.bgcolor) if style else (None, None)
    return tuple("{:02x}{:02x}{:02x}".format(*side.get_truecolor()) if side else "default" for side in sides)  # type: ignore[return-value]


if __name__ == "__main__":
    DrawingApp(Path(sys.argv[1])).run()
    os._exit(0)
