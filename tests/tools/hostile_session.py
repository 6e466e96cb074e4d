"""The real app and the real command in a pseudo-terminal, over a hostile world; what came is judged byte by byte."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import terminal_bytes
from hostile_text import MODEL, World
from terminal import NotShownError, Terminal

SIZE = (150, 50)
UP, DOWN, ESC, END = "\x1b[A", "\x1b[B", "\x1b", "G"

APP: tuple[tuple[str, str, str], ...] = (
    ("table", "jj", ""),
    ("left out", "a", "left out"),
    ("palette", ":", "Search for commands"),
    ("palette of models", "acme", "acme/"),
    ("palette closed", ESC, "⏎ detail"),
    ("palette again", ":", "Search for commands"),
    ("palette of stacks", "stack: q", "records"),
    ("closed", ESC, "⏎ detail"),
    ("compiler", "c", "neuronx-cc version"),
    ("compiler, next", DOWN, ""),
    ("compiler closed", ESC, "!⏎ take"),
    ("library", "v", "Library version"),
    ("library, next", DOWN, ""),
    ("library closed", ESC, "!⏎ take"),
    ("problems", "P", "What went wrong"),
    ("problems, end", END, ""),
    ("problems closed", ESC, "!esc close"),
    ("search", "/pois\x1b[200~\x1b[31m\x9b2J\u202e\x1b[201~", "0 of"),
    ("search cleared", ESC, "is:pass"),
    ("searched", "poisoned\r", "1 of"),
    ("detail", "\r", "esc back"),
    ("detail, end", END, "Hub"),
    ("another record", "]", ""),
    ("another, end", END, ""),
    ("the first", "[", ""),
    ("whole error", "f", "Error of"),
    ("error, end", END, ""),
    ("error closed", ESC, "!esc close"),
    ("compare", "x", "Compare  "),
    ("compare, down", DOWN, ""),
    ("both errors", "f", "Errors of"),
    ("both closed", ESC, "!esc close"),
    ("comparison copied", "y", "the comparison of"),
    ("compare left", "q", "esc back"),
    ("two stacks", "X", "the newer one"),
    ("the newer one", "\r", "the older one"),
    ("the older one", "\r", "0 all"),
    ("stacks, end", END, ""),
    ("stacks copied", "y", "the table"),
    ("stacks left", "q", "esc back"),
    ("run.py copied", "y", "sent to your terminal|not copied"),
    ("install line", "i", "install line"),
    ("graphs line", "n", "compiled graphs|cache"),
    ("model id", "m", "the model id"),
    ("error copied", "e", "the error"),
    ("write", "w", "Write run.py"),
    ("write closed", ESC, "!⏎ write"),
    ("Hub page", "o", "acme"),
    ("plain text", "p", "Enter goes back"),
    ("plain text left", "\r", "esc back"),
    ("run it", "r", "Checklist"),
    ("run it, end", END, ""),
    ("host", "H", "This host"),
    ("host closed", ESC, "!esc close"),
    ("arguments", "a", "⏎ take"),
    ("arguments typed", "A=\x1b[200~\x1b[31m\u202e\x9b\x1b[201~ -- 'b c'", ""),
    ("taken", "\r", "EDITED"),
    ("top", "g", "looked at"),
    ("interpreter", "i", "Python that runs"),
    ("interpreter, next", DOWN, ""),
    ("interpreter closed", ESC, "!⏎ take"),
    ("command", "y", "the command of Run|Not copied|no command|ooking"),
    ("editor", "e", ""),
    ("question", "4", "although"),
    ("no", "n", "!the marked one"),
    ("back to the model", "q", "esc back"),
    ("runs", "R", "D delete"),
    ("delete", "D", "Delete run"),
    ("do not", "n", "!the marked one"),
    ("log of the lost", "\r", "run 2  "),
    ("log, top", "g", ""),
    ("search log", "/q\r", ""),
    ("left for the runs", "q", "D delete"),
    ("log of the failed", "j\r", "run 1  "),
    ("to the right", "\x1b[C\x1b[C", ""),
    ("discussion", "d", "discussion page"),
    ("discussion closed", ESC, "!esc close"),
    ("log's path", "y", "sent to|to your terminal|not copied"),
    ("again", "r", "again?"),
    ("not again", "n", "!the marked one"),
    ("left", "q", "D delete"),
    ("runs left", "q", "esc back"),
    ("detail left", ESC, "⏎ detail"),
    ("search empty", ESC, ""),
    ("trending", "2", "ranking of"),
    ("task", "t", "Task of the rankings"),
    ("another task", "text-gen\r", "acme/poisoned"),
    ("ranked", "j\r", "esc back"),
    ("ranked, end", END, ""),
    ("ranked left", "q", "⏎ detail"),
    ("downloads", "3", "ranking of"),
    ("help", "?", "keys and signs"),
    ("help closed", ESC, "!esc close"),
)
"""What is done, the keys, and one of the words that are then on the screen; with `!` before them: no longer."""

_UNFINISHED = re.compile(rb"(?:\x1b\[?[0-9;?<=>$]*|[\xc2-\xf4][\x80-\xbf]*)\Z")
"""What a read may end in the middle of."""
COPIES = frozenset(
    (
        *("run.py copied", "install line", "graphs line", "model id", "error copied", "Hub page", "command"),
        *("log's path", "comparison copied", "stacks copied"),
    )
)

VERBS: tuple[tuple[str, ...], ...] = (
    ("doctor",),
    ("list",),
    ("stacks",),
    ("runs",),
    ("runs", "show", "1"),
    ("runs", "show", "2"),
    ("runs", "log", "1"),
    ("show", MODEL),
    ("compare", MODEL),
    ("show", "poisoned"),
    ("script", MODEL),
    ("list", "--view", "trending"),
    ("completion", "bash"),
    ("sql", "select * from records"),
    ("command", "install", MODEL),
    ("command", "cache", MODEL),
    ("command", "run", MODEL),
    ("run", MODEL, "--dry-run"),
    ("refresh",),
    ("runs", "show", "HOSTILE"),
    ("show", "HOSTILE"),
    ("list", "--neuronx-cc", "HOSTILE"),
    ("HOSTILE",),
    ("--HOSTILE",),
    ("--theme", "HOSTILE"),
    ("--dataset", "HOSTILE", "list"),
    ("--python", "HOSTILE", "run", MODEL),
    ("script", MODEL, "-o", "/nowhere/HOSTILE"),
    ("list", "--search", "HOSTILE"),
    ("--data", "/nowhere/HOSTILE", "list"),
    ("--data", "DATA", "list"),
    ("--data", "DATA", "doctor"),
    ("sql", "HOSTILE"),
    ("command", "run", MODEL, "--python", "HOSTILE"),
)


@dataclass
class Seen:
    """What came of one or more programs."""

    faults: list[str] = field(default_factory=list)
    places: set[str] = field(default_factory=set)
    interpreted: set[str] = field(default_factory=set)
    """Where markup was read; of a log's escapes nothing is shown, so that it counts for markup alone."""
    copied: list[bytes] = field(default_factory=list)
    waited: dict[str, float] = field(default_factory=dict)
    """Step -> seconds from the key to the first byte of an answer."""


class Screen(Terminal):
    """The emulator's own reading of its lines fails at a combining mark without a letter."""

    @property
    def lines(self) -> list[str]:
        screen = self._screen
        return ["".join(screen.buffer[y][x].data for x in range(screen.columns)) for y in range(screen.lines)]


def environ_of(world: World) -> dict[str, str]:
    return {
        "PATH": "/usr/bin:/bin",
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "COLORTERM": "truecolor",
        **world.environ,
    }


def app(world: World, *arguments: str) -> Seen:
    """The app with every key of `APP`."""
    seen = Seen()
    at, held = 0, b""
    with Screen([sys.executable, "-m", "tui", *arguments], environ_of(world), world.folder, size=SIZE) as terminal:
        terminal.shown(lambda lines: any(MODEL in line for line in lines))
        for step, keys, words in (("start", "", ""), *APP):
            if not _came(terminal, keys, words):
                seen.faults.append(f"{step}: not shown: {words}\n{terminal.text}")
                break
            now = len(terminal.chunks)
            data = held + b"".join(part for _, part in terminal.chunks[at:now])
            whole = _UNFINISHED.sub(b"", data)
            held, data = data[len(whole) :], whole
            if terminal.process.poll() is not None:
                seen.faults.append(f"{step}: the app has ended:\n{terminal.text}")
                break
            seen.copied += terminal_bytes.copied(data)
            seen.faults += [
                f"{step}: {fault}" for fault in terminal_bytes.faults_of(data, SIZE, copying=step in COPIES)
            ]
            screen = terminal.text
            seen.places |= world.seen(screen)
            seen.interpreted |= {f"{step}: {place}" for place in world.interpreted(screen)}
            if now > at and keys:
                seen.waited[step] = terminal.chunks[at][0] - terminal.since
            at = now
        else:
            terminal.key("qq")
            terminal.ended()
    return seen


def _came(terminal: Terminal, keys: str, words: str) -> bool:
    """Type, and wait for one of the words; where a screen still looks at the machine, it is asked again."""
    for _ in range(3):
        terminal.key(keys)
        if keys == ESC:
            time.sleep(0.15)  # Textual waits so long for the rest of a sequence
        terminal.until_silent(0.08)
        if not words or terminal.process.poll() is not None:
            return True
        try:
            terminal.shown(_says(words.split("|")), 6)
        except NotShownError:
            continue
        return True
    return False


def _says(words: Sequence[str]) -> Callable[[Sequence[str]], bool]:
    return lambda lines: any(
        all(word[1:] not in line for line in lines) if word[0] == "!" else any(word in line for line in lines)
        for word in words
    )


_ALL_VERBS = """
import json, sys, time
from tui.cli.command import run
for words in json.load(open(sys.argv[1])):
    print("\\n==== " + ascii(words), flush=True)
    began = time.perf_counter()
    code = run(words)
    print("\\n==== ended with", code, "after", round(time.perf_counter() - began, 2), flush=True)
"""


def verbs(world: World) -> Seen:
    """Every verb in one process, with stdout and stderr on a terminal."""
    hostile = world.text("argument").replace("\0", "")
    asked = world.folder / "verbs.json"
    asked.write_text(
        json.dumps(
            [[word.replace("HOSTILE", hostile).replace("DATA", str(world.data)) for word in words] for words in VERBS]
        )
    )
    argv = [sys.executable, "-c", _ALL_VERBS, str(asked)]
    seen = Seen()
    with Screen(argv, environ_of(world), world.folder, size=SIZE) as terminal:
        terminal.ended(120)
        terminal.until_silent(0.2)
        data = b"".join(part for _, part in terminal.chunks)
    for part in data.split(b"\n==== ")[1:]:
        verb, _, rest = part.partition(b"\n")
        seen.faults += [f"{verb[:60]!r}: {fault}" for fault in terminal_bytes.faults_of(rest, SIZE)]
        seen.places |= world.seen(rest.decode(errors="replace"))
    if data.count(b"==== ended with") != len(VERBS):
        seen.faults.append(f"not every verb ended: {data[-500:]!r}")
    return seen
