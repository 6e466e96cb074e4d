"""The app in a real terminal: `python tests/soak/terminal.py [--seed 1] [--number 40] [--only ends,sizes,...]`.

Every way to end it in every screen; keys in windows from 1x1 to 500x200 in every screen; 100 resizes a second; every
TERM with and without colours and UTF-8; streams elsewhere; and `--number` sessions of 400 random events.
"""

from __future__ import annotations

import argparse
import collections
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import terminal_cases as cases

Case = tuple[str, Callable[[Path], object]]
RESIZES_S = 20.0
EVENTS = 400


def every_case(seed: int, number: int) -> Iterator[Case]:
    for screen in cases.SCREENS:
        for end in cases.ENDS:
            yield f"ends: {end} in {screen}", lambda folder, s=screen, e=end: cases.end_in(folder, s, e)
    yield "ends: internal error", cases.dies_of_an_error
    yield "ends: it hangs", cases.ends_though_it_hangs
    for screen in cases.SCREENS:
        if screen != "plain text":
            yield f"sizes: {screen}", lambda folder, s=screen: cases.every_size(folder, s)
    for screen in ("table", "detail", "palette", "checklist", "log"):
        yield f"resizes: {screen}", lambda folder, s=screen: cases.resized_often(folder, RESIZES_S, seed, s)
    for term in cases.TERMS:
        for more in ({}, {"NO_COLOR": "1"}, {"PYTHONIOENCODING": "latin-1"}, {"COLORTERM": "truecolor"}):
            yield f"terminals: {term!r} {more}", lambda folder, t=term, m=more: _named(folder, t, m)
    for redirection in ("<&-", "</dev/null", ">list", ">&-", "2>errors", "2>&-", "<&- 2>&-"):
        yield f"streams: {redirection}", lambda folder, r=redirection: cases.prints_the_list(folder, r)
    for session in range(number):
        yield f"keys: session {session}", lambda folder, n=session: cases.random_keys(folder, EVENTS, seed * 1000 + n)


def _named(folder: Path, term: str, more: dict[str, str]) -> None:
    if term == "unknown":
        cases.prints_the_list(folder, "", TERM=term, **more)
    else:
        cases.reads_in(folder, TERM=term, **more)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=40)
    parser.add_argument("--only", default="", help="kinds, with commas: ends, sizes, resizes, terminals, streams, keys")
    options = parser.parse_args()
    began = time.monotonic()
    done: collections.Counter[str] = collections.Counter()
    wrong = 0
    for name, case in every_case(options.seed, options.number):
        kind = name.partition(":")[0]
        if options.only and kind not in options.only.split(","):
            continue
        with tempfile.TemporaryDirectory(prefix="terminal-", ignore_cleanup_errors=True) as folder:
            try:
                case(Path(folder))
            except Exception as error:  # noqa: BLE001 - told, and the rest is tried
                wrong += 1
                print(f"{name}: {type(error).__name__}: {error}", flush=True)
        done[kind] += 1
    told = ", ".join(f"{number} {kind}" for kind, number in done.items())
    print(f"{told}; seed {options.seed}, {time.monotonic() - began:.0f} s: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
