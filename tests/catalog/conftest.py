"""Fixtures for tests of what stands on disk."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from dataset_builder import FIRST, LocalDataset

from tui.catalog import snapshot as snapshots


@pytest.fixture
def no_child(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From its call on no child process can be started."""

    def forbid() -> None:
        def refuse(*_args: object, **_options: object) -> None:
            raise AssertionError("a child process was started")

        monkeypatch.setattr(subprocess, "Popen", refuse)

    return forbid


@pytest.fixture
def dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalDataset:
    """The dataset of the settings, with a first revision."""
    local = LocalDataset(tmp_path / "dataset")
    monkeypatch.setattr(snapshots.hub, "dataset_revision", local.dataset_revision)
    monkeypatch.setattr(snapshots.hub, "fetch_dataset", local.fetch_dataset)
    local.add_revision(FIRST)
    return local
