"""The command as a person starts it: a real pseudo-terminal, real keys, real signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

ALTERNATE_SCREEN_OFF = "\x1b[?1049l"
CURSOR_ON = "\x1b[?25h"
MOUSE_OFF = "\x1b[?1000l"


def assert_restored(raw: str) -> None:
    last_on = raw.rindex("\x1b[?1049h")
    assert raw.index(ALTERNATE_SCREEN_OFF, last_on)
    assert raw.index(CURSOR_ON, last_on)
    assert raw.index(MOUSE_OFF, last_on)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
def test_a_model_is_looked_up_by_keyboard_alone(terminal, size):
    app = terminal("--sample", size=size)
    app.until("SAMPLE DATA")
    app.until("PASS")
    app.press("/quartz-8b-instruct\r")
    app.until("sample/Quartz-8B-Instruct")
    app.press("\r")
    app.until("A functional test of 32 tokens")
    app.press("qq")
    assert app.ended() == 0
    assert_restored(app.raw)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGHUP, 129), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_app_at_once_and_restores_the_terminal(terminal, number, code):
    app = terminal("--sample")
    app.until("PASS")
    began = time.monotonic()
    app.process.kill(number)
    assert app.ended(5) == code
    assert time.monotonic() - began < 3
    assert_restored(app.raw)


def test_a_closed_terminal_ends_the_app(terminal):
    app = terminal("--sample")
    app.until("PASS")
    pid = app.process.pid
    app.process.ptyproc.fileobj.close()
    end = time.monotonic() + 6
    while time.monotonic() < end:
        try:
            if os.waitpid(pid, os.WNOHANG)[0]:
                break
        except ChildProcessError:
            break
        time.sleep(0.05)
    else:
        raise AssertionError("the app outlives its terminal")
    app.process.ptyproc.closed = app.process.ptyproc.terminated = True


def test_a_terminal_that_takes_no_output_does_not_hold_up_the_end(terminal):
    app = terminal("--sample", size=(200, 60))
    app.until("PASS")
    for key in b"231?q" * 40:
        os.write(app.process.child_fd, bytes([key]))
        time.sleep(0.02)
    began = time.monotonic()
    app.process.kill(signal.SIGHUP)
    while app.process.ptyproc.isalive() and time.monotonic() < began + 6:
        time.sleep(0.05)
    assert time.monotonic() - began < 5
    assert app.process.ptyproc.exitstatus == 129


def test_quitting_never_waits_for_a_silent_hub(terminal, hub):
    from loopback_hub import silent

    hub.set_fault("/", silent())
    app = terminal(HF_ENDPOINT=hub.url)
    app.until("asking the Hub for")
    began = time.monotonic()
    app.press("q")
    assert app.ended() == 0
    assert time.monotonic() - began < 3
    assert_restored(app.raw)


def test_quitting_leaves_no_process_behind(terminal, hub, environ):
    from loopback_hub import slow
    from parquet_builder import DATASET, parquet

    hub.add_dataset(DATASET, {"a.parquet": parquet({})})
    hub.set_fault("/content", slow(30))
    app = terminal(HF_ENDPOINT=hub.url)
    app.until("asking the Hub for")
    time.sleep(1.0)
    app.press("q")
    assert app.ended() == 0
    end = time.monotonic() + 3
    left = "?"
    while left and time.monotonic() < end:
        found = subprocess.run(["pgrep", "-f", environ["HOME"]], capture_output=True, text=True)
        left = found.stdout
    assert not left


def test_no_colour_and_no_utf8_still_read(terminal):
    app = terminal("--sample", "--ascii", NO_COLOR="1", TERM="xterm")
    app.until("* PASS")
    app.press("q")
    assert app.ended() == 0
    assert app.raw.isascii()


def test_the_linux_console_shows_signs_that_it_has(terminal):
    app = terminal("--sample", TERM="linux")
    app.until("PASS")
    app.press("q")
    assert app.ended() == 0


def test_ctrl_c_twice_quits(terminal):
    app = terminal("--sample")
    app.until("PASS")
    app.press("\x03")
    app.until("Ctrl+C again quits")
    app.press("\x03")
    assert app.ended() == 0


def test_without_a_terminal_the_list_is_printed(environ):
    done = subprocess.run(
        [sys.executable, "-m", "tui", "--sample"], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environ
    )
    assert done.returncode == 0
    assert "SAMPLE DATA" in done.stdout
    assert "sample/" in done.stdout
    assert "\x1b" not in done.stdout
    assert len([line for line in done.stdout.splitlines() if "sample/" in line]) == 20


def test_a_dumb_terminal_gets_the_list(terminal):
    app = terminal("--sample", TERM="dumb")
    assert app.ended() == 0
    assert "SAMPLE DATA" in app.raw
    assert "\x1b" not in app.raw


def test_plain_text_is_printed_for_selecting_and_enter_goes_back(terminal):
    app = terminal("--sample")
    app.until("PASS")
    app.press("/quartz-8b-instruct\r")
    app.until("sample/Quartz-8B-Instruct")
    app.press("p")
    app.until("[Enter goes back to trn-models]")
    app.press("\r")
    app.until("SAMPLE DATA")
    app.press("qq")
    assert app.ended() == 0


def test_a_program_that_is_not_under_a_shell_is_not_suspended(terminal):
    app = terminal("--sample")
    app.until("PASS")
    app.press("\x1a")
    app.until("No shell here could bring the app back")
    app.press("q")
    assert app.ended() == 0


def test_nothing_is_drawn_while_nothing_happens(terminal):
    app = terminal("--sample")
    app.until("PASS")
    app.read(3.0)
    while True:
        before = len(app.raw)
        app.read(1.0)
        if len(app.raw) == before:
            break
    app.read(5.0)
    assert len(app.raw) == before
    app.press("q")
    assert app.ended() == 0
