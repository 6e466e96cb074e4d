"""Runs that end, are lost, or take long to read: what is told of them, once, while the keys go on answering."""

from __future__ import annotations

import os
import subprocess
import threading

import pytest
from run_pilot import NOW, asked, going, held, listed, log_of, lost, made, noting, opened, over

from tui.app import TrnModelsApp
from tui.errors import TrnModelsError
from tui.rerun import news, outcome, runs
from tui.rerun import start as start_module
from tui.rerun.identity import TOKEN_VARIABLE
from tui.rerun.plan import Kind
from tui.rerun.run_log import LogReader
from tui.rerun.runs import Result
from tui.screens import rerun_work
from tui.screens.dialogs import ConfirmDialog, TextDialog
from tui.screens.run_log import RunLogScreen
from tui.screens.runs import RunsScreen
from tui.widgets import run_text
from tui.widgets.run_line import RunLine


@pytest.fixture
def looks(monkeypatch) -> list[RunLine.Looked]:
    """Every look of the line at the bottom that brought runs."""
    seen: list[RunLine.Looked] = []
    handle = RunLine.on_run_line_looked

    def noted(self, event) -> None:
        handle(self, event)
        if event.runs is not None:
            seen.append(event)

    monkeypatch.setattr(RunLine, "on_run_line_looked", noted)
    return seen


@pytest.fixture
def bells(monkeypatch) -> list[int]:
    rung: list[int] = []
    monkeypatch.setattr(TrnModelsApp, "bell", lambda _: rung.append(1))
    return rung


@pytest.mark.parametrize("bell", [True, False])
@pytest.mark.parametrize("in_its_log", [True, False])
async def test_the_end_of_a_run_is_told_once(start, settings, looks, bells, bell, in_its_log):
    run = going(made(settings))

    def telling(reader) -> list[str]:
        return [said for said in reader.said if f"Run {run.id}, {run.model_id}: failed, exit code 3" in said]

    async with start(sample=True, bell=bell) as reader:
        await reader.until(lambda: f"run {run.id}" in reader.lines[-2])
        if in_its_log:
            await opened(reader, run)
        over(run, Result.FAILED, 3, told=False)
        if not in_its_log:
            reader.browse.query_one(RunLine).look()
        await reader.until(lambda: telling(reader))
        if in_its_log:
            await reader.until(lambda: "exit code 3" in reader.text)
            await reader.press("q", "q")
        seen = len(looks)
        reader.browse.query_one(RunLine).look()
        await reader.until(lambda: len(looks) > seen)
        await reader.until(lambda: f"run {run.id}" not in reader.lines[-2])
        assert len(telling(reader)) == 1
        assert len(bells) == bell
    news._told.clear()  # another process knows only what the folder says
    seen = len(looks)
    async with start(sample=True, bell=bell) as reader:
        await reader.until(lambda: len(looks) > seen)
        await opened(reader, run)
        await reader.until(lambda: "This run: failed" in reader.text)
        await reader.press("q")
        assert not telling(reader)
        assert len(bells) == bell


# A lost run


@pytest.mark.parametrize("where", ["list", "log"])
async def test_a_lost_run_can_be_stopped_which_takes_its_time(start, settings, monkeypatch, where):
    run = lost(made(settings))
    may_end = threading.Event()

    def stop(_settings, run) -> None:
        assert may_end.wait(20)
        over(run, Result.STOPPED, None)

    monkeypatch.setattr("tui.rerun.start.stop", stop)
    async with start(sample=True) as reader:
        await (listed if where == "list" else opened)(reader, run)
        await reader.press("s")
        await asked(reader, f"Stop run {run.id}?")
        words = " ".join(reader.text.replace("│", " ").split())
        assert "supervisor is gone" in words and "may still be alive" in words
        await reader.press("y")
        assert any(f"Ending what is left of run {run.id}" in said for said in reader.said)
        await reader.press("s")
        assert any("being stopped already" in said for said in reader.said)
        assert not isinstance(reader.app.screen, ConfirmDialog)
        may_end.set()
        await reader.until(lambda: any("nothing of it is left" in said for said in reader.said))
        await reader.until(lambda: "stopped" in reader.text and "lost at" not in reader.text)
        await reader.press("s")
        assert any(f"Run {run.id} is over" in said for said in reader.said)


async def test_what_is_left_of_a_lost_run_is_ended_and_then_it_can_be_deleted(start, settings):
    run = lost(made(settings))
    process = subprocess.Popen(["sleep", "60"], env={**os.environ, TOKEN_VARIABLE: run.token})
    try:
        async with start(sample=True) as reader:
            await listed(reader, run)
            await reader.press("D")
            await asked(reader, f"Delete run {run.id}?")
            await reader.press("y")
            await reader.until(lambda: any("Stop it first" in said for said in reader.said))
            await reader.press("s")
            await asked(reader, f"Stop run {run.id}?")
            await reader.press("y")
            await reader.until(lambda: process.poll() is not None)
            await reader.until(lambda: "stopped" in next(line for line in reader.lines if run.model_id in line))
            await reader.press("D")
            await asked(reader, f"Delete run {run.id}?")
            await reader.press("y")
            await reader.until(lambda: not run.folder.exists())
    finally:
        process.kill()
        process.wait()


async def test_a_person_who_left_is_told_that_a_lost_run_could_not_be_stopped(start, settings, monkeypatch):
    run = lost(made(settings))

    def stop(*_: object) -> None:
        raise TrnModelsError(f"Run {run.id} could not be stopped")

    async with start(sample=True) as reader:
        await opened(reader, run)
        monkeypatch.setattr("tui.rerun.start.stop", stop)
        with held(monkeypatch, start_module, "stop"):
            await reader.press("s")
            await asked(reader, f"Stop run {run.id}?")
            await reader.press("y", "R")
            await reader.until(lambda: isinstance(reader.app.screen, RunsScreen))
            await reader.press("s")
            assert any("being stopped already" in said for said in reader.said)
            await reader.press("q")
        await reader.until(lambda: any(f"Run {run.id} could not be stopped" in said for said in reader.said))
        await listed(reader, run)
        await reader.press("s")
        await asked(reader, f"Stop run {run.id}?")


# What takes long


async def test_keys_answer_while_the_list_cannot_be_read_and_never_two_reads_are_under_way(
    start, settings, monkeypatch, looks
):
    run = over(made(settings))
    monkeypatch.setattr("tui.screens.runs.LOOK_EVERY_S", 0.02)
    monkeypatch.setattr("tui.widgets.run_line.LOOK_EVERY_S", 3600.0)
    async with start(sample=True) as reader:
        await reader.until(lambda: looks)
        with held(monkeypatch, runs, "listed") as slow:
            await reader.press("R")
            await reader.until(lambda: "reading the runs" in reader.text)
            await reader.press("s")
            assert any("Still reading" in said for said in reader.said)
            await reader.press("question_mark")
            assert "Runs: keys" in reader.text
            await reader.press("escape")
            await reader.pause(0.1)
            assert (slow.calls, slow.most_at_once) == (1, 1)
        await reader.until(lambda: run.model_id in reader.text)
        await reader.until(lambda: slow.calls > 2)
        assert slow.most_at_once == 1


@pytest.mark.parametrize(("place", "name"), [(LogReader, "read"), (runs, "read")])
async def test_keys_answer_while_a_log_cannot_be_read(start, settings, monkeypatch, place, name):
    run = going(made(settings))
    log_of(run, "something\n")
    async with start(sample=True) as reader:
        await listed(reader, run)
        with held(monkeypatch, place, name) as slow:
            await reader.press("enter", "question_mark")
            assert "A run: keys" in reader.text
            await reader.press("escape")
            await reader.until(lambda: slow.calls)
            assert slow.most_at_once == 1
        await reader.until(lambda: "something" in reader.text)


async def test_the_text_for_the_discussion_is_written_while_keys_answer(start, settings, monkeypatch):
    run = made(settings)
    log_of(run, "the last line\n")
    over(run, Result.FAILED, 1)
    async with start(sample=True) as reader:
        await opened(reader, run)
        await reader.until(lambda: "exit code 1" in reader.text)
        await reader.until(lambda: "This run: failed" in reader.text)
        with held(monkeypatch, outcome, "discussion_text"):
            await reader.press("d")
            assert any("Writing the text" in said for said in reader.said)
            await reader.press("d", "question_mark")
            assert "A run: keys" in reader.text
            await reader.press("escape")
        await reader.until(lambda: isinstance(reader.app.screen, TextDialog))
        assert "discussion page" in reader.text and "the last line" in reader.text
        await reader.press("escape")
        assert isinstance(reader.app.screen, RunLogScreen)


async def test_the_text_for_the_discussion_does_not_come_over_another_dialog(start, settings, monkeypatch):
    run = over(made(settings))
    async with start(sample=True) as reader:
        await opened(reader, run)
        await reader.until(lambda: "This run: done" in reader.text)
        with held(monkeypatch, outcome, "discussion_text"):
            await reader.press("d", "question_mark")
        await reader.until(lambda: not reader.app.screen_stack[-2]._writing)
        assert "A run: keys" in reader.text
        await reader.press("escape")
        assert isinstance(reader.app.screen, RunLogScreen)


# What cannot be read


def _cannot(*_: object) -> None:
    raise TrnModelsError("The folder cannot be read")


async def test_runs_that_cannot_be_read_at_the_moment_stay_as_they_were(start, settings, monkeypatch, looks):
    run = going(made(settings, "acme/Quartz-8B"))
    monkeypatch.setattr("tui.screens.runs.LOOK_EVERY_S", 0.02)
    failed: list[object] = []
    monkeypatch.setattr(RunLine, "on_run_line_not_looked", noting(RunLine.on_run_line_not_looked, failed))
    async with start(sample=True) as reader:
        await reader.until(lambda: f"run {run.id} · Quartz-8B" in reader.lines[-2])
        await listed(reader, run)
        with monkeypatch.context() as broken:
            broken.setattr(runs, "listed", _cannot)
            reader.browse.query_one(RunLine).look()
            await reader.until(lambda: "cannot be read" in reader.text)
            assert "acme/Quartz-8B" in reader.text
            await reader.until(lambda: failed)
            await reader.press("q")
            assert f"run {run.id} · Quartz-8B" in reader.lines[-2]
        await reader.press("R")
        await reader.until(lambda: "1 going on" in reader.text)
        await reader.press("q")
        over(run)
        reader.browse.query_one(RunLine).look()
        await reader.until(lambda: f"run {run.id}" not in reader.lines[-2])


def test_live_runs_of_a_model_that_cannot_be_read_are_not_told_to_have_ended(settings, monkeypatch):
    monkeypatch.setattr(rerun_work, "live_runs", _cannot)
    posted = []
    come = threading.Event()

    class Target:
        def post_message(self, message) -> None:
            posted.append(message)
            come.set()

    rerun_work.bring_live(Target(), settings, None)
    assert come.wait(10)
    assert not any(isinstance(message, rerun_work.LiveSeen) for message in posted)


async def test_a_log_whose_run_cannot_be_read_is_looked_at_again(start, settings, monkeypatch):
    run = going(made(settings))
    async with start(sample=True) as reader:
        await opened(reader, run)
        with monkeypatch.context() as broken:
            broken.setattr(runs, "read", _cannot)
            await reader.until(lambda: any("cannot be read" in said for said in reader.said))
        over(run)
        await reader.until(lambda: "This run: done" in reader.text)


# From the log to the list and back


async def test_the_list_below_a_log_is_the_one_that_comes_back(start, settings):
    first = over(made(settings, "acme/First-1B"))
    second = over(made(settings, "acme/Second-2B"))
    async with start(sample=True) as reader:
        await listed(reader, first)
        depth = len(reader.app.screen_stack)
        for _ in range(3):
            await reader.press("G", "enter")
            await reader.until(lambda: isinstance(reader.app.screen, RunLogScreen))
            await reader.press("R")
            await reader.until(lambda: isinstance(reader.app.screen, RunsScreen))
        assert len(reader.app.screen_stack) == depth
        assert reader.app.screen.chosen_run().id == first.id != second.id
        await reader.press("q")
        assert reader.app.screen is reader.browse


@pytest.mark.parametrize(("run_as", "words"), [(going, "nothing printed yet"), (over, "nothing was printed")])
async def test_a_log_that_is_empty_says_so(start, settings, run_as, words):
    run = run_as(made(settings))
    async with start(sample=True) as reader:
        await opened(reader, run)
        await reader.until(lambda: words in reader.text)
        if run.live:
            log_of(run, "begin\n")
            await reader.until(lambda: "begin" in reader.text and words not in reader.text)


def test_a_line_of_the_list_names_the_step_as_it_is_called(settings):
    names = [run_text.cells(made(settings, kind=kind), NOW)[3] for kind in Kind]
    assert names == ["run", "weights", "graphs", "install"]
