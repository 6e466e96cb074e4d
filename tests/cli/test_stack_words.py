"""What a person may type for a version."""

from __future__ import annotations

import pytest

from tui.cli.stack_words import version_named
from tui.errors import UsageError

VERSIONS = ("2.27.5334.0", "2.28.7631.0", "2.28.7700.1", "2.9.1.0", "odd")


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("latest", "2.28.7700.1"),
        (" Latest ", "2.28.7700.1"),
        ("ANY", "any"),
        ("2.28.7631.0", "2.28.7631.0"),
        ("2.28.7631", "2.28.7631.0"),
        ("2.27", "2.27.5334.0"),
        ("2.9", "2.9.1.0"),
        ("odd", "odd"),
    ],
)
def test_a_word_or_the_first_parts_of_a_version_name_one(text: str, version: str) -> None:
    assert version_named(text, VERSIONS) == version


@pytest.mark.parametrize(
    ("text", "listed"),
    [("2.28", "2.28.7700.1, 2.28.7631.0."), ("2.2", "2.28.7700.1, 2.28.7631.0, 2.27.5334.0, 2.9.1.0, odd.")],
)
def test_what_fits_several_or_none_is_refused_with_a_list(text: str, listed: str) -> None:
    with pytest.raises(UsageError) as raised:
        version_named(text, VERSIONS)
    assert raised.value.detail.endswith(listed)


@pytest.mark.parametrize("text", ["latest", "", "2.28"])
def test_without_any_version_nothing_is_named(text: str) -> None:
    with pytest.raises(UsageError) as raised:
        version_named(text, ())
    assert "none is recorded" in raised.value.detail
