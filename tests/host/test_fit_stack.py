"""What the checklist of a record says of the Python of this host and its packages."""

from __future__ import annotations

import pytest
from made_fits import INSTALLED, item, python, record, said, trn2

from tui.host.checklist import Level
from tui.host.fit import fit_of
from tui.host.fit_stack import packages_on_top
from tui.host.versions import same_version


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2.14.0", "2.14.0+cpu", True),
        ("2.14.0+cu1", "2.14.0+cpu", False),
        ("2.14", "2.14.0", True),
        ("2.14", "2.14.0+cpu", True),
        ("5.24.0-rc1", "5.24.0rc1", True),
        ("2.14.3.0", "2.14.3.0.1", False),
        ("odd one", "odd one", True),
        ("odd one", "2.0", False),
        ("9" * 5000, "9" * 5000, True),
    ],
)
def test_versions_are_compared_as_pip_does(one: str, other: str, same: bool) -> None:
    assert same_version(one, other) is same
    assert same_version(other, one) is same


def test_each_package_of_the_stack_has_its_item() -> None:
    packages = {**INSTALLED, "torch": "2.13.0+cpu"}
    del packages["nki"]
    fit = fit_of(record(neuronx_cc=None), trn2(), python(packages))
    assert said(fit, "torch-neuronx") == (Level.OK, "2.14.3.0, as tested")
    assert said(fit, "torch") == (Level.WARNING, "2.14.0 tested, 2.13.0+cpu installed")
    assert said(fit, "nki") == (Level.BLOCKING, "0.7.0 tested, not installed")
    assert item(fit, "neuronx-cc").level is Level.WARNING
    assert "not recorded" in item(fit, "neuronx-cc").text
    assert fit.line == "does not fit: nki missing"


def test_packages_on_top_differ_without_blocking_and_can_be_installed() -> None:
    packages = {name: version for name, version in INSTALLED.items() if name != "accelerate"}
    fit = fit_of(record(library="sentence_transformers", library_version="6.1.0"), trn2(), python(packages))
    for name in ("sentence-transformers", "accelerate"):
        assert item(fit, name).level is Level.WARNING
        assert "Install packages on top" in item(fit, name).advice
    assert said(fit, "transformers") == (Level.OK, "5.23.1, as tested")
    assert fit.blocking == ()


def test_packages_of_an_overlay_win() -> None:
    old = python({**INSTALLED, "transformers": "4.0"})
    assert fit_of(record(), trn2(), old).line == "fits: 8 of 64 cores, transformers differs"
    fit = fit_of(record(), trn2(), old, installed_on_top={"transformers": "5.23.1"})
    assert fit.line == "fits: 8 of 64 cores, stack as tested"


def test_a_library_of_the_stack_is_told_once() -> None:
    assert dict(packages_on_top(record(library="torch", library_version="2.14.0"))) == {
        "transformers": "5.23.1",
        "accelerate": "1.14.0",
    }


def test_the_librarys_own_version_stands_before_the_column_of_its_name() -> None:
    odd = record(library="Transformers", library_version="5.24.0", accelerate=None)
    assert dict(packages_on_top(odd)) == {"transformers": "5.24.0"}
    assert dict(packages_on_top(record(library="../x", transformers=None, accelerate=None))) == {}


@pytest.mark.parametrize(
    ("version", "level"),
    [("3.12.13", Level.OK), ("3.12.4", Level.OK), ("3.11.9", Level.WARNING), (None, Level.WARNING)],
)
def test_another_minor_python_is_a_warning(version: str | None, level: Level) -> None:
    assert item(fit_of(record(), trn2(), python(version=version)), "python").level is level


def test_another_driver_is_a_warning() -> None:
    fit = fit_of(record(), trn2(driver="2.30.4.0"), python())
    assert said(fit, "driver") == (Level.WARNING, "2.31.7.0 tested, 2.30.4.0 loaded")
    assert fit.line == "fits: 8 of 64 cores, driver differs"
    assert item(fit_of(record(), trn2(driver=None), python()), "driver").level is Level.WARNING


def test_without_a_usable_python_nothing_fits_whatever_is_allowed() -> None:
    none = fit_of(record(), trn2(), None, any_host=True)
    assert none.line == "does not fit: no Python chosen"
    broken = fit_of(record(), trn2(), python(problem="no answer within 20 s"), any_host=True)
    assert item(broken, "interpreter").text == "/venv/bin/python: no answer within 20 s"
    assert broken.blocking


def test_text_from_outside_is_made_safe() -> None:
    fit = fit_of(record(torch="\x1b]0;x\x07", transformers="1\n2"), trn2(), python())
    assert all("\x1b" not in item.text and "\n" not in item.text for item in fit.items)
