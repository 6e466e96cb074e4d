"""What a person asks the records, and what an answer consists of. Values alone: nothing here reads or computes.

Also the words of a line that stand where no result does. No data library is needed for any of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final

from tui.catalog.rows import FrameRows
from tui.catalog.stacks import StackChoice, StackCount, default_stack
from tui.catalog.verdict import Verdict

if TYPE_CHECKING:
    import polars as pl

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


@dataclass(frozen=True)
class Selection:
    """The lines to show, with the figures of the header.

    `counts` and `tested` are of all models that match the search, hidden ones included; `total` of all
    models of the view; `tested` = PASS + FAIL + other words; `hidden_left_out` models without a result are
    not in `rows`.
    """

    rows: FrameRows
    total: int
    counts: Mapping[Verdict, int]
    tested: int
    hidden_left_out: int
    words: tuple[str, ...] = ()
    """Those of the search."""

    @property
    def height(self) -> int:
        """How many lines there are to show."""
        return len(self.rows)

    @cached_property
    def lines(self) -> pl.DataFrame:
        """All of them in one frame."""
        frame, places = self.rows.frame, self.rows.places
        return frame if places is None else frame[places]
