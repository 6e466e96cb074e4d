"""How what is being typed goes on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.catalog.search_completion import AT_MOST, completions
from tui.catalog.search_names import NAMES
from tui.catalog.search_terms import parsed
from tui.catalog.vocabulary import Vocabulary

VALUES = {
    "is": {"pass": 4, "fail": 2, "other": 0, "no result": 1},
    "org": {"Qwen": 5, "acme qwen": 2, "unknown": 1, None: 3},
    "cores": {"1": 3, "16": 1, None: 2},
    "mem": {None: 7},
}
KNOWN = Vocabulary(lambda name: VALUES.get(name, {}))


def offered(text, cursor=None):
    return completions(text, len(text) if cursor is None else cursor, KNOWN)


def shown(text, cursor=None):
    return [(each.shown, each.count) for each in offered(text, cursor)]


def taken(text, cursor=None, place=0):
    first = offered(text, cursor)[place]
    return f"{first.text[: first.cursor]}|{first.text[first.cursor :]}"


def test_names_are_offered_with_what_they_ask_for():
    assert [each.shown for each in offered("")] == [name.begins for name in NAMES.values()]
    (found,) = offered("qwen CO")
    assert (found.text, found.shown, found.meaning) == ("qwen cores<=", "cores<=", NAMES["cores"].meaning)
    assert found.count is None
    assert [each.shown for each in offered("-t")] == ["tested>", "task:", "type:"]
    assert taken("-re") == "-reason:|"
    assert offered("zzz") == ()
    assert offered('"is') == ()


def test_values_are_offered_with_their_number_of_models_and_unknown_is_one():
    assert shown("is:") == [("pass", 4), ("fail", 2), ("other", 0), ("no result", 1)]
    assert shown("org:") == [("Qwen", 5), ("acme qwen", 2), ("unknown", 1), ("unknown", 3)]
    assert [offered("org:")[place].text for place in (2, 3)] == ['org:"unknown" ', "org:unknown "]
    assert shown("cores:") == [("1", 3), ("16", 1), ("unknown", 2)]
    assert shown("cores<=") == [("1", 3), ("16", 1)]
    assert shown("mem:") == [("unknown", 7)]
    assert shown("mem<") == []


def test_what_begins_so_comes_before_what_has_it_somewhere():
    assert shown("org:q") == [("Qwen", 5), ("acme qwen", 2)]
    assert shown("is:es") == [("no result", 1)]


def test_the_term_at_the_cursor_is_replaced_and_what_stands_around_it_stays():
    assert taken("x -is:p y", 7) == "x -is:pass| y"
    assert taken("x is:pzz y", 6) == "x is:pass| y"
    assert taken("org:ac") == 'org:"acme qwen" |'
    assert taken('org:"acme q') == 'org:"acme qwen" |'


def test_a_complete_value_offers_only_others():
    assert shown("is:pass") == []
    assert shown("org:qwen") == [("acme qwen", 2)]


def test_only_here_can_be_asked_for_with_fits():
    assert taken("fits:") == "fits:here |"
    assert offered("fits:x") == ()


@pytest.mark.parametrize("text", ["zzz:", "is<", "reason=", "tested>2026"])
def test_nothing_is_offered_where_nothing_is_known(text):
    assert offered(text) == ()


def test_of_many_values_the_first_are_offered():
    many = Vocabulary(lambda name: {f"org{number:05}": 1 for number in range(5_000)})
    assert len(completions("org:", 4, many)) == AT_MOST


PIECES = st.sampled_from([*NAMES, *':<>=" -', "<=", "pa", "Qw", "unk", "é"])


@given(st.lists(PIECES, max_size=10).map("".join), st.integers(-3, 40))
def test_what_is_taken_is_understood_in_its_place(text, cursor):
    at = min(max(cursor, 0), len(text))
    before = parsed(text).terms
    for each in completions(text, cursor, KNOWN):
        assert 0 <= each.cursor <= len(each.text)
        terms = parsed(each.text, KNOWN).terms
        here = [term for term in terms if term.start < each.cursor <= term.end + 1]
        assert here
        kept = [text[term.start : term.end] for term in before if not term.start < at <= term.end]
        assert [word for word in kept if word in each.text] == kept
        if each.count is not None:
            assert here[0].hint == ""
