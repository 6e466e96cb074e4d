"""What `list`, `show`, `sql` and `stacks` print of the same few records, in every format, to the last character.

Scripts rely on these: names, order, types, how nothing is written. The expected outputs are the files in `golden`. To
write them anew after a change that is meant: WRITE_GOLDEN=1 python -m pytest tests/cli/test_golden.py
"""

from __future__ import annotations

import io
import os
import shlex
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from parquet_builder import parquet

from tui.cli.command import run
from tui.cli.formats import FORMATS

GOLDEN = Path(__file__).with_name("golden")
WRITES = bool(os.environ.get("WRITE_GOLDEN"))

OLDER = {"neuronx_cc": "2.27.5334.0", "library_version": "5.21.0", "transformers": "5.21.0"}
ROWS = (
    {"model_id": "acme/one", "tp": 8, "cpu_match": "yes", "english": None},
    {"model_id": "acme/one", "tp": 4, "wall_s": 512, **OLDER},
    {"model_id": "acme/two", "result": "fail", "hbm_peak_gb": None, "wall_s": None, "english": None, "run_py": None,
     "error": "Traceback:\nOutOfMemory: core 3, \"HBM\""},
    {"model_id": "acme/three", "result": "timeout", "hbm_peak_gb": float("nan"), "notes": ""},
    {"model_id": "acme/huge", "result": None, "exclusion": "more than 16 cores, é", "english": None},
)  # fmt: skip

COMMANDS = {
    "compare": "compare acme/one",
    "diff": "diff 2.27 2.28",
    "list": "list --neuronx-cc any --left-out",
    "show": "show acme/one",
    "show-fail": "show acme/two",
    "sql": 'sql "select model_id, tp, wall_s, hbm_peak_gb, notes, error, verdict, tested_at, has_run_py from records"',
    "stacks": "stacks",
}
CODES = {"show-fail": 1}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A path that is the same everywhere, as the time zone is: they are in some of the outputs."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    (tmp_path / "a.parquet").write_bytes(parquet(*ROWS))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRN_MODELS_NEFF_CACHE_DIR", "/shared/neffs")
    monkeypatch.setenv("TRN_MODELS_NEFF_BUCKET", "hf://buckets/acme/graphs")
    yield "a.parquet"
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", COMMANDS)
def test_the_output_is_exactly_this(name: str, form: str, data: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run([*shlex.split(COMMANDS[name]), "--data", data, "--format", form]) == CODES.get(name, 0)
    found = capfdbinary.readouterr().out
    if form == "parquet":  # whose bytes depend on the library's version
        frame = pl.read_parquet(io.BytesIO(found))
        types = (f"{column}: {kind}\n" for column, kind in frame.schema.items())
        found = "".join([*types, *(f"{row}\n" for row in frame.iter_rows())]).encode()
    file = GOLDEN / f"{name}.{form}.txt"
    if WRITES:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(found)
    assert found.decode() == file.read_bytes().decode()
