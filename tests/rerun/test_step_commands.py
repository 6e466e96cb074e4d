"""Commands of a step: what a reader of its log sees, and how they end."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tui.rerun import step_commands
from tui.rerun.step_commands import Stop, run, stoppable

PYTHON = [sys.executable, "-c"]


def test_a_command_is_printed_before_its_output(tmp_path: Path, capfd):
    assert run(["echo", "a b", "$HOME"], tmp_path, os.environ, Stop()) == 0
    assert capfd.readouterr().out == "$ echo 'a b' '$HOME'\na b $HOME\n"


def test_it_runs_in_the_folder_with_the_environment_and_no_input(tmp_path: Path, capfd):
    program = "import os, sys; print(os.getcwd(), os.environ['COLOUR'], repr(sys.stdin.read()))"
    run([*PYTHON, program], tmp_path, {"COLOUR": "blue"}, Stop())
    assert capfd.readouterr().out.splitlines()[1] == f"{tmp_path} blue ''"


@pytest.mark.parametrize(("program", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -KILL $$", 128 + 9)])
def test_its_exit_code_is_that_of_a_shell(tmp_path: Path, program: str, code: int):
    assert run(["sh", "-c", program], tmp_path, os.environ, Stop()) == code


def test_a_command_that_cannot_be_started_says_why(tmp_path: Path, capfd):
    assert run([str(tmp_path / "gone")], tmp_path, os.environ, Stop()) == 126
    assert capfd.readouterr().out.endswith(f"{tmp_path / 'gone'}: No such file or directory\n")


def test_a_signal_ends_the_command_and_the_next_one_does_not_begin(tmp_path: Path, capfd):
    with stoppable() as stop:
        assert run(["sh", "-c", f"kill -TERM {os.getpid()}; sleep 60"], tmp_path, os.environ, stop) == 128 + 15
        assert run(["echo", "next"], tmp_path, os.environ, stop) == 128 + 15
    assert "next" not in capfd.readouterr().out


def test_a_command_that_ignores_the_signal_is_killed(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(step_commands, "GRACE_S", 0.3)
    stubborn = f"trap '' INT; kill -INT {os.getpid()}; sleep 60; sleep 60"
    with stoppable() as stop:
        assert run(["sh", "-c", stubborn], tmp_path, os.environ, stop) == 128 + signal.SIGINT


def test_the_signals_are_given_back(tmp_path: Path):
    before = [signal.getsignal(number) for number in step_commands.STOP_SIGNALS]
    with stoppable():
        assert [signal.getsignal(number) for number in step_commands.STOP_SIGNALS] != before
    assert [signal.getsignal(number) for number in step_commands.STOP_SIGNALS] == before
