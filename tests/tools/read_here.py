"""Files are read in this process: a child takes a moment to start. Not for files that could end it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable

from tui.catalog import conform, ingest
from tui.process import Finished


def read_in_this_process(set_attribute: Callable[[object, str, object], None]) -> None:
    """Have `ingest` read so; `set_attribute` is `setattr`, or that of a monkeypatch."""
    said = threading.local()

    def run(arguments: list[str], *, on_line: Callable[[str], None], **_: object) -> Finished:
        said.on_line = on_line
        return Finished(conform.main(arguments), "", "")

    set_attribute(ingest, "module_argv", lambda _, *arguments: [str(argument) for argument in arguments])
    set_attribute(ingest, "run_bounded", run)
    set_attribute(conform, "_say", lambda **fact: said.on_line(json.dumps(fact)))
    set_attribute(conform, "_be_modest", lambda: None)
