"""The app killed (SIGKILL) at random moments, and what must be true at its next start."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
from loopback_hub import LoopbackHub, slow
from parquet_builder import DATASET, parquet

from tui.catalog import snapshot as snapshots
from tui.errors import TrnModelsError
from tui.rerun import runs
from tui.rerun.runs import State
from tui.settings import Settings

RECORDS = 400
REFRESH = ("refresh",)
START = ("run", "sample/Basalt-0.5B", "--sample", "--any-host", "--yes", "--detach")
ENDED_WITHIN_S = 30.0
TOKEN = "TRN_MODELS_RUN"


def environ_in(folder: Path, endpoint: str) -> dict[str, str]:
    """The environment of a person whose folders are all in this one."""
    return {
        "PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8", "HF_ENDPOINT": endpoint,
        "XDG_CACHE_HOME": str(folder / "cache"), "XDG_STATE_HOME": str(folder / "state"),
        "XDG_CONFIG_HOME": str(folder / "config"), "HF_HOME": str(folder / "huggingface"),
        "SAMPLE_SECONDS": "0.3", "TRN_MODELS_PYTHON": sys.executable,
    }  # fmt: skip


class Killing:
    """One person's folders, a Hub whose dataset moves, and an app that is killed again and again."""

    def __init__(self, folder: Path, hub: LoopbackHub, chance: random.Random) -> None:
        self.environ = environ_in(folder, hub.url)
        self.settings = Settings(
            cache_dir=folder / "cache" / "trn-models",
            state_dir=folder / "state" / "trn-models",
            config_dir=folder / "config" / "trn-models",
        )
        self.hub, self.chance = hub, chance
        self.dataset = hub.add_dataset(DATASET, self._files(0))
        self.revisions = 0
        self.told_runs: set[int] = set()
        self._seconds: dict[tuple[str, ...], float] = {}
        self.runs_made = 0
        self.whole = 0
        """How often the app was done before it was killed."""

    def _files(self, number: int) -> dict[str, bytes]:
        """Two files; each record has the number of the revision as its wall time."""
        rows = [
            {"model_id": f"acme/model-{row}", "wall_s": number, "run_py": f"print({number})\n" * 200}
            for row in range(RECORDS)
        ]
        return {"a.parquet": parquet(*rows[::2]), "b.parquet": parquet(*rows[1::2])}

    def _app(self, words: tuple[str, ...]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tui", *words], env=self.environ, text=True, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def _takes(self, words: tuple[str, ...]) -> float:
        """How long it takes when nobody kills it; the first time that is tried."""
        if words not in self._seconds:
            began = time.monotonic()
            with self._app(words) as process:
                assert process.wait(timeout=2 * ENDED_WITHIN_S) == 0
            self._seconds[words] = time.monotonic() - began
        return self._seconds[words]

    def _killed(self, words: tuple[str, ...]) -> str:
        """Start the app with these words and kill it, alone or with its children; what it had printed."""
        within_s = 1.2 * self._takes(words)
        process = self._app(words)
        time.sleep(self.chance.uniform(0, within_s))
        self.whole += process.poll() is not None
        with contextlib.suppress(ProcessLookupError):
            if self.chance.random() < 0.5:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        said, _ = process.communicate(timeout=ENDED_WITHIN_S)
        return said

    def refresh(self) -> list[str]:
        """Kill a refresh to a new revision; what is wrong at the next start."""
        self._takes(REFRESH)
        self.revisions += 1
        self.dataset.add_revision(self._files(self.revisions))
        self.hub.set_fault("/content/", slow(self.chance.choice([0.0, 0.3])))
        self._killed(REFRESH)
        self.hub.clear_faults()
        wrong = self._wrong_with_last("after the kill")
        try:
            refreshed = snapshots.refresh(self.settings, None, lambda _: None)
        except TrnModelsError as error:
            return [*wrong, f"the next refresh fails: {error!r}"]
        if refreshed.snapshot.records["wall_s"].unique().to_list() != [self.revisions]:
            wrong.append("the next refresh does not bring the new records")
        return wrong + self._wrong_with_last("after the next refresh")

    def _wrong_with_last(self, when: str) -> list[str]:
        """Records of one revision, all of them."""
        last = snapshots.last_snapshot(self.settings)
        if last is None:
            return [f"{when}: no records are left"]
        wrong = [f"{when}: {problem}" for problem in last.problems]
        numbers = last.records["wall_s"].unique().to_list()
        if (
            last.records.height != RECORDS
            or len(numbers) != 1
            or numbers[0] not in (self.revisions, self.revisions - 1)
        ):
            wrong.append(f"{when}: {last.records.height} records of the revisions {numbers}")
        script, _error = snapshots.read_long_texts(last, *snapshots.place_of(last, RECORDS - 1))
        if script != f"print({int(numbers[0])})\n" * 200:
            wrong.append(f"{when}: a script of another revision")
        return wrong

    def start(self) -> list[str]:
        """Kill the start of a run; what is wrong with the runs then."""
        said = self._killed(START)
        self.told_runs.update(int(number) for number in re.findall(r"^run (\d+) is ", said, re.MULTILINE))
        end = time.monotonic() + ENDED_WITHIN_S
        while (known := runs.every(self.settings)) and any(
            run.state not in (State.FINISHED, State.LOST) for run in known
        ):
            if time.monotonic() > end:
                return [f"run {run.id} is still {run.state}" for run in known if run.state is not State.FINISHED]
            time.sleep(0.1)
        self.runs_made = max((run.id for run in known), default=0)
        wrong = [f"run {number} was told and is gone" for number in self.told_runs - {run.id for run in known}]
        wrong += [f"run {run.id}: {run.folder} has no script" for run in known if not (run.folder / "run.py").is_file()]
        alive = processes_of_runs(self.environ["HOME"])
        while alive and time.monotonic() < end:
            time.sleep(0.1)
            alive = processes_of_runs(self.environ["HOME"])
        return wrong + [f"a process of no run is left: {each}" for each in alive]


def processes_of_runs(home: str) -> list[str]:
    """Processes of runs of the person with this home."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            environ = process.environ()
            if TOKEN in environ and environ.get("HOME") == home:
                found.append(" ".join(process.cmdline()))
    return found
