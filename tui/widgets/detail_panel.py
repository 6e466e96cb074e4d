"""The detail of one model: sections of text and the script, of which only the visible lines are drawn.

A widget for each section would have all of it laid out and painted, and the screen with it, whenever a word changes.
"""

from __future__ import annotations

from collections.abc import Hashable

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style as VisualStyle

from tui.widgets import detail_text, estimate_text, long_text
from tui.widgets.detail_lines import DrawnLine, Flow, Section, laid_out
from tui.widgets.detail_text import Detail
from tui.widgets.drawn_bar import DrawnScroll, bar_cell, thumb_of
from tui.widgets.line_scroll import WHEEL_LINES
from tui.widgets.log_line import visible_part
from tui.widgets.reading_pane import READING_KEYS, ReadingKeys

_EDGES = {"solid": "│", "heavy": "┃"}
_BAR = 1
WHEEL_CELLS = 4


class DetailPanel(ReadingKeys, DrawnScroll, can_focus=True, inherit_bindings=False):
    """Shows a `Detail`; sections without anything to say take no room. Nothing is animated."""

    ALLOW_MAXIMIZE = False
    BINDINGS = READING_KEYS

    def __init__(self, classes: str = "") -> None:
        super().__init__(id="detail", classes=classes)
        self._detail: Detail | None = None
        self._sections: list[Section] = []
        self._lines: list[DrawnLine] = []
        self._width = 0
        """Cells for which the lines were laid out last."""
        self._laid_out = False
        self._bodies: dict[Hashable, list[Segment]] = {}
        self._look: Hashable = None

    # What it shows

    def show(self, detail: Detail) -> None:
        """Replace what is shown; another model starts at its top."""
        if detail == self._detail:
            return
        if self._detail is None or self._detail.model_id != detail.model_id:
            self._bodies.clear()
            self.scroll_to(0, 0)
        self._detail = detail
        self._change(_sections_of(detail))

    def clear(self) -> None:
        """Nothing is on the cursor line."""
        self._detail = None
        self._change([])

    def _change(self, sections: list[Section]) -> None:
        """Other sections. A line that says the same as before is not drawn again."""
        self._sections = sections
        self._laid_out = False
        if self.display:
            self._lay_out(self._room)
            self.refresh()
        else:
            self._prepare()

    def _prepare(self) -> None:
        """Have the lines and the looks of the first page for the day when it has the whole screen."""
        screen = self.app.size
        self._lay_out(screen.width - _BAR - 1)
        for index in range(self.scroll_offset.y, min(len(self._lines), self.scroll_offset.y + screen.height)):
            self._body(index)

    @property
    def text(self) -> str:
        """Everything that is shown, as plain text."""
        return "\n\n".join(section.text for section in self._sections)

    # Lines

    @property
    def _room(self) -> int:
        """Cells for text."""
        return self.size.width - _BAR

    def _lay_out(self, width: int) -> None:
        """Have the lines for this width."""
        if width <= 0 or (self._laid_out and width == self._width):
            return
        if width != self._width:
            self._bodies.clear()
        self._width, self._laid_out = width, True
        self._lines = laid_out(self._sections, width)
        longest = max((line.content.cell_length for line in self._lines), default=0)
        # Assigned, a new size would lay the screen out and draw all of it again.
        self.set_reactive(DetailPanel.virtual_size, Size(longest + _BAR, len(self._lines)))
        if self.display:
            self.scroll_to(self.scroll_offset.x, self.scroll_offset.y)

    def on_resize(self) -> None:
        """Its lines are others in another width, and fewer are left below in a higher window."""
        self._lay_out(self._room)
        self.scroll_to(self.scroll_offset.x, self.scroll_offset.y)

    # Moving

    def line_count(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """Draw the lines that are visible now. Textual's way brings its scrollbars along, which are none of this."""
        if round(old_value) != round(new_value):
            self.refresh()

    watch_scroll_y = watch_scroll_x

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel: down, or to the right with Shift or Ctrl."""
        self._wheel(event, WHEEL_LINES, WHEEL_CELLS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel: up, or back left with Shift or Ctrl."""
        self._wheel(event, -WHEEL_LINES, -WHEEL_CELLS)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        """A wheel for long lines."""
        self._wheel(event, 0, WHEEL_CELLS)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        """A wheel for long lines."""
        self._wheel(event, 0, -WHEEL_CELLS)

    def _wheel(self, event: events.MouseEvent, lines: int, cells: int) -> None:
        event.stop()
        if lines and not (event.shift or event.ctrl):
            self.action_move(lines)
        else:
            self.action_sideways(cells)

    # Drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of the window, with the edge at their left and the scrollbar at their right."""
        self._lay_out(self._room)
        self._forget_other_looks()
        top, width = self.scroll_offset.y, self.outer_size.width
        background = self.background_colors[1]
        first, end = thumb_of(len(self._lines), self.size.height, top)
        edge = self._filtered([self._edge()])
        bars = [self._filtered([bar_cell(self, background, thumb=thumb)]) for thumb in (False, True)]
        return [
            Strip([*edge, *self._body(top + y), *bars[first <= y < end]], width).crop(crop.x, crop.right)
            for y in crop.line_range
        ]

    def render_line(self, y: int) -> Strip:
        """One line of the window with the place in the text of each segment: a selection by mouse asks for it."""
        return self._text_of(self.scroll_offset.y + y, places=True)

    def _body(self, index: int) -> list[Segment]:
        """What stands in a line, edge and scrollbar not included."""
        line = self._lines[index] if index < len(self._lines) else DrawnLine(Content(""), 0)
        looks = (
            line.content.plain,
            tuple(line.content.spans),
            self._left if line.is_long else 0,
            (line.number, line.start) if self.text_selection is not None else None,
        )
        body = self._bodies.get(looks)
        if body is None:
            body = self._bodies[looks] = self._filtered(list(self._text_of(index)))
        return body

    @property
    def _left(self) -> int:
        return int(self.scroll_offset.x)

    def _text_of(self, index: int, *, places: bool = False) -> Strip:
        """A line in exactly the cells that there are for text; with `places` for a selection."""
        under = self.visual_style
        blank = under.rich_style
        if index >= len(self._lines):
            return Strip.blank(self._width, blank)
        content, number, start, is_long = self._lines[index]
        left = self._left if is_long else 0
        selection = self.text_selection
        selected = selection.get_span(number) if selection is not None else None
        if selected is not None:
            first, last = (max(place - start, 0) for place in selected)
            style = VisualStyle.from_styles(self.screen.get_component_styles("screen--selection"))
            content = content.stylize(style, first, len(content) if selected[1] == -1 else last)
        if content.cell_length > self._width or left:
            first, last, before = visible_part(content.plain, left, self._width)
            content, start, left = content[first:last], start + first, left - before
        parse = self.app.stylesheet.parse_style
        strip = Strip(
            [
                Segment(text, style.rich_style)
                for text, style in content.render(under, end="", parse_style=parse)
                if text
            ]
        )
        if places:
            strip = strip.apply_offsets(start, number)
        return strip.crop_extend(left, left + self._width, blank)

    def _filtered(self, segments: list[Segment]) -> list[Segment]:
        for each in self.app.get_line_filters():
            segments = each.apply(segments, self.background_colors[1])
        return segments

    def _edge(self) -> Segment:
        """Border and padding of the stylesheet at the left; there are none at the other sides."""
        background = self.background_colors[1]
        kind, colour = self.styles.border_left
        text = _EDGES.get(kind, "").ljust(self.gutter.left)
        return Segment(text, Style.from_color((background + colour).rich_color, background.rich_color))

    def notify_style_update(self) -> None:
        """The theme may be another; by the focus or its place no text in it looks otherwise."""
        super().notify_style_update()
        self._forget_other_looks()

    def _forget_other_looks(self) -> None:
        look = (self.app.theme, self.visual_style, self.app.ansi_color)
        if look != self._look:
            self._look = look
            self._bodies.clear()

    # Selecting with the mouse

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text under a selection by mouse."""
        return selection.extract(self.text), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw it."""
        self._bodies.clear()
        self.refresh()


def _sections_of(detail: Detail) -> list[Section]:
    """What there is to say, in reading order."""
    script = detail.recipe.script if detail.recipe is not None else None
    sections = [
        _section(detail_text.heading(detail)),
        _section(detail_text.reasons(detail)),
        _section(detail_text.fit(detail)),
        _section(detail_text.all_records(detail), Flow.CUT),
        _section(estimate_text.estimate(detail)),
        _section(detail_text.how_to_run(detail)),
        Section(long_text.script_lines(script) if script else (), Flow.LONG),
        _section(detail_text.extra_columns(detail)),
        _section(detail_text.hub_facts(detail)),
    ]
    return [section for section in sections if section.lines]


def _section(content: Content, flow: Flow = Flow.WRAP) -> Section:
    if not content:
        return Section(())
    text = long_text.shortened(content, "trn-models show has what was read of it", long_text.SECTION_ROOM)
    return Section(text.split(allow_blank=True), flow)
