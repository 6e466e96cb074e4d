"""The search language: what a text is understood as, without any data but values that exist."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tui.catalog.search_names import NAMES
from tui.catalog.search_terms import parsed, quoted
from tui.catalog.search_values import days, gigabytes, is_unknown, seconds
from tui.catalog.vocabulary import Vocabulary

VALUES = {
    "is": {"pass": 4, "fail": 2, "excluded": 0, "untested": 0, "other": 1, "timeout": 1},
    "org": {"Qwen": 3, "QwenLM": 1, "my org": 1},
    "task": {"text-generation": 4, None: 3},
}
KNOWN = Vocabulary(lambda name: VALUES.get(name, {}))


def term(text, vocabulary=KNOWN):
    (found,) = parsed(text, vocabulary).terms
    return found


def hint(text):
    return term(text).hint


# ---- words


@given(st.text(st.characters(exclude_characters='":=<>≤≥≠!', codec="utf-8"), max_size=60))
def test_a_text_without_names_quotes_and_dashes_is_the_words_that_it_always_was(text):
    if not any(word.startswith("-") for word in text.split()):
        assert parsed(text).words == tuple(dict.fromkeys(text.casefold().split()))
        assert not parsed(text).conditions


@pytest.mark.parametrize(
    ("text", "words", "negated"),
    [
        ("Qwen 8b qwen", ("qwen", "8b"), []),
        ("qwen-8b", ("qwen-8b",), []),
        ("-8B qwen", ("qwen",), ["8B"]),
        ('"-8b"', ("-8b",), []),
        ('-"a b" c', ("c",), ["a b"]),
        ('"a  b" c', ("a  b", "c"), []),
        ('x "open to the end', ("x", "open to the end"), []),
        ('"is:pass"', ("is:pass",), []),
        ('a"b c"d', ("ab cd",), []),
        ('"say ""hi"""', ('say "hi"',), []),
        ("qwen2.5:7b", ("qwen2.5:7b",), []),
        ("--8b", (), ["-8b"]),
        ('"<=4" "cores≤4" qwen≤4', ("<=4", "cores≤4", "qwen≤4"), []),
    ],
)
def test_words_are_left_out_with_a_dash_and_kept_together_by_quotes(text, words, negated):
    search = parsed(text, KNOWN)
    assert search.words == words
    assert [each.value for each in search.conditions] == negated
    assert not search.unclear


# ---- terms


@pytest.mark.parametrize(
    ("text", "name", "operator", "value", "negated"),
    [
        ("is:pass", "is", ":", "pass", False),
        ("IS=Pass", "is", "=", "Pass", False),
        ("-cores<=4", "cores", "<=", "4", True),
        ("mem>=7.5", "mem", ">=", "7.5", False),
        ("mem<20GB", "mem", "<", "20GB", False),
        ("wall>1h30m", "wall", ">", "1h30m", False),
        ("tested:2026-10", "tested", ":", "2026-10", False),
        ("org:qwen", "org", ":", "qwen", False),
        ('org:"my org"', "org", ":", "my org", False),
        ("task:unknown", "task", ":", "unknown", False),
        ('reason:"more than 16', "reason", ":", "more than 16", False),
        ("error:a:b", "error", ":", "a:b", False),
        ("fits:HERE", "fits", ":", "HERE", False),
        ("is:timeout", "is", ":", "timeout", False),
        ("org:elsewhere", "org", ":", "elsewhere", False),
    ],
)
def test_a_term_has_a_name_an_operator_and_a_value_and_counts(text, name, operator, value, negated):
    found = term(text)
    assert (found.name, found.operator, found.value, found.negated) == (name, operator, value, negated)
    assert found.hint == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("is:", "pass, fail, excluded, untested, other, or a word of the result column"),
        ("is:pa", "goes on: pass"),
        ("-is:TI", "goes on: timeout"),
        ("is<pass", "is takes : or ="),
        ("org:", "an organization: Qwen, QwenLM, my org"),
        ("org:Qw", "goes on: Qwen, QwenLM"),
        ("task:unk", "goes on: unknown"),
        ("cores<=", "a number such as 4, or unknown"),
        ("cores<=unk", "a number such as 4, or unknown"),
        ("cores<=four", "no number: a number such as 4, or unknown"),
        ("cores<unknown", "unknown has no size: cores:unknown"),
        ("wall<1x", "no number: seconds, or 5m, 1h, 1h30m, or unknown"),
        ("wall<1h3", "no number: seconds, or 5m, 1h, 1h30m, or unknown"),
        ("tested>2026", "a day such as 2026-10-01, a month such as 2026-10, or unknown"),
        ("tested>2026-1", "a day such as 2026-10-01, a month such as 2026-10, or unknown"),
        ("tested>2026-10-0", "a day such as 2026-10-01, a month such as 2026-10, or unknown"),
        ("tested>2026-13", "no day: a day such as 2026-10-01, a month such as 2026-10, or unknown"),
        ("tested>2026-02-30", "no day: a day such as 2026-10-01, a month such as 2026-10, or unknown"),
        ('reason:""', "a part of it, in quotes when it has spaces"),
        ("reason=x", "reason takes :"),
        ("fits:he", "goes on: here"),
        ("fits:there", "the only thing to ask is fits:here"),
        ("coers<4", "there is no coers; did you mean cores?"),
        ("-", "a dash leaves out what the word or term after it finds"),
        ('"', "quotes keep the spaces of what stands in them"),
        ("<=", "an operator stands between a name and a value, without spaces: cores<=4"),
        ("<=4", "an operator stands between a name and a value, without spaces: cores<=4"),
        ("!=4", "an operator stands between a name and a value, without spaces: cores<=4"),
        ("is!=pass", "is takes : or =; a dash before the name leaves out what the term finds"),
        ("Org≠Qwen", "org takes : or =; a dash before the name leaves out what the term finds"),
        ("cores≤4", "cores takes :, =, <, <=, > or >=; a dash before the name leaves out what the term finds"),
    ],
)
def test_what_is_unfinished_or_unknown_does_not_count_and_says_what_is_possible(text, told):
    assert hint(text) == told
    assert not parsed(text, KNOWN).counts


def test_an_unknown_name_lists_the_names_and_the_rest_works():
    search = parsed("qwen zzz:1 is:pass", KNOWN)
    assert search.words == ("qwen",)
    assert [each.name for each in search.conditions] == ["is"]
    (unclear,) = search.unclear
    assert (unclear.start, unclear.end) == (5, 10)
    assert all(name in unclear.hint for name in NAMES)


def test_the_beginning_of_a_value_is_a_value_when_it_is_one_itself():
    assert hint("org:Qwen") == ""
    assert hint("org:Qwe") != ""


def test_unknown_in_quotes_is_a_text_like_any_other():
    vocabulary = Vocabulary(lambda name: {"unknown-labs": 1, None: 2})
    assert parsed("org:unknown", vocabulary).conditions
    assert term('org:"unknown"', vocabulary).hint == "goes on: unknown-labs"


def test_hints_never_repeat_what_acts_on_a_terminal():
    hostile = Vocabulary(lambda name: {"evil\x1b]0;x\x07": 1})
    assert "\x1b" not in term("org:evil", hostile).hint
    assert "\x1b" in term("x", hostile).value or "\x1b" not in parsed("\x1bx:1", hostile).terms[0].hint


# ---- values


@pytest.mark.parametrize(
    ("text", "found"),
    [("300", 300), ("300s", 300), ("5m", 300), ("5min", 300), ("1h", 3600), ("1.5h", 5400), ("6m12s", 372),
     ("1h02m", 3720), ("", None), ("m", None), ("1h3", None), ("-5", None), ("1..5h", None), ("٣", None)],
)  # fmt: skip
def test_durations_are_read_as_the_table_shows_them(text, found):
    assert seconds(text) == found


def test_a_month_is_all_of_its_days_and_a_day_one():
    first, end = days("2026-02")
    assert end - first == 28
    assert days("2026-02-28") == (end - 1, end)
    assert days("2026-12")[1] - days("2026-12")[0] == 31
    assert days("0000-01") is None


def test_memory_may_name_its_unit():
    assert [gigabytes(text) for text in ("20", "7.5GB", "7.5g", "20mb", "gb")] == [20, 7.5, 7.5, None, None]


# ---- for any text


PIECES = st.sampled_from(
    [*NAMES, *':<>="- \t', "<=", ">=", "pass", "Qwen", "unknown", "2026-10", "4", "é", "\x85", "ß"]
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=14).map("".join))


@given(TEXTS, st.booleans())
def test_any_text_is_understood_and_its_terms_lie_in_order_and_apart(text, with_values):
    search = parsed(text, KNOWN if with_values else None)
    end = 0
    for found in search.terms:
        assert end <= found.start < found.end <= len(text)
        assert text[end : found.start].strip() == ""
        end = found.end
    assert text[end:].strip() == ""
    assert all(each.hint == "" for each in search.conditions)
    assert len(search.terms) >= len(search.words) + len(search.conditions) + len(search.unclear)


@given(st.text(min_size=1, max_size=30), st.sampled_from(["", "org:", "-task=", "reason:"]))
@example("-8b", "")
@example("unknown", "org:")
@example('say "hi"', "org:")
@example("≤4", "")
@example("is!=pass", "")
def test_a_quoted_value_is_read_back_as_it_was(value, head):
    found = term(f"{head}{quoted(value)}", None)
    assert (found.value, found.negated) == (value, head.startswith("-"))
    assert found.name == head.strip("-:=")
    assert not is_unknown(found)
    assert found.name or not found.hint
    between = parsed(f"x {head}{quoted(value)} y").terms
    assert [each.value for each in between] == ["x", value, "y"]


def test_half_a_character_of_another_encoding_is_no_error():
    assert parsed("\udcff org:\udcff").words == ("?",)


@given(st.lists(st.sampled_from([text for name in NAMES.values() for text in (name.example, f"-{name.example}")])))
def test_every_example_of_the_help_counts(examples):
    search = parsed(" ".join(examples))
    assert [each.hint for each in search.terms] == [""] * len(examples)
