"""What recipe.json tells of a run beyond how it is started: record, interpreter, host. JSON values only. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tui.catalog.verdict import Record
from tui.host.interpreters import Interpreter
from tui.host.neuron import Host
from tui.rerun.run_environment import separated

if TYPE_CHECKING:
    from tui.rerun.preparation import Changes, Here, Wanted


def about_of(wanted: Wanted, here: Here, overlay: Interpreter | None, changes: Changes) -> dict[str, Any]:
    """`Plan.about`: `record`, `dataset`, `revision`, `sample`, `interpreter`, `overlay`, `host`, `added`.

    `added` is what a person added: `environment` without the values of secrets, `arguments`.
    """
    return {
        "record": _record(wanted.record),
        "dataset": wanted.dataset,
        "revision": wanted.revision,
        "sample": wanted.sample,
        "interpreter": interpreter_values(here.interpreter),
        "overlay": interpreter_values(overlay),
        "host": host_values(here.host),
        "added": {
            "environment": dict(separated(changes.environment).shown),
            "arguments": list(changes.arguments),
        },
    }


def _record(record: Record) -> dict[str, Any]:
    """Every column that has a value; the raw text of one that does not fit its column."""
    values: Mapping[str, Any] = {**record.values, **record.unconverted}
    return {name: _json(value) for name, value in values.items() if value is not None}


def _json(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    # JSON has no NaN and no infinite number.
    return str(value)


def interpreter_values(interpreter: Interpreter | None) -> dict[str, Any] | None:
    """What is told of a Python: `argv`, `version`, `packages`, `prefix`; None for none."""
    if interpreter is None:
        return None
    return {
        "argv": list(interpreter.argv),
        "version": interpreter.version,
        "packages": dict(interpreter.packages),
        "prefix": interpreter.prefix,
    }


def host_values(host: Host) -> dict[str, Any]:
    """What is told of a machine."""
    return {
        "instance_type": host.instance_type,
        "generation": host.generation,
        "driver": host.driver,
        "cores": host.cores,
        "lnc": host.lnc,
    }
