"""Run folders for tests, without a process that runs anything."""

from __future__ import annotations

import hashlib
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tui.rerun import identity, runs
from tui.rerun.plan import Kind, Plan
from tui.rerun.runs import Outcome, Result, Run

ENDED = datetime(2026, 11, 30, 15, 4, 5, tzinfo=UTC)
GONE = {"pid": 2**22 + 1, "started": 1, "boot_id": ""}
"""In state.json, a supervisor that is not alive: Linux gives no such pid."""


def plan(**values: Any) -> Plan:
    """A plan to run a small script, with these values instead of the usual ones."""
    script = values.get("script", "print(1)\n")
    digest = hashlib.sha256(script.encode("utf-8", "surrogatepass")).hexdigest() if script else ""
    given = {"kind": Kind.RUN, "model_id": "acme/small", "argv": ("python", "run.py"), "script": script}
    return Plan(**given | {"sha256": digest, "recorded_sha256": digest} | values)


def supervised(folder: Path, **fields: Any) -> None:
    """This process stands for the supervisor."""
    own = identity.of(os.getpid())
    assert own is not None
    runs.update_state(folder, **{"state": "running", "supervisor": own.values()} | fields)


def end(run: Run, **values: Any) -> None:
    """Write an outcome, DONE unless these values say something else."""
    runs.write_outcome(run.folder, Outcome(**{"result": Result.DONE, "ended_at": ENDED, "exit_code": 0} | values))


def stored(run: Run, name: str) -> Any:
    """What stands in a JSON file of a run."""
    return json.loads((run.folder / name).read_text())


def change(run: Run, name: str, **values: Any) -> None:
    """Change values in a JSON file of a run."""
    (run.folder / name).write_text(json.dumps(stored(run, name) | values))
