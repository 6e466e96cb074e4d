"""A stack as one word of a command line: `2.28`, `2.28.7631.0/5.23.1`, `2.28/transformers-5.23.1`, `latest`. Pure.

Nothing in such a word needs quotes in a shell. A `+` is no separator: it is a part of local versions (PEP 440).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tui.catalog.stacks import NO_VERSION, Stack, StackCount, version_key
from tui.cli.stack_words import LATEST
from tui.errors import UsageError
from tui.terminal_text import clean

_NAMED: Final = 20


def stack_named(text: str, counts: Sequence[StackCount]) -> Stack:
    """The one stack that `text` names, among those of a dataset, which come newest first.

    `COMPILER[/[LIBRARY-]VERSION]`: each version whole, its first parts up to a dot, or `latest`; without the compiler
    the library version alone; without a library's name the one with the most records of those that fit. Raises
    `UsageError` that lists the stacks when it fits none or several.
    """
    stacks = [count.stack for count in counts]
    word = text.strip()
    if word.casefold() == LATEST:
        whole = stacks[:1]
    else:
        whole = [stack for stack in stacks if word in (stack.word, stack.label)]
        # As it is listed: with its control characters spelled out.
        whole = whole or [stack for stack in stacks if word in (clean(stack.word), clean(stack.label))]
    if whole:
        return whole[0]
    compiler, _, of_library = word.partition("/")
    library, version = _library_and_version(of_library, stacks)
    found = [stack for stack in stacks if library in (None, stack.library)]
    parts = ((compiler, "neuronx_cc"), (version, "library_version"))
    for part, column in parts:
        if part and part.casefold() != LATEST:
            found = _fitting(part, column, found)
    if library is None:
        found = _of_main_library(found, counts)
    for part, column in parts:
        if part.casefold() == LATEST:
            newest = max((getattr(stack, column) for stack in found), key=version_key, default=None)
            found = [stack for stack in found if getattr(stack, column) == newest]
    if len(found) == 1 and word:
        return found[0]
    if found and word:
        raise UsageError(f"«{clean(text)}» fits several stacks", _listed(found), "Give more of it.")
    raise UsageError(
        f"There is no stack «{clean(text)}»",
        f"There are:\n{_listed(stacks)}" if stacks else "The data have no stack.",
        f"Give one as it stands, its neuronx-cc version, or {LATEST}." if stacks else "",
    )


def _library_and_version(text: str, stacks: Iterable[Stack]) -> tuple[str | None, str]:
    """The library that the word begins with, as the data have it, and what follows; None when it names none."""
    libraries = sorted({stack.library for stack in stacks if stack.library}, key=len, reverse=True)
    folded = text.casefold()
    for library in libraries:
        if folded == library.casefold():
            return library, ""
        if folded.startswith(f"{library.casefold()}-"):
            return library, text[len(library) + 1 :]
    return None, text


def _fitting(word: str, column: str, stacks: Sequence[Stack]) -> list[Stack]:
    """The stacks with this version; only where there is none, those whose version begins with it."""
    exact = [stack for stack in stacks if (getattr(stack, column) or NO_VERSION) == word]
    return exact or [stack for stack in stacks if (getattr(stack, column) or NO_VERSION).startswith(f"{word}.")]


def _of_main_library(stacks: Sequence[Stack], counts: Iterable[StackCount]) -> list[Stack]:
    records: dict[str | None, int] = {}
    for count in counts:
        records[count.stack.library] = records.get(count.stack.library, 0) + count.records
    main = max((stack.library for stack in stacks), key=lambda library: records[library], default=None)
    return [stack for stack in stacks if stack.library == main]


def _listed(stacks: Sequence[Stack]) -> str:
    more = len(stacks) - _NAMED
    return "\n".join([*(clean(stack.word) for stack in stacks[:_NAMED]), *([f"and {more} more"] * (more > 0))])
