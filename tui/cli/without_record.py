"""What `show` tells of a model without a record: what it would take, from the Hub's facts."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tui.cli.chosen_record import NoSuchModelError
from tui.cli.output import Progress, say
from tui.errors import HubError, HubNotFoundError
from tui.settings import Settings
from tui.terminal_text import clean

if TYPE_CHECKING:
    from tui.catalog.facts import ModelFacts
    from tui.catalog.snapshot import Snapshot
    from tui.cli.shown_model import ShownModel

_WHOLE_ID = re.compile(r"[\w.-]+/[\w.-]+")


def model_named_anywhere(settings: Settings, snapshot: Snapshot, text: str) -> str:
    """As `model_words.model_named`, and also the whole id of a model that only the Hub has.

    For such an id the Hub is asked, at most once a day. Raises as `model_named` does.
    """
    from tui.cli.model_words import model_named

    try:
        return model_named(settings, snapshot, text)
    except NoSuchModelError:
        if snapshot.source == "sample" or _WHOLE_ID.fullmatch(text) is None:
            raise
        facts, why_not = facts_of(settings, text)
        if facts is not None:
            return facts.id
        if why_not:
            say(f"Whether the Hub has {clean(text)} is not known ({why_not})")
        raise


def with_estimate(settings: Settings, snapshot: Snapshot, model: ShownModel) -> ShownModel:
    """The same with what it would take, when it has no record on these stacks and that is known to be so."""
    if model.record is not None or model.verdict is None:
        return model
    from tui.catalog.estimate import Estimate

    if model.sample:
        return replace(model, estimate=Estimate(None, "sample models are invented: the Hub has none of them"))
    facts, why_not = facts_of(settings, model.model_id)
    if facts is None:
        return replace(model, estimate=Estimate(None, why_not or "the Hub does not have it"))
    from tui.catalog import kinds
    from tui.catalog.evidence import evidence_of
    from tui.cli.model_words import renames_of

    renames = renames_of(settings, snapshot)
    evidence = evidence_of(snapshot, kinds.read(settings, sample=False), facts, model.model_id.casefold(), renames)
    return replace(model, estimate=Estimate(facts, evidence=evidence))


def facts_of(settings: Settings, model_id: str) -> tuple[ModelFacts | None, str]:
    """What the Hub says of a model, or said when it was asked last; else None, and why as a clause.

    The clause is empty when the Hub answered that it has no such model.
    """
    from tui.catalog import hub

    try:
        with Progress() as progress:
            progress(f"asking the Hub about {clean(model_id)} …")
            return hub.model_facts(settings, model_id), ""
    except HubNotFoundError:
        return None, ""
    except HubError as error:
        why_not = "not asked: offline" if settings.offline else f"not known: {error.title}"
        return hub.cached_facts(settings, model_id), why_not
