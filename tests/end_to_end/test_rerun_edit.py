"""Editing a run.py in an editor that has the real terminal, and coming back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def editor(tmp_path: Path) -> Callable[[str], str]:
    """`editor(commands)` is a program that does this to the file `$1`."""

    def make(commands: str) -> str:
        program = tmp_path / "editor"
        program.write_text(f"#!/bin/sh\n{commands}\n")
        program.chmod(0o755)
        return str(program)

    return make


def open_rerun_screen(terminal, **environ: str):
    app = terminal("--sample", "--any-host", "--python", sys.executable, size=(200, 60), **environ)
    app.until("sample/Quartz")
    app.press("r")
    app.until("Checklist")
    return app


def test_the_editor_has_the_terminal_and_what_it_writes_is_shown_and_marked(terminal, editor):
    app = open_rerun_screen(terminal, EDITOR=editor('echo EDITOR IS OPEN; read -r answer; echo "# $answer" >"$1"'))
    app.press("e")
    app.until("EDITOR IS OPEN")
    app.press("mine\n")
    app.until("# mine")
    app.until("EDITED")
    assert "Checklist" in app.text
    app.press("E")
    app.until("As recorded again.")
    assert "Demonstration script" in app.text
    assert "EDITED" not in app.text


def test_ctrl_c_in_the_editor_belongs_to_the_editor(terminal, editor):
    app = open_rerun_screen(
        terminal, EDITOR=editor('trap \'echo "# kept" >"$1"; exit 0\' INT\necho EDITOR IS OPEN\nsleep 20')
    )
    app.press("e")
    app.until("EDITOR IS OPEN")
    app.press("\x03")
    app.until("# kept")
    app.press("q")
    app.until("sample/Quartz")
    app.press("q")
    assert app.ended() == 0
