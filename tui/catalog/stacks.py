"""The stacks that a dataset has: pairs of a compiler and a library version, in real version order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import polars as pl

ANY: Final = "any"
"""In a `StackChoice`: not restricted. For each model the newest stack that has a record of it."""

STACK_COLUMNS: Final = ("neuronx_cc", "library", "library_version")

_COMPILER: Final = "neuronx-cc"
NO_VERSION: Final = "none"
"""A version that is null or empty, in the name of a stack on a command line."""


@dataclass(frozen=True, slots=True)
class Stack:
    """A compiler and a library version, as recorded; `None` is a null in the data."""

    neuronx_cc: str | None
    library: str | None
    library_version: str | None

    @property
    def label(self) -> str:
        """`2.28.7631.0 · transformers 5.23.1`; a part that is null says so."""
        return f"{compiler_label(self.neuronx_cc)} · {library_label(self.library, self.library_version)}"

    @property
    def title(self) -> str:
        """The label where nothing else tells what it is of: `neuronx-cc 2.28.7631.0 · transformers 5.23.1`."""
        return self.label if self.label.startswith(_COMPILER) else f"{_COMPILER} {self.label}"

    @property
    def word(self) -> str:
        """`2.28.7631.0/transformers-5.23.1`: as a command line names it, `none` for a version that is null."""
        library = "" if self.library is None else f"{self.library}-"
        return f"{self.neuronx_cc or NO_VERSION}/{library}{self.library_version or NO_VERSION}"


@dataclass(frozen=True, slots=True)
class StackChoice:
    """What the selectors are set to. Both parts of the library are `ANY` together; `None` is a null."""

    neuronx_cc: str | None = ANY
    library: str | None = ANY
    library_version: str | None = ANY

    @classmethod
    def of(cls, stack: Stack | None) -> StackChoice:
        """Exactly that stack; everything for `None`."""
        return cls() if stack is None else cls(stack.neuronx_cc, stack.library, stack.library_version)

    @property
    def exact(self) -> Stack | None:
        """The one stack that is chosen, or `None` when a part is `ANY`."""
        if ANY in (self.neuronx_cc, self.library, self.library_version):
            return None
        return Stack(self.neuronx_cc, self.library, self.library_version)

    def admits(self, stack: Stack) -> bool:
        """Whether a record of this stack can be shown."""
        return all(
            chosen in (ANY, recorded)
            for chosen, recorded in (
                (self.neuronx_cc, stack.neuronx_cc),
                (self.library, stack.library),
                (self.library_version, stack.library_version),
            )
        )


@dataclass(frozen=True, slots=True)
class StackCount:
    """A stack and how many records it has."""

    stack: Stack
    records: int


@dataclass(frozen=True, slots=True)
class CompilerCount:
    """One line of the neuronx-cc selector."""

    neuronx_cc: str | None
    records: int


@dataclass(frozen=True, slots=True)
class LibraryCount:
    """One line of the library selector."""

    library: str | None
    library_version: str | None
    records: int


def compiler_label(neuronx_cc: str | None) -> str:
    """A compiler version for people, alone or in a label."""
    if neuronx_cc is None:
        return f"{_COMPILER} not recorded"
    return neuronx_cc if neuronx_cc.strip() else f'{_COMPILER} "{neuronx_cc}"'


def library_label(library: str | None, library_version: str | None) -> str:
    """A library and its version for people: `transformers 5.23.1`."""
    name = "library not recorded" if library is None else library if library.strip() else f'library "{library}"'
    if library_version is None:
        return name if library is None else f"{name}, version not recorded"
    return f"{name} {library_version}" if library_version.strip() else f'{name} "{library_version}"'


def version_key(text: str | None) -> tuple[Any, ...]:
    """Sorts versions from the oldest to the newest: null, then texts that are no version, then versions.

    Versions are compared as PEP 440 does (2.10 above 2.9, a release above its dev and rc); two spellings
    of one version stay apart, by their text. Other texts are compared with their numbers as numbers.
    """
    if text is None:
        return (0,)
    from packaging.version import Version

    try:
        return (2, Version(text), text)
    except ValueError:  # InvalidVersion is one; so is a number of more digits than int() takes
        return (1, _natural_key(text), text)


def stacks_of(records: pl.DataFrame) -> tuple[StackCount, ...]:
    """The stacks of a frame with `STACK_COLUMNS`, newest first.

    Newest: by compiler; of one compiler the library with the most records of all; then by library version.
    """
    import polars as pl

    rows = records.group_by(STACK_COLUMNS).agg(pl.len()).rows()
    counts = [StackCount(Stack(*parts), number) for *parts, number in rows]
    of_library: Counter[str | None] = Counter()
    for count in counts:
        of_library[count.stack.library] += count.records
    counts.sort(key=lambda count: str(count.stack.library))
    counts.sort(
        key=lambda count: (
            version_key(count.stack.neuronx_cc),
            count.stack.library is not None,
            of_library[count.stack.library],
            version_key(count.stack.library_version),
        ),
        reverse=True,
    )
    return tuple(counts)


def default_stack(counts: Sequence[StackCount]) -> Stack | None:
    """The newest stack; `None` without records."""
    return counts[0].stack if counts else None


def compilers(
    counts: Iterable[StackCount], library: str | None = ANY, library_version: str | None = ANY
) -> tuple[CompilerCount, ...]:
    """What the neuronx-cc selector offers beside that library version (all beside `ANY`), newest first."""
    choice = StackChoice(ANY, library, library_version)
    records: Counter[str | None] = Counter()
    for count in counts:
        if choice.admits(count.stack):
            records[count.stack.neuronx_cc] += count.records
    newest_first = sorted(records, key=version_key, reverse=True)
    return tuple(CompilerCount(compiler, records[compiler]) for compiler in newest_first)


def libraries(counts: Iterable[StackCount], neuronx_cc: str | None = ANY) -> tuple[LibraryCount, ...]:
    """What the library selector offers beside that compiler; all of them beside `ANY`.

    The library with the most records there first; of one library the newest version first.
    """
    choice = StackChoice(neuronx_cc)
    records: Counter[tuple[str | None, str | None]] = Counter()
    of_library: Counter[str | None] = Counter()
    for count in counts:
        if choice.admits(count.stack):
            records[count.stack.library, count.stack.library_version] += count.records
            of_library[count.stack.library] += count.records
    pairs = sorted(records, key=lambda pair: str(pair[0]))
    pairs.sort(key=lambda pair: (pair[0] is not None, of_library[pair[0]], version_key(pair[1])), reverse=True)
    return tuple(LibraryCount(library, version, records[library, version]) for library, version in pairs)


def with_compiler(counts: Sequence[StackCount], choice: StackChoice, neuronx_cc: str | None) -> StackChoice:
    """The choice with another compiler: the library version is kept where that pair exists.

    Else the newest version of the same library with that compiler, else the newest stack of that compiler.
    """
    wanted = StackChoice(neuronx_cc, choice.library, choice.library_version)
    if any(wanted.admits(count.stack) for count in counts):
        return wanted
    of_compiler = [count.stack for count in counts if StackChoice(neuronx_cc).admits(count.stack)]
    of_library = [stack for stack in of_compiler if stack.library == choice.library]
    nearest = next(iter(of_library or of_compiler), None)
    return choice if nearest is None else StackChoice(neuronx_cc, nearest.library, nearest.library_version)


def with_library(
    counts: Sequence[StackCount], choice: StackChoice, library: str | None, library_version: str | None
) -> StackChoice:
    """The choice with another library version: the compiler is kept where the pair exists, else the newest."""
    wanted = StackChoice(choice.neuronx_cc, library, library_version)
    if any(wanted.admits(count.stack) for count in counts):
        return wanted
    offered = compilers(counts, library, library_version)
    return StackChoice(offered[0].neuronx_cc, library, library_version) if offered else choice


def _natural_key(text: str) -> tuple[Any, ...]:
    # A split by a group yields text, digits, text, ...: like is always compared with like.
    parts = re.split(r"([0-9]+)", text)
    return tuple(
        (len(part.lstrip("0")), part.lstrip("0")) if place % 2 else part.casefold() for place, part in enumerate(parts)
    )
