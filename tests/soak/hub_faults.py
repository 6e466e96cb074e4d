"""Asks a loopback Hub everything that the app asks, under every fault, with the time limits of the app.

    python tests/soak/hub_faults.py --seed 1 --sequences 300

The whole table of requests and faults; each request of a download under each fault; and sequences: some faults at
random, one after the other, on random addresses, after which everything must be answered again. Wrong is an error
that is not told as it is, without the address or a way out, a second request, a wait beyond the limit, a process that
stays, or the token anywhere in words. Each fault has a process and a Hub of its own, as most of the time is waited.
Ends with 1 when anything was wrong.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

import download_table
import fault_table
import hub_handler
from loopback_hub import LoopbackHub

from tui.catalog import hub_download, hub_session
from tui.settings import Settings

AT_ONCE = 5


@contextmanager
def filled_hub(name: str) -> Iterator[tuple[LoopbackHub, Settings]]:
    """A Hub with everything on it, which knows the token in use; the log goes to a file."""
    hub_handler.GOOD_TOKEN = fault_table.SECRET
    logging.basicConfig(filename=f"{name}/log", level=logging.DEBUG)
    with LoopbackHub() as hub:
        os.environ |= {"HF_ENDPOINT": hub.url, "HF_HOME": f"{name}/huggingface", "HF_TOKEN": fault_table.SECRET}
        folders = [Path(name) / kind for kind in ("cache", "state", "config")]
        fault_table.fill(hub)
        yield hub, Settings(cache_dir=folders[0], state_dir=folders[1], config_dir=folders[2])


def leaks(name: str) -> list[str]:
    written = [path for path in Path(name).rglob("*") if path.is_file()]
    return [f"the token is in {path}" for path in written if fault_table.SECRET.encode() in path.read_bytes()]


def under(fault: str) -> list[str]:
    """All requests, then all steps of a download, under one fault."""
    wrong = []
    with tempfile.TemporaryDirectory() as name, filled_hub(name) as (hub, given):
        for number, request in enumerate(fault_table.REQUESTS):
            began = time.monotonic()
            found = fault_table.wrong_with(hub, fault_table.fresh(given, number), request, fault)
            # Asked once more, without the token, which is another request.
            wrong += [each for each in found if fault != "401" or "requests instead" not in each]
            if time.monotonic() - began > hub_session.TOTAL_S + 5:
                wrong.append(f"{request}, {fault}: {time.monotonic() - began:.0f} s")
        for step in download_table.STEPS:
            began = time.monotonic()
            wrong += download_table.wrong_with(hub, given, Path(name) / step, step, fault)
            if time.monotonic() - began > hub_download.STALLED_S + 15:
                wrong.append(f"download, {step}, {fault}: {time.monotonic() - began:.0f} s")
        return wrong + leaks(name)


def sequences(seed: int, number: int) -> list[str]:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as name, filled_hub(name) as (hub, given):
        wrong = [each for place in range(number) for each in sequence(hub, fault_table.fresh(given, place), chance)]
        return wrong + leaks(name)


def sequence(hub: LoopbackHub, given: Settings, chance: random.Random) -> list[str]:
    hub_session.forget_waits()
    happened = []
    for _ in range(chance.randint(1, 4)):
        name = chance.choice([each for each in fault_table.FAULTS if each not in download_table.NO_NEWS])
        request = chance.choice(sorted(fault_table.REQUESTS))
        happened.append(f"{name} on {request}")
        hub.set_fault(fault_table.REQUESTS[request].path, fault_table.FAULTS[name][0])
        error = fault_table.failure(lambda: fault_table.REQUESTS[request].ask(given))  # noqa: B023 - called at once
        if error is not None and (fault_table.SECRET in str(error) or not error.remedy):
            return [f"{happened}: {error}"]
    hub.clear_faults()
    hub_session.forget_waits()
    return [
        f"{happened}: {name}: {error!r}"
        for name, request in fault_table.REQUESTS.items()
        if (error := fault_table.failure(lambda: request.ask(given))) is not None  # noqa: B023 - called at once
        # That a model is not there is remembered.
        and name != "facts"
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sequences", type=int, default=300)
    given = parser.parse_args()
    began = time.monotonic()
    with ProcessPoolExecutor(AT_ONCE, get_context("spawn"), max_tasks_per_child=1) as pool:
        parts = [pool.submit(under, fault) for fault in fault_table.FAULTS]
        parts.append(pool.submit(sequences, given.seed, given.sequences))
        wrong = [each for part in parts for each in part.result()]
    for each in wrong:
        print(each)
    faults = len(fault_table.FAULTS)
    print(
        f"{faults * len(fault_table.REQUESTS)} cases, {faults * len(download_table.STEPS)} downloads, "
        f"{given.sequences} sequences, seed {given.seed}, in {time.monotonic() - began:.0f} s: {len(wrong)} wrong"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
