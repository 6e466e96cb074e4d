"""Asking a person on the terminal. No is the answer when nothing is typed."""

from __future__ import annotations

import sys

from tui.cli.output import is_terminal, let_ctrl_c_interrupt, say, write
from tui.errors import EXIT_INTERRUPTED, UsageError
from tui.terminal_text import clean

ANSWERED_NO = EXIT_INTERRUPTED
"""Exit code when a person answered No: what was asked for did not happen."""


def can_ask() -> bool:
    """Whether there is somebody to ask: the answer comes from stdin, the question goes to stderr."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def need_an_answer(yes: bool, what: str) -> None:
    """Raise `UsageError` where `yes` was not given and nobody can be asked; `what` is a sentence's end."""
    if not yes and not can_ask():
        raise UsageError(
            f"Nobody can be asked {what}",
            "There is no terminal to ask on, so nothing was done.",
            "Give --yes when you mean it.",
        )


def ask(question: str, to_read: str = "") -> bool:
    """Ask on stderr; True for `y` or `yes`, whatever the case. Ctrl+C raises KeyboardInterrupt.

    The answer `s` shows `to_read`, a text that may come from outside, and asks again.
    """
    while True:
        answer = _answer(f"{clean(question)} [y/N] ").strip().casefold()
        if answer != "s" or not to_read:
            return answer in {"y", "yes"}
        say(to_read)


def _answer(prompt: str) -> str:
    write(prompt, sys.stderr)
    sys.stderr.flush()
    let_ctrl_c_interrupt()
    try:
        answer = sys.stdin.readline()
    except KeyboardInterrupt:
        write("\n", sys.stderr)
        raise
    except UnicodeDecodeError:
        return ""
    if not answer.endswith("\n"):
        write("\n", sys.stderr)  # Ctrl+D ends the question and leaves the line
    return answer
