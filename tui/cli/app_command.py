"""The command without a verb: the app in a terminal, the list anywhere else."""

from __future__ import annotations

import gc
import os
import sys

from tui.cli.output import is_terminal
from tui.settings import Settings


def open_app_or_print(settings: Settings, search: str = "") -> int:
    """Open the app with `search` in its search box; print the list where a full screen has no place. The exit code.

    The app draws on stderr and reads stdin. A stdout that leads elsewhere gets the list as well: the app has
    nothing to write there.
    """
    if not has_full_screen():
        from tui.cli.plain_list import print_list

        return print_list(settings, search)
    gc.disable()  # a collection during start costs a tenth of it; the app switches it on again
    from tui.app import run

    return run(settings, search)


def has_full_screen() -> bool:
    """Whether the three streams lead to a terminal that can place text anywhere."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(map(is_terminal, streams)) and os.environ.get("TERM") != "dumb"
