"""Damages parquet files at random and opens them: `python tests/soak/fuzz_ingest.py [--number 3000] [--seed 1]`.

Always 20 damaged files in a folder with a good one. Wrong is: an error, a wait, the good records missing, a record that
is missing without being told of, an own file that polars cannot open whole, a record that cannot be shown, or a second
reading that tells something else. A folder with something wrong is kept in `--keep`.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

from fuzzed_files import base_files, check

from tui.catalog import ingest

IN_A_FOLDER = 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "fuzz_ingest")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    ingest.TIME_LIMIT_S = 20.0
    began, outcomes, wrongs = time.monotonic(), Counter[str](), 0
    with tempfile.TemporaryDirectory(prefix="fuzz-ingest-") as name:
        bases = base_files(Path(name))
        for first in range(0, options.number, IN_A_FOLDER):
            count = min(IN_A_FOLDER, options.number - first)
            seen, wrong = check(bases, count, options.seed * 1_000_003 + first, Path(name) / "work", options.keep)
            outcomes += seen
            wrongs += len(wrong)
            for each in wrong:
                print(each, flush=True)
    took = f"{time.monotonic() - began:.0f} s"
    result = f"{wrongs} wrong" if wrongs else "ok"
    told = ", ".join(f"{count:,} {word}" for word, count in outcomes.most_common())
    print(f"{options.number:,} files, seed {options.seed}, {took}: {result}; {told}")
    return 1 if wrongs else 0


if __name__ == "__main__":
    sys.exit(main())
