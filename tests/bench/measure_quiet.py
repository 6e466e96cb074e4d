"""What costs nothing or little: a screen at rest, verbs without a screen, a refresh without news, a slow link."""

from __future__ import annotations

import subprocess
import time

import screens
from baselines import first_paint
from counting_hub import CountingHub
from datasets import TRACEBACK_MODEL
from measure_keys import REST_S, opened
from results import Results
from surroundings import ROOT, Surroundings, app
from terminal import Link, Terminal

IDLE_S = 20.0
LINK = Link(rate=30_000, delay_s=0.15)
TYPED_EVERY_S = 0.05
LAST_STATE = "mod-0000173"
"""Its last ten characters, typed quickly, lead to one model."""


def idle(into: Results, given: Surroundings) -> None:
    """Bytes and processor while nothing happens, with the focus in the table and in the search box."""
    with opened(given, closed=False) as terminal:
        time.sleep(3)
        for place, key in (("table", ""), ("search", "/")):
            if key:
                terminal.key(key)
                terminal.until_silent(1.0)
            terminal.mark()
            began = terminal.cpu_s
            time.sleep(IDLE_S)
            into.add(f"idle bytes {place}", terminal.sent)
            into.add(f"idle cpu {place}", (terminal.cpu_s - began) / IDLE_S)


def commands(into: Results, given: Surroundings) -> None:
    """Wall time of `show` and of a completion, each after the bare app."""
    into.add("F", first_paint(given.environ, ROOT)[0].seconds)
    into.add("show", _wall_s(app("show", TRACEBACK_MODEL), given.environ, "FAIL"))
    asked = {"_TRN_MODELS_COMPLETE": "bash_complete", "COMP_WORDS": "trn-models show acme/Trace", "COMP_CWORD": "2"}
    into.add("completion", _wall_s(app(), {**given.environ, **asked}, TRACEBACK_MODEL))


def _wall_s(command: list[str], environ: dict[str, str], has: str) -> float:
    began = time.perf_counter()
    done = subprocess.run(command, env=environ, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    took = time.perf_counter() - began
    assert has in done.stdout, done.stdout + done.stderr
    return took


def refresh(into: Results, given: Surroundings) -> None:
    """Requests and bytes of a refresh that brings nothing new: by key, and by verb."""
    with CountingHub(given.hub_folder, given.port) as hub:
        with Terminal(app(), given.environ, ROOT) as terminal:
            terminal.shown(screens.has("nothing changed"))
            time.sleep(3)
            terminal.until_silent(0.5)
            hub.forget()
            terminal.key("u")
            terminal.until_silent(1.0)
            time.sleep(2)
            into.add("refresh key requests", len(hub.requests))
            into.add("refresh key bytes", hub.bytes)
        hub.forget()
        done = subprocess.run(
            app("refresh"), env=given.environ, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        assert "nothing changed" in done.stdout, done.stdout + done.stderr
        into.add("refresh verb requests", len(hub.requests))
        into.add("refresh verb bytes", hub.bytes)


def slow_link(into: Results, given: Surroundings) -> None:
    """Ten search keys over a slow link: when the reader has the final state, and how many bytes it took."""
    with opened(given, closed=False) as terminal:
        terminal.key("?")
        terminal.shown(screens.has("keys and signs"))
        terminal.until_silent(REST_S)
        terminal.key(screens.ESCAPE)
        into.add("full repaint bytes", terminal.shown(screens.listed).bytes_sent)
    with Terminal(app("--offline"), given.environ, ROOT, link=LINK) as terminal:
        terminal.shown(screens.listed)
        terminal.until_silent(1.0)
        terminal.key("/")
        terminal.until_silent(1.0)
        before = terminal.sent_in_all
        for letter in LAST_STATE[-10:]:
            terminal.key(letter)
            time.sleep(TYPED_EVERY_S)
        shown = terminal.shown(screens.found(LAST_STATE, 1))
        terminal.until_silent(1.0)
        into.add("slow link final", shown.seconds)
        into.add("slow link settled", terminal.chunks[-1][0] - terminal.since)
        into.add("slow link bytes", terminal.sent_in_all - before)
