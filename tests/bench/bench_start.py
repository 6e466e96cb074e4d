"""How long the app takes to show rows, and a search key to show its hits, as a ratio to a bare Textual app.

    python tests/bench/bench_start.py [--rows 2000] [--repeat 5]

Both run in a pseudo-terminal of 120x40. The floor is a Textual app with an empty DataTable: most of its time is
Textual's own import.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import pexpect

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

FLOOR = """
from textual.app import App
from textual.widgets import DataTable
class Floor(App):
    def compose(self):
        yield DataTable()
    def on_mount(self):
        self.query_one(DataTable).add_column("floor")
Floor().run()
"""


def write_records(folder: Path, rows: int) -> None:
    """A dataset of made-up models in one file."""
    from parquet_builder import parquet

    (folder / "records.parquet").write_bytes(parquet(*({"model_id": f"acme/model-{n:07}-8B"} for n in range(rows))))


def time_to(arguments: list[str], environ: dict[str, str], words: str, keys: str = "", after: str = "") -> list[float]:
    """Seconds until `words` are drawn, then, after `keys`, until `after` is."""
    began = time.perf_counter()
    child = pexpect.spawn(sys.executable, arguments, env=environ, dimensions=(40, 120), encoding="utf-8", timeout=120)
    child.expect_exact(words)
    taken = [time.perf_counter() - began]
    if keys:
        time.sleep(2)
        child.send("/")
        time.sleep(0.5)
        began = time.perf_counter()
        child.send(keys)
        child.expect_exact(after)
        taken.append(time.perf_counter() - began)
    child.close(force=True)
    return taken


def main() -> None:
    """Print medians and ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        records = home / "records"
        records.mkdir()
        write_records(records, options.rows)
        environ = {
            "PATH": os.environ["PATH"], "HOME": temporary, "TERM": "xterm-256color", "LANG": "C.UTF-8",
            "HF_ENDPOINT": "http://127.0.0.1:9",
        }  # fmt: skip
        app = ["-m", "tui", "--data", str(records)]
        last = f"{options.rows - 1}"
        floor, frame, rows, key = [], [], [], []
        for _ in range(options.repeat + 1):
            floor += time_to(["-c", FLOOR], environ, "floor")
            frame += time_to(app, environ, "\x1b[?1049h")
            first, searched = time_to(app, environ, "acme/model-0000000", last, f" of {options.rows:,}")
            rows.append(first)
            key.append(searched / len(last))
        base = statistics.median(floor[1:])
        print(f"{options.rows:,} rows; floor {base:.3f} s")
        for name, times in (("first bytes", frame), ("rows", rows), ("search key", key)):
            middle = statistics.median(times[1:])
            print(f"{name:<12} {middle:.3f} s  {middle / base:.2f} x floor")


if __name__ == "__main__":
    main()
