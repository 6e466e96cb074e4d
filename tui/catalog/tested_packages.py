"""Which packages a record was tested with: the stack, and what pip puts on top of it. Pure.

Names and versions are text from outside: a name is given here only when it is one by its own grammar, a version as it
was recorded.
"""

from __future__ import annotations

from dataclasses import dataclass

from packaging.utils import InvalidName, canonicalize_name
from packaging.version import Version

from tui.catalog.verdict import Record

STACK: tuple[tuple[str, str], ...] = (
    ("torch-neuronx", "torch_neuronx"),
    ("torch", "torch"),
    ("neuronx-cc", "neuronx_cc"),
    ("nki", "nki"),
)
"""(distribution, column) of the packages that make the stack; pip never touches them."""

STACK_PACKAGES: tuple[str, ...] = tuple(name for name, _ in STACK)

_ON_TOP = ("transformers", "accelerate")
_VERSION_CHARACTERS = 64


@dataclass(frozen=True, slots=True)
class TestedPackage:
    """A package on top of the stack, as a record has it."""

    # pytest would take the class for a test.
    __test__ = False

    name: str
    """Normalised name of the distribution."""
    recorded: str | None
    """The version as recorded: the first that is one, else the first text; None when none is recorded."""
    others: tuple[str, ...] = ()
    """Other versions that are recorded of it as well, normalised."""

    @property
    def version(self) -> str | None:
        """What is recorded as pip takes it; None when that is no version."""
        return version_of(self.recorded)


def packages_on_top(record: Record) -> tuple[TestedPackage, ...]:
    """The library, transformers and accelerate, each once; a package of the stack is not among them.

    The library's own version stands before the column of its name.
    """
    library = distribution_of(record.library)
    told: dict[str, list[str]] = {}
    for name, column in ((library, "library_version"), *((name, name) for name in _ON_TOP)):
        if name is not None and name not in STACK_PACKAGES:
            text = (record.text(column) or "").strip()
            told.setdefault(name, []).extend([text] if text else [])
    return tuple(_package(name, texts) for name, texts in told.items())


def distribution_of(text: str | None) -> str | None:
    """The normalised name of a distribution; None for what is none."""
    try:
        return None if text is None else canonicalize_name(text.strip(), validate=True)
    except InvalidName:
        return None


def version_of(text: str | None) -> str | None:
    """A version, normalised as pip does; None for what is none."""
    if text is None or len(text) > _VERSION_CHARACTERS:
        return None
    try:
        return str(Version(text))
    except ValueError:
        return None


def _package(name: str, texts: list[str]) -> TestedPackage:
    versions = list(dict.fromkeys(version for text in texts if (version := version_of(text)) is not None))
    recorded = next((text for text in texts if version_of(text) is not None), next(iter(texts), None))
    return TestedPackage(name, recorded, tuple(versions[1:]))
