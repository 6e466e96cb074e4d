"""The terms of the search that the overview opens lists with: the kind of an error, memory against capacity."""

from __future__ import annotations

import pytest
from parquet_builder import parquet
from read_here import read_in_this_process

from tui.catalog import error_search
from tui.catalog import snapshot as snapshots
from tui.catalog.question import Beyond, Question, View
from tui.catalog.views import select

MODELS = (
    {"model_id": "acme/a", "result": "fail", "error": "log\nnrt failed: status=4", "hbm_peak_gb": 12.0},
    {"model_id": "acme/b", "result": "fail", "error": "NRT failed: status=1042", "hbm_peak_gb": 21.6},
    {"model_id": "acme/c", "result": "fail", "error": "nrt failed: status=4\nlater line", "hbm_peak_gb": 24.0},
    {"model_id": "acme/d", "result": "fail", "error": " \n", "notes": "nrt failed: status=4", "hbm_peak_gb": None},
    {"model_id": "acme/e", "result": "pass", "error": None, "hbm_peak_gb": 30.0},
)


@pytest.fixture
def found(tmp_path, settings, monkeypatch):
    """The last letters of the models that a search lists."""
    read_in_this_process(monkeypatch.setattr)
    path = tmp_path / "records.parquet"
    path.write_bytes(parquet(*({**model, "hbm_capacity_gb": 24.0} for model in MODELS)))
    shot = snapshots.open_path(path, settings, lambda _: None)

    def models(search):
        question = Question(view=View.SELECTED, search=search)
        wanted = select(shot, None, question).wants_errors
        selection = select(shot, None, question, beyond=Beyond(errors=error_search.find(shot, wanted)))
        assert selection.search.unclear == ()
        return "".join(sorted(key.removeprefix("acme/") for key in selection.lines["key"]))

    return models


@pytest.mark.parametrize(
    ("search", "models"),
    [
        ('error="nrt failed: status=#"', "ab"),
        ('error="nrt failed: status=77"', "ab"),
        ('-error="nrt failed: status=#"', "cde"),
        ('error:"nrt failed"', "abcd"),
        ('error="nrt failed"', ""),
        ('error=""', "de"),
        ('is:fail error="" -error="later line"', "d"),
    ],
)
def test_a_last_line_finds_the_errors_that_differ_from_it_in_numbers_only(found, search, models):
    assert found(search) == models


@pytest.mark.parametrize(
    ("search", "models"),
    [("full>=90", "bce"), ("full>=90% full<=100%", "bc"), ("full<60", "a"), ("full>100", "e"), ("full:unknown", "d")],
)
def test_memory_is_compared_with_what_was_available(found, search, models):
    assert found(search) == models
