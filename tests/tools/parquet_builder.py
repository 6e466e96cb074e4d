"""Parquet files as the dataset has them, for tests: made-up models of made-up organisations."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

DEFAULTS: dict[str, Any] = {
    "model_id": "acme/one",
    "library": "transformers",
    "tp": 1,
    "runner": "eager",
    "result": "pass",
    "notes": None,
    "error": None,
    "exclusion": None,
    "wall_s": 372,
    "hbm_peak_gb": 18.2,
    "hbm_capacity_gb": 24.0,
    "cpu_match": None,
    "english": "yes",
    "neuronx_cc": "2.28.7631.0",
    "library_version": "5.23.1",
    "transformers": "5.23.1",
    "accelerate": "1.12.0",
    "torch_neuronx": "2.14.3.0",
    "torch": "2.14.0",
    "nki": "0.7.0",
    "python": "3.12.11",
    "neuron_driver": "2.31.7.0",
    "tested_at": datetime(2026, 11, 20, 9, 30, tzinfo=UTC),
    "run_py": "import torch\nprint('hello')\n",
}

_TYPES: dict[str, pa.DataType] = {
    "tp": pa.int32(),
    "wall_s": pa.int32(),
    "hbm_peak_gb": pa.float64(),
    "hbm_capacity_gb": pa.float64(),
    "tested_at": pa.timestamp("ms", tz="UTC"),
}

DATASET = "aws-neuron/torch-neuronx-model-support"


def parquet(*records: dict[str, Any], without: tuple[str, ...] = ()) -> bytes:
    """One file; each record is DEFAULTS with its own values over it."""
    columns = {
        name: pa.array([{**DEFAULTS, **record}[name] for record in records], _TYPES.get(name, pa.string()))
        for name in DEFAULTS
        if name not in without
    }
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def data_folder(parent: Path, *records: dict[str, Any]) -> str:
    """A folder with these records in one file, for --data."""
    folder = parent / "data"
    folder.mkdir()
    (folder / "a.parquet").write_bytes(parquet(*records))
    return str(folder)
