"""Models that the Hub knows under another id than the dataset does."""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from tui.catalog.json_files import moment, read_kept, write_json
from tui.errors import HubError
from tui.settings import Settings

logger = logging.getLogger(__name__)

MOST_REQUESTS = 20
ASK_AGAIN = timedelta(days=7)

_SIMILAR = 0.85
"""Ratio of difflib above which two names of one organisation may be the same model: "Meta-Llama-3.1-8B-Instruct"
and "Llama-3.1-8B-Instruct" have 0.89. Only the Hub's redirect makes it a rename."""

_FORMAT = 1


def candidates(ranked: Iterable[str], recorded: Collection[str]) -> list[str]:
    """Recorded ids that may be old names of ranked models without a record, in the order of `recorded`. Pure.

    Either the name after the slash is the same and the organisation another, or the organisation is the same
    and the name very similar, with the same numbers in it (they are sizes and versions). Case does not count.
    """
    known = {model_id.casefold() for model_id in recorded}
    keys = {model_id.casefold() for model_id in ranked}
    new = keys - known
    names = {key.partition("/")[2] for key in new}
    by_organisation: dict[str, list[str]] = defaultdict(list)
    for key in new:
        organisation, _, name = key.partition("/")
        by_organisation[organisation].append(name)
    found = []
    for model_id in recorded:
        organisation, slash, name = model_id.casefold().partition("/")
        if not slash or model_id.casefold() in keys:
            continue
        if name in names or any(_similar(name, other) for other in by_organisation.get(organisation, ())):
            found.append(model_id)
    return found


def _similar(name: str, other: str) -> bool:
    if sorted(re.findall(r"\d+", name)) != sorted(re.findall(r"\d+", other)):
        return False
    return SequenceMatcher(None, name, other, autojunk=False).ratio() >= _SIMILAR


def renames(settings: Settings) -> dict[str, str]:
    """Every rename that is known: casefolded old id -> casefolded new id. No request."""
    return {old: entry["new"] for old, entry in _read(settings).items() if entry["new"] is not None}


def remember_rename(settings: Settings, old: str, new: str) -> None:
    """Keep that the Hub answered with `new` when it was asked for `old`; the same id is no rename."""
    _remember(settings, {old: new})


def ask(settings: Settings, model_ids: Sequence[str]) -> dict[str, str]:
    """Every known rename, after asking the Hub for the first `MOST_REQUESTS` ids that it was not asked for this week.

    A request that fails ends the asking; what was learned until then is kept.
    """
    from tui.catalog import hub

    now = datetime.now(UTC)
    known = _read(settings)
    due = [
        model_id
        for model_id in model_ids
        if (entry := known.get(model_id.casefold())) is None or not timedelta() <= now - entry["at"] < ASK_AGAIN
    ]
    answers: dict[str, str | None] = {}
    try:
        for model_id in due[:MOST_REQUESTS]:
            answers[model_id] = hub.current_id(settings, model_id)
    except HubError as error:
        logger.info("Looking for renamed models ended early: %s", error)
    if answers:
        _remember(settings, answers)
    return renames(settings)


def _path(settings: Settings) -> Path:
    return settings.cache_dir / "renames.json"


def _remember(settings: Settings, answers: dict[str, str | None] | dict[str, str]) -> None:
    # Read again right before: another app may have written meanwhile.
    entries = _read(settings)
    now = datetime.now(UTC)
    for old, new in answers.items():
        key, other = old.casefold(), None if new is None else new.casefold()
        entries[key] = {"new": other if other != key else None, "at": now}
    kept = {old: {"new": entry["new"], "at": entry["at"].isoformat()} for old, entry in entries.items()}
    write_json(_path(settings), {"format": _FORMAT, "asked": kept})


def _read(settings: Settings) -> dict[str, dict[str, Any]]:
    return read_kept(_path(settings), _from_json) or {}


def _from_json(kept: Any) -> dict[str, dict[str, Any]]:
    if kept["format"] != _FORMAT:
        raise ValueError("of another format")
    entries = {}
    for old, entry in kept["asked"].items():
        if not isinstance(entry["new"], str | None):
            raise ValueError(f"{old} has a value of another type")
        entries[old] = {"new": entry["new"], "at": moment(entry["at"])}
    return entries
