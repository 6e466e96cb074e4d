import polars as pl
import pytest

from tui.catalog import query

KEYS = pl.Series("key", ["acme/qwen2.5-8b-instruct", "acme/quartz-vl", "other/llama-3b", "other/llama-8b"])


def found(text):
    return KEYS.to_frame().filter(query.matches(query.words(text)))["key"].to_list()


def test_every_word_must_occur_in_any_order_and_case():
    assert found("8B acme") == ["acme/qwen2.5-8b-instruct"]
    assert found("llama") == ["other/llama-3b", "other/llama-8b"]
    assert found("acme 3b") == []
    assert found("  ") == KEYS.to_list()


def test_signs_are_text_and_no_pattern():
    assert found("2.5") == ["acme/qwen2.5-8b-instruct"]
    assert found("2x5") == []
    assert found(".*") == []
    assert found("(") == []


@pytest.mark.parametrize(
    ("model_id", "text", "marked"),
    [
        ("acme/Qwen-8B", "qwen 8b", ["Qwen", "8B"]),
        ("acme/Qwen-8B", "QWE wen", ["Qwen"]),
        ("acme/aaaa", "aa", ["aaaa"]),
        ("acme/Straße", "strasse", ["Straße"]),
        ("acme/Straße-x", "ss x", ["ß", "x"]),
        ("acme/a", "zz", []),
        ("acme/a", "", []),
    ],
)
def test_matches_are_marked_in_the_id_as_it_is_written(model_id, text, marked):
    spans = query.spans(model_id, query.words(text))
    assert [model_id[start:end] for start, end in spans] == marked


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("qwne", "qwen"),
        ("QWNE 8b", "qwen 8b"),
        ("lamma 3b", "llama 3b"),
        ("acme/qwne", "acme/qwen"),
        ("instrcut", "instruct"),
        ("zzzzzz", None),
        ("qwen 3b", None),
        ("", None),
    ],
)
def test_a_search_that_finds_nothing_is_answered_with_the_nearest_that_does(text, suggestion):
    assert query.suggest(text, KEYS) == suggestion


def test_a_mended_word_that_finds_nothing_with_the_others_is_not_suggested():
    assert query.suggest("qwne 3b", KEYS) is None


def test_a_pasted_page_is_not_mended_word_by_word():
    assert query.suggest("qwne " * 30, KEYS) is None


def test_without_models_nothing_is_suggested():
    assert query.suggest("qwne", pl.Series("key", [], dtype=pl.String)) is None


NAMES = ("qwen", "llama", "pine", "oak-qwen")
MANY = pl.Series("key", [f"org{n % 7}/{NAMES[n % 4]}-{n}b" for n in range(120)])


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        (["q"], ["qw"]),
        (["qw"], ["qwen", "1"]),
        (["qwen"], ["qwen", "org1"]),
        (["1", "qwen"], ["11b", "qwen"]),
        ([], ["oak"]),
    ],
)
def test_a_search_that_narrows_another_finds_the_same_among_its_hits(before: list[str], wanted: list[str]) -> None:
    assert query.narrows(wanted, before)
    hits = query.places(MANY, before) if before else None
    found = query.places(MANY, wanted)
    assert query.places(MANY, wanted, hits).to_list() == found.to_list() != []
    assert query.places(MANY, wanted, found).to_list() == found.to_list()


@pytest.mark.parametrize(("before", "wanted"), [(["qw"], ["q"]), (["qwen", "1"], ["qwen"]), (["oak"], [])])
def test_a_search_that_asks_for_less_narrows_nothing(before: list[str], wanted: list[str]) -> None:
    assert not query.narrows(wanted, before)


def test_a_long_list_is_searched_as_a_short_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    short = query.places(MANY, ["1", "qwen"]).to_list()
    monkeypatch.setattr(query, "_MANY", 10)
    assert query.places(MANY, ["1", "qwen"]).to_list() == short != []
