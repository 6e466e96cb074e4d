"""`open` in a real terminal."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_a_part_of_a_name_opens_the_app_on_that_models_detail(terminal, size):
    app = terminal("open", "quartz-8b-instruct", "--sample", size=size)
    app.until("A functional test of 32 tokens")
    app.until("sample/Quartz-8B-Instruct")
    app.press("q")
    app.until("SAMPLE DATA")
    app.press("q")
    assert app.ended() == 0


def test_a_name_that_fits_several_models_leaves_the_terminal_alone(terminal):
    app = terminal("open", "quartz", "--sample")
    assert app.ended() == 7
    assert "sample/Quartz-8B-Instruct" in app.raw
    assert "\x1b[?1049h" not in app.raw


def test_a_dumb_terminal_is_told_what_to_use_instead(terminal):
    app = terminal("open", "sample/Quartz-8B-Instruct", "--sample", TERM="dumb")
    assert app.ended() == 2
    assert "trn-models show --sample -- sample/Quartz-8B-Instruct" in app.raw


def test_in_a_pipe_nothing_is_opened(environ):
    command = [sys.executable, "-m", "tui", "open", "sample/Quartz-8B-Instruct", "--sample"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environ)
    assert (done.returncode, done.stdout) == (2, "")
    assert "trn-models show" in done.stderr
