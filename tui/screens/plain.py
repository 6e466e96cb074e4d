"""The detail as plain text outside the full screen: no borders, no line numbers, nothing interpreted."""

from __future__ import annotations

import sys

from tui.terminal_text import clean
from tui.widgets import detail_text
from tui.widgets.detail_text import Detail


def plain_text(detail: Detail) -> str:
    """Every section one after the other, run.py last and as it stands but for control characters."""
    sections = [
        detail_text.heading(detail).plain,
        detail_text.reasons(detail).plain,
        detail_text.all_records(detail).plain,
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
    """Print the text and wait for Enter."""
    out = sys.stdout
    out.write(plain_text(detail) + "\n\n[Enter goes back to trn-models] ")
    out.flush()
    sys.stdin.readline()
