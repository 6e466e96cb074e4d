"""Which tested models are told as like one without a record, and what is said of how much is known."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import polars as pl
from records_builder import NEWEST, OLDER, snapshot

from tui.catalog.estimate import evidence_sentences, named
from tui.catalog.evidence import Evidence, evidence_of
from tui.catalog.facts import ModelFacts
from tui.catalog.kinds import kinds_of
from tui.catalog.question import View
from tui.catalog.rankings import COLUMNS, Ranking

B = 10**9


def kinds(**models: tuple[str | None, int | None]) -> pl.DataFrame:
    """`name=(model type, parameters)` of `acme/name`."""
    return pl.DataFrame(
        {
            "key": [f"acme/{name}" for name in models],
            "model_type": [model_type for model_type, _ in models.values()],
            "parameters": [parameters for _, parameters in models.values()],
        },
        schema={"key": pl.String, "model_type": pl.String, "parameters": pl.Int64},
    )


def record(name: str, result: str | None = "pass", tp: int | None = 1, **values: Any) -> dict[str, Any]:
    return {"model_id": f"acme/{name}", "result": result, "tp": tp, **values}


def found(
    *records: dict[str, Any],
    known: pl.DataFrame,
    model_type: str | None = "qwen3",
    parameters: int | None = 8 * B,
    renames: dict[str, str] | None = None,
) -> Evidence:
    return evidence_of(snapshot(*records), known, facts_of(model_type, parameters), "acme/new", renames or {})


def facts_of(model_type: str | None, parameters: int | None) -> ModelFacts:
    return ModelFacts(
        id="acme/New", task=None, library=None, downloads=None, likes=None, gated=None, license=None,
        parameters=parameters, url="https://hub/acme/New", size_bytes=None,
        fetched_at=datetime(2026, 12, 1, tzinfo=UTC),
        model_type=model_type,
    )  # fmt: skip


def test_passing_models_of_the_type_and_of_like_size_are_told_with_cores_and_stack() -> None:
    evidence = found(
        record("small", tp=1),
        record("like", tp=4, **OLDER),
        record("like", tp=2),
        record("like", tp=8),
        record("fails", "fail"),
        record("odd", "timeout", **OLDER),
        record("tiny"),
        record("llama"),
        record("unknown"),
        known=kinds(
            small=("qwen3", 4 * B), like=("qwen3", 16 * B), fails=("qwen3", 9 * B), odd=("Qwen3", 8 * B),
            tiny=("qwen3", 4 * B - 1), llama=("llama", 8 * B),
        ),
    )  # fmt: skip
    assert (evidence.tested, evidence.passing, evidence.cores) == (4, 2, (1, 2))
    assert (evidence.all_tested, evidence.without_type) == (7, 1)
    assert evidence_sentences(evidence) == [
        "2 of 4 tested qwen3 models of 4-16 B pass, on 1-2 cores:",
        "Types are known of models that the Hub was asked about before, sizes from rankings too. 1 of 7 other "
        "tested models have no known type.",
    ]
    assert named(evidence) == [
        "acme/small: 4 B, 1 core, 2.28.7631.0 · transformers 5.23.1",
        "acme/like: 16 B, 2 cores, 2.28.7631.0 · transformers 5.23.1",
    ]


def test_at_most_five_are_named_the_newest_stacks_first() -> None:
    names = [f"m{number}" for number in range(8)]
    evidence = found(
        *(record(name, tp=number + 1, **(OLDER if number < 4 else NEWEST)) for number, name in enumerate(names)),
        known=kinds(**dict.fromkeys(names, ("qwen3", 8 * B))),
    )
    assert [passing.model_id for passing in evidence.named] == ["acme/m4", "acme/m5", "acme/m6", "acme/m7", "acme/m0"]
    assert evidence_sentences(evidence)[0] == (
        "8 of 8 tested qwen3 models of 4-16 B pass, on 1-8 cores. 5 of them, on the newest stacks:"
    )


def test_without_one_of_like_size_the_nearest_smaller_and_larger_are_told() -> None:
    evidence = found(
        record("one"), record("two"), record("thirty"), record("big"), record("failing", "fail"),
        known=kinds(
            one=("qwen3", 1 * B), two=("qwen3", 2 * B), thirty=("qwen3", 30 * B), big=("qwen3", 90 * B),
            failing=("qwen3", 8 * B),
        ),
    )  # fmt: skip
    assert evidence_sentences(evidence)[0] == (
        "0 of 1 tested qwen3 models of 4-16 B pass. The nearest in size that pass:"
    )
    assert [text.partition(":")[0] for text in named(evidence)] == ["acme/two", "acme/thirty"]


def test_where_nothing_is_known_it_says_so_and_how_little_is_known() -> None:
    evidence = found(record("one"), record("two"), known=kinds())
    assert evidence_sentences(evidence) == [
        "No record of a qwen3 model of like size (4-16 B) is known here.",
        "Types are known of models that the Hub was asked about before, sizes from rankings too. 2 of 2 other "
        "tested models have no known type.",
    ]
    assert named(evidence) == []


def test_a_model_without_type_or_size_has_no_like() -> None:
    known = kinds(one=("qwen3", 8 * B))
    assert "tells no model type" in evidence_sentences(found(record("one"), known=known, model_type=None))[0]
    text = evidence_sentences(found(record("one"), known=known, parameters=None))[0]
    assert text == "Its size is not known: of 1 tested qwen3 model none can be named as of like size."


def test_tested_models_of_the_type_whose_size_is_not_known_are_counted_as_such() -> None:
    evidence = found(record("one"), record("two"), known=kinds(one=("qwen3", None), two=("qwen3", 8 * B)))
    assert (evidence.tested, evidence.of_type, evidence.without_size) == (1, 2, 1)
    assert "1 of this type have no known size." in evidence_sentences(evidence)[1]


def test_neither_the_model_itself_nor_what_was_left_out_or_has_no_result_is_evidence() -> None:
    evidence = found(
        record("new", **OLDER),
        record("out", None, exclusion="too large"),
        record("skipped", "skipped", exclusion="too large"),
        record("blank", " "),
        {"result": "pass"},
        known=kinds(new=("qwen3", 8 * B), out=("qwen3", 8 * B), skipped=("qwen3", 8 * B), blank=("qwen3", 8 * B)),
    )
    assert (evidence.tested, evidence.all_tested) == (0, 0)


def test_a_renamed_model_is_known_under_its_new_id() -> None:
    evidence = found(record("old"), known=kinds(renamed=("qwen3", 8 * B)), renames={"acme/old": "acme/renamed"})
    assert [passing.model_id for passing in evidence.named] == ["acme/old"]
    assert found(record("old"), known=kinds(old=("qwen3", 8 * B)), renames={"acme/old": "acme/new"}).tested == 0


def test_sizes_are_known_from_what_the_hub_was_asked_and_else_from_rankings() -> None:
    columns = {"pipeline_tag": None, "library": None, "gated": None}
    rows = [{"key": f"acme/{name}", "parameters": size, **columns} for name, size in (("a", 1), ("b", 2), ("c", None))]
    ranked = Ranking(View.TRENDING, "chat", None, pl.DataFrame(rows, schema=COLUMNS), None, sample=False)
    told = replace(facts_of("qwen3", 7), id="acme/A")
    frame = kinds_of([ranked], [told], {})
    assert dict(frame.select("key", "parameters").iter_rows()) == {"acme/a": 7, "acme/b": 2, "acme/c": None}


def test_the_largest_numbers_of_weights_are_compared_without_an_error() -> None:
    most = 2**63 - 1
    evidence = found(record("one"), known=kinds(one=("qwen3", most)), parameters=most)
    assert evidence.passing == 1
