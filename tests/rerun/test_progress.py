"""Where a run is, in the words that stand above its log and in the lists."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tui import numbers
from tui.rerun.plan import Kind
from tui.rerun.progress import elapsed_s, headline, one_line, phase
from tui.rerun.run import Outcome, Result, Run, State

STARTED = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
NOW = STARTED + timedelta(minutes=2, seconds=5)


def run(state: State = State.RUNNING, kind: Kind = Kind.RUN, **fields: Any) -> Run:
    values: dict[str, Any] = {"created_at": STARTED, "started_at": STARTED, "recipe": {"record": {"wall_s": 372}}}
    return Run(id=3, folder=Path("3"), kind=kind, model_id="acme/Quartz-8B", state=state, **(values | fields))


def over(result: Result, **outcome: Any) -> Run:
    ended = Outcome(result=result, ended_at=NOW, **({"wall_s": 65.0} | outcome))
    return run(State.FINISHED, outcome=ended)


@pytest.mark.parametrize(
    ("which", "words"),
    [
        (run(State.WAITING, started_at=None), "waiting"),
        (run(State.WAITING, waiting_for="8 cores needed, 4 not in use"), "waiting: 8 cores needed, 4 not in use"),
        (run(started_at=None), "starting"),
        (run(), "running"),
        (run(new_neffs=0), "running"),
        (run(new_neffs=1), "running: 1 new .neff file"),
        (run(compilers=1), "compiling: 1 compiler"),
        (run(compilers=3, new_neffs=14), "compiling: 3 compilers, 14 new .neff files"),
        (run(kind=Kind.WEIGHTS), "fetching"),
        (run(kind=Kind.GRAPHS, new_neffs=40), "fetching: 40 new .neff files"),
        (run(kind=Kind.INSTALL), "installing"),
        (run(State.STOPPING), "stopping"),
        (over(Result.DONE, exit_code=0), "done"),
        (over(Result.FAILED, exit_code=3), "failed, exit code 3"),
        (over(Result.FAILED, signal=9), "failed, ended by SIGKILL"),
        (over(Result.FAILED, signal=99), "failed, ended by signal 99"),
        (over(Result.STOPPED, signal=2), "stopped"),
        (over(Result.NOT_STARTED), "not started"),
        (run(State.LOST, heartbeat_at=NOW), f"lost at {numbers.when(NOW)}"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_phase_has_its_words(which: Run, words: str) -> None:
    assert phase(which) == words


def test_the_parts_above_the_log_of_a_run_that_compiles() -> None:
    going = run(
        compilers=3, new_neffs=14, ranks=4, processes=9, host_memory_bytes=1_200_000_000,
        peak_host_memory_bytes=1_400_000_000, cores=tuple(range(8)), devices=(0, 1), log_bytes=4_100,
    )  # fmt: skip
    assert headline(going, NOW) == (
        "running",
        "2 min 5 s",
        "recorded 6 min 12 s, cache state then unknown",
        "compiling: 3 compilers, 14 new .neff files",
        "4 ranks alive",
        "host memory 1.2 GB (peak 1.4 GB, PSS)",
        "cores 0-7 on devices 0-1",
        "log 4.1 KB",
    )


def test_a_part_that_says_the_same_is_left_out() -> None:
    assert headline(run(recipe={}), NOW) == ("running", "2 min 5 s")
    assert headline(run(recipe={}, new_neffs=2), NOW) == ("running", "2 min 5 s", "2 new .neff files")
    waiting = run(State.WAITING, started_at=None, recipe={}, waiting_for="run 2 came first")
    assert headline(waiting, NOW) == ("waiting: run 2 came first",)


def test_processes_are_counted_where_no_rank_is_known() -> None:
    assert "6 processes alive" in headline(run(processes=6), NOW)
    assert "1 process alive" in headline(run(processes=1), NOW)
    assert "0 ranks alive" in headline(run(processes=1, ranks=0), NOW)
    assert not any("alive" in part for part in headline(over(Result.DONE, exit_code=0), NOW))


def test_the_recorded_time_belongs_to_the_same_run_only() -> None:
    recorded = "recorded 6 min 12 s, cache state then unknown"
    assert recorded in headline(run(), NOW)
    for other in (
        run(kind=Kind.WEIGHTS),
        run(recipe={"record": {"wall_s": 372}, "edited": True}),
        run(recipe={"record": {"wall_s": "soon"}}),
        run(recipe={"record": {"wall_s": None}}),
        run(recipe={"record": [1]}),
        run(recipe={}),
    ):
        assert not any("recorded" in part for part in headline(other, NOW))


def test_a_run_that_is_over_tells_its_peak_what_was_ended_and_what_is_unusual() -> None:
    ended = over(
        Result.STOPPED, peak_host_memory_bytes=2_000_000_000, killed=("pid 1 a (SIGKILL)", "pid 2 b (SIGKILL)"),
        note="the cores are not in use any more",
    )  # fmt: skip
    shown = headline(replace(ended, log_bytes=10**9, log_dropped_bytes=3 * 10**8, note="the disk was full"), NOW)
    assert shown[0] == "stopped"
    assert shown[1] == "1 min 5 s"
    assert "host memory at its peak 2 GB (PSS)" in shown
    assert "log 1 GB, 300 MB left out in the middle" in shown
    assert shown[-3:] == ("the disk was full", "2 processes had to be ended", "the cores are not in use any more")


@pytest.mark.parametrize(
    ("cores", "devices", "words"),
    [
        ((4,), (1,), "core 4 on device 1"),
        ((0, 1, 2, 3), (), "cores 0-3"),
        ((0, 1, 8, 9), (0, 2), "cores 0-1, 8-9 on devices 0, 2"),
    ],
)
def test_cores_and_devices(cores: tuple[int, ...], devices: tuple[int, ...], words: str) -> None:
    assert words in headline(run(cores=cores, devices=devices), NOW)


def test_nothing_is_a_percentage() -> None:
    assert "%" not in " ".join(headline(run(compilers=2, new_neffs=3), NOW))


def test_elapsed_time_ends_with_the_run() -> None:
    assert elapsed_s(run(), NOW) == 125
    assert elapsed_s(run(State.WAITING, started_at=None), NOW) is None
    assert elapsed_s(over(Result.DONE, exit_code=0), NOW + timedelta(days=3)) == 65
    assert elapsed_s(run(State.LOST, heartbeat_at=STARTED + timedelta(seconds=40)), NOW) == 40
    assert elapsed_s(run(State.LOST), NOW) is None
    assert elapsed_s(run(), STARTED - timedelta(seconds=9)) == 0


def test_one_line_for_little_room() -> None:
    assert one_line(run(compilers=3, new_neffs=1)) == "run 3 · Quartz-8B · compiling"
    assert one_line(run(State.WAITING, waiting_for="8 cores needed")) == "run 3 · Quartz-8B · waiting"
