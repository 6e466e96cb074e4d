"""The heart: (snapshot, ranking, question) -> the lines that the table, `list` and exports show. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import polars as pl

from tui.catalog import query, search_filter
from tui.catalog.lines import LINES, nothing, ranked, selected, sorted_by
from tui.catalog.question import NOTHING_BEYOND, Beyond, Question, Selection, View
from tui.catalog.rows import FrameRows
from tui.catalog.search_terms import parsed
from tui.catalog.stacks import STACK_COLUMNS, Stack
from tui.catalog.verdict import Verdict
from tui.catalog.vocabulary import vocabulary_of

if TYPE_CHECKING:
    from tui.catalog.rankings import Ranking
    from tui.catalog.snapshot import Snapshot


__all__ = ["LINES", "Question", "Selection", "View", "lines_of", "records_of", "select", "suggestion"]


def lines_of(snapshot: Snapshot | None, ranking: Ranking | None, question: Question) -> pl.DataFrame:
    """Every line of the view in its own order: all but search and sort, to be kept between keys.

    Columns as in `LINES`. Selected: one line for each model with a record on the stack, in the order PASS,
    FAIL, other words, EXCLUDED and id, the models without a result last. Rankings: one line a row, in the
    Hub's order; `snapshot` None is one that is still loading, `ranking` None one that is.

    Raises ValueError when sample records meet a live ranking, or the reverse.
    """
    if question.view is View.SELECTED:
        return nothing() if snapshot is None else selected(snapshot, question.stack)
    if ranking is None:
        return nothing()
    return ranked(
        snapshot,
        ranking,
        question.stack,
        transformers_only=question.transformers_only,
        renames=question.renames,
    )


def select(  # noqa: PLR0917 - each is at its place in every call
    snapshot: Snapshot | None,
    ranking: Ranking | None,
    question: Question,
    base: pl.DataFrame | None = None,
    before: Selection | None = None,
    beyond: Beyond = NOTHING_BEYOND,
) -> Selection:
    """The lines that answer the question; `base` is `lines_of` of the same question when it was kept.

    `before` is what was selected last: in what had its words a search that narrows them is looked for, and the values
    of the same lines are not counted again. `beyond` is what terms of the search need beside the lines; one that needs
    what is not there does not count, and its hint says so.

    Raises ValueError as `lines_of` does, and for a `sort` that is no column of `LINES`.
    """
    lines = lines_of(snapshot, ranking, question) if base is None else base
    same = before is not None and before.base is lines
    vocabulary = before.vocabulary if before is not None and same else None
    if vocabulary is None or vocabulary.kinds is not beyond.kinds:
        vocabulary = vocabulary_of(lines, snapshot, beyond.kinds)
    search = parsed(question.search, vocabulary)
    if search.names:
        search = search_filter.settled(search, snapshot, beyond)
    within = None
    if before is not None and same and query.narrows(search.words, before.words):
        within = before.found
    found = query.places(lines["key"], search.words, within) if search.words else None
    places = found
    if search.conditions:
        places = _fulfilling(lines, found, search_filter.expression(search, snapshot, vocabulary, beyond))
    hidden = 0
    if question.view is View.SELECTED and not search.counts and not question.left_out:
        hidden = int(lines["left_out"].sum())
    verdicts, has_result = (
        lines[column] if places is None else lines[column].gather(places) for column in ("verdict", "has_result")
    )
    counts = _counts(verdicts)
    other_words = int(((verdicts == Verdict.OTHER.value) & has_result).sum()) if counts[Verdict.OTHER] else 0
    listed = FrameRows(lines.head(lines.height - hidden) if hidden else lines, places)  # those left out are the last
    if question.sort is not None:
        frame = listed.frame if places is None else lines[places]
        listed = FrameRows(sorted_by(frame, question.sort, descending=question.descending))
    in_ranking = question.view is not View.SELECTED and ranking is not None
    return Selection(
        rows=listed,
        total=ranking.models.height if in_ranking and ranking else lines.height,
        counts=counts,
        tested=counts[Verdict.PASS] + counts[Verdict.FAIL] + other_words,
        hidden_left_out=hidden,
        search=search,
        wants_errors=search_filter.missing_errors(search, snapshot, beyond),
        vocabulary=vocabulary,
        base=lines,
        found=found,
    )


def _fulfilling(lines: pl.DataFrame, places: pl.Series | None, condition: pl.Expr) -> pl.Series:
    """The places of lines, of all or of these, for which the condition holds."""
    looked_at = lines.select({"key", *condition.meta.root_names()})
    if places is None:
        return looked_at.with_columns(holds=condition)["holds"].arg_true()
    return places.filter(looked_at[places].with_columns(holds=condition)["holds"])


def _counts(verdicts: pl.Series) -> dict[Verdict, int]:
    """How often each verdict occurs."""
    counted = verdicts.value_counts()
    found = dict(zip(counted["verdict"].to_list(), counted["count"].to_list(), strict=True))
    return {verdict: found.get(verdict.value, 0) for verdict in Verdict}


def suggestion(base_lines: pl.DataFrame, question: Question) -> str | None:
    """The nearest search whose words are found; None without words, when they are found, or when nothing is near.

    Only words are looked at, terms stay as they are. `base_lines` are `lines_of` the question. Takes longer than
    `select`: for when typing rests.
    """
    search = parsed(question.search)
    if not search.words or not query.places(base_lines["key"], search.words).is_empty():
        return None
    mended = query.suggest(" ".join(search.words), base_lines["key"])
    if mended is None:
        return None
    others = (question.search[term.start : term.end] for term in search.terms if term.name or term.negated)
    return " ".join([mended, *others])


def records_of(snapshot: Snapshot, key: str, renames: Mapping[str, str] | None = None) -> pl.DataFrame:
    """All records of a model, the newest stack first; within a stack the best first, as the table takes it.

    `key` is the model's casefolded id, the old one or what it was renamed to. Adds `record`, the row in
    `snapshot.records`. A record without an id is of no model.
    """
    renamed = renames or {}
    current = renamed.get(key, key)
    others = {old for old, new in renamed.items() if new == current} - {current}
    keys = snapshot.records["key"]
    of_model = keys == current
    if others:
        of_model |= keys.is_in(list(others))
    rows = (of_model & snapshot.records["model_id"].is_not_null()).arg_true()
    found = snapshot.records[rows].insert_column(0, rows.alias("record"))
    places = {counted.stack: place for place, counted in enumerate(snapshot.stacks)}
    stacks = [Stack(*parts) for parts in found.select(STACK_COLUMNS).iter_rows()]
    place = pl.Series([places[stack] for stack in stacks], dtype=pl.UInt32)
    # Within a stack the order of `records.one_a_model`: the first is the one that the table shows.
    fewest_cores = pl.when(pl.col("verdict") == Verdict.PASS.value).then("tp")
    order = (place, "verdict", fewest_cores, "tested_at", "record")
    return found.sort(*order, descending=[False, False, False, True, False], nulls_last=True)
