"""What a person asks the records, and what an answer consists of. Values alone: nothing here reads or computes.

Also the words of a line that stand where no result does. No data library is needed for any of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tui.catalog.rows import FrameRows
from tui.catalog.search_terms import NO_SEARCH, Search
from tui.catalog.stacks import Stack, StackChoice, StackCount, default_stack
from tui.catalog.verdict import Verdict

if TYPE_CHECKING:
    import polars as pl

    from tui.catalog.vocabulary import Vocabulary

LEFT_OUT: Final = "left out"
NOT_TESTED: Final = "not tested"
OTHER_STACK: Final = "other stack"
NOT_READ: Final = "not read"
NOT_HERE: Final = "not on this stack"
"""What a note begins with, before a result on another stack in brackets."""
LIBRARY_UNKNOWN: Final = "library unknown"


class View(StrEnum):
    """The three lists of models."""

    SELECTED = "selected"
    TRENDING = "trending"
    DOWNLOADS = "downloads"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person asked for.

    `left_out` lists models without a result in Selected even when nothing is searched for; `sort` is a
    column of `LINES`, the view's own order for None; `renames` is casefolded old id -> casefolded new id.
    """

    view: View
    stack: StackChoice = field(default_factory=StackChoice)
    search: str = ""
    transformers_only: bool = False
    left_out: bool = False
    sort: str | None = None
    descending: bool = False
    renames: Mapping[str, str] = field(default_factory=dict)

    def of_lines(self) -> Question:
        """The part of the question that `lines_of` depends on: equal parts have equal lines."""
        if self.view is View.SELECTED:
            return Question(view=self.view, stack=self.stack)
        return replace(self, search="", left_out=False, sort=None, descending=False)


def first_question(stacks: Sequence[StackCount]) -> Question:
    """What a start asks: Selected on the newest stack."""
    return Question(view=View.SELECTED, stack=StackChoice.of(default_stack(stacks)))


@dataclass(frozen=True, slots=True)
class Limits:
    """What this host can run: what `fits:here` asks. `tui.host.limits` makes it.

    `cores` are its logical NeuronCores, 0 without a Neuron device; `stack` is the stack of the records that the
    preferred Python has, None when it has none of them; `why_not` says why nothing fits, empty when something can.
    """

    cores: int
    stack: Stack | None
    why_not: str = ""


_NO_ERRORS: Final[Mapping[str, pl.Series]] = MappingProxyType({})


@dataclass(frozen=True)
class Beyond:
    """What a search may need beyond the lines; a term that needs what is not here does not count yet.

    `kinds` has `key`, `task` and `model_type`, as `tui.catalog.kinds` gives it; `errors` maps a casefolded text to
    the records (rows of `snapshot.records`) whose error has it, as `tui.catalog.error_search` finds them.
    """

    limits: Limits | None = None
    kinds: pl.DataFrame | None = None
    errors: Mapping[str, pl.Series] = field(default_factory=lambda: _NO_ERRORS)


NOTHING_BEYOND: Final = Beyond()


@dataclass(frozen=True)
class Selection:
    """The lines to show, with the figures of the header.

    `counts` and `tested` are of all models that match the search, hidden ones included; `total` of all
    models of the view; `tested` = PASS + FAIL + other words; `hidden_left_out` models without a result are
    not in `rows`. `search` is the search as it was understood, with a hint at each term that did not count;
    `wants_errors` are the texts of `error:` that are not in `Beyond.errors` yet; `vocabulary` is that of `base`, the
    lines in which was searched, of which those at `found` have the words.
    """

    rows: FrameRows
    total: int
    counts: Mapping[Verdict, int]
    tested: int
    hidden_left_out: int
    search: Search = NO_SEARCH
    wants_errors: tuple[str, ...] = ()
    vocabulary: Vocabulary | None = None
    base: pl.DataFrame | None = None
    found: pl.Series | None = None
    """Row numbers of `base`; None without a word."""

    @property
    def words(self) -> tuple[str, ...]:
        """The plain words of the search, casefolded."""
        return self.search.words

    @property
    def height(self) -> int:
        """How many lines there are to show."""
        return len(self.rows)

    @cached_property
    def lines(self) -> pl.DataFrame:
        """All of them in one frame."""
        frame, places = self.rows.frame, self.rows.places
        return frame if places is None else frame[places]
