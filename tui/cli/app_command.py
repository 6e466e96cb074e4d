"""The command without a verb: the app in a terminal, the list anywhere else."""

from __future__ import annotations

import gc
import shlex
import sys

from tui.cli.output import can_place_text, is_terminal
from tui.errors import UsageError
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


def open_app_on(settings: Settings, model: str, search: str = "") -> int:
    """Open the app on the model that `model` names, an id or a part of one; the exit code.

    Raises `UsageError` where a full screen has no place, and what reading records and looking up the name raise.
    """
    if not has_full_screen():
        from tui.cli.shown_model import source_words

        raise UsageError(
            "There is no terminal here to open the app in",
            "stdin, stdout and stderr must lead to one, and TERM must not be «dumb» or «unknown».",
            f"Print it instead: {shlex.join(['trn-models', 'show', *source_words(settings), '--', model])}",
        )
    from tui.cli.model_words import model_named
    from tui.cli.records_source import open_told

    gc.disable()
    model_id = model_named(settings, open_told(settings, fresh=False), model)
    from tui.app import run

    return run(settings, search, model_id)


def has_full_screen() -> bool:
    """Whether the three streams lead to a terminal that can place text anywhere."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(map(is_terminal, streams)) and can_place_text()
