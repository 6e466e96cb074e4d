"""The Pythons that can run a run.py, and the stack that each has. None of them imports torch to tell."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

PACKAGES = (
    "torch", "torch-neuronx", "neuronx-cc", "nki", "transformers", "accelerate", "huggingface-hub", "safetensors",
    "tokenizers", "torchvision", "diffusers", "sentence-transformers",
)  # fmt: skip
"""Distribution names that every interpreter is asked for, in the order in which they are shown."""

_NOTHING: Mapping[str, str] = MappingProxyType({})


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
    base_prefix: str | None = None
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
        import shlex

        return shlex.join(self.argv)


def candidates(
    setting: str | None, environ: Mapping[str, str], *, home: Path | None = None, opt: Path = Path("/opt")
) -> tuple[Candidate, ...]:
    """Pythons in the order in which they are preferred, each once; the app's own is never among them by default.

    `setting` is `--python` or the setting of that name: a path, or a command line. Raises `UsageError` for words
    that no shell could split.
    """
    raise NotImplementedError


def ask(candidate: Candidate, also: Collection[str] = (), *, timeout_s: float = 20.0) -> Interpreter:
    """Ask a Python for its version and packages (PACKAGES and the distributions named in `also`). Raises nothing."""
    raise NotImplementedError


def preferred(interpreters: Collection[Interpreter]) -> Interpreter | None:
    """The one named by a person; else the first that has torch-neuronx; else the first that answered."""
    raise NotImplementedError
