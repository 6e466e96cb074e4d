"""A value that no model has, and what may have been meant."""

from __future__ import annotations

import pytest

from tui.catalog.search_mending import mended
from tui.catalog.search_terms import parsed
from tui.catalog.vocabulary import Vocabulary

VALUES = {
    "is": {"PASS": 3, "FAIL": 2, "timed out": 1},
    "org": {"Acme": 4, "zeta": 2},
    "runner": {"eager": 6},
}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("8b is:fial", "8b is:FAIL"),
        ("org:acmee is:fail 8b", "org:Acme is:fail 8b"),
        ("is:timedout", 'is:"timed out"'),
        ("is:fail org:ACME", None),
        ("org:quite-another", None),
        ("-is:fial", None),
        ("runner:unknown", None),
        ("error:fial cores<=4", None),
        ("fial", None),
    ],
)
def test_the_nearest_value_takes_the_place_of_one_that_no_model_has(text: str, meant: str | None) -> None:
    vocabulary = Vocabulary(lambda name: VALUES.get(name, {}))
    assert mended(parsed(text, vocabulary), vocabulary) == meant
