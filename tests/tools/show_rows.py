"""Records of made-up models, one for each thing that `show` tells."""

from __future__ import annotations

from typing import Any

OLDER = {"neuronx_cc": "2.27.5334.0", "library_version": "5.21.0", "transformers": "5.21.0"}
ROWS: tuple[dict[str, Any], ...] = (
    {"model_id": "acme/one", "tp": 8},
    {"model_id": "acme/one", "result": "fail", "tp": 4, **OLDER},
    {"model_id": "acme/one-more", "result": "fail", "tp": 2, "error": "Traceback:\n  deep\nRuntimeError: no\x1b[2J\n",
     "notes": "slow\nand odd", "hbm_peak_gb": None, "hbm_capacity_gb": None, "english": None, "accelerate": "newest"},
    {"model_id": "acme/huge", "result": None, "exclusion": "more than 16 cores", "run_py": None, "wall_s": None},
    {"model_id": "acme/timeout", "result": "timeout"},
    {"model_id": "acme/blank", "result": None},
    {"model_id": "acme/old", **OLDER},
    {"model_id": "-acme/-x", "wall_s": None},
)  # fmt: skip
