"""One parquet file of the dataset and what became of it when it was read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui.numbers import counted

_PLACES_NAMED = 4


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as it came, and the app's own file made of it."""

    name: str
    """As the source calls it: outside text, cleaned only where it is shown."""
    own: Path | None
    """The app's own parquet file with `schema.OWN_COLUMNS`; None when no record could be read."""
    sha256: str
    """Of the content, in hexadecimal; empty when not even the bytes could be read."""
    rows: int
    """Records in `own`."""
    lost_rows: int | None
    """Records that could not be read; None when their number is not known."""
    problems: tuple[str, ...] = ()
    """Whole sentences for a person; each begins with `name` and says which records are missing and why."""
    unconverted: Mapping[str, int] = field(default_factory=dict)
    """Column -> how many of its values do not fit it; only columns that have such values."""
    missing: tuple[str, ...] = ()
    """Columns of `schema.COLUMN_NAMES` that the file lacks."""
    extra: tuple[str, ...] = ()
    """Columns that the schema does not know, by the names under which they stand in `schema.EXTRA`."""
    own_sha256: str = ""
    """Of the content of `own`, in hexadecimal; empty without it."""

    @property
    def complete(self) -> bool:
        """Whether every record of the file was read."""
        return self.lost_rows == 0

    @property
    def remarks(self) -> tuple[str, ...]:
        """A sentence for each column with values that do not fit it, and were kept as raw text."""
        return tuple(
            f"{self.name}: {counted(misfits, 'value')} of {column} "
            + (
                "does not fit the column and is shown as it stands"
                if misfits == 1
                else "do not fit the column and are shown as they stand"
            )
            for column, misfits in self.unconverted.items()
        )


def to_json(file: SourceFile) -> dict[str, Any]:
    """The file as values that `json.dumps` takes."""
    return {
        "name": file.name,
        "own": None if file.own is None else str(file.own),
        "sha256": file.sha256,
        "rows": file.rows,
        "lost_rows": file.lost_rows,
        "problems": list(file.problems),
        "unconverted": dict(file.unconverted),
        "missing": list(file.missing),
        "extra": list(file.extra),
        "own_sha256": file.own_sha256,
    }


def from_json(values: Mapping[str, Any]) -> SourceFile:
    """The file that `to_json` told of.

    Raises `KeyError`, `TypeError` or `ValueError` when `values` is something else.
    """
    own, lost_rows = values["own"], values["lost_rows"]
    return SourceFile(
        name=str(values["name"]),
        own=None if own is None else Path(own),
        sha256=str(values["sha256"]),
        rows=int(values["rows"]),
        lost_rows=None if lost_rows is None else int(lost_rows),
        problems=tuple(map(str, values["problems"])),
        unconverted={str(column): int(count) for column, count in dict(values["unconverted"]).items()},
        missing=tuple(map(str, values["missing"])),
        extra=tuple(map(str, values["extra"])),
        own_sha256="" if own is None else str(values["own_sha256"]),
    )


def from_report(report: Mapping[str, Any], name: str, sha256: str, own: Path) -> SourceFile:
    """The file that a report of `catalog.ingest` tells of, under the name that it has now.

    Raises `KeyError`, `TypeError`, `ValueError` or `AttributeError` when `report` is something else.
    """
    if "rows" not in report:
        counts = report.get("counts")
        lost_rows = None if counts is None else _total(counts)
        many = "how many records it holds is not known" if lost_rows is None else f"{its_records(lost_rows)} missing"
        why = report.get("instead") or "its footer is damaged"
        if report.get("died"):
            why = report["unopened"]
        return SourceFile(name, None, sha256, 0, lost_rows, problems=(f"{name} cannot be read: {why}; {many}",))
    losses = [_Loss(str(at["where"]), at["rows"], str(at["why"]), int(at.get("places", 1))) for at in report["lost"]]
    return SourceFile(
        name=name,
        own=own,
        sha256=sha256,
        rows=report["rows"],
        lost_rows=_total(loss.rows for loss in losses),
        problems=tuple(_sentences(name, losses)),
        unconverted=report["unconverted"],
        missing=tuple(report["missing"]),
        extra=tuple(report["extra"]),
        own_sha256=str(report["own_sha256"]),
    )


@dataclass(frozen=True, slots=True)
class _Loss:
    where: str
    rows: int | None
    why: str
    places: int
    """How many places it stands for; `where` is the first of them."""


def _sentences(name: str, losses: Sequence[_Loss]) -> Iterator[str]:
    """One sentence for each place; one for all places when many are lost for the same reason."""
    by_reason: dict[str, list[_Loss]] = {}
    for loss in losses:
        by_reason.setdefault(loss.why, []).append(loss)
    for why, alike in by_reason.items():
        places = sum(loss.places for loss in alike)
        if places <= _PLACES_NAMED:
            yield from (_sentence(name, loss.where, loss.rows, why) for loss in alike)
        else:
            where = f"{alike[0].where} and {places - 1:,} more places"
            yield _sentence(name, where, _total(loss.rows for loss in alike), why)


def _sentence(name: str, where: str, rows: int | None, why: str) -> str:
    records = "some records" if rows is None else counted(rows, "record")
    unknown = "; how many is not known" if rows is None else ""
    return f"{name}: {records} in {where} could not be read: {why}{unknown}"


def its_records(number: int) -> str:
    """The records of a file as the beginning of a sentence: `its 1 record is`, `its 1,204 records are`."""
    return f"its {counted(number, 'record')} {'is' if number == 1 else 'are'}"


def _total(counts: Iterable[int | None]) -> int | None:
    """The sum; None when one of the counts is not known."""
    total = 0
    for rows in counts:
        if rows is None:
            return None
        total += rows
    return total
