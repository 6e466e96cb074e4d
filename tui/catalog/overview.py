"""The records at a glance: how many passed, by stack, task, cores, kind of failure and memory. Pure.

One record a model and stack counts, the one that the table shows: each bar is a list of the app, and says how it is
opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from tui.catalog.failure_kinds import search_for
from tui.catalog.question import Question, View
from tui.catalog.search_terms import quoted
from tui.catalog.stacks import STACK_COLUMNS, StackChoice
from tui.catalog.verdict import Verdict

if TYPE_CHECKING:
    import polars as pl

    from tui.catalog.snapshot import Snapshot
    from tui.catalog.vocabulary import Vocabulary

STACKS_SHOWN: Final = 12
TASKS_SHOWN: Final = 8
FAILURES_SHOWN: Final = 12
CORES: Final = (1, 2, 4, 8, 16)
"""Numbers of cores that the dataset is tested on; each has a bar, however many models it has."""

_NOT_PASSED: Final = "-is:pass -is:excluded"
_STEP: Final = 10
_OF_STANDING: Final = ("passed", "failed", "other", "left_out", "no_result")
"""What `records.with_standing` has for each, from 0."""


class Topic(StrEnum):
    """What a section is about."""

    STACKS = "stacks"
    TASKS = "tasks"
    CORES = "cores"
    FAILURES = "failures"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Counts:
    """Models by what is recorded of them; `other` has another word as a result, `no_result` none at all."""

    passed: int = 0
    failed: int = 0
    other: int = 0
    no_result: int = 0
    left_out: int = 0

    @property
    def tested(self) -> int:
        """Models with a result."""
        return self.passed + self.failed + self.other

    @property
    def total(self) -> int:
        """All of them: so many lines has the list behind them."""
        return self.tested + self.no_result + self.left_out

    def __add__(self, more: Counts) -> Counts:
        """Both together."""
        return Counts(
            self.passed + more.passed,
            self.failed + more.failed,
            self.other + more.other,
            self.no_result + more.no_result,
            self.left_out + more.left_out,
        )


@dataclass(frozen=True, slots=True)
class Bar:
    """Models that have something in common, and the list that has exactly these: its stack and its search.

    `label` is outside text. `tested_at` is the newest test of a stack. `rest`: it has what is in no other bar.
    """

    label: str
    counts: Counts
    stack: StackChoice
    search: str = ""
    tested_at: datetime | None = None
    rest: bool = False

    @property
    def question(self) -> Question:
        """What lists the models of the bar, left-out ones included."""
        return Question(view=View.SELECTED, stack=self.stack, search=self.search, left_out=True)


@dataclass(frozen=True, slots=True)
class Section:
    """Bars about one thing. `more` are those that have no room here; `known` is False while what they need is read."""

    topic: Topic
    bars: tuple[Bar, ...] = ()
    more: int = 0
    known: bool = True


@dataclass(frozen=True, slots=True)
class Overview:
    """All sections. `counts` are those of the chosen stack, of which every section but that of stacks tells."""

    choice: StackChoice
    counts: Counts
    sections: tuple[Section, ...]


def overview_of(
    snapshot: Snapshot,
    choice: StackChoice,
    kinds: pl.DataFrame | None = None,
    failures: pl.DataFrame | None = None,
    *,
    lines: pl.DataFrame | None = None,
    stacks: Section | None = None,
) -> Overview:
    """The overview of a stack (or of each model's newest for a part that is `ANY`), and of all stacks.

    `kinds` as in `question.Beyond`, `failures` as `catalog.failures.read` gives them: None while they are read.
    `lines` of that stack (as `views.lines_of` gives them for Selected) and the section of `stacks` of the same snapshot
    are not computed again. Takes a second or two for a million records.
    """
    import polars as pl

    from tui.catalog.views import lines_of
    from tui.catalog.vocabulary import vocabulary_of

    if lines is None:
        lines = lines_of(snapshot, None, Question(view=View.SELECTED, stack=choice))
    vocabulary = vocabulary_of(lines, snapshot, kinds)
    tasks = failed = None
    if kinds is not None:
        tasks = _of_tasks(lines, choice, kinds, vocabulary)
    if failures is not None:
        failed = _of_failures(lines, choice, failures, vocabulary)
    sections = (
        stacks or _of_stacks(snapshot),
        tasks or Section(Topic.TASKS, known=False),
        _of_cores(lines, choice),
        failed or Section(Topic.FAILURES, known=False),
        _of_memory(lines, choice),
    )
    everything = sum(_counted(lines, pl.lit(0)).values(), Counts())
    return Overview(choice, everything, sections)


def _of_stacks(snapshot: Snapshot) -> Section:
    """One bar a stack, newest first: what the table shows on each of them."""
    import polars as pl

    from tui.catalog.records import indexed, stack_places, with_standing
    from tui.catalog.schema import UNCONVERTED

    read = ("model_id", "result", "exclusion", "tested_at", UNCONVERTED, "key", "verdict")
    places = stack_places(snapshot.stacks).drop("label")
    records = with_standing(indexed(snapshot.records.select(*read, *STACK_COLUMNS), {})).join(
        places, on=STACK_COLUMNS, how="left", nulls_equal=True
    )
    shown = records.lazy().group_by("place", "model").agg(pl.col("standing").min())
    counted = shown.group_by("place", "standing").len().collect(engine="streaming")
    dates = dict(records.group_by("place").agg(pl.col("tested_at").max()).iter_rows())
    counts: dict[int, list[int]] = {place: [0] * len(_OF_STANDING) for place in range(len(snapshot.stacks))}
    for place, standing, number in counted.iter_rows():
        counts[place][standing] = number
    bars = [
        Bar(
            each.stack.label,
            Counts(**dict(zip(_OF_STANDING, counts[place], strict=True))),
            StackChoice.of(each.stack),
            tested_at=dates.get(place),
        )
        for place, each in enumerate(snapshot.stacks)
    ]
    return Section(Topic.STACKS, tuple(bars[:STACKS_SHOWN]), max(len(bars) - STACKS_SHOWN, 0))


def _of_tasks(lines: pl.DataFrame, choice: StackChoice, kinds: pl.DataFrame, vocabulary: Vocabulary) -> Section:
    import polars as pl

    shown = {each: task for task in vocabulary.values("task") for each in vocabulary.spellings("task", task)}
    with_task = lines.select("key", "verdict", "has_result").join(
        kinds.select("key", "task").unique("key"), on="key", how="left", maintain_order="left"
    )
    found = _counted(with_task, pl.col("task").replace_strict(shown, default=None, return_dtype=pl.String))
    unknown = found.pop(None, Counts())
    tasks = _largest_first({str(task): counts for task, counts in found.items()})
    bars = [Bar(task, counts, choice, f"task:{quoted(task)}") for task, counts in tasks[:TASKS_SHOWN]]
    rest = tasks[TASKS_SHOWN:]
    if rest:
        search = " ".join([*(f"-{bar.search}" for bar in bars), "-task:unknown"])
        bars.append(Bar(f"{len(rest)} more", sum((counts for _, counts in rest), Counts()), choice, search, rest=True))
    return Section(Topic.TASKS, (*bars, *_unless_empty("unknown", unknown, choice, "task:unknown")))


def _of_cores(lines: pl.DataFrame, choice: StackChoice) -> Section:
    import polars as pl

    found = _counted(lines, pl.col("tp"))
    unknown = found.pop(None, Counts())
    bars = [Bar(str(cores), found.pop(cores, Counts()), choice, f"cores:{cores}") for cores in CORES]
    other = " ".join([*(f"-cores:{cores}" for cores in CORES), "-cores:unknown"])
    bars += _unless_empty("another number", sum(found.values(), Counts()), choice, other)
    return Section(Topic.CORES, (*bars, *_unless_empty("not recorded", unknown, choice, "cores:unknown")))


def _of_failures(lines: pl.DataFrame, choice: StackChoice, failures: pl.DataFrame, vocabulary: Vocabulary) -> Section:
    """All that was tried and did not pass, by the last line of its error."""
    import polars as pl

    from tui.catalog.failure_kinds import keys_of

    passed_or_left_out = [pl.col("verdict") == verdict.value for verdict in (Verdict.PASS, Verdict.EXCLUDED)] + [
        pl.col("word").is_in(vocabulary.spellings("is", word)) for word in ("pass", "excluded")
    ]
    others = lines.filter(~pl.any_horizontal(condition.fill_null(value=False) for condition in passed_or_left_out))
    with_kind = others.join(failures, on="record", how="left", maintain_order="left")
    counted = _counted(with_kind, keys_of(pl.col("kind")))
    spelled = dict(with_kind.group_by(key=keys_of(pl.col("kind"))).agg(pl.col("kind").min()).iter_rows())
    without = counted.pop(None, Counts())
    groups = _largest_first({str(spelled[each]): counts for each, counts in counted.items()})
    searches = [search_for(kind) for kind, _ in groups[:FAILURES_SHOWN]]
    bars = [
        Bar(kind, counts, choice, f"{_NOT_PASSED} {search}")
        for (kind, counts), search in zip(groups, searches, strict=False)
    ]
    rest = groups[FAILURES_SHOWN:]
    if rest:
        but = " ".join(f"-{search}" for search in (*searches, search_for("")))
        counts = sum((counts for _, counts in rest), Counts())
        bars.append(Bar(f"{len(rest)} more kinds", counts, choice, f"{_NOT_PASSED} {but}", rest=True))
    none = _unless_empty("no error recorded", without, choice, f"{_NOT_PASSED} {search_for('')}")
    return Section(Topic.FAILURES, (*bars, *none))


def _of_memory(lines: pl.DataFrame, choice: StackChoice) -> Section:
    import polars as pl

    from tui.catalog.vocabulary_counts import LINE_COLUMNS

    full = LINE_COLUMNS["full"]
    # Exactly full is the last step, and not over it.
    step = pl.when(full > 100).then(10).otherwise((full // _STEP).clip(0, 9)).cast(pl.Int64)
    found = _counted(lines, step)
    bars = []
    for start in range(0, 100, _STEP):
        above = f"full>={start} " if start else ""
        below = "full<=100" if start + _STEP == 100 else f"full<{start + _STEP}"
        label = f"{start}–{start + _STEP} %"
        bars.append(Bar(label, found.get(start // _STEP, Counts()), choice, f"{above}{below}"))
    bars += _unless_empty("over 100 %", found.get(10, Counts()), choice, "full>100")
    return Section(
        Topic.MEMORY, (*bars, *_unless_empty("not recorded", found.get(None, Counts()), choice, "full:unknown"))
    )


def _counted(lines: pl.DataFrame, group: pl.Expr) -> dict[object, Counts]:
    """Group -> its lines by what is recorded."""
    import polars as pl

    verdict = pl.col("verdict").cast(pl.String)
    is_other = verdict == Verdict.OTHER.value
    counted = lines.group_by(group=group).agg(
        passed=(verdict == Verdict.PASS.value).sum(),
        failed=(verdict == Verdict.FAIL.value).sum(),
        other=(is_other & pl.col("has_result")).sum(),
        no_result=(is_other & ~pl.col("has_result")).sum(),
        left_out=(verdict == Verdict.EXCLUDED.value).sum(),
    )
    return {group: Counts(*numbers) for group, *numbers in counted.iter_rows()}


def _largest_first(counts: Mapping[str, Counts]) -> Sequence[tuple[str, Counts]]:
    return sorted(counts.items(), key=lambda item: (-item[1].tested, -item[1].total, item[0]))


def _unless_empty(label: str, counts: Counts, choice: StackChoice, search: str) -> Iterable[Bar]:
    return [Bar(label, counts, choice, search, rest=True)] if counts.total else []
