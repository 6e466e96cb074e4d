"""Task and model type of models, from rankings and kept answers of the Hub."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from tui.catalog import facts, hub, kinds, rankings, renames
from tui.catalog.facts import ModelFacts
from tui.catalog.rankings import COLUMNS, Ranking
from tui.catalog.views import View
from tui.settings import Settings


def on(day: int) -> datetime:
    return datetime(2026, 11, day, tzinfo=UTC)


def answer(model_id: str, task: str | None = None, model_type: str | None = None, day: int = 1) -> ModelFacts:
    nothing = dict.fromkeys(("library", "downloads", "likes", "gated", "license", "parameters", "size_bytes"))
    url = f"{hub.endpoint()}/{model_id}"
    return ModelFacts(id=model_id, task=task, model_type=model_type, url=url, fetched_at=on(day), **nothing)  # type: ignore[arg-type]


def ranking(task: str, *rows: tuple[str, str | None], day: int = 1) -> Ranking:
    models = pl.DataFrame(
        [
            {"rank": place, "model_id": model_id, "key": model_id.casefold(), "pipeline_tag": tag}
            for place, (model_id, tag) in enumerate(rows, 1)
        ],
        schema=COLUMNS,
    )
    return Ranking(View.TRENDING, task, on(day), models, None, sample=False)


def known(*rankings_: Ranking, answers: tuple[ModelFacts, ...] = (), renamed: dict[str, str] | None = None):
    frame = kinds.kinds_of(rankings_, answers, renamed or {})
    assert dict(frame.schema) == kinds.COLUMNS
    return {key: (task, model_type) for key, task, model_type in frame.select("key", "task", "model_type").iter_rows()}


def test_a_ranking_tells_the_task_of_its_models_and_no_type() -> None:
    assert known(ranking("chat", ("Acme/A", "text-generation"), ("acme/b", None))) == {
        "acme/a": ("text-generation", None),
        "acme/b": ("chat", None),
    }


def test_the_newest_answer_about_a_model_wins_and_then_the_newest_ranking() -> None:
    found = known(
        ranking("old", ("acme/a", "old"), ("acme/b", "old"), day=3),
        ranking("new", ("acme/b", "new"), day=4),
        answers=(answer("Acme/A", "older", "t1", 1), answer("acme/A", "newer", None, 2), answer("acme/c", None, None)),
    )
    assert found == {"acme/a": ("newer", "t1"), "acme/b": ("new", None)}


def test_what_is_known_of_a_model_holds_under_its_old_and_its_new_id() -> None:
    found = known(
        ranking("chat", ("acme/new", None)),
        answers=(answer("acme/old2", "draw", "unet"),),
        renamed={"acme/old": "acme/new", "acme/old2": "acme/new2", "acme/x": "acme/y"},
    )
    assert found == {
        "acme/new": ("chat", None),
        "acme/old": ("chat", None),
        "acme/old2": ("draw", "unet"),
        "acme/new2": ("draw", "unet"),
    }


def test_they_are_read_from_what_is_on_disk(tmp_path: Path) -> None:
    settings = Settings(cache_dir=tmp_path)
    assert kinds.read(settings, sample=False).is_empty()
    rankings._keep(settings, ranking("chat", ("acme/a", None)))
    facts.remember(tmp_path, hub.endpoint(), "acme/B", answer("acme/b", "draw", "unet"))
    facts.remember(tmp_path, "https://elsewhere", "acme/c", answer("acme/c", "draw"))
    renames.remember_rename(settings, "acme/old", "acme/a")
    (tmp_path / "facts" / "damaged.json").write_text("{")
    read = {row[0]: row[1:3] for row in kinds.read(settings, sample=False).iter_rows()}
    assert read["acme/a"] == read["acme/old"] == ("chat", None)
    assert read["acme/b"] == ("draw", "unet")


def test_the_sample_has_its_own() -> None:
    frame = kinds.read(Settings(), sample=True)
    assert frame.height > 0
    assert frame["key"].str.starts_with("sample/").all()
    assert frame["task"].null_count() == 0
