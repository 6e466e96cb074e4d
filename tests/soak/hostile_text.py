"""Every kind of hostile text in every place, the real app and every verb in a pseudo-terminal: nothing may get through.

    python tests/soak/hostile_text.py [--seed N] [--number N]

Each kind by itself, all of it in each text, then `--number` mixtures by seed. Ends with 1 when anything was wrong: a
byte that the app did not make, markup that was read, a screen that did not come. How long the slowest key waited is
printed, not judged: another program on the machine makes it longer.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import hostile_session
from hostile_text import GROUPS, World
from loopback_hub import LoopbackHub

ESC_S = 0.1
"""Textual waits so long whether more follows an Esc."""


def wrong(name: str, poisons: list[str], seed: int, in_a_text: int) -> list[str]:
    """What was wrong with these poisons."""
    with LoopbackHub() as hub, tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        world = World(Path(folder), hub, poisons, seed=seed, in_a_text=in_a_text)
        screens, printed = hostile_session.app(world), hostile_session.verbs(world)
    found = [*screens.faults, *printed.faults]
    if name != "long":
        found += [f"read as markup: {place}" for place in sorted(screens.interpreted) if "log" not in place]
    if b"owned" in screens.copied:
        found.append("something was copied that nobody asked for")
    waits = {
        step: seconds - (ESC_S if keys == hostile_session.ESC else 0)
        for step, keys, _ in hostile_session.APP
        if (seconds := screens.waited.get(step)) is not None
    }
    slowest = max(waits, key=waits.__getitem__, default="")
    print(f"{name}: {len(found)} wrong, slowest key: {slowest} {waits.get(slowest, 0) * 1000:.0f} ms", flush=True)
    return [f"{name}: {each}" for each in found]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=5)
    arguments = parser.parse_args()
    began = time.monotonic()
    found: list[str] = []
    for name, poisons in GROUPS.items():
        found += wrong(name, list(poisons), arguments.seed, 1 if name == "long" else len(poisons))
    mixed = [poison for name, poisons in GROUPS.items() if name != "long" for poison in poisons]
    for number in range(arguments.number):
        found += wrong(f"mixture {number}", mixed, arguments.seed + number, 4)
    for each in found:
        print(each[:2000])
    rounds = len(GROUPS) + arguments.number
    print(
        f"{rounds} rounds of {len(hostile_session.APP)} screens and {len(hostile_session.VERBS)} verbs, seed "
        f"{arguments.seed}: {len(found)} wrong, {time.monotonic() - began:.0f} s"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
