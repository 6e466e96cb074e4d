"""The end of a run is told once."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from tui.rerun.news import first_to_tell
from tui.rerun.plan import Kind
from tui.rerun.runs import Run, State


def run_in(folder: Path, state: State) -> Run:
    return Run(id=3, folder=folder, kind=Kind.RUN, model_id="acme/M", state=state, created_at=datetime.now(UTC))


def test_the_first_to_ask_tells_and_no_other(tmp_path: Path) -> None:
    run = run_in(tmp_path, State.FINISHED)
    assert first_to_tell(run)
    assert not first_to_tell(run)
    ask = "import sys; from pathlib import Path; from test_news import run_in, State, first_to_tell;"
    ask += "print(first_to_tell(run_in(Path(sys.argv[1]), State.FINISHED)))"
    other = subprocess.run(
        [sys.executable, "-c", ask, str(tmp_path)], capture_output=True, text=True, cwd=Path(__file__).parent
    )
    assert other.stdout.strip() == "False", other.stderr


def test_a_run_that_goes_on_is_no_news_yet(tmp_path: Path) -> None:
    assert not first_to_tell(run_in(tmp_path, State.RUNNING))
    assert first_to_tell(run_in(tmp_path, State.LOST))


def test_a_folder_that_is_gone_is_told_once_in_this_process(tmp_path: Path) -> None:
    run = run_in(tmp_path / "gone", State.FINISHED)
    assert first_to_tell(run)
    assert not first_to_tell(run)
