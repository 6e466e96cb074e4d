"""All rankings that are on disk, of every view and task."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tui.catalog import hub, rankings
from tui.catalog.json_files import file_name_of, read_kept
from tui.catalog.question import View
from tui.catalog.snapshot import SAMPLE_FOLDER
from tui.settings import Settings

if TYPE_CHECKING:
    from tui.catalog.rankings import Ranking


def every(settings: Settings) -> tuple[Ranking, ...]:
    """The rankings that were fetched from this Hub, by view and task; no request. What cannot be read is left out."""
    folder = settings.cache_dir / "rankings" / file_name_of(hub.endpoint())
    try:
        files = sorted(folder.glob("*.json"))
    except OSError:
        return ()
    named = {name for file in files if (name := read_kept(file, _named)) is not None}
    found = (rankings.cached(settings, view, task) for view, task in sorted(named))
    return tuple(ranking for ranking in found if ranking is not None)


def every_of_sample() -> tuple[Ranking, ...]:
    """The rankings of invented models that come with the app."""
    values = json.loads((SAMPLE_FOLDER / "ranking.json").read_text(encoding="utf-8"))
    return tuple(rankings.open_sample(View(view), task) for view, tasks in values.items() for task in tasks)


def _named(kept: Any) -> tuple[View, str]:
    return View(kept["view"]), str(kept["task"])
