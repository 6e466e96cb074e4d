"""What the app keeps, damaged at random: `python tests/soak/damaged_cache.py [--number 3000] [--seed 1]`.

Each time some of the files in a copy of the cache and state folders are damaged, and then everything is read that a
start reads. Wrong is: an error, a record, text, page or ranking that is another than before, a file that is missing
without being told of, and a refresh after which anything is still missing.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

from damaged_cache import check, prepared
from read_here import read_in_this_process


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    began, wrongs = time.monotonic(), 0
    with tempfile.TemporaryDirectory(prefix="damaged-cache-") as name:
        folder = Path(name)
        os.environ["HF_ENDPOINT"] = "http://127.0.0.1:9"
        # The sources are sound, only what is kept of them is damaged.
        read_in_this_process(setattr)
        kept = prepared(folder / "kept", setattr)
        for run in range(options.number):
            told, wrong = check(kept, folder / "work", random.Random(options.seed * 1_000_003 + run))
            if wrong:
                wrongs += 1
                print(f"run {run} ({told}): {wrong}", flush=True)
    took = f"{time.monotonic() - began:.0f} s"
    print(f"{options.number:,} damaged caches, seed {options.seed}, {took}: {f'{wrongs} wrong' if wrongs else 'ok'}")
    return 1 if wrongs else 0


if __name__ == "__main__":
    sys.exit(main())
