"""The records of the bundled sample: invented models on three stacks, and a few with other libraries.

Every case that the app must show is in here; `tests/catalog/test_sample.py` names them one by one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sample_errors import ERRORS

Row = dict[str, Any]
NAN = float("nan")
SCRIPT = (Path(__file__).parent / "sample_run.py").read_text(encoding="utf-8")


@dataclass(frozen=True, kw_only=True)
class SampleStack:
    """The versions that all records of one file share, and the time of its first test."""

    neuronx_cc: str
    library: str = "transformers"
    library_version: str
    transformers: str | None
    accelerate: str | None
    torch_neuronx: str
    torch: str
    nki: str
    python: str = "3.12.13"
    neuron_driver: str
    first_test: datetime


def _on(month: int, day: int, hour: int = 9) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=UTC)


NEWEST = SampleStack(
    neuronx_cc="2.28.7631.0",
    library_version="5.23.1",
    transformers="5.23.1",
    accelerate="1.14.0",
    torch_neuronx="2.14.3.0",
    torch="2.14.0",
    nki="0.7.0",
    neuron_driver="2.31.7.0",
    first_test=_on(11, 4),
)
MIDDLE = SampleStack(
    neuronx_cc="2.27.5334.0",
    library_version="5.21.0",
    transformers="5.21.0",
    accelerate="1.13.0",
    torch_neuronx="2.13.2.0",
    torch="2.13.0",
    nki="0.6.0",
    neuron_driver="2.30.4.0",
    first_test=_on(10, 5),
)
OLDEST = SampleStack(
    neuronx_cc="2.26.4100.0",
    library_version="5.18.2",
    transformers="5.18.2",
    accelerate="1.12.0",
    torch_neuronx="2.12.1.0",
    torch="2.12.0",
    nki="0.5.0",
    neuron_driver="2.29.1.0",
    first_test=_on(8, 28),
)
DIFFUSERS = SampleStack(**{**asdict(NEWEST), "library": "diffusers", "library_version": "0.39.0"})
EMBEDDING = SampleStack(**{**asdict(MIDDLE), "library": "sentence-transformers", "library_version": "6.0.1"})


def _passed(model: str, tp: Any, wall_s: int | None, peak: float | None, **other: Any) -> Row:
    check = {"cpu_match": "yes"} if tp == 1 else {"english": "yes"}
    memory = {"hbm_peak_gb": peak, "hbm_capacity_gb": 24.0}
    return {"model_id": model, "tp": tp, "result": "pass", "wall_s": wall_s, **memory, **check, **other}


def _failed(model: str, tp: int, wall_s: int | None, kind: str, **other: Any) -> Row:
    error = ERRORS[kind]
    row = {"model_id": model, "tp": tp, "result": "fail", "wall_s": wall_s, "error": error.text}
    return {**row, "hbm_capacity_gb": 24.0, "stage": error.stage, **other}


def _left_out(model: str, reason: str, **other: Any) -> Row:
    return {"model_id": model, "exclusion": reason, "run_py": None, "runner": None, **other}


TOO_LARGE = "needs more than 16 cores"
CUSTOM_CODE = "custom code in the repository"

NEWEST_ROWS = [
    _passed("Quartz-8B-Instruct", 4, 372, 18.2, notes="attention weights kept in float32"),
    _passed("Quartz-8B-Base", 4, 358, 18.1),
    _failed("Quartz-VL-8B", 8, 700, "memory at compile"),
    _failed("Quartz-8B-AWQ", 2, 3600, "time limit", result="timeout"),
    _left_out("Quartz-80B", TOO_LARGE),
    _passed("Basalt-0.5B", 1, 61, 1.4),
    _passed("Basalt-0.5B-Instruct", 1, 63, 1.4),
    _passed("Basalt-1.5B-Instruct", 1, 104, 3.6, notes=""),
    _failed("Basalt-7B-Instruct", 1, 415, "memory at run", hbm_peak_gb=24.0),
    _passed("Basalt-7B-Instruct", 4, 402, 17.4),
    _passed("Basalt-7B-Coder", 4, 409, 17.4, runner="compile"),
    _passed("Basalt-VL-3B", 1, 512, 9.7),
    _passed("Basalt-VL-7B", 4, 871, 20.3),
    _passed("Basalt-32B-Instruct", 8, 1141, 19.9),
    _passed("Basalt-72B-Instruct", 16, 2466, 22.4),
    _passed("Cobalt-1B", 1, 88, 2.5, cpu_match="match", english="yes", notes="checked in both ways"),
    _passed("Cobalt-3B", 1, 140, 6.8),
    _passed("Cobalt-14B", 4, 655, 21.0),
    _passed("Cobalt-14B", 8, 702, 11.2),
    _failed("Cobalt-14B-AWQ", 4, 94, "operator not implemented"),
    _failed("Cobalt-A3B-30B", 8, 2981, "too many instructions", notes="mixture of experts, 128 experts"),
    _passed("Cobalt-22B-Coder", 8, 968, 15.8),
    _passed("Amber-3B", 1, 151, 6.9),
    _failed("Amber-3B", 1, 233, "compiler crash", runner="compile"),
    _passed("Amber-3B-Instruct", 1, 149, 6.9),
    _passed("Amber-9B-Instruct", 4, 437, 19.0),
    _failed("Amber-27B-Instruct", 8, 3013, "compiler killed", notes="host memory 2,048 GB"),
    _passed("Amber-VL-4B", 2, 390, 12.1),
    _failed("Amber-VL-12B", 8, 845, "dynamic shape"),
    _passed("Slate-1B", 1, 79, 2.4, cpu_match="31 of 32", notes="the last token differs"),
    _failed("Slate-7B", 1, 3600, "time limit", result="timeout"),
    _passed("Slate-7B", 2, 466, 20.8),
    _failed("Slate-7B", 4, 352, "rank lost", notes="second attempt of the same day"),
    _passed("Slate-7B-Instruct", 2, 471, 20.8),
    _failed("Slate-MoE-16B", 8, 1405, "unsupported operator"),
    _passed("Opal-1B", 1, 90, 2.6, result="Passed"),
    _passed("Opal-3B", 1, 131, None),
    _passed("Opal-8B", 4, 377, NAN, notes="memory was not sampled"),
    _passed("Opal-8B-Instruct", 4, 0, 0.0, notes="None"),
    _passed("Opal-13B", 4, None, 22.9, hbm_capacity_gb=None),
    _failed("Opal-34B", 16, 1790, "execution timeout", result="FAILED"),
    _passed("Garnet-2B", 1, 117, 4.9, english=None, cpu_match=None),
    _failed("Garnet-9B", 4, 12, "gated"),
    _passed("Garnet-VL-2B", 1, 344, 5.2),
    _failed("Feldspar-2B", 1, 9, "not found"),
    _passed("Feldspar-6B", 2, 301, 15.1),
    _passed("Feldspar-6B-Instruct", 2, 305, 15.1, result="ok", notes="word of an older tester"),
    _failed("Zircon-2B", 1, 14, "architecture unknown"),
    _failed("Zircon-VL-11B", 8, 612, "compiler killed by signal"),
    _passed("Onyx-1.2B", 1, 93, 2.9),
    _failed("Onyx-7B", 2, 318, "tokens differ", cpu_match="no", english=None),
    _failed("Onyx-7B", 4, 340, "judge says no", english="no"),
    _failed("Onyx-VL-7B", 4, 522, "internal compiler error"),
    _passed("Onyx-40B-Instruct", 16, 1533, 14.6, notes="two devices per rank group"),
    _passed("Jasper-0.4B", 1, 47, 1.0),
    _failed("Jasper-SSM-3B", 1, 205, "complex dtype"),
    _passed("Jasper-7B-Base", 4, 388, 17.0, exclusion="listed by mistake, tested all the same"),
    _failed("Jasper-VL-9B", 4, 58, "disk full", exclusion=CUSTOM_CODE),
    _failed("Flint-1B", 1, 66, "cache not writable"),
    _failed("Flint-2B", 1, 71, "compiler missing"),
    _failed("Flint-4B", 2, 84, "cores busy"),
    _failed("Flint-8B", 4, 120, "coloured log"),
    {"model_id": "Flint-12B", "tp": 8, "result": "skipped?", "notes": "the queue was stopped"},
    {"model_id": "Flint-20B", "tp": 8, "notes": "started, no result was written"},
    _passed("Marble-6B", 2, 322, 14.4, run_py=None, notes="the script was not kept"),
    _failed("Marble-70B", 16, 4021, "memory at compile"),
    _left_out("Marble-70B", "asks for more memory than one host has"),
    _left_out("Marble-405B", TOO_LARGE),
    _left_out("Colossus-400B", TOO_LARGE),
    _left_out("Colossus-1T-A60B-Instruct-2610-Preview-FP8", TOO_LARGE),
    _left_out("Agate-7B", CUSTOM_CODE),
    _left_out("Agate-7B-Chat", CUSTOM_CODE, notes="modeling_agate.py"),
    _left_out("Beryl-12B-GGUF", "only quantised files that Transformers does not load here"),
    _left_out("Beryl-VL-2B", "needs a package that is not in the environment"),
    _left_out("Pumice-3B", "gated: terms not accepted"),
    _left_out("Pumice-Audio-1B", "not a text model", result=""),
    _left_out("Mica-0.1B", "weights missing in the repository"),
    _passed("Mica-1B", 1, 84, 2.3, tested_at=_on(11, 20, 12)),
]

MIDDLE_ROWS = [
    _passed("Quartz-8B-Instruct", 4, 421, 18.9, tested_at=_on(10, 12), hub_revision="9f3c21d0"),
    _passed("Quartz-8B-Base", 4, 418, 18.9, seed=0, hub_revision="41aa07be"),
    _passed("Quartz-VL-8B", 8, 655, 22.6, seed=0, notes="memory was close to its limit"),
    _left_out("Quartz-80B", TOO_LARGE),
    _passed("Basalt-0.5B", 1, 70, 1.4, seed=0),
    _passed("Basalt-0.5B-Instruct", 1, 71, 1.4, seed=0),
    _passed("Basalt-1.5B-Instruct", 1, 111, 3.6, seed=1, hub_revision="c0ffee12"),
    _passed("Basalt-7B-Instruct", 4, 430, 17.6, seed=0),
    _failed("Basalt-7B-Coder", 4, 297, "compiler crash", seed=0),
    _failed("Basalt-VL-3B", 1, 260, "dynamic shape", seed=0),
    _failed("Basalt-VL-7B", 4, 275, "dynamic shape", seed=0),
    _passed("Basalt-32B-Instruct", 8, 1262, 20.2, seed=0),
    _failed("Basalt-72B-Instruct", 16, 3350, "memory at compile", seed=0),
    _passed("Cobalt-1B", 1, 92, 2.5, seed=0),
    _passed("Cobalt-3B", 1, 149, 6.9, seed=0),
    _passed("Cobalt-14B", 8, 760, 11.4, seed=0),
    _failed("Cobalt-A3B-30B", 8, 1834, "too many instructions", seed=0),
    _failed("Cobalt-22B-Coder", 8, 1120, "compiled for another runtime", seed=0),
    _passed("Amber-3B", 1, 158, 7.0, seed=0),
    _passed("Amber-3B-Instruct", 1, 160, 7.0, seed=0),
    _failed("Amber-9B-Instruct", 4, 20, "rate limit", seed=0),
    _failed("Amber-VL-4B", 2, 205, "unsupported operator", seed=0),
    _passed("Slate-1B", 1, 85, 2.4, seed=7),
    _failed("Slate-7B", 2, 498, "rank lost", seed=0),
    _passed("opal-1b", 1, 97, 2.6, seed=0, notes="the id was written in lower case then"),
    _passed("Opal-3B", 1, 139, 6.6, seed=0),
    _failed("Opal-34B", 16, 3600, "time limit", result="timeout", seed=0),
    _passed("Garnet-2B", 1, 121, 4.9, seed=0),
    _left_out("Garnet-9B", "gated: terms not accepted"),
    _passed("Feldspar-6B", 2, 333, 15.2, seed=0),
    _passed("Onyx-1.2B", 1, 99, 2.9, seed=0),
    _failed("Onyx-7B", 4, 355, "judge says no", english="no", seed=0),
    _passed("Jasper-0.4B", 1, 52, 1.0, seed=0),
    _passed("Marble-6B", 2, 340, 14.5, seed=0),
    _left_out("Marble-405B", TOO_LARGE),
    _left_out("Colossus-400B", TOO_LARGE),
    _left_out("Agate-7B", CUSTOM_CODE),
    _passed("Older-2B", 1, 108, 4.7, seed=0),
    _passed("Older-2B-Instruct", 1, 109, 4.7, seed=0),
    _failed("Older-VL-5B", 2, 412, "operator not implemented", seed=0),
]

# `tp` is text in this file, and no one left models out then.
OLDEST_ROWS = [
    _failed("Quartz-8B-Instruct", 4, 190, "compiler crash", tested_at=_on(9, 2)),
    _passed("Basalt-0.5B", 1, 83, 1.5),
    _passed("Basalt-1.5B-Instruct", 1, 127, 3.7),
    _failed("Basalt-7B-Instruct", 4, 512, "internal compiler error"),
    _passed("Cobalt-1B", 1, 101, 2.6),
    _failed("Cobalt-14B", 8, 430, "memory at run"),
    _passed("Amber-3B", 1, 171, 7.1),
    _failed("Slate-7B", 2, 88, "cores busy"),
    _passed("Slate-1B", 1, 95, 2.5),
    _passed("Opal-1B", 1, 104, 2.7),
    _failed("Opal-8B", 4, 366, "unsupported operator"),
    _passed("Garnet-2B", 1, 130, 5.0),
    _passed("Feldspar-6B", 2, 360, 15.4),
    _passed("Agate-13B", "four", 548, 20.7, english="yes"),
    _passed("Older-2B", 1, 118, 4.8),
    _failed("Older-VL-5B", 2, 268, "dynamic shape"),
    _passed("Older-0.3B", 1, 44, 0.8),
    _failed("Jasper-0.4B", 1, 15, "architecture unknown"),
]

DIFFUSERS_ROWS = [
    _passed("Draw-Small", 1, 733, 11.9, cpu_match=None, notes="one picture of 512 x 512, 4 steps"),
    _failed("Draw-2B", 4, 1480, "memory at compile"),
    _left_out("Paint-Video-5B", "no pipeline for it in the environment"),
]

EMBEDDING_ROWS = [
    _passed("Lens-Embed-0.3B", 1, 55, 0.9, cpu_match="cosine 0.9998", notes="no token is generated"),
    _passed("Lens-Embed-4B", 1, 160, 8.2, cpu_match="cosine 0.9991"),
]


def complete_rows(stack: SampleStack, rows: Sequence[Row]) -> list[Row]:
    """Each row with its stack, its time and its script; `stage` is used up."""
    versions = {name: value for name, value in asdict(stack).items() if name != "first_test"}
    complete = []
    for index, row in enumerate(rows):
        known = {"tested_at": stack.first_test + timedelta(hours=4, minutes=37) * index, "runner": "eager"}
        full = {**versions, **known, **row, "model_id": f"sample/{row['model_id']}"}
        stage = full.pop("stage", "")
        if "run_py" not in full:
            full["run_py"] = run_script(full, stage)
        complete.append(full)
    return complete


def run_script(row: Mapping[str, Any], stage: str) -> str:
    """The demonstration script with the constants of this record."""
    checks = [
        f"compared with a CPU run: {row.get('cpu_match')}" if row.get("cpu_match") else "",
        f"judge model: {row.get('english')}" if row.get("english") else "",
    ]
    constants = {
        "STACK": f"neuronx-cc {row['neuronx_cc']}, {row['library']} {row['library_version']}",
        "TP": 4 if row["tp"] == "four" else row["tp"],
        "RUNNER": row["runner"],
        "CHECK": ", ".join(filter(None, checks)),
        "FAILS_AT": stage,
        "SECONDS": float(min(20, 6 + (row.get("wall_s") or 0) // 150)),
    }
    script = SCRIPT.replace("sample/Model", row["model_id"])
    for name, value in constants.items():
        shown = f'"{value}"' if isinstance(value, str) else str(value)
        script = re.sub(rf"^{name} = [^#\n]*?(?=(  #.*)?$)", f"{name} = {shown}", script, flags=re.MULTILINE)
    error = row.get("error") if stage else None
    if error:
        quoted = '"""\\\n' + error.replace("\\", "\\\\").replace("\x1b", "\\x1b") + '"""'
        script = script.replace('RECORDED_ERROR = ""', f"RECORDED_ERROR = {quoted}")
    return script
