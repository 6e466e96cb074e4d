"""What the main screen tells of this host: header, the line of the detail, the default stack, the host dialog."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tui.host.interpreters import Interpreter
from tui.host.neuron import Device, Holder, Host
from tui.screens.host_arrivals import HostArrived, InterpretersArrived

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


def know(reader, host: Host | None = None, *interpreters: Interpreter) -> None:
    if host is not None:
        reader.browse.post_message(HostArrived(host))
    reader.browse.post_message(InterpretersArrived(interpreters))


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


async def test_the_host_dialog_names_holders_and_pythons(start, monkeypatch):
    async with start(160, 50, sample=True) as reader:
        monkeypatch.setattr("tui.screens.host_arrivals.bring_host", lambda *_: None)
        monkeypatch.setattr("tui.screens.host_arrivals.bring_interpreters", lambda *_: None)
        know(reader, TRN2, python(neuronx_cc="2.27.5334.0"))
        await reader.until(lambda: "64 cores" in reader.text)
        await reader.press("H")
        for words in ("neuron0", "pid 4711", "ada", "python3 train.py", "/venv/bin/python", "neuronx-cc 2.27.5334.0"):
            assert words in reader.text, words


async def test_a_model_without_a_record_has_nothing_to_run(start):
    async with start(sample=True) as reader:
        await reader.press("2")
        await reader.until(lambda: "not tested" in reader.text)
        index = reader.browse.selection.lines["record"].to_list().index(None)
        for _ in range(index):
            await reader.press("j")
        await reader.press("r")
        assert any("nothing to run again" in said for said in reader.said)
