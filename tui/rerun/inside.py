"""Interpreters that are a command line into a container, such as `docker exec -i NAME python`.

Ending such a client ends nothing inside. So a small program in the container starts the script as its own child, and
a second one, started through the same command line, signals by the run's token what the run started there.
"""

from __future__ import annotations

import json
import os
import signal
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from tui.errors import TrnModelsError
from tui.process import run_bounded
from tui.rerun.identity import TOKEN_VARIABLE
from tui.rerun.run_environment import NEURON_TOOLS
from tui.rerun.secret_values import masked_line
from tui.terminal_text import clean, last_line

ASK_TIMEOUT_S = 15.0
"""For one look inside; starting a process in a container takes a fraction of a second."""

# The second program knows the first by its last argument, and so what descends from it also when that dropped its
# environment: the first is the sub-reaper there (36 is PR_SET_CHILD_SUBREAPER). It is never signalled, as it ends by
# itself after its child and removes its folder.
BOOTSTRAP = """
import json, os, shutil, subprocess, sys, tempfile
given = json.loads(sys.stdin.buffer.readline())
try:
    import ctypes
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
except (ImportError, OSError, AttributeError):
    pass
folder = tempfile.mkdtemp(prefix="trn-models-")
try:
    if given["script"] is not None:
        with open(os.path.join(folder, "run.py"), "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            file.write(given["script"])
    environment = dict(os.environ)
    environment.pop("PYTHONHOME", None)
    environment.update(given["environment"])
    first = [os.path.dirname(sys.executable), given["tools"], environment.get("PATH", os.defpath)]
    environment["PATH"] = os.pathsep.join(first)
    words = given["argv"]
    if words[0] in ("python", "python3"):
        words[0] = sys.executable
    try:
        child = subprocess.Popen(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
    except OSError as error:
        print("trn-models: " + words[0] + ": " + str(error), file=sys.stderr)
        code = 127
    else:
        code = child.wait()
finally:
    shutil.rmtree(folder, ignore_errors=True)
sys.exit(code if code >= 0 else 128 - code)
"""

KILLER = """
import json, os, signal, sys
entry, mark, name = sys.argv[1:4]
def read(pid, name):
    try:
        with open("/proc/%d/%s" % (pid, name), "rb") as file:
            return b"\\0" + file.read().rstrip(b"\\0") + b"\\0"
    except OSError:
        return b""
def holds(pid, name, word):
    return b"\\0" + word.encode() + b"\\0" in read(pid, name)
def look():
    children, waiting, starters, zombies = {}, [], set(), set()
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        fields = read(pid, "stat").rpartition(b")")[2].split()
        if pid == os.getpid() or len(fields) < 2:
            continue
        children.setdefault(int(fields[1]), []).append(pid)
        if fields[0] in b"ZX":
            zombies.add(pid)
        if holds(pid, "cmdline", mark):
            starters.add(pid)
            waiting.append(pid)
        elif holds(pid, "environ", entry):
            waiting.append(pid)
    found = set()
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting.extend(children.get(pid, ()))
    return found - starters - zombies
# One look can miss the child of a process that ends meanwhile.
found = look() or look()
signalled = []
for pid in sorted(found) if name else ():
    command = read(pid, "cmdline").strip(b"\\0").replace(b"\\0", b" ").decode("utf-8", "replace")
    try:
        os.kill(pid, getattr(signal, name))
        signalled.append("pid %d %s" % (pid, command[:120]))
    except OSError:
        pass
print()
print(json.dumps({"left": len(found), "signalled": signalled}))
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a look inside found."""

    left: int | None
    """Processes of the run that were alive there; None when nobody could tell."""
    signalled: tuple[str, ...] = ()
    """`pid 12 python run.py` of each that was signalled; the pids are those inside."""
    trouble: str = ""
    """Why nobody could tell."""


def start_argv(elsewhere: Sequence[str], token: str) -> list[str]:
    """The command that starts a run inside; its stdin is `handed_over`."""
    return [*elsewhere, "-c", BOOTSTRAP, _mark(token)]


def handed_over(script: str | None, argv: Sequence[str], environment: Mapping[str, str], token: str) -> BinaryIO:
    """A file with the line that the program inside reads. It is in memory where the system can do that: it has secrets.

    `environment` is set there, apart from PATH: what is first on it here would not be found there. The folder of the
    Python inside, which has its neuronx-cc, and the Neuron tools come first instead.
    """
    inside = {name: value for name, value in environment.items() if name != "PATH"} | {TOKEN_VARIABLE: token}
    given = {"script": script, "argv": [*argv], "environment": inside, "tools": NEURON_TOOLS}
    if hasattr(os, "memfd_create"):
        file: BinaryIO = os.fdopen(os.memfd_create("trn-models"), "w+b")
    else:
        file = tempfile.TemporaryFile()  # noqa: SIM115
    file.write(json.dumps(given).encode() + b"\n")
    file.flush()
    file.seek(0)
    return file


def signal_inside(
    elsewhere: Sequence[str], token: str, number: signal.Signals | None, *, timeout_s: float = ASK_TIMEOUT_S
) -> Answer:
    """Signal all processes of a run inside, or with None only count them. Raises nothing."""
    name = number.name if number is not None else ""
    argv = [*elsewhere, "-c", KILLER, f"{TOKEN_VARIABLE}={token}", _mark(token), name]
    try:
        finished = run_bounded(argv, timeout_s=timeout_s)
    except TrnModelsError as error:
        return Answer(None, trouble=clean(error.title))
    if finished.timed_out:
        return Answer(None, trouble=f"no answer within {timeout_s:.0f} s")
    try:
        said = json.loads(finished.stdout.strip().rpartition("\n")[2])
        return Answer(int(said["left"]), tuple(clean(masked_line(str(word))) for word in said["signalled"]))
    except (ValueError, TypeError, KeyError):
        return Answer(None, trouble=last_line(finished.stderr) or f"exit code {finished.returncode}")


def _mark(token: str) -> str:
    return f"trn-models-run-{token}"
