"""What a person changes about a run: the script in an editor, variables, arguments, the queue."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from rerun_pilot import opened

from tui.errors import TrnModelsError, UsageError
from tui.rerun import recipe
from tui.rerun.preparation import Changes
from tui.screens import rerun_changes
from tui.screens.rerun import RerunScreen

# What a person changes


async def test_an_edited_script_is_marked_with_a_hash_of_its_own(settings, wanted, machine):
    recorded = recipe.recipe_of(wanted.record, wanted.script).script_sha256
    changed = f"# mine\n{wanted.script}"
    async with opened(settings, wanted, (120, 60)) as reader:
        head = ".of-script.script-head"
        assert recorded in reader.static(head)
        assert "EDITED" not in reader.text
        reader.screen.take_script(changed)
        await reader.pause()
        own = recipe.recipe_of(wanted.record, changed).script_sha256
        assert f"sha256 {own} recorded {recorded}" in reader.static(head)
        assert "EDITED" in reader.lines[1]
        assert "1 # mine" in reader.static(".of-script.script")
        await reader.press("r")
        assert "EDITED" in reader.text
        assert own[:16] in reader.text
        await reader.press("y")
        await reader.until(lambda: reader.app.answer == 7)
        assert machine.started[0].edited


async def test_back_to_the_recorded_script(settings, wanted, machine):
    async with opened(settings, wanted) as reader:
        reader.screen.take_script("print()\n")
        await reader.pause()
        await reader.press("E")
        assert "EDITED" not in reader.text
        assert machine.prepared_with["changes"] == Changes()


async def test_a_terminal_that_cannot_be_lent_to_an_editor_is_told(settings, wanted, machine, monkeypatch):
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.delenv("VISUAL", raising=False)
    async with opened(settings, wanted) as reader:
        await reader.press("e")
        assert "cannot be lent" in reader.said[-1]


async def test_an_editor_that_is_not_there_is_told(settings, wanted, machine, monkeypatch):
    monkeypatch.setenv("VISUAL", "no-such-editor -w")
    async with opened(settings, wanted) as reader:
        await reader.press("e")
        assert reader.said[-1].startswith("There is no editor «no-such-editor -w» here. It is named by $VISUAL.")


async def test_variables_and_arguments_are_taken_and_can_be_taken_away_again(settings, wanted, machine):
    async with opened(settings, wanted, (120, 60)) as reader:
        await reader.press("a")
        await reader.type("B=2 -- -s 1")
        await reader.press("enter")
        changes = machine.prepared_with["changes"]
        assert changes == Changes(environment={"B": "2"}, arguments=("-s", "1"))
        assert "B=2 (yours)" in reader.static("#rerun-environment")
        assert "-s 1 (yours)" in reader.static("#rerun-environment")
        assert "EDITED" in reader.lines[1]
        await reader.press("a")
        assert "B=2 -- -s 1" in reader.text
        await reader.press("ctrl+u", "enter")
        assert machine.prepared_with["changes"] == Changes()
        assert "EDITED" not in reader.text


async def test_this_machine_is_looked_at_again_with_the_variables_that_were_added(settings, wanted, machine):
    async with opened(settings, wanted) as reader:
        assert machine.added == [{}]
        await reader.press("a")
        await reader.type("B=2")
        await reader.press("enter")
        await reader.until(lambda: machine.added == [{}, {"B": "2"}])
        await reader.until(lambda: "looking at this host" not in reader.text)
        assert len(machine.named) == 1
        await reader.press("a")
        await reader.type(" -- -s")
        await reader.press("enter")
        assert machine.prepared_with["changes"] == Changes(environment={"B": "2"}, arguments=("-s",))
        assert len(machine.added) == 2


async def test_a_wrong_line_is_told_and_not_lost(settings, wanted, machine):
    async with opened(settings, wanted) as reader:
        await reader.press("a")
        await reader.type("seconds 1")
        await reader.press("enter")
        assert "«seconds» is not NAME=value" in reader.text
        assert "Arguments of run.py come after --." in reader.words
        await reader.press("enter")
        await reader.press("home")
        await reader.type("-- ")
        await reader.press("enter")
        assert machine.prepared_with["changes"] == Changes(arguments=("seconds", "1"))


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("A=1 --seconds 5", ("--seconds", "5")),
        ("A=1 -- --seconds 5 -- x", ("--seconds", "5", "--", "x")),
        ("A=1 -s B=2", ("-s", "B=2")),
        ("A=1", ()),
    ],
)
def test_words_that_begin_with_a_dash_are_arguments(line, arguments):
    assert rerun_changes.parsed(line) == ({"A": "1"}, arguments)


async def test_variables_and_arguments_stay_for_the_model_while_the_app_runs(settings, wanted, machine):
    async with opened(settings, wanted) as reader:
        await reader.press("a")
        await reader.type("B=2 -- -s 1")
        await reader.press("enter", "escape")
        assert reader.app.answer is None
        again = RerunScreen(settings, wanted)
        await reader.app.push_screen(again)
        await reader.until(lambda: again.preparation is not None)
        assert machine.prepared_with["changes"] == Changes(environment={"B": "2"}, arguments=("-s", "1"))
        assert machine.added[-1] == {"B": "2"}
    async with opened(settings, wanted) as reader:
        assert machine.prepared_with["changes"] == Changes()


async def test_the_queue_and_the_place_of_packages_are_chosen(settings, wanted, machine):
    async with opened(settings, wanted) as reader:
        assert "it ends at once" in reader.static("#rerun-steps")
        await reader.press("Q")
        assert machine.prepared_with == {"changes": Changes(), "queue": True, "into_own": False}
        assert "it waits in the queue" in reader.static("#rerun-steps")
        await reader.press("O")
        assert machine.prepared_with["into_own"] is True
        assert "into the interpreter itself" in reader.static("#rerun-steps")
        await reader.press("r")
        assert "waits in the queue" in reader.text


@pytest.fixture
def environ(tmp_path):
    """An environment whose editor does what `editor(commands)` says to the file `$1`."""

    def make(commands: str) -> dict[str, str]:
        program = tmp_path / "my editor"
        program.write_text(f'#!/bin/sh\ntest "$1" = -w && shift\n{commands}\n')
        program.chmod(0o755)
        return {"EDITOR": f"'{program}' -w", "PATH": os.environ["PATH"]}

    return make


def test_the_editor_gets_a_private_copy_that_is_gone_afterwards(environ, tmp_path):
    seen = tmp_path / "seen"
    made = rerun_changes.edited(
        "print(1)\n", environ(f'ls -ld "$(dirname "$1")" >{seen}; echo "$1" >>{seen}; echo "#" >>"$1"')
    )
    assert made == "print(1)\n#\n"
    mode, path = seen.read_text().splitlines()
    assert mode.startswith("drwx------")
    assert path.endswith("/run.py")
    assert not Path(path).exists()


@pytest.mark.parametrize("commands", ["true", ': >"$1"', 'echo >"$1"', 'echo >>"$1"'])
def test_an_unchanged_or_emptied_copy_is_no_edit(environ, commands):
    assert rerun_changes.edited("print(1)", environ(commands)) is None


@pytest.mark.parametrize(
    ("commands", "words"),
    [("exit 3", "ended with 3"), ("printf '\\377' >\"$1\"", "not UTF-8"), ('rm "$1"', "could not")],
)
def test_an_editor_that_fails_changes_nothing_and_is_told(environ, commands, words):
    with pytest.raises(TrnModelsError, match=words):
        rerun_changes.edited("print(1)\n", environ(commands))


def test_vi_is_the_editor_when_none_is_named(tmp_path):
    with pytest.raises(UsageError, match="no editor «vi»") as caught:
        rerun_changes.editor({"PATH": str(tmp_path)})
    assert "Neither VISUAL nor EDITOR" in caught.value.detail
    (tmp_path / "vi").write_text("#!/bin/sh\n")
    (tmp_path / "vi").chmod(0o755)
    assert rerun_changes.editor({"PATH": str(tmp_path)}) == ([str(tmp_path / "vi")], "")


@pytest.mark.parametrize(
    ("line", "variables", "arguments"),
    [
        ("", {}, ()),
        ("A=1 B_2='two words' C=", {"A": "1", "B_2": "two words", "C": ""}, ()),
        ("-- --seconds 1 'a b'", {}, ("--seconds", "1", "a b")),
        ("A=x=y -- B=1 --", {"A": "x=y"}, ("B=1", "--")),
        ("A=$HOME", {"A": "$HOME"}, ()),
    ],
)
def test_variables_and_arguments_are_read_and_written_alike(line, variables, arguments):
    assert rerun_changes.parsed(line) == (variables, arguments)
    assert rerun_changes.parsed(rerun_changes.as_line(variables, arguments)) == (variables, arguments)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("A='1", "quotes"),
        ("seconds --x", "«seconds»"),
        ("A=1 --hf-token hf_x", "secret"),
        ("1A=2", "«1A»"),
        ("=x", "«»"),
        ("MASTER_PORT=1", "MASTER_PORT"),
    ],
)
def test_what_cannot_be_meant_is_refused(line, words):
    with pytest.raises(UsageError, match=words):
        rerun_changes.parsed(line)
