"""Asks a loopback Hub everything that the app asks, under every fault, with the time limits of the app.

    python tests/soak/hub_faults.py --seed 1 --sequences 300

First the whole table of requests and faults, then sequences: some faults at random, one after the other, on random
addresses, after which everything must be answered again. Wrong is an error that is not told as it is, without the
address or a way out, a second request, a wait beyond the limit, or the token anywhere in words. Ends with 1 when
anything was wrong.
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

import fault_table
import hub_handler
from loopback_hub import LoopbackHub

from tui.catalog import hub_session
from tui.settings import Settings


def whole_table(hub: LoopbackHub, given: Settings) -> list[str]:
    wrong = []
    number = 0
    for fault in fault_table.FAULTS:
        for request in fault_table.REQUESTS:
            number += 1
            began = time.monotonic()
            found = fault_table.wrong_with(hub, fault_table.fresh(given, number), request, fault)
            # Asked once more, without the token, which is another request.
            wrong += [each for each in found if fault != "401" or "requests instead" not in each]
            if time.monotonic() - began > hub_session.TOTAL_S + 5:
                wrong.append(f"{request}, {fault}: {time.monotonic() - began:.0f} s")
    return wrong


def sequence(hub: LoopbackHub, given: Settings, chance: random.Random) -> list[str]:
    hub_session.forget_waits()
    happened = []
    for _ in range(chance.randint(1, 4)):
        name = chance.choice([each for each in fault_table.FAULTS if each not in ("silent", "a byte a second")])
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
    hub_handler.GOOD_TOKEN = fault_table.SECRET
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name, LoopbackHub() as hub:
        os.environ |= {"HF_ENDPOINT": hub.url, "HF_HOME": f"{name}/huggingface", "HF_TOKEN": fault_table.SECRET}
        folders = [Path(name) / kind for kind in ("cache", "state", "config")]
        settings = Settings(cache_dir=folders[0], state_dir=folders[1], config_dir=folders[2])
        fault_table.fill(hub)
        wrong = whole_table(hub, settings)
        chance = random.Random(given.seed)
        for number in range(given.sequences):
            wrong += sequence(hub, fault_table.fresh(settings, -number), chance)
        written = [path for path in Path(name).rglob("*") if path.is_file()]
        wrong += [f"the token is in {path}" for path in written if fault_table.SECRET.encode() in path.read_bytes()]
    for each in wrong:
        print(each)
    cases = len(fault_table.FAULTS) * len(fault_table.REQUESTS)
    print(
        f"{cases} cases, {given.sequences} sequences, seed {given.seed}, in {time.monotonic() - began:.0f} s: "
        f"{len(wrong)} wrong"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
