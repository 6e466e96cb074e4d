"""Packages on top of an interpreter: the real pip, real venvs, and wheels made by hand."""

import ensurepip
import json
import os
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from made_packages import make_venv, site_packages, write_program, write_wheel

from tui import file_lock
from tui.errors import UsageError
from tui.host.interpreters import Candidate, Interpreter, ask, forget
from tui.process import Finished, run_bounded
from tui.rerun import overlay

NEWER = ("transformers==5.23.1",)


@pytest.fixture(autouse=True)
def nothing_known():
    forget()
    yield
    forget()


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index that pip sees."""
    folder = tmp_path_factory.mktemp("wheels")
    write_wheel(folder, "torch", "2.14.0+cpu", more={"torchrun_of_torch.py": ""})
    write_wheel(folder, "torch", "2.15.0")
    write_wheel(folder, "torch-neuronx", "2.14.3.0", ["torch"])
    write_wheel(folder, "numpy", "1.26.4")
    write_wheel(folder, "numpy", "2.4.0")
    write_wheel(folder, "transformers", "4.57.0", ["torch>=2"])
    write_wheel(folder, "transformers", "5.23.1", ["torch>=2", "numpy>=2"])
    write_wheel(folder, "wants-another-torch", "1.0", ["torch>=2.15"])
    return folder


def stack_of(wheels: Path) -> list[Path]:
    names = ("torch-2.14.0+cpu", "torch_neuronx-2.14.3.0", "numpy-1.26.4", "transformers-4.57.0")
    return [wheels / f"{name}-py3-none-any.whl" for name in names]


@pytest.fixture(scope="module")
def pip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pip that comes with Python: compiled once, and not in each venv anew."""
    (wheel,) = (Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl")
    folder = tmp_path_factory.mktemp("pip")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder)
    return folder


def give_pip(venv: Path, pip: Path) -> None:
    (site_packages(venv) / "pip.pth").write_text(f"{pip}\n")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, wheels: Path, pip: Path) -> Path:
    """A venv with pip and the packages of a Neuron venv; nobody changes it."""
    folder = tmp_path_factory.mktemp("base") / "aws venv é"
    make_venv(folder, stack_of(wheels))
    give_pip(folder, pip)
    # A package that was installed for editing is on a path of its own, named by a .pth file.
    (folder / "edited").mkdir()
    (folder / "edited" / "edited.py").write_text("")
    (site_packages(folder) / "edited.pth").write_text(f"{folder / 'edited'}\n")
    write_program(folder / "bin" / "torchrun", "echo the wrong one")
    return folder


@pytest.fixture(scope="module")
def base(made: Path) -> Interpreter:
    return asked(made / "bin" / "python")


def asked(python: Path) -> Interpreter:
    forget((str(python),))
    found = ask(Candidate((str(python),), "home folder"))
    assert found.problem == ""
    return found


@pytest.fixture
def environ(wheels: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}
    options = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": os.devnull}
    return kept | options | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_COMPILE": "1"}


@pytest.fixture
def install(environ: dict[str, str]):
    def step(interpreter: Interpreter, into: Path | None, packages: tuple[str, ...] = NEWER, **more: str) -> Finished:
        argv = overlay.install_argv(interpreter, into, packages)
        return run_bounded(argv, timeout_s=60, env=environ | more)

    return step


def tells(python: Path, program: str) -> str:
    return subprocess.run([python, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


VERSIONS = "import torch, transformers, numpy; print(torch.__version__, transformers.__version__, numpy.__version__)"


def test_packages_come_on_top_and_the_interpreter_stays_as_it_is(tmp_path: Path, base, made: Path, install):
    into = overlay.folder(tmp_path, base, NEWER)
    assert overlay.of(into, base, NEWER) is None
    # Settings of a person that would lead pip elsewhere.
    finished = install(base, into, PIP_USER="1", PIP_TARGET=str(tmp_path / "target"))
    assert finished.returncode == 0, finished.stdout + finished.stderr
    found = overlay.of(into, base, NEWER)
    assert found is not None
    assert found.prefix == str(into)
    assert {name: found.packages[name] for name in ("torch", "torch-neuronx", "transformers")} == {
        "torch": "2.14.0+cpu",
        "torch-neuronx": "2.14.3.0",
        "transformers": "5.23.1",
    }
    python = into / "bin" / "python"
    assert tells(python, VERSIONS) == "2.14.0+cpu 5.23.1 2.4.0"
    assert tells(made / "bin" / "python", VERSIONS) == "2.14.0+cpu 4.57.0 1.26.4"
    assert tells(python, "import torch; print(torch.__file__)") == str(site_packages(made) / "torch.py")
    tells(python, "import edited")
    assert not (tmp_path / "target").exists()
    # What was done can be read, and done by hand.
    lines = finished.stdout.splitlines()
    assert lines[0] == f"overlay venv {into} on top of {made}"
    assert lines[1] == f"$ '{made}/bin/python' -m venv --without-pip {into}"
    assert "stays: torch 2.14.0+cpu" in lines
    pip = f"$ {into}/bin/python -m pip install --no-input --constraint {into}/constraints.txt transformers==5.23.1"
    assert pip in lines
    assert lines[-1] == f"overlay venv {into} is complete"
    assert (into / "constraints.txt").read_text() == "torch-neuronx==2.14.3.0\ntorch==2.14.0+cpu\n"
    # Ranks are started by the Python that sees the packages.
    assert "torch.distributed.run" in (into / "bin" / "torchrun").read_text()
    assert os.access(into / "bin" / "torchrun", os.X_OK)
    again = install(base, into)
    assert (again.returncode, again.stdout) == (0, f"overlay venv {into} is there already\n")
    changed(into, base)


def changed(into: Path, base: Interpreter) -> None:
    """An overlay is for one interpreter as it was, and for one set of packages."""
    assert overlay.of(into, base, ("transformers==4.57.0",)) is None
    newer = {**base.packages, "torch": "2.15.0"}
    for other in (
        replace(base, packages=newer),
        replace(base, version="3.14.0"),
        replace(base, prefix="/somewhere/else"),
        replace(base, argv=("docker", "exec", "box", "python")),
    ):
        assert overlay.of(into, other, NEWER) is None
    marker = into / "trn-models.json"
    kept = marker.read_text()
    for damaged in ("", "[]", kept[:-9], json.dumps(json.loads(kept) | {"made_at": None})):
        marker.write_text(damaged)
        assert overlay.of(into, base, NEWER) is None
    marker.write_text(kept)
    (into / "bin" / "python").unlink()
    assert overlay.of(into, base, NEWER) is None


def test_a_package_that_wants_another_torch_fails_with_what_pip_says(tmp_path: Path, base, made: Path, install):
    wanted = ("wants-another-torch==1.0",)
    into = overlay.folder(tmp_path, base, wanted)
    finished = install(base, into, wanted)
    assert finished.returncode == 1
    assert "The user requested (constraint) torch==2.14.0+cpu" in finished.stdout + finished.stderr
    assert "ResolutionImpossible" in finished.stderr
    assert overlay.of(into, base, wanted) is None
    assert json.loads((into / "trn-models.json").read_text())["made_at"] is None
    assert tells(made / "bin" / "python", VERSIONS) == "2.14.0+cpu 4.57.0 1.26.4"
    # The next time it is made from the start.
    (into / "left over").touch()
    again = install(base, into, wanted)
    assert again.stdout.startswith(f"overlay venv {into} is half made or outdated: made again\n")
    assert not (into / "left over").exists()


def test_an_interpreter_that_is_a_venv_of_a_venv_and_has_no_pip(
    tmp_path: Path, made: Path, wheels: Path, pip: Path, install
):
    own = [wheels / "torch-2.15.0-py3-none-any.whl", wheels / "transformers-4.57.0-py3-none-any.whl"]
    python = make_venv(tmp_path / "inner", own, python=str(made / "bin" / "python"))
    inner = asked(python)
    assert not inner.has_pip
    into = overlay.folder(tmp_path / "cache", inner, NEWER)
    # Stands before the real one, which does the same in ten times the time.
    give = f"open(sysconfig.get_path('purelib') + '/pip.pth', 'w').write({str(pip)!r})"
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "ensurepip.py").write_text(f"import sysconfig; {give}")
    finished = install(inner, into, PYTHONPATH=str(tmp_path / "path"))
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert f"$ {into}/bin/python -m ensurepip" in finished.stdout.splitlines()
    assert tells(into / "bin" / "python", VERSIONS) == "2.15.0 5.23.1 2.4.0"
    assert not asked(python).has_pip
    assert asked(python).packages["transformers"] == "4.57.0"
    # Packages on top of what is already on top of something.
    upper = asked(into / "bin" / "python")
    assert upper.packages["torch"] == "2.15.0"


def test_it_goes_into_the_interpreter_itself_when_that_was_chosen(tmp_path: Path, wheels: Path, pip: Path, install):
    python = make_venv(tmp_path / "venv", stack_of(wheels))
    give_pip(tmp_path / "venv", pip)
    finished = install(asked(python), None)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert f"into {tmp_path / 'venv'} itself" in finished.stdout
    assert f"$ {python} -m pip install --no-input --constraint " in finished.stdout
    assert "stays: torch 2.14.0+cpu" in finished.stdout
    now = tells(python, VERSIONS)
    assert now == "2.14.0+cpu 5.23.1 2.4.0"


def test_an_interpreter_without_pip_is_left_as_it_is(tmp_path: Path, install):
    python = make_venv(tmp_path / "venv")
    finished = install(asked(python), None)
    assert finished.returncode == 1
    assert finished.stdout == f"{python} has no pip; it is left as it is\n"


def test_a_folder_of_somebody_else_is_not_removed(tmp_path: Path, base, install):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    finished = install(base, tmp_path / "mine")
    assert finished.returncode == 1
    assert "nothing was removed" in finished.stdout
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_an_interpreter_that_cannot_be_asked_ends_it(tmp_path: Path, install):
    gone = Interpreter((str(tmp_path / "gone"),), "--python")
    finished = install(gone, tmp_path / "into")
    assert (finished.returncode, finished.stdout) == (1, f"{tmp_path / 'gone'}: no such file\n")
    assert not (tmp_path / "into").exists()


def test_a_folder_that_cannot_be_made_is_said_and_not_a_traceback(tmp_path: Path, base, install):
    (tmp_path / "file").touch()
    finished = install(base, tmp_path / "file" / "into")
    assert finished.returncode == 1
    assert "file" in finished.stdout
    assert finished.stderr == ""


@pytest.mark.parametrize("words", ["-r /etc/passwd", "--index-url=http://127.0.0.1", "two words"])
def test_what_is_no_requirement_never_reaches_pip(tmp_path: Path, base, install, words: str):
    finished = install(base, tmp_path / "into", (words,))
    assert finished.returncode == 2
    assert "is no requirement" in finished.stdout
    assert not (tmp_path / "into").exists()


def gone(pid: int) -> bool:
    try:
        process = psutil.Process(pid)
        return process.status() == psutil.STATUS_ZOMBIE or process.wait(10) is None
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_with_all_that_it_started(tmp_path: Path, environ, number: signal.Signals):
    said = json.dumps({"version": "3.12.4", "prefix": "/venv"})
    # Making the venv takes for ever, and a child of it does not listen to the signals at all.
    making = '(trap "" INT TERM HUP; exec sleep 60) & echo pids $$ $!; wait'
    python = write_program(tmp_path / "python", f"""test "$2" = venv || exec echo "$3:"'{said}'\n{making}""")
    argv = overlay.install_argv(Interpreter((str(python),), "--python"), tmp_path / "into", NEWER)
    with started(argv, environ) as step:
        parent, child = map(int, line_with(step, "pids").split()[1:])
        step.send_signal(number)
        assert step.wait(20) == 128 + number
        assert gone(parent)
        assert gone(child)
    assert json.loads((tmp_path / "into" / "trn-models.json").read_text())["made_at"] is None


@contextmanager
def started(argv: list[str], environ: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """The step, ended after 30 s at the latest."""
    with subprocess.Popen(argv, env=environ, stdout=subprocess.PIPE, text=True) as step:
        guard = threading.Timer(30, step.kill)
        guard.start()
        try:
            yield step
        finally:
            guard.cancel()
            step.kill()


def line_with(step: subprocess.Popen[str], word: str) -> str:
    assert step.stdout is not None
    return next(line for line in step.stdout if word in line)


def test_the_second_of_two_installs_waits_and_can_be_stopped_meanwhile(tmp_path: Path, base, environ):
    argv = overlay.install_argv(base, tmp_path / "into", NEWER)
    with file_lock.held(tmp_path / "into.lock", 5), started(argv, environ) as step:
        line_with(step, f"waiting for another install into {tmp_path / 'into'}")
        step.terminate()
        assert step.wait(20) == 128 + signal.SIGTERM
    assert not (tmp_path / "into").exists()


def test_the_folder_is_named_after_the_interpreter_and_differs_with_all_that_counts(tmp_path: Path):
    def folder(prefix: str, version: str, *packages: str) -> Path:
        return overlay.folder(tmp_path, Interpreter((f"{prefix}/bin/python",), "", version, prefix=prefix), packages)

    one = folder("/opt/aws_neuronx_venv_pytorch_2_14", "3.12.4", "a==1", "b==2")
    assert one.parent == tmp_path / "overlays"
    assert one.name.startswith("aws_neuronx_venv_pytorch_2_14-")
    assert one == folder("/opt/aws_neuronx_venv_pytorch_2_14", "3.12.4", "b==2", "a==1")
    others = {
        folder("/opt/aws_neuronx_venv_pytorch_2_14", "3.12.4", "a==1"),
        folder("/opt/aws_neuronx_venv_pytorch_2_14", "3.13.4", "a==1", "b==2"),
        folder("/home/x/aws_neuronx_venv_pytorch_2_14", "3.12.4", "a==1", "b==2"),
        folder("/home/x/ö ../$(touch x)", "3.12.4", "a==1"),
        folder("/", "3.12.4", "a==1"),
        one,
    }
    assert len(others) == 6
    assert {path.parent for path in others} == {tmp_path / "overlays"}


def test_inside_a_container_the_stack_is_pinned_beside_the_packages():
    packages = {"torch": "2.14.0+cpu", "nki": "0.7.0", "transformers": "4.57.0", "neuronx-cc": "no version"}
    inside = Interpreter(("docker", "exec", "-i", "box", "python"), "--python", packages=packages)
    assert overlay.install_argv(inside, None, NEWER) == [
        *("docker", "exec", "-i", "box", "python", "-m", "pip", "install", "--no-input"),
        *("transformers==5.23.1", "torch==2.14.0+cpu", "nki==0.7.0"),
    ]
    with pytest.raises(UsageError) as error:
        overlay.install_argv(inside, Path("/cache/overlays/x"), NEWER)
    assert "docker exec -i box python" in error.value.detail


def test_the_step_is_started_by_the_app_and_names_the_interpreter_as_it_named_itself(tmp_path: Path):
    shim = Interpreter(("/shims/python3",), "PATH", "3.12.4", executable="/versions/3.12.4/bin/python3")
    argv = overlay.install_argv(shim, tmp_path, NEWER)
    assert argv[0] == sys.executable
    assert argv[-6:] == ["--python", "/versions/3.12.4/bin/python3", "--into", str(tmp_path), "--", *NEWER]
    assert "--own" in overlay.install_argv(shim, None, NEWER)
