"""Demonstration script of the bundled sample: it trains nothing and loads no model.

It stands for the run.py of sample/Model, an invented model. It prints what such a run prints, on as
many ranks as the record says, so that the app can be tried without a device and without a download.
`--seconds 1` (or SAMPLE_SECONDS=1) makes it quicker.
"""

import argparse
import multiprocessing
import multiprocessing.connection
import os
import sys
import time

MODEL_ID = "sample/Model"
STACK = "neuronx-cc 2.28.7631.0, transformers 5.23.1"
TP = 1  # NeuronCores that the model is sharded over
RUNNER = "eager"
PROMPT = "For a week in the mountains, pack"
MAX_NEW_TOKENS = 32
CHECK = ""  # what the recorded run was checked with
FAILS_AT = ""  # loading, compiling, running or checking; empty: the run succeeds
RECORDED_ERROR = ""
SECONDS = 8.0

TEXT = "a warm coat, two pairs of boots, a map, and a lamp for the hut. Keep the water near the top of the bag,"
TOKENS = f"{TEXT} and tell a friend which way you go.".split()
SHARDS, GRAPHS = 4, 6


def given_cores() -> list[int]:
    """The cores that this run was given; the first TP when nothing was said."""
    cores: list[int] = []
    for part in filter(None, os.environ.get("NEURON_RT_VISIBLE_CORES", "").split(",")):
        first, _, last = part.partition("-")
        cores.extend(range(int(first), int(last or first) + 1))
    return cores or list(range(int(os.environ.get("NEURON_RT_NUM_CORES") or TP)))


def run_rank(rank: int, core: int, pause: float) -> None:
    """One rank: load, compile, generate, check; `pause` is the time of one step in seconds."""

    def say(text: str) -> None:
        print(f"rank {rank}: {text}\n", end="", flush=True)  # one write: other ranks print too

    def reach(stage: str) -> None:
        if stage == FAILS_AT and rank == 0:
            print(RECORDED_ERROR, file=sys.stderr, flush=True)
            sys.exit(1)

    say(f"NeuronCore {core}, process {os.getpid()}")
    for shard in range(1, SHARDS + 1):
        time.sleep(pause)
        if rank == 0:
            bar = f"\rLoading checkpoint shards: {100 * shard // SHARDS:3d}% {shard}/{SHARDS}"
            print(bar, end="\n" if shard == SHARDS else "", file=sys.stderr, flush=True)
    reach("loading")
    for graph in range(1, GRAPHS + 1):
        if rank == 0:
            say(f"compiling graph {graph} of {GRAPHS} ({RUNNER})")
        time.sleep(2 * pause)
        if graph == GRAPHS // 2:
            reach("compiling")
    reach("running")
    for first in range(0, MAX_NEW_TOKENS, 8):
        time.sleep(pause)
        if rank == 0:
            say(" ".join(TOKENS[first : first + 8]))
    reach("checking")
    if rank == 0:
        say(f"{MAX_NEW_TOKENS} tokens after «{PROMPT}»")
        say(CHECK or "no check is recorded")


def main() -> int:
    """Start one process for each rank and wait; 1 as soon as one of them fails."""
    print("demonstration script of the bundled sample: trains nothing, loads no model", flush=True)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("SAMPLE_SECONDS") or SECONDS))
    pause = parser.parse_args().seconds / (SHARDS + 2 * GRAPHS + 4)
    cores = given_cores()
    print(f"{MODEL_ID} on {TP} of cores {cores}, recorded with {STACK}", flush=True)
    if len(cores) < TP:
        numbers = f"Requested:{TP} Available:{len(cores)} Logical Core size:2"
        sys.exit(f"ERROR NRT:nrt_allocate_neuron_cores  Logical Neuron Core(s) not available - {numbers}")
    ranks = [
        multiprocessing.Process(target=run_rank, args=(rank, cores[rank], pause), daemon=True) for rank in range(TP)
    ]
    for process in ranks:
        process.start()
    running = {process.sentinel: process for process in ranks}
    while running:
        for sentinel in multiprocessing.connection.wait(list(running)):
            process = running.pop(sentinel)
            process.join()
            if process.exitcode:
                return 1  # the other ranks are daemons: they end with this process
    print("result: pass (a demonstration: nothing was tested)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
