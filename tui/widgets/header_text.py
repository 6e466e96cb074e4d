"""Title, stack selectors, counts and status as text. Pure: values in, `Content` out, longest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content

from tui import numbers
from tui.catalog.question import View
from tui.catalog.sort_columns import SORT_NAMES
from tui.catalog.stacks import ANY, StackChoice, compiler_label, library_label
from tui.catalog.verdict import Verdict
from tui.errors import (
    HubNotFoundError,
    HubOfflineError,
    HubRateLimitedError,
    HubUnreachableError,
    TrnModelsError,
)
from tui.terminal_text import clean
from tui.widgets.clickable import clickable
from tui.widgets.verdict_look import MUTED, SIGNS, STYLES

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from tui.catalog.front_page import FrontPage
    from tui.catalog.question import Question, Selection
    from tui.catalog.rankings import Ranking
    from tui.catalog.snapshot import Snapshot
    from tui.host.neuron import Host

VIEW_NAMES: dict[View, str] = {
    View.SELECTED: "Selected",
    View.TRENDING: "Trending",
    View.DOWNLOADS: "Downloads",
}

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
    host: str = ""
    """Which Hub gave the error."""
    again_at: datetime | None = None
    """When it is asked again by itself, UTC."""
    read_at: datetime | None = None
    """When a folder or file was read, UTC."""


def title(view: View | None) -> tuple[Content, ...]:
    """The app's name, the three views and the overview (None); the present one stands out. Longest first."""
    places = [(name, each, f"view('{each}')") for each, name in VIEW_NAMES.items()]
    tabs = Content("").join(
        clickable(Content.styled(f" {number} {name} ", "bold reverse $primary" if each is view else ""), action)
        for number, (name, each, action) in enumerate([*places, ("Overview", None, "overview")], 1)
    )
    return (Content.assemble(("trn-models", "bold $primary"), " ") + tabs, tabs)


def task_of(view: View, task: str) -> Content:
    """The task of a ranking; nothing in the Selected view, which has models of all tasks."""
    if view is View.SELECTED:
        return Content("")
    return clickable(Content.assemble((clean(task), "bold"), " ▾"), "pick_task")


def beside_the_views(task: Content, host: Host | None, taken: Collection[int] = ()) -> tuple[Content, ...]:
    """The task of a ranking and what this host has, longest first; the host gives way first.

    `taken` are devices that runs of ours have.
    """
    if host is None:
        return (task,)
    from tui.host.neuron import in_words

    gap = Content("   ") if task else Content("")
    about = in_words(host, taken)
    return (*(Content.styled(clean(words), MUTED) + gap + task for words in about), task)


def ranking_state(
    ranking: Ranking | None,
    loading: bool,
    error: TrnModelsError | None,
    host: str = "",
    again_at: datetime | None = None,
) -> tuple[str, ...]:
    """The time of a ranking, how many it holds, and what goes on. Longest first; the time stays longest.

    `host` is the Hub that gave the error, `again_at` when it is asked again.
    """
    now = ("refreshing", "…") if loading else ("", "")
    if error is not None and not loading:
        now = (_failure(error, host, again_at), brief_words(error))
    if ranking is None:
        return ("fetching",) if loading else (*now[:1], problem_words(error), *now[1:]) if error else now
    if ranking.fetched_at is None:
        return ("sample ranking", "sample")
    at, held = numbers.when(ranking.fetched_at), ranking_size(ranking)
    long, short = (f" · {words}" if words else "" for words in now)
    return (f"ranking of {at} · {held}{long}", f"{at} · {held}{long}", f"{at} · {held}{short}", f"{at}{short}", at)


def ranking_size(ranking: Ranking) -> str:
    """How many models are here; `500+` while the Hub has more."""
    return numbers.count(ranking.models.height) + ("" if ranking.next_cursor is None else "+")


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


def counts(selection: Selection | FrontPage, more: bool) -> tuple[Content, ...]:
    """How many are shown of how many (`500+` when there are more), by verdict, and the pass rate of how many."""
    total = numbers.count(selection.total) + ("+" if more else "")
    shown_of = Content(f"{numbers.count(selection.height)} of {total}")
    rate = pass_rate(selection.counts.get(Verdict.PASS, 0), selection.tested)
    hidden = f" ({numbers.count(selection.hidden_left_out)} hidden, a shows)" if selection.hidden_left_out else ""
    dot = Content.styled(" · ", MUTED)
    lines = []
    for length, also in enumerate((hidden, "", "")):
        verdicts = Content("  ").join(_counted(selection, length))
        if verdicts:
            verdicts += Content.styled(also, MUTED)
        share = rate if length < 2 else rate.removesuffix(" tested")
        between = dot if length < 2 else Content("  ")
        lines.append(between.join(part for part in (shown_of, verdicts, Content(share)) if part))
    return (*lines, shown_of)


def _counted(selection: Selection | FrontPage, length: int) -> list[Content]:
    """One text for each kind that occurs: with a long word (0), a short one (1), the sign alone (2)."""
    numbers_of = dict(selection.counts)
    tested_others = selection.tested - numbers_of.get(Verdict.PASS, 0) - numbers_of.get(Verdict.FAIL, 0)
    no_result = numbers_of.get(Verdict.OTHER, 0) - tested_others
    numbers_of[Verdict.OTHER] = tested_others
    kinds = [(verdict, numbers_of.get(verdict, 0), words) for verdict, words in _COUNT_WORDS.items()]
    kinds.insert(3, (Verdict.OTHER, no_result, ("no result", "no result", "")))
    counted = []
    for verdict, number, words in kinds:
        # The sign of UNTESTED is the dot that stands between parts here.
        sign = SIGNS[verdict] if verdict is not Verdict.UNTESTED or length == _SIGN_ALONE else ""
        gap = "" if length == _SIGN_ALONE or not sign else " "
        if number:
            text = f"{gap}{numbers.count(number)} {words[length]}".rstrip()
            counted.append(Content.assemble((sign, STYLES[verdict]), text))
    return counted


def pass_rate(passed: int, tested: int) -> str:
    """`98 % of 55 tested`; 100 % only when all passed and 0 % only when none did."""
    if not tested:
        return "none tested"
    percent = round(100 * passed / tested)
    if 0 < passed < tested:
        percent = min(max(percent, 1), 99)
    return f"{percent} % of {numbers.count(tested)} tested"


def beside_the_stack(question: Question, states: tuple[str, ...]) -> tuple[Content, ...]:
    """The ranking's state, and what the person chose that the table alone does not tell: order, only Transformers."""
    chosen = []
    if question.view is not View.SELECTED and question.transformers_only:
        chosen.append(("Transformers only (T)", "T"))
    if question.sort is not None:
        falling = ", falling" if question.descending else ""
        chosen.append((f"by {SORT_NAMES.get(question.sort, question.sort)}{falling} (s)", "sorted"))
    long, short = (
        Content(" · ").join(Content.styled(words[length], "$text-warning") for words in chosen) for length in (0, 1)
    )
    gap = Content("   ")
    told = [Content.styled(clean(state), MUTED) for state in states if state]
    lines = [gap.join(part for part in (words, state) if part) for words in (long, short) for state in told]
    return (*lines, long, short)


def status(snapshot: Snapshot | FrontPage | None, activity: Activity, offline: bool) -> tuple[Content, ...]:
    """Source, revision, last check, newest test date; and plainly when that is not fresh. Longest first."""
    if snapshot is None:
        text = activity.progress or "no records yet"
        if activity.error is not None and not activity.progress:
            text = f"{_failure(activity.error, activity.host, activity.again_at)} (P tells more)"
        return (Content(clean(text)),)
    stale = activity.error is not None or (offline and snapshot.source == "hub")
    happening = Content(clean(activity.progress or activity.changed))
    full, brief = (_trouble(snapshot, activity, offline, brief=short) for short in (False, True))
    names = _names(snapshot)
    known = [_what_is_known(snapshot, name, activity, stale=stale, brief=False) for name in names]
    shortest = _what_is_known(snapshot, names[-1], activity, stale=stale, brief=True)
    lines = []
    for trouble, what in [*((full, each) for each in (*known, known[-1][:-1], shortest)), (brief, shortest)]:
        first, then = ([happening], trouble) if activity.progress else (trouble, [happening])
        lines.append([*first, *what, *then])
    first = [happening] if activity.progress else brief
    lines += [[*first, *shortest], [*first, *shortest[:-1]], [*brief, happening]]
    return tuple(Content(" · ").join(part for part in line if part) for line in lines)


def banner(offline: bool, fetching: bool, data: Path | None) -> Content:
    """What stands over sample data, and how the dataset gets there."""
    how = "u fetches the dataset"
    if data is not None:
        how = f"from {clean(str(data))}"
    elif fetching:
        how = "the dataset is being fetched"
    elif offline:
        how = "offline, and nothing was fetched before"
    return Content(f"SAMPLE DATA  invented models, no real results · {how}")


def _names(snapshot: Snapshot | FrontPage) -> tuple[str, ...]:
    """The source's name, longest first."""
    if snapshot.source == "sample":
        return ("SAMPLE DATA",)
    short = snapshot.name.rstrip("/").rsplit("/", 1)[-1]
    return (clean(snapshot.name), clean(short), "Hub" if snapshot.source == "hub" else clean(short))


def _what_is_known(
    snapshot: Snapshot | FrontPage, name: str, activity: Activity, *, stale: bool, brief: bool
) -> list[Content]:
    revision = f" @ {clean(snapshot.revision[:7])}" if snapshot.revision else ""
    if snapshot.source == "data" and not snapshot.revision and not brief:
        revision = " (revision not known)"
    parts = [Content.styled(name + revision, "bold $text-warning" if snapshot.source == "sample" else "")]
    if snapshot.checked_at is not None:
        word = "as of" if snapshot.source == "data" else "last checked" if stale else "checked"
        at = numbers.when(snapshot.checked_at)
        parts.append(Content(at if brief else f"{word} {at}"))
    elif activity.read_at is not None:
        parts.append(Content(f"read {numbers.when(activity.read_at)}"))
    if snapshot.newest_test is not None:
        parts.append(Content(f"{'to' if brief else 'tested to'} {numbers.day(snapshot.newest_test)}"))
    return parts


def _trouble(snapshot: Snapshot | FrontPage, activity: Activity, offline: bool, *, brief: bool) -> list[Content]:
    trouble = []
    if offline:
        trouble.append(Content.styled("offline", "$text-warning"))
    elif activity.error is not None:
        words = _failure(activity.error, activity.host, activity.again_at, brief=brief)
        stale = f"stale: {words}" if snapshot.source == "hub" else words if brief else f"{words} (P tells more)"
        trouble.append(Content.styled(clean(stale), "$text-warning"))
    if snapshot.problems:
        number = len(snapshot.problems)
        words = f"{number} (P)" if brief else f"{numbers.counted(number, 'problem')} in the files (P)"
        trouble.append(Content.styled(words, "$text-error"))
    return trouble


def _failure(error: TrnModelsError, host: str, again_at: datetime | None, *, brief: bool = False) -> str:
    """What went wrong, at which Hub, and when it is asked again."""
    words = brief_words(error) if brief else problem_words(error)
    if host:
        words = f"{words}, {host}" if brief else f"{words} ({host})"
    if again_at is None or (isinstance(error, HubRateLimitedError) and error.until == again_at):
        return words
    return f"{words}, again {numbers.when(again_at)}"


def problem_words(error: TrnModelsError) -> str:
    """An error in the few words of a status line."""
    if isinstance(error, HubRateLimitedError):
        until = f" until {numbers.when(error.until)}" if error.until is not None else ""
        return f"rate-limited by the Hub{until}"
    if isinstance(error, HubOfflineError):
        return "offline"
    return error.title[:1].lower() + error.title[1:]


def brief_words(error: TrnModelsError) -> str:
    """An error in a word or two, where the line has no room for more."""
    if isinstance(error, HubRateLimitedError):
        return "rate-limited" + (f" until {numbers.when(error.until)}" if error.until is not None else "")
    if isinstance(error, HubUnreachableError):
        return "no answer"
    if isinstance(error, HubNotFoundError):
        return "not found"
    return "offline" if isinstance(error, HubOfflineError) else "failed"
