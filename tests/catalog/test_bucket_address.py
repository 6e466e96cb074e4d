"""Addresses of buckets in texts that others wrote."""

from __future__ import annotations

import pytest

from tui.catalog.bucket_address import addresses_in, complete, well_formed


def found(text: str) -> list[str]:
    return [item.address for item in addresses_in(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Graphs: hf://buckets/acme/neffs",
        "Graphs: `hf://buckets/acme/neffs`.",
        "Graphs: <hf://buckets/acme/neffs>",
        "[graphs](hf://buckets/acme/neffs), public",
        "**hf://buckets/acme/neffs**",
        "_hf://buckets/acme/neffs_",
        "<code>hf://buckets/acme/neffs</code>",
        "hf://buckets/acme/neffs<br>next",
        'BUCKET = "hf://buckets/acme/neffs/"',
        "BUCKET = 'hf://buckets/acme/neffs';",
        r'{"cmd": "hf buckets sync hf://buckets/acme/neffs\n"}',
        "hf buckets sync hf://buckets/acme/neffs ./dir",
        "sync hf://buckets/acme/neffs/* here",
        "is it hf://buckets/acme/neffs?",
        "volume hf://buckets/acme/neffs:/data",
        "&quot;hf://buckets/acme/neffs&quot;",
        "see https://huggingface.co/buckets/acme/neffs for graphs",
    ],
)
def test_an_address_is_found_without_what_stands_around_it(text: str) -> None:
    assert found(text) == ["hf://buckets/acme/neffs"]


@pytest.mark.parametrize(
    "text",
    [
        "hf://buckets/acme",
        "hf://buckets/{org}/neffs",
        "hf://buckets/$ORG/neffs",
        "hf://buckets/username/my-bucket",
        "hf://buckets/your-org/neffs",
        "hf://buckets/acme/neffs/$(id)",
        "hf://buckets/acme/../x",
        "hf://buckets/acme/neffs/../x",
        "hf://buckets/acme//x",
        "s3://acme-neffs/neff-*/x",
        "s3://acme-neffs/a?versionId=3",
        "s3://UPPER-CASE/x",
        "s3://ab",
        "s3:///x",
        "hf://datasets/acme/neffs",
        "hf://buckets/acme/ne\u0444fs",
        "hf://buckets/acme/neffs%2F..",
    ],
)
def test_half_addresses_examples_and_odd_characters_are_not_taken(text: str) -> None:
    assert found(text) == []


def test_the_place_and_the_line_are_told() -> None:
    (item,) = addresses_in("# Card\n\n  Compiled graphs: `s3://acme-neffs/trn2`  \n")
    assert (item.line_number, item.line) == (3, "Compiled graphs: `s3://acme-neffs/trn2`")
    assert item.about_cache


@pytest.mark.parametrize(
    ("text", "about_cache"),
    [
        ("## NEFF cache\n\nhf://buckets/acme/trn2", True),
        ("hf buckets sync hf://buckets/acme/trn2 .", True),
        ("hf://buckets/acme/neff-of-trn2", True),
        ("hf://buckets/aws-neuron/results", False),
        ("NEFF cache\n\n\n\n\nhf://buckets/acme/results", False),
    ],
)
def test_words_around_tell_whether_an_address_is_about_a_cache(text: str, about_cache: bool) -> None:
    assert [item.about_cache for item in addresses_in(text)] == [about_cache]


def test_an_address_that_stands_twice_is_told_once_where_it_speaks_of_a_cache() -> None:
    text = "hf://buckets/acme/trn2\n\n\n\n\nNEFF cache: hf://buckets/acme/trn2\n"
    assert [(item.line_number, item.about_cache) for item in addresses_in(text)] == [(6, True)]


def test_one_very_long_line_is_read_quickly_and_shown_in_part() -> None:
    (item,) = addresses_in("x" * 1_000_000 + " cache hf://buckets/acme/neffs " + "{" * 100_000)
    assert item.address == "hf://buckets/acme/neffs"
    assert len(item.line) <= 200


@pytest.mark.parametrize("address", ["hf://buckets/acme/neffs/{neuronx_cc}", "s3://acme-neffs/%s/x"])
def test_placeholders_may_stand_in_the_path_but_not_in_a_command(address: str) -> None:
    assert well_formed(address)
    assert not complete(address)
