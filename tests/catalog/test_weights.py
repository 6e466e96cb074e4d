"""What weights take: bytes of each dtype, packed ones by what is stored, and the fewest cores for them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tui.catalog import estimate
from tui.catalog.estimate import Estimate, weights_sentences
from tui.catalog.facts import MOST_DTYPES, ModelFacts, facts_of
from tui.catalog.weights import CORE_BYTES, least_cores, may_be_packed, stored_bytes, weights_of

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def facts(by_dtype: dict[str, int] | None = None, **fields: Any) -> ModelFacts:
    nothing = dict.fromkeys(("task", "library", "downloads", "likes", "gated", "license", "parameters", "size_bytes"))
    told = {**nothing, "id": "acme/new", "url": "https://hub/acme/new", "fetched_at": NOW}
    return ModelFacts(**{**told, "parameters_by_dtype": by_dtype or {}, **fields})


def said(by_dtype: dict[str, int] | None = None, **fields: Any) -> str:
    return " ".join(weights_sentences(Estimate(facts(by_dtype, **fields))))


def test_the_arithmetic_is_told_with_the_fewest_cores() -> None:
    assert weights_sentences(Estimate(facts({"BF16": 8_190_735_360}))) == [
        "8.19 B weights: BF16 8.19 B x 2 bytes = 16.4 GB",
        "One core has 24 GiB (25.8 GB): at least 1 NeuronCore for the weights alone.",
    ]


def test_more_than_one_core_tells_how_much_of_them_is_filled() -> None:
    assert weights_sentences(Estimate(facts({"BF16": 70_000_000_000, "F32": 1_000_000_000}))) == [
        "71 B weights: BF16 70 B x 2 bytes, F32 1 B x 4 bytes; 144 GB in all",
        "One core has 24 GiB (25.8 GB): 144 GB fill 5.59 of them, and tests are on 1, 2, 4, 8, 16: "
        "at least 8 NeuronCores for the weights alone.",
    ]


def test_more_than_sixteen_cores_is_more_than_was_ever_tested() -> None:
    text = said({"BF16": 300_000_000_000})
    assert "16 have 384 GiB (412 GB): more than 16 NeuronCores for the weights alone, more than was ever tested" in text


@pytest.mark.parametrize(
    ("number_of_bytes", "cores"),
    [
        (0, 1), (1, 1), (CORE_BYTES, 1), (CORE_BYTES + 1, 2), (2 * CORE_BYTES, 2), (2 * CORE_BYTES + 1, 4),
        (8 * CORE_BYTES, 8), (16 * CORE_BYTES, 16), (16 * CORE_BYTES + 1, None), (10**40, None),
    ],
)  # fmt: skip
def test_a_core_has_24_gib_and_not_24_gb(number_of_bytes: int, cores: int | None) -> None:
    assert CORE_BYTES == 25_769_803_776
    assert least_cores(number_of_bytes) == cores


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("F64", 8000), ("C64", 8000), ("I64", 8000), ("F32", 4000), ("F16", 2000), ("BF16", 2000), ("F8_E4M3", 1000),
        ("F8_E5M2", 1000), ("F8_E8M0", 1000), ("F6_E2M3", 750), ("F6_E3M2", 750), ("F4", 500), ("FP4", 500),
        ("BOOL", 1000), ("bf16", 2000),
    ],
)  # fmt: skip
def test_each_dtype_has_its_bytes(dtype: str, expected: int) -> None:
    weights = weights_of(facts({dtype: 1000}))
    assert weights is not None
    assert (weights.least_bytes, weights.most_bytes) == (expected, expected)


def test_half_a_byte_is_rounded_up() -> None:
    weights = weights_of(facts({"F4": 3}))
    assert weights is not None
    assert weights.least_bytes == 2


def test_packed_weights_are_counted_by_the_bytes_of_their_files() -> None:
    # 72 B weights of 4 bits, in 41.6 GB: the Hub counts them one by one, though it says I32.
    by_dtype = {"I32": 70_000_000_000, "F16": 2_500_000_000}
    text = said(by_dtype, weights_file_bytes=41_600_000_000)
    assert "safetensors files have 41.6 GB" in text
    assert "the bytes of the files count, not the number of weights" in text
    assert "at least 2 NeuronCores" in text


def test_without_the_sizes_of_the_files_packed_weights_have_a_range_and_the_fewest_cores_follow_its_lower_end() -> None:
    weights = weights_of(facts({"I32": 8_000_000_000, "F16": 1_000_000_000}))
    assert weights is not None
    assert (weights.least_bytes, weights.most_bytes) == (4_000_000_000, 34_000_000_000)
    text = said({"I32": 8_000_000_000, "F16": 1_000_000_000})
    assert "I32 8 B x 2 to 32 bits, F16 1 B x 2 bytes; 4 GB to 34 GB in all" in text
    assert "packed weights one by one or by what holds them" in text
    assert "at least 1 NeuronCore " in text


def test_a_table_of_integers_is_not_taken_for_packed_weights() -> None:
    assert not may_be_packed({"F32": 124_697_433, "I32": 514})
    assert may_be_packed({"BF16": 1_804_459_584, "U8": 19_707_494_400})
    assert not may_be_packed({})
    assert said({"F32": 1_000_000, "I32": 500}).startswith("1 M weights: F32 1 M x 4 bytes, I32 500 x 4 bytes; 4 MB")


def test_an_unknown_dtype_is_named_and_the_sum_is_at_least() -> None:
    text = said({"BF16": 1_000_000_000, "F3_NEW": 2_000_000_000})
    assert "3 B weights: BF16 1 B x 2 bytes = at least 2 GB" in text
    assert "Not counted, since the size of this dtype is not known here: F3_NEW 2 B." in text
    assert said({"F3_NEW": 5}) == "Cannot be estimated: the size of its dtype F3_NEW is not known here."


def test_what_cannot_be_estimated_says_why() -> None:
    assert "the Hub tells no dtypes of its weights" in said(library="gguf")
    assert "and this is a gguf model" in said(library="gguf")
    assert "an earlier version kept" in said(all_asked=False)
    assert weights_sentences(Estimate(None, "not asked: offline")) == [
        "Cannot be estimated: the Hub's facts of it are not at hand (not asked: offline)."
    ]


def test_the_size_of_the_repository_is_not_taken_for_weights() -> None:
    assert weights_of(facts(size_bytes=10**12, parameters=8_000_000_000)) is None


def test_of_a_part_of_a_model_it_is_said_that_more_comes_on_top() -> None:
    assert "text encoders and VAE come on top" in said({"BF16": 10**9}, library="diffusers")
    assert "the weights of its base model come on top" in said({"BF16": 10**6}, library="peft")


def test_it_is_never_put_as_a_verdict() -> None:
    every = [said({"BF16": 10**9}), said({"BF16": 10**12}), said({"I32": 10**9}), said(), estimate.BESIDES]
    for text in every:
        words = {word.strip(".,:;()").casefold() for word in text.split()}
        assert not words & {"pass", "passes", "fail", "fails", "fits", "runs", "works"}
    assert all(word in estimate.BESIDES for word in ("activations", "KV cache", "compiler workspace", "16 cores"))


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, "0"), (514, "514"), (999, "999"), (1000, "1 k"), (999_499, "999 k"), (999_500, "1 M"),
        (494_032_768, "494 M"),
        (8_190_735_360, "8.19 B"), (1_026_879_376_368, "1.03 T"), (10**30, "1,000,000,000,000,000,000 T"),
    ],
)  # fmt: skip
def test_numbers_of_weights_have_three_digits(number: int, expected: str) -> None:
    assert estimate.many(number) == expected


# Files


def files(*sizes: int, prefix: str = "model") -> list[dict[str, Any]]:
    return [
        {"type": "file", "path": f"{prefix}-{number:05}-of-{len(sizes):05}.safetensors", "size": size}
        for number, size in enumerate(sizes, 1)
    ]


def test_the_bytes_of_the_files_are_those_of_all_parts() -> None:
    assert stored_bytes([{"path": "README.md", "size": 9}, *files(5, 6, 7), *files(100, prefix="other")]) == 18
    assert stored_bytes([{"path": "model.safetensors", "size": 9}]) == 9
    assert stored_bytes([{"path": "model.safetensors", "size": 9}, *files(4, 4)]) == 8


def test_files_of_which_one_is_missing_or_odd_are_not_counted() -> None:
    assert stored_bytes(files(5, 6, 7)[:2]) is None
    assert stored_bytes([]) is None
    for size in (None, "x", -1, 1e30, True, [], 0):
        assert stored_bytes([{"path": "model.safetensors", "size": size}]) is None
    assert stored_bytes([{"path": 7, "size": 7}, {}, {"path": "sub/model.safetensors", "size": 7}]) is None
    assert stored_bytes([{"path": "model-00001-of-999999.safetensors", "size": 7}]) is None


# Hostile answers


def test_odd_counts_and_names_are_left_out() -> None:
    odd: dict[Any, Any] = {
        "BF16": 7, "F32": float("nan"), "F16": 1e30, "I8": -1, "U8": True, "I16": "12", "I64": None, "F64": [], "": 5,
        "x" * 61: 5, " F8 ": 5, 7: 5, "U16": 0,
    }  # fmt: skip
    found = facts_of({"id": "acme/new", "safetensors": {"parameters": odd}, "config": [1]}, "https://hub", NOW)
    assert found is not None
    assert found.parameters_by_dtype == {"I16": 12, "BF16": 7}
    assert found.model_type is None


@pytest.mark.parametrize("odd", [None, 5, "x", [], {"parameters": 5}, {"parameters": ["BF16"]}, {"parameters": None}])
def test_safetensors_of_another_shape_tell_nothing(odd: object) -> None:
    found = facts_of({"id": "acme/new", "safetensors": odd}, "https://hub", NOW)
    assert found is not None
    assert found.parameters_by_dtype == {}


def test_of_thousands_of_dtypes_those_with_the_most_weights_are_kept() -> None:
    many = {f"D{number}": number for number in range(1, 5000)}
    found = facts_of({"id": "acme/new", "safetensors": {"parameters": many}}, "https://hub", NOW)
    assert found is not None
    assert len(found.parameters_by_dtype) == MOST_DTYPES
    assert "D4999" in found.parameters_by_dtype
    assert len(" ".join(weights_sentences(Estimate(found)))) < 300


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"]}, "qwen3"),
        ({"model_type": 7}, None),
        ({"model_type": "x" * 400}, None),
        ({}, None),
        ("qwen3", None),
        (None, None),
    ],
)
def test_the_model_type_is_the_one_of_the_configuration(config: object, expected: str | None) -> None:
    found = facts_of({"id": "acme/new", "config": config}, "https://hub", NOW)
    assert found is not None
    assert found.model_type == expected
