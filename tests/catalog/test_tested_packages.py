"""What a record says of the packages that pip puts on top of its stack."""

from __future__ import annotations

from typing import Any

from tui.catalog.schema import COLUMN_NAMES, LONG_TEXT
from tui.catalog.tested_packages import packages_on_top
from tui.catalog.verdict import Record, Verdict


def told(**values: Any) -> list[tuple[str, str | None, str | None]]:
    all_values: dict[str, Any] = dict.fromkeys(set(COLUMN_NAMES) - LONG_TEXT)
    record = Record({**all_values, **values}, {}, {}, 0, 0, Verdict.PASS)
    return [(package.name, package.recorded, package.version) for package in packages_on_top(record)]


def test_each_package_is_told_once_the_library_first_and_normalised() -> None:
    assert told(library="Sentence_Transformers", library_version="6.0", transformers=" v5.23.1 ") == [
        ("sentence-transformers", "6.0", "6.0"),
        ("transformers", "v5.23.1", "5.23.1"),
        ("accelerate", None, None),
    ]


def test_a_text_that_is_no_version_gives_way_to_one_that_is() -> None:
    odd = told(library="transformers", library_version="main", transformers="5.23.1")
    assert odd[0] == ("transformers", "5.23.1", "5.23.1")
    assert told(library="transformers", library_version="main")[0] == ("transformers", "main", None)


def test_what_is_no_package_and_what_is_of_the_stack_is_left_out() -> None:
    assert [name for name, _, _ in told(library="../x", library_version="1")] == ["transformers", "accelerate"]
    assert [name for name, _, _ in told(library="Torch", library_version="1")] == ["transformers", "accelerate"]
