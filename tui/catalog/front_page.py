"""The first lines of Selected as they were last read, so that a start shows them before any record is read.

In the cache folder, `pages/<source>.json`: one small file for each dataset or path. It is shown only while what it
was made from is still the same on disk, and only until the records are read, which takes its place.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from tui.catalog.cache_places import front_page_path, manifest_path
from tui.catalog.hub_address import endpoint
from tui.catalog.json_files import moment, read_kept, write_json
from tui.catalog.parquet_files import parquet_files
from tui.catalog.question import first_question
from tui.catalog.rows import KeptRows
from tui.catalog.stacks import Stack
from tui.catalog.verdict import Verdict
from tui.errors import NoDataError
from tui.settings import Settings

if TYPE_CHECKING:
    import polars as pl

    from tui.catalog.snapshot import Snapshot

FIRST_LINES: Final = 200
"""More than a terminal shows."""
_FORMAT: Final = 1
_MOST_FILES: Final = 1000
"""A folder with more files is not asked for all of their times at a start."""


@dataclass(frozen=True, slots=True)
class FrontPage:
    """What is drawn of a snapshot before it is read. The fields of `Snapshot` and `Selection` mean the same here."""

    source: Literal["hub", "data"]
    name: str
    revision: str | None
    checked_at: datetime | None
    newest_test: datetime | None
    problems: tuple[str, ...]
    stack: Stack
    rows: KeptRows
    total: int
    counts: Mapping[Verdict, int]
    tested: int
    hidden_left_out: int

    @property
    def height(self) -> int:
        """How many lines there are to show."""
        return len(self.rows)


def read(settings: Settings, columns: Sequence[str]) -> FrontPage | None:
    """The page of the source in `settings`, its lines with these columns.

    None when there is none, or the source has changed since.
    """
    origin = made_from(settings)
    if origin is None:
        return None
    return read_kept(_path(settings), lambda kept: _page(kept) if _is_of(kept, origin, columns) else None)


def write(
    settings: Settings, snapshot: Snapshot, lines: pl.DataFrame | None, columns: Sequence[str], origin: Any
) -> None:
    """Keep the page of a snapshot of the source in `settings`; `columns` of the lines are what is drawn of one.

    `lines` is what `views.lines_of` makes of the snapshot and its `first_question`, None when it is not at hand;
    `origin` what `made_from` told when the snapshot was read. Nothing is written when the page is there
    already, or when the source has changed since.
    """
    nothing = origin is None or snapshot.source == "sample" or not snapshot.stacks
    if nothing or read(settings, columns) is not None:
        return
    from tui.catalog import views

    question = first_question(snapshot.stacks)
    stack = question.stack.exact
    if stack is None:
        return
    selection = views.select(snapshot, None, question, lines)
    names = ("key", *columns)
    kept = {
        "format": _FORMAT,
        "made_from": origin,
        "source": snapshot.source,
        "name": snapshot.name,
        "revision": snapshot.revision,
        "checked_at": snapshot.checked_at and snapshot.checked_at.isoformat(),
        "newest_test": snapshot.newest_test and snapshot.newest_test.isoformat(),
        "problems": list(snapshot.problems),
        "stack": [stack.neuronx_cc, stack.library, stack.library_version],
        "columns": list(columns),
        "lines": [[row[name] for name in names] for row in selection.rows.rows(0, FIRST_LINES, names)],
        "height": selection.height,
        "total": selection.total,
        "counts": selection.counts,
        "tested": selection.tested,
        "hidden_left_out": selection.hidden_left_out,
    }
    if origin == made_from(settings):
        write_json(_path(settings), kept)


def _is_of(kept: Any, origin: Any, columns: Sequence[str]) -> bool:
    return (kept["format"], kept["made_from"], kept["columns"]) == (_FORMAT, origin, list(columns))


def _page(kept: Any) -> FrontPage:
    names = ("key", *kept["columns"])
    lines = [dict(zip(names, line, strict=True)) for line in kept["lines"]]
    return FrontPage(
        source=kept["source"],
        name=str(kept["name"]),
        revision=kept["revision"],
        checked_at=kept["checked_at"] and moment(kept["checked_at"]),
        newest_test=kept["newest_test"] and moment(kept["newest_test"]),
        problems=tuple(map(str, kept["problems"])),
        stack=Stack(*kept["stack"]),
        rows=KeptRows(lines, max(int(kept["height"]), len(lines))),
        total=int(kept["total"]),
        counts={Verdict(word): int(number) for word, number in kept["counts"].items()},
        tested=int(kept["tested"]),
        hidden_left_out=int(kept["hidden_left_out"]),
    )


def _path(settings: Settings) -> Path:
    return front_page_path(settings, endpoint())


def made_from(settings: Settings) -> Any:
    """What is different as soon as the source is: names, sizes and times of its files; None when that is not known."""
    if settings.sample:
        return None
    try:
        if settings.data is None:
            return [_status(manifest_path(settings, endpoint()))]
        found, unread = parquet_files(settings.data)
        if unread or not found or len(found) > _MOST_FILES:
            return None
        return [[name, *_status(path)] for name, path in found]
    except (OSError, NoDataError):
        return None


def _status(path: Path) -> list[int]:
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError(f"{path} is no file")
    return [found.st_ino, found.st_size, found.st_mtime_ns]
