"""What `doctor` looks at of the machine: terminal, clipboard, devices, Pythons, runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping

from tui import clipboard, numbers
from tui.cli.findings import Finding, Level
from tui.cli.output import can_place_text, is_terminal
from tui.errors import TrnModelsError
from tui.settings import Settings

SMALLEST = (80, 24)
"""Columns and lines that the app needs to be read without leaving things out."""

_SSH = ("SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT")
_STACK = ("torch-neuronx", "neuronx-cc", "torch", "transformers")


def terminal(environ: Mapping[str, str]) -> Iterator[Finding]:
    """What the terminal is, and what lies between it and this process."""
    term, size = environ.get("TERM", ""), _size()
    encoding = (sys.stdout.encoding if sys.stdout is not None else None) or "unknown"
    between = clipboard.look_around(environ, 0).multiplexer
    parts = [
        f"TERM={term or '(not set)'}",
        f"{size[0]}x{size[1]}" if size else "no terminal here",
        encoding.lower(),
        _colours(environ),
        f"in {between}" if between else "",
        "over ssh" if any(environ.get(name) for name in _SSH) else "",
    ]
    level, advice = Level.OK, ""
    if size and not (term and can_place_text(environ)):
        level, advice = Level.WARNING, "The app needs a TERM that can place text, such as xterm-256color."
    elif "utf" not in encoding.lower():
        level, advice = Level.WARNING, "Signs become ASCII; for others set LC_ALL=C.UTF-8."
    elif size and (size[0] < SMALLEST[0] or size[1] < SMALLEST[1]):
        level, advice = Level.WARNING, f"Make it larger: {SMALLEST[0]}x{SMALLEST[1]} shows everything."
    yield Finding(level, "terminal", ", ".join(filter(None, parts)), advice)


def copies(settings: Settings, environ: Mapping[str, str]) -> Iterator[Finding]:
    """The ways of a copy from here."""
    around = clipboard.look_around(environ, settings.osc52_limit)
    if clipboard.route(around, 1):
        yield Finding(Level.OK, "clipboard", clipboard.describe(around))
    else:
        yield Finding(Level.WARNING, "clipboard", clipboard.describe(around), "In the app w writes to a file instead.")


def devices(settings: Settings, environ: Mapping[str, str]) -> Iterator[Finding]:
    """The Neuron devices, and what could not be found out of them."""
    from tui.host import neuron

    host = neuron.look(neuron.Roots.below(settings.host_root), environ)
    text = neuron.in_words(host)[0] + (f", driver {host.driver}" if host.driver else "")
    if host.devices:
        yield Finding(Level.OK, "host", text)
    else:
        advice = "Models run on a trn2 host. Any other shows records, and run --any-host tries the app."
        yield Finding(Level.WARNING, "host", text, advice)
    for remark in host.remarks:
        yield Finding(Level.WARNING if host.devices else Level.OK, "host", remark)


def pythons(settings: Settings, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Every Python that could run a run.py, with the stack that it has, and the one that is taken."""
    from tui.host import interpreters

    found = interpreters.ask_all(interpreters.candidates(settings.python, environ))
    taken = interpreters.preferred(found)
    for each in found:
        has = [f"{name} {each.packages[name]}" for name in _STACK if name in each.packages]
        parts = [f"{each.name} ({each.origin})", f"Python {each.version}" if each.version else "", *has]
        text = ", ".join(filter(None, parts)) + ("; it is the one that is taken" if each is taken else "")
        if each.problem:
            yield Finding(Level.WARNING, "Python", f"{text}: {each.problem}", "Name another one with --python.")
        else:
            yield Finding(Level.OK, "Python", text)
    if taken is None or "torch-neuronx" not in taken.packages:
        what = "no Python was found that can run a run.py" if taken is None else "the one that is taken has no stack"
        advice = "On a trn2 host name one that has torch-neuronx: --python PATH, or TRN_MODELS_PYTHON."
        yield Finding(Level.WARNING, "Python", what, advice)


def own_runs(settings: Settings) -> Iterator[Finding]:
    """Runs of this app: how many, how many of them go on, and how many were lost."""
    from tui.rerun import runs

    try:
        found = runs.listed(settings)
    except TrnModelsError as error:
        yield Finding(Level.PROBLEM, "own runs", f"{error.title}: {error.detail}", error.remedy)
        return
    live = sum(run.live for run in found)
    lost = [run.id for run in found if run.state is runs.State.LOST]
    yield Finding(Level.OK, "own runs", f"{numbers.counted(len(found), 'run')}, {live} of them live")
    if lost:
        named = ", ".join(map(str, lost[:5])) + (" …" if len(lost) > 5 else "")
        advice = f"See trn-models runs show {lost[0]}; stop ends what is left of one, delete removes it."
        yield Finding(Level.WARNING, "own runs", f"{numbers.counted(len(lost), 'run')} lost: {named}", advice)


def _size() -> os.terminal_size | None:
    for stream in (sys.stdout, sys.stderr, sys.stdin):
        if is_terminal(stream):
            return os.get_terminal_size(stream.fileno())
    return None


def _colours(environ: Mapping[str, str]) -> str:
    if environ.get("NO_COLOR"):
        return "no colours (NO_COLOR)"
    if environ.get("COLORTERM", "").lower() in {"truecolor", "24bit"}:
        return "true colour"
    return "256 colours" if "256" in environ.get("TERM", "") else "16 colours or fewer"
