"""What this machine offers for a record, gathered from its parts."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import fake_hosts
import pytest

from tui.catalog.schema import COLUMN_NAMES, LONG_TEXT
from tui.catalog.verdict import Record, Verdict
from tui.errors import UsageError
from tui.host.interpreters import Interpreter, forget
from tui.host.neuron import look_at
from tui.rerun.plan import Kind
from tui.rerun.preparation import Changes, Wanted
from tui.rerun.steps import prepare
from tui.rerun.this_machine import here, interpreters_here
from tui.settings import Settings


def wanted(**values: Any) -> Wanted:
    all_values: dict[str, Any] = dict.fromkeys(set(COLUMN_NAMES) - LONG_TEXT)
    record = Record({**all_values, "model_id": "acme/Model", "tp": 4, **values}, {}, {}, 0, 0, Verdict.PASS)
    return Wanted(record=record, script="print(1)\n", dataset="acme/records", revision="abc", sample=False)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"PATH": os.defpath, "HOME": str(tmp_path), "HF_HOME": str(tmp_path / "hf")}


@pytest.fixture
def on_trn2(settings: Settings, tmp_path: Path) -> Settings:
    return replace(settings, host_root=fake_hosts.trn2_48xlarge(tmp_path / "host"))


def test_the_host_is_looked_at_below_its_root(on_trn2: Settings, environ: dict[str, str]) -> None:
    host = look_at(on_trn2, environ)
    assert (host.instance_type, host.cores, host.driver) == ("trn2.48xlarge", 64, fake_hosts.DRIVER)


def test_all_that_a_preparation_needs_is_gathered(on_trn2: Settings, environ: dict[str, str], tmp_path: Path) -> None:
    python = Interpreter((sys.executable,), "--python", version="3.12.13", executable=sys.executable)
    offered = here(replace(on_trn2, neff_cache_dir=tmp_path / "neffs"), wanted(), python, environ)
    assert offered.host.cores == 64
    assert [disk.folder for disk in offered.surroundings.disks][:2] == [tmp_path / "hf" / "hub", tmp_path / "neffs"]
    assert (offered.overlay, dict(offered.taken)) == (None, {})
    preparation = prepare(on_trn2, wanted(), offered, Changes(), environ)
    assert preparation.step(Kind.RUN).plan is not None
    assert preparation.fit.line.startswith("fits: 4 of 64 cores, ")


def test_variables_that_a_person_adds_are_looked_at_as_the_run_sees_them(
    on_trn2: Settings, environ: dict[str, str], tmp_path: Path
) -> None:
    added = {"HF_HOME": "/other", "HF_TOKEN": "hf_x", "TORCH_NEURONX_NEFF_CACHE_DIR": str(tmp_path / "mine")}
    offered = here(on_trn2, wanted(), None, environ, added=added)
    assert [disk.folder for disk in offered.surroundings.disks][:2] == [Path("/other/hub"), tmp_path / "mine"]
    assert offered.surroundings.has_token
    assert not here(on_trn2, wanted(), None, environ).surroundings.has_token


def test_a_host_that_was_looked_at_is_not_looked_at_again(on_trn2: Settings, environ: dict[str, str]) -> None:
    host = look_at(on_trn2, environ)
    assert on_trn2.host_root is not None
    before = fake_hosts.calls(on_trn2.host_root)
    assert here(on_trn2, wanted(), None, environ, host=host).host is host
    assert fake_hosts.calls(on_trn2.host_root) == before


def test_pythons_are_asked_for_the_library_of_the_record_too(settings: Settings, environ: dict[str, str]) -> None:
    chosen = replace(settings, python=sys.executable)
    forget()
    (first, *_) = interpreters_here(chosen, environ, also=("pytest", "-x", "a b", "../x"))
    assert first.origin == "--python"
    assert first.packages["pytest"] == pytest.__version__


def test_a_setting_that_is_no_command_line_is_refused(settings: Settings, environ: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        interpreters_here(replace(settings, python="docker 'exec"), environ)
