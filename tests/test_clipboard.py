"""Which way a copy goes, what is said about it, and that real tmux, GNU screen and xclip-like programs take it."""

from __future__ import annotations

import base64
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tui import clipboard
from tui.clipboard import Route, Surroundings, copy, describe, look_around, route

TMUX, SCREEN, DISPLAY, OSC52 = Route.TMUX, Route.SCREEN, Route.DISPLAY, Route.OSC52
SSH = {"SSH_CONNECTION": "10.0.0.9 50000 10.0.0.1 22"}
LIMIT = 75_000
SCRIPT = 4_100

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
needs_screen = pytest.mark.skipif(shutil.which("screen") is None, reason="GNU screen is not installed")


def around(environ: dict[str, str], limit: int = LIMIT, platform: str = "linux") -> Surroundings:
    return look_around({"TERM": "xterm-256color", **environ}, limit, platform)


@pytest.mark.parametrize(
    ("environ", "size_bytes", "routes"),
    [
        pytest.param(SSH, SCRIPT, [OSC52], id="plain ssh"),
        pytest.param({}, SCRIPT, [OSC52], id="a container or sudo, nothing known"),
        pytest.param(SSH, LIMIT, [OSC52], id="ssh at the limit"),
        pytest.param(SSH, LIMIT + 1, [], id="ssh over the limit"),
        pytest.param({**SSH, "TMUX": "/tmp/t,1,0"}, SCRIPT, [TMUX, OSC52], id="tmux"),
        pytest.param({**SSH, "TMUX": "/tmp/t,1,0"}, 10_000_000, [TMUX], id="tmux over the limit"),
        pytest.param({**SSH, "STY": "12.pts-0.host"}, SCRIPT, [SCREEN], id="screen"),
        pytest.param({**SSH, "STY": "12.pts-0.host"}, LIMIT + 1, [], id="screen over the limit"),
        pytest.param({"DISPLAY": ":0"}, SCRIPT, [DISPLAY, OSC52], id="desktop"),
        pytest.param({"WAYLAND_DISPLAY": "wayland-0"}, SCRIPT, [DISPLAY, OSC52], id="wayland"),
        pytest.param({"DISPLAY": ":0"}, LIMIT + 1, [DISPLAY], id="desktop over the limit"),
        pytest.param({"DISPLAY": ":0", "STY": "1.x"}, LIMIT + 1, [DISPLAY], id="screen on a desktop over the limit"),
        pytest.param({**SSH, "DISPLAY": ":0"}, SCRIPT, [OSC52], id="ssh to a host with a desktop"),
        pytest.param({**SSH, "WAYLAND_DISPLAY": "wayland-0"}, LIMIT + 1, [], id="ssh to a wayland desktop"),
        pytest.param({**SSH, "DISPLAY": "localhost:10.0"}, SCRIPT, [OSC52], id="ssh -X"),
        pytest.param({**SSH, "DISPLAY": "localhost:10.0"}, LIMIT + 1, [DISPLAY], id="ssh -X over the limit"),
        pytest.param({"DISPLAY": "localhost:10.0"}, SCRIPT, [OSC52], id="ssh -X and sudo"),
        pytest.param({**SSH, "TERM": "linux"}, SCRIPT, [], id="ssh from a text console"),
        pytest.param({"TERM": "linux-16color"}, SCRIPT, [], id="text console"),
        pytest.param({"TERM": "dumb"}, SCRIPT, [], id="dumb terminal"),
        pytest.param({"TERM": ""}, SCRIPT, [OSC52], id="no TERM"),
        pytest.param({"TERM_PROGRAM": "Apple_Terminal", "STY": "1.x"}, SCRIPT, [], id="screen in Apple's Terminal"),
    ],
)
def test_the_way_follows_from_the_surroundings(environ: dict[str, str], size_bytes: int, routes: list[Route]) -> None:
    assert route(around(environ), size_bytes) == tuple(routes)


def test_a_mac_copies_to_itself_unless_reached_by_ssh() -> None:
    terminal = {"TERM_PROGRAM": "Apple_Terminal"}
    assert route(around(terminal, platform="darwin"), SCRIPT) == (DISPLAY,)
    assert route(around(terminal | SSH, platform="darwin"), SCRIPT) == ()


def test_a_limit_of_zero_sends_nothing_to_a_terminal() -> None:
    assert route(around(SSH, limit=0), 1) == ()
    said = copy("x", [].append, around(SSH, limit=0)).said
    assert said == "not copied: copies to the terminal are switched off (osc52_limit is 0); w writes it to a file"


def test_osc_52_is_called_sent_and_never_copied() -> None:
    written: list[str] = []
    copied = copy("é" * 2050, written.append, around(SSH))
    assert (copied.ok, copied.route, copied.said) == (True, OSC52, "sent to your terminal, 4.1 KB")
    assert written == [f"\x1b]52;c;{base64.b64encode(('é' * 2050).encode()).decode()}\x07"]


def test_over_the_limit_says_how_much_and_what_else_there_is() -> None:
    written: list[str] = []
    copied = copy("x" * 300_000, written.append, around(SSH))
    assert not copied.ok
    assert copied.said == "not copied: 300 KB are more than the 75 KB that terminals take; w writes it to a file"
    assert copy("x" * 300_000, written.append, around(SSH), "p shows it").said.endswith("; p shows it")
    assert written == []


def test_a_text_console_takes_no_copies() -> None:
    copied = copy("x", [].append, around({"TERM": "linux"}))
    assert (copied.ok, copied.said) == (
        False,
        "not copied: this terminal takes no copies; w writes it to a file",
    )


def test_nothing_is_not_copied() -> None:
    assert copy("", [].append, around(SSH)).said == "nothing to copy"


def test_bytes_that_are_no_text_are_copied_as_escapes() -> None:
    written: list[str] = []
    copy("caf\udce9 \x1b[0m", written.append, around(SSH))
    assert sent(written[0]) == b"caf\\udce9 \x1b[0m"


@pytest.mark.parametrize(
    ("term", "caution"),
    [
        ("tmux-256color", "; tmux passes it on only with set-clipboard on"),
        ("screen-256color", "; tmux or screen in between may drop it"),
        ("xterm-kitty", ""),
    ],
)
def test_a_multiplexer_on_the_way_is_named(term: str, caution: str) -> None:
    assert copy("x", [].append, around({**SSH, "TERM": term})).said == "sent to your terminal, 1 B" + caution


@pytest.mark.parametrize(
    ("environ", "line"),
    [
        (SSH, "OSC 52 to the terminal, up to 75 KB"),
        ({"DISPLAY": ":0"}, "the clipboard of display :0, read back, else OSC 52 to the terminal, up to 75 KB"),
        ({"STY": "1.x"}, "OSC 52 through GNU screen, up to 75 KB"),
        (
            {"TMUX": "/t,1,0"},
            "tmux's buffer, sent on to the terminal up to 75 KB, "
            "else OSC 52 to the terminal, up to 75 KB; tmux passes it on only with set-clipboard on",
        ),
        ({"TERM": "linux"}, "none: this terminal takes no copies"),
    ],
)
def test_the_ways_are_described_in_one_line(environ: dict[str, str], line: str) -> None:
    assert describe(around(environ)) == line


# A display, through programs that behave like xclip


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("DISPLAY", ":7")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    return folder


def program(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def xclip(folder: Path, after: str = "") -> Path:
    kept = folder / "kept"
    program(folder / "xclip", f'case "$*" in *-o*) cat {kept};; *) cat > {kept}; {after}\n;; esac')
    return kept


def test_a_display_that_gives_the_text_back_has_copied(on_path: Path) -> None:
    kept = xclip(on_path, after="sleep 5 &")  # stays behind as the real one does
    written: list[str] = []
    started = time.perf_counter()
    copied = copy("print('é')\n", written.append, around({"DISPLAY": ":7"}))
    assert (copied.ok, copied.route, copied.said) == (True, DISPLAY, "copied, 12 B")
    assert kept.read_text() == "print('é')\n"
    assert written == []
    assert time.perf_counter() - started < clipboard.TIME_LIMIT_S


def test_a_forwarded_display_is_named(on_path: Path) -> None:
    xclip(on_path)
    copied = copy("x" * 100, [].append, around({**SSH, "DISPLAY": "localhost:10.0"}, limit=10))
    assert copied.said == "copied to the clipboard of display localhost:10.0, 100 B"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param('echo "Error: Can\'t open display: :7" >&2; exit 1', id="fails"),
        pytest.param('case "$*" in *-o*) echo other;; *) cat >/dev/null;; esac', id="keeps nothing"),
    ],
)
def test_a_display_that_does_not_give_the_text_back_is_not_believed(
    on_path: Path, body: str, capfd: pytest.CaptureFixture[str]
) -> None:
    program(on_path / "xclip", body)
    copied = copy("text", [].append, around({"DISPLAY": ":7"}))
    assert (copied.route, copied.said) == (OSC52, "sent to your terminal, 4 B")
    assert capfd.readouterr() == ("", "")


def test_a_module_in_the_current_folder_is_not_run(
    on_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    xclip(on_path)
    (tmp_path / "pyperclip.py").write_text("raise SystemExit(0)")
    monkeypatch.chdir(tmp_path)
    assert copy("text", [].append, around({"DISPLAY": ":7"})).route is DISPLAY
    assert (on_path / "kept").read_text() == "text"


def test_a_display_that_hangs_is_left_after_the_time_limit(
    on_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clipboard, "TIME_LIMIT_S", 1.0)
    pid_file = tmp_path / "pid"
    program(on_path / "xclip", f"echo $$ > {pid_file}; exec sleep 600")
    copied = copy("x" * 1_000_000, [].append, around({"DISPLAY": ":7"}))
    assert not copied.ok
    assert "1 MB are more than the 75 KB" in copied.said
    assert ends_soon(int(pid_file.read_text()))


def ends_soon(pid: int) -> bool:
    """Whether the process ends, be it collected by its parent or not."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    ended, _, _ = select.select([process], [], [], 10)
    os.close(process)
    return bool(ended)


def test_without_a_program_for_the_display_the_terminal_gets_it(on_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(on_path))
    assert copy("text", [].append, around({"DISPLAY": ":7"})).said == "sent to your terminal, 4 B"


# tmux


@pytest.fixture
def tmux(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A server of its own; the words that begin a command to it."""
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    folder = tempfile.mkdtemp(prefix="tmux-")
    command = ["tmux", "-S", f"{folder}/socket", "-f", "/dev/null"]
    subprocess.run([*command, "new-session", "-d", "-x", "80", "-y", "24", "cat"], check=True)
    pid = subprocess.check_output([*command, "display-message", "-p", "#{pid}"], text=True).strip()
    monkeypatch.setenv("TMUX", f"{folder}/socket,{pid},0")
    yield command
    subprocess.run([*command, "kill-server"], check=False)
    shutil.rmtree(folder)


@needs_tmux
def test_tmux_takes_the_text_and_sends_it_to_the_terminal_behind_it(tmux: list[str]) -> None:
    outer = pexpect.spawn(
        tmux[0],
        [*tmux[1:], "attach"],
        env={"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"},
        dimensions=(24, 80),
        timeout=20,
    )
    outer.expect_exact("[0]")
    text = "import torch  # é\n" * 200
    written: list[str] = []
    copied = copy(text, written.append, around({"TMUX": os.environ["TMUX"]}))
    assert (copied.ok, copied.route) == (True, TMUX)
    assert copied.said == "in tmux's buffer, sent on to your terminal, 3.8 KB"
    assert subprocess.check_output([*tmux, "show-buffer"]).decode() == text
    outer.expect(rb"\x1b\]52;[a-z]*;([A-Za-z0-9+/=]+)(?:\x07|\x1b\\)")
    assert base64.b64decode(outer.match[1]).decode() == text
    assert written == []
    outer.close(force=True)


@needs_tmux
def test_tmux_keeps_what_is_too_much_for_a_terminal(tmux: list[str]) -> None:
    text = "x" * 1_000_000
    copied = copy(text, [].append, around({"TMUX": os.environ["TMUX"]}))
    assert copied.said == "in tmux's buffer (prefix ] pastes), 1 MB; more than the 75 KB that terminals take"
    assert subprocess.check_output([*tmux, "show-buffer"]).decode() == text


@needs_tmux
def test_a_tmux_that_is_gone_leaves_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMUX", "/nonexistent/socket,1,0")
    written: list[str] = []
    copied = copy("text", written.append, around({"TMUX": "/nonexistent/socket,1,0"}))
    assert copied.said == "sent to your terminal, 4 B; tmux passes it on only with set-clipboard on"
    assert sent(written[0]) == b"text"


def test_an_old_tmux_without_sending_on_keeps_it_in_its_buffer(on_path: Path) -> None:
    program(
        on_path / "tmux",
        f'[ "$*" = "load-buffer -" ] && exec cat > {on_path}/buffer\necho "usage: load-buffer" >&2; exit 1',
    )
    copied = copy("x" * 4100, [].append, around({"TMUX": "/t,1,0"}))
    assert copied.said == "in tmux's buffer (prefix ] pastes), 4.1 KB"
    assert (on_path / "buffer").read_text() == "x" * 4100


# The innermost of two multiplexers, and GNU screen itself

_LOOK = "import os; from tui.clipboard import look_around; print(look_around(os.environ, 1).multiplexer)"


@needs_tmux
def test_tmux_inside_screen_is_found_to_be_the_inner_one(tmux: list[str], tmp_path: Path) -> None:
    found = tmp_path / "found"
    line = f"STY=1.outer {sys.executable} -c '{_LOOK}' > {found}; tmux wait-for -S done"
    subprocess.run([*tmux, "new-window", "-d", line], check=True)
    subprocess.run([*tmux, "wait-for", "done"], check=True, timeout=30)
    assert found.read_text() == "tmux\n"


def in_screen(program_text: str, environ: dict[str, str]) -> bytes:
    """What GNU screen sends to its terminal while a Python program runs inside it."""
    folder = tempfile.mkdtemp(prefix="screen-")
    child = pexpect.spawn(
        "screen",
        ["-c", "/dev/null", "-S", "trn-models-test", sys.executable, "-c", program_text],
        env={
            **os.environ,
            "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8",
            "SCREENDIR": folder,
            **environ,
        },
        dimensions=(24, 80),
        timeout=30,
    )
    output = b""
    try:
        while True:
            output += child.read_nonblocking(1_000_000, timeout=30)
    except pexpect.EOF:
        return output
    finally:
        child.close(force=True)
        shutil.rmtree(folder)


@needs_screen
def test_screen_inside_tmux_is_found_to_be_the_inner_one() -> None:
    assert b"screen\r\n" in in_screen(_LOOK, {"TMUX": "/outer,1,0"})


@needs_screen
def test_gnu_screen_passes_a_whole_script_on() -> None:
    output = in_screen(
        "import os, sys; from tui.clipboard import *\n"
        "copied = copy('import torch\\n' * 5000, sys.stdout.write, look_around(os.environ, 75_000))\n"
        "print(copied.said)",
        {"TMUX": ""},
    )
    assert sent(output.decode()) == b"import torch\n" * 5000
    assert b"sent to your terminal through GNU screen, 65 KB" in output


def sent(terminal: str) -> bytes:
    """The text that an OSC 52 sequence in `terminal` carries."""
    found = re.search(r"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07", terminal)
    assert found is not None
    return base64.b64decode(found[1])
