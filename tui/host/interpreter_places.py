"""Where Pythons are found on this machine, and which names mean the same one. Nothing is started."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final

from tui.errors import UsageError

_ENTRIES_LIMIT: Final = 1000
"""Names of a folder that are looked at."""
_HOME_LIMIT: Final = 24
"""Venvs of the home folder that are offered: each is a process to ask."""
_COLLECTIONS: Final = ("venvs", ".venvs", "envs", ".envs", "virtualenvs", ".virtualenvs")
"""Folders of the home folder in which people keep several venvs."""
_PROJECT_VENVS: Final = (".venv", "venv")
_OF_NEURON: Final = re.compile(r"aws_neuronx?_venv_")


def named(setting: str | None, environ: Mapping[str, str], home: Path | None) -> tuple[str, ...]:
    """The argv that a setting means: a file, a venv folder, a word looked up on PATH, or a command line.

    `~` is `home`. Empty for an empty setting. Raises `UsageError` for words that no shell could split.
    """
    text = (setting or "").strip()
    if not text:
        return ()
    if "/" in text:
        path = _absolute(text, home)
        if _is_file(path):
            return (str(path),)
        if _is_file(path / "bin" / "python"):
            return (str(path / "bin" / "python"),)
    try:
        first, *others = shlex.split(text)
    except ValueError as error:
        raise UsageError(
            f"«{text}» is no interpreter",
            f"It cannot be split into words: {str(error).lower()}.",
            "Give a path, or a command line with its quotes closed.",
        ) from error
    if "/" in first:
        first = str(_absolute(first, home))
    elif not others:
        program = shutil.which(first, path=environ.get("PATH", os.defpath))
        first = str(Path(program).absolute()) if program else first
    return (first, *others)


def found(environ: Mapping[str, str], home: Path | None, opt: Path) -> Iterator[tuple[Path, str]]:
    """Executable files and where they were found, in words; the same Python may come under several names."""
    return ((path, origin) for path, origin in _places(environ, home, opt) if _executable(path))


def _places(environ: Mapping[str, str], home: Path | None, opt: Path) -> Iterator[tuple[Path, str]]:
    for variable, origin in (("VIRTUAL_ENV", "VIRTUAL_ENV"), ("CONDA_PREFIX", "conda")):
        if environ.get(variable):
            yield Path(environ[variable]).absolute() / "bin" / "python", origin
    for folder in _newest_first(entry for entry in _entries(opt) if _OF_NEURON.match(entry.name)):
        yield folder / "bin" / "python", "/opt"
    for folder in islice(_newest_first(_venvs(home)) if home else (), _HOME_LIMIT):
        yield folder / "bin" / "python", "home folder"
    for entry in environ.get("PATH", os.defpath).split(os.pathsep):
        if Path(entry).is_absolute():
            yield Path(entry) / "python3", "PATH"


def _venvs(home: Path) -> Iterator[Path]:
    for folder in _entries(home):
        inner = _entries(folder) if folder.name in _COLLECTIONS else (folder / name for name in _PROJECT_VENVS)
        for place in (folder, *inner):
            if _is_file(place / "pyvenv.cfg"):
                yield place


def _entries(folder: Path) -> list[Path]:
    """The first names of a folder, in no order; none when it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in islice(entries, _ENTRIES_LIMIT)]
    except OSError:
        return []


def _newest_first(folders: Iterable[Path]) -> list[Path]:
    """By the versions in their names (2_14 before 2_9); those that speak of Neuron come first."""

    def rank(folder: Path) -> tuple[bool, list[str | int]]:
        parts = re.split(r"([0-9]+)", folder.name)
        return "neuron" in folder.name, [int(part) if index % 2 else part for index, part in enumerate(parts)]

    return sorted(folders, key=rank, reverse=True)


def of(python: Path) -> str:
    """What two names of the same Python have in common.

    The python of a venv is a link to the one that it was made from: there it is the folder of the venv that counts.
    """
    folder = python.parent.parent
    return os.path.realpath(folder if _is_file(folder / "pyvenv.cfg") else python)


def own() -> str:
    """What all names of the Python that runs this app have in common."""
    return os.path.realpath(sys.executable if sys.prefix == sys.base_prefix else sys.prefix)


def home_folder(environ: Mapping[str, str]) -> Path | None:
    """The home folder; None for a user without one."""
    if environ.get("HOME"):
        return Path(environ["HOME"])
    try:
        return Path.home()
    except RuntimeError:
        return None


def _absolute(text: str, home: Path | None) -> Path:
    if home is not None and (text == "~" or text.startswith("~/")):
        return (home / text[2:]).absolute()
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError:  # a user that this machine does not know
        return Path(text).absolute()


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _executable(path: Path) -> bool:
    return _is_file(path) and os.access(path, os.X_OK)
