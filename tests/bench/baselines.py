"""The bare apps that everything is compared with, as source texts, and how they are measured."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from terminal import Shown, Terminal

TABLE = """
from textual.app import App
from textual.widgets import DataTable

class Bare(App):
    def compose(self):
        yield DataTable()

    def on_mount(self):
        self.query_one(DataTable).add_columns("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta")

Bare().run()
"""
"""F, and the least memory: an empty table of seven columns."""

INPUT = """
from textual.app import App
from textual.widgets import Input

class Bare(App):
    def compose(self):
        line = Input()
        line.cursor_blink = False  # else the terminal is never silent
        yield line

Bare().run()
"""
"""E: one line to type into."""

LETTERS = "qwertzuiop"


def first_paint(environ: dict[str, str], folder: Path) -> tuple[Shown, int, float]:
    """F: from exec to the column titles; resident bytes a second later; seconds from Ctrl+Q to the end."""

    def painted(lines: Sequence[str]) -> bool:
        """the bare app's titles"""
        return any("alpha" in line and "zeta" in line for line in lines)

    with Terminal([sys.executable, "-c", TABLE], environ, folder) as bare:
        shown = bare.shown(painted)
        time.sleep(0.5)
        resident = bare.resident_bytes
        bare.key("\x11")
        return shown, resident, bare.ended()


def echoes(environ: dict[str, str], folder: Path) -> list[Shown]:
    """E: from each key to its echo. The first key, which loads what it needs, is left out."""
    with Terminal([sys.executable, "-c", INPUT], environ, folder) as bare:
        bare.shown(lambda lines: "▔" in lines[0])
        time.sleep(0.5)
        result = []
        for count in range(1, len(LETTERS) + 1):
            typed = LETTERS[:count]

            def echoed(lines: Sequence[str], typed: str = typed) -> bool:
                """the echo of a key"""
                return any(typed in line for line in lines[:3])

            bare.key(typed[-1])
            result.append(bare.shown(echoed))
        return result[1:]
