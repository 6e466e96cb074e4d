"""Names of files that a person is asked for: what speaks against one."""

from __future__ import annotations

from pathlib import Path

from tui.screens.dialogs import Objection


def objection(name: str) -> Objection | None:
    """What speaks against writing a file of this name; one that exists is written over after a second Enter."""
    try:
        path = Path(name).expanduser()
        if path.is_dir():
            return Objection(f"{path} is a folder.", final=True)
        if not path.parent.is_dir():
            return Objection(f"There is no folder {path.parent}.", final=True)
        if not path.exists():
            return None
        return Objection(f"{path} exists.") if path.is_file() else Objection(f"{path} is no file.", final=True)
    except (OSError, RuntimeError, ValueError) as error:  # no permission, no such home, a NUL in the name
        return Objection(f"{name}: {error}", final=True)
