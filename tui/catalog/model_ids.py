"""The ids of all models as plain text, for the completion of a shell: read without anything else of the catalog.

`model-ids.txt` in the cache folder has one id a line. It is written anew at each refresh, whatever dataset was asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

FILE_NAME: Final = "model-ids.txt"

# Ids come from outside and end up in a command line: nothing that a shell, or this app's options, would act on.
_HARMLESS = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}(?:/[A-Za-z0-9._-]{1,96})?")
_LARGEST_BYTES = 20_000_000


def write(cache_dir: Path, model_ids: Iterable[str | None]) -> None:
    """Keep these ids, each once and sorted; one with characters that no id on the Hub has is left out.

    A file that cannot be written is logged: completion is the poorer, and nothing else.
    """
    # Here and not above: a shell that only reads at each Tab does without them.
    import logging

    from tui.atomic_file import replacing

    kept = sorted({each for each in model_ids if each is not None and _HARMLESS.fullmatch(each)}, key=str.casefold)
    path = cache_dir / FILE_NAME
    try:
        with replacing(path) as part:
            part.write_text("".join(f"{each}\n" for each in kept), encoding="ascii")
    except OSError as error:
        logging.getLogger(__name__).warning("%s could not be written: %s", path, error)


def read(cache_dir: Path) -> tuple[str, ...]:
    """The ids that were kept; none when there is no file that can be read. Raises nothing."""
    try:
        with (cache_dir / FILE_NAME).open("rb") as file:
            text = file.read(_LARGEST_BYTES).decode("ascii", errors="replace")
    except OSError:
        return ()
    return tuple(line for line in text.split("\n") if _HARMLESS.fullmatch(line))


def beginning_with(model_ids: Iterable[str], typed: str) -> tuple[str, ...]:
    """The ids that `typed` is the beginning of, in any case; else the only one that has it somewhere."""
    wanted = typed.casefold()
    known = tuple(model_ids)
    found = tuple(each for each in known if each.casefold().startswith(wanted))
    if not found and len(within := tuple(each for each in known if wanted in each.casefold())) == 1:
        return within
    return found
