"""How fast the app is: the real program in a pseudo-terminal of 120x40, against bare Textual apps in the same run.

    python tests/bench/bench_app.py [--runs 7] [--only start,keys,...] [--rows 10000 100000 1000000]
                                    [--keep FOLDER] [--json FILE]

Programs and baselines take turns; a first turn does not count; medians are compared. F is the time from exec to the
first paint of an empty DataTable, E that from a key to its echo in an Input. Absolute times say nothing of another
machine. At 116 columns and more the detail cannot be closed: what is measured with a closed one runs in 115. With
--keep the made-up datasets are written and fetched once (two minutes for a million records), and used again by the
next call.

Parts (--only): start, keys, held, idle, commands, log, refresh, slow. All but start and keys use the first of --rows.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import measure_keys
import measure_quiet
import measure_run
import measure_start
from results import Results, machine
from surroundings import Surroundings, prepare
from targets import growth, printed, table

Part = Callable[[Results, Surroundings], None]


def start(into: Results, given: Surroundings) -> None:
    """Start both ways, and quit."""
    for way in ("hub", "data"):
        measure_start.baseline(into, given)
        measure_start.start(into, given, way)


def keys(into: Results, given: Surroundings) -> None:
    """All keys, with and without the detail."""
    for closed in (False, True):
        measure_keys.baseline(into, given)
        measure_keys.keys(into, given, closed=closed)


OF_EACH_SIZE: dict[str, Part] = {"start": start, "keys": keys}
OF_ONE_SIZE: dict[str, Part] = {
    "held": measure_keys.held,
    "idle": measure_quiet.idle,
    "commands": measure_quiet.commands,
    "log": measure_run.log,
    "refresh": measure_quiet.refresh,
    "slow": measure_quiet.slow_link,
}


def measure(into: Results, name: str, part: Part, given: Surroundings, runs: int) -> None:
    """A warm-up and so many counted turns of one part."""
    into.part = f"{name} {given.rows}"
    for turn in range(runs + 1):
        into.counting = turn > 0
        began = time.monotonic()
        part(into, given)
        _tell(f"{name}, {given.rows:,}: {turn} of {runs}, {time.monotonic() - began:.0f} s")


def main() -> None:
    """Measure, print, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    every = (*OF_EACH_SIZE, *OF_ONE_SIZE)
    parser.add_argument("--runs", type=int, default=7, help="counted turns of each part (default: 7)")
    parser.add_argument("--only", default=",".join(every), help=f"of {','.join(every)}")
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--keep", type=Path, help="folder for datasets and caches, used again by the next call")
    parser.add_argument("--json", type=Path, help="file for every single value")
    options = parser.parse_args()
    parts = options.only.split(",")
    if unknown := set(parts) - set(every):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as temporary:
        keep = (options.keep or Path(temporary)).resolve()
        places = [prepare(keep, rows) for rows in options.rows]
        results = Results()
        for name in parts:
            if name in OF_EACH_SIZE:
                for given in places:
                    measure(results, name, OF_EACH_SIZE[name], given, options.runs)
            else:
                measure(results, name, OF_ONE_SIZE[name], places[0], options.runs)
    lines = table(results, options.rows)
    about = machine()
    print(", ".join(f"{name} {value}" for name, value in about.items()))
    print(f"medians of {options.runs} turns after a warm-up\n")
    print(printed(lines))
    print(f"\ngrowth\n{growth(results, options.rows)}")
    if options.json:
        values = {
            "machine": about,
            "runs": options.runs,
            "table": [asdict(line) for line in lines],
            "values": results.values,
        }
        options.json.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


def _tell(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
