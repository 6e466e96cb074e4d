"""Whether a shell waits above this process that can bring a suspended app back."""

from __future__ import annotations

import os

import psutil


def shell_can_resume() -> bool:
    """Whether a job-control shell is above this process group: same session, another group."""
    try:
        leader = psutil.Process(os.getpgrp())
        parent = leader.parent()
        if parent is None or os.getsid(parent.pid) != os.getsid(0):
            return False
        return os.getpgid(parent.pid) != os.getpgrp()
    except (psutil.Error, OSError):
        return False
