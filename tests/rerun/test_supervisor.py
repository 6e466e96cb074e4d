"""What becomes of a run, with real processes: how it is started, watched, stopped, and what is written down."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from real_runs import RealRuns, gone

from tui.process import module_argv
from tui.rerun import identity, members, runs
from tui.rerun.run import Result, State
from tui.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sub-reaper and /proc: Linux only")

ENDLESS = "note('main')\nwhile True: time.sleep(0.05)"


@pytest.fixture
def real(settings: Settings) -> Iterator[RealRuns]:
    with RealRuns(settings) as made:
        yield made


@pytest.mark.parametrize(("code", "result"), [(0, Result.DONE), (3, Result.FAILED)])
def test_the_exit_code_is_written_down_with_the_wall_time(real, code, result):
    run = real.start(f"print('step 1'); time.sleep(0.3); print('step 2', file=sys.stderr); sys.exit({code})")
    outcome = real.outcome(run)
    assert (outcome.result, outcome.exit_code, outcome.signal) == (result, code, None)
    assert 0.3 < outcome.wall_s < 10
    assert (outcome.killed, outcome.note) == ((), "")
    ended = runs.read(run.folder)
    assert ended.started_at is not None and ended.started_at < outcome.ended_at
    assert ended.processes == 0


def test_a_main_process_that_is_killed_leaves_its_signal_and_no_exit_code(real):
    run = real.start(ENDLESS)
    os.kill(real.pid(run, "main").pid, signal.SIGKILL)
    outcome = real.outcome(run)
    assert (outcome.result, outcome.exit_code, outcome.signal) == (Result.FAILED, None, signal.SIGKILL)


def test_the_log_begins_with_what_is_started_and_has_both_streams(real):
    run = real.start(
        "print('loaded', flush=True); print('warned', file=sys.stderr)", argv=(sys.executable, "run.py", "a b")
    )
    real.outcome(run)
    lines = real.log(run).splitlines()
    assert lines[0].startswith(f"trn-models: run {run.id}: run of acme/small, 20")
    assert lines[1] == f"trn-models: {sys.executable} run.py 'a b'"
    assert lines[2] == f"trn-models: in {run.folder}, on no Neuron device"
    assert lines[3:5] == ["loaded", "warned"]
    assert lines[5].startswith("trn-models: ended with exit code 0 after ")
    assert len(lines) == 6


def test_state_tells_processes_ranks_compilers_and_beats_while_it_runs(real, tmp_path):
    compiler = tmp_path / "neuronx-cc"
    compiler.write_text("import time; time.sleep(30)")
    run = real.start(
        "subprocess.Popen([sys.executable, sys.argv[1]])\n"
        "for rank in range(3): subprocess.Popen(['sleep', '30'], env=os.environ | {'RANK': str(rank)})\n" + ENDLESS,
        argv=(sys.executable, "run.py", str(compiler)),
    )
    now = real.until(run, lambda now: (now.processes, now.ranks, now.compilers) == (5, 3, 1))
    assert now.state is State.RUNNING
    real.until(run, lambda later: later.heartbeat_at > now.heartbeat_at)
    values = json.loads((run.folder / "state.json").read_text())
    assert values["main_pid"] == real.pid(run, "main").pid
    assert values["supervisor"]["pid"] != values["main_pid"]


def test_ranks_of_multiprocessing_are_counted_as_processes_and_no_rank_is_claimed(real):
    run = real.start(
        "import multiprocessing\n"
        "def work(rank): note(f'rank{rank}'); time.sleep(30)\n"
        "if __name__ == '__main__':\n"
        "    context = multiprocessing.get_context('fork')\n"
        "    for rank in range(2): context.Process(target=work, args=(rank,)).start()\n"
    )
    now = real.until(run, lambda now: now.processes == 3)
    assert now.ranks is None
    real.stop(run)
    assert real.outcome(run).result is Result.STOPPED


def test_the_peak_of_host_memory_has_what_all_processes_took_also_when_they_gave_it_back(real):
    run = real.start(
        "child = subprocess.Popen([sys.executable, '-c', 'x = bytearray(30_000_000); x[::4096] = x[::4096]; input()'],"
        " stdin=subprocess.PIPE)\n"
        "x = bytearray(50_000_000); time.sleep(1); del x; child.communicate(); time.sleep(0.5)"
    )
    outcome = real.outcome(run)
    assert outcome.peak_host_memory_bytes is not None
    assert 80_000_000 < outcome.peak_host_memory_bytes < 200_000_000
    assert runs.read(run.folder).peak_host_memory_bytes == outcome.peak_host_memory_bytes


def test_new_neff_files_are_counted_and_those_from_before_are_not(real, tmp_path):
    cache = tmp_path / "neffs"
    (cache / "ab/cd").mkdir(parents=True)
    (cache / "ab/cd/abcd1.neff").touch()
    run = real.start(
        "cache = pathlib.Path(os.environ['TORCH_NEURONX_NEFF_CACHE_DIR'])\n"
        "(cache / 'ef/01').mkdir(parents=True); (cache / 'ef/01/ef012.neff').touch()\n"
        "(cache / 'ab/cd/abcd3.neff').touch(); (cache / 'ab/cd/abcd4.neff.tmp').touch()\n" + ENDLESS,
        environment={"TORCH_NEURONX_NEFF_CACHE_DIR": str(cache)},
    )
    real.until(run, lambda now: now.new_neffs == 2)


@pytest.mark.parametrize("ignored", [(), ("SIGINT",), ("SIGINT", "SIGTERM")])
def test_a_stop_goes_on_to_the_next_signal_only_when_one_was_not_enough(real, ignored):
    run = real.start("\n".join(f"signal.signal(signal.{name}, signal.SIG_IGN)" for name in ignored) + f"\n{ENDLESS}")
    main = real.pid(run, "main")
    real.stop(run)
    outcome = real.outcome(run)
    ended_by = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)[len(ignored)]
    assert (outcome.result, outcome.signal, outcome.exit_code) == (Result.STOPPED, ended_by, None)
    how = f"pid {main.pid} {sys.executable} run.py ({ended_by.name})"
    assert outcome.killed == ((how,) if ignored else ())
    assert gone(main, within_s=0)
    assert outcome.wall_s > 0


def test_a_script_may_clean_up_when_it_is_stopped(real):
    run = real.start(
        "try:\n    note('main'); time.sleep(30)\nexcept KeyboardInterrupt:\n    print('saved'); sys.exit(7)"
    )
    real.pid(run, "main")
    real.stop(run)
    outcome = real.outcome(run)
    assert (outcome.result, outcome.exit_code, outcome.signal, outcome.killed) == (Result.STOPPED, 7, None, ())
    assert "saved\n" in real.log(run)
    assert "trn-models: stopped, ended with exit code 7 after" in real.log(run)


GRANDCHILD = """
note(sys.argv[1])
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(60)
"""
DETACHED = """
def detached(name, environment):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            program = pathlib.Path('run.py').read_text().split('#' * 9)[0] + grandchild
            os.execve(sys.executable, [sys.executable, '-c', program, name], environment)
        os._exit(0)
    os.wait()
"""


def with_grandchildren(rest: str) -> str:
    start = "detached('kept', os.environ); detached('cleared', {})"
    return f"{'#' * 9}\ngrandchild = {GRANDCHILD!r}\n{DETACHED}\n{start}\n{rest}"


def test_a_stop_reaches_processes_that_left_the_session_and_dropped_their_environment(real):
    run = real.start(with_grandchildren(ENDLESS))
    main, *detached = [real.pid(run, name) for name in ("main", "kept", "cleared")]
    assert all(os.getsid(one.pid) != os.getsid(main.pid) for one in detached)
    real.stop(run)
    outcome = real.outcome(run)
    assert gone(main, *detached, within_s=0)
    assert outcome.result is Result.STOPPED
    assert sorted(words.split()[1] for words in outcome.killed) == sorted(str(one.pid) for one in detached)
    assert all(words.endswith("(SIGKILL)") for words in outcome.killed)


def test_what_is_left_after_the_end_of_the_main_process_is_ended_and_told(real):
    run = real.start(
        with_grandchildren("while not (os.path.exists('kept') and os.path.exists('cleared')): time.sleep(.01)")
    )
    detached = [real.pid(run, name) for name in ("kept", "cleared")]
    outcome = real.outcome(run)
    assert (outcome.result, outcome.exit_code, len(outcome.killed)) == (Result.DONE, 0, 2)
    assert gone(*detached, within_s=0)
    assert outcome.wall_s < 10
    assert "; ended afterwards: pid " in real.log(run)


def test_what_ends_by_itself_after_the_main_process_is_not_killed_and_its_output_is_kept(real):
    run = real.start("subprocess.Popen(['sh', '-c', 'sleep 0.3; echo written late'])", timing={"leftover_s": 20.0})
    outcome = real.outcome(run)
    assert (outcome.result, outcome.killed) == (Result.DONE, ())
    assert "written late\n" in real.log(run)


def test_orphans_of_the_run_do_not_stay_as_zombies(real):
    run = real.start(
        "main = os.getpid()\n"
        "if os.fork() == 0:\n"
        "    middle = os.getpid()\n"
        "    if os.fork(): os._exit(0)\n"
        "    while os.getppid() in (middle, main): time.sleep(0.01)\n"
        "    note('adopted_by', os.getppid()); note('orphan'); os._exit(1)\n"
        "os.wait()\n" + ENDLESS
    )
    orphan = int(real.noted(run, "orphan"))
    assert int(real.noted(run, "adopted_by")) == run.supervisor.pid
    deadline = time.monotonic() + 10
    while Path(f"/proc/{orphan}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_failed_process_that_nobody_looks_at_is_told_and_the_run_goes_on(real):
    run = real.start("rank = os.fork()\nif rank == 0: os._exit(1)\nnote('rank', rank)\n" + ENDLESS)
    now = real.until(run, lambda now: now.note)
    rank = real.noted(run, "rank")
    assert now.note == f"a process of the run died (exit 1) while the others wait: pid {rank}"
    assert now.state is State.RUNNING
    assert identity.alive(real.pid(run, "main"))


def test_a_process_of_the_same_user_that_is_not_of_the_run_is_left_alone(real):
    other = subprocess.Popen(["sleep", "60"], env=os.environ | {"TRN_MODELS_RUN": "another"}, start_new_session=True)
    try:
        run = real.start(ENDLESS)
        real.pid(run, "main")
        real.stop(run)
        real.outcome(run)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_the_supervisor_survives_what_a_lost_connection_sends(real):
    run = real.start(ENDLESS)
    real.pid(run, "main")
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        os.kill(run.supervisor.pid, number)
    before = runs.read(run.folder).heartbeat_at
    real.until(run, lambda now: now.heartbeat_at > before)
    assert os.getsid(run.supervisor.pid) == run.supervisor.pid


def test_the_supervisor_keeps_nothing_of_what_it_was_started_with(real, tmp_path):
    run = real.create(ENDLESS)
    held = os.open(tmp_path / "held", os.O_CREAT | os.O_RDWR)
    argv = module_argv("tui.rerun.supervisor", str(run.folder))
    done = subprocess.run(argv, pass_fds=[held], capture_output=True, timeout=30)
    os.close(held)
    assert done.returncode == 0
    supervisor = runs.read(run.folder).supervisor
    links = {path.name: str(path.readlink()) for path in Path(f"/proc/{supervisor.pid}/fd").iterdir()}
    assert [links[name] for name in "012"] == ["/dev/null"] * 3
    assert str(tmp_path / "held") not in links.values()


def test_a_supervisor_that_is_killed_leaves_a_lost_run_whose_processes_can_be_found(real):
    run = real.start(ENDLESS)
    main = real.pid(run, "main")
    real.until(run, lambda now: now.state is State.RUNNING and now.processes)
    os.kill(run.supervisor.pid, signal.SIGKILL)
    lost = real.until(run, lambda now: now.state is State.LOST)
    assert lost.outcome is None and lost.heartbeat_at is not None
    assert [member.identity for member in members.find(run.token).alive] == [main]


def test_a_flood_of_output_holds_nothing_up_and_the_log_stays_within_its_limit(tmp_path):
    settings = Settings(
        cache_dir=tmp_path / "c", state_dir=tmp_path / "s", config_dir=tmp_path / "o", log_limit=100_000
    )
    with RealRuns(settings) as real:
        run = real.start(
            "sys.stdout.write('first\\n' + 'x' * 99 + '\\n')\nfor _ in range(60): print('y' * 99_999)\nprint('last')"
        )
        outcome = real.outcome(run)
        assert outcome.exit_code == 0
        ended = runs.read(run.folder)
        assert ended.log_bytes > 6_000_000 and ended.log_dropped_bytes > 5_800_000
        log = real.log(run)
        assert len(log) < 110_000 and "\nfirst\n" in log and "\nlast\n" in log


def test_a_log_that_cannot_grow_holds_nothing_up_and_is_told(real):
    run = real.start(
        "for _ in range(30): print('y' * 99_999)\nprint('last', flush=True)\nnote('end')\ntime.sleep(60)",
        before="import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))",
    )
    real.noted(run, "end")
    now = real.until(run, lambda now: now.note and now.log_bytes > 3_000_000)
    assert now.note == "the log cannot be written: File too large"
    assert now.log_dropped_bytes > 2_000_000
    assert now.state is State.RUNNING


def test_a_run_goes_on_where_nothing_can_be_written_any_more(real):
    """The disk is full for the supervisor as soon as the script says that it is at work."""
    full = (
        "import errno, tui.rerun.run_files as files, tui.rerun.supervisor as supervisor\n"
        "supervisor._OUTCOME_AGAIN_S = 0.1\n"
        "real = files.write\n"
        "def write(path, values, **options):\n"
        "    if (path.parent / 'main').exists() and not (path.parent / 'room').exists():\n"
        "        raise OSError(errno.ENOSPC, 'No space left on device')\n"
        "    real(path, values, **options)\n"
        "files.write = write"
    )
    run = real.start("note('main')\ntime.sleep(0.3)\nprint('at the end')\nnote('end')", before=full)
    main = real.pid(run, "main")
    real.noted(run, "end")
    assert gone(main)
    deadline = time.monotonic() + 10
    while "the outcome cannot be written" not in (run.folder / "supervisor.log").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert runs.read(run.folder).state is State.RUNNING
    (run.folder / "room").touch()
    outcome = real.outcome(run)
    assert (outcome.result, outcome.exit_code) == (Result.DONE, 0)
    assert "No space left on device" in (run.folder / "supervisor.log").read_text()


def test_a_run_goes_on_to_its_end_also_when_its_folder_is_removed_meanwhile(real):
    run = real.start("note('main')\nwhile not os.path.exists('go'): time.sleep(0.01)\ntime.sleep(0.3); note('end')")
    real.pid(run, "main")
    moved = run.folder.with_name("moved")
    run.folder.rename(moved)
    (moved / "go").touch()
    assert gone(run.supervisor)
    assert (moved / "end").exists()
    assert not run.folder.exists()


def test_a_supervisor_that_fails_ends_the_run_and_says_so(real):
    broken = (
        "import tui.rerun.supervisor as supervisor, time\n"
        "def fails(self, output):\n    time.sleep(0.5)\n    raise RuntimeError('broken')\n"
        "supervisor._Supervisor._follow = fails"
    )
    run = real.start(ENDLESS, before=broken)
    main = real.pid(run, "main")
    outcome = real.outcome(run)
    assert (outcome.result, outcome.note) == (Result.FAILED, "the supervisor failed: broken")
    assert gone(main, within_s=0)
    assert "RuntimeError: broken" in (run.folder / "supervisor.log").read_text()
