"""Numbers of an answer of `sql` are numbers in every format, also those that a query has with a point."""

from __future__ import annotations

import io
import json
from pathlib import Path

import polars as pl
import pytest
from parquet_builder import parquet

from tui.cli.command import run

QUERY = "select wall_s / 60.0 as minutes, case when verdict = 'PASS' then 1.0 else 0.0 end as passed from records"


@pytest.fixture
def data(tmp_path: Path) -> str:
    (tmp_path / "a.parquet").write_bytes(parquet({"wall_s": 372}))
    return str(tmp_path)


def test_a_quotient_and_a_literal_with_a_point_are_numbers_in_json(
    data: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["sql", QUERY, "--data", data, "--format", "json"]) == 0
    assert json.loads(capfd.readouterr().out) == [{"minutes": 6.2, "passed": 1.0}]


def test_they_are_floats_in_parquet(data: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["sql", QUERY, "--data", data, "--format", "parquet"]) == 0
    frame = pl.read_parquet(io.BytesIO(capfdbinary.readouterr().out))
    assert frame.schema == {"minutes": pl.Float64, "passed": pl.Float64}
