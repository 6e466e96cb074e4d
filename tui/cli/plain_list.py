"""The list where there is no terminal for the app: the first models of the newest stack, on stdout."""

from __future__ import annotations

import json
import logging
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tui import numbers
from tui.catalog.verdict import Verdict, shown
from tui.cli.output import Progress, is_terminal, say, write
from tui.errors import EXIT_PASS, HubError, NoDataError, TrnModelsError
from tui.export import aligned, cell_width
from tui.settings import Settings
from tui.terminal_text import clean

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot
    from tui.catalog.views import Selection

logger = logging.getLogger(__name__)

MODELS = 20
SAMPLE_LINE = "SAMPLE DATA: invented models, not results of any real one"

_HEADERS = ("result", "model", "cores", "time", "memory", "check")
_AT_RIGHT = (False, False, True, True, True, False)


def print_list(settings: Settings, search: str = "") -> int:
    """Print the Selected view of the newest stack, narrowed by `search`; exit code 0.

    Records are read from disk, else fetched (bounded), else the sample is printed and says so. Raises
    `TrnModelsError` when `--data` cannot be read.
    """
    from tui.catalog.stacks import StackChoice, default_stack
    from tui.catalog.views import Question, View, lines_of, select, suggestion

    snapshot = _records(settings)
    stack = default_stack(snapshot.stacks)
    question = Question(view=View.SELECTED, stack=StackChoice.of(stack), search=search)
    base_lines = lines_of(snapshot, None, question)
    selection = select(snapshot, None, question, base_lines)
    no_hit = _no_hit(selection, search, suggestion(base_lines, question))
    width = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None
    lines = [SAMPLE_LINE] if snapshot.source == "sample" else []
    about = clean(f"neuronx-cc {stack.label}: {_counts(selection)}" if stack else "no records")
    lines += [about] if width is None else textwrap.wrap(about, width)
    rows = [_cells(line) for line in selection.lines.head(MODELS).iter_rows(named=True)]
    if rows:
        lines.append(_table([_HEADERS, *rows], width))
    write("\n".join(lines) + "\n", sys.stdout, ascii_only=bool(settings.ascii))
    say(_status(snapshot), *snapshot.problems, _more(selection.lines.height - len(rows)), no_hit)
    return EXIT_PASS


def _records(settings: Settings) -> Snapshot:
    from tui.catalog import snapshot as snapshots

    with Progress() as progress:
        if settings.sample:
            return snapshots.open_sample()
        if settings.data is not None:
            return snapshots.open_path(settings.data, settings, progress)
        kept = snapshots.last_snapshot(settings)
        if kept is not None:
            return kept
        try:
            return snapshots.refresh(settings, None, progress).snapshot
        except (HubError, NoDataError) as error:
            logger.warning("no records: %s", error)
            problem: TrnModelsError = error
    say(problem.title, problem.detail, "The bundled sample is shown instead.")
    return snapshots.open_sample()


def _table(rows: Sequence[tuple[str, ...]], width: int | None) -> str:
    """Columns give way from the right, down to result, model and cores; then texts are cut."""
    for columns in range(len(_HEADERS), 3, -1):
        text = aligned([row[:columns] for row in rows], _AT_RIGHT[:columns])
        if width is None or max(map(cell_width, text.splitlines())) <= width:
            return text
    return aligned([row[:3] for row in rows], _AT_RIGHT[:3], width)


def _cells(line: Mapping[str, Any]) -> tuple[str, ...]:
    raw = json.loads(line["unconverted"]) if line["unconverted"] else {}
    checks = (("CPU run", "cpu_match"), ("judge", "english"))
    answers = [f"{name}: {shown(line[column])}" for name, column in checks if line[column] is not None]
    about = [part for part in (*answers, line["note"]) if part]
    cells = (
        " ".join(part for part in (shown(line["word"]), line["disagree"]) if part),
        shown(line["model_id"]),
        shown(line["tp"], raw.get("tp")),
        shown(None, raw["wall_s"]) if "wall_s" in raw else numbers.duration(line["wall_s"]),
        _memory(line, raw),
        ", ".join(about) or numbers.NOT_RECORDED,
    )
    return tuple(clean(cell) for cell in cells)


def _memory(line: Mapping[str, Any], raw: Mapping[str, str]) -> str:
    peak, capacity = line["hbm_peak_gb"], line["hbm_capacity_gb"]
    if "hbm_peak_gb" in raw:
        return shown(None, raw["hbm_peak_gb"])
    if peak is None:
        return numbers.NOT_RECORDED
    return numbers.gigabytes(peak) + (f"/{numbers.gigabytes(capacity)}" if capacity is not None else "") + " GB"


def _counts(selection: Selection) -> str:
    words = {Verdict.PASS: "PASS", Verdict.FAIL: "FAIL", Verdict.OTHER: "other", Verdict.EXCLUDED: "left out"}
    counted = (f"{numbers.count(selection.counts.get(verdict, 0))} {word}" for verdict, word in words.items())
    models = f"{numbers.count(selection.lines.height)} of {numbers.counted(selection.total, 'model')}"
    return f"{models}; {', '.join(counted)}"


def _status(snapshot: Snapshot) -> str:
    revision = f" @ {snapshot.revision[:7]}" if snapshot.revision else ""
    parts = [f"{snapshot.name}{revision}"]
    if snapshot.checked_at is not None:
        parts.append(f"checked {numbers.age(snapshot.checked_at, datetime.now(UTC))}")
    parts.append(f"tested to {numbers.day(snapshot.newest_test)}")
    return ", ".join(parts)


def _no_hit(selection: Selection, search: str, nearest: str | None) -> str:
    if selection.lines.height or not search.strip():
        return ""
    hint = f"; did you mean {nearest}?" if nearest else ""
    return f"no model has «{search}»{hint}"


def _more(number: int) -> str:
    return f"{numbers.count(number)} more: run trn-models in a terminal" if number > 0 else ""
