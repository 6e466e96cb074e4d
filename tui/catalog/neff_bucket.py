"""Where compiled graphs (NEFF files) can be fetched from, and how that is known.

The address of a public bucket is documented nowhere that could be read, so it is looked for: the user's
setting; an address in the dataset card or in the files of the Space of the same name; a bucket of the
dataset's organisation whose name or folders fit. The last is a candidate only, as is an address of which
nothing near says that it holds a cache. No address is ever made up.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tui.catalog import bucket_address
from tui.catalog.json_files import file_name_of, moment, read_kept, write_json
from tui.errors import HubError, HubNotFoundError
from tui.settings import Settings
from tui.terminal_text import clean

logger = logging.getLogger(__name__)

KEPT_FOR = timedelta(days=1)
INCOMPLETE_KEPT_FOR = timedelta(hours=1)
"""When not every question was answered."""

HOW_TO_SET = (
    'Name one yourself: neff_bucket = "hf://buckets/ORG/NAME" (or "s3://BUCKET") in the config file, '
    "or TRN_MODELS_NEFF_BUCKET in the environment."
)

_NO_SUCH_BUCKET = "The Hub has no such bucket, or it is private."

# A listing is one request or more: only the likeliest buckets of an organisation are looked into.
_LISTED_AT_MOST = 5
_FOLDERS_KEPT = 2_000
_NAME_WORDS = (re.compile(r"neff", re.I), re.compile(r"cache|compil", re.I), re.compile(r"neuron", re.I))
_COMPILER_FOLDER = re.compile(r"(?:^|[^0-9.])2\.\d{1,3}\.\d{3,6}\.\d+(?![0-9])")


@dataclass(frozen=True, slots=True)
class Bucket:
    """One address and why it is believed. `folders` are paths in the bucket, None when it was not listed.

    `trouble` is a sentence when the Hub was asked for the folders and did not tell them.
    """

    address: str
    source: str
    line: str = ""
    candidate: bool = False
    folders: tuple[str, ...] | None = None
    trouble: str = ""

    @property
    def missing(self) -> bool:
        """Whether the Hub was asked and said that it has no such bucket, or none for this token."""
        return self.trouble == _NO_SUCH_BUCKET


@dataclass(frozen=True, slots=True)
class Search:
    """What looking for a bucket gave: the best, the others, when it was asked (UTC or None), in words.

    Until `ask_again_at` (UTC; None: it was not kept) the answer is not asked for again.
    """

    bucket: Bucket | None
    others: tuple[Bucket, ...]
    looked_at: datetime | None
    note: str
    ask_again_at: datetime | None = None


def find(settings: Settings, *, now: datetime | None = None) -> Search:
    """The bucket with compiled graphs for the dataset; a few bounded requests, at most once a day, or once an hour
    while not all of them are answered.

    Raises nothing for the Hub: without an answer it gives what was found last, or says why nothing was.
    """
    now = now or datetime.now(UTC)
    if refusal := _nothing_to_ask(settings):
        return Search(None, (), None, f"{refusal} {HOW_TO_SET}")
    path = _cache_path(settings)
    last = read_kept(path, _from_json)
    if last and last.ask_again_at and timedelta() < last.ask_again_at - now <= KEPT_FOR:
        return last
    if settings.offline:
        return last or _without_answer(settings, "Not looked up: offline.")
    try:
        search, whole = _look(settings, now)
    except HubError as error:
        logger.info("looking for a bucket: %s", error)
        return last or _without_answer(settings, f"Not looked up: {error.title}.")
    if not whole and last and _knows_more(last, search):
        search = last
    search = replace(search, ask_again_at=now + (KEPT_FOR if whole else INCOMPLETE_KEPT_FOR))
    write_json(path, _to_json(search))
    return search


def _knows_more(last: Search, search: Search) -> bool:
    if last.bucket is None or search.bucket is None:
        return last.bucket is not None
    return search.bucket.candidate and not last.bucket.candidate


def _nothing_to_ask(settings: Settings) -> str:
    if settings.neff_bucket and not bucket_address.well_formed(settings.neff_bucket.rstrip("/")):
        return f"The setting neff_bucket, «{clean(settings.neff_bucket)}», is no bucket address."
    if settings.sample and not settings.neff_bucket:
        return "Sample data: its models are invented, so nothing was compiled."
    return ""


def _without_answer(settings: Settings, why: str) -> Search:
    if settings.neff_bucket:
        return Search(from_setting(settings.neff_bucket), (), None, f"From your setting. {why}")
    return Search(None, (), None, f"{why} {HOW_TO_SET}")


def _look(settings: Settings, now: datetime) -> tuple[Search, bool]:
    """The search with requests, and whether every question was answered. Raises `HubError` when none was."""
    from tui.catalog import hub

    if settings.neff_bucket:
        bucket = _listed(settings, from_setting(settings.neff_bucket))
        return Search(bucket, (), now, f"From your setting. {bucket.trouble}".strip()), not bucket.trouble
    failed: list[HubError] = []
    texts: list[tuple[str, str]] = []
    found: tuple[Bucket, ...] = ()
    try:
        for ask in (hub.card_texts, hub.space_texts):
            texts += ask(settings)
            found = from_texts(texts)
            if found and not found[0].candidate:
                break
    except HubError as error:
        failed.append(error)
    if not found or found[0].candidate:
        organisation = settings.dataset.split("/")[0]
        try:
            others = _candidates(settings, organisation)
            known = {bucket.address for bucket in found}
            found = (*found, *(bucket for bucket in others if bucket.address not in known))
        except HubError as error:
            failed.append(error)
    if failed and not found and not texts:
        raise failed[0]
    labels = ", ".join(label for label, _ in texts) or "no text"
    if not found:
        why = f" Not everything could be asked: {failed[0].title}." if failed else ""
        return Search(None, (), now, f"No bucket address was found (read: {labels}).{why} {HOW_TO_SET}"), not failed
    first = _listed(settings, found[0])
    note = f"A guess, not verified: {first.source}." if first.candidate else f"Found in {first.source}."
    answered = not failed and first.trouble in {"", _NO_SUCH_BUCKET}
    return Search(first, tuple(found[1:]), now, f"{note} {first.trouble}".strip()), answered


def _listed(settings: Settings, bucket: Bucket) -> Bucket:
    """The bucket with its folders, or the trouble with them when they should be known.

    On s3 nothing is listed. On the Hub only the top of a bucket is, so a path below it is not looked at, unless it
    varies with the compiler at the top.
    """
    from tui.catalog import hub

    name = bucket_address.bucket_id(bucket.address)
    path = bucket_address.path_in_bucket(bucket.address)
    varies = _COMPILER_FOLDER.search(path) or not bucket_address.complete(bucket.address)
    at_top = not path or ("/" not in path and varies)
    if name is None or bucket.folders is not None or not at_top:
        return bucket
    try:
        return replace(bucket, folders=tuple(hub.bucket_folders(settings, name))[:_FOLDERS_KEPT])
    except HubNotFoundError:
        return replace(bucket, trouble=_NO_SUCH_BUCKET)
    except HubError as error:
        logger.info("listing %s: %s", name, error)
        return replace(bucket, trouble=f"Its folders could not be listed: {error.title}.")


def _candidates(settings: Settings, organisation: str) -> tuple[Bucket, ...]:
    from tui.catalog import hub

    names = sorted(hub.buckets_of(settings, organisation), key=_name_rank)
    trees: list[tuple[str, Iterable[str] | None]] = []
    for name in names[:_LISTED_AT_MOST]:
        try:
            trees.append((name, hub.bucket_folders(settings, name)))
        except HubError as error:
            logger.info("listing %s: %s", name, error)
            trees.append((name, None))
    return from_buckets([*trees, *((name, None) for name in names[_LISTED_AT_MOST:])])


def from_setting(address: str) -> Bucket:
    """The bucket that the user named."""
    return Bucket(address.rstrip("/"), "your setting neff_bucket")


def from_texts(texts: Iterable[tuple[str, str]]) -> tuple[Bucket, ...]:
    """Buckets named in (label, text) pairs: those whose surroundings speak of a cache first, else in order.

    An address with no such word near may hold anything: it is a candidate.
    """
    buckets: dict[str, Bucket] = {}
    for label, text in texts:
        for item in bucket_address.addresses_in(text):
            source = f"{clean(label)}, line {item.line_number}"
            bucket = Bucket(item.address, source, clean(item.line), candidate=not item.about_cache)
            if item.address not in buckets or (buckets[item.address].candidate and not bucket.candidate):
                buckets[item.address] = bucket
    return tuple(sorted(buckets.values(), key=lambda bucket: bucket.candidate))


def from_buckets(buckets: Iterable[tuple[str, Iterable[str] | None]]) -> tuple[Bucket, ...]:
    """Candidates among (`ORG/NAME`, folders or None) pairs, best first: by names of folders and their own."""
    fitting: list[tuple[int, Bucket]] = []
    for name, folders in buckets:
        known = None if folders is None else tuple(folders)[:_FOLDERS_KEPT]
        by_folder = any(_COMPILER_FOLDER.search(folder) for folder in known or ())
        rank = _name_rank(name)
        address = f"{bucket_address.HF_PREFIX}{name}"
        if (rank == len(_NAME_WORDS) and not by_folder) or not bucket_address.complete(address):
            continue
        organisation = name.split("/")[0]
        why = "has folders named like compiler versions" if by_folder else "has a name that fits"
        source = f"a bucket of {organisation} that {why}"
        fitting.append((rank - 2 * by_folder, Bucket(address, source, candidate=True, folders=known)))
    return tuple(bucket for _, bucket in sorted(fitting, key=lambda item: (item[0], item[1].address)))


def _name_rank(name: str) -> int:
    own = name.partition("/")[2]
    return next((rank for rank, words in enumerate(_NAME_WORDS) if words.search(own)), len(_NAME_WORDS))


def _cache_path(settings: Settings) -> Path:
    from tui.catalog import hub

    # Another Hub or another setting is another question.
    asked = " ".join((settings.dataset, settings.neff_bucket or "", hub.endpoint()))
    return settings.cache_dir / f"neff_bucket-{file_name_of(asked)}.json"


def _to_json(search: Search) -> dict[str, Any]:
    times = {"looked_at": search.looked_at, "ask_again_at": search.ask_again_at}
    return asdict(search) | {name: time and time.isoformat() for name, time in times.items()}


def _from_json(kept: Any) -> Search:
    best = None if kept["bucket"] is None else _bucket(kept["bucket"])
    others = tuple(_bucket(item) for item in kept["others"])
    return Search(best, others, moment(kept["looked_at"]), str(kept["note"]), moment(kept["ask_again_at"]))


def _bucket(item: Mapping[str, Any]) -> Bucket:
    """Raises ValueError, KeyError or TypeError for what is none."""
    if not bucket_address.well_formed(item["address"]):
        raise ValueError(f"no address: {item['address']!r}")
    folders = None if item["folders"] is None else tuple(map(str, item["folders"]))
    return Bucket(
        address=item["address"],
        source=str(item["source"]),
        line=str(item["line"]),
        candidate=bool(item["candidate"]),
        folders=folders,
        trouble=str(item["trouble"]),
    )
