"""What a person may type for a version: all of it, `latest`, `any`, or its first parts; and for a record. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tui.catalog.stacks import ANY, version_key
from tui.errors import UsageError
from tui.terminal_text import clean

if TYPE_CHECKING:
    from tui.catalog.verdict import Record

LATEST = "latest"


def version_named(text: str, versions: Sequence[str], of: str = "") -> str:
    """The one of `versions` that `text` names; `any` (`tui.catalog.stacks.ANY`) for that word: no restriction.

    `of` is what they are versions of, in an error.
    `latest` is the newest of them. Else a version as it stands, or its first parts up to a dot (`2.28` of
    `2.28.7631.0`), when they fit one only. Raises `UsageError` that lists what there is.
    """
    word = text.strip()
    newest_first = sorted(dict.fromkeys(versions), key=version_key, reverse=True)
    if word.casefold() == ANY:
        return ANY
    if word.casefold() == LATEST and newest_first:
        return newest_first[0]
    if word in newest_first:
        return word
    fitting = [version for version in newest_first if word and version.startswith(f"{word}.")]
    if len(fitting) == 1:
        return fitting[0]
    listed = ", ".join(map(clean, fitting or newest_first)) or "none is recorded"
    if fitting:
        raise UsageError(f"«{clean(text)}» fits several versions", f"{listed}.", "Give more of it.")
    title = f"There is no {of} version «{clean(text)}»" if of else f"There is no version «{clean(text)}»"
    raise UsageError(title, f"There are: {listed}.", f"Give one, {LATEST} or {ANY}.")


def options_for(record: Record, records: Iterable[Record]) -> tuple[str, ...]:
    """Words of a command line that choose this record among all `records` of its model."""
    words: list[str] = []
    for option, column in (("--neuronx-cc", "neuronx_cc"), ("--library-version", "library_version")):
        words += [option, text] if (text := record.text(column)) else []
    if record.tp is not None and any(each.stack == record.stack and each.tp != record.tp for each in records):
        words += ["--cores", str(record.tp)]
    return tuple(words)
