"""Figures and times at the ends of what they can be, through every verb and format: as they are, in strict JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import bad_files
import polars as pl
import pytest

from tui.cli.command import run

COLUMNS = "model_id, tp, wall_s, hbm_peak_gb, hbm_capacity_gb, tested_at"


@pytest.fixture
def data(tmp_path: Path) -> str:
    (tmp_path / "extremes.parquet").write_bytes(bad_files.extremes())
    return str(tmp_path / "extremes.parquet")


def strict(text: str) -> Any:
    def refuse(word: str) -> NoReturn:
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_sql_has_them_in_every_format(data: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    said: dict[str, bytes] = {}
    for form in ("table", "json", "jsonl", "csv", "parquet"):
        assert run(["sql", f"select {COLUMNS} from records order by model_id", "--data", data, "--format", form]) == 0
        said[form] = capfdbinary.readouterr().out
    rows = strict(said["json"].decode())
    assert [row["hbm_peak_gb"] for row in rows] == ["NaN", "Infinity", "-Infinity", -5.0, 1e308, 5e-324]
    assert [row["tp"] for row in rows] == [-3, 0, 2**31 - 1, -(2**31), None, 1]
    assert [row["tested_at"] for row in rows] == [
        None, "0001-01-02T00:00:00Z", None, "9999-12-30T23:59:59Z", None, "1970-01-01T00:00:00Z",
    ]  # fmt: skip
    assert [strict(line) for line in said["jsonl"].decode().splitlines()] == rows
    lines = list(csv.DictReader(io.StringIO(said["csv"].decode())))
    assert [line["hbm_capacity_gb"] for line in lines] == ["inf", "NaN", "-1.0", "0.0", "", "-inf"]
    frame = pl.read_parquet(io.BytesIO(said["parquet"]))
    assert frame["wall_s"].to_list() == [-1, 0, 2**31 - 1, -(2**31), None, 1]
    assert math.isnan(frame["hbm_peak_gb"][0])
    assert frame["tested_at"][3] == datetime(9999, 12, 30, 23, 59, 59, tzinfo=UTC)
    assert "-infinite" in said["table"].decode()


@pytest.mark.parametrize("form", ["table", "json", "jsonl", "csv", "parquet"])
def test_list_and_show_have_them_in_every_format(
    data: str, capfdbinary: pytest.CaptureFixture[bytes], form: str
) -> None:
    assert run(["list", "--data", data, "--format", form]) == 0
    listed = capfdbinary.readouterr().out
    assert run(["show", "acme/extreme-0", "--data", data, "--format", form]) == 0
    shown = capfdbinary.readouterr().out
    if form == "json":
        assert [line["tp"] for line in strict(listed.decode()) if line["model_id"] == "acme/extreme-3"] == [-(2**31)]
        assert strict(shown.decode())["unconverted"] == {"tested_at": "0001-01-01 00:00:00.000Z"}
    elif form == "table":
        assert b"-2147483648" in listed
        assert "PASS on -3 cores, -1 s with compilation, peak NaN of infinite GB recorded" in shown.decode()
