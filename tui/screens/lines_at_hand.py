"""Lines of the views that were computed already: a key that goes back to a view computes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.catalog.question import Question

if TYPE_CHECKING:
    import polars as pl

    from tui.catalog.rankings import Ranking
    from tui.catalog.snapshot import Snapshot

KEPT = 3
"""As many as there are views: each is as large as the view is long."""


class LinesAtHand:
    """The last results of `views.lines_of`. What they were made of is compared by identity: records and rankings
    are replaced and never changed."""

    def __init__(self) -> None:
        self._kept: list[tuple[Snapshot | None, Ranking | None, Question, pl.DataFrame]] = []

    def of(self, snapshot: Snapshot | None, ranking: Ranking | None, question: Question) -> pl.DataFrame:
        """`views.lines_of`, computed only when it is not at hand. Raises what that raises."""
        lines = self.find(snapshot, ranking, question)
        if lines is None:
            from tui.catalog import views

            lines = views.lines_of(snapshot, ranking, question)
            self.keep(snapshot, ranking, question, lines)
        return lines

    def find(self, snapshot: Snapshot | None, ranking: Ranking | None, question: Question) -> pl.DataFrame | None:
        """What is at hand of `views.lines_of`."""
        wanted = question.of_lines()
        for place, (of_snapshot, of_ranking, of_question, lines) in enumerate(self._kept):
            same = of_ranking is ranking and of_question == wanted
            if same and _records_of(of_snapshot) is _records_of(snapshot):
                self._kept.append(self._kept.pop(place))
                return lines
        return None

    def keep(self, snapshot: Snapshot | None, ranking: Ranking | None, question: Question, lines: pl.DataFrame) -> None:
        """These are the lines that `views.lines_of` gives."""
        self._kept = [*self._kept[-KEPT + 1 :], (snapshot, ranking, question.of_lines(), lines)]

    def forget(self) -> None:
        """The records are others now."""
        self._kept.clear()


def _records_of(snapshot: Snapshot | None) -> object:
    return None if snapshot is None else snapshot.records
