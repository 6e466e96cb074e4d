"""Where the programs are that steps call by name."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path


def find_program(name: str, environ: Mapping[str, str]) -> str | None:
    """The absolute path of `hf` or another program; None when there is none.

    `hf` comes with the app, so the one beside its Python is taken first: its version is known to work.
    """
    path = environ.get("PATH") or os.defpath
    if name == "hf":
        path = os.pathsep.join([str(Path(sys.executable).parent), path])
    found = shutil.which(name, path=path)
    return None if found is None else str(Path(found).absolute())
