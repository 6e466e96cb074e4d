"""Fetching the dataset's files in a child process, which can be left at any moment.

huggingface_hub fetches files in threads that the interpreter waits for at its end, and repeats what fails for
minutes. The child, `main`, writes one JSON object a line: `{"files": done, "of": all, "bytes": received}` when
something arrived, at last `{"paths": [[name, path], ...]}` or `{"error": {...}}`.
"""

from __future__ import annotations

import glob
import json
import logging
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tui import numbers, process
from tui.catalog import hub_errors, hub_session
from tui.catalog.hub_address import endpoint
from tui.catalog.json_files import sha256_of
from tui.errors import HubError, TrnModelsError

logger = logging.getLogger(__name__)

STALLED_S = 30.0
"""A download is ended when nothing arrived for so long."""
LONGEST_S = 3600.0
"""A download is ended after so long, whatever arrives: the dataset is some megabytes."""

_SHA256 = re.compile("[0-9a-f]{64}")
_TOLD_EVERY_S = 0.2


def run(
    dataset: str, commit: str, progress: Callable[[str], None], abandoned: threading.Event | None
) -> list[tuple[str, Path]]:
    """The parquet files of `dataset` at `commit` as (name, path in the cache). See `hub.fetch_dataset`."""
    what = f"dataset {dataset}"
    hub_session.refuse_while_asked_to_wait(endpoint())
    last: dict[str, Any] = {}

    def hear(line: str) -> None:
        nonlocal last
        try:
            last = json.loads(line)
        except ValueError:
            logger.debug("The download of %s said %r", what, line[:200])
            return
        if "files" in last:
            files = f"{numbers.count(last['files'])} of {numbers.counted(last['of'], 'file')}"
            progress(f"{files}, {numbers.size(last['bytes'])}" if last["bytes"] else files)

    try:
        finished = process.run_bounded(
            process.module_argv(__name__, dataset, commit, str(STALLED_S)),
            timeout_s=LONGEST_S,
            env={**hub_session.ENVIRONMENT, **os.environ},
            on_line=hear,
            abandon=abandoned,
        )
    except HubError:
        raise
    except TrnModelsError as error:
        raise hub_errors.unusable(what, endpoint(), f"{error.title}: {error.detail}") from error
    if "paths" in last:
        return [(str(name), Path(path)) for name, path in last["paths"]]
    if "error" in last:
        refusal = hub_errors.from_json(last["error"])
        hub_session.note_wait(endpoint(), refusal)
        raise refusal
    if finished.abandoned:
        raise hub_errors.given_up(what)
    if finished.timed_out:
        raise hub_errors.no_answer(what, endpoint(), LONGEST_S)
    logger.warning("The download of %s ended without a result: %s", what, finished.stderr[-2000:])
    said = finished.stderr.strip().rpartition("\n")[2]
    raise hub_errors.unusable(what, endpoint(), said or f"the download ended with {finished.returncode}")


# The child


class _Arrivals(logging.Handler):
    """What has arrived, from the library's progress bars, and the library's last complaint, from its log."""

    def __init__(self, tell: Callable[[dict[str, Any]], None]) -> None:
        super().__init__(logging.WARNING)
        self.tell = tell
        self.counting = threading.Lock()
        self.newest = self.told = time.monotonic()
        self.files = self.all_files = 0
        self.bytes_by_bar: dict[int, float] = {}
        self.complaint = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a warning, unless it tells only that another attempt follows."""
        said = record.getMessage().partition("\n")[0]
        if not said.startswith("Retrying in"):
            self.complaint = said[:300]

    def bar_class(self) -> type[Any]:
        """A progress bar for huggingface_hub that draws nothing."""
        from tqdm import tqdm  # type: ignore[import-untyped]

        arrivals = self

        class Bar(tqdm):  # type: ignore[misc]
            def __init__(self, *args: Any, **options: Any) -> None:
                super().__init__(*args, **{**options, "disable": True})
                self.unit = options.get("unit", "it")
                self.n = options.get("initial") or 0
                self.total = options.get("total")
                arrivals.see(self)

            def update(self, n: float | None = 1) -> bool | None:
                with arrivals.counting:
                    self.n += n or 0
                arrivals.see(self)
                return None

        return Bar

    def see(self, bar: Any) -> None:
        """Take over the state of one bar and tell it, bytes not more often than can be read."""
        with self.counting:
            self.newest = time.monotonic()
            if bar.unit == "B":
                self.bytes_by_bar[id(bar)] = bar.n
            else:
                self.files, self.all_files = bar.n, bar.total or 0
            if not self.all_files or (bar.unit == "B" and self.newest - self.told < _TOLD_EVERY_S):
                return
            self.told = self.newest
            received = max(self.bytes_by_bar.values(), default=0)
        self.tell({"files": self.files, "of": self.all_files, "bytes": received})

    def end_when_stalled(self, what: str, seconds: float) -> None:
        """Wait until nothing arrived for `seconds`, then tell why and end the process."""
        while (left := self.newest + seconds - time.monotonic()) > 0:
            time.sleep(left)
        arrived = f"{self.files} of {self.all_files} files" if self.all_files else "nothing"
        reason = f"{arrived} had arrived" + (f"; {self.complaint}" if self.complaint else "")
        self.tell({"error": hub_errors.to_json(hub_errors.stalled(what, endpoint(), seconds, reason))})
        os._exit(0)


def _fetch(dataset: str, commit: str, arrivals: _Arrivals) -> list[tuple[str, str]]:
    """Fetch with huggingface_hub and list what must be there. Raises `HubError`."""
    hub = hub_session.library()
    what = f"dataset {dataset}"
    hub_session.repeat_nothing(what)
    its_logger = logging.getLogger("huggingface_hub")
    its_logger.setLevel(logging.WARNING)
    its_logger.addHandler(arrivals)
    # A file is told of in pieces of this size: with the library's 10 MiB a slow line looks like a dead one.
    hub.constants.DOWNLOAD_CHUNK_SIZE = 64 * 1024
    options: dict[str, Any] = {
        "repo_type": "dataset",
        "revision": commit,
        "allow_patterns": "*.parquet",
        "tqdm_class": arrivals.bar_class(),
        "library_name": "trn-models",
    }
    try:
        try:
            folder = Path(hub.snapshot_download(dataset, **options))
        except Exception as error:
            if not hub_session.came_from_refused_token(error):
                raise
            options["token"] = False
            folder = Path(hub.snapshot_download(dataset, **options))
        # When the Hub fails in the middle, the library may answer with an incomplete folder.
        entries = hub.get_cached_repo_tree(dataset, repo_type="dataset", revision=commit)
        damaged = [entry.path for entry in entries if _is_damaged(folder / entry.path)]
        if damaged:
            options |= {"allow_patterns": [glob.escape(name) for name in damaged], "force_download": True}
            hub.snapshot_download(dataset, **options)
    except Exception as error:
        raise hub_session.explained(error, what, endpoint()) from error
    names = sorted(entry.path for entry in entries if entry.path.endswith(".parquet"))
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise hub_errors.unusable(
            what, endpoint(), f"{len(missing)} of {len(names)} files did not arrive: {missing[0]}"
        )
    damaged = [name for name in damaged if _is_damaged(folder / name)]
    if damaged:
        raise hub_errors.unusable(what, endpoint(), f"{damaged[0]} is not the file that the Hub announced")
    return [(name, str(folder / name)) for name in names]


def _is_damaged(path: Path) -> bool:
    """Whether a file has another content than its name in the Hugging Face cache, a SHA-256, says.

    The library believes what is there: a byte that turned over on the disk would stay, and be a result.
    """
    name = path.resolve().name
    if path.suffix != ".parquet" or not _SHA256.fullmatch(name) or not path.is_file():
        return False
    return sha256_of(path) != name


def main(arguments: list[str]) -> int:
    """The child process: fetch (dataset, commit, seconds without news), say what happens on stdout, end."""
    dataset, commit, stalled_s = arguments
    said, saying = sys.stdout, threading.Lock()
    # Whatever the library prints is no message.
    sys.stdout = sys.stderr

    def tell(message: dict[str, Any]) -> None:
        with saying:
            said.write(json.dumps(message) + "\n")
            said.flush()

    arrivals = _Arrivals(tell)
    watching = (f"dataset {dataset}", float(stalled_s))
    threading.Thread(target=arrivals.end_when_stalled, args=watching, daemon=True).start()
    try:
        tell({"paths": _fetch(dataset, commit, arrivals)})
    except HubError as error:
        tell({"error": hub_errors.to_json(error)})
    # Threads of the library that still wait for something do not hold up the end.
    os._exit(0)
