"""From what a person types for a model to the id of one that is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from tui import numbers
from tui.cli.chosen_record import NoSuchModelError, alike
from tui.errors import NoDataError, UsageError
from tui.settings import Settings
from tui.terminal_text import clean

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot

_NAMED = 20
"""Candidates that are listed when a part of a name fits several models."""

Known = dict[str, str]
"""Casefolded id -> the id to answer with: as recorded, or as a ranking has it."""


def model_named(settings: Settings, snapshot: Snapshot, text: str) -> str:
    """The id of the one model that `text` names: as recorded, or as a ranking on disk has it. No request.

    An id wins, in any case, also the new id of a model that is recorded under its old one. Else `text` is words that
    are all in the id of exactly one recorded model, or, when none has them, of exactly one model of the rankings: what
    rankings were fetched never changes which recorded model is meant. Of several, the one wins whose whole name after
    the organization is `text`. Raises `NoSuchModelError` with the candidates, or with ids that are near, `NoDataError`
    when it may be in what could not be read, `UsageError` for an empty text.
    """
    from tui.catalog import query

    if not text.strip():
        raise UsageError("MODEL is empty", "An id, or words that only one id has.", "Name a model: ORG/NAME.")
    recorded = _with_new_ids(_recorded(snapshot), renames_of(settings, snapshot))
    key = text.casefold()
    if key in recorded:
        return recorded[key]
    ranked = _ranked(settings, snapshot)
    if key in ranked:
        return ranked[key]
    words = query.words(text)
    for known in (recorded, ranked):
        found = _with_words(known, words)
        if len(found) > 1:
            found = _with_last_part(known, key.strip()) or found
        if len(found) == 1:
            return found[0]
        if found:
            break
    if found:
        raise _several(text, found)
    raise _none(text, snapshot, recorded, ranked)


def renames_of(settings: Settings, snapshot: Snapshot) -> dict[str, str]:
    """Casefolded old id -> casefolded new id, of the models of the Hub; none for a sample."""
    from tui.catalog.renames import renames

    return renames(settings) if snapshot.source != "sample" else {}


def _recorded(snapshot: Snapshot) -> Known:
    ids = snapshot.records.select("key", "model_id").drop_nulls().unique("key", keep="first", maintain_order=True)
    return dict(ids.iter_rows())


def _with_new_ids(recorded: Known, renames: Mapping[str, str]) -> Known:
    """The same with new ids of models recorded under old ones; records under both are one model, which has one id."""
    known = dict(recorded)
    for old, new in renames.items():
        if old in known:
            known[old] = known.setdefault(new, known[old])
    return known


def _ranked(settings: Settings, snapshot: Snapshot) -> Known:
    from tui.catalog import kept_rankings

    sample = snapshot.source == "sample"
    known: Known = {}
    for ranking in kept_rankings.every_of_sample() if sample else kept_rankings.every(settings):
        for key, model_id in ranking.models.select("key", "model_id").iter_rows():
            known.setdefault(key, model_id)
    return known


def _with_words(known: Known, words: Iterable[str]) -> list[str]:
    """The models, each once, of whose id all words are a part; the shortest id first."""
    wanted = list(words)
    if not wanted:
        return []
    found = dict.fromkeys(model_id for key, model_id in known.items() if all(word in key for word in wanted))
    return sorted(found, key=lambda model_id: (len(model_id), model_id.casefold()))


def _with_last_part(known: Known, name: str) -> list[str]:
    """The models, each once, whose whole name after the organization this is."""
    return list(dict.fromkeys(model_id for key, model_id in known.items() if key.rpartition("/")[2] == name))


def _several(text: str, found: list[str]) -> NoSuchModelError:
    named = [clean(model_id) for model_id in found[:_NAMED]]
    if len(found) > len(named):
        named.append(f"and {numbers.count(len(found) - len(named))} more")
    title = f"{numbers.count(len(found))} models have «{clean(text)}» in their id"
    return NoSuchModelError(title, "\n".join(named), "Name one of them whole: ORG/NAME.")


def _none(text: str, snapshot: Snapshot, recorded: Known, ranked: Known) -> NoDataError | NoSuchModelError:
    import polars as pl

    from tui.catalog import query

    nearest: list[str] = []
    for known in (recorded, ranked):
        suggested = query.suggest(text, pl.Series(list(known), dtype=pl.String))
        nearest = _with_words(known, query.words(suggested)) if suggested else []
        if nearest:
            break
    nearest = nearest or alike(text, {**ranked, **recorded})
    named = [clean(model_id) for model_id in nearest[:_NAMED]]
    more = "" if len(nearest) <= _NAMED else f"\nand {numbers.count(len(nearest) - _NAMED)} more"
    looked_in = f"In the records of {clean(snapshot.name)}, and in the rankings on disk."
    if not snapshot.complete:
        looked_in += " Not all records could be read."
    remedy = "Did you mean:\n" + "\n".join(named) + more if named else "Look it up: trn-models list --search TEXT"
    # It may be in what could not be read: that is not the same as no such model.
    kind = NoSuchModelError if snapshot.complete else NoDataError
    return kind(f"No model has «{clean(text)}» in its id", looked_in, remedy)
