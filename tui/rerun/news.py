"""That a run has ended is told once, by whichever app or command sees it first."""

from __future__ import annotations

import logging
import os
import threading
from pathlib import Path

from tui.rerun.runs import Run

log = logging.getLogger(__name__)

_told: set[Path] = set()
_choosing = threading.Lock()


def first_to_tell(run: Run) -> bool:
    """Whether nobody was told yet that `run` is over; from then on somebody was. Raises nothing.

    Touches the disk the first time that it is asked about a run; may be called in any thread.
    """
    mark = run.folder / "told"
    with _choosing:
        if run.live or mark in _told:
            return False
        _told.add(mark)
    try:
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    except FileExistsError:
        return False
    except OSError as error:
        log.warning("%s: %s", mark, error)
    return True
