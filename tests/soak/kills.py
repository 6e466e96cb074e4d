"""Kills the app with SIGKILL at random moments, and looks what its next start finds.

    python tests/soak/kills.py --seed 1 --kills 200

Half of the kills hit a refresh (fetching, reading, writing), half the start of a run; half of them the app alone, half
its children too. Wrong is a record, a script or a run that is lost or half-written, a file that is read as another, a
refresh that fails afterwards, or a process that stays. Ends with 1 when anything was wrong.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

import kills
from loopback_hub import LoopbackHub


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=200)
    given = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name, LoopbackHub() as hub:
        killing = kills.Killing(Path(name), hub, random.Random(given.seed))
        os.environ |= {"HF_ENDPOINT": hub.url, "HF_HOME": killing.environ["HF_HOME"]}
        wrong = []
        for number in range(given.kills):
            wrong += [f"{number}: {each}" for each in (killing.start() if number % 2 else killing.refresh())]
            hub.forget_requests()
    for each in wrong:
        print(each)
    print(
        f"{given.kills} kills ({killing.whole} came after the end; {killing.runs_made} runs were made), "
        f"seed {given.seed}, "
        f"in {time.monotonic() - began:.0f} s: {len(wrong)} wrong"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
