"""What the Hub says of one model, and where it is kept for a day."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from tui.catalog import hub_errors
from tui.catalog.json_files import file_name_of, moment, read_kept, write_json
from tui.errors import HubError, HubNotFoundError

Number = TypeVar("Number", int, float)

ASKED_FOR = (
    "cardData", "config", "downloads", "gated", "library_name", "likes", "pipeline_tag", "safetensors",
    "tags", "usedStorage",
)  # fmt: skip
"""Fields of the Hub's model information (`expand=`) that `facts_of` reads."""

MOST_DTYPES = 32
"""So many dtypes of one model are kept, those with the most weights: safetensors has 22, and models few of them."""
LONGEST_WORD = 60
"""Characters of a dtype's or a model type's name that can be meant."""

_SINCE_FIRST = ("model_type", "parameters_by_dtype", "weights_file_bytes")
"""Fields that were not asked for at first: kept files of before lack them."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """A model on the Hub. `None`: the Hub did not say.

    `id` is the one that the Hub answers with: another than was asked for when the model was renamed.
    `downloads` are those of the last 30 days, `parameters` a number of weights, `size_bytes` all revisions
    together, `gated` False, "auto" or "manual". `model_type` is the `model_type` of its config.json.
    `parameters_by_dtype` are weights by safetensors dtype (`BF16`), empty when the Hub did not say: their sum is what
    is in the files, `parameters` what the model's own files may claim. `weights_file_bytes` are bytes of the
    safetensors files together, asked for only where weights may be packed. `all_asked` is false for what was kept
    when less was asked for: what is missing then was not refused.
    """

    id: str
    task: str | None
    library: str | None
    downloads: int | None
    likes: int | None
    gated: bool | str | None
    license: str | None
    parameters: int | None
    url: str
    size_bytes: int | None
    fetched_at: datetime
    model_type: str | None = None
    parameters_by_dtype: Mapping[str, int] = field(default_factory=dict)
    weights_file_bytes: int | None = None
    all_asked: bool = True


def text_of(value: Any) -> str | None:
    """`value` when it is a text of a length that can be meant, else None."""
    return value if isinstance(value, str) and value.strip() and len(value) <= 300 else None


def count_of(value: Any) -> int | None:
    """`value` as a whole number from 0 to 2**63 - 1, also when it comes as a text or a float; else None."""
    number = _number_of(value, int)
    return number if number is not None and 0 <= number < 2**63 else None


def figure_of(value: Any) -> float | None:
    """`value` as a number between -1e18 and 1e18, also when it comes as a text; else None."""
    number = _number_of(value, float)
    return number if number is not None and -1e18 < number < 1e18 else None


def _number_of(value: Any, convert: Callable[[Any], Number]) -> Number | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return convert(value)
    except (ValueError, OverflowError):
        return None


def gated_of(value: Any) -> bool | str | None:
    """False, or the word for how access is given; None when it was not said."""
    return value if isinstance(value, bool) else text_of(value)


def parameters_of(safetensors: Any) -> int | None:
    """Weights in a model's safetensors files: the Hub's total, or the sum over its dtypes where that is more.

    The total is what the model's files claim, which may be anything; the sum may count packed weights as fewer.
    """
    if not isinstance(safetensors, Mapping):
        return None
    by_dtype = safetensors.get("parameters")
    counts = [count_of(value) for value in by_dtype.values()] if isinstance(by_dtype, Mapping) else []
    counted = count_of(sum(count for count in counts if count is not None)) if counts else None
    return max((number for number in (count_of(safetensors.get("total")), counted) if number is not None), default=None)


def parameters_by_dtype_of(by_dtype: Any) -> dict[str, int]:
    """Weights by dtype, the most first, at most `MOST_DTYPES`; what is no name or no count above 0 is left out."""
    if not isinstance(by_dtype, Mapping):
        return {}
    said = [(word, count_of(value)) for name, value in by_dtype.items() if (word := word_of(name)) is not None]
    counted = [(name, count) for name, count in said if count]
    return dict(sorted(counted, key=lambda pair: (-pair[1], pair[0]))[:MOST_DTYPES])


def model_type_of(config: Any) -> str | None:
    """The `model_type` of a model's configuration as the Hub tells it: `qwen3`."""
    return word_of(config.get("model_type")) if isinstance(config, Mapping) else None


def word_of(value: Any) -> str | None:
    """`value` when it is a short text without white space around it, else None."""
    text = text_of(value)
    return text if text is not None and len(text) <= LONGEST_WORD and text == text.strip() else None


def facts_of(answer: Mapping[str, Any], endpoint: str, fetched_at: datetime) -> ModelFacts | None:
    """Facts from the Hub's answer about a model; None when it does not name one."""
    model_id = text_of(answer.get("id"))
    if model_id is None:
        return None
    safetensors = answer.get("safetensors")
    return ModelFacts(
        id=model_id,
        task=text_of(answer.get("pipeline_tag")),
        library=text_of(answer.get("library_name")),
        downloads=count_of(answer.get("downloads")),
        likes=count_of(answer.get("likes")),
        gated=gated_of(answer.get("gated")),
        license=_license_of(answer),
        parameters=parameters_of(safetensors),
        url=f"{endpoint}/{model_id}",
        size_bytes=count_of(answer.get("usedStorage")),
        fetched_at=fetched_at,
        model_type=model_type_of(answer.get("config")),
        parameters_by_dtype=parameters_by_dtype_of(
            safetensors.get("parameters") if isinstance(safetensors, Mapping) else None
        ),
    )


def _license_of(answer: Mapping[str, Any]) -> str | None:
    card = answer.get("cardData")
    if isinstance(card, Mapping):
        said = card.get("license")
        words = _texts_of(said if isinstance(said, list) else [said])
        if words == ["other"] and text_of(card.get("license_name")):
            return text_of(card["license_name"])
        if words:
            return ", ".join(words)
    tags = answer.get("tags")
    named = [tag for tag in _texts_of(tags if isinstance(tags, list) else []) if tag.startswith("license:")]
    return ", ".join(tag.removeprefix("license:") for tag in named) or None


def _texts_of(values: list[Any]) -> list[str]:
    return [text for value in values if (text := text_of(value)) is not None]


def _path(cache_dir: Path, endpoint: str, model_id: str) -> Path:
    return cache_dir / "facts" / f"{file_name_of(f'{model_id} {endpoint}'.casefold())}.json"


def remembered(cache_dir: Path, endpoint: str, model_id: str) -> ModelFacts | None:
    """The facts last asked for under this id, however old (`fetched_at` tells)."""
    return read_kept(_path(cache_dir, endpoint, model_id), _from_json)


def every(cache_dir: Path, endpoint: str) -> list[ModelFacts]:
    """All facts that this Hub was asked for, however old; no request. What cannot be read is left out."""
    try:
        with os.scandir(cache_dir / "facts") as entries:
            files = sorted((entry.path, entry.stat()) for entry in entries if entry.name.endswith(".json"))
    except OSError:
        return []
    kept = (_read(path, status.st_ino, status.st_mtime_ns, status.st_size) for path, status in files)
    return [facts for facts in kept if facts is not None and facts.url.startswith(f"{endpoint}/")]


@lru_cache(maxsize=10_000)
def _read(path: str, *_status: int) -> ModelFacts | None:
    """The facts in a file, read once: what is written there later is another file with another status."""
    return read_kept(Path(path), _from_json)


def _from_json(kept: Any) -> ModelFacts:
    since = {
        "model_type": word_of(kept.get("model_type")),
        "parameters_by_dtype": parameters_by_dtype_of(kept.get("parameters_by_dtype")),
        "weights_file_bytes": count_of(kept.get("weights_file_bytes")),
        "all_asked": kept.get("all_asked") is True and set(_SINCE_FIRST) <= set(kept),
    }
    facts = ModelFacts(**{**kept, **since, "fetched_at": moment(kept["fetched_at"])})
    if not isinstance(facts.id, str) or not isinstance(facts.url, str):
        raise ValueError(f"{facts.id!r} is no id")
    return facts


def remember(cache_dir: Path, endpoint: str, model_id: str, facts: ModelFacts) -> None:
    """Keep `facts` as the answer for `model_id`."""
    value = asdict(facts) | {"fetched_at": facts.fetched_at.astimezone(UTC).isoformat()}
    write_json(_path(cache_dir, endpoint, model_id), value)


def _missing_path(cache_dir: Path, asked_as: str, model_id: str) -> Path:
    return cache_dir / "facts" / "missing" / f"{file_name_of(f'{model_id} {asked_as}'.casefold())}.json"


def remembered_missing(cache_dir: Path, asked_as: str, model_id: str) -> tuple[datetime, HubError] | None:
    """When the Hub last said that it does not have this model, and how; `asked_as` tells whom it answered."""
    return read_kept(_missing_path(cache_dir, asked_as, model_id), _missing_from_json)


def _missing_from_json(kept: Any) -> tuple[datetime, HubError]:
    error = hub_errors.from_json(kept["error"])
    if not isinstance(error, HubNotFoundError):
        raise ValueError(f"{error!r} is another answer")
    return moment(kept["at"]), error


def remember_missing(cache_dir: Path, asked_as: str, model_id: str, error: HubNotFoundError, at: datetime) -> None:
    """Keep that the Hub answered with `error`."""
    value = {"at": at.astimezone(UTC).isoformat(), "error": hub_errors.to_json(error)}
    write_json(_missing_path(cache_dir, asked_as, model_id), value)
