"""`--search` of the command line: what it means, what it needs beyond the lines, and what of it cannot be used."""

from __future__ import annotations

import difflib
import os
import textwrap
from itertools import islice
from typing import TYPE_CHECKING, Final

from tui.catalog.search_names import NAMES, RULES, Kind, Name
from tui.catalog.search_terms import Search, Term, parsed
from tui.errors import UsageError
from tui.terminal_text import clean

if TYPE_CHECKING:
    import polars as pl

    from tui.catalog.question import Beyond, Limits, Question, Selection
    from tui.catalog.rankings import Ranking
    from tui.catalog.snapshot import Snapshot
    from tui.settings import Settings

_WIDTH: Final = 77
_INDENT: Final = 26
_MOST_COMPARED: Final = 5_000
"""Values that one which does not occur is compared with."""


def language() -> str:
    """The search language in lines for a help page, each kept as it is."""
    listed = [*RULES, *((name.example, _told(name)) for name in NAMES.values())]
    lines = [line for example, meaning in listed for line in _two_columns(example, meaning)]
    return "\n".join(["\b", "Words and terms of --search:", *lines])


def refuse_unclear(search: Search) -> None:
    """Raise `UsageError` that names each term that does not count, why, and what would be right."""
    if not search.unclear:
        return
    terms = [f"«{_as_typed(search, term)}»: {term.hint}" for term in search.unclear]
    examples = dict.fromkeys(NAMES[term.name].example for term in search.unclear if term.name in NAMES)
    right = f"Right would be, for example: {', '.join(examples)}. " if examples else ""
    title = f"--search «{clean(search.text)}» cannot be used"
    raise UsageError(title, "\n".join(terms), f"{right}All names and rules: trn-models list --help")


def searched(
    settings: Settings, snapshot: Snapshot, ranking: Ranking | None, question: Question, base_lines: pl.DataFrame
) -> Selection:
    """`views.select` with all that the search needs; errors and this machine are looked at only when it asks for them.

    Raises `UsageError` for a term that does not count.
    """
    from tui.catalog.views import select

    selection = select(snapshot, ranking, question, base_lines)
    if selection.search.names & {"task", "type", "error", "fits"}:
        beyond = _beyond(settings, snapshot, selection)
        selection = select(snapshot, ranking, question, base_lines, selection, beyond)
    refuse_unclear(selection.search)
    return selection


def remarks(selection: Selection) -> list[str]:
    """What there is to say of terms that count: values that no model has, and why nothing fits here."""
    search = selection.search
    absent = [
        f"«{_as_typed(search, term)}»: no model here has this value{_near(selection, term)}"
        for term in search.conditions
        if _is_absent(selection, term)
    ]
    return [*absent, *(f"«{_as_typed(search, term)}»: {term.note}" for term in search.conditions if term.note)]


def refuse_impossible(text: str) -> None:
    """Raise `UsageError` for a term that counts with no data at all, before any are read or fetched."""
    refuse_unclear(parsed(text))


def _beyond(settings: Settings, snapshot: Snapshot, selection: Selection) -> Beyond:
    from tui.catalog.question import Beyond

    names = selection.search.names
    kinds = errors = None
    if names & {"task", "type"}:
        from tui.catalog.kinds import read

        kinds = read(settings, sample=snapshot.source == "sample")
    if selection.wants_errors:
        from tui.catalog import error_search
        from tui.cli.output import Progress

        with Progress() as progress:
            progress("reading errors")
            errors = error_search.find(snapshot, selection.wants_errors)
    limits = _limits(settings, snapshot) if "fits" in names else None
    return Beyond(limits=limits, kinds=kinds, errors=errors or {})


def _limits(settings: Settings, snapshot: Snapshot) -> Limits:
    from tui.cli.output import Progress
    from tui.host import neuron
    from tui.host.interpreters import preferred
    from tui.host.limits import limits_of
    from tui.rerun import this_machine

    stacks = [counted.stack for counted in snapshot.stacks]
    libraries = sorted({stack.library for stack in stacks if stack.library})
    with Progress() as progress:
        progress("looking at this machine")
        host = neuron.look_at(settings, os.environ)
        interpreter = preferred(this_machine.interpreters_here(settings, os.environ, also=libraries))
    return limits_of(host, interpreter, stacks)


def _is_absent(selection: Selection, term: Term) -> bool:
    from tui.catalog.search_values import VERDICTS, folded, is_unknown

    vocabulary = selection.vocabulary
    if vocabulary is None or term.name not in NAMES or NAMES[term.name].kind is not Kind.KNOWN or is_unknown(term):
        return False
    verdict = term.name == "is" and folded(term.value) in VERDICTS
    return not verdict and not vocabulary.spellings(term.name, term.value)


def _near(selection: Selection, term: Term) -> str:
    from tui.catalog.search_values import folded

    values = () if selection.vocabulary is None else selection.vocabulary.values(term.name)
    known = {folded(value): value for value in islice(values, _MOST_COMPARED)}
    near = difflib.get_close_matches(folded(term.value), known, n=1)
    return f"; did you mean {clean(known[near[0]])}?" if near else ""


def _as_typed(search: Search, term: Term) -> str:
    return clean(search.text[term.start : term.end])


def _told(name: Name) -> str:
    spelled = name.kind in {Kind.DURATION, Kind.DAY} or name.name == "is"
    return f"{name.meaning}: {name.values}" if spelled else name.meaning


def _two_columns(first: str, second: str) -> list[str]:
    return textwrap.wrap(
        second, _WIDTH, initial_indent=f"  {first:{_INDENT - 2}}", subsequent_indent=" " * _INDENT,
        break_on_hyphens=False,
    )  # fmt: skip
