"""Every key in every screen, in random order: `python tests/soak/random_keys.py [--number 20000] [--seed 1]`.

Without a terminal (tests/soak/terminal.py plays some in one). After each event the app must be alive, at rest and
without a fault in its log; every 60 events Esc must lead to the main screen, ? be answered there, and q end the app.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

for _folder in ("tools", "ui"):
    sys.path.insert(0, str(Path(__file__).parents[1] / _folder))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=40, help="start at most so many runs of the sample's run.py")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="random-keys-") as name:
        folder = Path(name)
        # huggingface_hub reads these at its import.
        os.environ |= {"HF_HOME": str(folder / "huggingface"), "HF_ENDPOINT": "http://127.0.0.1:9"}
        from keys_by_pilot import StuckError, play, surroundings
        from random_keys import SIZES

        from tui.rerun import runs
        from tui.settings import Settings

        with surroundings(folder, options.runs) as settings:
            try:
                seen = asyncio.run(play(options.number, options.seed, settings, SIZES))
            except StuckError as error:
                print(error)
                if error.__cause__ is not None:
                    import traceback

                    traceback.print_exception(error.__cause__)
                print(f"seed {options.seed}: FAILED")
                return 1
            started = len(runs.every(Settings(**settings)))
    by_screen = ", ".join(f"{name} {count:,}" for name, count in seen.most_common())
    took = f"{time.monotonic() - began:.0f} s"
    print(f"{sum(seen.values()):,} events, seed {options.seed}, {took}, {started} runs: ok; {by_screen}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
