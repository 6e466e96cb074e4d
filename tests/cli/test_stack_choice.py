"""What `--neuronx-cc` and `--library-version` mean beside each other."""

from __future__ import annotations

import pytest

from tui.catalog.stacks import ANY, Stack, StackChoice, StackCount
from tui.cli.stack_choice import stack_choice
from tui.errors import UsageError

NEWEST = Stack("2.28.7631.0", "transformers", "5.23.1")
SAME_COMPILER = Stack("2.28.7631.0", "transformers", "5.21.0")
OTHER_LIBRARY = Stack("2.28.7631.0", "diffusers", "0.39.0")
EARLIER_BUILD = Stack("2.28.100.0", "transformers", "5.20.0")
OLDER = Stack("2.27.5334.0", "transformers", "5.21.0")
NOT_RECORDED = Stack(None, None, None)
STACKS = tuple(
    StackCount(stack, 1) for stack in (NEWEST, SAME_COMPILER, OTHER_LIBRARY, EARLIER_BUILD, OLDER, NOT_RECORDED)
)


@pytest.mark.parametrize(
    ("neuronx_cc", "library_version", "chosen"),
    [
        (None, None, StackChoice.of(NEWEST)),
        ("latest", None, StackChoice.of(NEWEST)),
        ("LATEST", "latest", StackChoice.of(NEWEST)),
        ("2.27.5334.0", None, StackChoice.of(OLDER)),
        ("2.27", None, StackChoice.of(OLDER)),
        ("2.28.7631", None, StackChoice.of(NEWEST)),
        ("2.28.7631", "5.21", StackChoice.of(SAME_COMPILER)),
        ("2.28.100", "5", StackChoice.of(EARLIER_BUILD)),
        (None, "5.21.0", StackChoice.of(SAME_COMPILER)),
        (None, "0.39", StackChoice.of(OTHER_LIBRARY)),
    ],
)
def test_versions_name_one_stack_the_newest_that_has_them(
    neuronx_cc: str | None, library_version: str | None, chosen: StackChoice
) -> None:
    assert stack_choice(STACKS, neuronx_cc, library_version) == chosen


@pytest.mark.parametrize(
    ("neuronx_cc", "library_version", "chosen"),
    [
        ("any", None, StackChoice()),
        (None, "any", StackChoice()),
        ("Any", "any", StackChoice()),
        ("any", "latest", StackChoice(ANY, "transformers", "5.23.1")),
        ("latest", "any", StackChoice("2.28.7631.0", ANY, ANY)),
        ("2.27", "any", StackChoice("2.27.5334.0", ANY, ANY)),
        ("any", "5.21", StackChoice(ANY, "transformers", "5.21.0")),
    ],
)
def test_any_leaves_a_part_open_and_the_other_part_too_when_that_was_not_given(
    neuronx_cc: str | None, library_version: str | None, chosen: StackChoice
) -> None:
    assert stack_choice(STACKS, neuronx_cc, library_version) == chosen


@pytest.mark.parametrize(
    ("neuronx_cc", "library_version", "named"),
    [
        ("2.28", None, ("2.28.7631.0", "2.28.100.0")),
        ("2.2", None, ("2.28.7631.0", "2.27.5334.0")),
        ("3", None, ("2.28.7631.0", "2.28.100.0", "2.27.5334.0")),
        ("", None, ("2.28.7631.0",)),
        ("2.27", "5.23", ("5.21.0",)),
        (None, "5", ("5.23.1", "5.21.0", "5.20.0")),
    ],
)
def test_a_version_that_fits_none_or_several_is_refused_with_those_there_are(
    neuronx_cc: str | None, library_version: str | None, named: tuple[str, ...]
) -> None:
    with pytest.raises(UsageError) as raised:
        stack_choice(STACKS, neuronx_cc, library_version)
    assert raised.value.exit_code == 2
    assert all(version in raised.value.detail for version in named)


def test_a_library_version_that_is_recorded_with_another_compiler_only_is_not_said_to_be_none() -> None:
    with pytest.raises(UsageError) as raised:
        stack_choice(STACKS, "2.27", "5.23.1")
    assert raised.value.title == "There is no library version «5.23.1» with neuronx-cc 2.27.5334.0"


def test_without_a_record_there_is_nothing_to_choose() -> None:
    assert stack_choice((), None, None) == StackChoice()
    with pytest.raises(UsageError):
        stack_choice((), "2.28", None)
