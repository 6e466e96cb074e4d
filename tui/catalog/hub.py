"""What the Hub is asked: the dataset's revision and files, rankings, a model's facts, where buckets are.

Every function is bounded in time and raises only `tui.errors.Hub*`; with `settings.offline` it raises
`HubOfflineError` before anything is sent. Answers are outside data: what does not fit is left out.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qsl, quote

from tui.catalog import facts, hub_errors, renames, weights
from tui.catalog.facts import ModelFacts
from tui.catalog.hub_address import endpoint
from tui.catalog.hub_session import get, get_list, get_object, get_text, has_token, json_of
from tui.errors import HubError, HubNotFoundError
from tui.settings import Settings

__all__ = [
    "ModelFacts", "RankingPage", "bucket_folders", "buckets_of", "cached_facts", "card_texts",
    "current_id", "dataset_revision", "endpoint", "fetch_dataset", "model_facts", "ranking_page", "space_texts",
]  # fmt: skip

logger = logging.getLogger(__name__)

FACTS_KEPT = timedelta(days=1)
RANKING_PAGE = 500
"""Models asked for at once: huggingface.js asks for no more when it wants extra fields."""

SEARCH_S = 60.0
"""Longest time for reading the files of a Space."""
TEXT_FILES = frozenset({".py", ".md", ".html", ".js", ".json", ".txt", ".sh", ".toml", ".yaml"})
LARGEST_TEXT = 200_000
LARGEST_CARD = 1_000_000
MOST_TEXTS = 30

RANKING_FIELDS = (
    "downloads", "gated", "library_name", "likes", "pipeline_tag", "safetensors", "trendingScore",
)  # fmt: skip

Sort = Literal["trending_score", "downloads"]


@dataclass(frozen=True, slots=True)
class RankingPage:
    """Rows as the Hub gave them, in its order; each has a usable `id`."""

    rows: list[dict[str, Any]]
    next_cursor: str | None


def dataset_revision(settings: Settings) -> str:
    """The commit (40 hex digits) that `settings.revision` of the dataset stands for now. One small request.

    Raises `HubError`.
    """
    what = f"dataset {settings.dataset}"
    path = f"/api/datasets/{_id(settings.dataset)}"
    if settings.revision != "main":
        path += f"/revision/{quote(settings.revision, safe='')}"
        what += f" at {settings.revision}"
    sha = get_object(settings, path, what, [("expand", "sha")]).get("sha")
    if isinstance(sha, str) and re.fullmatch(r"[0-9a-f]{40}", sha):
        return sha
    raise hub_errors.not_the_hub(what, endpoint(), "no commit is named in it")


def fetch_dataset(
    settings: Settings,
    revision_sha: str,
    progress: Callable[[str], None],
    abandoned: threading.Event | None = None,
) -> list[tuple[str, Path]]:
    """The dataset's parquet files at a commit, as (name in the repository, path in the Hugging Face cache).

    Only files that are not in that cache are fetched. A child process does it, because a thread in it could
    hold up quitting; it is ended once `abandoned` is set or nothing arrives for a while. `progress` gets lines
    such as "3 of 20 files, 1.2 MB", in this thread. Raises `HubError`.
    """
    from tui.catalog import hub_download

    what = f"dataset {settings.dataset}"
    if settings.offline:
        raise hub_errors.offline(what)
    _id(settings.dataset)
    return hub_download.run(settings.dataset, revision_sha, progress, abandoned)


def ranking_page(
    settings: Settings, sort: Sort, task: str, cursor: str | None = None, limit: int = RANKING_PAGE
) -> RankingPage:
    """One page of the Hub's list of models for a task (a pipeline tag), highest first.

    `cursor` is the `next_cursor` of the page before. Raises `HubError`.
    """
    query = [("pipeline_tag", task), ("sort", {"trending_score": "trendingScore"}.get(sort, sort))]
    query += [("limit", str(limit)), *(("expand", name) for name in RANKING_FIELDS)]
    if cursor is not None:
        query = parse_qsl(cursor, keep_blank_values=True)
    what = f"ranking of {task} by {sort.replace('_', ' ')}"
    answer = get(settings, "/api/models", what, query)
    listed = json_of(answer, what)
    if not isinstance(listed, list):
        raise hub_errors.not_the_hub(what, endpoint(), "a list of models was expected")
    rows = [row for row in listed if isinstance(row, dict) and _can_be_id(row.get("id"))]
    if len(rows) < len(listed):
        logger.warning("%s: %s rows have no usable id and are left out", what, len(listed) - len(rows))
    return RankingPage(rows, answer.next_page)


def cached_facts(settings: Settings, model_id: str) -> ModelFacts | None:
    """The facts that were last asked for, however old; no request."""
    return facts.remembered(settings.cache_dir, endpoint(), model_id)


def model_facts(settings: Settings, model_id: str) -> ModelFacts:
    """What the Hub says of a model, asked at most once a day. Follows renames. Raises `HubError`.

    One request, and one more for the sizes of the files of a model whose weights may be packed.

    That the Hub does not have it is an answer too: the same `HubNotFoundError` is then raised without a request.
    """
    now = datetime.now(UTC)
    kept = cached_facts(settings, model_id)
    if kept is not None and kept.all_asked and timedelta() <= now - kept.fetched_at < FACTS_KEPT:
        return kept
    # What is private to others is not found without a token.
    asked_as = f"{endpoint()} {'with' if has_token() else 'without'} a token"
    missing = facts.remembered_missing(settings.cache_dir, asked_as, model_id)
    if missing is not None and timedelta() <= now - missing[0] < FACTS_KEPT:
        raise missing[1]
    what, path = f"model {model_id}", f"/api/models/{_id(model_id)}"
    try:
        answer = get_object(settings, path, what, [("expand", name) for name in facts.ASKED_FOR])
    except HubNotFoundError as error:
        facts.remember_missing(settings.cache_dir, asked_as, model_id, error, now)
        raise
    found = facts.facts_of(answer, endpoint(), now)
    if found is None:
        raise hub_errors.not_the_hub(what, endpoint(), "no model is named in it")
    if weights.may_be_packed(found.parameters_by_dtype):
        found = replace(found, weights_file_bytes=_weights_file_bytes(settings, found.id))
    facts.remember(settings.cache_dir, endpoint(), model_id, found)
    if found.id.casefold() != model_id.casefold():
        renames.remember_rename(settings, model_id, found.id)
    return found


def _weights_file_bytes(settings: Settings, model_id: str) -> int | None:
    """Bytes of the files with a model's weights, one request; None when the Hub does not tell now: they only help."""
    what = f"sizes of the files of model {model_id}"
    try:
        return weights.stored_bytes(get_list(settings, f"/api/models/{_id(model_id)}/tree/main", what))
    except HubError as error:
        logger.info("%s: %s", what, error)
        return None


def current_id(settings: Settings, model_id: str) -> str | None:
    """The id that the Hub has for a model now; None when it has none. One request. Raises `HubError`."""
    try:
        answer = get_object(settings, f"/api/models/{_id(model_id)}", f"model {model_id}", [("expand", "likes")])
    except HubNotFoundError:
        return None
    return facts.text_of(answer.get("id"))


def card_texts(settings: Settings) -> list[tuple[str, str]]:
    """(Label, text) of the dataset's card; empty when it has none. One request. Raises `HubError`."""
    card = f"/datasets/{_id(settings.dataset)}/resolve/{quote(settings.revision, safe='')}/README.md"
    try:
        text = get_text(settings, card, f"card of {settings.dataset}", largest=LARGEST_CARD)
    except HubNotFoundError:
        return []
    return [("dataset card README.md", text)]


def space_texts(settings: Settings) -> list[tuple[str, str]]:
    """(Label, text) of the small text files of the Space with the dataset's id; empty when there is none.

    One request, and one for each file. Raises `HubError` when something that exists could not be read.
    """
    deadline = time.monotonic() + SEARCH_S
    name = _id(settings.dataset)
    texts: list[tuple[str, str]] = []
    what = f"Space {settings.dataset}"
    try:
        entries = get_list(settings, f"/api/spaces/{name}/tree/main", what, [("recursive", "true")])
    except HubNotFoundError:
        return texts
    for path in _small_texts(entries):
        if time.monotonic() > deadline:
            raise hub_errors.no_answer(what, endpoint(), SEARCH_S)
        address = f"/spaces/{name}/resolve/main/{quote(path)}"
        texts.append((f"Space file {path}", get_text(settings, address, f"{path} of {what}", largest=LARGEST_TEXT)))
    return texts


def buckets_of(settings: Settings, namespace: str) -> list[str]:
    """Ids (ORG/NAME) of the public buckets of an organisation or user, first page. Raises `HubError`."""
    what = f"buckets of {namespace}"
    try:
        entries = get_list(settings, f"/api/buckets/{_id(namespace)}", what)
    except HubNotFoundError:
        return []
    return [entry["id"] for entry in entries if _can_be_id(entry.get("id"))]


def bucket_folders(settings: Settings, bucket: str) -> list[str]:
    """Folders at the top of a bucket (ORG/NAME), first page. Raises `HubError`."""
    what = f"bucket {bucket}"
    entries = get_list(settings, f"/api/buckets/{_id(bucket)}/tree", what, [("recursive", "false")])
    return [entry["path"] for entry in entries if entry.get("type") == "directory" and facts.text_of(entry.get("path"))]


def _id(text: str) -> str:
    """`text` for use in an address. Raises `HubNotFoundError` when nothing on the Hub can have this id."""
    if re.fullmatch(r"[\w.-]+(/[\w.-]+)?", text) and not {".", ".."} & set(text.split("/")) and len(text) < 200:
        return quote(text)
    raise hub_errors.not_an_id(text)


def _can_be_id(value: Any) -> bool:
    return facts.text_of(value) is not None and value.isprintable() and " " not in value


def _small_texts(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    paths = []
    for entry in entries:
        path, size = facts.text_of(entry.get("path")), facts.count_of(entry.get("size"))
        if path is None or size is None or entry.get("type") != "file":
            continue
        if size <= LARGEST_TEXT and Path(path).suffix.lower() in TEXT_FILES and ".." not in path.split("/"):
            paths.append(path)
    return paths[:MOST_TEXTS]
