"""The small JSON files of a run folder: written privately and at once, read as what others may have damaged."""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from tui.atomic_file import replacing

_LARGEST_BYTES: Final = 100_000_000
"""More than any record's texts need."""
STATE_BYTES: Final = 1_000_000
"""More than any state.json or outcome.json needs; both are read every second."""


def write(path: Path, values: Mapping[str, Any], *, durable: bool = False) -> None:
    """Replace the file at once; only its owner may read it. Raises `OSError`, also when the folder is gone."""
    write_bytes(path, f"{json.dumps(values, indent=1)}\n".encode("ascii"), durable=durable)


def write_bytes(path: Path, content: bytes, *, durable: bool = False) -> None:
    """The same for bytes."""
    if not path.parent.is_dir():
        # A folder that somebody removed must not come back with a part of its files.
        raise FileNotFoundError(2, "the run folder is gone", str(path.parent))
    with replacing(path, durable=durable, private=True) as part:
        part.write_bytes(content)


def read(path: Path, largest_bytes: int = _LARGEST_BYTES) -> dict[str, Any]:
    """The JSON object in the file. Raises `OSError`, and `ValueError` for anything else than an object.

    A second look is taken at a file that cannot be read: over a network file system one that is being replaced can
    be gone for a moment.
    """
    try:
        return _read(path, largest_bytes)
    except (FileNotFoundError, PermissionError):
        raise
    except (OSError, ValueError):
        return _read(path, largest_bytes)


def _read(path: Path, largest_bytes: int) -> dict[str, Any]:
    try:
        values = json.loads(read_bytes(path, largest_bytes))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(values, dict):
        raise ValueError("not a JSON object")
    return values


def read_bytes(path: Path, largest_bytes: int = _LARGEST_BYTES) -> bytes:
    """What is in a file that is no link, no device and of a sane size. Raises `OSError` and `ValueError`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("not a file")
        if os.fstat(descriptor).st_size > largest_bytes:
            raise ValueError("larger than anything this app writes")
        content = file.read(largest_bytes + 1)
    if len(content) > largest_bytes:
        raise ValueError("larger than anything this app writes")
    return content


def moment(value: object) -> datetime | None:
    """A time as ISO 8601 text, in UTC; None for anything else. Without a zone it counts as UTC."""
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else None
        return time and (time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC))
    except (ValueError, OverflowError):
        return None


def whole(value: object) -> int | None:
    """A whole number; None for anything else."""
    return value if type(value) is int else None


def count(value: object) -> int:
    """A whole number from 0; 0 for anything else."""
    return max(whole(value) or 0, 0)


def seconds(value: object) -> float:
    """A number from 0; 0.0 for anything else."""
    number = float(value) if type(value) in (int, float) else 0.0  # type: ignore[arg-type]
    return number if math.isfinite(number) and number > 0 else 0.0


def text(value: object) -> str:
    """A text; empty for anything else."""
    return value if isinstance(value, str) else ""


def wholes(value: object) -> tuple[int, ...]:
    """The whole numbers of a list; empty for anything else."""
    return tuple(item for item in value if type(item) is int) if isinstance(value, list) else ()


def texts(value: object) -> tuple[str, ...]:
    """The texts of a list; empty for anything else."""
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def table(value: object) -> dict[str, str]:
    """The texts of an object; empty for anything else."""
    return {key: item for key, item in value.items() if isinstance(item, str)} if isinstance(value, dict) else {}
