"""Packages on top of an interpreter: a venv of the app's own that sees the packages of the chosen one.

A venv that is made from a venv with system site packages sees those of the base Python and not those of the venv
(https://docs.python.org/3/library/venv.html: `home` is the base). So the overlay is a plain venv, and a `.pth` in it
adds the folders of the chosen interpreter behind its own: what pip puts into the overlay wins, and the interpreter
stays as it is. pip is held to the interpreter's Neuron stack by a constraints file.

`main` is a step that the supervisor runs. The same step with `--own` installs into the interpreter itself.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

from tui import file_lock
from tui.atomic_file import replacing
from tui.catalog.tested_packages import STACK_PACKAGES
from tui.errors import EXIT_USAGE, UsageError
from tui.host.interpreter_query import environment
from tui.host.interpreters import NAMED, Candidate, Interpreter, ask, forget
from tui.process import module_argv
from tui.rerun.step_commands import Stop, run, say, stoppable

MARKER: Final = "trn-models.json"
"""The file in an overlay that tells what it was made of; `made_at` in it is null until all of it is there."""
CONSTRAINTS: Final = "constraints.txt"
"""What pip may not change: the stack that the compiled graphs and the driver go with."""

# The last of the .pth files by name: a folder that another one adds still comes before the interpreter's.
_PTH: Final = "zzz_trn_models_interpreter.pth"
_LAUNCHERS: Final = {"torchrun": "torch.distributed.run", "accelerate": "accelerate.commands.accelerate_cli"}
"""Console script -> the module that it calls; they start a script with their own Python."""
_LOCK_WAIT_S: Final = 0.2
_OTHER_PLACES: Final = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT")
"""Settings of pip that would put packages elsewhere."""


def folder(cache_dir: Path, interpreter: Interpreter, packages: Sequence[str]) -> Path:
    """Where the overlay with these requirements on top of this interpreter is, or will be made."""
    base = interpreter.prefix or interpreter.name
    about = json.dumps([base, interpreter.version, sorted(packages)])
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", Path(base).name).strip(".-") or "python"
    return cache_dir / "overlays" / f"{name[:40]}-{hashlib.sha256(about.encode(errors='replace')).hexdigest()[:12]}"


def install_argv(interpreter: Interpreter, into: Path | None, packages: Sequence[str]) -> list[str]:
    """The step that installs `packages` (requirements such as `transformers==5.23.1`) on top of an interpreter.

    `into` is the folder of the overlay; None installs into the interpreter itself. For an interpreter elsewhere that
    is the whole command line, with its stack pinned beside the packages. Raises `UsageError` for an overlay there:
    a folder of this machine is not seen inside.
    """
    if interpreter.elsewhere:
        if into is not None:
            raise UsageError(
                "No overlay can be made there",
                f"«{interpreter.name}» leads to another place, which does not see the folders of this one.",
                "Install the packages inside, or choose an interpreter of this machine.",
            )
        pins = [f"{name}=={version}" for name, version in _constraints(interpreter).items()]
        return [*interpreter.argv, "-m", "pip", "install", "--no-input", *packages, *pins]
    where = ["--own"] if into is None else ["--into", str(into)]
    return module_argv("tui.rerun.overlay", "--python", _python_of(interpreter), *where, "--", *packages)


def pip_line(interpreter: Interpreter, into: Path | None, packages: Sequence[str]) -> str:
    """The command of pip within that step, as a shell line; the constraints file is written before it runs."""
    if interpreter.elsewhere:
        return shlex.join(install_argv(interpreter, into, packages))
    python = _python_of(interpreter) if into is None else str(_overlay_python(into))
    return shlex.join(_pip(python, Path(CONSTRAINTS) if into is None else into / CONSTRAINTS, packages))


def of(into: Path, interpreter: Interpreter, packages: Sequence[str]) -> Interpreter | None:
    """The overlay as an interpreter, asked anew.

    None when it is not there or not complete, was made for other packages, or the interpreter changed since.
    """
    if interpreter.elsewhere or not _complete(into, _made_of(interpreter, packages)):
        return None
    candidate = Candidate((str(_overlay_python(into)),), "overlay")
    forget(candidate.argv)
    names = [Requirement(package).name for package in packages]
    asked = ask(candidate, {*names, *interpreter.packages})
    return None if asked.problem else asked


def main(arguments: Sequence[str]) -> int:
    """`--python PATH (--into FOLDER | --own) -- REQUIREMENT ...`; the exit code is that of the command that failed.

    Prints what it does, and each command before it runs. SIGINT, SIGTERM and SIGHUP end it and all that it started,
    with 128 + the number of the signal.
    """
    parser = argparse.ArgumentParser(prog="overlay")
    parser.add_argument("--python", required=True, help="the interpreter that is kept as it is")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--into", type=Path, help="the folder of the overlay")
    where.add_argument("--own", action="store_true", help="install into the interpreter itself")
    parser.add_argument("requirements", nargs="+")
    chosen = parser.parse_args(arguments)
    try:
        for requirement in chosen.requirements:
            Requirement(requirement)
    except InvalidRequirement as error:
        say(f"«{requirement}» is no requirement: {error}")
        return EXIT_USAGE
    interpreter = ask(Candidate((chosen.python,), NAMED))
    if interpreter.problem:
        say(f"{chosen.python}: {interpreter.problem}")
        return 1
    with stoppable() as stop:
        try:
            if chosen.own:
                return _into_interpreter(interpreter, chosen.requirements, stop)
            return _into_overlay(interpreter, chosen.into.absolute(), chosen.requirements, stop)
        except OSError as error:
            say(str(error))
            return 1


def _into_interpreter(interpreter: Interpreter, requirements: Sequence[str], stop: Stop) -> int:
    if not interpreter.has_pip:
        say(f"{interpreter.name} has no pip; it is left as it is")
        return 1
    say(f"into {interpreter.prefix} itself")
    with tempfile.TemporaryDirectory(prefix="trn-models-") as work:
        return _install(
            interpreter, _python_of(interpreter), Path(work), requirements, environ=environment(), stop=stop
        )


def _into_overlay(interpreter: Interpreter, into: Path, requirements: Sequence[str], stop: Stop) -> int:
    about = _made_of(interpreter, requirements)
    environ = {name: value for name, value in environment().items() if name not in _OTHER_PLACES}
    environ["PIP_USER"] = "0"
    into.parent.mkdir(parents=True, exist_ok=True)
    with _alone(into, stop):
        if stop.number:
            return stop.exit_code
        if _complete(into, about):
            say(f"overlay venv {into} is there already")
            return 0
        if not _emptied(into):
            return 1
        say(f"overlay venv {into} on top of {interpreter.prefix}")
        into.mkdir()
        _write_marker(into, about, None)
        code = run([_python_of(interpreter), "-m", "venv", "--without-pip", str(into)], into, environ, stop)
        if code:
            return code
        _see(interpreter, into)
        python = str(_overlay_python(into))
        if not interpreter.has_pip:
            say("the interpreter has no pip: the overlay gets its own")
            code = run([python, "-m", "ensurepip"], into, environ, stop)
        code = code or _install(interpreter, python, into, requirements, environ=environ, stop=stop)
        if not code:
            _bring_launchers(interpreter, into)
            _write_marker(into, about, datetime.now(UTC))
            say(f"overlay venv {into} is complete")
        return code


def _install(
    interpreter: Interpreter,
    python: str,
    work: Path,
    requirements: Sequence[str],
    *,
    environ: Mapping[str, str],
    stop: Stop,
) -> int:
    """pip, held to the interpreter's stack; then a look whether it kept to that."""
    constraints = _constraints(interpreter)
    for name, version in constraints.items():
        say(f"stays: {name} {version}")
    file = work / CONSTRAINTS
    file.write_text("".join(f"{name}=={version}\n" for name, version in constraints.items()), encoding="utf-8")
    code = run(_pip(python, file, requirements), work, environ, stop)
    if code:
        return code
    forget((python,))
    names = [Requirement(requirement).name for requirement in requirements]
    now = ask(Candidate((python,), "overlay"), names)
    if now.problem:
        say(f"{python}: {now.problem}")
        return 1
    for name in STACK_PACKAGES:
        before, after = interpreter.packages.get(name), now.packages.get(name)
        if before is not None and after != before:
            say(f"{name} was {before} and is now {after or 'not found'}: the packages do not fit on this stack")
            code = 1
    return code


def _pip(python: str, constraints: Path, requirements: Sequence[str]) -> list[str]:
    return [python, "-m", "pip", "install", "--no-input", "--constraint", str(constraints), *requirements]


def _python_of(interpreter: Interpreter) -> str:
    """The path that it gave itself: a shim may choose another Python in another folder."""
    return interpreter.executable or interpreter.argv[0]


def _overlay_python(into: Path) -> Path:
    return into / "bin" / "python"


def _constraints(interpreter: Interpreter) -> dict[str, str]:
    return {name: interpreter.packages[name] for name in STACK_PACKAGES if _pinnable(interpreter.packages.get(name))}


def _pinnable(version: str | None) -> bool:
    try:
        return version is not None and bool(Version(version))
    except InvalidVersion:
        return False


def _see(interpreter: Interpreter, into: Path) -> None:
    """Add the interpreter's folders with their own .pth files, in its order, behind the overlay's."""
    (own,) = into.glob("lib/python*/site-packages")
    # In ASCII: Python reads .pth files in the locale's encoding before 3.13.
    lines = [f"import site; site.addsitedir({place!a})\n" for place in interpreter.site_packages]
    (own / _PTH).write_text("".join(lines), encoding="ascii")


def _bring_launchers(interpreter: Interpreter, into: Path) -> None:
    """The interpreter's own start it, not the overlay: what they launch would miss the packages on top."""
    for name, module in _LAUNCHERS.items():
        script = into / "bin" / name
        if not script.exists() and (Path(interpreter.bin_folder) / name).is_file():
            script.write_text(f'#!/bin/sh\nexec {shlex.quote(str(_overlay_python(into)))} -m {module} "$@"\n')
            script.chmod(0o755)


def _made_of(interpreter: Interpreter, requirements: Sequence[str]) -> dict[str, Any]:
    return {
        "requirements": sorted(requirements),
        "python": interpreter.executable,
        "prefix": interpreter.prefix,
        "version": interpreter.version,
        "site_packages": list(interpreter.site_packages),
        "stack": {name: interpreter.packages[name] for name in STACK_PACKAGES if name in interpreter.packages},
    }


def _complete(into: Path, about: Mapping[str, Any]) -> bool:
    try:
        kept = json.loads((into / MARKER).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    if not isinstance(kept, dict):
        return False
    made_at = kept.pop("made_at", None)
    return isinstance(made_at, str) and kept == about


def _write_marker(into: Path, about: Mapping[str, Any], made_at: datetime | None) -> None:
    with replacing(into / MARKER, durable=True) as part:
        text = json.dumps({**about, "made_at": made_at and made_at.isoformat(timespec="seconds")}, indent=2)
        part.write_text(f"{text}\n", encoding="utf-8")


def _emptied(into: Path) -> bool:
    """Remove a half-made or outdated overlay; a folder that is none stays, and False says so."""
    if not into.exists():
        return True
    if any(into.iterdir()) and not (into / MARKER).is_file():
        say(f"{into} is no overlay venv of this app; nothing was removed")
        return False
    say(f"overlay venv {into} is half made or outdated: made again")
    shutil.rmtree(into)
    return True


@contextmanager
def _alone(into: Path, stop: Stop) -> Iterator[None]:
    """Nobody else makes this overlay meanwhile. With a stop the block begins without the lock."""
    lock, told = None, False
    while lock is None and not stop.number:
        try:
            lock = file_lock.take(into.with_name(f"{into.name}.lock"), _LOCK_WAIT_S)
        except TimeoutError:
            if not told:
                say(f"waiting for another install into {into}")
                told = True
    try:
        yield
    finally:
        if lock is not None:
            file_lock.let_go(lock)
