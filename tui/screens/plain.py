"""The detail as plain text outside the full screen: no borders, no line numbers, nothing interpreted."""

from __future__ import annotations

import signal
import sys

from tui.terminal_text import clean
from tui.widgets import detail_text, estimate_text
from tui.widgets.detail_text import Detail


def plain_text(detail: Detail) -> str:
    """Every section one after the other, run.py last and as it stands but for control characters."""
    sections = [
        detail_text.heading(detail).plain,
        detail_text.reasons(detail).plain,
        detail_text.all_records(detail).plain,
        estimate_text.estimate(detail).plain,
        detail_text.how_to_run(detail).plain,
        detail_text.extra_columns(detail).plain,
        detail_text.hub_facts(detail).plain,
    ]
    if detail.error:
        sections.append(clean(detail.error, newlines=True))
    if detail.recipe is not None and detail.recipe.script:
        sections.append(clean(detail.recipe.script, newlines=True))
    return "\n\n".join(section for section in sections if section)


def show_plain(detail: Detail) -> None:
    """Print the text and wait for Enter or Ctrl+C.

    The event loop stands still meanwhile, so signals that end the app have their plain meaning.
    """
    out = sys.stdout
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGHUP, signal.SIGTERM)}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        out.write(plain_text(detail) + "\n\n[Enter goes back to trn-models] ")
        out.flush()
        sys.stdin.readline()
    except KeyboardInterrupt:
        out.write("\n")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
