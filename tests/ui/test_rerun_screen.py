"""The rerun screen: what it says of this host, what it asks before it starts anything, and what a person can change."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
import rerun_pilot
from rerun_pilot import CORES, DISK, DOCKER, NO_ANSWER, SCRIPT, STACK, VENV, WELL, Machine, opened, run_of

from tui.ascii_filter import to_ascii
from tui.catalog import snapshot as snapshots
from tui.errors import TrnModelsError
from tui.host import interpreters
from tui.host.checklist import Level
from tui.host.fit import Fit
from tui.rerun import recipe, runs, steps
from tui.rerun.plan import Kind
from tui.rerun.preparation import Wanted
from tui.rerun.runs import State
from tui.rerun.steps import prepare
from tui.screens import rerun_choices, rerun_work
from tui.screens.dialogs import ConfirmDialog
from tui.screens.rerun import RerunScreen
from tui.widgets import rerun_text


@pytest.fixture(scope="module")
def wanted() -> Wanted:
    sample = snapshots.open_sample()
    record = snapshots.record_at(sample, 0)
    return Wanted(record=record, script=SCRIPT, dataset="acme/records", revision="0123abc", sample=True)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


# The checklist and the steps


async def test_what_is_in_the_way_stands_first_with_its_advice_and_reads_without_colour(settings, wanted, machine):
    machine.items = (CORES, STACK, DISK)
    async with opened(settings, wanted) as reader:
        top = next(number for number, line in enumerate(reader.lines) if "Checklist" in line)
        said = " ".join(reader.lines[top].split())
        assert said.startswith("Checklist ✗ 1 in the way · ! 1 warning · ✓ 1 ok looked at ")
        assert [" ".join(line.split()) for line in reader.lines[top + 1 : top + 6]] == [
            "✗ in the way disk 16.1 GB to download, 9.8 GB free",
            "→ free some first",
            "! warning transformers 5.21.0 here, tested with 5.23.1",
            "→ 3 installs the tested one",
            "✓ ok cores 4 needed, 8 not in use",
        ]
        plain = [to_ascii(line).split()[0] for line in reader.lines[top + 1 : top + 6]]
        assert plain == ["x", ">", "!", ">", "+"]
        assert "PASS on 4 cores" in reader.lines[2]
        assert reader.lines[1].split()[0] == "sample/Quartz-8B-Instruct"
        assert "8 not in use" in reader.lines[1]
        assert "SAMPLE DATA" in reader.lines[0]


async def test_advice_for_several_in_a_row_is_told_once(settings, wanted, machine):
    machine.items = (STACK, replace(STACK, name="accelerate"), replace(STACK, name="torch", advice="another"))
    async with opened(settings, wanted) as reader:
        said = reader.static("#rerun-checklist")
        assert said.count("→ 3 installs the tested one") == 1
        assert said.index("accelerate") < said.index("→ 3 installs") < said.index("torch")


async def test_each_step_shows_its_key_and_its_command_or_why_it_cannot_be_started(settings, wanted, machine):
    machine.refusals[Kind.GRAPHS] = "No bucket is known."
    async with opened(settings, wanted) as reader:
        said = reader.static("#rerun-steps")
        assert "1 Fetch weights do-it --weights run.py" in said
        assert "2 Fetch compiled graphs cannot be started: No bucket is known." in said
        assert "3 Install packages on top do-it --install run.py" in said
        assert "4 r Run do-it --run run.py" in said


async def test_it_is_there_at_once_with_the_script_while_the_host_is_looked_at(settings, wanted, machine):
    machine.may_answer.clear()
    async with opened(settings, wanted, known=False) as reader:
        assert "looking at this host" in reader.text
        assert recipe.recipe_of(wanted.record, wanted.script).script_sha256 in reader.text
        assert "Demonstration script" in reader.text
        await reader.press("r")
        assert any("Still looking" in said for said in reader.said)
        machine.may_answer.set()
        await reader.until(lambda: "Checklist" in reader.text)
        assert "looking at this host" not in reader.static("#rerun-trouble")


async def test_a_host_that_cannot_be_looked_at_is_told_and_h_tries_again(settings, wanted, machine):
    machine.error = TrnModelsError("The driver does not answer", "neuron-ls", "Ask the admin.")
    async with opened(settings, wanted, known=False) as reader:
        await reader.until(lambda: "The driver does not answer. neuron-ls Ask the admin." in reader.words)
        await reader.press("r")
        assert machine.started == []
        machine.error = None
        await reader.press("h")
        await reader.until(lambda: "Checklist" in reader.text)
        assert "does not answer" not in reader.static("#rerun-trouble")


async def test_an_older_look_that_comes_late_changes_nothing(settings, wanted, machine):
    async with opened(settings, wanted) as reader:
        here = replace(reader.screen.here, interpreter=DOCKER)
        reader.screen.post_message(rerun_work.HereKnown(0, (DOCKER,), here, ()))
        await reader.pilot.pause()
        assert "docker" not in reader.static("#rerun-interpreter")
        assert reader.screen.interpreters == (VENV, DOCKER)


async def test_it_can_be_left_while_the_host_is_looked_at(settings, wanted, machine):
    machine.may_answer.clear()
    async with opened(settings, wanted, known=False) as reader:
        await reader.press("q")
        assert reader.app.answer is None
        machine.may_answer.set()
        await reader.until(lambda: machine.looked_with)
        await reader.pilot.pause(0.05)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_every_text_is_folded_below_its_beginning_at_every_width(settings, wanted, machine, size):
    machine.items = (replace(DISK, text="word " * 60, advice="do " * 60), *WELL)
    async with opened(settings, wanted, size) as reader:
        top = next(number for number, line in enumerate(reader.lines) if "✗ in the way  disk" in line)
        indent = reader.lines[top].index("word")
        below = reader.lines[top + 1]
        assert below[:indent].strip() == ""
        assert below[indent:].startswith("word")
        assert all(len(line) <= size[0] for line in reader.lines)
        if size[0] == 200:
            assert "Demonstration script" in reader.text


def test_folded_lines_are_no_wider_than_their_place():
    fit = Fit((replace(DISK, text="x" * 300, advice="y" * 300), replace(STACK, name="n" * 40)))
    for width in (60, 80, 120):
        lines = rerun_text.checklist(fit, width).split("\n")
        assert max(line.cell_length for line in lines[1:4]) <= width


async def test_texts_from_outside_act_on_nothing(settings, wanted, machine):
    machine.items = (replace(DISK, name="[b]disk", text="\x1b]52;c;aGk=\x07 [/] [red]"),)
    machine.refusals[Kind.RUN] = "[link=x]\x1b[31mno"
    async with opened(settings, wanted) as reader:
        assert "\\x1b]52;c;aGk=\\x07 [/] [red]" in reader.text
        assert "[b]disk" in reader.text
        await reader.press("r")
        assert reader.said[-1] == "[link=x]\\x1b[31mno"
        assert "\x1b" not in reader.text


# Starting


async def test_a_question_is_answered_with_no_unless_a_person_says_yes(settings, wanted, machine):
    async with opened(settings, wanted) as reader:
        for answer in (("enter",), ("n",), ("escape",), ("q",), ("right", "left", "enter")):
            await reader.press("r")
            assert isinstance(reader.app.screen, ConfirmDialog)
            assert "do-it --run run.py" in reader.text
            assert "4 NeuronCores" in reader.text
            await reader.press(*answer)
            assert reader.app.screen is reader.screen
        await reader.pilot.pause(0.05)
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
        await reader.pilot.pause(0.05)
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


# Runs that go on


async def test_a_step_that_goes_on_is_told_beside_it_and_l_answers_with_its_run(settings, wanted, machine):
    other = replace(run_of(4, Kind.RUN), model_id="sample/Other")
    over = run_of(2, Kind.RUN, State.FINISHED)
    machine.live = (other, run_of(3, Kind.WEIGHTS), over)
    async with opened(settings, wanted) as reader:
        said = reader.static("#rerun-steps")
        assert "1 Fetch weights run 3 is fetching: R shows it" in said
        assert "run 4" not in said
        assert "run 2" not in said
        await reader.press("l")
        await reader.until(lambda: reader.app.answer == 3)


async def test_the_host_is_looked_at_again_when_a_run_of_the_model_has_ended(settings, wanted, machine, monkeypatch):
    monkeypatch.setattr(rerun_choices, "LIVE_EVERY_S", 0.02)
    machine.live = (run_of(3, Kind.WEIGHTS),)
    async with opened(settings, wanted) as reader:
        await reader.until(lambda: "run 3 is fetching" in reader.static("#rerun-steps"))
        assert len(machine.looked_with) == 1
        machine.live = ()
        machine.items = (CORES,)
        await reader.until(lambda: "transformers" not in reader.static("#rerun-checklist"))
        assert "run 3" not in reader.static("#rerun-steps")
        assert len(machine.looked_with) == 2


# The interpreter


async def test_another_interpreter_is_picked_from_those_found(settings, wanted, machine):
    async with opened(settings, wanted) as reader:
        assert "/opt/venv/bin/python" in reader.static("#rerun-interpreter")
        assert "torch 2.14.0" in reader.static("#rerun-interpreter")
        await reader.press("i")
        assert "docker exec -i neuron python" in reader.text
        await reader.type("docker")
        await reader.press("enter")
        await reader.until(lambda: "docker exec -i neuron python" in reader.static("#rerun-interpreter"))
        assert machine.looked_with == [VENV, DOCKER]


async def test_an_interpreter_that_is_typed_is_asked_and_stays_in_the_list(settings, wanted, machine):
    async with opened(settings, wanted) as reader:
        await reader.press("i")
        await reader.type("ssh box python")
        await reader.press("enter")
        await reader.until(lambda: "ssh box python" in reader.static("#rerun-interpreter"))
        assert machine.named == [None, "ssh box python"]
        typed = machine.looked_with[1]
        assert typed.argv == ("ssh", "box", "python")
        assert reader.screen.interpreters == (typed, VENV, DOCKER)


async def test_interpreters_that_were_asked_before_are_not_asked_again(settings, wanted, machine):
    machine.interpreters = ()
    async with opened(settings, wanted, interpreters=(DOCKER,)) as reader:
        assert "docker exec" in reader.static("#rerun-interpreter")
        assert machine.named == []
        await reader.press("h")
        await reader.until(lambda: machine.named == [None])


# The rest


async def test_a_record_without_a_script_can_be_looked_at(settings, wanted, machine):
    machine.refusals[Kind.RUN] = "No run.py is recorded."
    async with opened(settings, replace(wanted, script=None)) as reader:
        assert "None is recorded" in reader.static(".of-script.script-head")
        await reader.press("e")
        assert "nothing to edit" in reader.said[-1]


async def test_the_help_tells_every_key(settings, wanted, machine):
    async with opened(settings, wanted, (120, 60)) as reader:
        await reader.press("question_mark")
        for binding in RerunScreen.BINDINGS:
            assert binding.tooltip in reader.text
        assert "run anyway" in reader.text


# With a real supervisor


async def test_the_demonstration_of_the_sample_runs_from_here(settings):
    settings = replace(settings, sample=True, any_host=True)
    sample = snapshots.open_sample()
    indexes = range(sample.records.height)
    record = next(each for each in (snapshots.record_at(sample, index) for index in indexes) if each.tp == 1)
    script = snapshots.read_text(sample, record.file, record.row, "run_py")
    wanted = Wanted(record=record, script=script, dataset="sample", revision=None, sample=True)
    python = interpreters.ask(interpreters.Candidate((sys.executable,), interpreters.NAMED))
    async with opened(settings, wanted, interpreters=(python,)) as reader:
        assert "cannot be started" in reader.static("#rerun-steps")
        await reader.press("a")
        await reader.type("-- --seconds 0.1")
        await reader.press("enter", "r")
        assert "there is no device here" in reader.words
        await reader.press("y")
        await reader.until(lambda: reader.app.answer != NO_ANSWER)
        assert isinstance(reader.app.answer, int)
        await reader.until(lambda: not runs.find(settings, reader.app.answer).live)
    run = runs.find(settings, reader.app.answer)
    log = (run.folder / "log").read_text()
    assert run.outcome is not None
    assert run.outcome.exit_code == 0, log
    assert "result: pass (a demonstration: nothing was tested)" in log
    assert run.edited
