"""Files that are replaced at once or not at all: written to another name in the same folder, then renamed."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

UNFINISHED: Final = ".part"
"""How the name of a file ends that is being written."""
_LEFTOVER_S: Final = 86_400.0
_ADDED = re.compile(rf"\.[0-9]+-[0-9a-f]+{re.escape(UNFINISHED)}")


@contextmanager
def replacing(path: Path, *, durable: bool = False, private: bool = False) -> Iterator[Path]:
    """Gives the path to write to; at the end of the block what is there takes the place of `path`.

    When the block raises, or removes that file, `path` stays as it was. The folder is made if missing. `durable`
    waits for the disk; `private` is for the owner only, else the umask holds. Raises `OSError`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}-{os.urandom(4).hex()}{UNFINISHED}")
    try:
        if private:
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        yield part
        with contextlib.suppress(FileNotFoundError):
            if durable:
                with part.open("rb+") as file:
                    os.fsync(file.fileno())
            part.replace(path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def finished_name(name: str) -> str:
    """The name that a file has, or will have once it is written."""
    return _ADDED.sub("", name) if name.endswith(UNFINISHED) else name


def remove_leftovers(folder: Path) -> None:
    """Remove what an app that was killed was writing in the folder a day ago or longer; not below it."""
    with contextlib.suppress(OSError):
        for part in folder.glob(f"*{UNFINISHED}"):
            if _ADDED.search(part.name) and time.time() - part.stat().st_mtime > _LEFTOVER_S:
                part.unlink()
