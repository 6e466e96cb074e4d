"""The processes of a run: found, counted, ended. Nothing else is ever signalled.

A process belongs to a run when it descends from the run's supervisor (which, as a sub-reaper, stays an ancestor of
processes that detach themselves), or when the run's token is in the environment that it was started with.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from tui.process import signal_name
from tui.rerun import identity
from tui.rerun.identity import TOKEN_VARIABLE, Identity
from tui.rerun.secret_values import masked_words
from tui.terminal_text import clean

_COMPILERS = frozenset({"neuronx-cc", "walrus_driver"})
_RANK_VARIABLES = (b"RANK=", b"LOCAL_RANK=")
_COMMAND_LENGTH = 120
_POLL_S = 0.1
_PROC = Path("/proc")
_PF_KTHREAD = 0x0020_0000
"""linux/sched.h"""


@dataclass(frozen=True, slots=True)
class Member:
    """A process of a run that was alive when it was found."""

    identity: Identity
    argv: tuple[str, ...]
    """Empty for a process that has no command line any more, or never had one."""

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.identity.pid

    def __str__(self) -> str:
        command = clean(" ".join(masked_words(self.argv))) or "without a command line"
        return f"pid {self.pid} {command[:_COMMAND_LENGTH]}"


@dataclass(frozen=True, slots=True)
class Dead:
    """A process of a run that has ended and that its parent has not looked at."""

    identity: Identity
    exit_code: int
    """Negative: the signal that ended it."""

    def __str__(self) -> str:
        how = signal_name(-self.exit_code) if self.exit_code < 0 else f"exit {self.exit_code}"
        return f"a process of the run died ({how}) while the others wait: pid {self.identity.pid}"


@dataclass(frozen=True, slots=True)
class Found:
    """What there is of a run at one moment."""

    alive: tuple[Member, ...]
    dead: tuple[Dead, ...] = ()
    """Only those that failed."""
    beyond: tuple[Member, ...] = ()
    """Those of `alive` that do not descend from the supervisor."""


@dataclass(frozen=True, slots=True)
class Count:
    """What the processes of a run are and need."""

    processes: int
    ranks: int | None
    """Those with RANK or LOCAL_RANK in their environment; None when there is none."""
    compilers: int
    memory_bytes: int
    """Sum of PSS: what several processes share is counted once."""
    by_rss: int
    """For so many of them only RSS could be read, which counts shared memory in each process."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What came of ending processes."""

    killed: tuple[str, ...]
    """`pid 4711 python run.py (SIGKILL)` for each that needed more than SIGINT, with the last signal it was sent."""
    left: tuple[Member, ...]
    """Still alive after the last signal."""


def find(
    token: str,
    supervisor: int | None = None,
    without: Collection[Identity] = (),
    known: Collection[Identity] = (),
) -> Found:
    """All processes of a run, the supervisor (a pid) and the caller excepted.

    Without a supervisor only the token tells, and which were `known` before: they count with what they started.
    `without` are processes that do not count.
    """
    table = _table()
    below = _descendants(table, supervisor) if supervisor is not None else set()
    for each in known:
        if each.pid in table and table[each.pid].started == each.started and each.boot_id == identity.boot_id():
            below |= {each.pid, *_descendants(table, each.pid)}
    own = {os.getpid(), supervisor}
    alive: list[Member] = []
    dead: list[Dead] = []
    for pid, entry in table.items():
        if pid in own or not (pid in below or (token and not entry.kernel and _has_token(pid, token))):
            continue
        who = Identity(pid, entry.started, identity.boot_id())
        if who in without:
            continue
        if entry.zombie:
            if entry.exit_code:
                dead.append(Dead(who, entry.exit_code))
            continue
        member = Member(who, _argv(pid))
        # Looked at last: the pid may have passed to another process while it was read.
        if identity.alive(who):
            alive.append(member)
    return Found(tuple(alive), tuple(dead), tuple(member for member in alive if member.pid not in below))


def unmarked(members: Iterable[Member], token: str) -> tuple[Identity, ...]:
    """Those that have no token in their environment: without their supervisor nothing would tell what they are."""
    return tuple(member.identity for member in members if not _has_token(member.pid, token))


def count(members: Iterable[Member], *, memory: bool = True) -> Count:
    """Number, kind and memory of processes; those that have ended by now count nothing.

    Without `memory` its sum is 0: adding up the pages of processes with hundreds of GB takes seconds.
    """
    processes = ranks = compilers = total = by_rss = 0
    for member in members:
        processes += 1
        ranks += _is_rank(member.pid)
        compilers += _is_compiler(member.argv)
        if memory:
            needed, is_rss = _memory(member.pid)
            total += needed
            by_rss += is_rss
    return Count(processes, ranks or None, compilers, total, by_rss)


def send(member: Member, number: signal.Signals) -> bool:
    """Signal a process, and never another one that has its pid by now. False when it is gone or cannot be signalled."""
    try:
        # A descriptor stays with the process that it was opened for; its pid may pass to another one any time.
        if hasattr(os, "pidfd_open"):
            descriptor = os.pidfd_open(member.pid)
            try:
                if not identity.alive(member.identity):
                    return False
                signal.pidfd_send_signal(descriptor, number)
            finally:
                os.close(descriptor)
            return True
    except OSError as error:
        if not isinstance(error, (PermissionError, ProcessLookupError)):
            # A kernel before 5.3, or a sandbox that knows no such call.
            return _send_by_pid(member, number)
        return False
    return _send_by_pid(member, number)


def end(
    members: Callable[[], Sequence[Member]],
    stages: Iterable[tuple[signal.Signals, float]],
    *,
    wait: Callable[[float], object] = time.sleep,
) -> Ended:
    """Send each signal to everything that `members` finds and give it so many seconds; returns as soon as all are gone.

    What appears meanwhile gets the signal as well. `wait` is called between two looks with the seconds to wait.
    """
    last: dict[Member, signal.Signals] = {}
    left = _look(members)
    for number, seconds in stages:
        deadline = time.monotonic() + seconds
        signalled: set[Identity] = set()
        while left:
            for member in left:
                if member.identity not in signalled:
                    signalled.add(member.identity)
                    if send(member, number):
                        last[member] = number
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                break
            wait(min(_POLL_S, remaining))
            left = _look(members)
    killed = (f"{member} ({number.name})" for member, number in _by_process(last) if number is not signal.SIGINT)
    return Ended(tuple(killed), left)


def _look(members: Callable[[], Sequence[Member]]) -> tuple[Member, ...]:
    """What there is; nothing only when two looks agree: one can miss the child of a process that ends meanwhile."""
    return tuple(members()) or tuple(members())


def _by_process(last: dict[Member, signal.Signals]) -> Iterable[tuple[Member, signal.Signals]]:
    """One entry for each process: what it is called may change between two looks, by exec or at its end."""
    found: dict[Identity, tuple[Member, signal.Signals]] = {}
    for member, number in last.items():
        named = found[member.identity][0] if member.identity in found and not member.argv else member
        found[member.identity] = named, number
    return found.values()


def _send_by_pid(member: Member, number: signal.Signals) -> bool:
    if not identity.alive(member.identity):
        return False
    try:
        os.kill(member.pid, number)
    except (PermissionError, ProcessLookupError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Entry:
    parent: int
    started: int
    """In the unit of `Identity.started`."""
    zombie: bool
    kernel: bool = False
    """A thread of the kernel, of which large machines have thousands: none has an environment."""
    exit_code: int = 0
    """Of a zombie, as far as it may be read; negative for a signal."""


def _table() -> dict[int, _Entry]:
    """All processes of this machine that can be seen."""
    table: dict[int, _Entry] = {}
    if not (_PROC / "self/stat").exists():
        for process in psutil.process_iter():
            try:
                if who := identity.of(process.pid):
                    table[process.pid] = _Entry(process.ppid(), who.started, zombie=False)
            except psutil.Error:
                continue
        return table
    for name in os.listdir(_PROC):  # noqa: PTH208 - paths of thousands of processes, each second
        if name.isdigit():
            # proc_pid_stat(5): the name, in parentheses, may itself contain spaces and parentheses; state is field 3,
            # ppid 4, flags 9, starttime 22, exit_code 52 (as waitpid gives it; 0 for those who may not read it).
            fields = _read(name, "stat").rpartition(b")")[2].split()
            if len(fields) > 19:
                status = int(fields[49]) if len(fields) > 49 else 0
                kernel = bool(int(fields[6]) & _PF_KTHREAD)
                entry = _Entry(int(fields[1]), int(fields[19]), fields[0] in b"ZX", kernel, _code(status))
                table[int(name)] = entry
    return table


def _code(status: int) -> int:
    return os.waitstatus_to_exitcode(status) if not os.WIFSTOPPED(status) else 0


def _descendants(table: dict[int, _Entry], ancestor: int) -> set[int]:
    children: dict[int, list[int]] = {}
    for pid, entry in table.items():
        children.setdefault(entry.parent, []).append(pid)
    found: set[int] = set()
    waiting = [ancestor]
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            if pid not in found:
                found.add(pid)
                waiting.append(pid)
    return found


def _read(pid: int | str, name: str) -> bytes:
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:  # noqa: PTH123 - see _table
            return file.read()
    except OSError:
        return b""


def _environ(pid: int) -> bytes:
    """The environment that a process was started with, each entry between two NUL; empty when it may not be read."""
    if (_PROC / "self/environ").exists():
        return b"\0" + _read(pid, "environ") + b"\0"
    try:
        entries = psutil.Process(pid).environ().items()
    except (psutil.Error, OSError):
        return b""
    return b"".join(os.fsencode(f"\0{name}={value}") for name, value in entries) + b"\0"


def _has_token(pid: int, token: str) -> bool:
    return f"\0{TOKEN_VARIABLE}={token}\0".encode() in _environ(pid)


def _is_rank(pid: int) -> bool:
    environ = _environ(pid)
    return any(b"\0" + variable in environ for variable in _RANK_VARIABLES)


def _argv(pid: int) -> tuple[str, ...]:
    if _PROC.joinpath("self/cmdline").exists():
        line = _read(pid, "cmdline").rstrip(b"\0")
        return tuple(os.fsdecode(word) for word in line.split(b"\0")) if line else ()
    try:
        return tuple(psutil.Process(pid).cmdline())
    except (psutil.Error, OSError):
        return ()


def _is_compiler(argv: Sequence[str]) -> bool:
    """Whether it is a Neuron compiler: the program itself, or the script that an interpreter was given."""
    if not argv:
        return False
    script = next((word for word in argv[1:] if not word.startswith("-")), "")
    return Path(argv[0]).name in _COMPILERS or (
        Path(argv[0]).name.startswith("python") and Path(script).name in _COMPILERS
    )


def _memory(pid: int) -> tuple[int, bool]:
    """(bytes, whether it is RSS because PSS may not be read)"""
    try:
        process = psutil.Process(pid)
        try:
            return process.memory_full_info().pss, False
        except (psutil.AccessDenied, AttributeError):
            # AttributeError: only Linux knows PSS.
            return process.memory_info().rss, True
    except (psutil.Error, OSError):
        return 0, False
