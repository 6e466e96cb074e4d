"""The child process that reads one foreign parquet file and writes the app's own: `conform SOURCE DEST [LOST]`.

Started by `catalog.ingest` with limits on time and memory, because a damaged or hostile file can hang a
reader, abort its process or ask for all memory. Whatever happens to one row group, the others are kept.

LOST is a JSON object {why: [[first, last]]} of row groups to leave out. On stdout, one JSON object a line:

    {"ready": 1}                                  pyarrow works
    {"groups": 2, "records": 4000}                the footer was read; null when it contradicts itself
    {"row_group": 0}                              now at this one (counted from 0)
    {"slow": 1}                                   what comes is left out: it took too long
    {"copied": 2000}                              records in DEST, which is now read back
    {"report": {...}}                             done; DEST is as it should be
    {"unopened": why}                             the footer cannot be read
    {"unwritable": why}                           DEST cannot be written

An own file carries `LOST_KEY` in its metadata, so that reading it again tells the same losses.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tui.catalog.columns import (
    LONGEST_SHORT_TEXT,
    LONGEST_TEXT,
    OWN_SCHEMA,
    conformed,
    field_names,
    json_text,
    plain,
    raw_beginning,
    short,
)
from tui.catalog.schema import COLUMNS, EXTRA, LONG_TEXT, UNCONVERTED

LOST_KEY = b"trn_models.lost"

ENOUGH_S = 100.0
"""After so long no further row group is begun: what was read is kept, and the parent kills at `TIME_LIMIT_S`."""
_PLACES = 5
"""Of row groups lost for one reason so many are told apart: one more than sentences name."""
_BATCH_ROWS = 2_048
_BATCH_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class Plan:
    """Which column of a file becomes which own column; numbers are positions in the file."""

    own: Mapping[str, int]
    extra: Mapping[str, int]
    carried: Mapping[str, int]
    """EXTRA and UNCONVERTED of a file that this app wrote."""


@dataclass(slots=True)
class _Tally:
    rows: int = 0
    lost: list[dict[str, Any]] = field(default_factory=list)
    unconverted: Counter[str] = field(default_factory=Counter)
    extra: dict[str, None] = field(default_factory=dict)

    def lose(self, where: str, rows: int | None, why: str) -> None:
        """Note a loss; of many for one reason the last entry stands for all further ones."""
        alike = [entry for entry in self.lost if entry["why"] == why]
        if len(alike) < _PLACES:
            self.lost.append({"where": where, "rows": rows, "why": why, "places": 1})
            return
        last = alike[-1]
        last["places"] += 1
        last["rows"] = None if None in (rows, last["rows"]) else last["rows"] + rows


def plan_columns(names: list[str], own_file: bool) -> Plan:
    """Find each column by its name; when that is missing, by the only name that differs in case or outer spaces.

    Of two columns with one name the first is taken. All that is not taken is extra. `names` are distinct.
    """
    carried = {name: names.index(name) for name in (EXTRA, UNCONVERTED) if own_file and name in names}
    own = {column.name: names.index(column.name) for column in COLUMNS if column.name in names}
    free = [position for position in range(len(names)) if position not in {*own.values(), *carried.values()}]
    for column in COLUMNS:
        alike = [position for position in free if names[position].strip().casefold() == column.name]
        if column.name not in own and len(alike) == 1:
            own[column.name] = alike[0]
            free.remove(alike[0])
    return Plan(own=own, extra={names[position]: position for position in free}, carried=carried)


def conform_batch(batch: pa.RecordBatch, plan: Plan) -> tuple[pa.RecordBatch, Counter[str], dict[str, None]]:
    """The batch with exactly the columns of OWN_SCHEMA, its misfits by column, and the names in EXTRA."""
    arrays: list[pa.Array] = []
    misfits: list[dict[str, str]] = [{} for _ in range(batch.num_rows)]
    for column, own_field in zip(COLUMNS, OWN_SCHEMA, strict=False):
        position = plan.own.get(column.name)
        if position is None:
            arrays.append(pa.nulls(batch.num_rows, own_field.type))
            continue
        longest = LONGEST_TEXT if column.name in LONG_TEXT else LONGEST_SHORT_TEXT
        array, unfit = conformed(batch.column(position), column.kind, longest)
        arrays.append(array)
        for row, raw in unfit.items():
            misfits[row][column.name] = raw
    extras: list[dict[str, Any]] = [{} for _ in range(batch.num_rows)]
    for name, position in plan.extra.items():
        for row, value in enumerate(plain(batch.column(position))):
            extras[row][name] = short(value)
    _add_carried(batch, plan, extras, misfits)
    arrays += [_json_column(extras), _json_column(misfits)]
    return (
        pa.RecordBatch.from_arrays(arrays, schema=OWN_SCHEMA),
        Counter(column for misfit in misfits for column in misfit),
        dict.fromkeys(name for extra in extras for name in extra),
    )


def _json_column(values: list[dict[str, Any]]) -> pa.Array:
    return pa.array([json_text(value) if value else None for value in values], pa.string())


def _add_carried(
    batch: pa.RecordBatch, plan: Plan, extras: list[dict[str, Any]], misfits: list[dict[str, str]]
) -> None:
    for name, position in plan.carried.items():
        for row, text in enumerate(plain(batch.column(position), sys.maxsize)):
            if text is None:
                continue
            try:
                carried = json.loads(text)
            except (ValueError, RecursionError):
                carried = None
            if not isinstance(carried, dict):
                extras[row][name] = short(text)
            elif name == EXTRA:
                extras[row] = {column: short(value) for column, value in carried.items()} | extras[row]
            else:
                known = {column: raw_beginning(raw) for column, raw in carried.items() if column in OWN_SCHEMA.names}
                misfits[row] = known | misfits[row]


def main(arguments: list[str]) -> int:
    """Run the program that the module tells of; 0 unless it broke off in the middle."""
    source, dest, *rest = arguments
    lost_before = json.loads(rest[0]) if rest else {}
    left_out = {
        group: why for why, spans in lost_before.items() for first, last in spans for group in range(first, last + 1)
    }
    enough = time.monotonic() + ENOUGH_S
    _be_modest()
    _say(ready=1)
    try:
        file = pq.ParquetFile(source, page_checksum_verification=True, pre_buffer=False)
        own_file = LOST_KEY in (file.metadata.metadata or {})
        earlier = json.loads(file.metadata.metadata[LOST_KEY]) if own_file else []
        plan = plan_columns(field_names(file.schema_arrow), own_file)
        counts = [_count(file.metadata, group) for group in range(file.metadata.num_row_groups)]
        total = file.metadata.num_rows
    except Exception as error:  # noqa: BLE001 - any error of a reader of foreign bytes means the same
        _say(unopened=_reason(error))
        return 0
    known = sum(count or 0 for count in counts)
    _say(groups=len(counts), records=None if None in counts else known)
    tally = _Tally(lost=[*earlier], extra=dict.fromkeys(plan.extra))
    if None not in counts and total > known:
        tally.lose("outside its row groups", total - known, "the footer counts more records")
    try:
        _copy(file, dest, plan, counts, left_out=left_out, enough=enough, tally=tally)
        _say(copied=tally.rows)
        _read_back(dest, tally.rows)
    except OSError as error:
        if not error.errno:  # pyarrow's own, as when a compressor gets no memory: this file is to blame, not the disk
            raise
        _say(unwritable=_reason(error))
        return 0
    _say(
        report={
            "rows": tally.rows,
            "lost": tally.lost,
            "unconverted": dict(tally.unconverted),
            "missing": [column.name for column in COLUMNS if column.name not in plan.own],
            "extra": list(tally.extra),
        }
    )
    return 0


def _be_modest() -> None:
    """No core file of a crash, and the app's own process comes first."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.nice(5)


def _say(**fact: Any) -> None:
    sys.stdout.write(json.dumps(fact) + "\n")
    sys.stdout.flush()


def _reason(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "it does not fit into the memory allowed"
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:300]


def _count(metadata: pq.FileMetaData, group: int) -> int | None:
    """Records of a row group; None when the footer contradicts itself about them."""
    row_group = metadata.row_group(group)
    counts = {row_group.num_rows}
    for index in range(row_group.num_columns):
        if metadata.schema.column(index).max_repetition_level == 0:
            counts.add(row_group.column(index).num_values)
    return counts.pop() if len(counts) == 1 and min(counts) >= 0 else None


@dataclass(slots=True)
class _Gathered:
    """Small batches become one row group: each costs memory in the writer, and time in every reader."""

    writer: pq.ParquetWriter
    batches: list[pa.RecordBatch] = field(default_factory=list)
    rows: int = 0
    size: int = 0

    def add(self, batch: pa.RecordBatch) -> None:
        self.batches.append(batch)
        self.rows += batch.num_rows
        self.size += batch.nbytes
        if self.rows >= _BATCH_ROWS or self.size >= _BATCH_BYTES:
            self.flush()

    def flush(self) -> None:
        if self.batches:
            self.writer.write_table(pa.Table.from_batches(self.batches).combine_chunks())
        self.batches, self.rows, self.size = [], 0, 0


def _copy(
    file: pq.ParquetFile,
    dest: str,
    plan: Plan,
    counts: list[int | None],
    *,
    left_out: Mapping[int, str],
    enough: float,
    tally: _Tally,
) -> None:
    """Write what can be read. An error in the reading loses the rest of a row group; one in the writing is raised."""
    with pq.ParquetWriter(dest, OWN_SCHEMA, compression="zstd") as writer:
        gathered = _Gathered(writer)
        for group, count in enumerate(counts):
            where = f"row group {group + 1} of {len(counts)}"
            if group in left_out:
                tally.lose(where, count, left_out[group])
                continue
            if time.monotonic() > enough:
                _say(slow=1)
                tally.lose(where, count, f"reading took longer than {ENOUGH_S:.0f} s")
                continue
            _say(row_group=group)
            before, why = tally.rows, ""
            batches = _batches(file, group)
            while True:
                try:
                    batch = next(batches, None)
                    if batch is None:
                        break
                    own, unconverted, extra = conform_batch(batch, plan)
                except Exception as error:  # noqa: BLE001 - whatever these bytes caused, the next row group comes
                    why = _reason(error)
                    break
                gathered.add(own)
                tally.rows += own.num_rows
                tally.unconverted += unconverted
                tally.extra |= extra
            missing = None if count is None else max(0, count - (tally.rows - before))
            if missing != 0 or why:
                why = why or ("the footer contradicts itself" if missing is None else "they are not there")
                tally.lose(where, missing, why)
        gathered.flush()
        writer.add_key_value_metadata({LOST_KEY.decode(): json.dumps(tally.lost)})


def _batches(file: pq.ParquetFile, group: int) -> Iterator[pa.RecordBatch]:
    """The row group in pieces: of fewer records where they are long, so that memory does not grow with them."""
    row_group = file.metadata.row_group(group)
    length = max(1, row_group.total_byte_size // max(1, row_group.num_rows))
    rows = max(1, min(_BATCH_ROWS, _BATCH_BYTES // length))
    yield from file.iter_batches(rows, row_groups=[group], use_threads=False)


def _read_back(dest: str, rows: int) -> None:
    file = pq.ParquetFile(dest)
    found = sum(batch.num_rows for batch in file.iter_batches(_BATCH_ROWS, use_threads=False))
    if not file.schema_arrow.equals(OWN_SCHEMA) or found != rows:
        raise OSError(errno.EIO, "what was written does not read back")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
