"""What `doctor` finds: lines, each with how it stands and what to do; and how they are made fit to be published."""

from __future__ import annotations

import contextlib
import getpass
import logging
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from tui.errors import TrnModelsError

logger = logging.getLogger(__name__)

_SHORTEST_SECRET = 8


class Level(StrEnum):
    """How it stands."""

    OK = "OK"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report: what was looked at, what was found, what to do (nothing, for OK)."""

    level: Level
    check: str
    text: str
    advice: str = ""


Check = Callable[[], Iterable[Finding]]


def found_by(name: str, check: Check) -> Iterator[Finding]:
    """What a check finds. One that fails is itself a finding: the report is for machines on which things go wrong."""
    try:
        yield from check()
    except TrnModelsError as error:
        logger.warning("%s", error, exc_info=True)
        yield Finding(Level.PROBLEM, name, on_one_line(error.title, error.detail), error.remedy)
    except Exception as error:
        # A library that is missing or broken, a file system that answers oddly: anything can be raised here.
        logger.exception("%s could not be looked at", name)
        told = f"could not be looked at: {type(error).__name__}: {str(error)[:300]}"
        yield Finding(Level.PROBLEM, name, told, "The log has more of it.")


def fit_to_publish(finding: Finding, environ: Mapping[str, str]) -> Finding:
    """The finding without home paths, names of user and host, tokens and other secrets."""
    from tui.rerun.redaction import without_secrets
    from tui.rerun.secret_values import looks_secret

    secrets = [value for name, value in environ.items() if looks_secret(name) and len(value) >= _SHORTEST_SECRET]
    homes, users, hosts = _homes(environ), _users(environ), _hosts()

    def cleaned(text: str) -> str:
        return without_secrets(text, homes=homes, users=users, hosts=hosts, secrets=secrets)

    return replace(finding, text=cleaned(finding.text), advice=cleaned(finding.advice))


def on_one_line(title: str, detail: str) -> str:
    """An error in one line."""
    return ": ".join(part.replace("\n", " ") for part in (title, detail) if part)


def _homes(environ: Mapping[str, str]) -> set[str]:
    home = environ.get("HOME", "")
    return {home, os.path.realpath(home)} if home and Path(home) != Path("/") else set()


def _users(environ: Mapping[str, str]) -> set[str]:
    named = {environ.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER")}
    with contextlib.suppress(KeyError, OSError):  # a user id without a name, as in containers
        named.add(getpass.getuser())
    return named - {""}


def _hosts() -> set[str]:
    name = platform.node()
    return {name, name.partition(".")[0]} - {""}
