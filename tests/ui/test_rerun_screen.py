"""The rerun screen: what it says of this host, the runs that go on, and the interpreter that a person picks."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from rerun_pilot import CORES, DISK, DOCKER, NO_ANSWER, STACK, VENV, WELL, opened, run_of

from tui.ascii_filter import to_ascii
from tui.catalog import snapshot as snapshots
from tui.errors import TrnModelsError
from tui.host import interpreters
from tui.host.fit import Fit
from tui.rerun import recipe, runs
from tui.rerun.plan import Kind
from tui.rerun.preparation import Wanted
from tui.rerun.runs import State
from tui.screens import rerun_choices, rerun_work
from tui.screens.rerun import RerunScreen
from tui.widgets import rerun_text

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
        await reader.pause()
        assert "docker" not in reader.static("#rerun-interpreter")
        assert reader.screen.interpreters == (VENV, DOCKER)


async def test_it_can_be_left_while_the_host_is_looked_at(settings, wanted, machine):
    machine.may_answer.clear()
    async with opened(settings, wanted, known=False) as reader:
        await reader.press("q")
        assert reader.app.answer is None
        machine.may_answer.set()
        await reader.until(lambda: machine.looked_with)
        await reader.pause(0.05)


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
