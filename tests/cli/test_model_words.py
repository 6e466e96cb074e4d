"""Which model a person means."""

from __future__ import annotations

from pathlib import Path

import pytest
from loopback_hub import LoopbackHub
from parquet_builder import parquet

from tui.catalog import rankings, renames
from tui.catalog import snapshot as snapshots
from tui.catalog.snapshot import Snapshot
from tui.catalog.views import View
from tui.cli.chosen_record import NoSuchModelError
from tui.cli.model_words import model_named
from tui.errors import NoDataError, UsageError
from tui.settings import Settings

RECORDED = ("acme/Quartz-8B", "acme/Quartz-8B-Instruct", "acme/Slate-1B", "tiny/Old-Name")


def opened(settings: Settings, folder: Path, *model_ids: str | None) -> Snapshot:
    folder.mkdir(exist_ok=True)
    (folder / "a.parquet").write_bytes(parquet(*({"model_id": model_id} for model_id in model_ids)))
    return snapshots.open_path(folder, settings, lambda _: None)


@pytest.fixture
def snapshot(settings: Settings, tmp_path: Path) -> Snapshot:
    return opened(settings, tmp_path / "data", *RECORDED, None)


@pytest.fixture
def ranked(hub: LoopbackHub, settings: Settings) -> None:
    """Two rankings on disk, of two views and tasks."""
    hub.add_model("acme/Quartz-8B-FP8", pipeline_tag="text-generation", trendingScore=3)
    hub.add_model("fresh/Newcomer-3B", pipeline_tag="text-generation", trendingScore=2)
    hub.add_model("fresh/Seer-2B", pipeline_tag="image-text-to-text", downloads=1)
    rankings.fetch(settings, View.TRENDING, "text-generation")
    rankings.fetch(settings, View.DOWNLOADS, "image-text-to-text")
    hub.refuse()


@pytest.mark.parametrize(
    ("text", "model_id"),
    [
        ("acme/Quartz-8B", "acme/Quartz-8B"),
        ("ACME/quartz-8b", "acme/Quartz-8B"),
        ("slate", "acme/Slate-1B"),
        ("quartz-8B", "acme/Quartz-8B"),
        ("instruct QUARTZ", "acme/Quartz-8B-Instruct"),
        ("tiny/", "tiny/Old-Name"),
    ],
)
def test_an_id_wins_and_else_words_that_only_one_id_has(
    text: str, model_id: str, settings: Settings, snapshot: Snapshot
) -> None:
    assert model_named(settings, snapshot, text) == model_id


def test_words_that_several_ids_have_lead_to_the_candidates(settings: Settings, snapshot: Snapshot) -> None:
    with pytest.raises(NoSuchModelError) as raised:
        model_named(settings, snapshot, "quartz")
    assert raised.value.exit_code == 7
    assert raised.value.title == "2 models have «quartz» in their id"
    assert raised.value.detail.splitlines() == ["acme/Quartz-8B", "acme/Quartz-8B-Instruct"]


def test_twenty_candidates_are_listed_and_the_others_counted(settings: Settings, tmp_path: Path) -> None:
    snapshot = opened(settings, tmp_path / "many", *(f"acme/model-{number:02}" for number in range(33)))
    with pytest.raises(NoSuchModelError) as raised:
        model_named(settings, snapshot, "model")
    lines = raised.value.detail.splitlines()
    assert (len(lines), lines[0], lines[-1]) == (21, "acme/model-00", "and 13 more")


@pytest.mark.parametrize(("text", "near"), [("acme/Slaet-1B", ["acme/Slate-1B"]), ("nothing-like-it", [])])
def test_what_no_id_has_leads_to_ids_that_are_near(
    text: str, near: list[str], settings: Settings, snapshot: Snapshot
) -> None:
    with pytest.raises(NoSuchModelError) as raised:
        model_named(settings, snapshot, text)
    assert raised.value.title == f"No model has «{text}» in its id"
    assert raised.value.remedy.splitlines()[1:] == near


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_text_is_no_name(text: str, settings: Settings, snapshot: Snapshot) -> None:
    with pytest.raises(UsageError) as raised:
        model_named(settings, snapshot, text)
    assert (raised.value.exit_code, raised.value.title) == (2, "MODEL is empty")


def test_a_last_part_that_two_models_have_names_neither(settings: Settings, tmp_path: Path) -> None:
    snapshot = opened(settings, tmp_path / "data", "acme/Opal-8B", "beta/Opal-8B", "acme/Opal-8B-Instruct")
    with pytest.raises(NoSuchModelError) as raised:
        model_named(settings, snapshot, "opal-8b")
    assert raised.value.detail.splitlines() == ["acme/Opal-8B", "beta/Opal-8B"]


def test_what_may_be_in_an_unreadable_file_is_not_called_unknown(settings: Settings, tmp_path: Path) -> None:
    opened(settings, tmp_path / "data", "acme/Opal-8B")
    (tmp_path / "data" / "b.parquet").write_bytes(b"PAR1 no PAR1")
    snapshot = snapshots.open_path(tmp_path / "data", settings, lambda _: None)
    with pytest.raises(NoDataError) as raised:
        model_named(settings, snapshot, "acme/Jade-1B")
    assert raised.value.exit_code == 5
    assert "Not all records could be read." in raised.value.detail
    assert model_named(settings, snapshot, "opal") == "acme/Opal-8B"


def test_the_new_id_of_a_renamed_model_is_that_model(settings: Settings, snapshot: Snapshot) -> None:
    renames.remember_rename(settings, "tiny/Old-Name", "giant/New-Name")
    assert model_named(settings, snapshot, "GIANT/New-Name") == "tiny/Old-Name"
    assert model_named(settings, snapshot, "new-name") == "tiny/Old-Name"


def test_records_under_both_ids_are_one_model(settings: Settings, tmp_path: Path) -> None:
    snapshot = opened(settings, tmp_path / "both", "tiny/One", "giant/One")
    renames.remember_rename(settings, "tiny/One", "giant/One")
    assert model_named(settings, snapshot, "one") == "giant/One"
    assert model_named(settings, snapshot, "tiny/one") == "giant/One"


@pytest.mark.usefixtures("ranked")
@pytest.mark.parametrize(
    ("text", "model_id"),
    [
        ("fresh/newcomer-3b", "fresh/Newcomer-3B"),
        ("seer", "fresh/Seer-2B"),
        ("acme/quartz-8b-fp8", "acme/Quartz-8B-FP8"),
    ],
)
def test_a_model_that_only_a_ranking_on_disk_has_is_known(
    text: str, model_id: str, settings: Settings, snapshot: Snapshot
) -> None:
    assert model_named(settings, snapshot, text) == model_id


@pytest.mark.usefixtures("ranked")
def test_rankings_never_change_which_recorded_model_is_meant(settings: Settings, tmp_path: Path) -> None:
    snapshot = opened(settings, tmp_path / "few", "acme/Quartz-8B-Instruct")
    assert model_named(settings, snapshot, "quartz-8b") == "acme/Quartz-8B-Instruct"


def test_a_damaged_ranking_on_disk_is_passed_over(settings: Settings, snapshot: Snapshot, ranked: None) -> None:
    for file in (settings.cache_dir / "rankings").rglob("trending*.json"):
        file.write_text('{"view": "trending", "task": ')
    assert model_named(settings, snapshot, "seer") == "fresh/Seer-2B"
    with pytest.raises(NoSuchModelError):
        model_named(settings, snapshot, "fresh/Newcomer-3B")


@pytest.mark.usefixtures("ranked")
def test_the_sample_knows_the_models_of_its_own_rankings_alone(settings: Settings) -> None:
    sample = snapshots.open_sample()
    assert model_named(settings, sample, "SAMPLE/newcomer-3b") == "sample/Newcomer-3B"
    with pytest.raises(NoSuchModelError):
        model_named(settings, sample, "fresh/Seer-2B")


def test_what_strangers_put_into_ids_is_shown_as_escapes(settings: Settings, tmp_path: Path) -> None:
    snapshot = opened(settings, tmp_path / "odd", "acme/\x1b[2J\nFAIL", "acme/\x1b[2Jb")
    with pytest.raises(NoSuchModelError) as raised:
        model_named(settings, snapshot, "acme")
    assert raised.value.detail.splitlines() == [r"acme/\x1b[2Jb", r"acme/\x1b[2J\nFAIL"]
