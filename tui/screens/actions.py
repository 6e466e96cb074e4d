"""Keys that act on the model of the cursor line: copy, write, open, show as plain text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from textual import on
from textual.app import SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.content import Content

from tui.catalog.hub_address import endpoint
from tui.screens.copying import NO_MODEL, Refusal, script_file_name, what_to_copy
from tui.screens.data_screen import DataScreen
from tui.screens.model_detail import ModelDetail
from tui.settings import Settings
from tui.terminal_text import clean
from tui.widgets.copy_request import CopyRequested
from tui.widgets.detail_text import one_line


class RecordActions(DataScreen):
    """What can be done with one model; the screen on top says which one it is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy('script')", "copy run.py", id="copy.script", tooltip="Copy run.py of this record"),
        Binding("n", "copy('cache')", "copy cache command", id="copy.cache", tooltip="Copy: fetch compiled graphs"),
        Binding("i", "copy('install')", "copy install line", id="copy.install", tooltip="Copy the pip install line"),
        Binding("m", "copy('model')", "copy model id", id="copy.model", tooltip="Copy the model id"),
        Binding("e", "copy('error')", "copy error", id="copy.error", tooltip="Copy the whole error"),
        Binding("f", "whole_error", "whole error", id="error", tooltip="Read the whole error"),
        Binding("w", "write_script", "write run.py", id="write", tooltip="Write run.py to a file", priority=True),
        Binding("o", "open_page", "Hub page", id="page", tooltip="Show and copy the address of its Hub page"),
        Binding("right_square_bracket", "another(1)", "next record", id="record.next", tooltip="Another record of it"),
        Binding("left_square_bracket", "another(-1)", "other record", id="record.previous", tooltip="The one before"),
        Binding("p", "plain", "plain text", id="plain", tooltip="Detail as plain text, for selecting"),
    ]  # fmt: skip

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._cache_command_of: str | None = None

    def current_line(self) -> Mapping[str, Any] | None:
        """The line under the cursor."""
        raise NotImplementedError

    @property
    def pane(self) -> ModelDetail:
        """The detail of the line under the cursor."""
        return self.query_one(ModelDetail)

    def action_copy(self, what: str) -> None:
        """Copy one thing of the detail."""
        detail = self.pane.detail
        if what == "cache" and self.pane.bucket is None and detail is not None and detail.record is not None:
            self.pane.want_bucket()
            self._cache_command_of = detail.model_id
            self.tell("Looking for the bucket of compiled graphs …")
            return
        copy = what_to_copy(what, detail)
        if isinstance(copy, Refusal):
            self.refuse(copy.reason)
        else:
            otherwise = "w writes it to a file" if what == "script" else "p shows it as plain text"
            self.post_message(CopyRequested(copy.text, copy.name, otherwise))

    @on(ModelDetail.BucketKnown)
    def _bucket_known(self) -> None:
        """`n` was pressed before it was known; meanwhile the cursor may be on another model."""
        detail, wanted = self.pane.detail, self._cache_command_of
        self._cache_command_of = None
        if wanted is not None and detail is not None and detail.model_id == wanted:
            self.action_copy("cache")

    def action_whole_error(self) -> None:
        """Read the whole error."""
        detail = self.pane.detail
        copy = what_to_copy("error", detail)
        if isinstance(copy, Refusal) or detail is None:
            self.refuse(copy.reason if isinstance(copy, Refusal) else NO_MODEL)
            return
        from tui.screens.dialogs import TextDialog

        body = Content(clean(copy.text, newlines=True))
        self.app.push_screen(TextDialog(f"Error of {detail.model_id}", body, copy.text))

    def action_write_script(self) -> None:
        """Write run.py to a file that the person names; an existing file only after a second Enter."""
        detail = self.pane.detail
        copy = what_to_copy("script", detail)
        if isinstance(copy, Refusal) or detail is None:
            self.refuse(copy.reason if isinstance(copy, Refusal) else NO_MODEL)
            return
        from tui.screens.dialogs import NameDialog
        from tui.screens.file_names import objection

        dialog = NameDialog(f"Write {copy.name} to", script_file_name(detail.model_id), objection)
        self.app.push_screen(dialog, partial(self._write, copy.text))

    def _write(self, script: str, name: str | None) -> None:
        if name is None:
            return
        path = Path(name).expanduser()
        try:
            path.write_bytes(script.encode("utf-8", errors="surrogateescape"))
        except (OSError, UnicodeEncodeError) as error:
            self.tell(f"Not written: {error}", "error")
        else:
            self.tell(f"Wrote {path.absolute()}")

    def action_another(self, step: int) -> None:
        """Show another record of the same model: other cores, another runner, another stack."""
        if not self.pane.show_another(step):
            self.refuse("There is no other record of this model.")

    def action_open_page(self) -> None:
        """Show and copy the page's address; open a browser only where there is a display."""
        line = self.current_line()
        if line is None or not line["model_id"]:
            self.refuse(NO_MODEL)
            return
        if self.showing_sample:
            self.refuse("Sample models are invented: the Hub has no page of them.")
            return
        url = f"{endpoint()}/{quote(line['model_id'])}"
        import webbrowser

        opened = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")) and webbrowser.open(url)
        self.post_message(CopyRequested(url, url + (" (opened in the browser)" if opened else "")))

    def action_plain(self) -> None:
        """Leave the full screen for plain text that the terminal can select."""
        detail = self.pane.detail
        if detail is None:
            self.refuse(NO_MODEL)
            return
        from tui.screens.plain import show_plain

        try:
            with self.app.suspend():
                show_plain(detail)
        except SuspendNotSupported:
            self.refuse("This terminal cannot show plain text in between.")

    def action_problems(self) -> None:
        """What could not be read in the files."""
        troubles = [one_line(error) for error in (self.activity.error, *self.ranking_errors.values()) if error]
        if self.snapshot is not None:
            troubles += [*self.snapshot.problems, *self.snapshot.remarks]
        if not troubles:
            still = "Still reading: what cannot be read is known after that."
            self.refuse(still if self.snapshot is None or self.fetching else "Everything in the files could be read.")
            return
        from tui.screens.dialogs import TextDialog

        text = "\n\n".join(troubles)
        self.app.push_screen(
            TextDialog("What went wrong, and what could not be read", Content(clean(text, newlines=True)), text)
        )

    def action_help(self) -> None:
        """All keys, the signs, and how to select text."""
        from tui.screens.dialogs import TextDialog
        from tui.screens.help_text import help_content

        body = help_content(self)
        self.app.push_screen(TextDialog("trn-models: keys and signs", body, body.plain))
