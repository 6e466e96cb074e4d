"""What the app keeps on this machine, damaged at random, and whether it then starts with nothing wrong.

`Kept` makes a cache folder of everything once: own files, reports, index, manifest, front page, rankings, facts,
renames, ids, state. `check` damages some of its files and looks at all that a start reads.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import bad_files
import polars as pl
from damages import damaged

from tui import state
from tui.catalog import facts, front_page, hub, kept_rankings, model_ids, own_files, rankings, renames, snapshot, views
from tui.catalog.facts import ModelFacts
from tui.catalog.question import View, first_question
from tui.catalog.snapshot import Snapshot
from tui.errors import TrnModelsError
from tui.settings import Settings

COLUMNS = ("model_id", "verdict", "tp", "wall_s", "hbm_peak_gb")
REVISION = "1" * 40
TASK = "text-generation"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
_FOLDERS = ("cache", "state")


def nobody(_text: str) -> None:
    """Takes progress."""


@dataclass(frozen=True)
class Kept:
    """The folder with everything, and what is read from it undamaged."""

    folder: Path
    hub: Snapshot
    data: Snapshot
    texts: Mapping[tuple[int, int], tuple[str | None, str | None]]
    page: Any
    ranking: pl.DataFrame
    facts: ModelFacts


def settings_of(folder: Path) -> Settings:
    return Settings(cache_dir=folder / "cache", state_dir=folder / "state", config_dir=folder / "config")


def prepared(folder: Path, patch: Callable[[Any, str, Any], None]) -> Kept:
    """Everything that the app keeps, made by the app; `patch(object, name, value)` puts a Hub in place of the Hub."""
    words = ["pass", "fail", "fail", "x", "pass"]
    sources = {
        "a.parquet": bad_files.written(bad_files.table(5, model="acme/a", result=words)),
        "b.parquet": bad_files.written(bad_files.table(4, model="acme/b")),
        "c.parquet": bad_files.extremes(),
    }
    (folder / "data").mkdir(parents=True)
    for name, content in sources.items():
        (folder / "data" / name).write_bytes(content)
    fetched = [(name, folder / "data" / name) for name in sources]
    patch(hub, "dataset_revision", lambda _settings: REVISION)
    patch(hub, "fetch_dataset", lambda *_: fetched)
    settings = settings_of(folder)
    of_hub = snapshot.refresh(settings, None, nobody).snapshot
    data = snapshot.open_path(folder / "data", settings, nobody)
    # Of a copy it is another, and so no page would be looked at; that it counts is tested elsewhere.
    patch(front_page, "made_from", lambda _: ["the same"])
    lines = views.lines_of(of_hub, None, first_question(of_hub.stacks))
    front_page.write(settings, of_hub, lines, COLUMNS, ["the same"])
    rows = [{"id": f"acme/a-{number}", "trendingScore": 9 - number} for number in range(4)]
    patch(hub, "ranking_page", lambda *_, **__: hub.RankingPage(rows, None))
    ranking = rankings.fetch(settings, View.TRENDING, TASK)
    known = ModelFacts(
        id="acme/a-0", task=TASK, library="transformers", downloads=5, likes=1, gated=False, license="mit",
        parameters=7, url="https://hub/acme/a-0", size_bytes=9, fetched_at=NOW,
    )  # fmt: skip
    facts.remember(settings.cache_dir, "https://hub", "acme/a-0", known)
    renames.remember_rename(settings, "acme/old", "acme/a-0")
    state.remember(settings, theme="nord", view="trending", task=TASK, sort={"selected": "-wall_s"})
    texts = {place: snapshot.read_long_texts(of_hub, *place) for place in of_hub.records.select("file", "row").rows()}
    page = front_page.read(settings, COLUMNS)
    assert page is not None
    return Kept(folder, of_hub, data, texts, page, ranking.models, known)


def check(kept: Kept, work: Path, chance: random.Random) -> tuple[str, str]:
    """(what was damaged, what is wrong or ""): one start of the app on a damaged copy in `work`."""
    for name in _FOLDERS:
        shutil.rmtree(work / name, ignore_errors=True)
        # Links would share their content with the originals; times stay, as after a fault of the disk.
        shutil.copytree(kept.folder / name, work / name, copy_function=shutil.copy2)
    files = sorted(path for name in _FOLDERS for path in (work / name).rglob("*") if path.is_file())
    told = []
    for path in chance.sample(files, chance.choice([1, 1, 1, 2, len(files)])):
        times = path.stat()
        kind, content = damaged(path.read_bytes(), chance)
        path.write_bytes(content)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        told.append(f"{path.relative_to(work)}: {kind}")
    own_files._digest.cache_clear()  # a start of the app has none, and a new file can have the number of an old one
    settings = settings_of(work)
    try:
        wrong = _first_wrong(kept, settings)
    except BaseException as error:  # noqa: BLE001 - that is what is looked for; a panic of polars is no Exception
        wrong = f"{type(error).__name__}: {error}"
    return ", ".join(told[:4]), wrong


def _first_wrong(kept: Kept, settings: Settings) -> str:
    page = front_page.read(settings, COLUMNS)
    if page not in (None, kept.page):
        return f"another page: {page}"
    for view in (View.TRENDING, View.DOWNLOADS):
        ranking = rankings.cached(settings, view, TASK)
        if ranking is not None and not ranking.models.equals(kept.ranking):
            return f"another ranking: {ranking.models}"
    kept_rankings.every(settings)
    known = facts.remembered(settings.cache_dir, "https://hub", "acme/a-0")
    if known not in (None, kept.facts):
        return f"other facts: {known}"
    if renames.renames(settings) not in ({}, {"acme/old": "acme/a-0"}):
        return f"other renames: {renames.renames(settings)}"
    state.load(settings)
    state.remember(settings, theme="dark")
    if state.load(settings).theme != "dark":
        return "state is not remembered any more"
    model_ids.read(settings.cache_dir)
    last = snapshot.last_snapshot(settings)
    if last is not None and (wrong := _difference(kept, kept.hub, last)):
        return f"last snapshot: {wrong}"
    refreshed = snapshot.refresh(settings, last, nobody).snapshot
    if not refreshed.complete or (wrong := _difference(kept, kept.hub, refreshed)):
        return f"after a refresh: {refreshed.problems} {wrong}"
    data = snapshot.open_path(kept.folder / "data", settings, nobody)
    if not data.complete or (wrong := _difference(kept, kept.data, data)):
        return f"of a folder: {data.problems} {wrong}"
    return ""


def _difference(kept: Kept, good: Snapshot, read: Snapshot) -> str:
    """What is other in `read` than in `good`: only whole files may be missing, and must be told of."""
    present = [number for number, file in enumerate(read.files) if file.own is not None]
    expected = good.records.filter(pl.col("file").is_in(present)).drop("key_place")
    if not read.records.drop("key_place").equals(expected):
        return f"other records: {read.records}"
    for number, file in enumerate(read.files):
        if number not in present and not any(file.name in problem for problem in file.problems):
            return f"{file.name} is missing, and nothing says so"
    for place in read.records.select("file", "row").rows():
        try:
            texts = snapshot.read_long_texts(read, *place)
        except TrnModelsError:
            continue
        if texts != kept.texts[place]:
            return f"other texts at {place}: {texts}"
    return ""
