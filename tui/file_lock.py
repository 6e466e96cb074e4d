"""A lock that holds between processes, on a file of its own; it ends with its holder, however that ends."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

_LOOK_AGAIN_S: Final = 0.02
_NO_LOCKS_HERE = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}


@contextmanager
def held(path: Path, wait_s: float) -> Iterator[None]:
    """Hold the lock at `path` during the block. Waits and raises as `take`."""
    lock = take(path, wait_s)
    try:
        yield
    finally:
        let_go(lock)


def take(path: Path, wait_s: float) -> int:
    """Take the lock at `path`, whose folder is there; waits for others up to `wait_s` seconds.

    Returns what `let_go` takes. Raises `TimeoutError` when others hold it for longer, and `OSError` when the file
    cannot be opened. On a file system without locks it goes on without.
    """
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        _wait_for(lock, path, time.monotonic() + wait_s)
    except BaseException:
        os.close(lock)
        raise
    return lock


def let_go(lock: int) -> None:
    """Give the lock back, also when a forked process has its file open as well."""
    with contextlib.suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_UN)
    os.close(lock)


def _wait_for(lock: int, path: Path, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TimeoutError(errno.ETIMEDOUT, "another process holds it", str(path)) from None
            time.sleep(_LOOK_AGAIN_S)
        except OSError as error:
            # Some network file systems have no locks; two at once on one are rare, none at all is not wanted.
            if error.errno not in _NO_LOCKS_HERE:
                raise
            _tell_once(path.parent, str(error))
            return
        else:
            return


@cache
def _tell_once(folder: Path, reason: str) -> None:
    log.warning("%s has no locks: %s", folder, reason)
