"""Made-up records in any number, written quickly: a dataset of 12 files, and the Hub's rankings of some of its models.

Every id has the digits of a number, so that a digit typed into the search changes what is listed. All files are of one
stack, so that every record is a line of the view Selected: the real dataset, with a stack in each file, lists fewer.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

FILES = 12
DATASET = "aws-neuron/torch-neuronx-model-support"
TRACEBACK_MODEL = "acme/Traceback-Giant"
BURST_MODEL = "acme/Burst-Printer"
RANKED, UNTESTED = 2000, 500
"""Models of a ranking: of the dataset, and others; five pages of the Hub in all."""

DISTINCT_SCRIPTS = 10_000
"""So many different scripts there are at most: a million of their own would be three gigabytes."""

SCRIPT_LINES, TRACEBACK_LINES = 80, 60

BURST_SCRIPT = '''\
"""Prints 50,000 lines at once for each of the files go-1, go-2... that appears in $BENCH_FOLDER."""
import os, pathlib, sys, time
folder = pathlib.Path(os.environ["BENCH_FOLDER"])
print("waiting for a sign", flush=True)
for turn in range(1, 100):
    while not (folder / f"go-{turn}").exists():
        if (folder / "end").exists():
            sys.exit(0)
        time.sleep(0.005)
    lines = [f"burst {turn} step {n:06d} loss {n / 7:.6f} tokens per second {n % 977}" for n in range(1, 50_000)]
    print(*lines, f"burst {turn} is over", sep="\\n")
    sys.stdout.flush()
    part = folder / f"over-{turn}.part"
    part.write_text(repr(time.perf_counter()))
    part.rename(folder / f"over-{turn}")
'''


def model_ids(rows: int) -> pl.Series:
    """The ids of a dataset of so many records, the two special ones last."""
    number = pl.int_range(rows - 2, dtype=pl.UInt32)
    made = pl.format("acme-{}/Mod-{}-{}B", number % 97, number.cast(pl.String).str.zfill(7), (number * 7) % 64 + 1)
    ids = pl.select(model_id=made)["model_id"]
    return pl.concat([ids, pl.Series("model_id", [TRACEBACK_MODEL, BURST_MODEL])])


def script(number: int) -> str:
    """A run.py of SCRIPT_LINES lines."""
    lines = [
        f'"""Runs made-up model {number}."""', "import os", "import torch", "", "", "def main() -> None:",
        f'    name = "acme/model-{number}"',
        *(
            f"    step_{n} = torch.ones({n}, {number % 512 + 1}).to('xla')  # a line of usual length"
            for n in range(SCRIPT_LINES - 11)
        ),
        "    print(name)", "", "", "main()",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def traceback() -> str:
    """An error of TRACEBACK_LINES lines."""
    frames = [
        line
        for n in range((TRACEBACK_LINES - 2) // 2)
        for line in (
            f'  File "/opt/venv/lib/python3.12/site-packages/made_up/layer_{n}.py", line {n * 13 + 7}, in forward',
            f"    hidden_states = self.layer_{n}(hidden_states, attention_mask=attention_mask)",
        )
    ]
    return "\n".join(
        ["Traceback (most recent call last):", *frames, "RuntimeError: [NCC_EBVF030] made up for the bench"]
    )


def records(rows: int) -> pl.DataFrame:
    """All records, and in `part` (from 0) the file of each."""
    ids = model_ids(rows)
    number = pl.int_range(rows, dtype=pl.UInt32)
    scripts = pl.Series([script(n) for n in range(min(rows, DISTINCT_SCRIPTS))], dtype=pl.String)
    failed = number % 4 == 3
    part = number * FILES // rows
    frame = pl.select(
        model_id=ids,
        library=pl.lit("transformers"),
        tp=pl.lit(2).pow(number % 5).cast(pl.Int32),
        runner=pl.lit("eager"),
        result=pl.when(failed).then(pl.lit("fail")).otherwise(pl.lit("pass")),
        notes=pl.lit(None, pl.String),
        error=pl.when(failed).then(pl.format("RuntimeError: made up, with number {}", number % 1000)),
        exclusion=pl.lit(None, pl.String),
        wall_s=(number * 37 % 4000 + 30).cast(pl.Int32),
        hbm_peak_gb=(number % 240) / 10,
        hbm_capacity_gb=pl.lit(24.0),
        cpu_match=pl.when(number % 3 == 0).then(pl.lit("yes")),
        english=pl.when(~failed).then(pl.lit("yes")),
        neuronx_cc=pl.lit("2.28.7631.0"),
        library_version=pl.lit("5.23.1"),
        transformers=pl.lit("5.23.1"),
        accelerate=pl.lit("1.12.0"),
        torch_neuronx=pl.lit("2.14.3.0"),
        torch=pl.lit("2.14.0"),
        nki=pl.lit("0.7.0"),
        python=pl.lit("3.12.11"),
        neuron_driver=pl.lit("2.31.7.0"),
        tested_at=pl.lit(datetime(2026, 11, 20, 9, 30, tzinfo=UTC)).cast(pl.Datetime("ms", "UTC")),
        run_py=scripts.gather(pl.select(number % len(scripts)).to_series()),
        part=part,
    )
    special = {TRACEBACK_MODEL: (traceback(), script(7), "fail"), BURST_MODEL: (None, BURST_SCRIPT, "pass")}
    own = pl.DataFrame(
        [(name, *texts) for name, texts in special.items()],
        schema={"model_id": pl.String, "error": pl.String, "run_py": pl.String, "result": pl.String},
        orient="row",
    )
    return frame.update(own, on="model_id", how="left", include_nulls=True, maintain_order="left")


def ranking_ids(rows: int) -> list[str]:
    """The models of the rankings: some of the dataset, and after each four of them one that is not in it."""
    ranked = model_ids(rows).head(min(RANKED, rows - 2)).to_list()
    every = max(len(ranked) // UNTESTED, 1)
    result = []
    for place, model_id in enumerate(ranked):
        result.append(model_id)
        if place % every == 0:
            result.append(f"other/Untested-{place:05d}-8B")
    return result


def write(folder: Path, rows: int) -> None:
    """Write the dataset and the models in `folder` as tests/tools/loopback_hub.py reads them."""
    files = folder / "datasets" / DATASET
    files.mkdir(parents=True, exist_ok=True)
    for (part,), frame in records(rows).partition_by("part", as_dict=True, include_key=False).items():
        frame.write_parquet(files / f"records-{part:02d}.parquet", compression="zstd")
    (folder / "models.json").write_text(json.dumps(models(rows)), encoding="utf-8")


def models(rows: int) -> list[dict[str, object]]:
    """The Hub's models: trending in the order of `ranking_ids`, in quite another one by downloads."""
    ids = ranking_ids(rows)
    return [
        {
            "id": model_id,
            "pipeline_tag": "text-generation",
            "library_name": "transformers",
            "trendingScore": len(ids) - place,
            "downloads": 1000 * (place * 7919 % len(ids) + 1),
            "likes": len(ids) - place,
        }
        for place, model_id in enumerate(ids)
    ]


def expected_counts(rows: int, texts: list[str]) -> dict[str, dict[str, int]]:
    """{"selected" or "ranking": {text: how many ids have it}}; the empty text counts all."""
    both = {"selected": model_ids(rows), "ranking": pl.Series(ranking_ids(rows))}
    return {
        name: {text: int(ids.str.to_lowercase().str.contains(text, literal=True).sum()) for text in ["", *texts]}
        for name, ids in both.items()
    }
