"""What a supervisor starts a script with, what it prepares for it, and when it starts nothing."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from real_runs import RealRuns, gone
from run_folders import end

from tui.process import module_argv
from tui.rerun import runs
from tui.rerun.run import Result
from tui.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sub-reaper and /proc: Linux only")


@pytest.fixture
def real(settings: Settings) -> Iterator[RealRuns]:
    with RealRuns(settings) as made:
        yield made


def test_the_script_gets_no_input_no_terminal_its_folder_and_a_session_of_its_own(real):
    run = real.start("print([sys.stdin.read(), os.getcwd(), os.getsid(0) == os.getpid(), os.isatty(1)])")
    real.outcome(run)
    assert str(["", str(run.folder), True, False]) in real.log(run)


def test_no_signal_is_blocked_or_ignored_in_the_script(real):
    run = real.create(None, argv=("grep", "-E", "^(SigBlk|SigIgn)", "/proc/self/status"))
    block = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [2, 15]); signal.signal(1, signal.SIG_IGN)"
    real.supervise(run, before=block)
    real.outcome(run)
    assert "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n" in real.log(run)


def test_the_environment_is_the_inherited_one_with_that_of_the_plan_and_the_token(real):
    names = ("INHERITED", "PATH", "ADDED", "HF_TOKEN", "PYTHONHOME", "PYTHONPATH", "TRN_MODELS_RUN", "MASTER_PORT")
    run = real.create(
        None,
        argv=("sh", "-c", 'for n in "$@"; do eval "echo \\"$n=\\${$n-unset}\\""; done', "sh", *names),
        environment={"PATH": f"/venv/bin:{os.environ['PATH']}", "ADDED": "$HOME 'x'"},
        hidden={"HF_TOKEN": "hf_secret"},
    )
    # Only the supervisor's program would not start with a wrong PYTHONHOME.
    real.supervise(
        run,
        {"INHERITED": "yes", "HF_TOKEN": "hf_secret", "PYTHONPATH": "/mine"},
        "import os; os.environ['PYTHONHOME'] = '/x'",
    )
    real.outcome(run)
    said = real.log(run).splitlines()[3:-1]
    assert said[:-2] == [
        "INHERITED=yes",
        f"PATH=/venv/bin:{os.environ['PATH']}",
        "ADDED=$HOME 'x'",
        "HF_TOKEN=hf_secret",
        "PYTHONHOME=unset",
        "PYTHONPATH=/mine",
    ]
    assert said[-2:] == [f"TRN_MODELS_RUN={run.token}", "MASTER_PORT=unset"]


def test_a_secret_in_an_argument_is_not_in_the_line_that_tells_what_is_started(real):
    run = real.create(None, argv=("true", "--token=hf_secret"), hidden={"HF_TOKEN": "hf_secret"})
    real.supervise(run, {"HF_TOKEN": "hf_secret"})
    real.outcome(run)
    assert "hf_secret" not in real.log(run)
    assert "true '--token=(not kept: HF_TOKEN)'" in real.log(run)


def test_a_program_that_is_not_there_is_told_as_not_started(real):
    run = real.start(None, argv=("/nowhere/python", "run.py"))
    outcome = real.outcome(run)
    assert (outcome.result, outcome.exit_code, outcome.wall_s) == (Result.NOT_STARTED, None, 0.0)
    assert "/nowhere/python cannot be started: " in outcome.note and "No such file" in outcome.note
    assert real.log(run).splitlines()[-1].startswith("trn-models: not started: /nowhere/python cannot be started")


def test_a_run_that_cannot_be_read_is_told_on_stderr_and_nothing_stays(real):
    run = real.create("pass")
    (run.folder / "run.py").unlink()
    done = subprocess.run(module_argv("tui.rerun.supervisor", str(run.folder)), capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and f"What run {run.id} ran cannot be read" in done.stderr


NEFF_FOLDERS = ("TORCH_NEURONX_NEFF_CACHE_DIR", "TORCH_NEURONX_NEFF_LOCAL_CACHE_DIR")


def test_the_folders_for_compiled_graphs_and_their_locks_are_there_for_this_user_alone(real, tmp_path):
    folders = {name: str(tmp_path / "cache" / name) for name in NEFF_FOLDERS}
    shows = f"print([oct(os.stat(os.environ[name]).st_mode) for name in {NEFF_FOLDERS}])"
    run = real.start(shows, environment=folders)
    assert real.outcome(run).note == ""
    assert "['0o40700', '0o40700']" in real.log(run)


def test_a_folder_for_locks_that_cannot_be_made_is_told_and_the_run_goes_on(real, tmp_path):
    (tmp_path / "file").touch()
    run = real.start("print('at work')", environment={NEFF_FOLDERS[1]: str(tmp_path / "file" / "locks")})
    outcome = real.outcome(run)
    told = f"{NEFF_FOLDERS[1]}: {tmp_path / 'file' / 'locks'} cannot be used: Not a directory"
    assert (outcome.result, outcome.note) == (Result.DONE, told)
    assert f"trn-models: {told}\n" in real.log(run) and "at work\n" in real.log(run)


def test_a_supervisor_that_comes_to_life_after_its_start_was_given_up_starts_nothing(real):
    run = real.create("note('main')")
    end(run, result=Result.NOT_STARTED, exit_code=None, note="no answer within 18 s")
    argv = module_argv("tui.rerun.supervisor", str(run.folder))
    done = subprocess.run(argv, capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (1, "The run is over: its start was given up before.\n")
    now = runs.read(run.folder)
    assert (now.outcome.note, now.supervisor) == ("no answer within 18 s", None)
    assert not (run.folder / "main").exists() and not (run.folder / "log").exists()


@pytest.mark.parametrize("cores", [0, 4])
def test_a_start_that_is_given_up_while_the_supervisor_wakes_up_starts_nothing(real, cores):
    given_up = (
        "import run_folders, tui.rerun.supervisor as supervisor\nfrom tui.rerun.run import Result\n"
        "begin = supervisor._Supervisor.bring_to_its_end\n"
        "def late(self):\n"
        "    run_folders.end(self.run, result=Result.NOT_STARTED, exit_code=None, note='no answer')\n"
        "    begin(self)\n"
        "supervisor._Supervisor.bring_to_its_end = late"
    )
    run = real.create("note('main')", cores=cores, any_host=True)
    supervisor = real.supervise(run, before=given_up).supervisor
    assert supervisor is None or gone(supervisor)
    now = runs.read(run.folder)
    assert (now.outcome.result, now.outcome.note, now.cores) == (Result.NOT_STARTED, "no answer", ())
    assert not (run.folder / "main").exists()
    assert "its start was given up before" in real.log(run)
