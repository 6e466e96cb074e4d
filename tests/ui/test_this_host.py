"""What the main screen tells of this host: header, the line of the detail, the default stack, the host dialog."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from run_pilot import going, made, over

from tui.errors import TrnModelsError
from tui.host import interpreters as pythons
from tui.host.fit import Surroundings
from tui.host.interpreters import Interpreter
from tui.host.neuron import Device, Holder, Host
from tui.rerun import runs
from tui.rerun.plan import Kind
from tui.rerun.preparation import Here
from tui.screens import host_arrivals, rerun_work
from tui.screens.dialogs import TextDialog
from tui.screens.host_arrivals import HostArrived, InterpretersArrived, LookFailed
from tui.screens.rerun import RerunScreen
from tui.screens.runs import RunsScreen
from tui.widgets.run_line import RunLine

FREE = tuple(Device(index, tuple(range(4 * index, 4 * index + 4))) for index in range(1, 16))
HELD = Device(0, (0, 1, 2, 3), (Holder(4711, "python3 train.py", "ada"),))
TRN2 = Host(
    looked_at=datetime(2026, 11, 30, 14, 2, tzinfo=UTC), instance_type="trn2.48xlarge", device_name="Trainium2",
    devices=(HELD, *FREE), lnc=2, driver="2.31.7.0", holders_known=True,
)  # fmt: skip
NONE = Host(looked_at=datetime(2026, 11, 30, 14, 2, tzinfo=UTC), why_none="driver not loaded")


def python(**packages: str) -> Interpreter:
    named = {name.replace("_", "-"): version for name, version in packages.items()}
    return Interpreter(("/venv/bin/python",), "PATH", version="3.12.4", prefix="/venv", packages=named)


def know(reader, host: Host | None = None, *interpreters: Interpreter, taken: Mapping[int, int] | None = None) -> None:
    if host is not None:
        reader.browse.post_message(HostArrived(host, taken or {}))
    reader.browse.post_message(InterpretersArrived(interpreters))


@pytest.fixture
def asked(monkeypatch) -> list[str]:
    """What was looked at; the answers are those that a test posts."""
    calls: list[str] = []
    monkeypatch.setattr(host_arrivals, "bring_host", lambda *_: calls.append("host"))
    monkeypatch.setattr(host_arrivals, "bring_interpreters", lambda *_: calls.append("pythons"))
    monkeypatch.setattr(pythons, "forget", lambda: calls.append("forget"))
    return calls


async def test_the_header_tells_of_devices_and_of_what_is_not_in_use(start):
    async with start(sample=True) as reader:
        know(reader, TRN2)
        await reader.until(lambda: "trn2.48xlarge · 64 cores, 60 not in use" in reader.text)


@pytest.mark.parametrize(("width", "words"), [(200, "no Neuron device: driver not loaded"), (80, "no Neuron device")])
async def test_the_header_tells_why_there_is_no_device(start, width, words):
    async with start(width, 40, sample=True) as reader:
        know(reader, NONE)
        await reader.until(lambda: words in reader.text)


async def test_the_detail_says_in_one_line_whether_the_record_fits(start):
    async with start(160, 50, sample=True, search="quartz-8b-instruct") as reader:
        know(
            reader, TRN2,
            python(torch_neuronx="2.14.3.0", torch="2.14.0", neuronx_cc="2.28.7631.0", nki="0.7.0", transformers="4.0"),
        )  # fmt: skip
        await reader.until(lambda: "fits: 4 of 60 cores" in reader.text)
        assert "transformers differs" in reader.text


async def test_the_detail_says_that_there_is_no_device(start):
    async with start(160, 50, sample=True, search="quartz-8b-instruct") as reader:
        know(reader, NONE, python())
        await reader.until(lambda: "no Neuron device here" in reader.text)


async def test_nothing_is_said_of_a_python_before_any_was_asked(start):
    async with start(160, 50, sample=True, search="quartz-8b-instruct") as reader:
        reader.browse.post_message(HostArrived(TRN2, {}))
        await reader.until(lambda: "Here" in reader.text)
        assert "fits: 4 of 60 cores" in reader.text
        assert "Python" not in next(line for line in reader.lines if "Here" in line)


async def test_the_pair_installed_here_becomes_the_default_stack(start):
    async with start(160, 50, sample=True) as reader:
        assert "neuronx-cc 2.28.7631.0" in reader.text
        know(reader, TRN2, python(torch_neuronx="2.13.0", neuronx_cc="2.27.5334.0", transformers="5.21.0"))
        await reader.until(lambda: "yours" in reader.text)
        assert reader.browse.question.stack.exact.neuronx_cc == "2.27.5334.0"


async def test_a_stack_that_a_person_chose_stays(start):
    async with start(160, 50, sample=True) as reader:
        await reader.press("c")
        await reader.type("any")
        await reader.press("enter")
        chosen = reader.browse.question.stack
        know(reader, TRN2, python(torch_neuronx="2.13.0", neuronx_cc="2.27.5334.0", transformers="5.21.0"))
        await reader.until(lambda: "64 cores" in reader.text)
        assert reader.browse.question.stack == chosen


async def test_the_host_dialog_names_holders_and_pythons(start, asked):
    async with start(160, 50, sample=True) as reader:
        know(reader, TRN2, python(neuronx_cc="2.27.5334.0"))
        await reader.until(lambda: "64 cores" in reader.text)
        await reader.press("H")
        for words in ("neuron0", "pid 4711", "ada", "python3 train.py", "/venv/bin/python", "neuronx-cc 2.27.5334.0"):
            assert words in reader.text, words


async def test_devices_of_our_own_runs_are_in_use_before_neuron_ls_shows_it(start, asked):
    async with start(160, 50, sample=True, search="quartz-8b-instruct") as reader:
        know(
            reader, TRN2, python(torch_neuronx="2.14.3.0", torch="2.14.0", neuronx_cc="2.28.7631.0", nki="0.7.0"),
            taken={0: 2, 1: 3},
        )  # fmt: skip
        await reader.until(lambda: "64 cores, 56 not in use" in reader.text)
        await reader.until(lambda: "fits: 4 of 56 cores" in reader.text)
        await reader.press("H")
        assert "64 cores, 56 not in use" in next(line for line in reader.lines if "trn2.48xlarge" in line)
        assert "in use by run 2 of yours; pid 4711, ada" in next(line for line in reader.lines if "neuron0" in line)
        assert "in use by run 3 of yours" in next(line for line in reader.lines if "neuron1 " in line)
        assert "not in use" in next(line for line in reader.lines if "neuron2 " in line)


async def test_a_look_at_the_host_tells_which_devices_our_runs_have(start, settings, monkeypatch):
    run = going(made(settings), devices=[5])
    monkeypatch.setattr("tui.host.neuron.look_at", lambda *_: TRN2)
    monkeypatch.setattr(host_arrivals, "bring_interpreters", lambda *_: None)
    async with start(sample=True) as reader:
        reader.browse.look_at_machine()
        await reader.until(lambda: "64 cores, 56 not in use" in reader.text)
        assert reader.browse.taken == {5: run.id}


async def test_the_host_is_looked_at_again_when_a_run_begins_gets_devices_or_ends(start, settings, asked):
    async with start(sample=True) as reader:
        line = reader.browse.query_one(RunLine)
        know(reader, TRN2)
        await reader.until(lambda: "64 cores" in reader.text)

        async def look_again() -> None:
            asked.clear()
            line.look()
            await reader.until(lambda: asked)
            assert asked == ["host"]
            know(reader, TRN2)

        run = going(made(settings), devices=[])
        await look_again()
        runs.update_state(run.folder, devices=[3])
        await look_again()
        over(run, told=False)
        await look_again()


async def test_before_the_first_look_a_run_makes_none(start, settings, asked):
    run = going(made(settings), devices=[3])
    async with start(sample=True) as reader:
        await reader.until(lambda: f"run {run.id}" in reader.lines[-2])
        assert asked == []


async def test_pythons_are_asked_again_when_packages_were_installed(start, settings, asked):
    run = going(made(settings, kind=Kind.INSTALL))
    async with start(sample=True) as reader:
        know(reader, TRN2, python())
        await reader.until(lambda: f"run {run.id}" in reader.lines[-2] and "64 cores" in reader.text)
        asked.clear()
        over(run, told=False)
        reader.browse.query_one(RunLine).look()
        await reader.until(lambda: {"forget", "pythons"} <= set(asked))
        assert asked.index("forget") < asked.index("pythons")


async def test_the_host_dialog_opens_with_what_is_known_and_follows_the_news(start, asked):
    async with start(160, 50, sample=True) as reader:
        know(reader, TRN2, python(neuronx_cc="2.27.5334.0"))
        await reader.until(lambda: "64 cores" in reader.text)
        await reader.press("H")
        assert asked == ["host", "forget", "pythons"]
        assert "looking again" in reader.text and "python3 train.py" in reader.text
        later = replace(
            TRN2, looked_at=TRN2.looked_at + timedelta(minutes=7), devices=(replace(HELD, holders=()), *FREE)
        )
        know(reader, later, python(neuronx_cc="2.28.7631.0"))
        await reader.until(lambda: "neuronx-cc 2.28.7631.0" in reader.text)
        assert "64 cores, 64 not in use" in reader.text
        assert "python3 train.py" not in reader.text and "looking again" not in reader.text
        assert f"as it was at {later.looked_at.astimezone():%H:%M}" in reader.text
        await reader.press("escape")
        assert reader.app.screen is reader.browse
        know(reader, TRN2)
        await reader.until(lambda: "60 not in use" in reader.text)
        assert reader.app.screen is reader.browse


async def test_the_host_dialog_opens_when_the_first_news_comes(start, asked):
    async with start(160, 50, sample=True) as reader:
        await reader.press("H")
        assert any("Looking at this host …" in said for said in reader.said)
        assert reader.app.screen is reader.browse
        reader.browse.post_message(HostArrived(TRN2))
        await reader.until(lambda: isinstance(reader.app.screen, TextDialog))
        assert "python3 train.py" in reader.text and "asking them" in reader.text
        reader.browse.post_message(InterpretersArrived((python(neuronx_cc="2.27.5334.0"),)))
        await reader.until(lambda: "neuronx-cc 2.27.5334.0" in reader.text)


async def test_the_host_dialog_does_not_come_over_another_screen(start, asked):
    async with start(160, 50, sample=True) as reader:
        await reader.press("H", "R")
        reader.browse.post_message(HostArrived(TRN2))
        await reader.until(lambda: reader.browse.host is not None)
        assert isinstance(reader.app.screen, RunsScreen)


async def test_a_host_that_cannot_be_looked_at_says_why(start, asked):
    async with start(160, 50, sample=True) as reader:
        await reader.press("H")
        reader.browse.post_message(LookFailed(TrnModelsError("The devices hang")))
        await reader.until(lambda: any("The devices hang" in said for said in reader.said))
        await reader.press("H")
        assert asked.count("host") == 2


async def test_a_python_that_was_picked_for_a_run_stays_for_the_session(start, asked, monkeypatch):
    monkeypatch.setattr(rerun_work, "bring_here", lambda *_, **__: None)
    usual = python(torch_neuronx="2.14.3.0", neuronx_cc="2.28.7631.0", transformers="5.21.0")
    other = replace(
        python(torch_neuronx="2.13.0", neuronx_cc="2.27.5334.0", transformers="5.21.0"), argv=("/my own/python",)
    )
    async with start(160, 50, sample=True, search="quartz-8b-instruct") as reader:
        know(reader, TRN2, usual, other)
        await reader.until(lambda: "neuronx-cc 2.28.7631.0 ▾" in reader.text and "yours" in reader.text)
        await reader.press("r")
        await reader.until(lambda: isinstance(reader.app.screen, RerunScreen))
        reader.app.screen.here = Here(host=TRN2, interpreter=other, surroundings=Surroundings())
        await reader.press("escape")
        await reader.until(lambda: "neuronx-cc 2.27.5334.0 ▾" in reader.text and "yours" in reader.text)
        assert asked[-1] == "pythons"
        assert reader.browse.settings.python == "'/my own/python'"
        know(reader, TRN2, replace(other, origin=pythons.NAMED), usual)
        await reader.press("H")
        assert "● /my own/python" in reader.text.replace("'", "")
        await reader.press("escape", "r")
        await reader.until(lambda: isinstance(reader.app.screen, RerunScreen))
        assert reader.app.screen.settings.python == "'/my own/python'"


async def test_the_usual_python_is_not_named_by_looking_at_the_checklist(start, asked, monkeypatch):
    monkeypatch.setattr(rerun_work, "bring_here", lambda *_, **__: None)
    usual = python(torch_neuronx="2.14.3.0", neuronx_cc="2.28.7631.0", transformers="5.21.0")
    async with start(160, 50, sample=True, search="quartz-8b-instruct") as reader:
        know(reader, TRN2, usual)
        await reader.until(lambda: "64 cores" in reader.text)
        await reader.press("r")
        await reader.until(lambda: isinstance(reader.app.screen, RerunScreen))
        reader.app.screen.here = Here(host=TRN2, interpreter=usual, surroundings=Surroundings())
        await reader.press("escape")
        assert reader.app.screen is reader.browse
        assert reader.browse.settings.python is None


async def test_a_model_without_a_record_has_nothing_to_run(start):
    async with start(sample=True) as reader:
        await reader.press("2")
        await reader.until(lambda: "not tested" in reader.text)
        index = reader.browse.selection.lines["record"].to_list().index(None)
        for _ in range(index):
            await reader.press("j")
        await reader.press("r")
        assert any("nothing to run again" in said for said in reader.said)
