"""Which processes belong to a run, what they need, and that no other is ever signalled."""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from tui.rerun import identity, members
from tui.rerun.members import Member

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc: Linux only")

# Of its own in each process: these tests may run twice at once on one machine.
TOKEN = secrets.token_hex(8)

Start = Callable[..., subprocess.Popen]


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[subprocess.Popen] = []

    def begin(*argv: str, token: str | None = None, program: str = "", **environment: str) -> subprocess.Popen:
        added = {"TRN_MODELS_RUN": token} if token else {}
        words = argv or (sys.executable, "-c", f"{program}\nprint(flush=True)\nimport time; time.sleep(60)")
        child = subprocess.Popen(words, env=os.environ | added | environment, stdout=subprocess.PIPE)
        started.append(child)
        if not argv:
            assert child.stdout is not None
            child.stdout.readline()
        return child

    yield begin
    for child in started:
        below = members.find("", child.pid).alive
        child.kill()
        for one in below:
            members.send(one, signal.SIGKILL)
        child.communicate()


def pids(found: members.Found) -> set[int]:
    return {member.pid for member in found.alive}


def member(child: subprocess.Popen) -> Member:
    who = identity.of(child.pid)
    assert who is not None
    return Member(who, tuple(child.args))


def test_processes_with_the_token_are_found_and_no_other_token_will_do(start):
    mine = start(token=TOKEN)
    start(token=f"{TOKEN}2")
    start(token=f"0{TOKEN}")
    start(TRN_MODELS_RUN_OLD=TOKEN)
    assert pids(members.find(TOKEN)) == {mine.pid}
    assert pids(members.find("")) == set()


def test_descendants_are_found_without_a_token_and_can_be_left_out(start):
    parent = start(program="import subprocess; subprocess.Popen(['sleep', '60'], env={})", token=TOKEN)
    deadline = time.monotonic() + 5
    # A process has no command line for a moment while it becomes another program.
    while not all(one.argv == ("sleep", "60") for one in members.find("", parent.pid).alive):
        assert time.monotonic() < deadline
    below = members.find("", parent.pid)
    assert len(below.alive) == 1
    assert pids(members.find(TOKEN, parent.pid)) == pids(below)
    child = below.alive[0]
    assert members.find("", parent.pid, without=[child.identity]).alive == ()
    os.kill(child.pid, signal.SIGKILL)


def test_a_failed_process_that_its_parent_ignores_is_dead_and_not_alive(start):
    parent = start(program="import os\nfor code in (0, 3):\n  if os.fork() == 0: os._exit(code)")
    deadline = time.monotonic() + 5
    while (found := members.find("", parent.pid)).alive or not found.dead:
        assert time.monotonic() < deadline
    assert [dead.exit_code for dead in found.dead] == [3]
    assert str(found.dead[0]).startswith("a process of the run died (exit 3) while the others wait: pid ")


def test_counts_tell_ranks_and_compilers_apart_from_the_rest(start, tmp_path):
    compiler = tmp_path / "neuronx-cc"
    compiler.write_text("import time; time.sleep(60)")
    walrus = tmp_path / "walrus_driver"
    walrus.symlink_to("/bin/sleep")
    start(str(walrus), "60", token=TOKEN)
    start(sys.executable, "-s", str(compiler), "compile", token=TOKEN)
    start("sleep", "60", token=TOKEN, LOCAL_RANK="0")
    start("sleep", "60", token=TOKEN, RANK="1", LOCAL_RANK="1")
    # Names that only look like it.
    start("sh", "-c", "sleep 60; : neuronx-cc", token=TOKEN, MY_RANK="1")
    deadline = time.monotonic() + 5
    while (counted := members.count(members.find(TOKEN).alive)).compilers < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert (counted.ranks, counted.compilers, counted.by_rss) == (2, 2, 0)
    assert members.count(()) == members.Count(0, None, 0, 0, 0)


def test_memory_that_processes_share_counts_once(start):
    program = (
        "import os\nx = bytearray(80_000_000); x[::4096] = x[::4096]\nfor _ in range(3):\n  if os.fork() == 0: break"
    )
    start(program=program, token=TOKEN)
    deadline = time.monotonic() + 5
    while len(alive := members.find(TOKEN).alive) < 4:
        assert time.monotonic() < deadline
    assert 80_000_000 < members.count(alive).memory_bytes < 160_000_000
    assert members.count(alive, memory=False).memory_bytes == 0
    for one in alive:
        members.send(one, signal.SIGKILL)


def test_rss_stands_in_where_pss_may_not_be_read(start, monkeypatch):
    import psutil

    def refuse(self):
        raise psutil.AccessDenied(self.pid)

    start(token=TOKEN)
    monkeypatch.setattr(psutil.Process, "memory_full_info", refuse)
    counted = members.count(members.find(TOKEN).alive)
    assert counted.by_rss == 1 and counted.memory_bytes > 1_000_000


def test_a_later_process_with_the_same_pid_is_not_signalled(start):
    child = start(token=TOKEN)
    earlier = Member(replace(member(child).identity, started=member(child).identity.started - 1), ("python",))
    assert members.send(earlier, signal.SIGKILL) is False
    assert (
        members.send(replace(earlier, identity=replace(member(child).identity, boot_id="x")), signal.SIGKILL) is False
    )
    time.sleep(0.05)
    assert child.poll() is None
    assert members.send(member(child), signal.SIGKILL) is True
    assert child.wait(5) == -signal.SIGKILL
    assert members.send(earlier, signal.SIGKILL) is False


def test_signals_reach_their_process_also_on_a_kernel_without_descriptors_for_processes(start, monkeypatch):
    child = start()
    mine = member(child)

    def unknown(pid):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(os, "pidfd_open", unknown)
    assert members.send(replace(mine, identity=replace(mine.identity, started=1)), signal.SIGKILL) is False
    assert members.send(mine, signal.SIGTERM) is True
    assert child.wait(5) == -signal.SIGTERM


def test_ending_takes_in_what_is_started_meanwhile(start):
    respawning = """
import os, signal, time
def again(*_):
    if os.fork():
        os._exit(0)
signal.signal(signal.SIGTERM, again)
"""
    start(program=respawning, token=TOKEN)
    ended = members.end(
        lambda: members.find(TOKEN).alive,
        ((signal.SIGTERM, 0.4), (signal.SIGKILL, 5.0)),
        wait=lambda _: time.sleep(0.01),
    )
    assert ended.left == () and members.find(TOKEN).alive == ()
    assert len(ended.killed) >= 2
    assert ended.killed[-1].endswith("(SIGKILL)")
    assert ended.killed[0].startswith("pid ") and ended.killed[0].endswith("(SIGTERM)")


def test_what_cannot_be_ended_is_told(start, monkeypatch):
    child = start(token=TOKEN)
    monkeypatch.setattr(members, "send", lambda member, number: False)
    ended = members.end(lambda: members.find(TOKEN).alive, ((signal.SIGKILL, 0.05),))
    assert [one.pid for one in ended.left] == [child.pid] and ended.killed == ()


def test_nothing_is_waited_for_when_all_are_gone(start):
    start(token=TOKEN)
    begun = time.monotonic()
    stages = ((signal.SIGTERM, 60.0), (signal.SIGKILL, 60.0))
    ended = members.end(lambda: members.find(TOKEN).alive, stages)
    assert time.monotonic() - begun < 5
    assert (ended.left, len(ended.killed)) == ((), 1)


def test_a_command_line_of_a_stranger_is_made_safe(start):
    child = start("sleep", "60", token=TOKEN)
    shown = str(Member(member(child).identity, ("python", "\x1b]0;x\x07", "y" * 500)))
    assert shown.startswith(f"pid {child.pid} python \\x1b]0;x\\x07 yyy") and len(shown) < 150
