"""Where a model that the app was opened on is shown: the view, and the stack or the task in it. No request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.catalog.question import View
from tui.catalog.stacks import STACK_COLUMNS, Stack, StackChoice, default_stack
from tui.settings import Settings

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Place:
    """A view in which a model has a line."""

    view: View
    stack: StackChoice | None = None
    """The stack of a record of it, in Selected."""
    task: str | None = None
    """The task of a ranking that has it."""


def place_of(settings: Settings, snapshot: Snapshot, model_id: str, renames: Mapping[str, str]) -> Place | None:
    """Selected with the newest stack that has a record of the model, else a ranking on disk that has it, else None."""
    from tui.catalog import kept_rankings, views

    key = model_id.casefold()
    records = views.records_of(snapshot, key, renames)
    if not records.is_empty():
        stacks = [Stack(*parts) for parts in records.select(STACK_COLUMNS).iter_rows()]
        newest = default_stack(snapshot.stacks)
        return Place(View.SELECTED, StackChoice.of(newest if newest in stacks else stacks[0]))
    kept = kept_rankings.every_of_sample() if snapshot.source == "sample" else kept_rankings.every(settings)
    in_order = sorted(kept, key=lambda ranking: list(View).index(ranking.view))
    found = next((ranking for ranking in in_order if key in ranking.models["key"]), None)
    return None if found is None else Place(found.view, task=found.task)
