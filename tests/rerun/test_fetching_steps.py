"""What can be fetched and installed before a run: weights, compiled graphs, packages."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from made_steps import CACHE, CONTAINER, INSTALLED, PYTHON, here, plan, prepared, record, wanted

from tui.host.checklist import Surroundings
from tui.rerun import overlay as overlays
from tui.rerun.plan import Kind
from tui.rerun.preparation import Changes, Preparation
from tui.rerun.steps import overlay_folder, prepare
from tui.settings import Settings

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
