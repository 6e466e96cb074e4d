"""A record, hosts, Pythons and disks made of values, and reading a checklist."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tui.catalog.facts import ModelFacts
from tui.catalog.schema import COLUMN_NAMES, LONG_TEXT
from tui.catalog.verdict import Record, Verdict
from tui.host.checklist import Disk, Item, Level, Surroundings
from tui.host.fit import Fit
from tui.host.interpreters import Interpreter
from tui.host.neuron import Device, Holder, Host

GIB = 2**30
STACK = {
    "torch_neuronx": "2.14.3.0",
    "torch": "2.14.0",
    "neuronx_cc": "2.28.7631.0",
    "nki": "0.7.0",
    "python": "3.12.13",
    "neuron_driver": "2.31.7.0",
    "library": "transformers",
    "library_version": "5.23.1",
    "transformers": "5.23.1",
    "accelerate": "1.14.0",
}
INSTALLED = {
    "torch-neuronx": "2.14.3.0",
    "torch": "2.14.0+cpu",
    "neuronx-cc": "2.28.7631.0",
    "nki": "0.7.0",
    "transformers": "5.23.1",
    "accelerate": "1.14.0",
}


def record(**values: Any) -> Record:
    all_values: dict[str, Any] = dict.fromkeys(set(COLUMN_NAMES) - LONG_TEXT)
    recorded = {"model_id": "acme/Model", "tp": 8, "hbm_peak_gb": 18.2, "hbm_capacity_gb": 24.0}
    return Record({**all_values, **recorded, **STACK, **values}, {}, {}, 0, 0, Verdict.PASS)


def devices(count: int, held: dict[int, tuple[Holder, ...]] | None = None, cores: int = 4) -> tuple[Device, ...]:
    return tuple(
        Device(index, tuple(range(index * cores, (index + 1) * cores)), (held or {}).get(index, ()), 96 * GIB)
        for index in range(count)
    )


def trn2(count: int = 16, held: dict[int, tuple[Holder, ...]] | None = None, **fields: Any) -> Host:
    known: dict[str, Any] = {
        "instance_type": "trn2.48xlarge" if count == 16 else "trn2.3xlarge",
        "device_name": "Trainium2",
        "lnc": 2,
        "driver": "2.31.7.0",
        "holders_known": True,
        "devices": devices(count, held),
    }
    return Host(datetime(2026, 11, 30, 14, 2, tzinfo=UTC), **{**known, **fields})


NO_DEVICE = Host(datetime(2026, 11, 30, tzinfo=UTC), why_none="driver not loaded")


def python(packages: dict[str, str] | None = None, **fields: Any) -> Interpreter:
    known: dict[str, Any] = {"version": "3.12.13", "executable": "/venv/bin/python", "packages": packages or INSTALLED}
    return Interpreter(("/venv/bin/python",), "/opt", **{**known, **fields})


def facts(**fields: Any) -> ModelFacts:
    nothing = dict.fromkeys(("task", "library", "downloads", "likes", "gated", "license", "parameters", "size_bytes"))
    known = {
        "id": "acme/Model",
        "url": "https://hub.example/acme/Model",
        "fetched_at": datetime(2026, 11, 30, tzinfo=UTC),
    }
    return ModelFacts(**{**nothing, **known, **fields})


def surroundings(free: int | None = 900 * 10**9, **fields: Any) -> Surroundings:
    names = ("Hugging Face cache", "NEFF cache", "run folder")
    return Surroundings(tuple(Disk(name, Path("/disk") / name, free) for name in names), **fields)


def item(fit: Fit, name: str) -> Item:
    (found,) = [item for item in fit.items if item.name == name]
    return found


def said(fit: Fit, name: str) -> tuple[Level, str]:
    found = item(fit, name)
    return found.level, found.text
