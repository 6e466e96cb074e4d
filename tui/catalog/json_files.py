"""Small JSON files in the cache folder: written at once or not at all, and never trusted when read."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import tempfile
from pathlib import Path
from typing import Any

logger = logging.getLogger(__name__)


def file_name_of(text: str) -> str:
    """A file name without extension for an id or an address: readable, and different for different texts."""
    readable = re.sub(r"[^A-Za-z0-9._-]+", "--", text.removeprefix("https://")).strip(".-")[:80]
    return f"{readable}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def write_json(path: Path, value: Any) -> None:
    """Put `value` in `path` at once or not at all; a file that cannot be written is logged: it is only a cache."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(value, file, ensure_ascii=False)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except (OSError, UnicodeEncodeError) as error:
        logger.warning("%s could not be written: %s", path, error)


def read_json(path: Path) -> Any:
    """What `write_json` put there; None when there is nothing, or nothing readable (which is logged)."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        logger.warning("%s is not usable: %s", path, error)
        return None
    return read_json_text(text, str(path))


def read_json_text(text: str, origin: str) -> Any:
    """The value in `text`; None when it is no JSON (which is logged with `origin`)."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        logger.warning("%s is not usable: %s", origin, error)
        return None
