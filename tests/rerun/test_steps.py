"""From a record, this host and a person's changes to a run that is ready to start, or says why not."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from made_steps import (
    CONTAINER,
    ENVIRON,
    FACTS,
    NO_DEVICE,
    OVERLAY,
    PYTHON,
    SCRIPT,
    SHA256,
    TOKEN,
    TRN2,
    here,
    plan,
    prepared,
    record,
    wanted,
)

from tui.host.checklist import Level
from tui.host.neuron import Device, Holder
from tui.rerun.plan import Kind
from tui.rerun.preparation import Changes
from tui.settings import Settings


def test_the_steps_come_in_the_order_in_which_they_are_taken(settings: Settings) -> None:
    preparation = prepared(settings)
    assert [step.title for step in preparation.steps] == [
        "Fetch weights",
        "Fetch compiled graphs",
        "Install packages on top",
        "Run",
    ]
    assert all(step.plan is not None and step.reason == "" for step in preparation.steps)
    assert preparation.fit.line == "fits: 4 of 4 cores, transformers differs"


# Run


def test_run_starts_the_script_with_the_interpreter_first_on_path(settings: Settings) -> None:
    run = plan(prepared(settings), Kind.RUN)
    assert run.argv == ("/opt/venv/bin/python", "run.py")
    assert run.environment["PATH"] == "/opt/venv/bin:/opt/aws/neuron/bin:/usr/bin:/bin"
    assert run.environment["PYTHONUNBUFFERED"] == "1"
    assert (run.script, run.sha256, run.recorded_sha256) == (SCRIPT, SHA256, SHA256)
    assert (run.cores, run.edited, run.any_host, run.queue, run.elsewhere) == (4, False, False, False, ())


def test_the_folders_for_graphs_and_locks_belong_to_the_user(settings: Settings) -> None:
    environment = prepared(replace(settings, neff_cache_dir=Path("/shared/neffs"))).environment
    assert environment["TORCH_NEURONX_NEFF_CACHE_DIR"] == "/shared/neffs"
    assert environment["TORCH_NEURONX_NEFF_LOCAL_CACHE_DIR"] == str(settings.cache_dir / "neff_locks")


def test_an_overlay_runs_the_script_before_the_interpreter_below_it(settings: Settings) -> None:
    preparation = prepared(settings, place=here(overlay=OVERLAY))
    run = plan(preparation, Kind.RUN)
    assert run.argv[0] == "/cache/overlays/venv-1/bin/python"
    assert run.environment["PATH"].split(":")[:3] == [
        "/cache/overlays/venv-1/bin",
        "/opt/venv/bin",
        "/opt/aws/neuron/bin",
    ]
    assert preparation.fit.line == "fits: 4 of 4 cores, stack as tested"
    assert preparation.step(Kind.INSTALL).plan is None
    assert preparation.step(Kind.INSTALL).reason.startswith("Already as tested")
    own = prepared(settings, place=here(overlay=OVERLAY), into_own=True)
    assert plan(own, Kind.RUN).argv[0] == "/opt/venv/bin/python"


def test_the_command_of_run_does_the_same_in_a_shell(settings: Settings, tmp_path: Path) -> None:
    python = replace(PYTHON, argv=(sys.executable,), executable=sys.executable)
    script = "import os, sys; print(os.environ['PATH'], os.environ['A'], sys.argv[1:])"
    (tmp_path / "run.py").write_text(script)
    changes = Changes(environment={"A": "it's $HOME"}, arguments=("--x", "a b"))
    preparation = prepared(settings, what=wanted(script=script), place=here(interpreter=python), changes=changes)
    said = subprocess.run(
        ["sh", "-c", preparation.step(Kind.RUN).command], cwd=tmp_path, env=ENVIRON, capture_output=True, text=True
    )
    path = f"{Path(sys.executable).parent}:/opt/aws/neuron/bin:/usr/bin:/bin"
    assert said.stdout == f"{path} it's $HOME ['--x', 'a b']\n"
    assert plan(preparation, Kind.RUN).environment["PATH"] == path


def test_what_a_person_changes_marks_the_run_as_edited(settings: Settings) -> None:
    for changes in (Changes(script="print(1)\n"), Changes(environment={"A": "1"}), Changes(arguments=("--x",))):
        preparation = prepared(settings, changes=changes)
        run = plan(preparation, Kind.RUN)
        assert (run.edited, preparation.edited, run.recorded_sha256) == (True, True, SHA256)
    changed = plan(prepared(settings, changes=Changes(script="print(1)\n")), Kind.RUN)
    assert (changed.script, changed.sha256) == ("print(1)\n", hashlib.sha256(b"print(1)\n").hexdigest())
    assert not prepared(settings, changes=Changes(script=SCRIPT)).edited


def test_secrets_are_handed_over_and_neither_shown_nor_written(settings: Settings) -> None:
    changes = Changes(
        environment={"HF_TOKEN": "s3cret", "MAX_NEW_TOKENS": "8", "HTTPS_PROXY": "http://a:b@p:1", "X": TOKEN}
    )
    preparation = prepared(settings, changes=changes)
    run = plan(preparation, Kind.RUN)
    assert dict(run.hidden) == {"HF_TOKEN": "s3cret", "HTTPS_PROXY": "http://a:b@p:1", "X": TOKEN}
    assert run.environment["MAX_NEW_TOKENS"] == "8"
    assert preparation.environment["HF_TOKEN"] == "(not kept)"
    assert 'HF_TOKEN="$HF_TOKEN"' in preparation.step(Kind.RUN).command
    for step in preparation.steps:
        assert "s3cret" not in step.command
        if step.plan is not None:
            assert "s3cret" not in json.dumps([dict(step.plan.environment), dict(step.plan.about)])
    assert plan(preparation, Kind.WEIGHTS).hidden["HF_TOKEN"] == "s3cret"


def test_a_path_that_a_person_sets_wins(settings: Settings) -> None:
    run = prepared(settings, changes=Changes(environment={"PATH": "/mine"}))
    assert plan(run, Kind.RUN).environment["PATH"] == "/mine"


def test_off_a_trn2_host_run_answers_with_the_reason(settings: Settings) -> None:
    step = prepared(settings, place=here(host=NO_DEVICE)).step(Kind.RUN)
    assert step.plan is None
    assert step.reason.startswith("There is no Neuron device here: driver not loaded. ")
    assert "--any-host" in step.reason
    # What would run is known all the same, for another host.
    assert step.command == prepared(settings).step(Kind.RUN).command
    assert step.command.endswith("/opt/venv/bin/python run.py")
    trn1 = replace(TRN2, device_name="Trainium1", instance_type="trn1.2xlarge")
    assert "trn1" in prepared(settings, place=here(host=trn1)).step(Kind.RUN).reason


def test_any_host_allows_run_off_a_trn2_host(settings: Settings) -> None:
    run = plan(prepared(replace(settings, any_host=True), place=here(host=NO_DEVICE), queue=True), Kind.RUN)
    assert (run.any_host, run.cores, run.queue) == (True, 4, True)


@pytest.mark.parametrize("any_host", [False, True])
def test_more_cores_than_the_host_has_cannot_be_had_whatever_is_allowed(settings: Settings, any_host: bool) -> None:
    step = prepared(replace(settings, any_host=any_host), what=wanted(record=record(tp=16))).step(Kind.RUN)
    assert step.plan is None
    assert step.reason.startswith("16 cores needed, this host has 4.")
    unknown = replace(TRN2, devices=(Device(0, ()),))
    assert (
        "How many cores"
        in prepared(replace(settings, any_host=any_host), place=here(host=unknown)).step(Kind.RUN).reason
    )
    gap = replace(TRN2, devices=(Device(0, (0, 1)), Device(2, (4, 5))))
    assert "next to each other" in prepared(settings, place=here(host=gap)).step(Kind.RUN).reason


@pytest.mark.parametrize("any_host", [False, True])
def test_for_cores_in_use_a_run_can_only_wait(settings: Settings, any_host: bool) -> None:
    held = replace(TRN2, devices=(Device(0, (0, 1, 2, 3), (Holder(4711),)),))
    for place in (here(host=held), here(taken={0: 3})):
        preparation = prepared(replace(settings, any_host=any_host), place=place)
        in_use = preparation.cores_in_use(Kind.RUN)
        assert in_use is not None
        assert in_use.text == "4 cores needed, 0 of 4 not in use"
        assert preparation.in_the_way(Kind.RUN) == ()
        assert plan(preparation, Kind.RUN).cores == 4
    assert prepared(settings).cores_in_use(Kind.RUN) is None


def test_what_else_is_in_the_way_leaves_the_question_to_the_person(settings: Settings) -> None:
    gated = prepared(settings, what=wanted(facts=replace(FACTS, gated="manual")))
    assert [item.name for item in gated.in_the_way(Kind.RUN)] == ["token"]
    assert gated.in_the_way(Kind.WEIGHTS) == ()
    assert plan(gated, Kind.RUN).cores == 4


def test_without_recorded_cores_one_is_taken(settings: Settings) -> None:
    assert plan(prepared(settings, what=wanted(record=record(tp=None))), Kind.RUN).cores == 1


def test_run_needs_a_script_and_a_python(settings: Settings) -> None:
    assert prepared(settings, what=wanted(script=None)).step(Kind.RUN).reason == "No run.py is recorded."
    own = prepared(settings, what=wanted(script=None), changes=Changes(script="x = 1\n"))
    assert plan(own, Kind.RUN).edited
    assert "--python" in prepared(settings, place=here(interpreter=None)).step(Kind.RUN).reason
    broken = replace(PYTHON, problem="no answer within 20 s")
    assert "no answer within 20 s" in prepared(settings, place=here(interpreter=broken)).step(Kind.RUN).reason


def test_into_a_container_no_folder_of_this_machine_is_handed(settings: Settings) -> None:
    preparation = prepared(settings, place=here(interpreter=CONTAINER), changes=Changes(arguments=("--x",)))
    run = plan(preparation, Kind.RUN)
    assert run.elsewhere == ("docker", "exec", "-i", "box", "python")
    assert run.argv == ("python", "run.py", "--x")
    assert dict(run.environment) == {"PYTHONUNBUFFERED": "1"}
    assert preparation.step(Kind.RUN).command == "docker exec -i box python run.py --x"
    named = prepared(replace(settings, neff_cache_dir=Path("/neffs")), place=here(interpreter=CONTAINER))
    assert plan(named, Kind.RUN).environment["TORCH_NEURONX_NEFF_CACHE_DIR"] == "/neffs"


def test_a_run_knows_its_record_interpreter_and_host_as_json(settings: Settings) -> None:
    odd = replace(record(hbm_capacity_gb=float("nan"), tp=None), unconverted={"tp": "four"})
    about = json.loads(
        json.dumps(dict(plan(prepared(settings, what=wanted(record=odd)), Kind.RUN).about), allow_nan=False)
    )
    kept = about["record"]
    assert (kept["model_id"], kept["result"], kept["wall_s"], kept["tp"]) == ("acme/Model", "pass", 372, "four")
    assert (kept["tested_at"], kept["hbm_peak_gb"], kept["hbm_capacity_gb"]) == (
        "2026-11-30T14:02:00+00:00",
        18.2,
        "nan",
    )
    assert (about["dataset"], about["revision"], about["sample"]) == ("acme/records", "abc", False)
    assert about["interpreter"]["packages"]["torch"] == "2.14.0+cpu"
    assert about["host"] == {
        "instance_type": "trn2.3xlarge", "generation": "trn2", "driver": "2.31.7.0", "cores": 4, "lnc": 2,
    }  # fmt: skip
    assert about["overlay"] is None
    changes = Changes(environment={"A": "1", "HF_TOKEN": TOKEN}, arguments=("--x",))
    assert plan(prepared(settings, changes=changes), Kind.RUN).about["added"] == {
        "environment": {"A": "1", "HF_TOKEN": "(not kept)"}, "arguments": ["--x"],
    }  # fmt: skip


# the sample


def test_the_sample_runs_anywhere_and_fetches_nothing(settings: Settings) -> None:
    what = wanted(record=record(model_id="sample/Model"), sample=True, facts=None)
    place = here(host=NO_DEVICE, interpreter=replace(PYTHON, packages={}))
    preparation = prepared(replace(settings, any_host=True), what=what, place=place)
    assert [step.plan is not None for step in preparation.steps] == [False, False, False, True]
    assert "invented" in preparation.step(Kind.WEIGHTS).reason
    assert preparation.fit.blocking == ()
    assert {item.level for item in preparation.fit.items if item.name == "torch"} == {Level.WARNING}
