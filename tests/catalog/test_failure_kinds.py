"""The kind of a failure: what is set aside in an error, and what is kept."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.catalog.failure_kinds import LONGEST, key, kind_of, kinds_of, search_for
from tui.catalog.search_terms import parsed


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("RuntimeError: nrt status=4", "RuntimeError: nrt status=1042", "RuntimeError: nrt status=#"),
        ("uses 32.00GB of 24.00GB", "uses 8GB of 16.5GB", "uses # of #"),
        ("bad pointer 0x7f00AB at 0x1", "bad pointer 0xff at 0x2", "bad pointer # at #"),
        ("key '8d1f0c6be2a94e57b3' is gone", "key 'deadbeef01' is gone", "key '*' is gone"),
        ("no /home/a/run.py here", "no /opt/x-1/lib/b.py here", "no * here"),
        ("see https://a.b/c?d=1 now", "see http://e.f now", "see * now"),
        ("cannot load acme/Big-8B today", "cannot load other-org/small_1b today", "cannot load * today"),
        ("shape (1, 128, 4096) is wrong", "shape (2, 64) is wrong", "shape (#) is wrong"),
        ("2026-11-04T08:26:13Z it stopped", "2026-11-05T01:02:03Z it stopped", "# it stopped"),
        ("type `zircon2` is new", "type `opal-3` is new", "type `*` is new"),
        ("earlier lines\n  the last  one \n\n", "the last one", "the last one"),
        ("\x1b[31mred\x1b[0m text", "red text", "red text"),
        ("graph_31.neff is gone", "graph_7.neff is gone", "graph_#.neff is gone"),
        ("10%|   \rboom", "boom", "boom"),
    ],
)
def test_two_runs_that_fail_alike_are_of_one_kind(first: str, second: str, kind: str) -> None:
    assert (kind_of(first), kind_of(second)) == (kind, kind)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("[NCC_EOOM001] too big", "[NCC_EBVF030] too big"),
        ("[F134] neuronx-cc ended", "[F137] neuronx-cc ended"),
        ("'Config' object has no attribute 'rope'", "'Config' object has no attribute 'vision'"),
        ("Could not run 'aten::sort'", "Could not run 'aten::eigh'"),
    ],
)
def test_codes_and_names_of_python_tell_failures_apart(first: str, second: str) -> None:
    assert kind_of(first) != kind_of(second)


def test_the_name_of_the_model_is_set_aside_in_its_own_errors() -> None:
    lines = pl.Series(["Garnet has no config", "Opal has no config", "Opal has no config"])
    kinds = kinds_of(lines, pl.Series(["acme/Garnet", "acme/Opal", None]))
    assert kinds.to_list() == ["* has no config", "* has no config", "Opal has no config"]


def test_without_a_text_there_is_no_kind() -> None:
    assert [kind_of(text) for text in ("", "  \n\t\n")] == ["", ""]
    assert search_for("") == 'error=""'


PIECES = [*"aZ09_-./:'\"`#*?x, \n\r\t[](){}<>=~@%é«»\x1b", "0x", "://", "deadbeef", "a1b2", "acme/big-8B"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@given(TEXTS | st.text(), st.none() | TEXTS)
def test_the_kind_of_a_kind_is_the_kind(text: str, model_id: str | None) -> None:
    line = text.replace("\n", " ").replace("\r", " ")
    of_model = str(kinds_of(pl.Series([line]), pl.Series([model_id], dtype=pl.String))[0])
    for kind in (kind_of(text), of_model):
        assert kind_of(kind) == kind
        assert len(kind) <= LONGEST
        assert "\n" not in kind


@given(TEXTS)
def test_the_term_for_a_kind_finds_it_and_any_error_of_it(text: str) -> None:
    kind = kind_of(text)
    (term,) = parsed(search_for(kind)).terms
    assert (term.name, term.operator, term.value, term.hint) == ("error", "=", kind, "")
    assert key(term.value) == key(text)
    assert key(text) != text.casefold()
