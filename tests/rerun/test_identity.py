"""Which process it is, and whether it is still the same."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import psutil
import pytest

from tui.rerun import identity
from tui.rerun.identity import TOKEN_VARIABLE, Identity

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="/proc: Linux only")

SLEEP = "import time; print('up', flush=True); time.sleep(60)"


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen]]:
    """Starts Python programs that print `up`, and ends them."""
    started = []

    def one(program: str = SLEEP, **environ: str) -> subprocess.Popen:
        child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=os.environ | environ)
        started.append(child)
        assert child.stdout.readline() == b"up\n"
        return child

    yield one
    for child in started:
        child.kill()
        child.wait()
        child.stdout.close()


def test_a_process_is_alive_until_it_ends(start):
    child = start()
    who = identity.of(child.pid)
    assert who is not None and who.pid == child.pid and identity.alive(who)
    child.kill()
    child.wait()
    assert not identity.alive(who)
    assert identity.of(child.pid) is None


def test_a_zombie_is_not_alive(start):
    child = start()
    who = identity.of(child.pid)
    child.kill()
    deadline = time.monotonic() + 10
    while psutil.Process(child.pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
    assert not identity.alive(who)
    assert identity.of(child.pid) is None


def test_another_process_with_the_same_pid_is_not_the_same():
    own = identity.of(os.getpid())
    assert identity.alive(own)
    assert not identity.alive(replace(own, started=own.started - 1))


@needs_linux
def test_the_same_pid_and_start_of_another_boot_is_not_the_same():
    own = identity.of(os.getpid())
    assert own.boot_id
    assert not identity.alive(replace(own, boot_id="11111111-2222-3333-4444-555555555555"))


@needs_linux
def test_the_start_time_is_found_behind_a_name_with_spaces_and_brackets(start):
    program = "open('/proc/self/comm', 'w').write('a) Z 1 2 (b'); import time; print('up', flush=True); time.sleep(60)"
    who = identity.of(start(program).pid)
    boot = psutil.boot_time()
    assert abs(boot + who.started / os.sysconf("SC_CLK_TCK") - time.time()) < 60
    assert identity.alive(who)


def test_an_identity_is_the_same_after_state_json():
    own = identity.of(os.getpid())
    assert Identity.from_values(own.values()) == own


@pytest.mark.parametrize(
    "values",
    [
        None,
        [],
        "4711",
        {},
        {"pid": "1", "started": 2, "boot_id": ""},
        {"pid": True, "started": 2, "boot_id": ""},
        {"pid": 0, "started": 2, "boot_id": ""},
        {"pid": -1, "started": 2, "boot_id": ""},
        {"pid": 1, "started": 2.5, "boot_id": ""},
        {"pid": 1, "started": 2},
    ],
)
def test_what_is_no_identity_is_none(values):
    assert Identity.from_values(values) is None


def test_tokens_of_live_processes_are_found_with_one_look(start):
    start(**{TOKEN_VARIABLE: "token-of-one"})
    ended = start("print('up', flush=True)", **{TOKEN_VARIABLE: "token-of-ended"})
    ended.wait()
    asked = ("token-of-one", "token-of-ended", "token-of", "")
    assert identity.living(asked) == {"token-of-one"}


def test_a_process_that_made_its_own_session_and_lost_its_parent_is_found(start):
    program = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(60)\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "print('up', flush=True)\n"
    )
    child = start(program, **{TOKEN_VARIABLE: "token-of-orphan"})
    child.wait()
    orphans = [p for p in psutil.process_iter() if token_of(p) == "token-of-orphan"]
    try:
        assert len(orphans) == 1
        assert identity.living(("token-of-orphan",)) == {"token-of-orphan"}
    finally:
        for process in orphans:
            process.kill()


def token_of(process: psutil.Process) -> str | None:
    try:
        return process.environ().get(TOKEN_VARIABLE)
    except psutil.Error:
        return None


def test_the_caller_itself_does_not_count(start):
    program = "from tui.rerun import identity\nprint(sorted(identity.living(('own-token',))), flush=True)\n"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=os.environ | {TOKEN_VARIABLE: "own-token"}
    )
    assert done.stdout == "[]\n", done.stderr
