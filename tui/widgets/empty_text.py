"""What stands in the table's place when there is nothing to list, and why. Pure."""

from __future__ import annotations

from tui import numbers
from tui.catalog.question import Question, Selection, View
from tui.catalog.search_terms import NO_SEARCH, Search, Term
from tui.errors import TrnModelsError
from tui.terminal_text import brief
from tui.widgets.header_text import Activity, problem_words

LONGEST_TERM = 200
"""Characters of what was searched for that are repeated."""


def empty_text(
    question: Question,
    task: str,
    selection: Selection | None,
    activity: Activity,
    *,
    suggestion: str | None,
    more: bool,
    have_records: bool,
    ranking_loading: bool,
    ranking_error: TrnModelsError | None,
) -> list[str]:
    """Lines of text; the first says what is missing, the others why or what to do."""
    search = selection.search if selection is not None else NO_SEARCH
    if search.counts and selection is not None and selection.total:
        return _no_hit(search, suggestion, selection.total if more else None)
    if question.view is not View.SELECTED:
        return _no_ranking(task, ranking_loading, ranking_error)
    if not have_records:
        error = activity.error
        return [activity.progress] if error is None else _told(error.title, error)
    hidden = selection.hidden_left_out if selection is not None else 0
    shows = f"; a shows {hidden} that were left out" if hidden else ""
    return [f"no model has a result on this stack{shows}"]


def _no_hit(search: Search, suggestion: str | None, of_first: int | None) -> list[str]:
    """`of_first`: how many models of a longer ranking are here; nothing is claimed of the others."""
    hint = f"; did you mean {suggestion}?" if suggestion else ""
    told = [f"no model has {_applied(search)}{hint}"]
    if of_first is not None:
        told = [f"none of the first {numbers.count(of_first)} has {_applied(search)}{hint}"]
    told += [f"{_written(search, term)}: {term.note}" for term in search.conditions if term.note]
    told += [f"{_written(search, term)} does not count: {term.hint}" for term in search.unclear]
    return told if of_first is None else [*told, "Esc, then G at the end fetches more"]


def _applied(search: Search) -> str:
    """What counted: the words as they were typed, and each term."""
    words = " ".join(_written(search, term) for term in search.terms if term.counts and term not in search.conditions)
    applied = [*([f"«{words}»"] if words else []), *(_written(search, term) for term in search.conditions)]
    return applied[0] if len(applied) == 1 else f"all of {' · '.join(applied)}"


def _written(search: Search, term: Term) -> str:
    return brief(search.text[term.start : term.end], LONGEST_TERM)


def _no_ranking(task: str, loading: bool, error: TrnModelsError | None) -> list[str]:
    if loading:
        return [f"fetching the ranking of {task} …"]
    if error is not None:
        return _told(f"no ranking of {task}: {problem_words(error)}", error)
    return [f"the ranking of {task} is empty"]


def _told(title: str, error: TrnModelsError) -> list[str]:
    return [line for line in (title, error.detail, error.remedy) if line]
