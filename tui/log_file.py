"""The app's log: `trn-models.log` in the state folder, two files of 1 MB at most, private, times in UTC.

Nothing is ever printed: the screen belongs to the app. What is logged comes from strangers too, so it is made safe
for the terminal that it will be read in, and access tokens are masked.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import threading
import time
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from tui.settings import Settings
from tui.terminal_text import clean

log = logging.getLogger(__name__)

_MAX_BYTES = 1_000_000

# Tokens of the Hub, of any HTTP header, and the signatures of the addresses that the Hub redirects downloads to.
_SECRETS = re.compile(
    r"""(?P<kept>
        \b hf_ (?=[A-Za-z0-9]{16}) | \b hf_(?:oauth|jwt|app|org)_
      | \b (?:bearer|basic) \ +
      | [?&] (?:[\w-]* (?:signature|credential|token|policy) | sig | key-pair-id) =
    )[^\s&'"<>,;()]{8,}""",
    re.IGNORECASE | re.VERBOSE,
)


def path(settings: Settings) -> Path:
    """Where the log is."""
    return settings.state_dir / "trn-models.log"


def start(settings: Settings) -> Path | None:
    """Send everything that is logged, warnings and errors of threads included, to the file, and nothing elsewhere.

    Returns the file, or None when it cannot be written: then nothing is logged. A second call replaces the first.
    """
    root = logging.getLogger()
    for handler in [*root.handlers]:
        # A plain StreamHandler, as logging.basicConfig makes it, writes to the screen.
        if type(handler) in (_PrivateFile, logging.NullHandler, logging.StreamHandler):
            root.removeHandler(handler)
            handler.close()
    file: Path | None = path(settings)
    try:
        settings.state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        root.addHandler(_file_handler(path(settings)))
    except OSError:
        file = None
        # Without any handler, logging prints warnings to stderr.
        root.addHandler(logging.NullHandler())
    root.setLevel(logging.INFO)
    logging.captureWarnings(True)
    threading.excepthook = _log_thread_error
    return file


def is_open() -> bool:
    """Whether what was logged last got into the file."""
    handlers = [each for each in logging.getLogger().handlers if isinstance(each, _PrivateFile)]
    return any(each.stream is not None and Path(each.baseFilename).exists() for each in handlers)


def mask(text: str) -> str:
    """`text` with access tokens and signatures of addresses replaced by `***`."""
    own = os.environ.get("HF_TOKEN", "").strip()
    if len(own) >= 8:
        text = text.replace(own, "***")
    return _SECRETS.sub(r"\g<kept>***", text)


class _Formatter(logging.Formatter):
    """Acts on the finished text: a filter would see neither the traceback nor what the arguments turn into."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def format(self, record: logging.LogRecord) -> str:
        return clean(mask(super().format(record)), newlines=True)


class _PrivateFile(RotatingFileHandler):
    """A rotating file that only its owner can read, and that is silent when the disk is full."""

    def _open(self) -> TextIOWrapper:
        # Not waiting: a pipe of this name would have no reader.
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(self.baseFilename, flags, 0o600)
        os.fchmod(descriptor, 0o600)
        return os.fdopen(descriptor, "a", encoding="utf-8")

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line to the file that has the name now: another app may have moved it on, a person removed it."""
        try:
            self._follow_the_name()
        except OSError:
            self.handleError(record)
        else:
            super().emit(record)

    def _follow_the_name(self) -> None:
        if self.stream is not None:
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(self.stream.fileno()), os.lstat(self.baseFilename)):
                    return
            with contextlib.suppress(OSError):  # what it could not write before
                self.stream.close()
            self.stream = None
        Path(self.baseFilename).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.stream = self._open()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Drop the line; the inherited method prints a traceback to the screen."""


def _file_handler(file: Path) -> logging.Handler:
    handler = _PrivateFile(file, maxBytes=_MAX_BYTES, backupCount=1, encoding="utf-8")
    handler.setFormatter(_Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    return handler


def _log_thread_error(error: threading.ExceptHookArgs) -> None:
    if error.exc_type is SystemExit or error.exc_value is None:
        return
    name = error.thread.name if error.thread else "a thread"
    log.error("%s failed", name, exc_info=(error.exc_type, error.exc_value, error.exc_traceback))
