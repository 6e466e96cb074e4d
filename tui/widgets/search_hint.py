"""The line that helps while one types a search: what completes a term, and why one does not count. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from tui import numbers
from tui.catalog.search_terms import Search, Term
from tui.terminal_text import brief
from tui.widgets.search_ahead import Ahead
from tui.widgets.verdict_look import MUTED

if TYPE_CHECKING:
    from tui.catalog.search_completion import Completion

MOST_CANDIDATES = 8
"""More are not read; typing on narrows them."""
LONGEST_PART = 60
"""Characters of a term or a value: they are of the data, or typed."""


def search_hint(search: Search, ahead: Ahead) -> tuple[Content, ...]:
    """What there is to say, longest first; nothing for words alone, or while `search` is of another text.

    First what completes the term at the cursor, else why that does not count; then the other terms that do not, then
    what there is to know of those that do.
    """
    if search.text != ahead.text:
        return ()
    at_cursor = next((term for term in search.terms if term.start < ahead.cursor <= term.end), None)
    others = [_told(search.text, term, term.hint) for term in search.unclear if term is not at_cursor]
    others += [_told(search.text, term, term.note) for term in search.terms if term.counts and term.note]
    if ahead.found:
        most = min(len(ahead.found), MOST_CANDIDATES)
        firsts = [_candidates(ahead.found[:many], at_cursor) for many in range(most, 0, -1)]
    elif at_cursor is not None and at_cursor.hint:
        firsts = [_told(search.text, at_cursor, at_cursor.hint)]
    elif others:
        firsts = [others.pop(0)]
    else:
        return ()
    return (*(_joined([first, *others]) for first in firsts), *(firsts if others else ()))


def _candidates(found: tuple[Completion, ...], term: Term | None) -> Content:
    """`is: pass 12 · fail 3`, the one that can be taken first; of names what the first asks for."""
    # A number beside a number reads as one.
    apart = any(each.shown[-1:].isdigit() for each in found)
    line = _joined([_candidate(each, first=not place, apart=apart) for place, each in enumerate(found)])
    if found[0].meaning:
        which = f"{found[0].shown} " if len(found) > 1 else ""
        line += Content.styled(f"   {which}{found[0].meaning}", MUTED)
    if term is not None and term.operator:
        return Content.styled(f"{brief(term.name + term.operator, LONGEST_PART)} ", MUTED) + line
    return line


def _candidate(each: Completion, *, first: bool, apart: bool) -> Content:
    shown = Content.styled(brief(each.shown, LONGEST_PART), "bold $foreground" if first else "$foreground")
    if each.count is None:
        return shown
    count = numbers.count(each.count)
    return shown + Content.styled(f" ({count})" if apart else f" {count}", MUTED)


def _told(text: str, term: Term, said: str) -> Content:
    written = brief(text[term.start : term.end], LONGEST_PART)
    return Content.assemble((written, "bold $foreground"), ("  ", ""), (said, MUTED))


def _joined(parts: list[Content]) -> Content:
    return Content.styled(" · ", MUTED).join(parts)
