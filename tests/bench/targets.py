"""What has to be reached, and the table that says whether it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from results import Results

UNITS = {"s": 1e3, "B": 1e-3, "MB": 1e-6, "": 1.0, "%": 100.0}
UNIT_WORDS = {"s": "ms", "B": "KB", "MB": "MB", "": "", "%": "%"}


@dataclass(frozen=True)
class Target:
    """One line of the table. `limit` is in units of the baseline `per`, or absolute; None: no target, only told."""

    what: str
    name: str
    unit: str
    per: str | None = None
    limit: float | None = None


def targets(sizes: Sequence[int]) -> list[Target]:
    """Every line, for datasets of these numbers of records."""
    lines = [
        Target("F: bare app, exec to first paint", "F", "s"),
        Target("E: bare app, key to echo", "E", "s"),
        Target("E: bytes", "E bytes", "B"),
    ]
    for rows in sizes:
        many = rows >= 1_000_000
        key_limit = 8.0 if many else 3.0
        has_target = rows in (10_000, 1_000_000)
        lines += [
            Target(f"start: header and search box, {rows:,}", f"start header {rows} hub", "s", "F", 1.2),
            Target(f"start: lines painted, {rows:,}, Hub cache", f"start rows {rows} hub", "s", "F"),
            Target(f"start: usable, {rows:,}, Hub cache", f"start usable {rows} hub", "s", "F",
                   (3.0 if many else 2.0) if has_target else None),
            Target(f"start: lines painted, {rows:,}, --data", f"start rows {rows} data", "s", "F"),
            Target(f"start: usable, {rows:,}, --data", f"start usable {rows} data", "s", "F",
                   (3.0 if many else 2.0) if has_target else None),
            Target(f"start: bytes, {rows:,}", f"start bytes {rows} hub", "B"),
            *(
                Target(f"search key, {view}, {rows:,}, detail {place}", f"search key {view} {rows} {place}", "s", "E",
                       key_limit if has_target else None)
                for view in ("selected", "trending", "downloads")
                for place in ("open", "closed")
            ),
            Target(f"first search key of the app, {rows:,}", f"first search key selected {rows} open", "s", "E",
                   key_limit if has_target else None),
            *(
                line
                for place in ("open", "closed")
                for line in (
                    Target(f"cursor down, {rows:,}, detail {place}", f"cursor down {rows} {place}", "s", "E", 2.0),
                    Target(f"PageDown, {rows:,}, detail {place}", f"page down {rows} {place}", "s", "E", 3.0),
                )
            ),
            Target(f"cursor down, bytes, {rows:,}, closed", f"cursor down {rows} closed bytes", "B", None, 700),
            Target(f"search key, bytes, {rows:,}, closed", f"search key selected {rows} closed bytes", "B", None, 8000),
            Target(f"PageDown, bytes, {rows:,}, closed", f"page down {rows} closed bytes", "B", None, 8000),
            Target(f"detail follows, bytes more, {rows:,}", f"detail follows bytes {rows} open", "B", None, 6000),
            Target(f"view switch, first (ranking on disk), {rows:,}", f"first view switch {rows} open", "s", "E"),
            Target(f"view switch, {rows:,}, detail open", f"view switch {rows} open", "s", "E", 6.0),
            Target(f"view switch, {rows:,}, detail closed", f"view switch {rows} closed", "s", "E", 6.0),
            Target(f"view switch, bytes, {rows:,}, detail open", f"view switch {rows} open bytes", "B", None, 14_000),
            Target(f"view switch, bytes, {rows:,}, closed", f"view switch {rows} closed bytes", "B", None, 14_000),
            Target(f"detail of a traceback, {rows:,}, first", f"detail of a traceback {rows} closed", "s", "E", 6.0),
            Target(f"detail of a traceback, {rows:,}, again", f"detail of a traceback again {rows} closed", "s", "E",
                   6.0),
            Target(f"detail of a traceback, bytes, {rows:,}", f"detail of a traceback {rows} closed bytes", "B", None,
                   14_000),
            Target(f"memory after the start, {rows:,}", f"memory {rows} hub", "MB", "bare memory",
                   2.8 if rows == 10_000 else None),
            Target(f"memory after use of all views, {rows:,}", f"memory after use {rows} open", "MB", "bare memory"),
            Target(f"quit, {rows:,}", f"quit {rows} hub", "s", "bare quit", 1.0),
        ]  # fmt: skip
    return [*lines, *_OTHERS]


_OTHERS = (
    Target("held key: repaints of the detail", "held key pane repaints", "", None, 0),
    Target("held key: bytes of 20 keys", "held key bytes", "B"),
    Target("20 s of nothing: bytes", "idle bytes table", "B", None, 0),
    Target("20 s of nothing, in the search box: bytes", "idle bytes search", "B", None, 0),
    Target("20 s of nothing: share of a core", "idle cpu table", "%", None, 0.002),
    Target("20 s of nothing, in the search box: share", "idle cpu search", "%", None, 0.002),
    Target("trn-models show MODEL", "show", "s", "F", 1.4),
    Target("completion of a model", "completion", "s", "F", 0.5),
    Target("burst of 50,000 log lines: last line shown", "burst shown", "s", None, 1.0),
    Target("burst: bytes", "burst bytes", "B", None, 200_000),
    Target("burst: a key meanwhile", "burst key", "s", "E", 5.0),
    Target("refresh (key u), nothing changed: requests", "refresh key requests", "", None, 1),
    Target("refresh (key u), nothing changed: bytes", "refresh key bytes", "B", None, 1000),
    Target("trn-models refresh, nothing changed: requests", "refresh verb requests", "", None, 1),
    Target("trn-models refresh, nothing changed: bytes", "refresh verb bytes", "B", None, 1000),
    Target("slow link: last of ten keys to final state", "slow link final", "s", None, 1.5),
    Target("slow link: bytes, in full repaints", "slow link bytes", "B", "full repaint bytes", 2.0),
    Target("a full repaint, bytes", "full repaint bytes", "B"),
)


@dataclass(frozen=True)
class Line:
    """A target and what was measured, as texts; `met` is None without a target."""

    what: str
    measured: str
    ratio: str
    target: str
    met: bool | None


def table(results: Results, sizes: Sequence[int]) -> list[Line]:
    """A line for everything that was measured."""
    lines = []
    for target in targets(sizes):
        measured = results.median(target.name)
        if measured is None:
            continue
        base = results.baseline(target.per, of=target.name) if target.per else None
        ratio = measured / base if base else None
        compared = ratio if target.per else measured
        met = None if target.limit is None or compared is None else compared <= target.limit
        shown = f"{measured * UNITS[target.unit]:,.2f} {UNIT_WORDS[target.unit]}".strip()
        lines.append(
            Line(target.what, shown, "" if ratio is None else f"{ratio:.2f} {target.per}", _limit(target), met)
        )
    return lines


def growth(results: Results, sizes: Sequence[int]) -> str:
    """Start, keys and memory for each number of records, as text."""
    columns = {
        "usable, Hub cache": ("start usable {} hub", "s"),
        "usable, --data": ("start usable {} data", "s"),
        "first key": ("first search key selected {} closed", "s"),
        "next keys": ("search key selected {} closed", "s"),
        "memory": ("memory {} hub", "MB"),
    }
    lines = ["".join(f"{title:>20}" for title in ("records", *columns))]
    for rows in sizes:
        cells = [f"{rows:,}"]
        for name, unit in columns.values():
            value = results.median(name.format(rows))
            cells.append("" if value is None else f"{value * UNITS[unit]:,.1f} {UNIT_WORDS[unit]}")
        lines.append("".join(f"{cell:>20}" for cell in cells))
    return "\n".join(lines)


def _limit(target: Target) -> str:
    if target.limit is None:
        return ""
    if target.per:
        return f"<= {target.limit:g} {target.per}"
    return f"<= {target.limit * UNITS[target.unit]:,g} {UNIT_WORDS[target.unit]}".strip()


def printed(lines: Sequence[Line]) -> str:
    """The table as text."""
    words = {True: "met", False: "MISSED", None: ""}
    rows = [("what", "median", "ratio", "target", "")]
    rows += [(line.what, line.measured, line.ratio, line.target, words[line.met]) for line in lines]
    widths = [max(len(row[place]) for row in rows) for place in range(4)]
    return "\n".join(
        f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]:>{widths[3]}}  {row[4]}".rstrip()
        for row in rows
    )
