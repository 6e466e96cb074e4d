"""What a caller of `run_bounded` can rely on."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from tui.errors import TrnModelsError
from tui.process import module_argv, run_bounded, signal_name

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="limits and the parent's death: Linux only")


def python(program: str, **options):
    return run_bounded([sys.executable, "-c", program], **{"timeout_s": 30, **options})


def gone(pid: int) -> bool:
    """Whether the process ends soon; a zombie has ended, however long its new parent takes to notice."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.01)
    return False


def test_output_and_return_code_are_handed_back():
    finished = python("import sys; print('out ü'); print('err', file=sys.stderr); sys.exit(3)")
    assert (finished.returncode, finished.stdout, finished.stderr) == (3, "out ü\n", "err\n")
    assert not (finished.timed_out or finished.abandoned or finished.cut)


def test_words_reach_the_program_as_they_are_without_a_shell():
    words = ["$HOME", "a b", "*", "; echo no", "", "naïve"]
    finished = run_bounded([sys.executable, "-c", "import sys; print(sys.argv[1:])", *words], timeout_s=30)
    assert finished.stdout.strip() == repr(words)


def test_the_child_reads_an_empty_stdin():
    assert python("import sys; print(repr(sys.stdin.read()))").stdout == "''\n"


def test_the_environment_can_be_given():
    finished = python("import os; print(os.environ['COLOUR'])", env=os.environ | {"COLOUR": "blue"})
    assert finished.stdout == "blue\n"


def test_a_broken_pipe_ends_the_program_as_in_a_shell():
    finished = run_bounded(["sh", "-c", "kill -s PIPE $$; echo still here"], timeout_s=30)
    assert (finished.returncode, finished.stdout) == (-signal.SIGPIPE, "")


def test_a_slow_program_is_ended_with_everything_it_started():
    program = (
        "import subprocess, sys, time\n"
        "other = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(other.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    started = time.monotonic()
    finished = python(program, timeout_s=1.5)
    assert finished.timed_out
    assert finished.returncode == -signal.SIGKILL
    assert time.monotonic() - started < 8
    assert gone(int(finished.stdout))


def test_a_program_that_closes_its_output_and_stays_is_ended_too():
    finished = python("import os, time; os.close(1); os.close(2); time.sleep(600)", timeout_s=1)
    assert finished.timed_out


def test_a_process_left_behind_holds_nobody_up_and_is_killed():
    program = (
        "import subprocess, sys\nprint(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).pid)\n"
    )
    started = time.monotonic()
    finished = python(program)
    assert finished.returncode == 0
    assert not finished.timed_out
    assert time.monotonic() - started < 10
    assert gone(int(finished.stdout))


def test_an_abandoned_program_ends_at_once():
    abandon = threading.Event()
    started = time.monotonic()
    finished = python(
        "import time; print('ready', flush=True); time.sleep(600)",
        on_line=lambda line: abandon.set(),
        abandon=abandon,
    )
    assert finished.abandoned
    assert not finished.timed_out
    assert time.monotonic() - started < 5


def test_nothing_is_started_after_it_was_abandoned(tmp_path: Path):
    abandon = threading.Event()
    abandon.set()
    trace = tmp_path / "trace"
    assert run_bounded(["touch", trace], timeout_s=5, abandon=abandon).abandoned
    assert not trace.exists()


def test_lines_arrive_while_the_program_runs(tmp_path: Path):
    go_on = tmp_path / "go on"
    program = (
        "import pathlib, sys, time\n"
        "print('first', flush=True)\n"
        f"while not pathlib.Path({str(go_on)!r}).exists(): time.sleep(0.01)\n"
        "sys.stdout.write('second\\r\\n\\nlast')\n"
    )
    lines: list[str] = []

    def on_line(line: str) -> None:
        lines.append(line)
        go_on.touch()

    finished = python(program, on_line=on_line)
    assert lines == ["first", "second", "", "last"]
    assert not finished.timed_out


def test_what_a_program_says_right_before_its_end_is_kept(monkeypatch: pytest.MonkeyPatch):
    poll = subprocess.Popen.poll

    def held_up(child: subprocess.Popen) -> int | None:
        time.sleep(0.5)
        return poll(child)

    monkeypatch.setattr(subprocess.Popen, "poll", held_up)
    lines: list[str] = []
    program = "sleep 0.3; echo hello; echo oh >&2; printf 'no end'"
    finished = run_bounded(["sh", "-c", program], timeout_s=30, on_line=lines.append)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "hello\nno end", "oh\n")
    assert lines == ["hello", "no end"]


def test_a_last_line_without_end_is_told_though_a_process_left_behind_holds_the_pipe():
    lines: list[str] = []
    finished = run_bounded(["sh", "-c", "sleep 600 & printf last"], timeout_s=30, on_line=lines.append)
    assert (finished.stdout, lines) == ("last", ["last"])


def test_an_error_of_the_listener_ends_the_program():
    pids: list[int] = []

    def on_line(line: str) -> None:
        pids.append(int(line))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        python("import os, time; print(os.getpid(), flush=True); time.sleep(600)", on_line=on_line)
    assert gone(pids[0])


def test_the_end_of_long_output_is_kept():
    finished = python("print('x' * 5_000_000); print('the end')", output_bytes=1_000)
    assert finished.cut
    assert len(finished.stdout) == 1_000
    assert finished.stdout.endswith("the end\n")


def test_a_line_without_end_comes_in_pieces():
    lengths: list[int] = []
    python("print('x' * 1_000_000)", output_bytes=10_000, on_line=lambda line: lengths.append(len(line)))
    assert sum(lengths) == 1_000_000
    assert max(lengths) < 200_000


def test_bytes_that_are_no_text_are_visible():
    assert python("import sys; sys.stdout.buffer.write(b'a\\xffb')").stdout == "a\\xffb"


@needs_linux
def test_memory_beyond_the_limit_is_refused():
    finished = python("x = bytearray(400 << 20); print('had it')", memory_bytes=200 << 20)
    assert "MemoryError" in finished.stderr
    assert python("x = bytearray(100 << 20); print('had it')", memory_bytes=200 << 20).stdout == "had it\n"


def test_a_missing_program_is_named():
    with pytest.raises(TrnModelsError) as caught:
        run_bounded(["no-such-program-anywhere"], timeout_s=5)
    assert "no-such-program-anywhere: there is no such program" in str(caught.value)


def test_a_word_that_no_program_can_get_is_refused():
    with pytest.raises(TrnModelsError, match="null byte"):
        run_bounded(["echo", "a\0b"], timeout_s=5)


def test_a_program_that_is_none_ends_with_126_and_says_why(tmp_path: Path):
    script = tmp_path / "tool"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    finished = run_bounded([script], timeout_s=5)
    assert finished.returncode == 126
    assert "No such file" in finished.stderr


@needs_linux
def test_the_program_ends_when_the_app_is_killed(tmp_path: Path):
    sleeper = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    app = (
        "import sys\n"
        "from tui.process import run_bounded\n"
        "listen = lambda line: print(line, flush=True)\n"
        f"run_bounded([sys.executable, '-c', {sleeper!r}], timeout_s=600, on_line=listen)\n"
    )
    with subprocess.Popen([sys.executable, "-c", app], stdout=subprocess.PIPE, text=True) as running:
        pid = int(running.stdout.readline())
        assert psutil.pid_exists(pid)
        running.kill()
    assert gone(pid)


@needs_linux
def test_a_program_ends_when_the_app_quits_with_a_thread_that_waits_for_it():
    sleeper = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    app = (
        "import sys, threading\n"
        "from tui.process import run_bounded\n"
        "started = threading.Event()\n"
        "def listen(line): print(line, flush=True); started.set()\n"
        f"work = lambda: run_bounded([sys.executable, '-c', {sleeper!r}], timeout_s=600, on_line=listen)\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "started.wait()\n"
    )
    finished = subprocess.run([sys.executable, "-c", app], capture_output=True, text=True, timeout=20)
    assert finished.returncode == 0
    assert gone(int(finished.stdout))


def test_own_modules_never_come_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("tui.py", "json.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong one')")
    monkeypatch.chdir(tmp_path)
    finished = run_bounded(module_argv("tui.catalog.conform", "no such file", "nowhere"), timeout_s=30)
    assert finished.returncode == 0
    assert "No such file" in finished.stdout


def test_a_signal_is_told_by_its_name():
    assert signal_name(9) == "SIGKILL"
    assert signal_name(99) == "signal 99"
