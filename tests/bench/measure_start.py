"""Start and end of the app: first paint, first lines, first key, memory, quit."""

from __future__ import annotations

import time

import screens
from baselines import first_paint
from results import Results
from surroundings import ROOT, Surroundings, app
from terminal import Terminal


def baseline(into: Results, given: Surroundings) -> None:
    """F, the bare app's memory, and its quit."""
    shown, resident, quit_s = first_paint(given.environ, ROOT)
    into.add("F", shown.seconds)
    into.add("bare memory", resident)
    into.add("bare quit", quit_s)


def start(into: Results, given: Surroundings, way: str) -> None:
    """One start and one quit; `way` is "hub" (offline, from the cache) or "data" (from a folder)."""
    words = ("--offline",) if way == "hub" else ("--data", str(given.data))
    name = f"{given.rows} {way}"
    with Terminal(app(*words), given.environ, ROOT) as terminal:
        began = terminal.since
        rows_at = terminal.comes(screens.FIRST_MODEL.encode())
        terminal.key(screens.DOWN)
        first = f"{screens.CURSOR} "
        moved = terminal.shown(
            lambda lines: first in screens.cursor_row(lines) and screens.FIRST_MODEL not in screens.cursor_row(lines)
        )
        into.add(f"start rows {name}", rows_at)
        into.add(f"start usable {name}", terminal.since - began + moved.seconds)
        into.add(f"first cursor key {name}", moved.seconds)
        terminal.until_silent(0.5)
        header_at = terminal.replayed(screens.header, began)
        assert header_at is not None, terminal.text
        into.add(f"start header {name}", header_at)
        into.add(f"start bytes {name}", terminal.sent_in_all)
        time.sleep(1.5)
        into.add(f"memory {name}", terminal.resident_bytes)
        into.add(f"start cpu {name}", terminal.cpu_s)
        terminal.key("q")
        into.add(f"quit {name}", terminal.ended())
