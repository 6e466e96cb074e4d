"""The Pythons that can run a run.py, and the stack that each has. None of them imports torch to tell."""

from __future__ import annotations

import os
import queue
import re
import shlex
import sys
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from packaging.utils import canonicalize_name

from tui.errors import TrnModelsError
from tui.host import interpreter_places
from tui.host.interpreter_query import describe
from tui.terminal_text import clean

PACKAGES = (
    "torch", "torch-neuronx", "neuronx-cc", "nki", "transformers", "accelerate", "huggingface-hub", "safetensors",
    "tokenizers", "torchvision", "diffusers", "sentence-transformers",
)  # fmt: skip
"""Distribution names that every interpreter is asked for, in the order in which they are shown."""

NAMED: Final = "--python"
"""The origin of the one that a person named, by flag or setting."""

TIME_LIMIT_S: Final = 20.0
OLDEST: Final = (3, 8)
"""Before this Python there is no importlib.metadata."""

_NOTHING: Mapping[str, str] = MappingProxyType({})
_AT_ONCE: Final = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A Python that could run a script, not asked yet."""

    argv: tuple[str, ...]
    """A path alone, or a command line such as `docker exec -i NAME python`."""
    origin: str
    """Where it was found, in words: `--python`, `VIRTUAL_ENV`, `conda`, `/opt`, `home folder`, `PATH`."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python with what it said of itself."""

    argv: tuple[str, ...]
    origin: str
    version: str | None = None
    """`3.12.4`; None when it could not be asked."""
    executable: str | None = None
    """sys.executable as it says; inside the container for a command line."""
    prefix: str | None = None
    site_packages: tuple[str, ...] = ()
    """Folders of its own packages, in the order of sys.path."""
    packages: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """Normalised distribution name -> version."""
    has_pip: bool = False
    problem: str = ""
    """Why it could not be asked, or cannot be used; empty when all is well."""

    @property
    def elsewhere(self) -> bool:
        """Whether it is a command line that leads into a container or to another place."""
        return len(self.argv) > 1

    @property
    def bin_folder(self) -> str:
        """The folder of the executable: `neuronx-cc` lies there; empty when not known."""
        return str(Path(self.executable).parent) if self.executable else ""

    @property
    def name(self) -> str:
        """How people see it: the path, or the command line."""
        return shlex.join(self.argv)


def candidates(
    setting: str | None, environ: Mapping[str, str], *, home: Path | None = None, opt: Path = Path("/opt")
) -> tuple[Candidate, ...]:
    """Pythons in the order in which they are preferred, each once; the app's own is never among them by default.

    `setting` is `--python` or the setting of that name: a path, or a command line. Raises `UsageError` for words
    that no shell could split.
    """
    home = home or interpreter_places.home_folder(environ)
    named = interpreter_places.named(setting, environ, home)
    chosen = [Candidate(named, NAMED)] if named else []
    seen = {interpreter_places.own()}
    if len(named) == 1:
        seen.add(interpreter_places.of(Path(named[0])))
    for path, origin in interpreter_places.found(environ, home, opt):
        place = interpreter_places.of(path)
        if place not in seen:
            seen.add(place)
            chosen.append(Candidate((str(path),), origin))
    return tuple(chosen)


def ask(candidate: Candidate, also: Collection[str] = (), *, timeout_s: float = TIME_LIMIT_S) -> Interpreter:
    """Ask a Python for its version and packages (PACKAGES and the distributions named in `also`). Raises nothing.

    Each is asked once in the life of this process, unless `forget` was called or `also` names something new.
    """
    names = {*PACKAGES, *(str(canonicalize_name(name)) for name in also)}
    known = _ANSWERS.get(candidate.argv)
    if known is not None:
        if names <= known[0]:
            return replace(known[1], origin=candidate.origin)
        names |= known[0]
    interpreter = _asked(candidate, names, timeout_s)
    _ANSWERS[candidate.argv] = (frozenset(names), interpreter)
    return interpreter


def ask_all(
    pythons: Iterable[Candidate], also: Collection[str] = (), *, timeout_s: float = TIME_LIMIT_S
) -> tuple[Interpreter, ...]:
    """Ask several at once; the answers in the given order.

    What turns out to be another name for one before it, or for the app's own Python, is left out; the one that a
    person named never is.
    """
    asked = list(pythons)
    answers: dict[int, Interpreter] = {}
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for index in range(len(asked)):
        waiting.put(index)

    def work() -> None:
        while True:
            try:
                index = waiting.get_nowait()
            except queue.Empty:
                return
            answers[index] = ask(asked[index], also, timeout_s=timeout_s)

    # Daemons: an app that quits does not wait for a Python that is silent.
    threads = [threading.Thread(target=work, name="ask a Python", daemon=True) for _ in range(_AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tuple(_each_once(answers[index] for index in range(len(asked))))


def forget(argv: tuple[str, ...] | None = None) -> None:
    """Ask again the next time: this Python, or all of them."""
    if argv is None:
        _ANSWERS.clear()
    else:
        _ANSWERS.pop(argv, None)


def preferred(interpreters: Collection[Interpreter]) -> Interpreter | None:
    """The one named by a person; else the first that has torch-neuronx; else the first that answered."""
    named = [interpreter for interpreter in interpreters if interpreter.origin == NAMED]
    usable = [interpreter for interpreter in interpreters if not interpreter.problem]
    with_stack = [interpreter for interpreter in usable if "torch-neuronx" in interpreter.packages]
    return next(iter([*named, *with_stack, *usable]), None)


_ANSWERS: dict[tuple[str, ...], tuple[frozenset[str], Interpreter]] = {}
"""argv -> the distributions that it was asked for, and its answer."""


def _asked(candidate: Candidate, names: Collection[str], timeout_s: float) -> Interpreter:
    try:
        said = describe(candidate.argv, sorted(names), timeout_s)
    except TrnModelsError as error:
        return Interpreter(candidate.argv, candidate.origin, problem=error.title)
    version = clean(said["version"])
    old = tuple(int(part) for part in re.findall(r"[0-9]+", version)[:2]) < OLDEST
    packages = said.get("packages")
    return Interpreter(
        argv=candidate.argv,
        origin=candidate.origin,
        version=version,
        executable=_text(said.get("executable")),
        prefix=_text(said.get("prefix")),
        site_packages=tuple(str(folder) for folder in said.get("site_packages") or ()),
        packages=MappingProxyType(
            {name: clean(str(found)) for name, found in packages.items()} if isinstance(packages, dict) else {}
        ),
        has_pip=said.get("has_pip") is True,
        problem=f"Python {version} is too old, {OLDEST[0]}.{OLDEST[1]} or newer is needed" if old else "",
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _each_once(interpreters: Iterable[Interpreter]) -> Iterator[Interpreter]:
    # With the version: several Pythons of a system share the prefix /usr.
    seen = {(os.path.realpath(sys.prefix), "{}.{}.{}".format(*sys.version_info))}
    for interpreter in interpreters:
        if interpreter.prefix is None or interpreter.elsewhere:
            yield interpreter
            continue
        place = (os.path.realpath(interpreter.prefix), interpreter.version or "")
        if interpreter.origin == NAMED or place not in seen:
            yield interpreter
        seen.add(place)
