"""Records from the Hub: what is asked, what is kept, what is told."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from dataset_builder import FIRST, LocalDataset, models, parquet, record, said
from loopback_hub import LoopbackHub, silent, status

from tui.catalog import snapshot as snapshots
from tui.errors import HubError, HubUnreachableError, NoDataError
from tui.settings import DEFAULT_DATASET, Settings


def test_a_hub_dataset_is_fetched_kept_and_asked_for_again(
    hub: LoopbackHub, settings: Settings, no_child: Callable[[], None]
) -> None:
    repository = hub.add_dataset(DEFAULT_DATASET, {**FIRST, "README.md": b"# records"})
    told: list[str] = []
    assert snapshots.last_snapshot(settings) is None
    refreshed = snapshots.refresh(settings, None, told.append)
    first = refreshed.snapshot
    assert refreshed.changed == "3 records of 2 stacks"
    assert (first.source, first.name, first.revision) == ("hub", DEFAULT_DATASET, repository.main)
    assert models(first) == ["one", "two", "one"]
    assert first.checked_at is not None
    assert abs((datetime.now(UTC) - first.checked_at).total_seconds()) < 60
    assert (told[0], told[-1]) == (f"fetching {DEFAULT_DATASET}", "2 of 2 files read")

    hub.forget_requests()
    no_child()
    kept = snapshots.last_snapshot(settings)
    assert hub.requests == []
    assert kept is not None
    assert kept.records.equals(first.records)
    assert (kept.source, kept.name, kept.revision) == ("hub", first.name, first.revision)
    assert (kept.checked_at, kept.newest_test, kept.files) == (first.checked_at, first.newest_test, first.files)

    again = snapshots.refresh(settings, kept, said)
    assert len(hub.requests) == 1
    assert again.changed == "nothing changed"
    assert again.snapshot.records is kept.records
    assert again.snapshot.checked_at is not None
    assert again.snapshot.checked_at > first.checked_at
    remembered = snapshots.last_snapshot(settings)
    assert remembered is not None
    assert remembered.checked_at == again.snapshot.checked_at


def test_a_dataset_of_one_record_is_told_of_in_the_singular(hub: LoopbackHub, settings: Settings) -> None:
    hub.add_dataset(DEFAULT_DATASET, {"one.parquet": parquet(record("one"))})
    told: list[str] = []
    assert snapshots.refresh(settings, None, told.append).changed == "1 record of 1 stack"
    assert told[-1] == "1 of 1 file read"


def test_only_changed_files_are_fetched_from_the_hub(hub: LoopbackHub, settings: Settings) -> None:
    repository = hub.add_dataset(DEFAULT_DATASET, FIRST)
    first = snapshots.refresh(settings, None, said).snapshot
    sha = repository.add_revision({**FIRST, "data/new.parquet": parquet(record("three"))})
    hub.forget_requests()
    second = snapshots.refresh(settings, first, said)
    assert second.changed == "1 of 2 files changed: 1 record new, 2 gone"
    assert (second.snapshot.revision, models(second.snapshot)) == (sha, ["three", "one"])
    assert len(hub.paths("/content/")) == 1


def test_what_changed_is_told_in_records(dataset: LocalDataset, settings: Settings) -> None:
    old = parquet(record("one", tp=1), record("two", "fail"), record("three", wall_s=60))
    new = parquet(record("three", wall_s=61), record("one", tp=1), record("four"), record("five"))
    dataset.add_revision({**FIRST, "data/new.parquet": old})
    first = snapshots.refresh(settings, None, said).snapshot
    sha = dataset.add_revision({**FIRST, "data/new.parquet": new})
    refreshed = snapshots.refresh(settings, first, said)
    assert refreshed.changed == "1 of 2 files changed: 2 records new, 1 changed, 1 gone"
    assert refreshed.snapshot.revision == sha
    assert models(refreshed.snapshot) == ["three", "one", "four", "five", "one"]
    kept = snapshots.last_snapshot(settings)
    assert kept is not None
    assert kept.revision == sha


def test_a_removed_file_and_changes_outside_the_table_are_told(dataset: LocalDataset, settings: Settings) -> None:
    first = snapshots.refresh(settings, None, said).snapshot
    dataset.add_revision({"data/new.parquet": dataset.files["data/new.parquet"]})
    second = snapshots.refresh(settings, first, said)
    assert second.changed == "1 file gone: 1 record gone"
    same = parquet(record("one", run_py="print()"), record("two", "fail", run_py="print()"))
    other = parquet(record("one", run_py="print(1)"), record("two", "fail", run_py="print(1)"))
    dataset.add_revision({"data/new.parquet": same})
    third = snapshots.refresh(settings, second.snapshot, said)
    dataset.add_revision({"data/new.parquet": other})
    assert snapshots.refresh(settings, third.snapshot, said).changed == "1 of 1 file changed: the same results"


def test_a_named_revision_is_kept_apart_from_main(dataset: LocalDataset, settings: Settings) -> None:
    old = dataset.main
    dataset.add_revision({"new.parquet": parquet(record("newer"))})
    at_old = snapshots.refresh(replace(settings, revision=old), None, said).snapshot
    assert (at_old.revision, models(at_old)) == (old, ["one", "two", "one"])
    assert snapshots.last_snapshot(settings) is None
    assert models(snapshots.refresh(settings, None, said).snapshot) == ["newer"]
    kept = snapshots.last_snapshot(replace(settings, revision=old))
    assert kept is not None
    assert models(kept) == ["one", "two", "one"]


def test_another_hub_has_another_snapshot(
    dataset: LocalDataset, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshots.refresh(settings, None, said)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:10")
    assert snapshots.last_snapshot(settings) is None


def test_a_hub_that_fails_leaves_what_was_there(hub: LoopbackHub, settings: Settings) -> None:
    repository = hub.add_dataset(DEFAULT_DATASET, FIRST)
    first = snapshots.refresh(settings, None, said).snapshot
    repository.add_revision({"data/new.parquet": parquet(record("three"))})
    hub.set_fault("/content/", status(500))
    with pytest.raises(HubError):
        snapshots.refresh(settings, first, said)
    hub.refuse()
    with pytest.raises(HubUnreachableError):
        snapshots.refresh(settings, first, said)
    kept = snapshots.last_snapshot(settings)
    assert kept is not None
    assert (kept.revision, models(kept)) == (first.revision, ["one", "two", "one"])


def test_a_revision_without_a_readable_file_leaves_what_was_there(dataset: LocalDataset, settings: Settings) -> None:
    first = snapshots.refresh(settings, None, said).snapshot
    dataset.add_revision({"bad.parquet": b"no parquet at all"})
    with pytest.raises(NoDataError, match=r"bad\.parquet cannot be read"):
        snapshots.refresh(settings, first, said)
    dataset.add_revision({"README.md": b"moved"})
    with pytest.raises(NoDataError, match="has no parquet file"):
        snapshots.refresh(settings, first, said)
    kept = snapshots.last_snapshot(settings)
    assert kept is not None
    assert kept.revision == first.revision


def test_an_abandoned_refresh_ends_at_once(hub: LoopbackHub, settings: Settings) -> None:
    hub.add_dataset(DEFAULT_DATASET, FIRST)
    hub.set_fault("/content/", silent())
    abandoned, begun, ended = threading.Event(), threading.Event(), threading.Event()

    def fetch() -> None:
        with pytest.raises(HubError):
            snapshots.refresh(settings, None, lambda _: begun.set(), abandoned)
        ended.set()

    threading.Thread(target=fetch, daemon=True).start()
    assert begun.wait(20)
    abandoned.set()
    assert ended.wait(5)


def test_a_refresh_that_fails_does_not_forbid_the_next_one(dataset: LocalDataset, settings: Settings) -> None:
    abandoned = threading.Event()
    (settings.cache_dir).mkdir(parents=True)
    (settings.cache_dir / "records").write_text("in the way", encoding="utf-8")
    with pytest.raises(NoDataError, match="Records cannot be kept"):
        snapshots.refresh(settings, None, said, abandoned)
    (settings.cache_dir / "records").unlink()
    assert models(snapshots.refresh(settings, None, said, abandoned).snapshot) == ["one", "two", "one"]
