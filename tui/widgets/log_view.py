"""A log that grows: only its visible lines are read or drawn; follows the end until somebody scrolls up."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.reactive import var
from textual.selection import Selection
from textual.strip import Strip

from tui.rerun.log_lines import Line, LogLines
from tui.widgets.drawn_bar import DrawnScroll, bar_cell, thumb_of
from tui.widgets.log_line import Looks, matches, style_of, styled, visible_part

_MORE = "›"
_HIT, _GAP, _NOTHING = "hit", "gap", "nothing"
_READ = Binding.Group("read", compact=True)


def _reading(keys: str, action: str, id: str, tooltip: str) -> Binding:
    return Binding(keys, action, show=False, id=f"log.{id}", tooltip=tooltip, group=_READ)


class LogView(DrawnScroll, can_focus=True, inherit_bindings=False):
    """The lines of a `LogLines` that others feed; they call `grew` after it.

    Lines are not wrapped: those that go on beyond the right edge end in a mark there. Nothing is animated. Scrolling
    up stops following, the end of the log starts it again.
    """

    ALLOW_MAXIMIZE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        _reading("j,down", "move(1)", "down", "One line down"),
        _reading("k,up", "move(-1)", "up", "One line up; stops following the end"),
        _reading("pagedown,space", "page(1)", "page_down", "One page down"),
        _reading("pageup", "page(-1)", "page_up", "One page up; stops following the end"),
        _reading("g,home", "first", "first", "To the top"),
        _reading("G,end", "last", "last", "To the end, and follow it"),
        _reading("right", "sideways(8)", "right", "Long lines: further right"),
        _reading("left", "sideways(-8)", "left", "Long lines: back left"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "log-view--match",
        "log-view--current",
        "log-view--current-match",
        "log-view--muted",
    }
    DEFAULT_CSS = """
    LogView {
        width: 1fr;
        height: 1fr;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size: 0 0;
        & > .log-view--match { color: $accent; text-style: bold underline; }
        & > .log-view--current { background: $block-cursor-background; }
        & > .log-view--current-match { color: $background; background: $accent; text-style: bold; }
        & > .log-view--muted { color: $text-muted; }
        &:ansi > .log-view--match { color: ansi_default; }
        &:ansi > .log-view--current { background: ansi_default; }
        &:ansi > .log-view--current-match { color: ansi_default; background: ansi_default; text-style: bold reverse; }
        &:ansi > .log-view--muted { text-style: dim; }
        &:nocolor > .log-view--current-match { text-style: bold reverse; }
    }
    """

    following = var(True)
    """Whether it stays at the end while the log grows. Who watches it is told at once: one frame shows all of a key."""

    def __init__(
        self, lines: LogLines, *, empty_text: str = "", id: str | None = None, classes: str | None = None
    ) -> None:
        """`empty_text` is what is said while there is no line."""
        super().__init__(id=id, classes=classes)
        self._lines = lines
        self._empty_text = empty_text
        self._left = 0
        self._words = ""
        self._hit: int | None = None
        self._gap, self._dropped = lines.gap, lines.dropped
        self._drawn: dict[int, Looks] = {}
        self._strips: LRUCache[Looks, Strip] = LRUCache(512)
        self._styles_of_parts: dict[str, Style] = {}

    def on_mount(self) -> None:
        """Show what was fed before."""
        self.grew()

    # What it shows

    @property
    def lines(self) -> LogLines:
        """The lines that it shows."""
        return self._lines

    def grew(self) -> None:
        """Show what was fed since the last call: at the end when it is followed, else in the same place.

        Only lines that look different are drawn.
        """
        self._keep_place()
        self._take_height()
        before = self.scroll_offset.y
        if self.following:
            self._scroll_to_end()
        if self.scroll_offset.y == before:
            for y, drawn in list(self._drawn.items()):
                if y < self.size.height and self._looks(y) != drawn:
                    self.refresh(Region(0, y, self.size.width, 1))

    def _take_height(self) -> None:
        # Assigned, a new size would lay the screen out and draw all of it again.
        self.set_reactive(LogView.virtual_size, Size(1, len(self._lines)))
        if self.scroll_offset.y > self.max_scroll_y:
            self._scroll_to_end()

    def follow(self) -> None:
        """Go to the end and stay there."""
        self.following = True
        self._scroll_to_end()

    def _keep_place(self) -> None:
        """Lines that were dropped since the last time move up the ones behind them; a reader stays on what he reads."""
        dropped, gap = self._lines.dropped - self._dropped, self._lines.gap
        if not dropped or gap is None:
            return
        moved = dropped - (self._gap is None)
        self._gap, self._dropped = gap, self._lines.dropped
        if self._hit is not None and self._hit >= gap:
            self._hit = self._hit - moved if self._hit - moved > gap else None
        if not self.following and self.scroll_offset.y >= gap:
            self.scroll_to(y=max(self.scroll_offset.y - moved, gap))

    # Searching

    def search(self, words: str) -> bool:
        """Mark `words`, whatever their case, and go to the first line that has them; False when no line does.

        Looks from the first visible line (or the last hit) downwards, then upwards. Empty words end the search.
        """
        start = self.scroll_offset.y if self._hit is None else self._hit
        self._words, self._hit = words, None
        if words:
            hit = self._lines.find(words, start)
            self._hit = self._lines.find(words, start - 1, -1) if hit is None else hit
        self._show_hit()
        return self._hit is not None

    def search_next(self, direction: int = 1) -> bool:
        """Go to the next hit downwards (1) or upwards (-1), and on from the other end; False when there is none."""
        if not self._words:
            return False
        start = self.scroll_offset.y - (direction > 0) if self._hit is None else self._hit
        hit = self._lines.find(self._words, start + direction, direction)
        if hit is None:
            hit = self._lines.find(self._words, 0 if direction > 0 else len(self._lines) - 1, direction)
        self._hit = hit
        self._show_hit()
        return hit is not None

    @property
    def hit(self) -> int | None:
        """The index of the line that the search stands on."""
        return self._hit

    def _show_hit(self) -> None:
        self._forget_lines()
        if self._hit is None:
            return
        if not 0 <= self._hit - self.scroll_offset.y < self.size.height:
            self.scroll_to(y=self._hit - self.size.height // 3)
        text = self._lines[self._hit].text
        found = matches(self._words, text)
        if found:
            start, end = (cell_len(text[:at]) for at in found[0])
            if not self._left <= start <= end <= self._left + self._width:
                self._left = 0 if end <= self._width else max(start - self._width // 3, 0)
        # New lines must not take the hit away.
        self.following = False

    # Moving

    @property
    def _width(self) -> int:
        """Cells for text: one is for the mark of lines that go on, one for the scrollbar."""
        return max(self.size.width - 2, 1)

    def line_count(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow at the end, and only there. Textual's way brings its scrollbar along, which is none of this view."""
        if round(old_value) != round(new_value):
            self.refresh()
        self.following = round(new_value) >= self.max_scroll_y

    def on_resize(self) -> None:
        """Stay at the end when it is followed."""
        if self.following:
            self._scroll_to_end()

    def _scroll_to_end(self) -> None:
        self.scroll_to(y=self.max_scroll_y)

    def action_move(self, lines: int) -> None:
        """Scroll by lines."""
        self.scroll_to(y=self.scroll_offset.y + lines)

    def action_page(self, pages: int) -> None:
        """Scroll by pages, one line of the old page stays."""
        self.action_move(pages * max(1, self.size.height - 1))

    def action_first(self) -> None:
        """To the top."""
        self.scroll_to(y=0)

    def action_last(self) -> None:
        """To the end, and follow it."""
        self.follow()

    def action_sideways(self, cells: int) -> None:
        """Scroll long lines, as far as the longest visible one goes."""
        visible = (self._looks(y).line for y in range(self.size.height))
        longest = max((cell_len(line.text) for line in visible if line), default=0)
        left = max(0, min(self._left + cells, max(longest - self._width, 0)) if cells > 0 else self._left + cells)
        if left != self._left:
            self._left = left
            self.refresh()

    # The scrollbar

    def _thumb(self) -> tuple[int, int]:
        return thumb_of(len(self._lines), self.size.height, self.scroll_offset.y)

    # Drawing

    def _looks(self, y: int) -> Looks:
        """What is to be seen in a line of the window."""
        index = self.scroll_offset.y + y
        line = self._lines[index] if index < len(self._lines) else None
        selection = self.text_selection
        selected = selection.get_span(index) if selection is not None else None
        first, end = self._thumb()
        kind = _HIT if index == self._hit else _GAP if index == self._lines.gap else ""
        if not len(self._lines) and y == 0:
            kind = _NOTHING
        return Looks(line, kind, selected, self._left, self.size.width - 1, first <= y < end)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of the window. They have no border and no padding: what Textual does for these takes longer."""
        background = self.background_colors[1]
        filters = self.app.get_line_filters()
        strips = []
        for y in crop.line_range:
            looks = self._drawn[y] = self._looks(y)
            strip = self._strips.get(looks)
            if strip is None:
                segments = [*self.draw_line(looks), bar_cell(self, background, thumb=looks.thumb)]
                for line_filter in filters:
                    segments = line_filter.apply(segments, background)
                strip = self._strips[looks] = Strip(segments, looks.width + 1)
            strips.append(strip.crop(crop.x, crop.right))
        return strips

    def render_line(self, y: int) -> Strip:
        """One line of the window with the place in the log of each segment: a selection by mouse asks for it."""
        return Strip(self.draw_line(self._looks(y))).apply_offsets(self._left, self.scroll_offset.y + y)

    def draw_line(self, looks: Looks) -> list[Segment]:
        """A line of the window, without its cell of the scrollbar."""
        line, width = looks.line, looks.width
        if line is None:
            text = self._empty_text if looks.kind == _NOTHING else ""
            return [*Strip([Segment(text, self._style("log-view--muted"))]).crop_extend(0, width, self._style())]
        under = self._style("log-view--current" if looks.kind == _HIT else "")
        mark = Segment(_MORE, under + self._style("log-view--muted"))
        # A coloured line of thousands of characters would take as long as a page of others.
        first, last, before = visible_part(line.text, self._left, width)
        if line.text.isascii():
            if last - first > width:
                return [*self._segments(looks, line, first, first + width - 1, under), mark]
            rest = Segment(" " * (width - (last - first)), under)
            return [*self._segments(looks, line, first, last, under), rest]
        strip, start = Strip(self._segments(looks, line, first, last, under)), self._left - before
        if strip.cell_length > start + width:
            return [*strip.crop_extend(start, start + width - 1, under), mark]
        return [*strip.crop_extend(start, start + width, under)]

    def _segments(self, looks: Looks, line: Line, start: int, stop: int, under: Style) -> list[Segment]:
        """The characters of a line from `start` up to `stop`."""
        if looks.kind == _GAP:
            under += self._style("log-view--muted")
        parts = [(first, end, style_of(sgr)) for first, end, sgr in line.spans]
        if self._words:
            match_style = self._style("log-view--current-match" if looks.kind == _HIT else "log-view--match")
            parts += [(first, end, match_style) for first, end in matches(self._words, line.text)]
        if looks.selected is not None:
            first, end = looks.selected
            selected = self.screen.get_component_rich_style("screen--selection")
            parts.append((first, len(line.text) if end == -1 else end, selected))
        return styled(line.text, start, stop, under, parts)

    def _forget_lines(self) -> None:
        """What was drawn holds no longer."""
        self._strips.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        """Forget colours when the theme or the focus changes."""
        super().notify_style_update()
        self._styles_of_parts.clear()
        self._strips.clear()

    def _style(self, name: str = "") -> Style:
        """The style of a part, of the view itself without a name."""
        style = self._styles_of_parts.get(name)
        if style is None:
            if name:
                # A visual style knows no reverse, the one mark that is left without colour.
                style = self.get_visual_style(name).rich_style + self.get_component_styles(name).text_style
            else:
                style = self.rich_style
            self._styles_of_parts[name] = style
        return style

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text under a selection by mouse."""
        return selection.extract("\n".join(self._lines.texts())), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw it."""
        self._forget_lines()
