"""How the command `trn-models` is run, and how it ends.

Exit codes are those of `tui.errors`; every error is told on stderr: what happened, to what, what to do next.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import sys
from collections.abc import Sequence
from logging.handlers import RotatingFileHandler
from pathlib import Path

import click

from tui.cli.output import lead_nowhere, say
from tui.cli.verbs import trn_models
from tui.errors import EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_PASS, EXIT_USAGE, TrnModelsError
from tui.settings import Settings

logger = logging.getLogger(__name__)

_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def run(arguments: Sequence[str]) -> int:
    """Run one command line; the exit code. Raises nothing."""
    # Until the log file is open, logging would print warnings to stderr.
    logging.getLogger().addHandler(logging.NullHandler())
    code: int | None = None
    try:
        code = _run(arguments)
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        return code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except OSError as error:
        if error.errno in _NO_SPACE:
            return _no_space(error)
        if error.errno != errno.EPIPE:
            return _internal(error)
        # Nobody reads on (`| head -1`): what is buffered has nowhere to go, also at the interpreter's end.
        _let_go_of_streams()
        return EXIT_PASS if code is None else code
    except BaseException as error:  # noqa: BLE001 - the last stop of any error; polars panics are BaseException
        return _internal(error)


def _run(arguments: Sequence[str]) -> int:
    try:
        with trn_models.make_context("trn-models", list(arguments)) as context:
            trn_models.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.exceptions.Abort:
        return EXIT_INTERRUPTED
    except click.ClickException as error:
        error.show()
        return EXIT_USAGE
    except TrnModelsError as error:
        logger.warning("%s", error, exc_info=True)
        say(error.title, error.detail, error.remedy)
        return error.exit_code
    return EXIT_PASS


def _internal(error: BaseException) -> int:
    from tui import log_file

    files = [handler for handler in logging.getLogger().handlers if isinstance(handler, RotatingFileHandler)]
    log = Path(files[0].baseFilename) if files else log_file.start(Settings())
    logger.critical("unexpected", exc_info=error)
    where = f"see {log}" if log is not None else "no log file could be written"
    _tell(f"internal error, {where}", f"{type(error).__name__}: {str(error)[:500]}")
    _let_go_of_streams()
    return EXIT_INTERNAL


def _no_space(error: OSError) -> int:
    where = error.filename or "It was stdout, or a file of this app."
    _tell(
        os.strerror(error.errno or errno.ENOSPC),
        str(where),
        "Not everything was written. Make room, or write elsewhere.",
    )
    _let_go_of_streams()
    return EXIT_USAGE


def _tell(*sentences: str) -> None:
    """Say it, where stderr is not what cannot be written."""
    with contextlib.suppress(OSError):
        say(*sentences)


def _let_go_of_streams() -> None:
    for name in ("stdout", "stderr"):
        lead_nowhere(name)
