"""Starting a step from the rerun screen: the questions, their answers, and what cannot be started."""

from __future__ import annotations

from dataclasses import replace

import pytest
import rerun_pilot
from rerun_pilot import CORES, DISK, NO_ANSWER, opened

from tui.errors import TrnModelsError
from tui.host import interpreters
from tui.host.checklist import Level
from tui.rerun import steps
from tui.rerun.plan import Kind
from tui.rerun.steps import prepare
from tui.screens.dialogs import ConfirmDialog


async def test_a_question_is_answered_with_no_unless_a_person_says_yes(settings, wanted, machine):
    async with opened(settings, wanted) as reader:
        for answer in (("enter",), ("n",), ("escape",), ("q",), ("right", "left", "enter")):
            await reader.press("r")
            assert isinstance(reader.app.screen, ConfirmDialog)
            assert "do-it --run run.py" in reader.text
            assert "4 NeuronCores" in reader.text
            await reader.press(*answer)
            assert reader.app.screen is reader.screen
        await reader.pause(0.05)
        assert machine.started == []
        assert reader.app.answer == NO_ANSWER


@pytest.mark.parametrize(
    ("keys", "kind"),
    [("ry", Kind.RUN), ("4y", Kind.RUN), ("1y", Kind.WEIGHTS), ("2y", Kind.GRAPHS), ("3y", Kind.INSTALL)],
)
async def test_yes_starts_the_step_and_answers_with_its_run(settings, wanted, machine, keys, kind):
    async with opened(settings, wanted) as reader:
        await reader.press(*keys)
        await reader.until(lambda: reader.app.answer == 7)
        assert [plan.kind for plan in machine.started] == [kind]


async def test_the_other_answer_is_reached_with_an_arrow_and_taken_with_enter(settings, wanted, machine):
    async with opened(settings, wanted) as reader:
        await reader.press("r")
        assert any(line.split() == ["│", "▌", "No", "Yes,", "run", "it", "│"] for line in reader.lines)
        await reader.press("right")
        assert any(line.split() == ["│", "No", "▌", "Yes,", "run", "it", "│"] for line in reader.lines)
        await reader.press("enter")
        await reader.until(lambda: reader.app.answer == 7)


async def test_what_is_in_the_way_needs_run_anyway(settings, wanted, machine):
    machine.items = (CORES, DISK)
    async with opened(settings, wanted) as reader:
        await reader.press("r")
        assert "although this is in the way" in reader.text
        assert "16.1 GB to download, 9.8 GB free" in reader.words
        await reader.press("y")
        assert isinstance(reader.app.screen, ConfirmDialog)
        assert machine.started == []
        await reader.press("a")
        await reader.until(lambda: reader.app.answer == 7)
        assert [plan.kind for plan in machine.started] == [Kind.RUN]


IN_USE = replace(CORES, level=Level.BLOCKING, text="0 of 8 not in use")


@pytest.mark.parametrize("keys", [("r",), ("Q", "r")])
async def test_for_cores_in_use_a_run_can_only_wait_in_the_queue(settings, wanted, machine, keys):
    machine.items = (IN_USE,)
    async with opened(settings, wanted) as reader:
        await reader.press(*keys)
        assert "although this is in the way" not in reader.text
        assert "wait until devices are free?" in reader.words
        assert "0 of 8 not in use" in reader.text
        assert "Yes, wait in the queue" in reader.text
        assert "run anyway" not in reader.text
        await reader.press("y")
        await reader.until(lambda: reader.app.answer == 7)
        assert [plan.queue for plan in machine.started] == [True]


async def test_what_else_is_in_the_way_needs_its_own_yes_before_it_waits(settings, wanted, machine):
    machine.items = (IN_USE, DISK)
    async with opened(settings, wanted) as reader:
        await reader.press("r")
        assert "although this is in the way" in reader.text
        assert "Yes, wait in the queue anyway" in reader.text
        assert "waits in the queue" in reader.words
        await reader.press("a")
        await reader.until(lambda: reader.app.answer == 7)
        assert [plan.queue for plan in machine.started] == [True]


async def test_weights_can_be_fetched_whatever_is_in_the_way_of_the_run(settings, wanted, machine):
    machine.items = (DISK,)
    async with opened(settings, wanted) as reader:
        await reader.press("1")
        assert "in the way" not in "".join(reader.lines[10:30])
        await reader.press("y")
        await reader.until(lambda: reader.app.answer == 7)


async def test_off_a_trn2_host_run_answers_with_the_reason(settings, wanted, machine):
    machine.refusals[Kind.RUN] = "This is no trn2 host; --any-host tries it all the same."
    async with opened(settings, wanted) as reader:
        await reader.press("r")
        assert reader.app.screen is reader.screen
        assert reader.said == ["This is no trn2 host; --any-host tries it all the same."]


async def test_a_step_that_cannot_be_started_is_told_and_the_screen_stays(settings, wanted, machine):
    machine.start_error = TrnModelsError("No supervisor", "disk full", "Free some.")
    async with opened(settings, wanted) as reader:
        await reader.press("r", "y")
        await reader.until(lambda: "No supervisor. disk full Free some." in reader.static("#rerun-trouble"))
        assert reader.said == ["No supervisor. disk full Free some."]
        assert reader.app.answer == NO_ANSWER
        machine.start_error = None
        await reader.press("r", "y")
        await reader.until(lambda: reader.app.answer == 7)


async def test_a_long_question_keeps_its_answers_on_screen(settings, wanted, machine):
    machine.items = tuple(replace(DISK, name=f"disk{number}") for number in range(24))
    async with opened(settings, wanted, (80, 24)) as reader:
        await reader.press("r")
        assert "No" in reader.words
        assert "Yes, run anyway" in reader.text
        assert "disk23" not in reader.text
        await reader.press("G")
        assert "It goes on when you leave" in reader.text


async def test_escape_leaves_without_an_answer(settings, wanted, machine):
    async with opened(settings, wanted) as reader:
        await reader.press("escape")
        await reader.until(lambda: reader.app.answer is None)
        assert machine.started == []


async def test_a_step_that_is_started_meanwhile_answers_once_the_help_is_closed(settings, wanted, machine):
    async with opened(settings, wanted) as reader:
        machine.may_answer.clear()
        await reader.press("r", "y")
        assert "starting: Run" in reader.static("#rerun-trouble")
        await reader.press("1")
        assert reader.said == ["Run is being started."]
        await reader.press("question_mark")
        machine.may_answer.set()
        await reader.until(lambda: machine.started)
        await reader.pause(0.05)
        assert reader.app.answer == NO_ANSWER
        await reader.press("escape")
        await reader.until(lambda: reader.app.answer == 7)


async def test_y_copies_the_command_of_run(settings, wanted, machine):
    async with opened(settings, wanted) as reader:
        await reader.press("y")
        assert reader.app.copied == ["do-it --run run.py"]


async def test_y_copies_the_command_also_where_it_cannot_be_started(settings, wanted, machine, monkeypatch):
    monkeypatch.setattr(steps, "prepare", prepare)
    python = interpreters.Interpreter(("/opt/venv/bin/python",), "/opt", "3.12.4", "/opt/venv/bin/python")
    monkeypatch.setattr(rerun_pilot, "HOST", replace(rerun_pilot.HOST, devices=(), why_none="driver not loaded"))
    async with opened(settings, wanted, interpreters=(python,)) as reader:
        assert "cannot be started: There is no Neuron device here: driver not loaded." in reader.static("#rerun-steps")
        assert "/opt/venv/bin/python run.py" in reader.static("#rerun-steps")
        await reader.press("y")
        assert reader.app.copied[0].endswith("/opt/venv/bin/python run.py")
        await reader.press("r")
        assert reader.app.screen is reader.screen
