"""A log that grows: only its visible lines are read or drawn; follows the end until somebody scrolls up."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from rich.cells import cell_len, get_character_cell_size
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from tui.rerun.log_lines import Line, LogLines

_MORE = "›"
_ATTRIBUTES = {"1": "bold", "2": "dim", "3": "italic", "4": "underline", "7": "reverse", "9": "strike"}
_READ = Binding.Group("read", compact=True)


def _reading(keys: str, action: str, id: str, tooltip: str) -> Binding:
    return Binding(keys, action, show=False, id=f"log.{id}", tooltip=tooltip, group=_READ)


class LogView(ScrollView, can_focus=True, inherit_bindings=False):
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
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
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

    @dataclass
    class Followed(Message):
        """Following the end began or stopped."""

        view: LogView
        following: bool

        @property
        def control(self) -> LogView:
            """The view, for `@on` with a selector."""
            return self.view

    def __init__(
        self, lines: LogLines, *, empty_text: str = "", id: str | None = None, classes: str | None = None
    ) -> None:
        """`empty_text` is what is said while there is no line."""
        super().__init__(id=id, classes=classes)
        self._lines = lines
        self._empty_text = empty_text
        self._following = True
        self._left = 0
        self._words = ""
        self._hit: int | None = None
        self._gap, self._dropped = lines.gap, lines.dropped
        self._drawn: dict[int, Line | None] = {}

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
        if self._following:
            self._scroll_to_end()
        if self.scroll_offset.y == before:
            for y, drawn in list(self._drawn.items()):
                if y < self.size.height and self._line_at(y) != drawn:
                    self.refresh(Region(0, y, self.size.width, 1))

    def _take_height(self) -> None:
        size = Size(1, len(self._lines))
        if self.show_vertical_scrollbar and size.height > self.size.height:
            # Assigned, a new size would lay the screen out and draw all of it again, though only the scrollbar changes.
            self.set_reactive(LogView.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = size.height
            if self.scroll_offset.y > self.max_scroll_y:
                self._scroll_to_end()
        else:
            self.virtual_size = size

    @property
    def following(self) -> bool:
        """Whether it stays at the end while the log grows."""
        return self._following

    def follow(self) -> None:
        """Go to the end and stay there."""
        self._set_following(True)
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
        if not self._following and self.scroll_offset.y >= gap:
            self.scroll_to(y=max(self.scroll_offset.y - moved, gap))

    def _set_following(self, following: bool) -> None:
        if following != self._following:
            self._following = following
            self.post_message(self.Followed(self, following))

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
        self.refresh()
        if self._hit is None:
            return
        if not 0 <= self._hit - self.scroll_offset.y < self.size.height:
            self.scroll_to(y=self._hit - self.size.height // 3)
        text = self._lines[self._hit].text
        found = self._matches(text)
        if found:
            start, end = (cell_len(text[:at]) for at in found[0])
            if not self._left <= start <= end <= self._left + self._width:
                self._left = 0 if end <= self._width else max(start - self._width // 3, 0)
        # New lines must not take the hit away.
        self._set_following(False)

    def _matches(self, text: str) -> list[tuple[int, int]]:
        pattern = _pattern(self._words) if self._words else None
        return [match.span() for match in pattern.finditer(text)] if pattern else []

    # Moving

    @property
    def _width(self) -> int:
        """Cells for text; the last one is for the mark of lines that go on."""
        return max(self.scrollable_content_region.width - 1, 1)

    def scroll_to(
        self, x: float | None = None, y: float | None = None, *, animate: bool = False, **options: Any
    ) -> None:
        """Scroll at once: keys, wheel and scrollbar come through here, and nothing is animated."""
        if self.is_attached:
            super().scroll_to(x, y, **{**options, "animate": False, "force": True})

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow at the end, and only there."""
        super().watch_scroll_y(old_value, new_value)
        self._set_following(round(new_value) >= self.max_scroll_y)

    def on_resize(self) -> None:
        """Stay at the end when it is followed."""
        if self._following:
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
        visible = (self._line_at(y) for y in range(self.size.height))
        longest = max((cell_len(line.text) for line in visible if line), default=0)
        left = max(0, min(self._left + cells, max(longest - self._width, 0)) if cells > 0 else self._left + cells)
        if left != self._left:
            self._left = left
            self.refresh()

    # Drawing

    def _line_at(self, y: int) -> Line | None:
        index = self.scroll_offset.y + y
        return self._lines[index] if index < len(self._lines) else None

    def render_line(self, y: int) -> Strip:
        """One line of the window."""
        width = self.scrollable_content_region.width
        index = self.scroll_offset.y + y
        line = self._drawn[y] = self._line_at(y)
        if line is None:
            text = self._empty_text if y == 0 and not len(self._lines) else ""
            strip = Strip([Segment(text, self._style("log-view--muted"))])
            return strip.crop_extend(0, width, self.rich_style)
        # A coloured line of thousands of characters would take as long as a page of others.
        first, last, before = _visible_part(line.text, self._left, width)
        under = self._style("log-view--current") if index == self._hit else self.rich_style
        drawn = self._text(index, line, first, last)
        # A text without spans is rendered without its own style.
        strip = Strip(drawn.render(self.app.console)).apply_style(under)
        start, end = self._left - before, self._left - before + width
        if strip.cell_length > end:
            mark = Strip([Segment(_MORE, under + self._style("log-view--muted"))])
            strip = Strip.join([strip.crop_extend(start, end - 1, under), mark])
        else:
            strip = strip.crop_extend(start, end, under)
        return strip.apply_offsets(self._left, index)

    def _text(self, index: int, line: Line, start: int, stop: int) -> Text:
        """The characters of a line from `start` up to `stop`."""
        at_hit = index == self._hit
        under = self._style("log-view--current") if at_hit else self.rich_style
        muted = index == self._lines.gap
        text = Text(line.text[start:stop], self._style("log-view--muted") if muted else under, no_wrap=True, end="")
        parts = [(first, end, style_of(sgr)) for first, end, sgr in line.spans if first < stop and end > start]
        if self._words:
            match_style = self._style("log-view--current-match" if at_hit else "log-view--match")
            parts += [(first, end, match_style) for first, end in self._matches(line.text)]
        selection = self.text_selection
        span = selection.get_span(index) if selection is not None else None
        if span is not None:
            first, end = span
            selected = self.screen.get_component_rich_style("screen--selection")
            parts.append((first, len(line.text) if end == -1 else end, selected))
        for first, end, style in parts:
            if first < stop and end > start:
                text.stylize(style, max(first - start, 0), end - start)
        return text

    def _style(self, name: str) -> Style:
        # A visual style knows no reverse, the one mark that is left without colour.
        return self.get_visual_style(name).rich_style + self.get_component_styles(name).text_style

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text under a selection by mouse."""
        return selection.extract("\n".join(self._lines.texts())), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw it."""
        self.refresh()


def _visible_part(text: str, left: int, width: int) -> tuple[int, int, int]:
    """The characters that `width` cells from the cell `left` on show, one more if there is; and the cells before."""
    if text.isascii():
        first = min(left, len(text))
        return first, min(left + width + 1, len(text)), first
    first = before = cells = 0
    for at, character in enumerate(text):
        if cells <= left:
            first, before = at, cells
        if cells > left + width:
            return first, at, before
        cells += get_character_cell_size(character)
    return first, len(text), before


@lru_cache(16)
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(re.escape(words), re.IGNORECASE)


@lru_cache(1024)
def style_of(sgr: str) -> Style:
    """The style that SGR parameters of a `Line` ask for, such as `1;31` or `38;2;255;0;0`."""
    codes = iter(sgr.split(";"))
    style: dict[str, Any] = {}
    for code in codes:
        if code in _ATTRIBUTES:
            style[_ATTRIBUTES[code]] = True
            continue
        number = int(code)
        name = "bgcolor" if (number // 10) % 10 in (4, 0) else "color"
        if number in (38, 48):
            if next(codes) == "5":
                style[name] = Color.from_ansi(int(next(codes)))
            else:
                style[name] = Color.from_rgb(*(int(next(codes)) for _ in range(3)))
        else:
            style[name] = Color.from_ansi(number % 10 + (8 if number >= 90 else 0))
    return Style(**style)
