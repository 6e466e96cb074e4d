"""What a model without a record would take, as a section of the detail. No colour of a verdict: it is none."""

from __future__ import annotations

from textual.content import Content

from tui.catalog.question import NOT_READ
from tui.terminal_text import brief
from tui.widgets.detail_text import HEADING, Detail
from tui.widgets.verdict_look import MUTED


def estimate(detail: Detail) -> Content:
    """Bytes of the weights, cores for them alone, and tested models like it; empty where a record is shown."""
    if detail.record is not None or detail.word == NOT_READ:
        return Content("")
    from tui.catalog import estimate as words

    known = words.Estimate(detail.facts, detail.facts_note, detail.evidence)
    weights = words.weights_sentences(known)
    lines = [Content.styled(words.HEADING, HEADING)]
    lines += [Content.styled(brief(text), "" if known.weights is not None else MUTED) for text in weights]
    if known.weights is not None:
        lines.append(Content.styled(brief(words.BESIDES), MUTED))
    if detail.evidence is None or detail.facts is None:
        return Content("\n").join(lines)
    found, limits = words.evidence_sentences(detail.evidence)
    lines += [Content(""), Content(brief(found))]
    lines += [Content(f"  {brief(text)}") for text in words.named(detail.evidence)]
    return Content("\n").join([*lines, Content.styled(brief(limits), MUTED)])
