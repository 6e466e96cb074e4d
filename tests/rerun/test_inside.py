"""Runs whose interpreter is a command line into a container: handed in, watched, and ended inside."""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_docker import FakeDocker
from real_runs import RealRuns, gone

from tui.rerun import identity, inside, runs
from tui.rerun.identity import Identity
from tui.rerun.run import Result, State
from tui.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc: Linux only")

ELSEWHERE = ("docker", "exec", "-i", "box", "python")

# Of its own in each process: these tests may run twice at once on one machine.
TOKEN = secrets.token_hex(8)

# The supervisor of a user who is not root sees no environment of a process in a container.
WALL = "import tui.rerun.members as members; members._has_token = lambda pid, token: False"


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeDocker]:
    with FakeDocker(tmp_path / "bin") as daemon:
        monkeypatch.setenv("PATH", f"{daemon.folder}:{os.environ['PATH']}")
        yield daemon


@pytest.fixture
def real(settings: Settings, docker: FakeDocker) -> Iterator[RealRuns]:
    with RealRuns(settings) as made:
        yield made


def run_inside(script, *, argv=("python", "run.py"), environment=None, token=TOKEN, **options):
    with inside.handed_over(script, argv, environment or {}, token) as stdin:
        return subprocess.Popen(
            inside.start_argv(ELSEWHERE, token),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **options,
        )


def said(script, **options):
    child = run_inside(script, **options)
    return child.communicate(timeout=30)[0], child.returncode


def written(path: Path) -> str:
    deadline = time.monotonic() + 20
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return path.read_text()


def process(path: Path) -> Identity:
    found = identity.of(int(written(path)))
    assert found is not None
    return found


@pytest.mark.parametrize(("ending", "code"), [("pass", 0), ("sys.exit(3)", 3), ("os.kill(os.getpid(), 9)", 137)])
def test_the_exit_code_comes_out(docker, ending, code):
    assert said(f"import os, sys\n{ending}") == ("", code)


def test_the_script_runs_in_a_folder_of_its_own_that_is_removed(docker):
    out, code = said(
        "import os, sys; print(os.getcwd()); print(sys.argv)\n"
        "print(repr(sys.stdin.read()), os.getsid(0) == os.getpid(), 'ü')",
        argv=("python", "run.py", "--x", "a b"),
    )
    folder, words, rest = out.splitlines()
    assert (words, rest, code) == (str(["run.py", "--x", "a b"]), "'' True ü", 0)
    assert Path(folder).name.startswith("trn-models-") and not Path(folder).exists()


def test_the_environment_there_is_its_own_with_what_is_set_and_the_python_first_on_path(docker):
    out, _ = said(
        "import os\nfor n in ('INSIDE', 'ADDED', 'HERE', 'TRN_MODELS_RUN', 'PATH'): print(os.environ.get(n))",
        environment={"ADDED": "1", "PATH": "/of/this/side"},
        env=os.environ | {"HERE": "yes"},
    )
    assert out.splitlines() == [
        "yes",
        "1",
        "None",
        TOKEN,
        f"{Path(sys.executable).parent}:/opt/aws/neuron/bin:/usr/bin:/bin",
    ]


def test_secrets_and_script_are_in_no_command_line(docker):
    said("pass # text of the script", environment={"HF_TOKEN": "hf_secret"})
    assert "hf_secret" not in str(docker.calls) and "text of the script" not in str(docker.calls)


def test_a_step_without_a_script_runs_the_program_that_it_names(docker):
    assert said(None, argv=("echo", "a  b")) == ("a  b\n", 0)
    out, code = said(None, argv=("no-such-program",))
    assert code == 127 and out.startswith("trn-models: no-such-program: ")


def test_ending_the_client_ends_nothing_inside_and_a_signal_by_token_does(docker, tmp_path):
    client = run_inside(
        f"import os, time\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)"
    )
    script = process(tmp_path / "pid")
    folder = Path(f"/proc/{script.pid}/cwd").resolve()
    client.kill()
    client.wait()
    client.stdout.close()
    assert identity.alive(script)
    assert inside.signal_inside(ELSEWHERE, "another", signal.SIGKILL) == inside.Answer(0)
    assert inside.signal_inside(ELSEWHERE, TOKEN, None) == inside.Answer(1)
    answer = inside.signal_inside(ELSEWHERE, TOKEN, signal.SIGTERM)
    assert (answer.left, answer.signalled) == (1, (f"pid {script.pid} {sys.executable} run.py",))
    assert gone(script)
    deadline = time.monotonic() + 10
    while folder.exists() or inside.signal_inside(ELSEWHERE, TOKEN, None) != inside.Answer(0):
        assert time.monotonic() < deadline


def test_a_signal_reaches_what_left_the_session_and_dropped_its_environment(docker, tmp_path):
    script = f"""
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        program = "import os, time; open({str(tmp_path / "pid")!r}, 'w').write(str(os.getpid())); time.sleep(60)"
        os.execve(sys.executable, [sys.executable, "-c", program], {{}})
    os._exit(0)
os.wait()
time.sleep(60)
"""
    client = run_inside(script)
    detached = process(tmp_path / "pid")
    assert len(inside.signal_inside(ELSEWHERE, TOKEN, signal.SIGKILL).signalled) == 2
    assert gone(detached)
    assert client.wait(10) == 137


def test_what_cannot_be_asked_is_told(tmp_path):
    answer = inside.signal_inside(("docker-that-is-not-here", "exec"), TOKEN, None)
    assert answer.left is None and answer.trouble
    answer = inside.signal_inside(("sh", "-c", "echo no such container >&2; exit 1"), TOKEN, None)
    assert answer == inside.Answer(None, trouble="no such container")
    answer = inside.signal_inside(("sleep", "60", ";"), TOKEN, None, timeout_s=0.2)
    assert answer.left is None


def test_a_run_inside_is_logged_and_ends_with_its_exit_code(real):
    run = real.start(
        "print('at work', os.environ['INSIDE'], os.environ['HF_TOKEN'], sys.argv)\ntime.sleep(0.3); sys.exit(3)",
        argv=("python", "run.py", "--steps", "1"),
        elsewhere=ELSEWHERE,
        hidden={"HF_TOKEN": "hf_secret"},
        env={"HF_TOKEN": "hf_secret"},
        before=WALL,
    )
    real.until(run, lambda now: now.note == "processes and memory inside the container cannot be seen from here")
    outcome = real.outcome(run)
    assert (outcome.result, outcome.exit_code, outcome.killed, outcome.note) == (Result.FAILED, 3, (), "")
    assert outcome.peak_host_memory_bytes is None
    log = real.log(run)
    assert "trn-models: docker exec -i box python run.py --steps 1\n" in log
    assert "at work yes hf_secret ['run.py', '--steps', '1']\n" in log


def test_processes_inside_are_counted_where_they_can_be_seen(real, tmp_path):
    run = real.start(
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)",
        elsewhere=ELSEWHERE,
        argv=("python", "run.py"),
    )
    process(tmp_path / "pid")
    now = real.until(run, lambda now: now.processes)
    # The client and the program that started it inside are not the run's own.
    assert (now.processes, now.note) == (1, "")


def test_a_stop_lets_the_script_inside_clean_up_and_keeps_its_last_words(real, tmp_path):
    run = real.start(
        f"try:\n    open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(60)\n"
        "except KeyboardInterrupt:\n    print('saved'); sys.exit(7)",
        argv=("python", "run.py"),
        elsewhere=ELSEWHERE,
        before=WALL,
        timing={"sigint_s": 20.0},
    )
    script = process(tmp_path / "pid")
    real.stop(run)
    outcome = real.outcome(run)
    assert (outcome.result, outcome.exit_code, outcome.killed, outcome.note) == (Result.STOPPED, 7, (), "")
    assert "saved\n" in real.log(run)
    assert gone(script, within_s=0)


def test_a_stop_inside_goes_on_to_sigkill_and_tells_what_it_killed(real, docker, tmp_path):
    run = real.start(
        "for number in (signal.SIGINT, signal.SIGTERM): signal.signal(number, signal.SIG_IGN)\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)",
        argv=("python", "run.py"),
        elsewhere=ELSEWHERE,
        before=WALL,
    )
    script = process(tmp_path / "pid")
    real.stop(run)
    outcome = real.outcome(run)
    assert (outcome.result, outcome.exit_code) == (Result.STOPPED, 137)
    assert outcome.killed == (f"inside: pid {script.pid} {sys.executable} run.py (SIGKILL)",)
    assert gone(script, within_s=0)
    signals = [words[-1] for words in docker.calls if words[-1].startswith("SIG")]
    assert signals == ["SIGINT", "SIGTERM", "SIGKILL"]


def test_a_client_that_is_killed_leaves_nothing_inside(real, tmp_path):
    run = real.start(
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)",
        argv=("python", "run.py"),
        elsewhere=ELSEWHERE,
        before=WALL,
    )
    script = process(tmp_path / "pid")
    os.kill(real.main_pid(run), signal.SIGKILL)
    outcome = real.outcome(run)
    assert (outcome.result, outcome.signal) == (Result.FAILED, signal.SIGKILL)
    assert outcome.killed == (f"inside: pid {script.pid} {sys.executable} run.py (SIGTERM)",)
    assert gone(script, within_s=0)


def test_a_stop_ends_the_client_also_when_the_container_does_not_answer_and_says_so(real, docker, tmp_path):
    run = real.start(
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)",
        argv=("python", "run.py"),
        elsewhere=ELSEWHERE,
        before=f"{WALL}\nimport tui.rerun.supervisor as supervisor; supervisor._OUTPUT_ENDS_S = 0.1",
    )
    script = process(tmp_path / "pid")
    (docker.folder / "docker").write_text("#!/bin/sh\necho container box is not running >&2\nexit 1\n")
    real.stop(run)
    outcome = real.outcome(run)
    assert outcome.result is Result.STOPPED
    assert outcome.note == "whether anything of it is left inside is not known: container box is not running"
    assert runs.read(run.folder).state is State.FINISHED
    os.kill(script.pid, signal.SIGKILL)
