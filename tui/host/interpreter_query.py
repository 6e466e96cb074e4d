"""What a Python says of itself when a small program asks it: version, folders, installed distributions.

The program runs in Pythons that are older than the app, or far away in a container, so it is text for `-c`, with
nothing but the standard library, and it parses on every Python that people still have. It imports none of the
packages that it reports.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tui.errors import TrnModelsError
from tui.process import Finished, run_bounded, signal_name
from tui.terminal_text import last_line

_LINE_LIMIT: Final = 200
"""Characters of a program's last error line that are shown."""

# The empty entry is the folder that the person happens to be in. The mark comes as an argument and is followed
# by a colon only in the answer: a program that repeats its arguments gives none.
_PROGRAM: Final = r"""
import sys
sys.path[:] = [folder for folder in sys.path if folder]
import json
mark, names = sys.argv[1], sys.argv[2:]
said = {
    "version": "%d.%d.%d" % tuple(sys.version_info[:3]),
    "executable": sys.executable,
    "prefix": sys.prefix,
    "site_packages": [],
    "packages": {},
    "has_pip": False,
}
if sys.version_info >= (3, 8):
    import importlib.metadata, importlib.util, os, site, sysconfig
    own = list(getattr(site, "getsitepackages", list)())
    if site.ENABLE_USER_SITE:
        own.append(site.getusersitepackages())
    own += [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    left = set(os.path.realpath(folder) for folder in own if folder)
    for folder in sys.path:
        if os.path.realpath(folder) in left and os.path.isdir(folder):
            left.remove(os.path.realpath(folder))
            said["site_packages"].append(folder)
    for name in names:
        try:
            version = importlib.metadata.version(name)
        except Exception:
            continue
        if version:
            said["packages"][name] = version
    try:
        said["has_pip"] = importlib.util.find_spec("pip") is not None
    except Exception:
        pass
sys.stdout.write("\n" + mark + ":" + json.dumps(said) + "\n")
sys.stdout.flush()
"""


def describe(argv: Sequence[str], distributions: Iterable[str], timeout_s: float) -> dict[str, Any]:
    """The answer of the Python that `argv` starts, as it came.

    Its keys: `version` (`3.12.4`), `executable`, `prefix`, `site_packages` (folders in the order of sys.path),
    `packages` (each of `distributions` that is installed -> version), `has_pip`. Before Python 3.8 the last three are
    empty. Raises `TrnModelsError`; its title is the reason in few words, without the name of the program.
    """
    mark = f"trn-models-{secrets.token_hex(8)}"
    try:
        finished = run_bounded([*argv, "-c", _PROGRAM, mark, *distributions], timeout_s=timeout_s, env=environment())
    except TrnModelsError as error:
        raise TrnModelsError(_not_started(argv[0], error)) from error
    answer = _answer(finished.stdout, mark)
    if answer is None:
        raise TrnModelsError(_no_answer(finished, timeout_s))
    return answer


def environment() -> Mapping[str, str]:
    """The environment without what would make every Python believe that it is another one."""
    return {name: value for name, value in os.environ.items() if name not in {"PYTHONHOME", "__PYVENV_LAUNCHER__"}}


def _answer(said: str, mark: str) -> dict[str, Any] | None:
    _, _, rest = said.partition(f"{mark}:")
    try:
        answer, _ = json.JSONDecoder().raw_decode(rest)
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) and isinstance(answer.get("version"), str) else None


def _not_started(program: str, error: TrnModelsError) -> str:
    if "/" not in program:
        return "no such program on PATH"
    path = Path(program)
    try:
        if path.is_dir():
            return "a folder, not a program"
        if path.is_file():
            return error.detail.rpartition(": ")[2] if os.access(path, os.X_OK) else "not executable"
        if path.is_symlink():
            return "a link to nothing"
    except OSError as closed:
        return (closed.strerror or str(closed)).lower()
    return "no such file"


def _no_answer(finished: Finished, timeout_s: float) -> str:
    if finished.timed_out:
        return f"did not answer within {timeout_s:g} s"
    if finished.returncode == 0:
        return "not Python: it did not answer what it was asked"
    if finished.returncode < 0:
        ended = f"ended by {signal_name(-finished.returncode)}"
    else:
        ended = f"exit code {finished.returncode}"
    line = last_line(finished.stderr) or last_line(finished.stdout)
    return f"{ended}: {_shortened(line)}" if line else ended


def _shortened(line: str) -> str:
    return line if len(line) <= _LINE_LIMIT else f"{line[: _LINE_LIMIT - 1]}…"
