"""The rankings of the bundled sample, in the form of the Hub's listing of models."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

TEXT, IMAGE = "text-generation", "image-text-to-text"
TRANSFORMERS, DIFFUSERS = "transformers", "diffusers"
MILLION = 1_000_000

# name, trending score, downloads of 30 days, likes, library, gated, parameters in millions
Line = tuple[str, int, int, int, str | None, bool | str, int | None]

TEXT_LINES: list[Line] = [
    ("Quartz-8B-Instruct", 412, 2_310_442, 4_120, TRANSFORMERS, False, 8_030),
    ("Newcomer-3B", 377, 48_911, 402, TRANSFORMERS, False, 3_090),
    ("Colossus-400B", 350, 91_204, 1_877, TRANSFORMERS, "auto", 405_850),
    ("Draw-XL", 322, 640_318, 2_215, DIFFUSERS, False, None),
    ("Older-2B", 301, 1_204_556, 980, TRANSFORMERS, False, 2_510),
    ("Basalt-7B-Instruct", 288, 3_902_117, 3_441, TRANSFORMERS, False, 7_620),
    ("Mystery-7B", 270, 12_004, 88, None, False, None),
    ("Colossus-1T-A60B-Instruct-2610-Preview-FP8", 262, 7_311, 640, TRANSFORMERS, False, 1_026_470),
    ("Slate-7B", 255, 811_290, 1_002, TRANSFORMERS, False, 7_250),
    ("Garnet-9B", 241, 402_877, 1_954, TRANSFORMERS, "manual", 9_240),
    ("Newcomer-3B-Instruct", 233, 39_402, 317, TRANSFORMERS, False, 3_090),
    ("Cobalt-A3B-30B", 219, 288_013, 1_466, TRANSFORMERS, False, 30_530),
    ("Basalt-0.5B-Instruct", 204, 5_118_700, 611, TRANSFORMERS, False, 494),
    ("Amber-27B-Instruct", 198, 501_299, 2_034, TRANSFORMERS, "manual", 27_430),
    ("Quartz-8B-Base", 187, 602_118, 1_210, TRANSFORMERS, False, 8_030),
    ("Quartz-8B-AWQ", 176, 401_355, 377, TRANSFORMERS, False, 8_030),
    ("Opal-8B-Instruct", 171, 377_001, 702, TRANSFORMERS, False, 8_190),
    ("Newcomer-0.9B", 166, 5_017, 61, TRANSFORMERS, False, 912),
    ("Beryl-12B-GGUF", 160, 288_455, 507, None, False, None),
    ("Cobalt-14B", 155, 702_811, 1_118, TRANSFORMERS, False, 14_770),
    ("Basalt-72B-Instruct", 149, 210_336, 1_633, TRANSFORMERS, False, 72_710),
    ("Feldspar-6B", 144, 120_402, 290, TRANSFORMERS, False, 6_050),
    ("Agate-7B-Chat", 139, 99_210, 455, TRANSFORMERS, False, 7_110),
    ("Onyx-40B-Instruct", 133, 61_288, 540, TRANSFORMERS, False, 40_120),
    ("Quarry-MLX-4B", 128, 33_109, 102, "mlx", False, 4_020),
    ("Marble-70B", 121, 45_127, 388, TRANSFORMERS, False, 70_550),
    ("Marble-405B", 117, 21_870, 904, TRANSFORMERS, "auto", 405_850),
    ("Slate-MoE-16B", 112, 52_419, 266, TRANSFORMERS, False, 16_380),
    ("Amber-9B-Instruct", 108, 640_722, 1_101, TRANSFORMERS, "manual", 9_240),
    ("Cobalt-22B-Coder", 104, 87_552, 471, TRANSFORMERS, False, 22_250),
    ("Opal-1B", 99, 1_411_063, 344, TRANSFORMERS, False, 1_240),
    ("Jasper-SSM-3B", 95, 14_920, 130, TRANSFORMERS, False, 2_780),
    ("Sandstone-2B", 91, 3_208, 27, TRANSFORMERS, False, 2_040),
    ("Onyx-7B", 88, 145_300, 359, TRANSFORMERS, False, 7_240),
    ("Flint-8B", 83, 10_881, 58, TRANSFORMERS, False, 8_100),
    ("Flint-12B", 79, 8_126, 43, TRANSFORMERS, False, 12_210),
    ("Flint-20B", 74, 6_055, 40, TRANSFORMERS, False, 20_340),
    ("Older-2B-Instruct", 70, 907_334, 520, TRANSFORMERS, False, 2_510),
    ("Older-0.3B", 66, 2_002_118, 218, TRANSFORMERS, False, 301),
    ("Agate-13B", 61, 33_870, 199, TRANSFORMERS, False, 13_020),
    ("Pumice-3B", 57, 29_415, 140, TRANSFORMERS, "auto", 3_210),
    ("Basalt-1.5B-Instruct", 52, 2_655_090, 402, TRANSFORMERS, False, 1_540),
    ("Mica-1B", 48, 74_112, 66, TRANSFORMERS, False, 1_100),
    ("Lens-Embed-4B", 41, 310_228, 288, "sentence-transformers", False, 4_020),
    ("Jasper-0.4B", 37, 190_554, 73, TRANSFORMERS, False, 412),
    ("Garnet-2B", 31, 401_002, 365, TRANSFORMERS, "manual", 2_510),
    ("Unnamed-Upload", 12, 1_107, 3, None, False, None),
]

IMAGE_LINES: list[Line] = [
    ("Quartz-VL-8B", 301, 902_115, 1_630, TRANSFORMERS, False, 8_770),
    ("Newcomer-VL-5B", 260, 20_114, 190, TRANSFORMERS, False, 5_120),
    ("Basalt-VL-7B", 244, 1_710_226, 2_004, TRANSFORMERS, False, 8_290),
    ("Amber-VL-4B", 231, 811_340, 1_244, TRANSFORMERS, "manual", 4_300),
    ("Zircon-VL-11B", 190, 207_118, 755, TRANSFORMERS, "auto", 10_670),
    ("Draw-Reader-1B", 175, 18_402, 96, DIFFUSERS, False, None),
    ("Basalt-VL-3B", 161, 2_433_018, 801, TRANSFORMERS, False, 3_750),
    ("Older-VL-5B", 148, 66_209, 310, TRANSFORMERS, False, 5_020),
    ("Garnet-VL-2B", 133, 120_552, 241, TRANSFORMERS, "manual", 2_920),
    ("Jasper-VL-9B", 120, 31_008, 155, TRANSFORMERS, False, 9_100),
    ("Amber-VL-12B", 109, 140_233, 618, TRANSFORMERS, "manual", 12_190),
    ("Onyx-VL-7B", 90, 22_730, 117, TRANSFORMERS, False, 7_640),
    ("Beryl-VL-2B", 71, 9_871, 52, TRANSFORMERS, False, 2_210),
    ("Unnamed-VL-Upload", 20, 870, 2, None, False, None),
]

NEWEST_UPLOAD = datetime(2026, 11, 18, 8, 30, tzinfo=UTC)


def rankings() -> dict[str, dict[str, list[dict[str, Any]]]]:
    """`{"trending" | "downloads": {task: rows in the order of that ranking}}`."""
    tasks = {TEXT: TEXT_LINES, IMAGE: IMAGE_LINES}
    return {
        "trending": {task: _rows(task, lines, by=1) for task, lines in tasks.items()},
        "downloads": {task: _rows(task, lines, by=2) for task, lines in tasks.items()},
    }


def _rows(task: str, lines: list[Line], by: int) -> list[dict[str, Any]]:
    created = {line[0]: NEWEST_UPLOAD - timedelta(days=23 * index) for index, line in enumerate(lines)}
    ordered = sorted(lines, key=lambda line: -int(line[by] or 0))
    return [_row(task, line, created[line[0]]) for line in ordered]


def _row(task: str, line: Line, created: datetime) -> dict[str, Any]:
    name, trending, downloads, likes, library, gated, millions = line
    row: dict[str, Any] = {
        "id": f"sample/{name}",
        "trendingScore": trending,
        "downloads": downloads,
        "likes": likes,
        "pipeline_tag": task,
        "library_name": library,
        "gated": gated,
        "tags": [tag for tag in (library, task, "license:apache-2.0", "region:us") if tag],
        "createdAt": created.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
    }
    if millions is not None:
        row["safetensors"] = {"total": millions * MILLION}
    return row
