import random

import pytest
from records_builder import NEWEST, OLDER, OLDEST, frame

from tui.catalog.stacks import (
    ANY,
    CompilerCount,
    LibraryCount,
    Stack,
    StackChoice,
    StackCount,
    compilers,
    default_stack,
    libraries,
    stacks_of,
    version_key,
    with_compiler,
    with_library,
)

T, S = "transformers", "sentence-transformers"
COUNTS = (
    StackCount(Stack("2.28", T, "5.23"), 50),
    StackCount(Stack("2.28", T, "5.21"), 10),
    StackCount(Stack("2.28", S, "6.0"), 5),
    StackCount(Stack("2.27", T, "5.21"), 40),
    StackCount(Stack(None, T, "5.9"), 1),
)


def test_versions_are_in_real_order_and_odd_texts_before_them():
    ordered = [
        None,
        "",
        "build-2",
        "build-10",
        "nightly",
        "2.9.100.0",
        "2.10.0.dev3",
        "2.10.0rc1",
        "2.10.0",
        "2.10.0+cpu",
        "2.10.1",
        "2.28.7631.0",
    ]
    mixed = random.Random(3).sample(ordered, len(ordered))
    assert sorted(mixed, key=version_key) == ordered


def test_two_spellings_of_one_version_stay_apart():
    assert version_key("2.0") != version_key("2.0.0")
    assert sorted(["2.0.0", "2.0"], key=version_key) == sorted(["2.0", "2.0.0"], key=version_key)


def test_an_absurd_number_is_no_version_and_breaks_nothing():
    assert sorted(["9" * 5000, "2.1"], key=version_key) == ["9" * 5000, "2.1"]


def test_the_newest_stack_comes_first_and_a_null_one_last():
    nowhere = {"neuronx_cc": None}
    rows = [nowhere, OLDEST, OLDER, NEWEST, NEWEST]
    counts = stacks_of(frame(*({"model_id": "acme/a", **row} for row in rows)))
    assert [(count.stack.neuronx_cc, count.records) for count in counts] == [
        ("2.28.7631.0", 2),
        ("2.27.5334.0", 1),
        ("2.9.100.0", 1),
        (None, 1),
    ]
    assert default_stack(counts) == Stack("2.28.7631.0", "transformers", "5.23.1")


def test_of_one_compiler_the_library_with_the_most_records_comes_first():
    rows = [{**NEWEST, "library": S, "library_version": "9.0"}, NEWEST, OLDER]
    counts = stacks_of(frame(*rows))
    assert [count.stack.library for count in counts] == [T, S, T]


def test_without_records_there_is_no_default():
    assert stacks_of(frame()) == ()
    assert default_stack(()) is None
    assert StackChoice.of(default_stack(())) == StackChoice(ANY, ANY, ANY)


def test_each_selector_offers_only_what_the_other_allows_with_counts():
    assert compilers(COUNTS) == (
        CompilerCount("2.28", 65),
        CompilerCount("2.27", 40),
        CompilerCount(None, 1),
    )
    assert compilers(COUNTS, T, "5.21") == (CompilerCount("2.28", 10), CompilerCount("2.27", 40))
    assert libraries(COUNTS, "2.28") == (
        LibraryCount(T, "5.23", 50),
        LibraryCount(T, "5.21", 10),
        LibraryCount(S, "6.0", 5),
    )
    assert libraries(COUNTS, None) == (LibraryCount(T, "5.9", 1),)
    assert [line.records for line in libraries(COUNTS)] == [50, 50, 1, 5]


def test_another_compiler_keeps_the_library_where_that_pair_exists():
    assert with_compiler(COUNTS, StackChoice("2.28", T, "5.21"), "2.27") == StackChoice("2.27", T, "5.21")
    assert with_compiler(COUNTS, StackChoice("2.28", T, "5.23"), "2.27") == StackChoice("2.27", T, "5.21")
    assert with_compiler(COUNTS, StackChoice("2.28", S, "6.0"), None) == StackChoice(None, T, "5.9")
    assert with_compiler(COUNTS, StackChoice("2.28"), ANY) == StackChoice()
    assert with_compiler(COUNTS, StackChoice("2.28", T, "5.23"), "3.0") == StackChoice("2.28", T, "5.23")


def test_another_library_keeps_the_compiler_where_that_pair_exists():
    assert with_library(COUNTS, StackChoice("2.27", T, "5.21"), ANY, ANY) == StackChoice("2.27")
    assert with_library(COUNTS, StackChoice("2.28", T, "5.23"), T, "5.21") == StackChoice("2.28", T, "5.21")
    assert with_library(COUNTS, StackChoice("2.27", T, "5.21"), S, "6.0") == StackChoice("2.28", S, "6.0")
    assert with_library(COUNTS, StackChoice("2.27", T, "5.21"), S, "7.0") == StackChoice("2.27", T, "5.21")


@pytest.mark.parametrize(
    ("stack", "label"),
    [
        (Stack("2.27.5334.0", T, "5.21.0"), "2.27.5334.0 · transformers 5.21.0"),
        (Stack(None, T, None), "neuronx-cc not recorded · transformers, version not recorded"),
        (Stack("2.27", None, None), "2.27 · library not recorded"),
        (Stack("", T, ""), 'neuronx-cc "" · transformers ""'),
    ],
)
def test_a_stack_is_named_and_a_null_part_says_so(stack, label):
    assert stack.label == label


def test_a_choice_is_exact_or_open():
    assert StackChoice("2.28", T, None).exact == Stack("2.28", T, None)
    assert StackChoice("2.28").exact is None
    assert StackChoice(None).admits(Stack(None, T, "5")) and not StackChoice(None).admits(Stack("2", T, "5"))


def test_the_title_names_the_compiler_once() -> None:
    assert Stack("2.28.7631.0", T, "5.23.1").title == f"neuronx-cc 2.28.7631.0 · {T} 5.23.1"
    assert Stack(None, T, "5.23.1").title == f"neuronx-cc not recorded · {T} 5.23.1"
    assert Stack(" ", T, "5.23.1").title == f'neuronx-cc " " · {T} 5.23.1'
