"""The environment of a step: what is set for it, what of that is secret, and how a shell would set it. Pure."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Final

from tui.errors import UsageError
from tui.host.interpreters import Interpreter
from tui.rerun.identity import TOKEN_VARIABLE
from tui.rerun.recipe import cache_folder
from tui.rerun.secret_values import NOT_KEPT, OF_A_MODEL, TELLS_NOTHING, looks_like_token, looks_secret
from tui.settings import Settings
from tui.terminal_text import clean

NEURON_TOOLS: Final = "/opt/aws/neuron/bin"
"""Where aws-neuronx-tools puts neuron-ls and its kin; only login shells of the DLAMI have it on PATH."""

NEFF_CACHE_VARIABLE: Final = "TORCH_NEURONX_NEFF_CACHE_DIR"
NEFF_LOCKS_VARIABLE: Final = "TORCH_NEURONX_NEFF_LOCAL_CACHE_DIR"
"""Its default, /tmp/local_cache, is shared by all users of a host, and one that cannot be used is fatal."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_AS_A_VARIABLE = "Give it by --env NAME=…: the value of a variable with such a name is kept nowhere."

_CHOSEN_AT_START = "It is chosen when the run starts, so that no other run has the same."
_NOT_FOR_PEOPLE: Mapping[str, str] = {
    TOKEN_VARIABLE: "The processes of a run are found by it.",
    "NEURON_RT_VISIBLE_CORES": _CHOSEN_AT_START,
    "NEURON_RT_NUM_CORES": "NEURON_RT_VISIBLE_CORES wins over it, and that is chosen when the run starts.",
    "MASTER_PORT": _CHOSEN_AT_START,
    "PYTHONHOME": "The interpreter would not find its own packages.",
}


@dataclass(frozen=True, slots=True)
class StepEnvironment:
    """What is set for a step on top of the inherited environment."""

    open: Mapping[str, str]
    """May be shown and written down."""
    hidden: Mapping[str, str]
    """Secrets: handed over in memory only."""

    @property
    def shown(self) -> Mapping[str, str]:
        """All names, with `(not kept)` for the value of a secret."""
        return MappingProxyType({**self.open, **dict.fromkeys(self.hidden, NOT_KEPT)})


def parse_environment(words: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUE` words, as `--env` takes them; of one name the last wins.

    Raises `UsageError` for another form, and for names that a run sets itself.
    """
    chosen: dict[str, str] = {}
    for word in words:
        name, separator, value = word.partition("=")
        # The value is not repeated: it may be a secret.
        if not separator or not _NAME.fullmatch(name):
            raise UsageError(
                f"«{clean(name)}» is no name of a variable" if separator else f"«{clean(word)}» has no value",
                "A name has letters, digits and _ only." if separator else "",
                "Give NAME=VALUE, such as HF_HUB_OFFLINE=1.",
            )
        if "\0" in value:
            raise UsageError(f"The value of {name} cannot be set", "It has a zero character.", "Give another value.")
        if name in _NOT_FOR_PEOPLE:
            raise UsageError(f"{name} cannot be set for a run", _NOT_FOR_PEOPLE[name], "Leave it out.")
        chosen[name] = value
    return chosen


def without_secret_words(arguments: Sequence[str], advice: str = _AS_A_VARIABLE) -> tuple[str, ...]:
    """The same arguments of run.py. Raises `UsageError`, with `advice` what to do, when one of them is a secret.

    It would be in the process list and in recipe.json. By the name of the option (`--hf-token`, `api_key=`), or by
    what it looks like; not `--max-new-tokens 32` or `--pad-token '<pad>'`.
    """
    for word, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        name, separator, value = word.partition("=")
        value = value if separator else following if name.startswith("-") and not following.startswith("-") else ""
        named = looks_secret(name.lstrip("-").replace("-", "_")) and not OF_A_MODEL.search(name)
        if (named and value and not TELLS_NOTHING.fullmatch(value)) or looks_like_token(word):
            # The value is not repeated: it is a secret.
            which = f"The value of «{clean(name)}» looks like one." if named else "One of them looks like a token."
            raise UsageError("A secret cannot be an argument of run.py: everybody sees those", which, advice)
    return tuple(arguments)


def of_run(
    settings: Settings,
    interpreter: Interpreter | None,
    below: Interpreter | None,
    added: Mapping[str, str],
    environ: Mapping[str, str],
) -> StepEnvironment:
    """What is set for Run: search path, folders of compiled graphs and their locks, unbuffered output, `added`.

    `interpreter` runs the script; `below` is the one whose packages an overlay shows. Without the folder of the
    interpreter on PATH torch-neuronx finds no neuronx-cc, and a run can hang for ever. Into a container no folder
    of this machine is handed, but one that was named for compiled graphs.
    """
    chosen: dict[str, str] = {"PYTHONUNBUFFERED": "1"}
    if interpreter is not None and interpreter.elsewhere:
        if settings.neff_cache_dir is not None:
            chosen[NEFF_CACHE_VARIABLE] = str(cache_folder(settings.neff_cache_dir))
    else:
        chosen["PATH"] = search_path(interpreter, below, environ)
        chosen[NEFF_CACHE_VARIABLE] = str(cache_folder(settings.neff_cache_dir))
        chosen[NEFF_LOCKS_VARIABLE] = environ.get(NEFF_LOCKS_VARIABLE) or str(locks_folder(settings))
    return separated({**chosen, **added})


def neff_cache_of_run(settings: Settings, added: Mapping[str, str]) -> Path:
    """Where a run of this machine keeps compiled graphs: as a person set it among the `added`, else as the settings."""
    folder = added.get(NEFF_CACHE_VARIABLE)
    return Path(folder) if folder else cache_folder(settings.neff_cache_dir)


def locks_folder(settings: Settings) -> Path:
    """The user's own folder for locks on compiled graphs, also where the graphs are in a folder for all."""
    return settings.cache_dir / "neff_locks"


def search_path(interpreter: Interpreter | None, below: Interpreter | None, environ: Mapping[str, str]) -> str:
    """PATH of a run: folders of the interpreter and of the one below it, the Neuron tools, the inherited PATH."""
    pythons = [python.bin_folder for python in (interpreter, below) if python is not None]
    first = dict.fromkeys(folder for folder in [*pythons, NEURON_TOOLS] if folder)
    return os.pathsep.join([*first, environ.get("PATH") or os.defpath])


def separated(variables: Mapping[str, str]) -> StepEnvironment:
    """The same variables, secrets apart: by their name, or by what their value looks like."""
    hidden = {name: value for name, value in variables.items() if looks_secret(name) or looks_like_token(value)}
    rest = {name: value for name, value in variables.items() if name not in hidden}
    return StepEnvironment(MappingProxyType(rest), MappingProxyType(hidden))


def command_line(argv: Sequence[str], environment: StepEnvironment, environ: Mapping[str, str]) -> str:
    """The line for a shell that does the same; secrets are taken from the shell's own variables."""
    words = [
        *(_assignment(name, value, environ.get("PATH", "")) for name, value in environment.open.items()),
        *(f'{name}="${name}"' for name in environment.hidden),
    ]
    return " ".join([*(["env", *words] if words else []), shlex.join(argv)])


def _assignment(name: str, value: str, path: str) -> str:
    if name == "PATH" and path and value.endswith(f"{os.pathsep}{path}"):
        return f'PATH={shlex.quote(value.removesuffix(path))}"$PATH"'
    return f"{name}={shlex.quote(value)}"
