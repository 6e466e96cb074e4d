"""From a line of the table to the detail of its model. Reads nothing from the network."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tui.catalog import snapshot as snapshots
from tui.catalog import views
from tui.catalog.facts import ModelFacts
from tui.catalog.neff_bucket import Search
from tui.catalog.snapshot import Snapshot
from tui.catalog.verdict import Record, shown
from tui.rerun.recipe import cache_command, recipe_of
from tui.screens.long_texts import LongTexts
from tui.settings import Settings
from tui.widgets.detail_text import Detail

if TYPE_CHECKING:
    from tui.catalog.evidence import Evidence
    from tui.host.interpreters import Interpreter
    from tui.host.neuron import Host


def detail_of(
    line: Mapping[str, Any],
    *,
    chosen: int | None,
    renames: Mapping[str, str],
    snapshot: Snapshot | None,
    texts: LongTexts | None,
    bucket: Search | None,
    facts: ModelFacts | None,
    facts_note: str,
    settings: Settings,
    evidence: Evidence | None = None,
    host: Host | None = None,
    interpreters: tuple[Interpreter, ...] | None = None,
    taken: Collection[int] = (),
) -> Detail:
    """The detail of one line of the table.

    `chosen` is the record to show (its index in the snapshot) instead of the line's own; `renames` is old key -> new
    key of models that the dataset has under an old id; `texts` are used when they are of the record shown; `evidence`
    counts when there is no record; `taken` are devices that runs of ours have.
    """
    model_id = shown(line["model_id"])
    index = line["record"] if chosen is None else chosen
    indexes = indexes_of(line, snapshot, renames)
    records = tuple(snapshots.record_at(snapshot, each) for each in indexes) if snapshot is not None else ()
    if snapshot is None or index is None:
        note, word = line["note"] or "", line["word"] or ""
        return Detail(model_id, note, None, word, records, facts=facts, facts_note=facts_note, evidence=evidence)
    record = records[indexes.index(index)]
    here = texts if texts is not None and texts.are_of(snapshot, index) else None
    cache = None
    if bucket is not None:
        compilers = snapshot.records["neuronx_cc"].drop_nulls().unique().to_list()
        cache = cache_command(bucket.bucket, record.values["neuronx_cc"], settings.neff_cache_dir, compilers)
        if bucket.bucket is None:
            cache = replace(cache, note=bucket.note)
    return Detail(
        model_id,
        line["note"] or "",
        record,
        line["word"] or "",
        records,
        on_line=index == line["record"],
        recipe=recipe_of(record, here.script if here is not None else None),
        cache=cache,
        error=here.error if here is not None else None,
        texts_read=here is not None,
        texts_problem=here.problem if here is not None else None,
        facts=facts,
        facts_note=facts_note,
        fit=_fit(record, host, interpreters, taken, settings),
    )


def _fit(
    record: Record,
    host: Host | None,
    interpreters: tuple[Interpreter, ...] | None,
    taken: Collection[int],
    settings: Settings,
) -> str:
    if host is None:
        return ""
    from tui.host.fit import fit_of
    from tui.host.interpreters import preferred

    asked = interpreters is not None
    interpreter = preferred(interpreters) if interpreters else None
    return fit_of(record, host, interpreter, taken=taken, any_host=settings.any_host, pythons_asked=asked).line


def indexes_of(line: Mapping[str, Any], snapshot: Snapshot | None, renames: Mapping[str, str]) -> list[int]:
    """All records of the line's model, as indexes in the snapshot, newest stack first.

    A record without a model id is a line of its own and the only one of it.
    """
    if snapshot is None:
        return []
    if not line["key"]:
        return [] if line["record"] is None else [line["record"]]
    indexes: list[int] = views.records_of(snapshot, line["key"], renames)["record"].to_list()
    return indexes
