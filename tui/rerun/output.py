"""What a run writes on stdout and stderr, carried from a pipe into its log by a thread that nothing else holds up."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import select
import threading
from types import TracebackType

from tui.rerun.run_log import LogWriter

log = logging.getLogger(__name__)

_CHUNK_BYTES = 1 << 20
_PIPE_BYTES = 1 << 20
"""The most that a pipe holds for a usual user (/proc/sys/fs/pipe-max-size); 64 KiB is what it holds by default."""
_LAST_READS = 8
"""After the end: what the pipe holds, and no more of somebody who goes on writing into it."""


class Output:
    """The pipe of a run and the thread that reads it until its end, also when the log cannot be written."""

    def __init__(self, writer: LogWriter) -> None:
        """Make the pipe; `end_for_run` is what the run writes to. Raises `OSError`."""
        self._writer = writer
        self._read_end, self.end_for_run = os.pipe()
        self._wake_read, self._wake_write = os.pipe()
        with contextlib.suppress(OSError, AttributeError):
            fcntl.fcntl(self._read_end, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        self._thread = threading.Thread(target=self._carry, name="output of the run", daemon=True)

    def start(self) -> None:
        """Begin to read, once the run has its end of the pipe."""
        os.close(self.end_for_run)
        self._thread.start()

    def finish(self, wait_s: float) -> None:
        """Read what is still in the pipe. Somebody who still holds it, and writes no end, is waited for so long."""
        self._thread.join(wait_s)
        os.write(self._wake_write, b"\0")
        self._thread.join()

    def __enter__(self) -> Output:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._thread.ident is None:
            os.close(self.end_for_run)
        else:
            self.finish(0.0)
        for descriptor in (self._read_end, self._wake_read, self._wake_write):
            os.close(descriptor)

    def _carry(self) -> None:
        last_reads = _LAST_READS
        try:
            while True:
                ready = select.select([self._read_end, self._wake_read], [], [])[0]
                if self._wake_read in ready:
                    last_reads -= 1
                    if self._read_end not in ready or not last_reads:
                        return
                data = os.read(self._read_end, _CHUNK_BYTES)
                if not data:
                    return
                self._writer.write(data)
        except OSError:
            log.exception("the output of the run cannot be read any more")
