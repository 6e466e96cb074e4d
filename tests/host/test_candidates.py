"""Which Pythons of a machine are offered, and in which order."""

import os
import sys
from pathlib import Path

import pytest
from made_packages import write_program

from tui.errors import UsageError
from tui.host.interpreters import NAMED, Candidate, candidates


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def opt(tmp_path: Path) -> Path:
    folder = tmp_path / "opt"
    folder.mkdir()
    return folder


@pytest.fixture
def find(home: Path, opt: Path):
    """(path, origin) of every candidate, with an empty PATH unless one is given."""

    def found(setting: str | None = None, **environ: str) -> list[tuple[str, str]]:
        pythons = candidates(setting, {"PATH": "", **environ}, home=home, opt=opt)
        return [(" ".join(candidate.argv), candidate.origin) for candidate in pythons]

    return found


def python_file(path: Path) -> str:
    """A file that looks like a Python of its own."""
    return str(write_program(path, f"exit 1 # {path}"))


def venv_at(folder: Path) -> str:
    """What a venv looks like from outside: its python is a link to the one that it was made from."""
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (folder / "bin" / "python").symlink_to(os.path.realpath(sys.executable))
    (folder / "bin" / "python3").symlink_to("python")
    return str(folder / "bin" / "python")


def test_all_places_are_looked_at_in_the_order_of_preference(tmp_path: Path, home: Path, opt: Path, find):
    named = python_file(tmp_path / "named" / "python")
    active = venv_at(tmp_path / "active")
    conda = python_file(tmp_path / "conda" / "bin" / "python")
    neuron = venv_at(opt / "aws_neuronx_venv_pytorch_2_14")
    own = venv_at(home / "torch-neuronx-venv")
    on_path = python_file(tmp_path / "usr" / "python3")
    environ = {"VIRTUAL_ENV": str(tmp_path / "active"), "CONDA_PREFIX": str(tmp_path / "conda")}
    assert find(named, PATH=str(tmp_path / "usr"), **environ) == [
        (named, "--python"),
        (active, "VIRTUAL_ENV"),
        (conda, "conda"),
        (neuron, "/opt"),
        (own, "home folder"),
        (on_path, "PATH"),
    ]


def test_the_newest_neuron_venv_is_first(opt: Path, find):
    for name in ("pytorch_2_9", "pytorch_2_14", "pytorch_2_13", "jax_0_6"):
        venv_at(opt / f"aws_neuronx_venv_{name}")
    venv_at(opt / "something_else")
    names = [Path(path).parent.parent.name.removeprefix("aws_neuronx_venv_") for path, _ in find()]
    assert names == ["pytorch_2_14", "pytorch_2_13", "pytorch_2_9", "jax_0_6"]


def test_venvs_in_the_home_folder_are_found_one_level_deep(home: Path, find):
    expected = [
        venv_at(home / "aws_neuron_venv_pytorch_2_14"),
        venv_at(home / ".venv"),
        venv_at(home / "venvs" / "bert"),
        venv_at(home / ".virtualenvs" / "llama"),
        venv_at(home / "project" / ".venv"),
    ]
    venv_at(home / "project" / "deep" / "down")
    python_file(home / "no-venv" / "bin" / "python")
    (home / "loop").symlink_to("loop")
    found = find()
    assert found[0][0] == expected[0]
    assert sorted(found) == sorted((path, "home folder") for path in expected)


def test_the_home_folder_is_that_of_the_environment(home: Path, opt: Path):
    python = venv_at(home / "mine")
    found = candidates("~/mine", {"PATH": "", "HOME": str(home)}, opt=opt)
    assert found == (Candidate((python,), NAMED),)


def test_a_home_folder_full_of_venvs_is_bounded(home: Path, find):
    for number in range(30):
        venv_at(home / "venvs" / f"v{number}")
    venv_at(home / "aws_neuron_venv_pytorch_2_14")
    found = find()
    assert len(found) == 24
    assert "aws_neuron_venv" in found[0][0]


def test_every_folder_of_path_is_looked_at_and_relative_ones_are_not(tmp_path: Path, find, monkeypatch):
    first, second = (python_file(tmp_path / name / "python3") for name in ("a", "b"))
    python_file(tmp_path / "here" / "python3")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "python3").write_text("not executable")
    monkeypatch.chdir(tmp_path / "here")
    folders = [str(tmp_path / "a"), "", ".", str(tmp_path / "c"), str(tmp_path / "b")]
    assert find(PATH=os.pathsep.join(folders)) == [(first, "PATH"), (second, "PATH")]


def test_two_names_of_one_python_are_one_candidate(tmp_path: Path, find):
    python = python_file(tmp_path / "usr" / "python3")
    (tmp_path / "bin").symlink_to("usr")
    assert find(PATH=f"{tmp_path / 'usr'}:{tmp_path / 'bin'}") == [(python, "PATH")]
    active = venv_at(tmp_path / "active")
    assert find(VIRTUAL_ENV=str(tmp_path / "active"), PATH=str(tmp_path / "active" / "bin")) == [
        (active, "VIRTUAL_ENV")
    ]


def test_venvs_with_the_same_base_are_two_candidates(home: Path, find):
    assert {path for path, _ in find()} == set()
    both = {venv_at(home / "one"), venv_at(home / "two")}
    assert {path for path, _ in find()} == both


def test_the_python_of_the_app_is_left_out_unless_it_is_named(find):
    assert sys.prefix != sys.base_prefix, "the tests run in a venv"
    bin_folder = str(Path(sys.prefix) / "bin")
    assert find(VIRTUAL_ENV=sys.prefix, PATH=bin_folder) == []
    assert find(sys.executable, VIRTUAL_ENV=sys.prefix, PATH=bin_folder) == [(sys.executable, "--python")]


def test_a_python_that_is_gone_is_no_candidate_unless_it_is_named(tmp_path: Path, find):
    gone = tmp_path / "gone" / "bin" / "python"
    assert find(VIRTUAL_ENV=str(tmp_path / "gone")) == []
    assert find(str(gone)) == [(str(gone), "--python")]


@pytest.mark.parametrize("setting", [None, "", "   "])
def test_an_empty_setting_names_nothing(find, setting):
    assert find(setting) == []


def test_a_setting_with_spaces_is_a_command_line(home: Path, opt: Path):
    found = candidates("docker exec -i 'my name' python", {"PATH": ""}, home=home, opt=opt)
    assert found == (Candidate(("docker", "exec", "-i", "my name", "python"), NAMED),)


def test_a_setting_with_spaces_that_is_a_file_is_that_file(tmp_path: Path, home: Path, opt: Path):
    python = python_file(tmp_path / "my venv" / "python")
    assert candidates(python, {"PATH": ""}, home=home, opt=opt) == (Candidate((python,), NAMED),)


def test_a_venv_folder_stands_for_its_python_and_tilde_for_the_home_folder(home: Path, find):
    python = venv_at(home / "mine")
    for setting in ("~/mine", "~/mine/bin/python", str(home / "mine")):
        assert find(setting) == [(python, "--python")]


def test_a_single_word_is_looked_up_on_path(tmp_path: Path, find, monkeypatch):
    python = python_file(tmp_path / "usr" / "python3.14")
    python_file(tmp_path / "here" / "python3.14")
    monkeypatch.chdir(tmp_path / "here")
    assert find("python3.14", PATH=str(tmp_path / "usr")) == [(python, "--python")]
    assert find("python3.15", PATH=str(tmp_path / "usr")) == [("python3.15", "--python")]


def test_a_relative_path_is_that_of_the_current_folder(tmp_path: Path, find, monkeypatch):
    monkeypatch.chdir(tmp_path)
    python = python_file(tmp_path / "v" / "python")
    assert find("v/python") == [(python, "--python")]


def test_quotes_that_do_not_close_are_an_error_of_usage(find):
    with pytest.raises(UsageError) as error:
        find("docker exec 'my name python")
    assert "no closing quotation" in error.value.detail
