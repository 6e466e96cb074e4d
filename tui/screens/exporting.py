"""`E`: what is shown, all of it and in its order, as a file or to the clipboard."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import ClassVar

from textual.binding import Binding, BindingType

from tui.catalog.question import View
from tui.screens.header_lines import HeaderLines
from tui.widgets.model_table import STILL_READING


class ExportKeys(HeaderLines):
    """Exports the lines of the view as they are filtered and sorted."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("E", "export", "export", id="export", tooltip="Export what is shown: file or clipboard", priority=True),
    ]

    def action_export(self) -> None:
        """Ask how and where; the lines are those of this moment, also when others come meanwhile."""
        selection = self.selection
        if selection is None:
            self.refuse(STILL_READING)
            return
        if not selection.height:
            self.refuse("Nothing is listed that could be exported.")
            return
        from tui.catalog.lines_told import file_stem, told
        from tui.screens.export_dialog import ExportDialog

        view = self.question.view
        ranking = self.ranking
        sample = ranking.sample if view is not View.SELECTED and ranking is not None else self.showing_sample
        dialog = ExportDialog(
            lambda form: told(selection.lines, form, ranked=view is not View.SELECTED),
            file_stem(view, self.pipeline_tag, datetime.now(UTC)),
            rows=selection.height,
            sample=sample,
        )
        self.app.push_screen(dialog)
