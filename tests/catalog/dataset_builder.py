"""Datasets by hand: parquet files with the records that a test names, and a Hub dataset in a folder."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tui.catalog.snapshot import Snapshot
from tui.settings import Settings

NEWEST = {"neuronx_cc": "2.28.7631.0", "library": "transformers", "library_version": "5.23.1"}
OLDER = {"neuronx_cc": "2.27.5334.0", "library": "transformers", "library_version": "5.21.0"}


def said(_text: str) -> None:
    pass


def record(model: str, result: str = "pass", **values: Any) -> dict[str, Any]:
    return {"model_id": f"acme/{model}", "result": result, "tp": 1, **NEWEST, **values}


def parquet(*records: Mapping[str, Any], types: Mapping[str, pa.DataType] | None = None) -> bytes:
    """A file with the columns that its records name; `types` for those that pyarrow would not guess so."""
    names = dict.fromkeys(name for each in records for name in each)
    guessed = pa.Table.from_pylist([dict.fromkeys(names) | each for each in records])
    fields = [pa.field(name, (types or {}).get(name, guessed.schema.field(name).type)) for name in names]
    target = io.BytesIO()
    pq.write_table(guessed.cast(pa.schema(fields)), target)
    return target.getvalue()


def write(folder: Path, **files: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / f"{name}.parquet").write_bytes(content)
    return folder


def models(snapshot: Snapshot) -> list[str]:
    return snapshot.records["model_id"].str.strip_prefix("acme/").to_list()


class LocalDataset:
    """A dataset in a folder; `requests` tells what was asked of it. For what does not depend on the Hub's ways."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.revisions: dict[str, dict[str, bytes]] = {}
        self.main = ""
        self.requests: list[str] = []

    @property
    def files(self) -> dict[str, bytes]:
        return self.revisions[self.main]

    def add_revision(self, files: Mapping[str, bytes]) -> str:
        self.main = f"{len(self.revisions) + 1:040x}"
        self.revisions[self.main] = dict(files)
        for name, content in files.items():
            path = self.folder / self.main / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return self.main

    def dataset_revision(self, settings: Settings) -> str:
        self.requests.append("revision")
        return self.main if settings.revision == "main" else settings.revision

    def fetch_dataset(
        self, _settings: Settings, sha: str, progress: Callable[[str], None], _abandoned: threading.Event | None
    ) -> list[tuple[str, Path]]:
        self.requests.append("files")
        progress("1 of 1 files")
        return [(name, self.folder / sha / name) for name in sorted(self.revisions[sha]) if name.endswith(".parquet")]


FIRST = {
    "data/new.parquet": parquet(record("one"), record("two", "fail")),
    "old.parquet": parquet(record("one", **OLDER)),
}


def own_file(snapshot: Snapshot, number: int) -> Path:
    own = snapshot.files[number].own
    assert own is not None
    return own
