"""Bars of the overview: as long as they should be, and readable without colour."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.catalog.overview import Counts
from tui.widgets.overview_bars import ASCII, UNICODE, bar

NUMBERS = st.integers(0, 5) | st.integers(0, 1_000_000)
COUNTS = st.builds(Counts, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS)


def text(counts: Counts, cells: int, scale: int, glyphs=ASCII) -> str:
    return "".join(piece for piece, _ in bar(counts, cells, scale, glyphs))


@pytest.mark.parametrize(
    ("counts", "cells", "scale", "drawn"),
    [
        (Counts(5, 5), 10, 10, "#####xxxxx"),
        (Counts(1, 0, 0, 7, 9), 10, 10, "#         "),
        (Counts(6, 2, 2), 10, 10, "######xx??"),
        (Counts(30, 1), 4, 31, "###x"),
        (Counts(0, 20), 6, 10, "xxxxx>"),
        (Counts(0, 0, 0, 3, 3), 4, 10, "    "),
    ],
)
def test_a_bar_has_a_cell_for_each_share_and_none_for_what_was_left_out(counts, cells, scale, drawn):
    assert text(counts, cells, scale) == drawn


def test_where_there_is_unicode_a_pass_ends_in_an_eighth_of_a_cell():
    assert text(Counts(1), 4, 3, UNICODE) == "█▍  "
    assert text(Counts(1, 2), 4, 3, UNICODE) == "█━━━"
    assert text(Counts(13, 3), 10, 16, UNICODE) == "████████━━"


@given(COUNTS, st.integers(0, 80), st.integers(0, 2_000_000), st.sampled_from([ASCII, UNICODE]))
def test_a_bar_takes_exactly_its_cells_and_shows_whatever_occurs(counts, cells, scale, glyphs):
    drawn = text(counts, cells, scale, glyphs)
    assert cell_len(drawn) == cells
    assert drawn.isascii() or glyphs is UNICODE
    if counts.tested and scale and cells * counts.tested >= 4 * scale and cells >= 4:
        shown = [glyphs.failed in drawn, glyphs.other in drawn]
        assert shown == [counts.failed > 0, counts.other > 0]
        assert drawn.startswith(tuple("█▏▎▍▌▋▊▉#")) == (counts.passed > 0)
