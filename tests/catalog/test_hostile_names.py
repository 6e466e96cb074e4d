"""Folders and files whose names mean something to a shell, a pattern or a terminal are folders and files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from dataset_builder import models, parquet, record, said

from tui.catalog import snapshot as snapshots
from tui.catalog.json_files import file_name_of, read_kept, write_json
from tui.catalog.neff_bucket import Bucket
from tui.rerun.recipe import cache_command
from tui.settings import Settings

NAMES = ["a[b]c", "*", "what?", "{a,b}", "$HOME", "~", "%s", "\x1b[2J", "\u202e", "a\nb", "a=b"]


@pytest.mark.parametrize("name", NAMES)
def test_records_are_read_whatever_the_folders_are_called(name: str, tmp_path: Path, settings: Settings) -> None:
    data = tmp_path / name
    data.mkdir()
    (data / f"{name}.parquet").write_bytes(parquet(record("one"), record("two")))
    snapshot = snapshots.open_path(data, replace(settings, cache_dir=tmp_path / f"{name} cache"), said)
    assert models(snapshot) == ["one", "two"]
    assert not snapshot.problems


def test_a_name_of_bytes_that_are_no_text_is_kept(tmp_path: Path) -> None:
    name = b"raw\x9b2J".decode("utf-8", "surrogateescape")
    write_json(tmp_path / "kept.json", {"name": name})
    assert read_kept(tmp_path / "kept.json", lambda value: value["name"]) == name
    assert file_name_of(name).isascii()


@pytest.mark.parametrize("name", ["\x1b[201~", "\x9b", "\u202e", "\u2028", "a\nb"])
def test_no_line_for_a_shell_names_a_folder_that_acts_on_a_terminal(name: str, tmp_path: Path) -> None:
    bucket = Bucket("hf://buckets/acme/cache", "the card", "", candidate=False)
    command = cache_command(bucket, "2.28.7631.0", tmp_path / name)
    assert command.argv == () and command.line == ""
    assert name.strip("ab[201~").encode("unicode_escape").decode() in command.note
    usual = cache_command(bucket, "2.28.7631.0", tmp_path)
    assert usual.line and usual.into(tmp_path / name).line == ""
