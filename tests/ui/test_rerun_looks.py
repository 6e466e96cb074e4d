"""How fresh the checklist is: it is looked at again while it stays open, and a question does not wait long for that."""

from __future__ import annotations

import re

import pytest
from rerun_pilot import CORES, DISK, WELL, opened

from tui.host.checklist import Item, Level
from tui.rerun.plan import Kind
from tui.screens import rerun, rerun_choices


@pytest.fixture
def old(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look is an old one."""
    monkeypatch.setattr(rerun_choices, "FRESH_S", 0.0)


async def test_h_says_that_and_when_it_looked(settings, wanted, machine):
    async with opened(settings, wanted) as reader:
        await reader.press("h")
        await reader.until(lambda: any(re.fullmatch(r"Looked at \d\d:\d\d:\d\d\.", said) for said in reader.said))
        assert re.search(r"Checklist .* looked at \d\d:\d\d:\d\d", reader.static("#rerun-checklist"))


async def test_a_fresh_look_is_not_taken_again_for_a_question(settings, wanted, machine):
    async with opened(settings, wanted) as reader:
        await reader.press("r")
        assert "Run sample/Quartz-8B-Instruct here?" in reader.text
        assert len(machine.looked_with) == 1


async def test_before_a_question_an_old_look_is_taken_again(settings, wanted, machine, old):
    async with opened(settings, wanted) as reader:
        machine.items = (CORES, DISK)
        await reader.press("r")
        await reader.until(lambda: "although this is in the way" in reader.text)
        assert len(machine.looked_with) == 2
        assert len(machine.named) == 1


async def test_a_look_that_takes_long_does_not_hold_the_question(settings, wanted, machine, old, monkeypatch):
    monkeypatch.setattr(rerun, "LONGEST_LOOK_S", 0.1)
    async with opened(settings, wanted) as reader:
        machine.may_answer.clear()
        await reader.press("r")
        await reader.until(lambda: "Run sample/Quartz-8B-Instruct here?" in reader.text)
        machine.may_answer.set()
        await reader.until(lambda: len(machine.looked_with) == 2)
        await reader.pause()
        assert reader.text.count("here?") == 1


async def test_on_the_way_back_to_an_old_checklist_it_is_looked_at_again(settings, wanted, machine, old):
    async with opened(settings, wanted) as reader:
        await reader.press("question_mark")
        machine.items = (*WELL, Item(Level.OK, "new", "seen on the way back"))
        await reader.press("escape")
        await reader.until(lambda: "seen on the way back" in reader.static("#rerun-checklist"))
        assert len(machine.named) == 1


async def test_a_question_that_is_longer_than_the_screen_names_the_keys_that_scroll_it(settings, wanted, machine):
    machine.items = (*WELL, *(Item(Level.BLOCKING, f"disk {n}", "full " * 9, "make room " * 5) for n in range(4)))
    for size, scrolls in (((80, 24), True), ((120, 60), False)):
        async with opened(settings, wanted, size) as reader:
            await reader.press("r")
            await reader.pause()
            hint = next(line for line in reader.lines if "⏎ the marked one" in line)
            assert ("j k scroll" in hint) is scrolls
            before = reader.text
            await reader.press("j")
            assert (reader.text != before) is scrolls


async def test_advice_is_told_by_keys_and_all_holders_are_shown_by_one(settings, wanted, machine):
    text = "14 of 16 devices in use: alice, pid 7, x (devices 0-1); and 4 more"
    held = Item(Level.OK, "in use", text, "`neuron-ls` shows all.", on_screen="H shows all.")
    none = Item(Level.WARNING, "interpreter", "no Python", "--python PATH", on_screen="i picks another.")
    machine.items = (held, none)
    async with opened(settings, wanted) as reader:
        said = reader.static("#rerun-checklist")
        assert "H shows all." in said
        assert "i picks another." in said
        assert "--python" not in said
        await reader.press("H")
        assert "neuron1" in reader.text
        assert "cores 4-7" in reader.text


async def test_the_question_about_an_install_does_not_call_its_pip_line_the_command(settings, wanted, machine):
    async with opened(settings, wanted) as reader:
        await reader.press("3")
        assert f"pip there do-it --{Kind.INSTALL} run.py" in reader.words
