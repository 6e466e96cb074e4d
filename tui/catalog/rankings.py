"""The Hub's ordered lists of models, one task at a time: asked for page by page, kept on disk, dated."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tui.catalog import renames as known_renames
from tui.catalog.facts import count_of, figure_of, gated_of, parameters_of, text_of
from tui.catalog.json_files import file_name_of, moment, read_kept, write_json
from tui.catalog.renames import remember_rename, renames
from tui.errors import HubError
from tui.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Collection

    from tui.catalog.hub import Sort
    from tui.catalog.question import View

__all__ = [
    "COLUMNS", "Ranking", "cached", "fetch", "look_for_renames", "more", "open_sample", "remember_rename",
    "renames",
]  # fmt: skip

logger = logging.getLogger(__name__)

MOST_FURTHER_PAGES = 4
"""So many pages after the first one `fetch` asks for at once."""

_FORMAT = 1
_SAMPLE = Path(__file__).parents[1] / "sample" / "ranking.json"

COLUMNS: Mapping[str, Any] = {
    "rank": pl.UInt32,
    "model_id": pl.String,
    "key": pl.String,
    "figure": pl.Float64,
    "library": pl.String,
    "pipeline_tag": pl.String,
    "gated": pl.String,
    "likes": pl.Int64,
    "downloads": pl.Int64,
    "parameters": pl.Int64,
}
"""Columns of `Ranking.models`. `key` is the casefolded id; `gated` "no", or the Hub's word for how access is
given, null when it did not say; `parameters` a number of weights."""


@dataclass(frozen=True)
class Ranking:
    """The models of one task in the Hub's order, `rank` from 1 without gaps, one line for each model.

    `figure` is the trending score or the downloads of the last 30 days, null when the Hub did not say.
    `fetched_at` is when its first page came (None: sample). `next_cursor` is None at the end of the list.
    """

    view: View
    task: str
    fetched_at: datetime | None
    models: pl.DataFrame
    next_cursor: str | None
    sample: bool


def cached(settings: Settings, view: View, task: str) -> Ranking | None:
    """The ranking that was fetched last, with all its pages; no request. None when there is none to be used."""
    return read_kept(_path(settings, view, task), lambda kept: _from_json(kept, view, task))


def fetch(settings: Settings, view: View, task: str, rows: int = 500) -> Ranking:
    """The first page, and as many more as `rows` models need, asked for now; kept on disk.

    So a refresh of a ranking of which further pages were loaded does not shorten it. One request for each 500 of
    `rows`, at most 1 + `MOST_FURTHER_PAGES`; where these do not reach, or a further page does not come, the rows that
    were kept on disk stay behind the fresh ones. Raises `HubError` when the first page does not come.
    """
    from tui.catalog import hub

    page = hub.ranking_page(settings, _sort_of(view), task)
    ranking = Ranking(view, task, datetime.now(UTC), _models(page.rows, view), page.next_cursor, sample=False)
    missing = math.ceil(rows / hub.RANKING_PAGE) - 1
    try:
        for _ in range(min(missing, MOST_FURTHER_PAGES)):
            ranking = _with_next_page(settings, ranking)
            missing -= 1
    except HubError as error:
        logger.info("%s further pages of %s for %s: %s", missing, view, task, error)
    if missing > 0 and ranking.next_cursor is not None and (before := cached(settings, view, task)) is not None:
        ranking = _with_rows_of(before, ranking)
    _keep(settings, ranking)
    return ranking


def more(settings: Settings, ranking: Ranking) -> Ranking:
    """The ranking with its next page; the same one at its end. Models that moved meanwhile stay where they were.

    One request. Raises `HubError`.
    """
    longer = _with_next_page(settings, ranking)
    if longer is not ranking:
        _keep(settings, longer)
    return longer


def _with_next_page(settings: Settings, ranking: Ranking) -> Ranking:
    from tui.catalog import hub

    if ranking.next_cursor is None or ranking.sample:
        return ranking
    page = hub.ranking_page(settings, _sort_of(ranking.view), ranking.task, cursor=ranking.next_cursor)
    cursor = page.next_cursor if page.rows and page.next_cursor != ranking.next_cursor else None
    return replace(ranking, models=_models(page.rows, ranking.view, before=ranking.models), next_cursor=cursor)


def _with_rows_of(before: Ranking, fresh: Ranking) -> Ranking:
    """The fresh rows, then those of before that are not among them; it goes on where the one before did."""
    older = before.models.join(fresh.models, on="key", how="anti", maintain_order="left")
    if older.is_empty():
        return fresh
    models = pl.concat([fresh.models, older])
    ranked = models.with_columns(rank=pl.int_range(1, pl.len() + 1, dtype=pl.UInt32))
    return replace(fresh, models=ranked, next_cursor=before.next_cursor)


def open_sample(view: View, task: str) -> Ranking:
    """The ranking of invented models that comes with the app; empty for a task that it does not have."""
    rows = read_kept(_SAMPLE, lambda content: content[view].get(task))
    return Ranking(view, task, None, _models(rows or [], view), None, sample=True)


def look_for_renames(settings: Settings, ranking: Ranking, model_ids: Collection[str]) -> dict[str, str]:
    """Every known rename (old key -> new key), after asking for dataset models that `ranking` may have anew.

    `model_ids` are the dataset's, newest first, as recorded (keys will do). At most `renames.MOST_REQUESTS`
    requests, each id at most once a week; none for a sample. Failing requests end the search: it is no error.
    """
    if ranking.sample:
        return renames(settings)
    candidates = known_renames.candidates(ranking.models["model_id"].to_list(), model_ids)
    return known_renames.ask(settings, candidates)


def _sort_of(view: View) -> Sort:
    return "downloads" if view == "downloads" else "trending_score"


def _path(settings: Settings, view: View, task: str) -> Path:
    from tui.catalog import hub

    folder = settings.cache_dir / "rankings" / file_name_of(hub.endpoint())
    return folder / f"{view}-{file_name_of(task)}.json"


def _keep(settings: Settings, ranking: Ranking) -> None:
    value = {
        "format": _FORMAT,
        "view": str(ranking.view),
        "task": ranking.task,
        "fetched_at": ranking.fetched_at.isoformat() if ranking.fetched_at else None,
        "next_cursor": ranking.next_cursor,
        "models": ranking.models.to_dict(as_series=False),
    }
    write_json(_path(settings, ranking.view, ranking.task), value)


def _from_json(kept: Any, view: View, task: str) -> Ranking:
    if (kept["format"], kept["view"], kept["task"]) != (_FORMAT, view, task):
        raise ValueError("of another kind")
    if not isinstance(kept["models"], dict) or set(kept["models"]) != set(COLUMNS):
        raise ValueError("other columns")
    try:
        models = pl.DataFrame(kept["models"], schema=COLUMNS, strict=True)
    except pl.exceptions.PolarsError as error:
        raise ValueError(str(error)) from error
    cursor = kept["next_cursor"]
    if not isinstance(cursor, str | None):
        raise ValueError("a value is of another type")
    if not _is_whole(models):
        raise ValueError("ranks or ids are not in order")
    return Ranking(view, task, moment(kept["fetched_at"]), models, cursor, sample=False)


def _models(rows: Iterable[Any], view: View, before: pl.DataFrame | None = None) -> pl.DataFrame:
    """Rows of the Hub's listing as lines after `before`; rows without an id, and models seen before, are left out."""
    lines = before if before is not None else pl.DataFrame(schema=COLUMNS)
    seen = set(lines["key"].to_list())
    new: list[dict[str, Any]] = []
    for row in rows:
        model_id = text_of(row.get("id")) if isinstance(row, Mapping) else None
        if model_id is None or model_id.casefold() in seen:
            continue
        seen.add(model_id.casefold())
        new.append(_line(row, model_id, view, rank=lines.height + len(new) + 1))
    return pl.concat([lines, pl.DataFrame(new, schema=COLUMNS)])


def _line(row: Mapping[str, Any], model_id: str, view: View, rank: int) -> dict[str, Any]:
    gated = gated_of(row.get("gated"))
    figure = row.get("downloads" if view == "downloads" else "trendingScore")
    return {
        "rank": rank,
        "model_id": model_id,
        "key": model_id.casefold(),
        "figure": figure_of(figure),
        "library": text_of(row.get("library_name")),
        "pipeline_tag": text_of(row.get("pipeline_tag")),
        "gated": {False: "no", True: "yes"}.get(gated, gated) if isinstance(gated, bool) else gated,
        "likes": count_of(row.get("likes")),
        "downloads": count_of(row.get("downloads")),
        "parameters": parameters_of(row.get("safetensors")),
    }


def _is_whole(models: pl.DataFrame) -> bool:
    counted = models["rank"].to_list() == list(range(1, models.height + 1))
    named = models["model_id"].null_count() == 0 and models["key"].null_count() == 0
    return counted and named and models["key"].n_unique() == models.height
