"""Which records have a text in their error, which stays on disk."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from dataset_builder import own_file, parquet, record, said, write

from tui.catalog import error_search
from tui.catalog.snapshot import Snapshot, open_path
from tui.settings import Settings


@pytest.fixture
def shot(tmp_path: Path) -> Snapshot:
    first = parquet(
        record("a", "fail", error="RuntimeError: OOM on core 3"),
        record("b", error=None),
        record("c", "fail", error="no memory.*\nin Straße"),
    )
    second = parquet(record("d", "fail", error=""), record("e", "fail", error="x oom y STRASSE"))
    third = parquet(record("f"))
    folder = write(tmp_path / "data", a=first, b=second, c=third)
    return open_path(folder, Settings(cache_dir=tmp_path / "cache"), said)


def models(shot: Snapshot, *texts: str) -> dict[str, list[str]]:
    found = error_search.find(shot, texts)
    return {text: shot.records["model_id"][rows].str.strip_prefix("acme/").to_list() for text, rows in found.items()}


def test_records_are_found_in_any_case_in_all_files(shot: Snapshot) -> None:
    assert models(shot, "oom", "strasse", "core 3", "nowhere") == {
        "oom": ["a", "e"],
        "strasse": ["c", "e"],
        "core 3": ["a"],
        "nowhere": [],
    }


def test_signs_are_text_and_no_pattern(shot: Snapshot) -> None:
    assert models(shot, ".*", "o.m", "(") == {".*": ["c"], "o.m": [], "(": []}


def test_without_a_text_nothing_is_read(shot: Snapshot) -> None:
    own_file(shot, 0).unlink()
    assert error_search.find(shot, ()) == {}


def test_a_damaged_file_is_left_out_and_removed_as_at_a_start(shot: Snapshot) -> None:
    own = own_file(shot, 0)
    content = bytearray(own.read_bytes())
    content[len(content) // 2] ^= 0xFF
    own.write_bytes(content)
    assert models(shot, "oom") == {"oom": ["e"]}
    assert not own.exists()
    assert models(shot, "oom") == {"oom": ["e"]}


def test_an_own_file_that_holds_something_else_by_now_is_not_read(shot: Snapshot) -> None:
    own_file(shot, 2).write_bytes(own_file(shot, 0).read_bytes())
    assert models(shot, "oom") == {"oom": ["a", "e"]}
    assert not own_file(shot, 2).exists()


def test_it_ends_when_nobody_wants_it_any_more(shot: Snapshot) -> None:
    abandoned = threading.Event()
    abandoned.set()
    assert error_search.find(shot, ["oom"], abandoned) == {}
