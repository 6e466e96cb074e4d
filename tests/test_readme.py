"""What the README says is so: its keys are bound, its commands parse, its settings exist."""

from __future__ import annotations

import re
import shlex
import subprocess
from dataclasses import fields
from pathlib import Path

import click
import pytest
from textual.binding import Binding

from tui.cli.help_text import EPILOG
from tui.cli.verbs import trn_models
from tui.settings import Settings

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")

KEY_NAMES = {
    "/": "slash", "?": "question_mark", ":": "colon", "Esc": "escape", "Ctrl+C": "ctrl+c", "Ctrl+Q": "ctrl+q",
    "Ctrl+P": "ctrl+p", "Ctrl+Z": "ctrl+z", "[": "left_square_bracket", "]": "right_square_bracket",
    "F1": "f1", "F5": "f5",
}  # fmt: skip


def section(title: str) -> str:
    return README.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def keys_in_readme() -> set[str]:
    rerun = section("To run a model again").split("The same without the app")[0]
    told = section("Keys") + section("Across stacks") + rerun
    rows = [row.split("|")[1] for row in told.splitlines() if row.startswith("| `")]
    names = re.findall(r"`([^`]+)`", " ".join(rows))
    return {KEY_NAMES.get(name, name if len(name) == 1 else name.lower()) for name in names}


def bindings() -> list[Binding]:
    from tui.app import TrnModelsApp
    from tui.screens.browse import BrowseScreen
    from tui.screens.compare import CompareScreen
    from tui.screens.diff import DiffScreen
    from tui.screens.overview import OverviewScreen
    from tui.screens.rerun import RerunScreen
    from tui.screens.run_log import RunLogScreen
    from tui.screens.runs import RunsScreen
    from tui.widgets.compare_matrix import CompareMatrix
    from tui.widgets.diff_list import DiffList
    from tui.widgets.log_view import LogView
    from tui.widgets.model_table import ModelTable
    from tui.widgets.reading_pane import ReadingPane
    from tui.widgets.run_list import RunList
    from tui.widgets.search_box import SearchBox

    found: list[Binding] = [Binding(TrnModelsApp.COMMAND_PALETTE_BINDING, "command_palette", "")]
    screens = (BrowseScreen, CompareScreen, DiffScreen, OverviewScreen, RerunScreen, RunLogScreen, RunsScreen)
    parts = (CompareMatrix, DiffList, LogView, ModelTable, ReadingPane, RunList, SearchBox)
    for owner in (TrnModelsApp, *screens, *parts):
        for each in owner.__mro__:
            found += Binding.make_bindings(vars(each).get("BINDINGS", []))
    return found


def commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line]


def test_every_key_of_the_readme_is_bound() -> None:
    assert keys_in_readme() - {binding.key for binding in bindings()} == set()


def test_every_key_that_the_help_explains_is_in_the_readme() -> None:
    actions: dict[str, set[str]] = {}
    for binding in bindings():
        if binding.tooltip:
            actions.setdefault(binding.action, set()).add(binding.key)
    told = keys_in_readme()
    assert [keys for keys in actions.values() if not keys & told] == []


@pytest.mark.parametrize("command", commands())
def test_every_command_parses_in_a_shell(command: str) -> None:
    assert subprocess.run(["bash", "-n", "-c", command]).returncode == 0


def options_of(verb: click.Command) -> set[str]:
    return {name for parameter in verb.params for name in (*parameter.opts, *parameter.secondary_opts)}


def test_every_option_and_verb_of_the_readme_exists() -> None:
    known = options_of(trn_models)
    used = [shlex.split(part) for part in re.findall(r"(?:^|`|&& (?:\.venv/bin/)?)trn-models( [^`\n&]*)", README, re.M)]
    assert len(used) >= 4
    for words in used:
        # What follows a lone -- is for run.py.
        own = words[: words.index("--")] if "--" in words else words
        options = {word for word in own if word.startswith("-")}
        verb, allowed = trn_models, known | {"--help"}
        for before, word in zip(["", *own], own, strict=False):
            if isinstance(verb, click.Group) and not word.startswith("-") and not before.startswith("-"):
                verb = verb.get_command(click.Context(verb), word)
                assert verb is not None, words
                allowed |= options_of(verb)
        assert options <= allowed, words
    table = set(re.findall(r"`(--[a-z-]+)`", section("Settings")))
    assert table <= known
    assert table >= known - {"--search", "--version", "-h", "--help"}


def test_every_setting_is_in_the_table_and_no_other() -> None:
    names = {item.name for item in fields(Settings)}
    rows = [row.split("|")[1] for row in section("Settings").splitlines() if row.startswith("| `")]
    assert set(re.findall(r"`(\w+)`", " ".join(rows))) == names - {"config_dir"}
    variables = {f"TRN_MODELS_{name.upper()}" for name in names}
    assert set(re.findall(r"TRN_MODELS_\w+", README)) == variables
    assert set(re.findall(r"TRN_MODELS_\w+", EPILOG)) == variables


def test_the_pictures_and_pages_that_it_shows_are_there() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).is_file(), target


def test_ci_runs_the_test_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (extraction,) = re.findall(r"^test_command=\$\((.*)\)$", script, re.M)
    found = subprocess.run(["bash", "-c", extraction], cwd=ROOT, capture_output=True, text=True).stdout
    assert found.strip() == (
        "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/python -m pytest"
    )
    assert 'eval "$test_command"' in script
