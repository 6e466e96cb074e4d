"""state.json as its supervisor writes it: whole each time, whatever has become of the file."""

from __future__ import annotations

import logging
import secrets
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tui.rerun import run_files
from tui.rerun.run_reading import STATE

log = logging.getLogger(__name__)


class StateFile:
    """The fields of one run. They are read once: who damages or removes the file makes nothing be forgotten."""

    def __init__(self, folder: Path) -> None:
        """With what `runs.create` wrote; where that cannot be read, with a new token."""
        self._path = folder / STATE
        self._lock = threading.Lock()
        self._trouble = ""
        try:
            self._values = run_files.read(self._path, run_files.STATE_BYTES)
        except (OSError, ValueError) as error:
            log.warning("%s is written anew: %s", self._path, error)
            self._values = {}
        if not run_files.text(self._values.get("token")):
            self._values["token"] = secrets.token_hex(16)

    def write(self, **fields: Any) -> None:
        """Put `fields`, JSON each, beside the others, with a sign of life. Raises `OSError`."""
        with self._lock:
            self._values |= fields
            self._values["heartbeat_at"] = datetime.now(UTC).isoformat()
            run_files.write(self._path, self._values)

    def update(self, **fields: Any) -> None:
        """The same; that it cannot be written is logged once and nothing more."""
        try:
            self.write(**fields)
            self._trouble = ""
        except Exception as error:  # noqa: BLE001 - full disk, folder gone, or what became of it: the run goes on
            if str(error) != self._trouble:
                self._trouble = str(error)
                log.warning("state.json cannot be written: %s", error)
