"""Write a frame to a file, or copy it: the format is chosen first, then the file is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events
from textual.app import App
from textual.message import Message
from textual.notifications import SeverityLevel
from textual.widgets import Input

from tui import numbers
from tui.atomic_file import replacing
from tui.background import in_background
from tui.errors import TrnModelsError
from tui.screens.dialogs import Choice, NameDialog, PickDialog
from tui.screens.file_names import objection
from tui.screens.telling import tell
from tui.widgets.copy_request import CopyRequested
from tui.widgets.detail_text import one_line

if TYPE_CHECKING:
    import polars as pl

FrameOf = Callable[[str], "pl.DataFrame"]
"""A format of `tui.export.FILE_FORMATS` -> what is written in it."""

MANY = 20_000
"""Rows from which on it takes so long that it is said before."""


@dataclass(frozen=True, slots=True)
class Way:
    """A format, how the name of such a file ends, and whether it goes to the clipboard instead."""

    form: str
    ending: str
    copies: bool = False


_NONE_YET = Way("", "")
_MARKDOWN, _CSV, _JSON = Way("markdown", ".md"), Way("csv", ".csv"), Way("json", ".json")
WAYS: tuple[Choice[Way], ...] = (
    Choice(_CSV, "csv", "for a spreadsheet", "file"),
    Choice(_JSON, "json", "one list of objects", "file"),
    Choice(Way("jsonl", ".jsonl"), "jsonl", "an object a line", "file"),
    Choice(Way("parquet", ".parquet"), "parquet", "with its types", "file"),
    Choice(_MARKDOWN, "Markdown", "a table for an issue or a wiki", "file"),
    Choice(Way("markdown", ".md", copies=True), "copy Markdown", "to the clipboard"),
    Choice(Way("csv", ".csv", copies=True), "copy csv", "to the clipboard"),
    Choice(Way("json", ".json", copies=True), "copy json", "to the clipboard"),
)


class ExportDialog(PickDialog[Way]):
    """Choose how, then where; what comes of it is told by the app, also when its screen was left meanwhile."""

    def __init__(
        self, frame: pl.DataFrame | FrameOf, name: str, *, rows: int | None = None, sample: bool = False
    ) -> None:
        """`name` is what the file may be called, without an ending.

        `frame` can be a function that makes what is written in a format; it is called in a thread, and `rows` tells
        then how many there are. With `sample` each row says that it is one.
        """
        self._rows = rows if callable(frame) or rows is not None else frame.height
        what = "Export" if self._rows is None else f"Export {numbers.counted(self._rows, 'line')}"
        super().__init__(f"{what} as", list(WAYS), _NONE_YET)
        self._frame = frame
        self._stem = name
        self._sample = sample

    def taken(self, choice: Choice[Way]) -> None:
        """Copy it, or ask for the name of the file; without a name the format can be chosen again."""
        way = choice.value
        if way.copies:
            self._begin(way, partial(_copied, name=f"{self._what} as {choice.label.removeprefix('copy ')}"))
            return
        dialog = NameDialog(f"Write {choice.label} to", self._stem + way.ending, objection)

        box = self.query_one(".dialog")

        def named(name: str | None) -> None:
            if name is not None:
                self._begin(way, partial(_written, path=Path(name), what=self._what))
                return
            box.visible = True
            self.query_one(Input).focus()

        box.visible = False
        self.app.push_screen(dialog, named)

    @property
    def _what(self) -> str:
        return "the table" if self._rows is None else numbers.counted(self._rows, "line")

    def _begin(self, way: Way, deliver: Callable[[App[object], Callable[[], bytes]], Message]) -> None:
        app = self.app
        if self._rows is not None and self._rows >= MANY:
            tell(app, f"Exporting {self._what} …")

        def data() -> bytes:
            from tui import export

            frame = self._frame(way.form) if callable(self._frame) else self._frame
            return b"".join(export.written(frame, way.form, sample=self._sample))

        def failed(error: TrnModelsError) -> Message:
            return _said(app, one_line(error), "error")

        in_background(app, lambda: deliver(app, data), failed, "export")
        self.dismiss(None)


def _written(app: App[object], data: Callable[[], bytes], *, path: Path, what: str) -> Message:
    """Write it at once or not at all; a link is followed. Says what came of it."""
    content = data()
    try:
        whole = path.expanduser().resolve()
        with replacing(whole) as part:
            part.write_bytes(content)
    except (OSError, RuntimeError, ValueError) as error:  # no such home, a NUL in the name
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return _said(app, f"Not written: {path}: {reason}.", "error")
    return _said(app, f"Wrote {what} to {whole}")


def _copied(_app: App[object], data: Callable[[], bytes], *, name: str) -> Message:
    return CopyRequested(data().decode(), name, "E writes it to a file")


def _said(app: App[object], text: str, severity: SeverityLevel = "information") -> Message:
    return events.Callback(partial(tell, app, text, severity))
