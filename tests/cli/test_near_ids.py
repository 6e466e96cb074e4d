"""Ids that are nearly right: what `show` and `run` suggest for a slip of a few letters, or another organization."""

from __future__ import annotations

from pathlib import Path

import pytest
from parquet_builder import parquet

from tui.cli.chosen_record import alike
from tui.cli.command import run

MODELS = ("acme/pass-8B", "acme/old-only", "acme/flaky")


@pytest.fixture
def data(tmp_path: Path) -> str:
    (tmp_path / "a.parquet").write_bytes(parquet(*({"model_id": each} for each in MODELS)))
    return str(tmp_path)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("acme/pas-8B", "acme/pass-8B"),
        ("pass-9B", "acme/pass-8B"),
        ("acm/pass-8b", "acme/pass-8B"),
        ("other/pass-8B", "acme/pass-8B"),
        ("acme/old_only", "acme/old-only"),
    ],
)
@pytest.mark.parametrize("verb", [["show"], ["run", "--dry-run"]])
def test_an_id_that_is_nearly_right_is_suggested(
    data: str, capfd: pytest.CaptureFixture[str], verb: list[str], typed: str, meant: str
) -> None:
    assert run([*verb, typed, "--data", data]) == 7
    told = capfd.readouterr()
    assert told.out == ""
    assert "Did you mean" in told.err
    assert meant in told.err


def test_nothing_is_suggested_for_what_is_like_no_id(data: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "zebra-70B", "--data", data]) == 7
    assert "Did you mean" not in capfd.readouterr().err


def test_the_nearest_ids_come_first_and_a_text_longer_than_any_name_has_none() -> None:
    known = {each.casefold(): each for each in ("acme/Pine-8B", "acme/Pine-8B-it", "blue/Pine-8B")}
    assert alike("acme/pine-8", known)[0] == "acme/Pine-8B"
    assert alike("red/pine-8b", known)[:2] == ["acme/Pine-8B", "blue/Pine-8B"]
    assert alike("a" * 101, {"a" * 101: "x"}) == []
