"""The command under a shell with job control, and what it prints when it leaves the full screen."""

from __future__ import annotations

import sys
import time

import pexpect
import pytest

from tui.catalog import snapshot as snapshots

MODEL = "sample/Quartz-8B-Instruct"
SCREEN_ON, SCREEN_OFF, CURSOR_ON, MOUSE_OFF = "\x1b[?1049h", "\x1b[?1049l", "\x1b[?25h", "\x1b[?1000l"
PROMPT = "shell-prompt> "


@pytest.fixture
def shell(terminal, environ):
    """A terminal with an interactive bash, which controls jobs."""
    app = terminal("--version")
    app.ended()
    app.process = pexpect.spawn(
        "bash", ["--norc", "--noprofile", "-i"], env={**environ, "PS1": PROMPT, "HISTFILE": ""}, dimensions=(40, 120),
        encoding="utf-8", codec_errors="replace", timeout=20,
    )  # fmt: skip
    wait_for(app, PROMPT, 0)
    return app


def wait_for(app, text: str, since: int, seconds: float = 20) -> int:
    """Wait until the output has this text after position `since`; where it ends."""
    end = time.monotonic() + seconds
    while text not in app.raw[since:]:
        if time.monotonic() > end:
            raise AssertionError(f"{text!r} did not come; what came:\n{app.raw[since:]}")
        app.read(0.1)
    return app.raw.index(text, since) + len(text)


def command_says(app, command: str) -> str:
    """What this command prints in the shell."""
    since = len(app.raw)
    app.press(f"{command}; echo 'the 'end\r")
    end = wait_for(app, "the end", since)
    wait_for(app, PROMPT, end)
    return app.raw[since:end]


def assert_usable(app) -> None:
    """The terminal echoes, takes lines, turns Enter into a line end and shows its cursor again."""
    modes = command_says(app, "stty -a").replace(";", " ").split()
    for mode in ("icanon", "echo", "isig", "icrnl", "opost"):
        assert mode in modes, f"{mode} is off: {modes}"
    since = app.raw.rindex(SCREEN_OFF)
    assert CURSOR_ON in app.raw[since:]
    assert SCREEN_ON not in app.raw[since:]
    assert MOUSE_OFF in app.raw[app.raw.rindex(SCREEN_ON) :]


def start_app(app, *arguments: str, under: str = "") -> None:
    app.screen.reset()
    app.press(f"{under} {sys.executable} -m tui --sample {' '.join(arguments)}\r")
    app.until("SAMPLE DATA")
    app.until("PASS")


def test_ctrl_z_gives_the_shell_back_and_fg_the_app(shell):
    start_app(shell)
    shell.press("/quartz-8b-instruct\r")
    shell.until(MODEL)
    for _ in range(2):
        since = len(shell.raw)
        shell.press("\x1a")
        left = wait_for(shell, SCREEN_OFF, since)
        wait_for(shell, PROMPT, wait_for(shell, "Stopped", left))
        assert_usable(shell)
        assert "Stopped" in command_says(shell, "jobs")
        shell.screen.reset()
        since = len(shell.raw)
        shell.press("fg\r")
        wait_for(shell, SCREEN_ON, since)
        shell.until("SAMPLE DATA")
        shell.until(MODEL)
    shell.press("\r")
    shell.until("A functional test of 32 tokens")
    since = len(shell.raw)
    shell.press("qq")
    wait_for(shell, PROMPT, wait_for(shell, SCREEN_OFF, since))
    assert "code=0." in command_says(shell, "echo code=$?.")
    assert_usable(shell)
    assert "Stopped" not in command_says(shell, "jobs")


def test_ctrl_z_stops_the_whole_job_also_under_a_program_that_waits_for_the_app(shell, tmp_path):
    waiting = tmp_path / "waiting.py"
    waiting.write_text("import subprocess, sys\nsys.exit(subprocess.call(sys.argv[1:]))\n")
    start_app(shell, under=f"{sys.executable} {waiting}")
    since = len(shell.raw)
    shell.press("\x1a")
    wait_for(shell, PROMPT, wait_for(shell, "Stopped", wait_for(shell, SCREEN_OFF, since)))
    assert_usable(shell)
    shell.screen.reset()
    since = len(shell.raw)
    shell.press("fg\r")
    wait_for(shell, SCREEN_ON, since)
    shell.until("SAMPLE DATA")
    since = len(shell.raw)
    shell.press("q")
    wait_for(shell, PROMPT, wait_for(shell, SCREEN_OFF, since))
    assert "code=0." in command_says(shell, "echo code=$?.")
    assert_usable(shell)


def test_a_job_in_the_background_waits_for_the_terminal(shell):
    since = len(shell.raw)
    shell.press(f"{sys.executable} -m tui --sample &\r")
    wait_for(shell, PROMPT, since)
    end = time.monotonic() + 20
    while "Stopped" not in command_says(shell, "jobs"):
        assert time.monotonic() < end
    assert SCREEN_ON not in shell.raw
    shell.screen.reset()
    shell.press("fg\r")
    shell.until("SAMPLE DATA")
    since = len(shell.raw)
    shell.press("q")
    wait_for(shell, PROMPT, wait_for(shell, SCREEN_OFF, since))
    assert_usable(shell)


@pytest.mark.parametrize(("keys", "code"), [("q", 0), ("\x11", 0), ("\x03\x03", 0)])
def test_the_shell_gets_the_exit_code_and_a_usable_terminal(shell, keys, code):
    start_app(shell)
    since = len(shell.raw)
    shell.press(keys)
    wait_for(shell, PROMPT, wait_for(shell, SCREEN_OFF, since))
    assert f"code={code}." in command_says(shell, "echo code=$?.")
    assert_usable(shell)


def test_a_terminated_app_leaves_its_code_and_a_usable_terminal(shell):
    start_app(shell)
    since = len(shell.raw)
    shell.press("\x1a")
    wait_for(shell, PROMPT, wait_for(shell, "Stopped", since))
    command_says(shell, "kill -TERM %1")
    since = len(shell.raw)
    shell.press("fg\r")
    wait_for(shell, PROMPT, since)
    assert "code=143." in command_says(shell, "echo code=$?.")
    assert_usable(shell)


def recorded(model_id: str, column: str) -> str:
    """A long text of the model's first record on the newest stack, as it is in the sample."""
    sample = snapshots.open_sample()
    newest = sample.stacks[0].stack
    records = ((row, snapshots.record_at(sample, row)) for row in range(sample.records.height))
    index = next(row for row, each in records if each.model_id == model_id and each.stack == newest)
    text = snapshots.read_text(sample, *snapshots.place_of(sample, index), column)
    assert text
    return text.strip()


def test_p_prints_the_whole_detail_and_run_py_as_it_stands(terminal):
    app = terminal("--sample", size=(80, 24))
    app.until("PASS")
    app.press("/quartz-8b-instruct\r")
    app.until(MODEL)
    since = len(app.raw)
    app.press("p")
    printed_from = wait_for(app, SCREEN_OFF, since)
    printed_to = wait_for(app, "[Enter goes back to trn-models]", printed_from)
    printed = app.raw[printed_from:printed_to].replace("\r\n", "\n")
    assert SCREEN_ON not in printed
    script = recorded(MODEL, "run_py")
    assert script in printed
    before_script = printed[: printed.index(script)]
    for words in (
        f"{MODEL}\n",
        "PASS on 4 cores, 6 min 12 s with compilation, peak 18.2 of 24 GB recorded",
        "A functional test of 32 tokens, not a benchmark.",
        "Notes\nattention weights kept in float32",
        "2.27.5334.0 · 5.21.0",
        "pip install transformers==5.23.1 accelerate==1.14.0\n",
    ):
        assert words in before_script
    app.screen.reset()
    app.press("\r")
    wait_for(app, SCREEN_ON, printed_to)
    app.until("SAMPLE DATA")
    app.until(MODEL)
    app.press("q")
    assert app.ended() == 0


def test_p_prints_the_error_of_a_failed_record(terminal):
    app = terminal("--sample", size=(80, 24))
    app.until("PASS")
    failed = "sample/Garnet-9B"
    app.press("/garnet-9b\r")
    app.until(failed)
    since = len(app.raw)
    app.press("p")
    end = wait_for(app, "[Enter goes back to trn-models]", wait_for(app, SCREEN_OFF, since))
    printed = app.raw[since:end].replace("\r\n", "\n")
    assert "FAIL on 4 cores" in printed
    assert recorded(failed, "error") in printed[: printed.index(recorded(failed, "run_py"))]
    app.press("\r")
    wait_for(app, SCREEN_ON, end)
    app.press("q")
    assert app.ended() == 0
