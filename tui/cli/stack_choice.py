"""From `--neuronx-cc` and `--library-version` to the stacks that a verb looks at."""

from __future__ import annotations

from collections.abc import Iterable

from tui.catalog.stacks import ANY, StackChoice, StackCount
from tui.cli.stack_words import LATEST, version_named
from tui.errors import UsageError
from tui.terminal_text import clean


def stack_choice(stacks: tuple[StackCount, ...], neuronx_cc: str | None, library_version: str | None) -> StackChoice:
    """What the two options mean for a dataset with these stacks, which come newest first.

    None and `latest` are the newest stack that has what the other option names, `any` is every one; beside `any` an
    option that was not given is `any` too. A version of several libraries is of the one that is newest. Raises
    `UsageError` that lists the versions when a version fits none or several.
    """
    compiler, library = _word(neuronx_cc), _word(library_version)
    left = [count.stack for count in stacks]
    if compiler not in (None, LATEST, ANY):
        found = version_named(compiler, _distinct(stack.neuronx_cc for stack in left), "neuronx-cc")
        left = [stack for stack in left if stack.neuronx_cc == found]
    if library not in (None, LATEST, ANY):
        try:
            found = version_named(library, _distinct(stack.library_version for stack in left), "library")
        except UsageError as error:
            beside = "" if compiler in (None, LATEST, ANY) else f" with neuronx-cc {clean(left[0].neuronx_cc or '')}"
            raise UsageError(f"{error.title}{beside}", error.detail, error.remedy) from error
        left = [stack for stack in left if stack.library_version == found]
    if not left or {compiler, library} in ({ANY}, {ANY, None}):
        return StackChoice()
    newest = left[0]
    of_library = (ANY, ANY) if library == ANY else (newest.library, newest.library_version)
    return StackChoice(ANY if compiler == ANY else newest.neuronx_cc, *of_library)


def names_a_version(neuronx_cc: str | None, library_version: str | None) -> bool:
    """Whether the options say more than which stack is newest: that one is not known when data are missing."""
    return any(_word(given) not in (None, LATEST) for given in (neuronx_cc, library_version))


def _word(given: str | None) -> str | None:
    """As it was given, apart from the case of the two words that are no version."""
    folded = (given or "").strip().casefold()
    return folded if folded in (LATEST, ANY) else given


def _distinct(versions: Iterable[str | None]) -> list[str]:
    return [version for version in dict.fromkeys(versions) if version is not None]
