"""Lines of a table for tests, made by hand."""

from __future__ import annotations

from typing import Any

import polars as pl

from tui.catalog.lines import LINES


def made(model_id: str | None, verdict: str = "PASS", **values: Any) -> dict[str, Any]:
    """One line: what is not given is as it is for a line without a record."""
    word = {"EXCLUDED": "left out", "UNTESTED": "not tested"}.get(verdict, verdict)
    empty = (
        dict.fromkeys(LINES) | {"word": word} | {"records": 0, "disagree": "", "has_result": False, "left_out": False}
    )
    return empty | {"model_id": model_id, "key": (model_id or "").casefold(), "verdict": verdict} | values


def frame(*lines: dict[str, Any]) -> pl.DataFrame:
    """The lines as `views.select` gives them."""
    return pl.DataFrame(list(lines), schema=dict(LINES), orient="row")


def numbered(count: int, name: str = "acme/model") -> pl.DataFrame:
    """So many models that pass: acme/model-0, acme/model-1, ..."""
    number = pl.int_range(count, dtype=pl.UInt32)
    names = pl.format(f"{name}-{{}}", number)
    columns = {name: pl.lit(None, kind) for name, kind in LINES.items()}
    verdict = pl.lit("PASS").cast(LINES["verdict"])
    columns |= {
        "word": pl.lit("PASS"),
        "model_id": names,
        "key": names,
        "verdict": verdict,
        "record": number,
        "tp": number % 16,
    }
    return pl.select(**columns, count=number).drop("count").cast(dict(LINES))
