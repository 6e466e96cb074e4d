"""Small JSON files in the cache folder: written at once or not at all, and never trusted when read.

The first line is the value, the second one the SHA-256 of the first: a file in which one bit is another is not used,
since a wrong figure looks as good as a right one.
"""

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

NOT_AS_EXPECTED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""What reading values of unknown shape raises."""
_DIGEST = re.compile(rb'\{"sha256": "([0-9a-f]{64})"\}')


def file_name_of(text: str) -> str:
    """A file name without extension for an id or an address: readable, and different for different texts."""
    readable = re.sub(r"[^A-Za-z0-9._-]+", "--", text.removeprefix("https://")).strip(".-")[:80]
    return f"{readable}-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:10]}"


def encoded(value: Any) -> bytes:
    """The content of a file that holds `value`, which may have halves of surrogate pairs: bytes of a file's name."""
    line = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return line + b"\n" + json.dumps({"sha256": hashlib.sha256(line).hexdigest()}).encode("ascii")


def decoded(content: bytes) -> Any:
    """The value in the content of a file; JSON without a digest is taken as it stands.

    Raises `ValueError` when it is not as it was written, `RecursionError` when it is nested too deeply.
    """
    line, _, last = content.rpartition(b"\n")
    digest = _DIGEST.fullmatch(last) if line else None
    if digest is None:
        return json.loads(content.decode("utf-8", "surrogatepass"))
    if hashlib.sha256(line).hexdigest().encode("ascii") != digest[1]:
        raise ValueError("it is not as it was written")
    return json.loads(line.decode("utf-8", "surrogatepass"))


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's content, in hexadecimal. Raises `OSError`, and `ValueError` for a name with a zero."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_json(path: Path, value: Any) -> None:
    """Put `value` in `path` at once or not at all; a file that cannot be written is logged: it is only a cache."""
    try:
        with replacing(path) as part:
            part.write_bytes(encoded(value))
    except OSError as error:
        logger.warning("%s could not be written: %s", path, error)


def read_kept(path: Path, parse: Callable[[Any], T]) -> T | None:
    """What `parse` makes of the JSON in `path`; None when there is no file, or nothing usable, which is logged.

    `parse` gets the value as outside data: it may stumble over its shape, and raises `ValueError` for a value that
    it does not want.
    """
    try:
        return parse(decoded(path.read_bytes()))
    except FileNotFoundError:
        return None
    except OSError as error:
        logger.warning("%s cannot be read: %s", path, error)
    except NOT_AS_EXPECTED as error:
        logger.warning("%s is not usable: %r", path, error)
    return None


def moment(text: str) -> datetime:
    """The UTC time that `text` tells. Raises `ValueError` when it is none, or says no zone."""
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError(f"the time {text} says no zone")
    return time.astimezone(UTC)
