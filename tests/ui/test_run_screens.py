"""The list of runs and the log of one: what they show, and what their keys do."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta

import pytest

from tui.rerun import identity, runs
from tui.rerun.news import first_to_tell
from tui.rerun.plan import Kind, Plan
from tui.rerun.runs import Outcome, Result, Run
from tui.screens.run_log import RunLogScreen
from tui.screens.runs import RunsScreen
from tui.settings import Settings
from tui.widgets.log_view import LogView
from tui.widgets.run_line import RunLine

NOW = datetime.now(UTC)


def made(settings: Settings, model_id: str = "acme/Model-8B", kind: Kind = Kind.RUN, **more: object) -> Run:
    """A run folder as `start` makes it, with nothing started."""
    plan = Plan(
        kind=kind, model_id=model_id, argv=("python3", "run.py"), script="print(1)\n", cores=4,
        about={"record": {"result": "PASS", "wall_s": 372, "tp": 4}}, **more,
    )  # fmt: skip
    return runs.create(settings, plan)


def going(run: Run, **fields: object) -> Run:
    """As if its supervisor, this process, were at work."""
    me = identity.of(os.getpid())
    assert me is not None
    supervisor = {"pid": me.pid, "started": me.started, "boot_id": me.boot_id}
    began = (NOW - timedelta(seconds=65)).isoformat()
    runs.update_state(
        run.folder,
        **{"state": "running", "started_at": began, "heartbeat_at": NOW.isoformat(), "supervisor": supervisor}
        | {"cores": [0, 1, 2, 3], "devices": [0], "processes": 5, "ranks": 4, **fields},
    )
    return runs.read(run.folder)


def over(
    run: Run, result: Result = Result.DONE, exit_code: int | None = 0, *, told: bool = True, **more: object
) -> Run:
    """As if it had ended a moment ago, and somebody was `told`."""
    runs.update_state(run.folder, state="finished", started_at=(NOW - timedelta(seconds=65)).isoformat())
    runs.write_outcome(run.folder, Outcome(result=result, ended_at=NOW, exit_code=exit_code, wall_s=65.0, **more))
    ended = runs.read(run.folder)
    if told:
        first_to_tell(ended)
    return ended


def log_of(run: Run, text: str | bytes) -> None:
    data = text if isinstance(text, bytes) else text.encode()
    with (run.folder / "log").open("ab") as log:
        log.write(data)


async def test_without_runs_the_list_says_how_to_make_one(start):
    async with start(sample=True) as reader:
        await reader.press("R")
        assert "Nothing was run yet" in reader.text


async def test_the_list_has_every_run_newest_first_with_its_state(start, settings):
    over(made(settings, "acme/First-1B"))
    over(made(settings, "acme/Second-2B"), Result.FAILED, 3)
    going(made(settings, "acme/Third-3B"), compilers=2)
    async with start(sample=True) as reader:
        await reader.press("R")
        await reader.until(lambda: "Third-3B" in reader.text)
        rows = [line for line in reader.lines if "acme/" in line]
        assert [row.split("acme/")[1].split()[0] for row in rows] == ["Third-3B", "Second-2B", "First-1B"]
        assert "compiling" in rows[0] and "0-3" in rows[0]
        assert "exit code 3" in rows[1]
        assert "done" in rows[2] and "1m05s" in rows[2]
        assert "3 runs, 1 going on or waiting" in reader.text


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_a_long_id_never_breaks_the_columns(start, settings, size):
    over(made(settings, "acme/" + "Very-Long-Name-" * 9 + "8B-Instruct"))
    going(made(settings, "acme/Short-1B"))
    async with start(*size, sample=True) as reader:
        await reader.press("R")
        await reader.until(lambda: "Short-1B" in reader.text)
        rows = [line for line in reader.lines if "8B-Instruct" in line or "Short-1B" in line]
        assert len(rows) == 2
        assert all(len(row) <= size[0] for row in rows)


async def test_a_lost_run_is_shown_as_lost_and_never_as_running(start, settings):
    run = going(made(settings))
    runs.update_state(run.folder, supervisor={"pid": os.getpid(), "started": 1, "boot_id": "another"})
    async with start(sample=True) as reader:
        await reader.press("R", "enter")
        await reader.until(lambda: "lost at" in reader.text)
        assert "running" not in reader.text


async def test_the_log_follows_the_end_until_a_person_scrolls_up(start, settings):
    run = going(made(settings))
    log_of(run, "".join(f"line {number}\n" for number in range(200)))
    async with start(80, 24, sample=True) as reader:
        await reader.press("R", "enter")
        await reader.until(lambda: "line 199" in reader.text)
        await reader.press("g")
        await reader.until(lambda: "paused" in reader.text)
        assert "line 0" in reader.text
        log_of(run, "the newest\n")
        await reader.until(lambda: "201 lines" in reader.text)
        assert "the newest" not in reader.text
        await reader.press("G")
        await reader.until(lambda: "the newest" in reader.text)
        log_of(run, "newer still\n")
        await reader.until(lambda: "newer still" in reader.text)


async def test_facts_stand_above_the_log(start, settings):
    run = going(made(settings), compilers=2, new_neffs=14, host_memory_bytes=1_200_000_000)
    log_of(run, "begin\n")
    async with start(sample=True) as reader:
        await reader.press("R", "enter")
        await reader.until(lambda: "begin" in reader.text)
        for words in ("2 compilers", "14 new .neff files", "4 ranks alive", "1.2 GB", "6 min 12 s", "cache state"):
            assert words in reader.text, words
        assert "%" not in reader.text.splitlines()[1]


async def test_a_burst_of_lines_leaves_the_keys_alive(start, settings):
    run = going(made(settings))
    log_of(run, "".join(f"{number:05} {'x' * 90}\n" for number in range(50_000)) + "the end\n")
    async with start(80, 24, sample=True) as reader:
        await reader.press("R", "enter")
        await reader.press("g")
        await reader.until(lambda: "paused" in reader.text)
        await reader.until(lambda: "50,001 lines" in reader.text)
        await reader.press("G")
        await reader.until(lambda: "the end" in reader.text)


async def test_escapes_of_a_log_never_reach_the_screen(start, settings):
    run = going(made(settings))
    log_of(run, b"\x1b]52;c;aGVsbG8=\x07before\x1b[31mred\x1b[0m \x1b[2Jafter\xff\n[/] [red]\n")
    async with start(sample=True) as reader:
        await reader.press("R", "enter")
        await reader.until(lambda: "[/] [red]" in reader.text)
        assert "beforered after" in reader.text
        assert "52;c" not in reader.text and "\x1b" not in reader.text


async def test_search_finds_a_line_and_says_when_there_is_none(start, settings):
    run = going(made(settings))
    log_of(run, "".join(f"line {number}\n" for number in range(300)) + "needle 1\n" + "x\n" * 300)
    async with start(80, 24, sample=True) as reader:
        await reader.press("R", "enter")
        await reader.until(lambda: "lines" in reader.text)
        await reader.press("slash")
        await reader.type("needle")
        await reader.press("enter")
        await reader.until(lambda: "needle 1" in reader.text)
        await reader.press("slash")
        for _ in range(10):
            await reader.press("backspace")
        await reader.type("nowhere")
        await reader.press("enter")
        await reader.until(lambda: any("does not have «nowhere»" in said for said in reader.said))


async def test_leaving_a_log_says_that_the_run_goes_on(start, settings):
    run = going(made(settings))
    async with start(sample=True) as reader:
        await reader.press("R", "enter")
        await reader.until(lambda: isinstance(reader.app.screen, RunLogScreen))
        await reader.press("q")
        assert any(f"Run {run.id} goes on" in said for said in reader.said)
        assert isinstance(reader.app.screen, RunsScreen)
        await reader.press("q")
        assert reader.app.screen is reader.browse


async def test_a_failed_run_tells_its_cause_beside_the_record(start, settings):
    run = made(settings)
    log_of(
        run,
        "rank 3: connection closed\n"
        "ERROR NRT:nrt_allocate_neuron_cores  Logical Neuron Core(s) not available - Requested:lnc1-lnc1 Available:0 "
        "Logical Core size:2 (cores busy, ret=-16)\nRuntimeError: Failed to initialize Neuron Runtime: status code 1\n",
    )
    over(run, Result.FAILED, 1)
    async with start(sample=True) as reader:
        await reader.press("R", "enter")
        await reader.until(lambda: "What to do" in reader.text)
        assert "exit code 1" in reader.text
        assert "PASS" in reader.text and "6 min 12 s" in reader.text


async def test_stop_asks_first_and_no_is_the_default(start, settings, monkeypatch):
    stopped = []
    monkeypatch.setattr("tui.rerun.start.stop", lambda _settings, run: stopped.append(run.id))
    run = going(made(settings))
    async with start(sample=True) as reader:
        await reader.press("R", "s")
        assert f"Stop run {run.id}?" in reader.text
        await reader.press("enter")
        assert stopped == []
        await reader.press("s", "y")
        await reader.until(lambda: stopped == [run.id])


async def test_delete_removes_the_folder_after_a_yes(start, settings):
    run = over(made(settings))
    async with start(sample=True) as reader:
        await reader.press("R", "D", "enter")
        assert run.folder.is_dir()
        await reader.press("D", "y")
        await reader.until(lambda: not run.folder.exists())
        await reader.until(lambda: "Nothing was run yet" in reader.text)


async def test_a_live_run_is_neither_deleted_nor_run_again(start, settings):
    run = going(made(settings))
    async with start(sample=True) as reader:
        await reader.press("R", "D")
        assert any("still going on" in said for said in reader.said)
        await reader.press("r")
        assert run.folder.is_dir()
        assert isinstance(reader.app.screen, RunsScreen)


async def test_a_run_that_goes_on_has_a_line_at_the_bottom_of_the_main_screen(start, settings):
    run = going(made(settings, "acme/Quartz-8B"), compilers=1)
    async with start(sample=True) as reader:
        await reader.until(lambda: f"run {run.id} · Quartz-8B · compiling" in reader.lines[-2])


async def test_the_end_of_a_run_is_told_once(start, settings):
    run = going(made(settings))
    async with start(sample=True) as reader:
        await reader.until(lambda: f"run {run.id}" in reader.lines[-2])
        over(run, Result.FAILED, 3, told=False)
        reader.browse.query_one(RunLine).look()
        await reader.until(lambda: any(f"Run {run.id}" in said and "exit code 3" in said for said in reader.said))
        await reader.until(lambda: f"run {run.id}" not in reader.lines[-2])
    async with start(sample=True) as reader:
        reader.browse.query_one(RunLine).look()
        time.sleep(0.1)
        await reader.pilot.pause(0.2)
        assert not any(f"Run {run.id}" in said for said in reader.said)


async def test_the_whole_way_from_a_record_to_a_finished_run(start, monkeypatch):
    monkeypatch.setenv("SAMPLE_SECONDS", "0.5")
    async with start(sample=True, any_host=True, search="quartz-8b-instruct") as reader:
        await reader.press("r")
        await reader.until(lambda: "SHA-256" in reader.text or "Fetch weights" in reader.text)
        await reader.press("r")
        await reader.until(lambda: "[y/N]" in reader.text or "No" in reader.text)
        await reader.press("y")
        await reader.until(lambda: isinstance(reader.app.screen, RunLogScreen), 60)
        await reader.until(lambda: "loads no model" in "".join(map(str, _log_texts(reader))), 60)
        await reader.until(lambda: "Recorded: PASS" in reader.text, 60)
        assert "This run: done, exit code 0" in reader.text


def _log_texts(reader) -> list[str]:
    view = reader.app.screen.query_one(LogView)
    return [view.lines[index].text for index in range(len(view.lines))]
