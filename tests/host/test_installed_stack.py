"""Which stack of the dataset is installed in an interpreter."""

from __future__ import annotations

import pytest

from tui.catalog.stacks import Stack
from tui.host.installed_stack import installed_stack
from tui.host.interpreters import Interpreter

STACKS = (
    Stack("2.28.7631.0", "transformers", "5.23.1"),
    Stack("2.27.5334.0", "transformers", "5.23.1"),
    Stack("2.27.5334.0", "Sentence_Transformers", "6.0.0"),
    Stack(None, "transformers", "5.23.1"),
)


def python(**packages: str) -> Interpreter:
    named = {name.replace("_", "-"): version for name, version in packages.items()}
    return Interpreter(("/venv/bin/python",), "PATH", version="3.12.4", packages=named)


@pytest.mark.parametrize(
    ("packages", "index"),
    [
        ({"neuronx_cc": "2.28.7631.0", "transformers": "5.23.1"}, 0),
        ({"neuronx_cc": "2.27.5334.0", "transformers": "5.23.1"}, 1),
        ({"neuronx_cc": "2.27.5334.0+a1b2c3d4", "transformers": "5.23.1"}, 1),
        ({"neuronx_cc": "2.27.5334.0", "sentence_transformers": "6.0"}, 2),
    ],
)
def test_the_pair_that_is_installed_is_found(packages: dict[str, str], index: int) -> None:
    assert installed_stack(python(**packages), STACKS) == STACKS[index]


@pytest.mark.parametrize(
    "packages",
    [
        {},
        {"transformers": "5.23.1"},
        {"neuronx_cc": "2.28.7631.0"},
        {"neuronx_cc": "2.28.7631.0", "transformers": "5.21.0"},
        {"neuronx_cc": "2.28.7631.1", "transformers": "5.23.1"},
    ],
)
def test_half_a_pair_or_another_version_is_not_the_stack(packages: dict[str, str]) -> None:
    assert installed_stack(python(**packages), STACKS) is None


def test_without_an_interpreter_there_is_none() -> None:
    assert installed_stack(None, STACKS) is None
