"""Keys that act on the model of the cursor line: copy, write, open, show as plain text."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from textual import work
from textual.app import SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.content import Content

from tui.catalog.hub import endpoint
from tui.screens.copying import Refusal, script_file_name, what_to_copy
from tui.screens.data_screen import DataScreen
from tui.screens.dialogs import NameDialog, TextDialog
from tui.screens.help_text import help_content
from tui.screens.plain import show_plain
from tui.terminal_text import clean
from tui.widgets.copy_request import CopyRequested
from tui.widgets.detail_text import Detail


class RecordActions(DataScreen):
    """What can be done with one model; the screen on top says which one it is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy('script')", "copy run.py", id="copy.script", tooltip="Copy run.py of this record"),
        Binding("n", "copy('cache')", "copy cache command", id="copy.cache", tooltip="Copy: fetch compiled graphs"),
        Binding("i", "copy('install')", "copy install line", id="copy.install", tooltip="Copy the pip install line"),
        Binding("m", "copy('model')", "copy model id", id="copy.model", tooltip="Copy the model id"),
        Binding("e", "copy('error')", "copy error", id="copy.error", tooltip="Copy the whole error"),
        Binding("E", "whole_error", "whole error", id="error", tooltip="Read the whole error"),
        Binding("w", "write_script", "write run.py", id="write", tooltip="Write run.py to a file"),
        Binding("o", "open_page", "Hub page", id="page", tooltip="Show and copy the address of its Hub page"),
        Binding("p", "plain", "plain text", id="plain", tooltip="Detail as plain text, for selecting"),
    ]  # fmt: skip

    def current_line(self) -> Mapping[str, Any] | None:
        """The line under the cursor."""
        raise NotImplementedError

    def current_detail(self) -> Detail | None:
        """The detail of the line under the cursor, long texts included."""
        raise NotImplementedError

    def refuse(self, reason: str) -> None:
        """Say why a key does nothing here."""
        self.notify(clean(reason), severity="warning", markup=False)

    def action_copy(self, what: str) -> None:
        """Copy one thing of the detail."""
        if what == "cache" and self.bucket is None:
            self.want_bucket(then=lambda: self.action_copy("cache"))
            self.notify("Looking for the bucket of compiled graphs …", markup=False)
            return
        copy = what_to_copy(what, self.current_detail())
        if isinstance(copy, Refusal):
            self.refuse(copy.reason)
        else:
            otherwise = "w writes it to a file" if what == "script" else "p shows it as plain text"
            self.post_message(CopyRequested(copy.text, copy.name, otherwise))

    def action_whole_error(self) -> None:
        """Read the whole error."""
        detail = self.current_detail()
        if detail is None or not detail.error:
            self.refuse("No error is recorded for this record.")
            return
        body = Content(clean(detail.error, newlines=True))
        self.app.push_screen(TextDialog(f"Error of {detail.model_id}", body, detail.error))

    @work
    async def action_write_script(self) -> None:
        """Write run.py to a file that the person names; an existing file only after a second Enter."""
        detail = self.current_detail()
        copy = what_to_copy("script", detail)
        if isinstance(copy, Refusal) or detail is None:
            self.refuse(copy.reason if isinstance(copy, Refusal) else "No model is on the cursor line.")
            return
        name = await self.app.push_screen_wait(
            NameDialog(f"Write {copy.name} to", script_file_name(detail.model_id), _objection)
        )
        if name is None:
            return
        path = Path(name).expanduser()
        try:
            path.write_bytes(copy.text.encode("utf-8", errors="surrogateescape"))
        except (OSError, UnicodeEncodeError) as error:
            self.notify(clean(f"Not written: {error}"), severity="error", markup=False)
        else:
            self.notify(clean(f"Wrote {path.absolute()}"), markup=False)

    def action_open_page(self) -> None:
        """Show and copy the page's address; open a browser only where there is a display."""
        line = self.current_line()
        if line is None or not line["model_id"]:
            self.refuse("No model is on the cursor line.")
            return
        url = f"{endpoint()}/{quote(line['model_id'])}"
        opened = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")) and webbrowser.open(url)
        self.post_message(CopyRequested(url, url + (" (opened in the browser)" if opened else "")))

    def action_plain(self) -> None:
        """Leave the full screen for plain text that the terminal can select."""
        detail = self.current_detail()
        if detail is None:
            self.refuse("No model is on the cursor line.")
            return
        try:
            with self.app.suspend():
                show_plain(detail)
        except SuspendNotSupported:
            self.refuse("This terminal cannot show plain text in between.")

    def action_problems(self) -> None:
        """What could not be read in the files."""
        snapshot = self.snapshot
        if snapshot is None or not snapshot.problems:
            self.refuse("Everything in the files could be read.")
            return
        text = "\n\n".join(snapshot.problems)
        self.app.push_screen(TextDialog("What could not be read", Content(clean(text, newlines=True)), text))

    def action_help(self) -> None:
        """All keys, the signs, and how to select text."""
        body = help_content(self)
        self.app.push_screen(TextDialog("trn-models: keys and signs", body, body.plain))


def _objection(name: str) -> str | None:
    path = Path(name).expanduser()
    if path.is_dir():
        return f"{path} is a folder."
    return f"{path} exists." if path.exists() else None
