"""The app as somebody whom permissions hold back: root, as which tests may run, can read and write everything.

That is `nobody`. Where nobody cannot get at this Python (below a home that is closed to others, say) it is root
without its capabilities, whom the kernel refuses the same.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

NOBODY = 65_534
_PR_CAPBSET_DROP = 24
"""linux/prctl.h"""
_MOST_CAPABILITIES = 64
_ROOT = Path(__file__).resolve().parents[2]
_WITHIN_S = 90.0
_RESTORED_SIGNALS = (signal.SIGXFSZ,)


@dataclass(frozen=True)
class Person:
    """Who runs the app, with which Python."""

    uid: int
    python: str
    other_uid: int
    """Of somebody else."""

    def environment(self, home: Path, **more: str) -> dict[str, str]:
        """Nothing of this process but its search path; all folders of the app are below `home`."""
        return {
            "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(home), "TERM": "xterm-256color",
            "PYTHONPATH": os.pathsep.join([str(_ROOT), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]),
            "PYTHONDONTWRITEBYTECODE": "1", "HF_ENDPOINT": "http://127.0.0.1:9", **more,
        }  # fmt: skip

    def become(self) -> None:
        """Become this person, in a process that only runs another program afterwards."""
        if self.uid:
            os.setgroups([])
            os.setgid(self.uid)
            os.setuid(self.uid)
        else:
            _drop_capabilities()

    def app(self, *words: str) -> list[str]:
        """The command line of the app."""
        return [self.python, "-m", "tui", *words]

    def run(
        self, argv: Sequence[str], environ: Mapping[str, str], *, also: Callable[[], None] = lambda: None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program to its end; `also` is done in the child first."""

        def begin() -> None:
            also()
            self.become()

        return subprocess.run(
            argv, env=dict(environ), preexec_fn=begin, cwd="/", stdin=subprocess.DEVNULL, capture_output=True,
            text=True, errors="replace", timeout=_WITHIN_S,
        )  # fmt: skip

    def owns(self, folder: Path, mode: int = 0o700) -> Path:
        """Make a folder of this person."""
        return _owned(folder, self.uid, mode)

    def other_owns(self, folder: Path, mode: int = 0o700) -> Path:
        """Make a folder of somebody else."""
        return _owned(folder, self.other_uid, mode)


@cache
def person() -> Person | str:
    """The person; why there can be none."""
    if os.geteuid() != 0:
        return "only root can become another user"
    same = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    found = [Person(NOBODY, python, 0) for python in (sys.executable, same)]
    for each in [*found, Person(0, sys.executable, NOBODY)]:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            argv = [each.python, "-c", "import tui.cli, polars, pyarrow, textual"]
            if each.run(argv, each.environment(Path("/"))).returncode == 0:
                return each
    return "neither nobody nor root without capabilities can start the app here"


def _drop_capabilities() -> None:
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for number in range(_MOST_CAPABILITIES):
        prctl(_PR_CAPBSET_DROP, number, 0, 0, 0)


def _owned(folder: Path, uid: int, mode: int) -> Path:
    folder.mkdir(parents=True)
    os.chown(folder, uid, uid)
    folder.chmod(mode)
    return folder
