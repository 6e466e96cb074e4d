"""The folders and the environment of a person with a dataset of so many records, fetched once from a loopback Hub."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import datasets

ROOT = Path(__file__).parents[2]
HUB_BY_HAND = ROOT / "tests" / "tools" / "loopback_hub.py"
SEARCHES = ("1", "17", "173")
"""What is typed into the search, digit by digit; every view has ids with it."""

_FETCH_RANKINGS = """
import sys
from tui.catalog import rankings
from tui.catalog.views import View
from tui.settings import load
import os
settings = load({}, os.environ)
for view in (View.TRENDING, View.DOWNLOADS):
    ranking = rankings.fetch(settings, view, "text-generation", rows=2_500)
    while ranking.next_cursor is not None:
        ranking = rankings.more(settings, ranking)
"""


@dataclass(frozen=True)
class Surroundings:
    """Where everything of one dataset is."""

    rows: int
    folder: Path
    port: int
    counts: dict[str, dict[str, int]]
    """As `datasets.expected_counts` gives them."""

    @property
    def hub_folder(self) -> Path:
        """What the loopback Hub serves."""
        return self.folder / "hub"

    @property
    def data(self) -> Path:
        """The parquet files, for --data."""
        return self.hub_folder / "datasets" / datasets.DATASET

    @property
    def environ(self) -> dict[str, str]:
        """What the programs are started with: own folders, no colours beyond 256, no network but this Hub."""
        return environ(self.folder / "home", f"http://127.0.0.1:{self.port}")


def environ(home: Path, endpoint: str = "http://127.0.0.1:9") -> dict[str, str]:
    """An environment with folders of its own below `home`."""
    home.mkdir(parents=True, exist_ok=True)
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "HF_HOME": str(home / "huggingface"),
        "HF_ENDPOINT": endpoint,
        "TRN_MODELS_PYTHON": sys.executable,
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }


def app(*words: str) -> list[str]:
    """The command line of the app."""
    return [sys.executable, "-m", "tui", *words]


def prepare(keep: Path, rows: int) -> Surroundings:
    """Write the dataset unless it is there, and bring records and rankings of the Hub into the app's cache."""
    folder = keep / f"rows-{rows}"
    made = folder / "made.json"
    if not made.exists():
        _tell(f"writing {rows:,} records")
        datasets.write(folder / "hub", rows)
        counts = datasets.expected_counts(rows, list(SEARCHES))
        made.write_text(json.dumps({"port": _free_port(), "counts": counts}))
    values = json.loads(made.read_text())
    result = Surroundings(rows, folder, values["port"], values["counts"])
    with hub_process(result):
        _tell(f"fetching {rows:,} records")
        _run(app("refresh"), result)
        _run([sys.executable, "-c", _FETCH_RANKINGS], result)
    _tell(f"reading {rows:,} records of the folder")
    _run(app("list", "--data", str(result.data), "--limit", "1"), result)
    return result


@contextlib.contextmanager
def hub_process(given: Surroundings) -> Iterator[None]:
    """The Hub in a process of its own, so that this one stays small and quick to fork."""
    command = [sys.executable, str(HUB_BY_HAND), "--port", str(given.port), str(given.hub_folder)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            if not process.stdout.readline().startswith("export"):
                raise SystemExit(f"port {given.port} is taken: delete {given.folder}/made.json and begin again")
            yield
        finally:
            process.terminate()


def _run(command: list[str], given: Surroundings) -> None:
    done = subprocess.run(
        command, env=given.environ, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _tell(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)
