"""Which way a copy can go from here (`route`, pure), and the one way to copy (`copy`).

Only a clipboard that gave the text back counts as "copied". A terminal never answers whether it took a copy, so what
is sent to it is called sent. Measured: tmux 3.3a drops an application's own OSC 52 under its default settings, while
`tmux load-buffer -w` reaches the terminal behind it; GNU screen 4.09 passes OSC 52 on when it comes in device control
strings of at most 760 bytes, as many as it takes. pyperclip finds no clipboard without a display, never looks at the
exit code of the program it starts, and lets that program write over the screen: hence the child and the reading back.
"""

from __future__ import annotations

import base64
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import psutil

from tui.numbers import size

log = logging.getLogger(__name__)

TIME_LIMIT_S = 3.0
"""For each program that is asked to take the copy."""

_SCREEN_PIECE = 200

_READ_BACK = """
import sys, pyperclip
text = sys.stdin.buffer.read().decode()
pyperclip.copy(text)
same = [part.replace("\\r\\n", "\\n").rstrip("\\n") for part in (text, pyperclip.paste())]
sys.exit(same[0] != same[1])
"""


class Route(StrEnum):
    """A way for a copy to go."""

    TMUX = "tmux"
    SCREEN = "screen"
    DISPLAY = "display"
    OSC52 = "osc52"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What decides the way of a copy."""

    multiplexer: Literal["tmux", "screen"] | None = None
    """The innermost one around the app."""
    display: Literal["local", "forwarded"] | None = None
    """A display before the person; `forwarded`: at the other end of a network, as with `ssh -X`."""
    display_name: str = ""
    term: str = ""
    term_program: str = ""
    osc52_limit: int
    """Bytes of text above which no terminal is asked to take it; 0 for never."""

    @property
    def terminal_takes_copies(self) -> bool:
        """False where OSC 52 is known to do nothing: Apple's Terminal, the Linux console, TERM=dumb."""
        return self.term_program != "Apple_Terminal" and self.term.split("-")[0] not in {"linux", "dumb"}


@dataclass(frozen=True, slots=True)
class Copied:
    """What became of a copy; `said` is the sentence for the person."""

    said: str
    ok: bool
    route: Route | None = None


def look_around(environ: Mapping[str, str], osc52_limit: int, platform: str = sys.platform) -> Surroundings:
    """The surroundings of this process."""
    display, display_name = _display(environ, platform)
    return Surroundings(
        multiplexer=_multiplexer(environ),
        display=display,
        display_name=display_name,
        term=environ.get("TERM", ""),
        term_program=environ.get("TERM_PROGRAM", ""),
        osc52_limit=osc52_limit,
    )


def route(surroundings: Surroundings, size_bytes: int) -> tuple[Route, ...]:
    """The ways to try, in this order, for a text of `size_bytes` bytes; empty when nothing can work.

    `ssh -X` counts as a display only where the terminal takes nothing: the program that holds the copy stays on this
    host, it keeps the ssh session from ending, and the copy ends with it.
    """
    to_terminal = size_bytes <= surroundings.osc52_limit and surroundings.terminal_takes_copies
    routes = []
    if surroundings.multiplexer == "tmux":
        routes.append(Route.TMUX)
    if surroundings.multiplexer == "screen" and to_terminal:
        return (Route.SCREEN,)
    if surroundings.display == "local":
        routes.append(Route.DISPLAY)
    if to_terminal:
        routes.append(Route.OSC52)
    elif surroundings.display == "forwarded":
        routes.append(Route.DISPLAY)
    return tuple(routes)


def copy(
    text: str,
    write: Callable[[str], object],
    surroundings: Surroundings,
    otherwise: str = "w writes it to a file",
) -> Copied:
    """Copy `text` the best way there is; `write` sends an escape sequence to the terminal.

    The text goes out as it is; only lone surrogates, which have no bytes, become escapes. `otherwise` tells the
    person what else there is when nothing worked. Blocks up to `TIME_LIMIT_S` for each program that has to be
    asked, so call it outside the event loop. Environment variables of this process lead to tmux and the display.
    """
    if not text:
        return Copied("nothing to copy", False)
    data = text.encode("utf-8", "backslashreplace")
    for way in route(surroundings, len(data)):
        said = _try(way, data, write, surroundings)
        if said is not None:
            return Copied(said, True, way)
    return Copied(f"not copied: {_reason(surroundings, len(data))}; {otherwise}", False)


def describe(surroundings: Surroundings) -> str:
    """The ways of a copy from here, in the order they are tried, in one line."""
    limit = f"up to {size(surroundings.osc52_limit)}"
    sent_on = "" if not surroundings.osc52_limit else f", sent on to the terminal {limit}"
    words = {
        Route.TMUX: f"tmux's buffer{sent_on}",
        Route.SCREEN: f"OSC 52 through GNU screen, {limit}",
        Route.DISPLAY: f"the clipboard of {surroundings.display_name}, read back",
        Route.OSC52: f"OSC 52 to the terminal, {limit}{_caution(surroundings)}",
    }
    ways = route(surroundings, 1)
    return ", else ".join(words[way] for way in ways) if ways else f"none: {_reason(surroundings, 1)}"


def _try(way: Route, data: bytes, write: Callable[[str], object], surroundings: Surroundings) -> str | None:
    length = size(len(data))
    match way:
        case Route.TMUX:
            return _to_tmux(data, surroundings.osc52_limit)
        case Route.DISPLAY:
            if not _to_display(data):
                return None
            where = "" if surroundings.display == "local" else f" to the clipboard of {surroundings.display_name}"
            return f"copied{where}, {length}"
        case Route.SCREEN:
            write(_in_device_control_strings(_osc52(data)))
            return f"sent to your terminal through GNU screen, {length}"
        case Route.OSC52:
            write(_osc52(data))
            return f"sent to your terminal, {length}{_caution(surroundings)}"


def _reason(surroundings: Surroundings, size_bytes: int) -> str:
    if not surroundings.terminal_takes_copies:
        return "this terminal takes no copies"
    if surroundings.osc52_limit == 0:
        return "copies to the terminal are switched off (osc52_limit is 0)"
    limit = size(surroundings.osc52_limit)
    return f"{size(size_bytes)} are more than the {limit} that terminals take"


def _caution(surroundings: Surroundings) -> str:
    """For OSC 52 through a tmux or screen that is not ours to ask: before the ssh, or around a sudo or container."""
    if surroundings.multiplexer == "tmux" or surroundings.term.startswith("tmux"):
        return "; tmux passes it on only with set-clipboard on"
    if surroundings.term.startswith("screen"):
        return "; tmux or screen in between may drop it"
    return ""


def _osc52(data: bytes) -> str:
    return f"\x1b]52;c;{base64.b64encode(data).decode('ascii')}\a"


def _in_device_control_strings(sequence: str) -> str:
    starts = range(0, len(sequence), _SCREEN_PIECE)
    return "".join(f"\x1bP{sequence[start : start + _SCREEN_PIECE]}\x1b\\" for start in starts)


def _to_tmux(data: bytes, osc52_limit: int) -> str | None:
    length = size(len(data))
    if len(data) <= osc52_limit:
        if _run(["tmux", "load-buffer", "-w", "-"], data):
            return f"in tmux's buffer, sent on to your terminal, {length}"
        more = ""
    else:
        more = f"; more than the {size(osc52_limit)} that terminals take" if osc52_limit else ""
    # tmux before 3.2 has no -w.
    if _run(["tmux", "load-buffer", "-"], data):
        return f"in tmux's buffer (prefix ] pastes), {length}{more}"
    return None


def _to_display(data: bytes) -> bool:
    # -P: a pyperclip.py in the current folder is not ours.
    return _run([sys.executable, "-P", "-c", _READ_BACK], data)


def _run(argv: list[str], data: bytes) -> bool:
    """Whether the program took `data` and exited with 0 in time.

    Its output goes nowhere: xclip stays behind with it, and a pipe would never end. It has a session of its own, so
    that it outlives this terminal, and so that all of it can be ended when it hangs.
    """
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        log.info("copy: %s: %s", argv[0], error)
        return False
    try:
        process.communicate(data, timeout=TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        log.info("copy: %s did not end within %s s", argv[0], TIME_LIMIT_S)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return False
    if process.returncode != 0:
        log.info("copy: %s ended with %s", argv[0], process.returncode)
    return process.returncode == 0


def _multiplexer(environ: Mapping[str, str]) -> Literal["tmux", "screen"] | None:
    tmux, screen = bool(environ.get("TMUX")), bool(environ.get("STY"))
    if tmux and screen:
        # One runs inside the other and both variables are inherited. The server that started the shell is an
        # ancestor, and the outer one is not.
        return _nearest_server() or "tmux"
    return "tmux" if tmux else "screen" if screen else None


def _nearest_server() -> Literal["tmux", "screen"] | None:
    with suppress(psutil.Error):
        for parent in psutil.Process().parents():
            name = parent.name().lower()
            if name.startswith("tmux"):
                return "tmux"
            if name.startswith("screen"):
                return "screen"
    return None


def _display(environ: Mapping[str, str], platform: str) -> tuple[Literal["local", "forwarded"] | None, str]:
    over_ssh = any(environ.get(name) for name in ("SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"))
    if platform == "darwin":
        return (None, "") if over_ssh else ("local", "this Mac")
    wayland, x11 = environ.get("WAYLAND_DISPLAY", ""), environ.get("DISPLAY", "")
    if x11 and ":" in x11 and not x11.startswith((":", "unix:", "/")):
        return "forwarded", f"display {x11}"
    if (wayland or x11) and not over_ssh:
        return "local", f"display {wayland or x11}"
    # Over ssh, a display without a host name stands beside the host, not before the person.
    return None, ""
