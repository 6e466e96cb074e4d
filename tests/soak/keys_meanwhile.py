"""How long keys wait while the Hub fails: `python tests/soak/keys_meanwhile.py [--rounds 6] [--rows 10000]`.

The real app in a pseudo-terminal, with records on disk, asks a loopback Hub for the dataset, a ranking, the facts of
a model and the bucket, all of which meet one fault, while a search is typed and taken back. Wrong is a key that is
shown after more than 100 ms, and a fault that the status line does not tell. Only on a machine that does nothing
else: another program makes keys slower. Ends with 1 when anything was wrong.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))
sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

import fault_table
from loopback_hub import LoopbackHub
from parquet_builder import DATASET, parquet
from surroundings import ROOT, app, environ
from terminal import NotShownError, Terminal

AT_MOST_S = 0.1
TYPED = (("7", "7"), ("1", "71"), ("\x7f", "7"), ("3", "73"), ("\x7f", "7"), ("\x7f", ""))
"""Keys, and what stands in the search box after each of them."""
PLACEHOLDER = "id, is:pass"


def box(text: str) -> Callable[[list[str]], bool]:
    """That the search box shows this text."""
    return lambda lines: any(line.strip().startswith(f"/ {text or PLACEHOLDER}") for line in lines)


def keys_under(hub: LoopbackHub, home: Path, fault: str, rounds: int) -> tuple[list[float], list[str]]:
    """Seconds of each key, and what was wrong."""
    hub.set_fault("/", fault_table.FAULTS[fault][0])
    took, wrong = [], []
    with Terminal(app(), environ(home, hub.url), ROOT) as terminal:
        terminal.shown(lambda lines: any("acme/model-00" in line for line in lines))
        terminal.key("2")
        terminal.until_silent()
        terminal.key("1u/")
        terminal.until_silent()
        for _ in range(rounds):
            for key, text in TYPED:
                terminal.key(key)
                took.append(terminal.shown(box(text), within_s=5).seconds)
        if fault not in {"silent", "a byte a second", "an endless head"} and "stale" not in terminal.text:
            wrong.append(f"{fault}: nothing is said of it")
    hub.clear_faults()
    return took, wrong + [f"{fault}: a key took {seconds * 1000:.0f} ms" for seconds in took if seconds > AT_MOST_S]


def main() -> int:
    """Try every fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--rows", type=int, default=10_000)
    given = parser.parse_args()
    began, slowest, keys, wrong = time.monotonic(), 0.0, 0, []
    with tempfile.TemporaryDirectory() as name, LoopbackHub() as hub:
        home = Path(name)
        stack = {"neuronx_cc": "2.28.7631.0", "library_version": "5.23.1"}
        records = parquet(*({"model_id": f"acme/model-{number:05}", **stack} for number in range(given.rows)))
        hub.add_dataset(DATASET, {"a.parquet": records})
        with Terminal(app(), environ(home, hub.url), ROOT) as terminal:
            terminal.shown(lambda lines: any("checked" in line for line in lines))
        for fault in fault_table.FAULTS:
            try:
                took, found = keys_under(hub, home, fault, given.rounds)
            except NotShownError as error:
                took, found = [], [f"{fault}: {error}"]
            slowest, keys, wrong = max([slowest, *took]), keys + len(took), wrong + found
            print(f"{fault}: slowest of {len(took)} keys {max(took, default=0) * 1000:.0f} ms", flush=True)
    print(*wrong, sep="\n")
    seconds = time.monotonic() - began
    told = f"{keys} keys under {len(fault_table.FAULTS)} faults in {seconds:.0f} s, the slowest {slowest * 1000:.0f} ms"
    print(f"{told}: {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
