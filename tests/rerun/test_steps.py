"""From a record, this host and a person's changes to steps that are ready to start, or say why not."""

from __future__ import annotations

import hashlib
import json
import shlex
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tui.catalog.facts import ModelFacts
from tui.catalog.schema import COLUMN_NAMES, LONG_TEXT
from tui.catalog.verdict import Record, Verdict
from tui.errors import UsageError
from tui.host.checklist import Level, Surroundings
from tui.host.interpreters import Interpreter
from tui.host.neuron import Device, Holder, Host
from tui.rerun import overlay as overlays
from tui.rerun.plan import Kind, Plan
from tui.rerun.preparation import Changes, Here, Preparation, Wanted
from tui.rerun.recipe import CacheCommand
from tui.rerun.run_environment import parse_environment, without_secret_words
from tui.rerun.steps import overlay_folder, prepare
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


# Fetch weights


def test_weights_are_fetched_with_the_apps_own_hf_and_progress(settings: Settings) -> None:
    step = prepared(settings).step(Kind.WEIGHTS)
    assert step.plan is not None
    program, *words = step.plan.argv
    assert Path(program) == Path(sys.executable).parent / "hf"
    assert words == ["download", "acme/Model"]
    assert step.plan.environment["TQDM_POSITION"] == "-1"
    assert (step.plan.cores, step.plan.script, step.remark) == (0, None, "up to 34 GB to download")
    assert step.command.endswith(f"{shlex.quote(program)} download acme/Model")
    known = prepared(settings, place=here(surroundings=Surroundings(weights_here=True)))
    assert known.step(Kind.WEIGHTS).remark == "already there"
    assert prepared(settings, what=wanted(facts=None)).step(Kind.WEIGHTS).remark == "its size is not known"
    asking = prepared(settings, what=wanted(facts=None, asking=True))
    assert asking.step(Kind.WEIGHTS).remark == "asking the Hub for its size …"


@pytest.mark.parametrize(
    "model_id", ["--token", "hf://datasets/acme/x", "a b", "../x", "", None, "a/b/c", "-a/b", "a\n"]
)
def test_only_an_id_of_a_model_gets_into_the_command(settings: Settings, model_id: str | None) -> None:
    step = prepared(settings, what=wanted(record=record(model_id=model_id))).step(Kind.WEIGHTS)
    assert step.plan is None
    assert "is not an id of a model" in step.reason


def test_offline_nothing_is_fetched(settings: Settings) -> None:
    preparation = prepared(replace(settings, offline=True))
    for kind in (Kind.WEIGHTS, Kind.GRAPHS):
        assert preparation.step(kind).plan is None
        assert preparation.step(kind).reason == "Offline use was asked for."
    assert plan(preparation, Kind.RUN)


# Fetch compiled graphs


def test_graphs_are_fetched_with_the_cache_command(settings: Settings) -> None:
    step = prepared(settings).step(Kind.GRAPHS)
    assert step.plan is not None
    assert step.plan.argv[1:] == ("buckets", "sync", "hf://buckets/acme/neffs", "/neffs")
    assert step.remark == "dataset card"
    guess = prepared(settings, what=wanted(cache=replace(CACHE, candidate=True)))
    assert guess.step(Kind.GRAPHS).remark == "a candidate, unverified; dataset card"


def test_graphs_say_why_there_is_no_command(settings: Settings) -> None:
    none = replace(CACHE, argv=(), note="No bucket with compiled graphs is known.")
    for cache, asking, reason in (
        (none, False, "No bucket with compiled graphs is known."),
        (None, False, "Nobody looked yet where compiled graphs are."),
        (None, True, "Asking the Hub where compiled graphs are …"),
    ):
        step = prepared(settings, what=wanted(cache=cache, asking=asking)).step(Kind.GRAPHS)
        assert (step.plan, step.reason) == (None, reason)


def test_graphs_go_where_the_changed_run_looks_for_them(settings: Settings) -> None:
    changes = Changes(environment={"TORCH_NEURONX_NEFF_CACHE_DIR": "/mine"})
    preparation = prepared(settings, changes=changes)
    assert plan(preparation, Kind.GRAPHS).argv[-1] == "/mine"
    assert plan(preparation, Kind.RUN).environment["TORCH_NEURONX_NEFF_CACHE_DIR"] == "/mine"


def test_aws_is_looked_for_on_path(settings: Settings, tmp_path: Path) -> None:
    s3 = replace(CACHE, argv=("aws", "s3", "sync", "s3://acme-neffs", "/neffs"))
    what = wanted(cache=s3)
    missing = prepare(settings, what, here(), Changes(), {"PATH": str(tmp_path)}).step(Kind.GRAPHS)
    assert (missing.plan, missing.command) == (None, "aws s3 sync s3://acme-neffs /neffs")
    assert "`aws` is not on PATH" in missing.reason
    tool = tmp_path / "aws"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    found = prepare(settings, what, here(), Changes(), {"PATH": str(tmp_path)}).step(Kind.GRAPHS)
    assert found.plan is not None
    assert found.plan.argv[0] == str(tool)


# Install packages on top


def test_packages_go_into_an_overlay_and_the_pip_line_is_shown(settings: Settings) -> None:
    step = prepared(settings).step(Kind.INSTALL)
    packages = ("transformers==5.23.1", "accelerate==1.14.0")
    folder = overlay_folder(settings, PYTHON, packages)
    pip = f"-m pip install --no-input --constraint {folder}/constraints.txt transformers==5.23.1 accelerate==1.14.0"
    assert step.command == f"{folder}/bin/python {pip}"
    assert step.plan is not None
    assert list(step.plan.argv) == overlays.install_argv(PYTHON, folder, packages)
    assert step.remark == f"into an environment of its own: {folder}"
    own = prepared(settings, into_own=True).step(Kind.INSTALL)
    assert own.plan is not None
    assert list(own.plan.argv) == overlays.install_argv(PYTHON, None, packages)
    assert own.remark == "into /opt/venv/bin/python itself, whose stack is held by the constraints"
    assert own.command.startswith("/opt/venv/bin/python -m pip install --no-input --constraint constraints.txt ")


def test_no_line_changes_the_environment_of_who_copies_it(settings: Settings) -> None:
    places = [here(), here(interpreter=None), here(interpreter=replace(PYTHON, problem="it does not start"))]
    for place in places:
        for own in (False, True):
            step = prepared(settings, place=place, into_own=own).step(Kind.INSTALL)
            assert not step.command.startswith("pip ")
            assert "transformers==5.23.1" in f"{step.command} {step.remark}"


def test_advice_sends_nobody_to_an_install_that_cannot_be_started(settings: Settings) -> None:
    def advice(preparation: Preparation) -> tuple[str, str]:
        item = next(item for item in preparation.fit.items if item.name == "transformers")
        return item.advice, item.on_screen

    assert advice(prepared(settings))[0].startswith("Install packages on top")
    assert advice(prepared(settings))[1].startswith("3 installs it")
    invented = prepared(settings, what=wanted(sample=True))
    assert advice(invented) == ("The script of the sample needs no packages.", "")


def test_without_a_python_the_screen_names_the_key_and_no_sentence_ends_twice(settings: Settings) -> None:
    silent = here(interpreter=replace(PYTHON, problem="does not answer: is the container running?"))
    step = prepared(settings, place=silent).step(Kind.RUN)
    assert step.reason.endswith("is the container running? --python PATH names another.")
    assert step.on_screen.endswith("is the container running? i picks another.")
    assert prepared(settings, place=here(interpreter=None)).step(Kind.INSTALL).on_screen.endswith("i takes one.")
    too_old = prepared(settings, place=here(interpreter=replace(PYTHON, problem="too old"))).step(Kind.RUN)
    assert too_old.reason == "/opt/venv/bin/python: too old. --python PATH names another."


@pytest.mark.parametrize(
    "arguments",
    [("--hf-token", "hf_x"), ("--hf-token=hf_x",), ("-v", "--password", "x"), ("--api-key", "x"), ("token=abc",),
     ("--push", TOKEN)],
)  # fmt: skip
def test_a_secret_is_no_argument(arguments: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as raised:
        without_secret_words(arguments)
    assert "--env NAME=" in raised.value.remedy
    assert "hf_" not in str(raised.value)


@pytest.mark.parametrize(
    "line",
    ["--max-new-tokens 32", "--tokenizer acme/x", "--pad-token <pad>", "--seconds 1", "--use-auth-token --seed 3",
     "--token-ids 3", "--keyboard qwerty", "--sort-key name", "--eos-token=</s>", ""],
)  # fmt: skip
def test_words_of_a_model_are_no_secrets(line: str) -> None:
    assert without_secret_words(tuple(line.split())) == tuple(line.split())


def test_nothing_is_installed_where_nothing_differs(settings: Settings) -> None:
    same = replace(PYTHON, packages={**INSTALLED, "transformers": "5.23.1"})
    step = prepared(settings, place=here(interpreter=same)).step(Kind.INSTALL)
    assert (step.plan, step.reason) == (None, "Already as tested.")


def test_elsewhere_packages_are_installed_by_hand_with_the_line_for_it(settings: Settings) -> None:
    step = prepared(settings, place=here(interpreter=CONTAINER)).step(Kind.INSTALL)
    assert step.plan is None
    assert step.command.startswith("docker exec -i box python -m pip install ")
    assert "by hand" in step.reason


def test_install_says_why_it_cannot(settings: Settings) -> None:
    nothing = wanted(record=record(library=None, library_version=None, transformers=None, accelerate=None))
    assert "names no package" in prepared(settings, what=nothing).step(Kind.INSTALL).reason
    assert "No Python" in prepared(settings, place=here(interpreter=None)).step(Kind.INSTALL).reason
    bare = here(interpreter=replace(PYTHON, has_pip=False))
    assert "has no pip" in prepared(settings, place=bare, into_own=True).step(Kind.INSTALL).reason


# the sample


def test_the_sample_runs_anywhere_and_fetches_nothing(settings: Settings) -> None:
    what = wanted(record=record(model_id="sample/Model"), sample=True, facts=None)
    place = here(host=NO_DEVICE, interpreter=replace(PYTHON, packages={}))
    preparation = prepared(replace(settings, any_host=True), what=what, place=place)
    assert [step.plan is not None for step in preparation.steps] == [False, False, False, True]
    assert "invented" in preparation.step(Kind.WEIGHTS).reason
    assert preparation.fit.blocking == ()
    assert {item.level for item in preparation.fit.items if item.name == "torch"} == {Level.WARNING}


# --env


def test_words_for_the_environment_are_name_and_value() -> None:
    assert parse_environment(["A=1", "B_2=x=y", "C=", "A=2"]) == {"A": "2", "B_2": "x=y", "C": ""}


@pytest.mark.parametrize(
    "word", ["A", "=1", "A B=1", "1A=1", "A-B=1", "É=1", "A=\0", "TRN_MODELS_RUN=1", "NEURON_RT_VISIBLE_CORES=0-3",
             "NEURON_RT_NUM_CORES=1", "MASTER_PORT=1", "PYTHONHOME=/x"],
)  # fmt: skip
def test_what_cannot_be_set_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        parse_environment([word])


def test_a_refused_word_does_not_repeat_its_value() -> None:
    with pytest.raises(UsageError) as error:
        parse_environment([f"MY-TOKEN={TOKEN}"])
    assert TOKEN not in str(error.value)
