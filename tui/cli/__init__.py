"""The command line: opens the app, or prints. Never imports the UI but in the verb that opens it."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from tui.errors import EXIT_INTERNAL, EXIT_INTERRUPTED


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command of this process and end it with the exit code."""
    if arguments is None and (asked := os.environ.get("_TRN_MODELS_COMPLETE")):
        gc.disable()  # it ends before there is anything to collect
        from tui.cli.completion import answer
        from tui.cli.verbs import trn_models

        _end(answer(trn_models, asked))
    try:
        from tui.cli.command import run
    except ImportError as error:  # 1 would say that a model fails
        print(f"trn-models is not installed whole: {error}\nInstall it again.", file=sys.stderr)
        sys.exit(EXIT_INTERNAL)

    code = run(sys.argv[1:] if arguments is None else arguments)
    if code == EXIT_INTERRUPTED:
        # Whoever pressed Ctrl+C waits for nothing: no thread that still waits for the Hub is joined.
        os._exit(code)
    _end(code)


def _end(code: int) -> NoReturn:
    # The interpreter collects garbage once more at its end: a fifth of a short command's time, for nothing.
    gc.freeze()
    sys.exit(code)
