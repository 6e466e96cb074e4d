"""What the app remembers from one start to the next: `state.json` in the state folder.

It is one JSON object. `theme`, `view`, `task` and `detail` are strings; `sort` and `searches` are objects of strings:

    {"theme": "nord", "view": "trending", "task": "text-generation",
     "sort": {"selected": "-wall_s"}, "searches": {"small qwens": "qwen 8b"}}

Whatever does not fit is not used; keys that this version does not know are kept. Each change is read, made and
written under a lock, so that two apps keep each other's. Where nothing can be written, the app remembers until it
ends.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tui import file_lock
from tui.atomic_file import replacing
from tui.settings import Settings

log = logging.getLogger(__name__)

LOCK_WAIT_S = 0.5

_LARGEST_FILE = 1_000_000
_LONGEST_TEXT = 1_000
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What is remembered; `None` and missing entries mean that the default applies."""

    theme: str | None = None
    view: str | None = None
    """The view on screen at the end: `selected`, `trending` or `downloads`."""
    task: str | None = None
    """The pipeline tag of the rankings."""
    detail: str | None = None
    """`closed` when a wide screen shows the table alone."""
    sort: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """For each view the column it is sorted by, with `-` before it when descending."""
    searches: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """Saved searches: name to the text of the search box."""


_TEXTS = ("theme", "view", "task", "detail")
_TABLES = ("sort", "searches")
assert {*_TEXTS, *_TABLES} == {item.name for item in fields(State)}

Changes = Mapping[str, Any]

_unwritten: dict[Path, dict[str, Any]] = {}
"""Changes, by file, that could not be written; they are made again with the next one."""
_reasons: dict[Path, OSError] = {}
"""Why, by file."""


def path(settings: Settings) -> Path:
    """The file that holds the state."""
    return settings.state_dir / "state.json"


def load(settings: Settings) -> State:
    """What is remembered. Raises nothing: an unreadable file gives the defaults, a damaged one is moved aside."""
    file = path(settings)
    try:
        values = _read(file)
    except ValueError:
        values = _mend(file)
    except OSError as error:
        if file not in _unwritten:
            log.warning("%s cannot be read: %s", file, error)
        values = {}
    return _state(_merged(values, _unwritten.get(file, {})))


def unwritten(settings: Settings) -> OSError | None:
    """Why changes last only until the app ends; None when they are written, or wait for another app."""
    reason = _reasons.get(path(settings))
    return None if isinstance(reason, TimeoutError) else reason


def remember(settings: Settings, **changes: str | Mapping[str, str | None] | None) -> State:
    """Remember some values and return everything that is remembered, what another app wrote meanwhile included.

    `theme`, `view`, `task`, `detail`: the new text. `sort`, `searches`: only the entries that change. `None` in place
    of a text or an entry forgets it. Raises `ValueError` for an unknown name or a value that does not fit, and nothing
    when the file cannot be written: the change then lasts until the app ends. Waits up to `LOCK_WAIT_S` for
    another app, and for the disk.
    """
    _check(changes)
    file = path(settings)
    wanted = _merged(_unwritten.get(file, {}), changes, keep_none=True)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with file_lock.held(_lock_of(file), LOCK_WAIT_S):
            try:
                values = _read(file)
            except ValueError:
                values = _move_aside(file)
            values = _merged(values, wanted)
            _write(file, values)
    except OSError as error:
        if file not in _unwritten:
            log.warning("%s cannot be written, changes last until the app ends: %s", file, error)
        _unwritten[file], _reasons[file] = wanted, error
        return load(settings)
    _unwritten.pop(file, None)
    _reasons.pop(file, None)
    return _state(values)


def _check(changes: Changes) -> None:
    for name, value in changes.items():
        if name in _TEXTS:
            fits = value is None or _is_text(value)
        elif name in _TABLES:
            fits = isinstance(value, Mapping) and all(
                _is_text(key) and (text is None or _is_text(text)) for key, text in value.items()
            )
        else:
            raise ValueError(f"nothing called {name!r} is remembered")
        if not fits:
            raise ValueError(f"{value!r} cannot be remembered as {name}")


def unfit(text: str) -> str:
    """Why a text cannot be remembered, after "it"; empty when it can."""
    if not text:
        return "is empty"
    if len(text) > _LONGEST_TEXT:
        return f"has {len(text):,} characters, more than {_LONGEST_TEXT:,}"
    return "" if text.isprintable() else "has characters that no terminal shows"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and not unfit(value)


def _state(values: Mapping[str, Any]) -> State:
    """The values that fit."""
    texts: dict[str, str] = {name: values[name] for name in _TEXTS if _is_text(values.get(name))}
    sort, searches = (_table(values.get(name)) for name in _TABLES)
    return State(**texts, sort=sort, searches=searches)


def _table(value: object) -> Mapping[str, str]:
    entries = value.items() if isinstance(value, dict) else ()
    return MappingProxyType({key: text for key, text in entries if _is_text(key) and _is_text(text)})


def _merged(values: Mapping[str, Any], changes: Changes, *, keep_none: bool = False) -> dict[str, Any]:
    """`values` with `changes`; tables entry by entry. `keep_none` keeps what is to be forgotten, for later."""
    merged = dict(values)
    for name, value in changes.items():
        if isinstance(value, Mapping):
            table = merged.get(name)
            entries = {**(table if isinstance(table, dict) else {}), **value}
            merged[name] = {key: text for key, text in entries.items() if keep_none or text is not None}
        elif value is None and not keep_none:
            merged.pop(name, None)
        else:
            merged[name] = value
    return merged


def _read(file: Path) -> dict[str, Any]:
    """The object in the file, empty when there is no file. Raises `OSError`, and `ValueError` for a damaged one."""
    try:
        with file.open("rb") as stream:
            content = stream.read(_LARGEST_FILE + 1)
    except FileNotFoundError:
        return {}
    if len(content) > _LARGEST_FILE:
        raise ValueError("larger than anything this app writes")
    try:
        values = json.loads(content)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(values, dict):
        raise ValueError("not a JSON object")
    return values


def _write(file: Path, values: Mapping[str, Any]) -> None:
    """Replace the file at once, or raise `OSError` and leave it as it was."""
    with replacing(file, durable=True, private=True) as part:
        part.write_text(f"{json.dumps(values, indent=1)}\n", encoding="ascii")


def _mend(file: Path) -> dict[str, Any]:
    """Move a damaged file aside, unless another app has written a good one meanwhile."""
    try:
        with file_lock.held(_lock_of(file), LOCK_WAIT_S):
            try:
                return _read(file)
            except ValueError:
                return _move_aside(file)
    except OSError as error:
        log.warning("%s is damaged and cannot be moved aside: %s", file, error)
        return {}


def _lock_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.lock")


def _move_aside(file: Path) -> dict[str, Any]:
    aside = file.with_name(f"{file.name}.damaged")
    file.replace(aside)
    log.warning("%s was damaged; it is now %s", file, aside.name)
    return {}
