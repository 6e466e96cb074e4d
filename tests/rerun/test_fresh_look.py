"""The same run once more: what recipe.json tells is as it is now."""

import sys
from dataclasses import replace
from pathlib import Path

import fake_hosts
import pytest
from run_folders import plan

from tui.errors import TrnModelsError
from tui.rerun import fresh_look, runs, start

RECORD = {"model_id": "acme/small", "library": "pytest", "library_version": "1.0"}


def python(path: Path, script: str = "") -> str:
    path.write_text(f'#!/bin/sh\n{script}exec {sys.executable} "$@"\n')
    path.chmod(0o755)
    return str(path)


def test_packages_and_host_are_those_of_now(settings, tmp_path):
    then = {"argv": [python(tmp_path / "python")], "version": "3.1.0", "packages": {"ruff": "0.0.1", "gone": "1"}}
    about = {
        "record": RECORD,
        "interpreter": then,
        "overlay": None,
        "host": {"driver": "1.0", "cores": 4},
        "revision": "abc",
    }
    settings = replace(settings, host_root=fake_hosts.trn2_48xlarge(tmp_path / "host"))
    run = runs.create(settings, plan(about=about))
    now = fresh_look.about_now(settings, run, runs.plan_of(run).about, {})
    assert now["interpreter"]["version"] == "{}.{}.{}".format(*sys.version_info)
    packages = now["interpreter"]["packages"]
    assert packages["ruff"] != "0.0.1" and packages["pytest"] == pytest.__version__ and "gone" not in packages
    assert (now["host"]["driver"], now["host"]["cores"]) == (fake_hosts.DRIVER, 64)
    assert (now["revision"], now["record"], now["overlay"]) == ("abc", RECORD, None)


def test_what_changed_between_two_starts_is_seen(settings, tmp_path, monkeypatch):
    monkeypatch.setattr(start, "start", runs.create)
    path = python(tmp_path / "python")
    first = runs.create(settings, plan(about={"interpreter": {"argv": [path], "version": "3.1.0", "packages": {}}}))
    assert start.again(settings, first).recipe["interpreter"]["version"].startswith("3.1")
    python(tmp_path / "python", "exit 3\n")
    with pytest.raises(TrnModelsError) as caught:
        start.again(settings, first)
    assert caught.value.title == "Run 1 cannot be started again as it was"
    assert path in caught.value.detail
    assert len(runs.every(settings)) == 2


def test_a_python_that_is_silent_is_not_waited_for_without_end(settings, tmp_path, monkeypatch):
    monkeypatch.setattr(fresh_look, "ASK_S", 0.2)
    path = python(tmp_path / "python", "sleep 60\n")
    run = runs.create(settings, plan(about={"interpreter": {"argv": [path], "packages": {}}}))
    with pytest.raises(TrnModelsError, match="cannot be started again"):
        start.again(settings, run)


def test_a_step_without_python_and_host_is_asked_for_nothing(settings):
    run = runs.create(settings, plan(about={"revision": "abc"}))
    assert fresh_look.about_now(settings, run, {"revision": "abc"}, {}) == {"revision": "abc"}
