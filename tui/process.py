"""One bounded child process: its time, memory and kept output have limits, and it never outlives its caller.

A child begins as a tiny Python program (`_LAUNCHER`, about 25 ms) that sets what only the process itself
can set before it becomes the wanted program: the memory limit, and on Linux the wish to be killed when the
thread that started it ends, however it ends. `preexec_fn` would do that without the extra program, but
it can deadlock in an app with threads; `resource.prlimit` from outside can set only the limit.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tui.errors import TrnModelsError

DEFAULT_OUTPUT_BYTES = 1_000_000
_TICK_S = 0.1
_REAP_S = 2.0
_CHUNK_BYTES = 65_536
_PIPE_BYTES = 1 << 20
"""The most that a pipe holds (Linux, /proc/sys/fs/pipe-max-size); 64 KiB is usual."""

# RLIMIT_DATA and not RLIMIT_AS: since Linux 4.7 it counts the private writable memory of a process, while
# address space also counts mapped files, libraries and reserved arenas that nobody uses.
# PR_SET_PDEATHSIG is 1 (linux/prctl.h); it does not work back in time, hence the look at the parent. SIGPIPE
# and SIGXFSZ: Python ignores them, and an ignored signal stays ignored in the program.
_LAUNCHER = """
import os, signal, sys
parent, memory, program = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
if sys.platform == "linux":
    try:
        import ctypes
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    except (ImportError, OSError, AttributeError):
        pass
    if os.getppid() != parent:
        sys.exit(1)
if memory:
    try:
        import resource
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    except (ImportError, OSError, ValueError):
        pass
for name in ("SIGPIPE", "SIGXFSZ"):
    if hasattr(signal, name):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
try:
    os.execv(program, sys.argv[4:])
except OSError as error:
    print(program + ": " + str(error.strerror), file=sys.stderr)
    sys.exit(126)
"""


@dataclass(frozen=True, slots=True)
class Finished:
    """A child that has ended; nothing of its process group is left."""

    returncode: int
    """As in `subprocess`: negative is the signal that ended it. `run_bounded` tells what 126 is."""
    stdout: str
    stderr: str
    timed_out: bool = False
    abandoned: bool = False
    """The caller's `abandon` event ended it."""
    cut: bool = False
    """It said more than `output_bytes`; the beginning was dropped."""


def run_bounded(
    argv: Sequence[str | os.PathLike[str]],
    *,
    timeout_s: float,
    memory_bytes: int | None = None,
    output_bytes: int = DEFAULT_OUTPUT_BYTES,
    env: Mapping[str, str] | None = None,
    on_line: Callable[[str], None] | None = None,
    abandon: threading.Event | None = None,
) -> Finished:
    """Run a program without a shell, in its own process group, with an empty stdin; wait for its end.

    After `timeout_s` seconds, or within about 0.1 s of `abandon.set()`, the whole group is killed (SIGKILL).
    What a program leaves behind in its group is killed too when the program itself ends. `memory_bytes`
    limits the private memory of each process (Linux; elsewhere nothing is limited). Of stdout and of stderr
    the last `output_bytes` bytes are kept, as UTF-8, other bytes as `\\xNN`. `on_line` gets each line of
    stdout as it arrives, without its end, in the calling thread; an error that it raises ends the child and
    is passed on.

    Raises `TrnModelsError` when there is no such program or no process can be started. A program that is
    there and executable, yet not for this machine, ends with 126 and the reason on stderr.
    """
    words = [os.fspath(word) for word in argv]
    if abandon is not None and abandon.is_set():
        return Finished(-signal.SIGKILL, "", "", abandoned=True)
    child = _start(words, memory_bytes or 0, env)
    assert child.stdout is not None and child.stderr is not None
    kept = {child.stdout: _Kept(output_bytes, on_line), child.stderr: _Kept(output_bytes, None)}
    try:
        timed_out, abandoned = _follow(child, kept, time.monotonic() + timeout_s, abandon)
    finally:
        _end(child)
    return Finished(
        returncode=-signal.SIGKILL if child.returncode is None else child.returncode,
        stdout=kept[child.stdout].text(),
        stderr=kept[child.stderr].text(),
        timed_out=timed_out,
        abandoned=abandoned,
        cut=any(stream.cut for stream in kept.values()),
    )


def module_argv(module: str, *arguments: str | os.PathLike[str]) -> list[str]:
    """The argv that calls `main(arguments) -> int` of a module of this app in a fresh interpreter.

    Other than `python -m` it never imports from the folder that the person happens to be in.
    """
    root = str(Path(__file__).resolve().parent.parent)
    call = f"from {module} import main; sys.exit(main(sys.argv[1:]))"
    program = f"import sys; sys.path.append({root!r}); {call}"
    return [sys.executable, "-P", "-c", program, *(os.fspath(argument) for argument in arguments)]


def signal_name(number: int) -> str:
    """`SIGKILL`, or `signal 99` for one without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _start(words: list[str], memory_bytes: int, env: Mapping[str, str] | None) -> subprocess.Popen[bytes]:
    search_path = (os.environ if env is None else env).get("PATH", os.defpath)
    try:
        program = shutil.which(words[0], path=search_path)
        if program is None:
            raise FileNotFoundError("there is no such program")
        launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(os.getpid()), str(memory_bytes), program]
        return subprocess.Popen(
            [*launcher, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=None if env is None else dict(env),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TrnModelsError(
            "A program could not be started",
            f"{words[0]}: {reason}",
            "Check that it is installed and can be run.",
        ) from error


class _Kept:
    """What one pipe said: its last bytes, and its lines as they arrive."""

    def __init__(self, limit: int, on_line: Callable[[str], None] | None) -> None:
        self.cut = False
        self._limit = limit
        self._on_line = on_line
        self._bytes = bytearray()
        self._line = bytearray()

    def add(self, chunk: bytes) -> None:
        """Take a piece; an empty one says that the pipe was closed, which ends the last line."""
        self._bytes += chunk
        if len(self._bytes) > 2 * self._limit:
            self._shorten()
        if self._on_line is None:
            return
        self._line += chunk
        *lines, rest = self._line.split(b"\n")
        if rest and (not chunk or len(rest) > self._limit):
            lines, rest = [*lines, rest], bytearray()
        self._line = rest
        for line in lines:
            self._on_line(_decoded(line.removesuffix(b"\r")))

    def text(self) -> str:
        self._shorten()
        return _decoded(self._bytes)

    def _shorten(self) -> None:
        if len(self._bytes) > self._limit:
            del self._bytes[: len(self._bytes) - self._limit]
            self.cut = True


def _decoded(data: bytearray) -> str:
    return data.decode("utf-8", errors="backslashreplace")


def _follow(
    child: subprocess.Popen[bytes],
    kept: Mapping[IO[bytes], _Kept],
    deadline: float,
    abandon: threading.Event | None,
) -> tuple[bool, bool]:
    """Read until the child ends; whether its time ran out, whether it was abandoned."""
    with selectors.DefaultSelector() as selector:
        for pipe, stream in kept.items():
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, selectors.EVENT_READ, stream)
        while True:
            if abandon is not None and abandon.is_set():
                return False, True
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return True, False
            if not selector.get_map():
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(min(remaining, _TICK_S))
                    return False, False
                continue
            ready = selector.select(min(remaining, _TICK_S))
            for key, _ in ready:
                chunk = os.read(key.fd, _CHUNK_BYTES)
                key.data.add(chunk)
                if not chunk:
                    selector.unregister(key.fileobj)
            # A process that the child left behind may hold the pipes open for ever.
            if not ready and child.poll() is not None:
                for key in selector.get_map().values():
                    _read_rest(key.fd, key.data)
                return False, False


def _read_rest(pipe: int, stream: _Kept) -> None:
    """What an ended child left in a pipe that does not block; then nothing more counts."""
    # A process that it left behind may write for ever: what it wrote itself fits into the pipe.
    for _ in range(_PIPE_BYTES // _CHUNK_BYTES):
        try:
            chunk = os.read(pipe, _CHUNK_BYTES)
        except BlockingIOError:
            break
        if not chunk:
            break
        stream.add(chunk)
    stream.add(b"")


def _end(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    try:
        child.wait(_REAP_S)
    except subprocess.TimeoutExpired:
        # It hangs inside the kernel, as a tool may in a stuck driver; somebody must still reap it one day.
        threading.Thread(target=child.wait, daemon=True).start()
    for pipe in (child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()
