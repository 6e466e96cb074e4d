"""What is known of a Python after it was asked, and which one is preferred."""

import os
import sys
import threading
import time
from pathlib import Path

import pytest
from made_packages import make_venv, site_packages, write_program, write_wheel

from tui.host import interpreters
from tui.host.interpreters import NAMED, Candidate, Interpreter, ask, ask_all, forget, preferred


@pytest.fixture(autouse=True)
def nothing_known():
    forget()
    yield
    forget()


def asked(*argv: object, **options) -> Interpreter:
    return ask(Candidate(tuple(map(str, argv)), "PATH"), **options)


def test_a_venv_tells_its_version_folders_and_packages(tmp_path: Path):
    wheels = [
        write_wheel(tmp_path, "torch", "2.14.0+cpu"),
        write_wheel(tmp_path, "torch-neuronx", "2.14.3.0"),
        write_wheel(tmp_path, "huggingface_hub", "2.4.0"),
        write_wheel(tmp_path, "some-library", "1.5"),
    ]
    python = make_venv(tmp_path / "venv", wheels)
    found = asked(python, also=("Some.Library", "not-there"))
    assert found == Interpreter(
        argv=(str(python),),
        origin="PATH",
        version=".".join(map(str, sys.version_info[:3])),
        executable=str(python),
        prefix=str(tmp_path / "venv"),
        site_packages=(str(site_packages(tmp_path / "venv")),),
        packages={
            "torch": "2.14.0+cpu",
            "torch-neuronx": "2.14.3.0",
            "huggingface-hub": "2.4.0",
            "some-library": "1.5",
        },
        has_pip=False,
    )
    assert found.bin_folder == str(tmp_path / "venv" / "bin")
    assert not found.elsewhere


def test_torch_is_never_imported_to_tell_its_version(tmp_path: Path):
    wheel = write_wheel(tmp_path, "torch", "2.14.0", more={"torch.py": "raise SystemExit('imported')"})
    found = asked(make_venv(tmp_path / "venv", [wheel]))
    assert (found.packages, found.problem) == ({"torch": "2.14.0"}, "")


def test_the_first_on_the_path_wins(tmp_path: Path):
    python = make_venv(tmp_path / "base", [write_wheel(tmp_path, "transformers", "4.0.0")])
    upper = make_venv(tmp_path / "upper", [write_wheel(tmp_path, "transformers", "5.0.0")])
    line = f"import site; site.addsitedir({str(site_packages(tmp_path / 'base'))!r})\n"
    (site_packages(tmp_path / "upper") / "z.pth").write_text(line)
    assert asked(upper).packages["transformers"] == "5.0.0"
    assert asked(python).packages["transformers"] == "4.0.0"


def test_the_current_folder_is_not_imported_from(tmp_path: Path, monkeypatch):
    for name in ("json", "importlib", "sysconfig", "pip"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong one')")
    monkeypatch.chdir(tmp_path)
    found = asked(make_venv(tmp_path / "venv"))
    assert (found.problem, found.has_pip) == ("", False)


def test_noise_on_stdout_does_not_hide_the_answer(tmp_path: Path):
    python = make_venv(tmp_path / "venv", [write_wheel(tmp_path, "nki", "0.7.0")])
    noise = "import atexit, os\nprint('{', end='')\natexit.register(os.write, 1, b'good\\xffbye {')\n"
    (site_packages(tmp_path / "venv") / "sitecustomize.py").write_text(noise)
    assert asked(python).packages == {"nki": "0.7.0"}


def test_an_answer_counts_even_when_the_python_breaks_at_its_end(tmp_path: Path):
    python = write_program(tmp_path / "python", 'PYTHON "$@"; exit 134')
    assert asked(python).version == ".".join(map(str, sys.version_info[:3]))


def test_a_home_for_another_python_is_not_handed_on(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("PYTHONHOME", str(tmp_path))
    assert asked(make_venv(tmp_path / "venv")).problem == ""


def test_a_command_line_is_asked_in_the_same_way(tmp_path: Path, monkeypatch):
    inside = make_venv(tmp_path / "inside", [write_wheel(tmp_path, "torch-neuronx", "2.14.3.0")])
    write_program(tmp_path / "bin" / "docker", f'test "$1 $2 $3" = "exec -i box" && shift 4 && exec {inside} "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    found = asked("docker", "exec", "-i", "box", "python")
    assert (found.packages, found.executable) == ({"torch-neuronx": "2.14.3.0"}, str(inside))
    assert found.elsewhere
    assert found.name == "docker exec -i box python"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "echo broken >&2; echo 'ImportError: no \033[31mcolour' >&2; exit 3",
            r"exit code 3: ImportError: no \x1b[31mcolour",
        ),
        ("exit 4", "exit code 4"),
        ("kill -9 $$", "ended by SIGKILL"),
        ("exit 0", "not Python: it did not answer what it was asked"),
        ('echo "$@"', "not Python: it did not answer what it was asked"),
        ("echo Error: No such container: box; exit 1", "exit code 1: Error: No such container: box"),
    ],
)
def test_a_program_that_does_not_answer_says_why(tmp_path: Path, text: str, problem: str):
    found = asked(write_program(tmp_path / "python", text))
    assert (found.problem, found.version, found.packages) == (problem, None, {})


def test_a_file_that_cannot_be_started_says_why(tmp_path: Path):
    (tmp_path / "plain").write_text("words")
    (tmp_path / "binary").write_bytes(b"\x7fELF for another machine")
    (tmp_path / "binary").chmod(0o755)
    (tmp_path / "dangling").symlink_to("nothing")
    problems = {name: asked(tmp_path / name).problem for name in ("plain", "gone", "dangling", ".")}
    assert problems == {
        "plain": "not executable",
        "gone": "no such file",
        "dangling": "a link to nothing",
        ".": "a folder, not a program",
    }
    assert asked(tmp_path / "binary").problem.endswith("Exec format error")
    assert asked("no-such-docker", "exec", "python").problem == "no such program on PATH"


def test_a_python_that_is_silent_is_given_up_on(tmp_path: Path):
    started = time.monotonic()
    found = asked(write_program(tmp_path / "python", "sleep 60 & sleep 60"), timeout_s=0.3)
    assert found.problem == "did not answer within 0.3 s"
    assert time.monotonic() - started < 10


def test_a_python_that_is_too_old_is_said_to_be_so(tmp_path: Path):
    old = """echo "$3:"'{"version": "3.7.16", "prefix": "/old", "packages": {}}'"""
    found = asked(write_program(tmp_path / "python", old))
    assert (found.version, found.problem) == ("3.7.16", "Python 3.7.16 is too old, 3.8 or newer is needed")


@pytest.mark.parametrize("said", ["[1]", "{}", '{"version": 3}', "[" * 100_000, '{"version": "3.12.1"'])
def test_an_answer_of_another_shape_is_no_answer(tmp_path: Path, said: str):
    (tmp_path / "said").write_text(said)
    python = write_program(tmp_path / "python", f'printf "%s:" "$3"; cat {tmp_path / "said"}')
    assert asked(python).problem == "not Python: it did not answer what it was asked"


# Once, and several at once


def counting(path: Path, prefix: str) -> Path:
    """A Python that answers with this prefix and notes each time that it is asked."""
    said = f'{{"version": "3.12.4", "prefix": "{prefix}", "packages": {{}}}}'
    return write_program(path, f"echo asked >> {path}.asked; echo \"$3:\"'{said}'")


def times_asked(path: Path) -> int:
    return len(Path(f"{path}.asked").read_text().splitlines())


def test_each_is_asked_once_until_it_is_forgotten_or_more_is_wanted(tmp_path: Path):
    one, two = counting(tmp_path / "one", "/one"), counting(tmp_path / "two", "/two")
    for _ in range(2):
        assert asked(one, also=("a", "b")).version == asked(two).version == "3.12.4"
    asked(one, also=("b",))
    assert (times_asked(one), times_asked(two)) == (1, 1)
    assert ask(Candidate((str(one),), NAMED)).origin == NAMED
    asked(one, also=("c",))
    assert times_asked(one) == 2
    forget((str(one),))
    asked(one), asked(two)
    assert (times_asked(one), times_asked(two)) == (3, 1)
    forget()
    asked(two)
    assert times_asked(two) == 2


def test_several_are_asked_at_once_and_answer_in_the_given_order(tmp_path: Path, monkeypatch):
    together = threading.Barrier(3, timeout=20)

    def described(argv, _names, _timeout_s):
        together.wait()
        return {"version": "3.12.4", "prefix": argv[0]}

    monkeypatch.setattr(interpreters, "describe", described)
    found = ask_all([Candidate((name,), "PATH") for name in ("/c", "/a", "/b")])
    assert [interpreter.argv for interpreter in found] == [("/c",), ("/a",), ("/b",)]


def test_another_name_for_one_before_it_is_left_out(tmp_path: Path):
    shim, real = counting(tmp_path / "shim", "/usr"), counting(tmp_path / "real", "/usr")
    broken = write_program(tmp_path / "broken", "exit 1")
    pythons = [Candidate((str(path),), "PATH") for path in (shim, real, broken)]
    assert [found.argv[0] for found in ask_all(pythons)] == [str(shim), str(broken)]
    named = Candidate((str(real),), NAMED)
    assert [(found.argv[0], found.origin) for found in ask_all([named, *pythons])] == [
        (str(real), NAMED),
        (str(broken), "PATH"),
    ]


def test_a_container_with_the_same_folders_is_another_one(tmp_path: Path):
    real = counting(tmp_path / "real", "/usr")
    docker = write_program(tmp_path / "docker", f'shift 2; exec {real} "$@"')
    found = ask_all([Candidate((str(docker), "exec", "box"), NAMED), Candidate((str(real),), "PATH")])
    assert [(interpreter.prefix, interpreter.elsewhere) for interpreter in found] == [("/usr", True), ("/usr", False)]


def test_the_app_found_through_a_shim_is_left_out_unless_it_is_named(tmp_path: Path):
    shim = write_program(tmp_path / "python3", 'exec PYTHON "$@"')
    assert ask_all([Candidate((str(shim),), "PATH")]) == ()
    (found,) = ask_all([Candidate((str(shim),), NAMED)])
    assert found.prefix == sys.prefix


def test_nobody_to_ask_is_no_answer():
    assert ask_all([]) == ()


# The preferred one


def answered(name: str, origin: str = "PATH", **values) -> Interpreter:
    return Interpreter((name,), origin, version="3.12.4", **values)


def test_the_one_that_a_person_named_is_preferred_even_with_a_problem():
    stack = answered("/stack", packages={"torch-neuronx": "2.14.3.0"})
    named = Interpreter(("/gone",), NAMED, problem="no such file")
    assert preferred([stack, named]) is named


def test_else_the_first_with_torch_neuronx_then_the_first_that_answered():
    broken = Interpreter(("/broken",), "VIRTUAL_ENV", problem="exit code 1")
    plain, stack = answered("/plain"), answered("/stack", packages={"torch-neuronx": "2.14.3.0"})
    assert preferred([broken, plain, stack]) is stack
    assert preferred([broken, plain]) is plain
    assert preferred([broken]) is None
    assert preferred([]) is None
