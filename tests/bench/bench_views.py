"""What a search key costs: `views.select` on kept lines, as a ratio to a plain search of the ids in the same run.

    python tests/bench/bench_views.py [MODELS ...]

Without numbers: 10,000 and 1,000,000 models. A time alone means nothing on another machine; the ratio does.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

sys.path.insert(0, str(Path(__file__).parents[1] / "catalog"))

from records_builder import NEWEST, SCHEMA, HandmadeRanking, HandmadeSnapshot

from tui.catalog.records import with_derived_columns
from tui.catalog.stacks import StackChoice
from tui.catalog.views import Question, View, lines_of, records_of, select, suggestion

REPEATS = 15
FAMILIES = ("Qwen", "Llama", "Mistral", "Gemma", "Phi", "Quartz", "DeepThink", "Falcon")


def snapshot_of(models: int) -> Any:
    """Invented models of one stack: most pass, some fail, some are left out."""
    chance = random.Random(5)
    sizes = ("1B", "3B", "8B", "14B", "32B", "70B")
    values = {
        "model_id": [
            f"org{chance.randrange(4000)}/{chance.choice(FAMILIES)}-{chance.choice(sizes)}-v{number}"
            for number in range(models)
        ],
        "result": chance.choices(["pass", "fail", "timeout", None], weights=[60, 20, 5, 15], k=models),
        "tp": chance.choices([1, 2, 4, 8, 16], k=models),
        "wall_s": [chance.randrange(30, 7200) for _ in range(models)],
        "hbm_peak_gb": [chance.uniform(1, 24) for _ in range(models)],
        "hbm_capacity_gb": [24.0] * models,
        "runner": ["generate"] * models,
        "english": ["yes"] * models,
        "row": range(models),
        "file": [0] * models,
    }
    frame = pl.DataFrame(values, schema_overrides={name: SCHEMA[name] for name in values})
    frame = frame.with_columns(
        exclusion=pl.when(pl.col("result").is_null()).then(pl.lit("needs more than 16 cores")),
        **{name: pl.lit(value) for name, value in NEWEST.items()},
    )
    absent = {name: pl.lit(None, kind) for name, kind in SCHEMA.items() if name not in frame.columns}
    return HandmadeSnapshot(with_derived_columns(frame.with_columns(**absent).select(list(SCHEMA))))


def milliseconds(work: Callable[[], object]) -> float:
    """The fastest of some runs: what the work costs, with the least of what else the machine was doing."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) * 1000


def report(models: int) -> None:
    shot = snapshot_of(models)
    keys = shot.records["key"]
    stack = StackChoice(**NEWEST)
    question = Question(view=View.SELECTED, stack=stack)
    base = lines_of(shot, None, question)
    figures = shot.records.head(2_000).select(
        "model_id", "key", rank=pl.col("row") + 1, figure=pl.lit(1.0), library=pl.lit("transformers")
    )
    ranked = Question(view=View.DOWNLOADS, stack=stack)
    ranking: Any = HandmadeRanking(figures)
    ranked_base = lines_of(shot, ranking, ranked)

    def key(search: str, **asked: Any) -> Callable[[], object]:
        pressed = Question(view=View.SELECTED, stack=stack, search=search, **asked)
        return lambda: select(shot, None, pressed, base)

    baseline = milliseconds(lambda: keys.str.contains("qwen", literal=True))
    measured = {
        "first letter, nearly all match («o»)": key("o"),
        "a family, an eighth matches («qwen»)": key("qwen"),
        "two words («qwen 8b»)": key("qwen 8b"),
        "few match («v99»)": key("v9999"),
        "nothing matches («qwne»)": key("qwne"),
        "the suggestion for it": lambda: suggestion(base, Question(view=View.SELECTED, search="qwne")),
        "the records of one model": lambda: records_of(shot, keys[models // 2]),
        "a family, sorted by wall time": key("qwen", sort="wall_s", descending=True),
        "a term («is:pass»)": key("is:pass"),
        "a term and a family («cores<=4 qwen»)": key("cores<=4 qwen"),
        "terms that look into texts («reason:16 -8b»)": key("reason:16 -8b"),
        "the values of a name, counted anew («org:org1»)": key("org:org1"),
        "no search": key(""),
        "no search, sorted by memory": key("", sort="hbm_peak_gb"),
        "a family in a ranking of 2,000": lambda: select(
            shot, ranking, Question(view=View.DOWNLOADS, stack=stack, search="qwen"), ranked_base
        ),
        "another stack: the lines made anew": lambda: lines_of(shot, None, question),
        "any stack: the lines made anew": lambda: lines_of(shot, None, Question(view=View.SELECTED)),
        "a ranking joined anew": lambda: lines_of(shot, ranking, ranked),
    }
    print(f"\n{models:,} models; baseline (str.contains over the ids) {baseline:.2f} ms = 1.0")
    for name, work in measured.items():
        took = milliseconds(work)
        print(f"  {took / baseline:7.1f} x  {took:9.2f} ms  {name}")


if __name__ == "__main__":
    for number in [int(word.replace(",", "")) for word in sys.argv[1:]] or [10_000, 1_000_000]:
        report(number)
