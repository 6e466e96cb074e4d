"""Steps made of values: a record, this host, a Python, and what a person changed."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tui.catalog.facts import ModelFacts
from tui.catalog.schema import COLUMN_NAMES, LONG_TEXT
from tui.catalog.verdict import Record, Verdict
from tui.host.checklist import Surroundings
from tui.host.interpreters import Interpreter
from tui.host.neuron import Device, Host
from tui.rerun.plan import Kind, Plan
from tui.rerun.preparation import Changes, Here, Preparation, Wanted
from tui.rerun.recipe import CacheCommand
from tui.rerun.steps import prepare
from tui.settings import Settings

SCRIPT = "print('hello')\n"
SHA256 = hashlib.sha256(SCRIPT.encode()).hexdigest()
NOW = datetime(2026, 11, 30, 14, 2, tzinfo=UTC)
TOKEN = "hf_abcdefghijklmnopqrstuvwxyz"
ENVIRON = {"PATH": "/usr/bin:/bin", "HOME": "/home/alice"}
INSTALLED = {
    "torch-neuronx": "2.14.3.0",
    "torch": "2.14.0+cpu",
    "neuronx-cc": "2.28.7631.0",
    "nki": "0.7.0",
    "transformers": "5.20.0",
    "accelerate": "1.14.0",
}
PYTHON = Interpreter(
    ("/opt/venv/bin/python",),
    "/opt",
    version="3.12.13",
    executable="/opt/venv/bin/python",
    prefix="/opt/venv",
    packages=INSTALLED,
    has_pip=True,
)
OVERLAY = Interpreter(
    ("/cache/overlays/venv-1/bin/python",),
    "overlay",
    version="3.12.13",
    executable="/cache/overlays/venv-1/bin/python",
    packages={**INSTALLED, "transformers": "5.23.1"},
)
CONTAINER = Interpreter(
    ("docker", "exec", "-i", "box", "python"), "--python", version="3.12.13", executable="/venv/bin/python",
    packages=INSTALLED, has_pip=True,
)  # fmt: skip
TRN2 = Host(
    NOW,
    instance_type="trn2.3xlarge",
    device_name="Trainium2",
    devices=(Device(0, (0, 1, 2, 3)),),
    lnc=2,
    driver="2.31.7.0",
    holders_known=True,
)
NO_DEVICE = Host(NOW, why_none="driver not loaded")
CACHE = CacheCommand(
    ("hf", "buckets", "sync", "hf://buckets/acme/neffs", "/neffs"), "dataset card", Path("/neffs"), False, "A note."
)
FACTS = ModelFacts(
    "acme/Model", None, None, None, None, False, None, None, "https://hub.example/acme/Model", 34 * 10**9, NOW
)


def record(**values: Any) -> Record:
    all_values: dict[str, Any] = dict.fromkeys(set(COLUMN_NAMES) - LONG_TEXT)
    recorded = {
        "model_id": "acme/Model", "tp": 4, "result": "pass", "wall_s": 372, "hbm_peak_gb": 18.2,
        "torch_neuronx": "2.14.3.0", "torch": "2.14.0", "neuronx_cc": "2.28.7631.0", "nki": "0.7.0",
        "python": "3.12.13", "neuron_driver": "2.31.7.0", "library": "transformers", "library_version": "5.23.1",
        "transformers": "5.23.1", "accelerate": "1.14.0", "tested_at": NOW,
    }  # fmt: skip
    return Record({**all_values, **recorded, **values}, {}, {}, 0, 0, Verdict.PASS)


def wanted(**fields: Any) -> Wanted:
    known: dict[str, Any] = {
        "record": record(), "script": SCRIPT, "dataset": "acme/records", "revision": "abc", "sample": False,
        "cache": CACHE, "facts": FACTS,
    }  # fmt: skip
    return Wanted(**{**known, **fields})


def here(**fields: Any) -> Here:
    return Here(**{"host": TRN2, "interpreter": PYTHON, "surroundings": Surroundings(), **fields})


def prepared(
    settings: Settings, *, what: Wanted | None = None, place: Here | None = None, **fields: Any
) -> Preparation:
    changes = fields.pop("changes", Changes())
    return prepare(settings, what or wanted(), place or here(), changes, ENVIRON, **fields)


def plan(preparation: Preparation, kind: Kind) -> Plan:
    found = preparation.step(kind).plan
    assert found is not None, preparation.step(kind).reason
    return found
