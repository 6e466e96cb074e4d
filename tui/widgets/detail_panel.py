"""The detail of one model: sections of text and the script, in one scrolling pane."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from tui.widgets import detail_text, long_text
from tui.widgets.detail_text import Detail
from tui.widgets.reading_pane import ReadingPane

SECTIONS = ("heading", "reasons", "fit", "others", "run", "script", "extra", "hub")


class DetailPanel(ReadingPane):
    """Shows a `Detail`; sections without anything to say take no room."""

    def __init__(self, classes: str = "") -> None:
        super().__init__(id="detail", classes=classes)
        self._detail: Detail | None = None
        self._waiting: Detail | None = None
        """What is shown as soon as there is something that can show it."""
        self._script: str | None = None

    def on_mount(self) -> None:
        """One static text a section, in reading order. A start does not wait for them."""
        self.call_after_refresh(self._mount_sections)

    async def _mount_sections(self) -> None:
        sections = [Static(id=f"detail-{name}", classes="section") for name in SECTIONS]
        await self.mount(*sections)
        if self._waiting is not None:
            self.show(self._waiting)

    def show(self, detail: Detail) -> None:
        """Replace what is shown; another model starts at its top."""
        if not self.children:
            self._waiting = detail
            return
        if detail == self._detail:
            return
        if self._detail is None or self._detail.model_id != detail.model_id:
            self.scroll_home(animate=False)
        self._detail = detail
        self._fill("heading", detail_text.heading(detail))
        self._fill("reasons", detail_text.reasons(detail))
        self._fill("fit", detail_text.fit(detail))
        self._fill("others", detail_text.all_records(detail))
        self._fill("run", detail_text.how_to_run(detail))
        self._fill("extra", detail_text.extra_columns(detail))
        self._fill("hub", detail_text.hub_facts(detail))
        script = detail.recipe.script if detail.recipe is not None else None
        if script != self._script:
            self._script = script
            self._draw("script", long_text.script_text(script) if script else Content(""))

    def clear(self) -> None:
        """Nothing is on the cursor line."""
        self._detail = self._waiting = None
        self._script = None
        for section in self.query(".section").results(Static):
            section.update("")
            section.display = False

    @property
    def text(self) -> str:
        """Everything that is shown, as plain text."""
        sections = self.query(".section").results(Static)
        return "\n\n".join(str(section.content) for section in sections if section.display)

    def _fill(self, section: str, content: Content) -> None:
        self._draw(
            section, long_text.shortened(content, "trn-models show has what was read of it", long_text.SECTION_ROOM)
        )

    def _draw(self, section: str, content: Content) -> None:
        static = self.query_one(f"#detail-{section}", Static)
        static.display = bool(content)
        static.update(content)
