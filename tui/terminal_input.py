"""What comes from the terminal, byte by byte: nothing that can be typed, pasted or sent by it ends the app."""

from __future__ import annotations

import codecs
import logging
import os
import select
import threading
from collections.abc import Callable

from textual._xterm_parser import XTermParser
from textual.message import Message

log = logging.getLogger(__name__)

_LOOK_EVERY_S = 0.1
"""For the end, and for an Esc that nothing follows."""
_AT_ONCE_BYTES = 4096


def read_until(ended: threading.Event, fileno: int, heard: Callable[[Message], None]) -> bool:
    """Tell `heard` of every key, click and answer until the app has `ended`; False when the terminal is gone.

    Bytes that are no UTF-8 (a keyboard or mouse of another encoding) become replacement characters.
    """
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    parser = XTermParser()
    poll = select.poll()
    poll.register(fileno, select.POLLIN)
    while not ended.is_set():
        text = ""
        if poll.poll(_LOOK_EVERY_S * 1000):
            try:
                data = os.read(fileno, _AT_ONCE_BYTES)
            except OSError:
                return False
            if not data:
                return False
            text = decode(data)
        try:
            for message in parser.feed(text) if text else parser.tick():
                heard(message)
        except Exception:
            # Whatever a terminal sends: what comes after it is understood again.
            log.warning("%d characters from the terminal were not understood", len(text), exc_info=True)
            parser = XTermParser()
    return True
