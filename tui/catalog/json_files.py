"""Small JSON files in the cache folder: written at once or not at all, and never trusted when read."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from tui.atomic_file import replacing

logger = logging.getLogger(__name__)

T = TypeVar("T")

_NOT_AS_EXPECTED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""What reading values of unknown shape raises."""


def file_name_of(text: str) -> str:
    """A file name without extension for an id or an address: readable, and different for different texts."""
    readable = re.sub(r"[^A-Za-z0-9._-]+", "--", text.removeprefix("https://")).strip(".-")[:80]
    return f"{readable}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def write_json(path: Path, value: Any) -> None:
    """Put `value` in `path` at once or not at all; a file that cannot be written is logged: it is only a cache."""
    try:
        with replacing(path) as part:
            part.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    except (OSError, UnicodeEncodeError) as error:
        logger.warning("%s could not be written: %s", path, error)


def read_kept(path: Path, parse: Callable[[Any], T]) -> T | None:
    """What `parse` makes of the JSON in `path`; None when there is no file, or nothing usable, which is logged.

    `parse` gets the value as outside data: it may stumble over its shape, and raises `ValueError` for a value that
    it does not want.
    """
    try:
        return parse(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except OSError as error:
        logger.warning("%s cannot be read: %s", path, error)
    except _NOT_AS_EXPECTED as error:
        logger.warning("%s is not usable: %r", path, error)
    return None


def moment(text: str) -> datetime:
    """The UTC time that `text` tells. Raises `ValueError` when it is none, or says no zone."""
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError(f"the time {text} says no zone")
    return time.astimezone(UTC)
