"""Bytes of a log -> clean lines: carriage returns and colours understood, every other escape dropped."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from itertools import groupby

from tui.numbers import count
from tui.rerun import sgr
from tui.rerun.kept_lines import KeptLines, Line, text_of
from tui.terminal_text import clean

__all__ = ["Line", "LogLines"]

_SLICE = 1 << 18
"""Bytes that are looked at at a time, so that a large log does not need its size again several times."""
_TAB_WIDTH = 8
_LONGEST_HELD = 4_096
"""Characters of an escape that may wait for its end in the next bytes."""
_LONGEST_STRING = 1 << 20
"""Characters after which an OSC, DCS or APC without an end is given up and text is shown again."""
_MOST_ROWS_UP = 50
"""How far up a program can change lines again (bars below each other are a few)."""

_SPECIAL = re.compile("[\r\b\t\x1b\x80-\x9f]")
_HARMLESS = re.compile("[ -\u02ff\u0370-\u0482\u2010-\u2027\u2190-\u27bf\u4e00-\u9fff]*")
"""What `clean` leaves as it is where all of it is printable: asking it takes time for each character."""
_STRING_END = re.compile("[\x07\x18\x1a\x1b\x9c]")
_CSI = re.compile(r"([0-?]*)[ -/]*([@-~]?)")
_SHIFT = re.compile(r"[NO\x8e\x8f]([ -~]?)")
_OTHER = re.compile(r"[ -/]*([0-~]?)")
_C1 = {"\x90": "P", "\x98": "X", "\x9b": "[", "\x9d": "]", "\x9e": "^", "\x9f": "_", "\x8e": "N", "\x8f": "O"}
"""Characters that say in one what ESC and a letter say."""


class LogLines:
    """Takes bytes as they come and keeps the lines: all of them up to a limit, then head and tail."""

    def __init__(self, *, head: int = 1_000, tail: int = 50_000, longest: int = 4_000) -> None:
        """Keep the first `head` and the last `tail` lines, each cut after `longest` characters.

        Lines that need much memory (long, coloured, not ASCII) are dropped from the middle earlier: all together take
        some 40 MB at most.
        """
        self._kept = KeptLines(head, tail)
        self._longest = longest
        self._plain = re.compile(rf"(?:[ -~]{{0,{longest}}}+\n)++")
        """Lines to which nothing is to be done: most of a log, and taken in all at once."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._held = ""
        self._string_left = 0

        # The line that is written to, `_up` lines above the last one.
        self._up = 0
        self._text = ""
        self._styles: list[str] = []
        self._column = self._length = 0
        self._style = ""

    def feed(self, data: bytes) -> None:
        """More bytes; a UTF-8 character, an escape or a line may end in the next ones."""
        for start in range(0, len(data), _SLICE):
            self._feed_text(self._decoder.decode(data[start : start + _SLICE]))

    def __len__(self) -> int:
        """Lines that are kept, the unfinished last one and the line that tells of dropped ones included."""
        return len(self._kept)

    def __getitem__(self, index: int) -> Line:
        """A kept line, from 0. Raises `IndexError`."""
        return self._kept[index]

    @property
    def dropped(self) -> int:
        """Lines left out between head and tail."""
        return self._kept.dropped

    @property
    def gap(self) -> int | None:
        """The index of the line that tells of dropped ones; None when there are none."""
        return self._kept.gap

    def texts(self, first: int = 0, end: int | None = None) -> Iterator[str]:
        """The texts of the lines from `first` up to `end` (all when None), without their colours."""
        return self._kept.texts(first, end)

    def find(self, words: str, start: int, direction: int = 1) -> int | None:
        """The index of the next line that has `words` in it, whatever their case; None when there is none.

        Looks from the line `start` itself onwards, downwards (1) or upwards (-1), and does not start over at the end.
        """
        return self._kept.find(words, start, direction)

    # From text to lines

    def _feed_text(self, text: str) -> None:
        text, self._held = self._held + text, ""
        at = 0
        while (end := text.find("\n", at)) >= 0:
            untouched = not (self._length or self._style or self._string_left or self._up)
            if untouched and (plain := self._plain.match(text, at)):
                self._kept.end_with(plain[0][:-1].split("\n"))
                at = plain.end()
                continue
            self._write(text[at:end])
            # A line's end ends an escape too: what has no end must not hide the rest of the log.
            self._held, self._string_left = "", 0
            self._next_line()
            at = end + 1
        if at < len(text):
            self._write(text[at:])
        self._keep()

    def _write(self, text: str) -> None:
        """One line, or a part of it."""
        at = 0
        while at < len(text):
            if self._string_left:
                at = self._skip_string(text, at)
                continue
            special = _SPECIAL.search(text, at)
            stop = special.start() if special else len(text)
            if stop > at:
                self._put(text[at:stop])
            at = stop + 1
            match special[0] if special else "":
                case "\r":
                    self._column = 0
                case "\b":
                    self._column = max(self._column - 1, 0)
                case "\t":
                    self._tab()
                case character if character:
                    at = self._escape(text, stop)

    def _put(self, piece: str) -> None:
        """Text at the column, over what is there."""
        room = max(self._longest - self._column, 0)
        behind = max(len(piece) - room, 0)
        shown = piece[:room]
        if not (shown.isprintable() and _HARMLESS.fullmatch(shown)):
            # Combining marks are counted from the characters before them.
            before = self._text[max(self._column - 3, 0) : self._column]
            shown = clean(before + shown)[len(before) :][:room]
        end = self._column + len(shown)
        if shown:
            before = self._text[: self._column].ljust(self._column)
            if self._style or self._styles:
                self._styles += [""] * (max(len(before), len(self._text)) - len(self._styles))
                self._styles[self._column : end] = [self._style] * len(shown)
            self._text = before + shown + self._text[end:]
        self._column = end + behind
        self._length = max(self._length, self._column)

    def _tab(self) -> None:
        target = (self._column // _TAB_WIDTH + 1) * _TAB_WIDTH
        if target > self._length:
            self._column = self._length
            self._put(" " * (target - self._length))
        self._column = target

    def _erase(self, how: str) -> None:
        """ESC [ K: to the end of the line, with 1 up to the column, with 2 all of it."""
        if how in ("", "0", "2"):
            first = 0 if how == "2" else self._column
            self._text, self._length = self._text[:first], min(self._length, first)
            del self._styles[first:]
        elif how == "1":
            first = min(self._column + 1, len(self._text))
            self._text = " " * first + self._text[first:]
            self._styles[:first] = [""] * min(first, len(self._styles))

    # Escapes

    def _escape(self, text: str, start: int) -> int:
        """Where the text goes on after the escape at `start`; one that may go on in the next bytes is held."""
        body = start + 1
        if text[start] != "\x1b":
            introducer = _C1.get(text[start], "")
        elif body == len(text):
            return self._hold(text, start, body)
        else:
            introducer, body = text[body], body + 1
        match introducer:
            case "":
                return body
            case "[":
                return self._csi(text, start, body)
            case "]" | "P" | "X" | "^" | "_":
                self._string_left = _LONGEST_STRING
                return body
        # SS2 and SS3 are for the one character after them; other escapes have intermediates and a last character.
        other = (_SHIFT if introducer in "NO" else _OTHER).match(text, start if text[start] != "\x1b" else start + 1)
        end = other.end() if other else body
        return self._hold(text, start, end) if end == len(text) and not (other and other[1]) else end

    def _csi(self, text: str, start: int, body: int) -> int:
        found = _CSI.match(text, body)
        assert found is not None
        parameters, final = found[1], found[2]
        if not final:
            return self._hold(text, start, found.end()) if found.end() == len(text) else found.end()
        if final == "m":
            self._style = sgr.after(self._style, parameters) if len(parameters) < _LONGEST_HELD else self._style
        elif final == "K":
            self._erase(parameters)
        elif final == "A" and len(parameters) < 5 and (parameters.isdecimal() or not parameters):
            self._go_up(int(parameters or 1))
        return found.end()

    def _skip_string(self, text: str, at: int) -> int:
        """What belongs to an OSC, DCS, APC, PM or SOS; its end is BEL, ST, CAN, SUB, or the next escape."""
        end = _STRING_END.search(text, at, at + self._string_left)
        if end is None:
            skipped = min(len(text) - at, self._string_left)
            self._string_left -= skipped
            return at + skipped
        if end[0] == "\x1b" and end.end() == len(text):
            return self._hold(text, end.start(), end.end())
        self._string_left = 0
        if end[0] != "\x1b":
            return end.end()
        return end.end() + 1 if text[end.end()] == "\\" else end.start()

    def _hold(self, text: str, start: int, end: int) -> int:
        """Wait for the end of an escape; one that is too long is dropped as far as it is known."""
        if end - start < _LONGEST_HELD:
            self._held = text[start:end]
        return end

    # The line that is written to

    def _keep(self) -> None:
        self._kept.replace(self._up, self._as_entry())

    def _as_entry(self) -> str | Line:
        text = self._text
        if self._length > max(self._longest, len(text)):
            text += f"… {count(self._length - len(text))} characters more"
        if not any(self._styles):
            return text
        spans, first = [], 0
        for style, run in groupby(self._styles):
            end = first + len(list(run))
            if style:
                spans.append((first, end, style))
            first = end
        return Line(text, tuple(spans))

    def _next_line(self) -> None:
        self._keep()
        if self._up:
            self._load(self._up - 1)
        else:
            self._kept.append("")
            self._clear()

    def _go_up(self, rows: int) -> None:
        target = min(self._up + max(rows, 1), self._kept.reachable, _MOST_ROWS_UP)
        if target > self._up:
            column = self._column
            self._keep()
            self._load(target)
            self._column = min(column, len(self._text))

    def _load(self, up: int) -> None:
        """Write to a line again that was written before."""
        entry = self._kept.last(up)
        self._clear()
        self._up = up
        self._text = text_of(entry)[: self._longest]
        self._length = len(self._text)
        if isinstance(entry, Line):
            self._styles = [""] * self._length
            for first, end, style in entry.spans:
                self._styles[first:end] = [style] * (end - first)

    def _clear(self) -> None:
        self._text, self._styles = "", []
        self._column = self._length = self._up = 0
