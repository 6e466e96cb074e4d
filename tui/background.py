"""Work that must not hold up a key, a frame, or the end of the app.

Textual's thread workers run in the event loop's executor, and the interpreter waits for those threads when
it ends. A request to the Hub can be silent for seconds, so the threads here are daemons: nobody waits.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from textual.message import Message
from textual.message_pump import MessagePump

from tui.errors import TrnModelsError

log = logging.getLogger(__name__)


def in_background(
    target: MessagePump,
    work: Callable[[], Message],
    failed: Callable[[TrnModelsError], Message],
    name: str,
) -> threading.Thread:
    """Run `work` in a daemon thread and post its message to `target`; an error is posted as `failed(error)`."""

    def run() -> None:
        try:
            message = work()
        except TrnModelsError as error:
            log.warning("%s: %s", name, error)
            message = failed(error)
        except BaseException as error:  # polars panics are BaseException; a thread reports, it does not die
            log.exception("%s failed", name)
            message = failed(
                TrnModelsError(
                    "Something went wrong inside the app",
                    f"{name}: {type(error).__name__}: {error}",
                    "The log file has the details.",
                )
            )
        deliver(target, message)

    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread


def deliver(target: MessagePump, message: Message) -> None:
    """Post `message` from any thread; when the app has ended meanwhile there is nobody to tell."""
    try:
        target.post_message(message)
    except RuntimeError:
        log.debug("%s came after the end", type(message).__name__)


class OneAtATime:
    """Work in the background of which there is never more than one; what is asked for meanwhile follows it.

    `begin` starts it; whoever gets its message calls `over` first. For the event loop only.
    """

    def __init__(self, begin: Callable[[], object]) -> None:
        self._begin = begin
        self._again = False
        self.busy = False

    def ask(self, *, again: bool = True) -> None:
        """Begin; while it is under way begin once more after it, unless `again` is False."""
        if self.busy:
            self._again = self._again or again
        else:
            self.busy = True
            self._begin()

    def over(self) -> None:
        """Its message has come."""
        self.busy = False
        if self._again:
            self._again = False
            self.ask()
