"""The checklist of a run in words, and all that `run --dry-run` prints."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tui.cli.runs_text import script_in_words
from tui.export import aligned
from tui.host.checklist import Item, Level
from tui.rerun.plan import Kind
from tui.terminal_text import clean

if TYPE_CHECKING:
    from tui.cli.preparing import Ready
    from tui.rerun.preparation import Step


def checklist(ready: Ready) -> list[str]:
    """Lines: the record, script and revision, interpreter, then an item of the checklist in each line."""
    return [*_about(ready), *_items(ready.preparation.fit.items)]


def dry_run(ready: Ready, step: Step) -> str:
    """The page of `--dry-run`, with its last line end: checklist, exact command, environment."""
    lines = [*checklist(ready), "", f"{step.title}: the exact command", f"  {_command(step)}"]
    if step.plan is not None and step.kind is Kind.INSTALL:
        lines.append(f"  pip within it: {clean(step.command)}")
    if step.remark:
        lines.append(f"  ({clean(step.remark)})")
    if step.plan is None and step.command:
        lines.append(f"  It cannot be started here: {clean(step.reason)}")
    environment = step.plan.environment if step.plan is not None else ready.preparation.environment
    if environment:
        lines += ["", "Environment, on top of the inherited one"]
        lines += [f"  {clean(name)}={clean(shlex.quote(value))}" for name, value in environment.items()]
    if step.plan is not None:
        lines += [f"  {clean(name)} is set as well and shown nowhere" for name in step.plan.hidden]
    if step.kind is Kind.RUN and step.command:
        lines.append("  NEURON_RT_VISIBLE_CORES and MASTER_PORT are chosen at the start")
    return "".join(f"{line}\n" for line in lines)


def _command(step: Step) -> str:
    """As it is started, and not the line that a person would type for the same."""
    command = step.command
    if step.plan is not None and step.kind is Kind.INSTALL:
        command = shlex.join(step.plan.argv)
    return clean(command) or clean(step.reason)


def _about(ready: Ready) -> list[str]:
    preparation, wanted = ready.preparation, ready.wanted
    at = f" @ {wanted.revision}" if wanted.revision else ""
    revision = "bundled sample: invented models" if wanted.sample else f"{wanted.dataset}{at}"
    interpreter = ready.here.interpreter
    named = "none was found" if interpreter is None else f"{interpreter.name} ({interpreter.origin})"
    script = script_in_words(preparation.sha256, preparation.recorded_sha256, edited=preparation.edited)
    rows = [
        ("record", ready.told),
        ("dataset", revision),
        ("run.py", f"SHA-256 {script}" if preparation.sha256 else "none"),
        ("Python", named),
    ]
    return [clean(line) for line in aligned(rows, (False, False)).splitlines()]


def _items(items: Iterable[Item]) -> list[str]:
    rows = [(item.level.value, clean(item.name), clean(item.text)) for item in items]
    lines = aligned(rows, (False, False, False)).splitlines() if rows else []
    indent = " " * (2 + max((len(level) for level, _, _ in rows), default=0))
    said: list[str] = []
    for line, item in zip(lines, items, strict=True):
        said.append(line)
        if item.advice and item.level is not Level.OK:
            said.append(f"{indent}{clean(item.advice)}")
    return said
