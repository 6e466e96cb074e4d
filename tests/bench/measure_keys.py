"""Keys of the main screen: search, cursor, pages, views; with the detail beside the table and without."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import screens
from baselines import echoes
from datasets import TRACEBACK_MODEL
from results import Results
from surroundings import ROOT, SEARCHES, Surroundings, app
from terminal import SIZE, Shown, Terminal

REST_S = 0.25
"""Silence between two keys: the detail has followed, timers have ended."""

TIMES = 5
HELD_KEYS, HELD_EVERY_S = 20, 0.03
PANE_BYTES = 1_500
"""A moved cursor line takes less, a repainted detail more."""

PANE_LATER_S = 0.04
"""What comes so long after the moved line is of the detail."""


def baseline(into: Results, given: Surroundings) -> None:
    """E: each echo of the bare app."""
    for echo in echoes(given.environ, ROOT):
        into.add("E", echo.seconds)
        into.add("E bytes", echo.bytes_sent)


def opened(given: Surroundings, *, closed: bool) -> Terminal:
    """The app, at rest; the detail closed (key `d`, remembered) or beside the table."""
    state = Path(given.environ["XDG_STATE_HOME"]) / "trn-models" / "state.json"
    state.parent.mkdir(parents=True, exist_ok=True)
    state.write_text(json.dumps({"detail": "closed"} if closed else {}))
    terminal = Terminal(app("--offline"), given.environ, ROOT, size=SIZE)
    terminal.shown(screens.listed)
    time.sleep(1.5)
    terminal.until_silent(0.3)
    return terminal


def keys(into: Results, given: Surroundings, *, closed: bool) -> None:
    """One session of keys in all three views."""
    where = f"{given.rows} {'closed' if closed else 'open'}"
    with opened(given, closed=closed) as terminal:
        for view in screens.VIEW_KEYS:
            if view != "selected":
                terminal.key(screens.VIEW_KEYS[view])
                _note(into, f"first view switch {where}", terminal.shown(screens.view(view)))
                terminal.until_silent(REST_S)
            _search(into, terminal, given, view, where)
            _move(into, terminal, view, where)
        for view in ("selected", "trending", "downloads") * 2:
            terminal.key(screens.VIEW_KEYS[view])
            _note(into, f"view switch {where}", terminal.shown(screens.view(view)))
            terminal.until_silent(REST_S)
        into.add(f"memory after use {where}", terminal.resident_bytes)
        if closed:
            _traceback(into, terminal, where)


def _search(into: Results, terminal: Terminal, given: Surroundings, view: str, where: str) -> None:
    """A number, digit by digit, after the first of which all is loaded that a search needs."""
    counts = given.counts["selected" if view == "selected" else "ranking"]
    terminal.key("/")
    terminal.until_silent(REST_S)
    for text in SEARCHES:
        terminal.key(text[-1])
        shown = terminal.shown(screens.found(text, counts[text]))
        first = view == "selected" and text == SEARCHES[0]
        _note(into, f"{'first ' if first else ''}search key {view} {where}", shown)
        terminal.until_silent(REST_S)
    terminal.key(screens.ENTER)
    terminal.until_silent(REST_S)
    terminal.key(screens.ESCAPE)
    terminal.shown(screens.has(f" {counts['']:,} of "))
    terminal.until_silent(REST_S)


def _move(into: Results, terminal: Terminal, view: str, where: str) -> None:
    terminal.key("g")
    terminal.until_silent(REST_S)
    times = TIMES if view == "selected" else 2
    for _ in range(times):
        before = screens.cursor_row(terminal.lines)
        terminal.key(screens.DOWN)
        shown = terminal.shown(screens.cursor_left(before))
        _note(into, f"cursor down {where}", shown)
        terminal.until_silent(REST_S)
        into.add(f"detail follows bytes {where}", _later(terminal, shown))
    for _ in range(times):
        before_page = screens.rows(terminal.lines)
        terminal.key(screens.PAGE_DOWN)
        _note(into, f"page down {where}", terminal.shown(screens.other_page(before_page)))
        terminal.until_silent(REST_S)


def held(into: Results, given: Surroundings) -> None:
    """A held cursor key: how often the detail is painted meanwhile."""
    with opened(given, closed=False) as terminal:
        terminal.key("g")
        terminal.until_silent(REST_S)
        moments = []
        began = len(terminal.chunks)
        for _ in range(HELD_KEYS):
            moments.append(time.perf_counter())
            os.write(terminal.master, screens.DOWN.encode())
            time.sleep(HELD_EVERY_S)
        released = time.perf_counter()
        terminal.mark()
        terminal.until_silent(REST_S)
        chunks = terminal.chunks[began:]
        sent = [
            sum(len(data) for moment, data in chunks if start <= moment < end)
            for start, end in zip(moments, [*moments[1:], released], strict=True)
        ]
        into.add("held key pane repaints", sum(each > PANE_BYTES for each in sent))
        into.add("held key bytes", sum(sent))
        into.add("held key bytes after", sum(len(data) for moment, data in chunks if moment >= released))


def _traceback(into: Results, terminal: Terminal, where: str) -> None:
    """The detail of the model with the long error, opened over the table; the first time, and again."""
    terminal.key(screens.VIEW_KEYS["selected"])
    terminal.shown(screens.view("selected"))
    terminal.key("/")
    terminal.until_silent(REST_S)
    terminal.key(TRACEBACK_MODEL)
    terminal.shown(screens.found(TRACEBACK_MODEL.casefold(), 1))
    terminal.key(screens.ENTER)
    terminal.until_silent(REST_S)
    for turn in range(3):
        terminal.key(screens.ENTER)
        shown = terminal.shown(screens.has("[NCC_EBVF030]", "step_1 = torch"))
        _note(into, f"detail of a traceback{' again' if turn else ''} {where}", shown)
        terminal.until_silent(REST_S)
        terminal.key(screens.ESCAPE)
        terminal.shown(screens.listed)
        terminal.until_silent(REST_S)


def _later(terminal: Terminal, shown: Shown) -> int:
    """Bytes that came well after the awaited was on the screen."""
    border = terminal.since + shown.seconds + PANE_LATER_S
    return sum(len(data) for moment, data in terminal.chunks if moment > border)


def _note(into: Results, name: str, shown: Shown) -> None:
    into.add(name, shown.seconds)
    into.add(f"{name} bytes", shown.bytes_sent)
