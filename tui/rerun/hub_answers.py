"""What the Hub tells of a model that is run again: its size and terms, and where its compiled graphs are."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from tui.errors import HubError
from tui.rerun.recipe import CacheCommand, cache_command
from tui.settings import Settings

if TYPE_CHECKING:
    from tui.catalog.facts import ModelFacts
    from tui.catalog.verdict import Record
    from tui.rerun.preparation import Wanted

logger = logging.getLogger(__name__)


def completed(settings: Settings, wanted: Wanted, *, graphs: bool = True) -> Wanted:
    """The same with `facts` and, with `graphs`, `cache`; what was known stays when there is no newer answer.

    A few bounded requests, each at most once a day; none offline, none for what is kept. Facts are asked for records
    of the Hub's dataset alone: a file's models may be nobody's, the sample's are invented. Raises nothing for the Hub.
    """
    if wanted.sample:
        return replace(wanted, asking=False)
    facts = _facts(settings, wanted.record.model_id) if settings.data is None else None
    return replace(
        wanted,
        facts=facts or wanted.facts,
        cache=graphs_command(settings, wanted.record, wanted.compilers) if graphs else wanted.cache,
        asking=False,
    )


def graphs_command(settings: Settings, record: Record, compilers: Collection[str], *, ask: bool = True) -> CacheCommand:
    """The command that fetches compiled graphs for the record; without one its `note` says why.

    `compilers` are the dataset's neuronx-cc versions. The bucket is looked for with a few bounded requests, at most
    once a day, or without `ask` in what is set and on disk. Raises nothing for the Hub.
    """
    from tui.catalog import neff_bucket

    search = neff_bucket.find(settings if ask else replace(settings, offline=True))
    cache = cache_command(search.bucket, record.text("neuronx_cc"), settings.neff_cache_dir, compilers)
    return cache if search.bucket is not None else replace(cache, note=search.note)


def _facts(settings: Settings, model_id: str | None) -> ModelFacts | None:
    from tui.catalog import hub

    if model_id is None:
        return None
    try:
        return hub.model_facts(settings, model_id)
    except HubError as error:
        logger.info("the Hub does not tell of %s: %s", model_id, error)
        return hub.cached_facts(settings, model_id)
