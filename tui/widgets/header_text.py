"""Title, stack selectors, counts and status as text. Pure: values in, `Content` out, longest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from textual.content import Content

from tui import numbers
from tui.catalog.stacks import ANY, StackChoice, compiler_label, library_label
from tui.catalog.verdict import Verdict
from tui.catalog.views import View
from tui.errors import HubOfflineError, HubRateLimitedError, TrnModelsError
from tui.terminal_text import clean
from tui.widgets.clickable import clickable
from tui.widgets.verdict_look import MUTED, SIGNS, STYLES

if TYPE_CHECKING:
    from tui.catalog.rankings import Ranking
    from tui.catalog.snapshot import Snapshot
    from tui.catalog.views import Question, Selection

VIEW_NAMES: dict[View, str] = {
    View.SELECTED: "Selected",
    View.TRENDING: "Trending",
    View.DOWNLOADS: "Downloads",
}

SORT_NAMES: dict[str, str] = {
    "model_id": "model",
    "verdict": "verdict",
    "tp": "cores",
    "wall_s": "wall time",
    "hbm_peak_gb": "peak memory",
    "tested_at": "test date",
    "cpu_match": "check",
    "rank": "rank",
    "figure": "trend or downloads",
}
"""Columns of the lines that can be sorted by, as people call them."""

_SIGN_ALONE = 2

_COUNT_WORDS: dict[Verdict, tuple[str, str, str]] = {
    Verdict.PASS: ("PASS", "PASS", ""),
    Verdict.FAIL: ("FAIL", "FAIL", ""),
    Verdict.OTHER: ("other", "other", ""),
    Verdict.EXCLUDED: ("left out", "out", ""),
    Verdict.UNTESTED: ("without a record", "no record", ""),
}


@dataclass(frozen=True, slots=True)
class Activity:
    """What goes on around the records: a fetch under way, the last failure, the last change."""

    progress: str = ""
    error: TrnModelsError | None = None
    changed: str = ""


def title(view: View) -> tuple[Content, ...]:
    """The app's name and the three views; the present one stands out."""
    tabs = [
        clickable(
            Content.styled(f" {number} {name} ", "bold reverse $primary" if each is view else ""),
            f"view('{each}')",
        )
        for number, (each, name) in enumerate(VIEW_NAMES.items(), 1)
    ]
    return (Content.assemble(("trn-models", "bold $primary"), "  ") + Content(" ").join(tabs),)


def ranking_line(
    view: View, task: str, ranking: Ranking | None, loading: bool, error: TrnModelsError | None
) -> tuple[Content, ...]:
    """The task of a ranking, its time, how many it holds; nothing in the Selected view."""
    if view is View.SELECTED:
        return (Content(""),)
    state = ""
    if ranking is not None and ranking.fetched_at is not None:
        more = "" if ranking.next_cursor is None else " of many"
        state = f"ranking of {_when(ranking.fetched_at)} · {numbers.count(ranking.models.height)}{more}"
    elif ranking is not None:
        state = "sample ranking"
    if loading:
        state = f"{state} · refreshing" if state else "fetching"
    elif error is not None:
        state = f"{state} · {problem_words(error)}" if state else problem_words(error)
    name = clickable(Content.assemble((clean(task), "bold"), " ▾"), "pick_task")
    return (Content.assemble((f"{state}   ", MUTED), name), name)


def stack(choice: StackChoice, yours: bool = False) -> tuple[Content, ...]:
    """The two version selectors."""
    compiler = "any" if choice.neuronx_cc == ANY else compiler_label(choice.neuronx_cc)
    if choice.library_version == ANY:
        library = "any library version"
    else:
        library = library_label(choice.library, choice.library_version)
    mark = (" yours", "$text-success") if yours else ""
    first = Content.assemble("neuronx-cc ", (clean(compiler), "bold $foreground"), " ▾")
    second = Content.assemble((clean(library), "bold $foreground"), " ▾", mark)
    return (clickable(first, "pick_compiler") + "   " + clickable(second, "pick_library"),)


def counts(selection: Selection) -> tuple[Content, ...]:
    """How many are shown of how many, by verdict, and the pass rate with its denominator."""
    shown_of = Content(f"{numbers.count(selection.lines.height)} of {numbers.count(selection.total)}")
    rate = pass_rate(selection.counts.get(Verdict.PASS, 0), selection.tested)
    hidden = f" ({numbers.count(selection.hidden_left_out)} hidden, x shows)" if selection.hidden_left_out else ""
    dot = Content.styled(" · ", MUTED)
    lines = []
    for length, more in enumerate((hidden, "", "")):
        verdicts = Content("  ").join(_counted(selection, length))
        if verdicts:
            verdicts += Content.styled(more, MUTED)
        share = rate if length < 2 else rate.removesuffix(" tested")
        between = dot if length < 2 else Content("  ")
        lines.append(between.join(part for part in (shown_of, verdicts, Content(share)) if part))
    return (*lines, shown_of)


def _counted(selection: Selection, length: int) -> list[Content]:
    """One text for each kind that occurs: with a long word (0), a short one (1), the sign alone (2)."""
    numbers_of = dict(selection.counts)
    tested_others = selection.tested - numbers_of.get(Verdict.PASS, 0) - numbers_of.get(Verdict.FAIL, 0)
    no_result = numbers_of.get(Verdict.OTHER, 0) - tested_others
    numbers_of[Verdict.OTHER] = tested_others
    kinds = [(verdict, numbers_of.get(verdict, 0), words) for verdict, words in _COUNT_WORDS.items()]
    kinds.insert(3, (Verdict.OTHER, no_result, ("no result", "no result", "")))
    gap = "" if length == _SIGN_ALONE else " "
    return [
        Content.assemble(
            (f"{SIGNS[verdict]}{gap}", STYLES[verdict]), f"{numbers.count(number)} {words[length]}".rstrip()
        )
        for verdict, number, words in kinds
        if number
    ]


def pass_rate(passed: int, tested: int) -> str:
    """`98 % of 55 tested`; 100 % only when all passed and 0 % only when none did."""
    if not tested:
        return "none tested"
    percent = round(100 * passed / tested)
    if 0 < passed < tested:
        percent = min(max(percent, 1), 99)
    return f"{percent} % of {numbers.count(tested)} tested"


def narrowing(question: Question) -> tuple[Content, ...]:
    """What the person chose that the table alone does not tell: the order, and only Transformers."""
    parts = []
    if question.view is not View.SELECTED and question.transformers_only:
        parts.append("Transformers only (T)")
    if question.sort is not None:
        parts.append(
            f"by {SORT_NAMES.get(question.sort, question.sort)}{', falling' if question.descending else ''} (s)"
        )
    return (Content.styled(" · ".join(parts), "$text-warning"),) if parts else (Content(""),)


def status(snapshot: Snapshot | None, activity: Activity, offline: bool) -> tuple[Content, ...]:
    """Source, revision, last check, newest test date; and plainly when that is not fresh."""
    if snapshot is None:
        text = activity.progress or "no records yet"
        if activity.error is not None and not activity.progress:
            text = problem_words(activity.error)
        return (Content(clean(text)),)
    trouble = _trouble(snapshot, activity, offline)
    happening = Content(clean(activity.progress or activity.changed))
    first = [happening] if activity.progress else trouble
    then = trouble if activity.progress else [happening]
    lines = []
    for name in _names(snapshot):
        known = _what_is_known(snapshot, name, stale=offline or activity.error is not None)
        lines.append([*first, *known, *then])
    shortest = _what_is_known(snapshot, _names(snapshot)[-1], stale=False)
    lines += [[*first, *shortest, *then], [*first, *shortest], first or shortest]
    return tuple(Content(" · ").join(part for part in line if part) for line in lines)


def banner(offline: bool, fetching: bool) -> Content:
    """What stands over sample data, and how the dataset gets there."""
    how = "u fetches the dataset"
    if fetching:
        how = "the dataset is being fetched"
    elif offline:
        how = "offline, and nothing was fetched before"
    return Content(f"SAMPLE DATA  invented models, no real results · {how}")


def _names(snapshot: Snapshot) -> tuple[str, ...]:
    """The source's name, longest first."""
    if snapshot.source == "sample":
        return ("SAMPLE DATA",)
    short = snapshot.name.rstrip("/").rsplit("/", 1)[-1]
    return (clean(snapshot.name), clean(short), "Hub" if snapshot.source == "hub" else clean(short))


def _what_is_known(snapshot: Snapshot, name: str, stale: bool) -> list[Content]:
    where = name + (f" @ {clean(snapshot.revision[:7])}" if snapshot.revision else "")
    parts = [Content.styled(where, "bold $text-warning" if snapshot.source == "sample" else "")]
    if snapshot.checked_at is not None:
        word = "as of" if snapshot.source == "data" else "last checked" if stale else "checked"
        parts.append(Content(f"{word} {_when(snapshot.checked_at)}"))
    if snapshot.newest_test is not None:
        parts.append(Content(f"tested to {numbers.day(snapshot.newest_test)}"))
    return parts


def _trouble(snapshot: Snapshot, activity: Activity, offline: bool) -> list[Content]:
    trouble = []
    if offline and snapshot.source != "data":
        trouble.append(Content.styled("offline", "$text-warning"))
    elif activity.error is not None:
        words = problem_words(activity.error)
        stale = f"stale: {words}" if snapshot.source == "hub" else words
        trouble.append(Content.styled(clean(stale), "$text-warning"))
    if snapshot.problems:
        number = len(snapshot.problems)
        trouble.append(Content.styled(f"{number} problem{'s' if number > 1 else ''} in the files (P)", "$text-error"))
    return trouble


def problem_words(error: TrnModelsError) -> str:
    """An error in the few words of a status line."""
    if isinstance(error, HubRateLimitedError):
        until = f" until {numbers.clock(error.until)}" if error.until is not None else ""
        return f"rate-limited by the Hub{until}"
    if isinstance(error, HubOfflineError):
        return "offline"
    return error.title[:1].lower() + error.title[1:]


def _when(moment: datetime) -> str:
    """A clock time today, else with its day."""
    today = numbers.day(datetime.now(UTC))
    return numbers.clock(moment) if numbers.day(moment) == today else numbers.day_and_clock(moment)
