"""The Textual app: theme, global keys, copying, and an end that nothing can hold up."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, ClassVar, NoReturn

from textual import events, on
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.filter import LineFilter
from textual.message import Message
from textual.notifications import SeverityLevel

from tui import ascii_filter, hang_up, log_file, safe_filter
from tui.background import in_background
from tui.errors import EXIT_INTERNAL, EXIT_PASS
from tui.screens.browse import BrowseScreen
from tui.screens.remembering import remember
from tui.settings import Settings
from tui.terminal_driver import TerminalDriver
from tui.terminal_text import clean
from tui.themes import THEMES, chosen
from tui.widgets.copy_request import CopyRequested

if TYPE_CHECKING:
    from tui.clipboard import Copied

log = logging.getLogger(__name__)

COLLECT_GARBAGE_AFTER_S = 1.0
"""A start is shorter by a tenth without garbage collection (`cli.app_command` switches it off)."""

QUIT_WITHIN_S = 2.0
"""After a request to quit Ctrl+C must be pressed again within this time."""

SCREEN_WITHIN_S = 2.0
"""A key waits no longer for the screen that it is for."""


@dataclass
class CopyEnded(Message):
    """A copy went out, or could not."""

    name: str
    copied: Copied


class TrnModelsApp(App[int]):
    """Opens the main screen as soon as the first frame is drawn."""

    TITLE = "trn-models"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "quit", show=False, priority=True, id="app.quit"),
        Binding("ctrl+c", "ask_to_quit", "copy", show=False, system=True, id="app.ask_to_quit"),
        Binding("ctrl+z", "suspend_to_shell", "suspend", show=False, priority=True, id="app.suspend"),
        Binding("ctrl+l", "redraw", "draw anew", show=False, priority=True, id="app.redraw"),
    ]

    def __init__(self, settings: Settings, search: str = "", model: str = "") -> None:
        super().__init__(ansi_color=True if os.environ.get("NO_COLOR") else None)
        self.animation_level = "none"
        self.settings = settings
        self._search, self._model = search, model
        self._quit_asked_at = float("-inf")
        self.last_words = ""
        self._walls: list[LineFilter] = [safe_filter.SafeFilter()]
        if ascii_filter.wanted_here(settings):
            self._walls.append(ascii_filter.AsciiFilter())
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = chosen(settings, os.environ, self.console.color_system)

    def get_default_screen(self) -> BrowseScreen:
        """The main screen. What it needs polars for comes after its first frame."""
        return BrowseScreen(self.settings, self._search, self._model)

    def on_mount(self) -> None:
        """Watch for signals; the rest of a start is the main screen's."""
        self.set_timer(COLLECT_GARBAGE_AFTER_S, _collect_garbage)
        loop = asyncio.get_running_loop()
        in_terminal = self._driver is not None and not self._driver.is_headless
        hang_up.watch(lambda code: self._leave(loop, code), self._restore_terminal, terminal=in_terminal)
        self.theme_changed_signal.subscribe(self, lambda theme: self._remember_theme(theme.name))

    def get_driver_class(self) -> type[Driver]:
        """Textual's choice; where it is the one of a terminal, one that sends less."""
        chosen_class = super().get_driver_class()
        return TerminalDriver if chosen_class is LinuxDriver else chosen_class

    async def on_event(self, event: events.Event) -> None:
        """A key or a click is for the screen that those before it opened, once that has its parts."""
        if isinstance(event, (events.InputEvent, events.Paste)) and self.screen_stack:
            if self._exit:
                return  # it was typed behind the key that ends the app
            with suppress(TimeoutError):
                await asyncio.wait_for(self.screen._mounted_event.wait(), SCREEN_WITHIN_S)
        await super().on_event(event)

    @on(events.Resize)
    def _terminal_was_resized(self, event: events.Resize) -> None:
        if isinstance(self._driver, TerminalDriver):
            self._driver.draw_anew(*event.size)
        self.call_after_refresh(self._focus_again)
        if self.screen_stack and self.screen.outer_size == event.size:
            self.refresh()  # it was another for a moment: Textual sees nothing to draw

    def _focus_again(self) -> None:
        """What had the focus lost it in a window without room for it; without one, keys of lists and texts are dead."""
        screen = self.screen
        if screen.focused is None and screen.AUTO_FOCUS:
            screen.set_focus(next((each for each in screen.query(screen.AUTO_FOCUS) if each.focusable), None))

    def action_redraw(self) -> None:
        """Draw the whole screen again, over what another program has written on the terminal."""
        if isinstance(self._driver, TerminalDriver):
            self._driver.draw_anew(*self.size)
        self.refresh()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's filters, the wall against control characters, and ASCII where the terminal has nothing else."""
        return [*super().get_line_filters(), *self._walls]

    def action_command_palette(self) -> None:
        """Every command by name."""
        from tui.commands import providers
        from tui.screens.palette import Palette

        self.COMMANDS = providers(models=isinstance(self.screen, BrowseScreen))  # type: ignore[assignment,misc]
        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(id="--command-palette"))

    def clear_notifications(self) -> None:
        """Take what was said off the screen. Textual would keep the empty box of each toast as long as the app runs."""
        super().clear_notifications()
        if self.screen_stack:
            self.screen.query("ToastHolder").remove()

    # Copying: one way for every copy, Textual's own included

    def copy_to_clipboard(self, text: str) -> None:
        """What Textual calls for a selection, also for one that has no text in it."""
        if text:
            self.post_message(CopyRequested(text, "the selection"))
        else:
            self.action_ask_to_quit()

    @on(CopyRequested)
    def _copy(self, event: CopyRequested) -> None:
        """Copy and say what is known of its arrival; tmux and display tools may take a moment."""
        from tui import clipboard

        self._clipboard = event.text
        driver = self._driver
        if driver is None:
            return

        def work() -> CopyEnded:
            around = clipboard.look_around(os.environ, self.settings.osc52_limit)
            return CopyEnded(event.name, clipboard.copy(event.text, driver.write, around, event.otherwise))

        in_background(self, work, lambda error: CopyEnded(event.name, clipboard.Copied(error.title, False)), "copying")

    @on(CopyEnded)
    def _copy_ended(self, event: CopyEnded) -> None:
        severity: SeverityLevel = "information" if event.copied.ok else "warning"
        self.notify(clean(f"{event.name}: {event.copied.said}"), severity=severity, markup=False)

    def action_ask_to_quit(self) -> None:
        """Ctrl+C without a selection (Textual's screens copy one): a second one quits."""
        if monotonic() - self._quit_asked_at < QUIT_WITHIN_S:
            self.exit(EXIT_PASS)
        else:
            self._quit_asked_at = monotonic()
            self.notify("Ctrl+C again quits (or q).", markup=False, timeout=QUIT_WITHIN_S)

    def action_suspend_to_shell(self) -> None:
        """Ctrl+Z, where a shell waits that can bring the app back."""
        from tui.job_control import shell_can_resume

        if shell_can_resume():
            self.action_suspend_process()
        else:
            self.notify("No shell here could bring the app back.", severity="warning", markup=False)

    # The end

    def _handle_exception(self, error: Exception) -> None:
        """What is just being opened when the app is told to end finds its parts gone: that is no reason to end."""
        if self._exit:
            log.warning("an error while the app ended", exc_info=error)
        else:
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """Textual shows a traceback here; the log file is the place for it."""
        log.critical("the app ended with an error", exc_info=True)
        file = log_file.path(self.settings)
        told = f"The log has it all: {file}" if log_file.is_open() else f"No log could be written: {file}"
        self.last_words = f"trn-models ended with an internal error.\n{told}"
        self._return_code = EXIT_INTERNAL
        self._close_messages_no_wait()

    def _leave(self, loop: asyncio.AbstractEventLoop, code: int) -> None:
        with suppress(RuntimeError):  # the loop has ended already
            loop.call_soon_threadsafe(self.exit, code)

    def _restore_terminal(self) -> None:
        if isinstance(self._driver, TerminalDriver):
            self._driver.restore_at_once()

    def _remember_theme(self, name: str) -> None:
        if name in THEMES:
            remember(self, self.settings, theme=name)


def _collect_garbage() -> None:
    """From now on. What a start has loaded stays to the end: looking through it again and again would hold up keys."""
    gc.freeze()
    gc.enable()


def run(settings: Settings, search: str = "", model: str = "") -> NoReturn:
    """Run the app in this terminal, on the model with the id `model` if one is named, and end with its exit code.

    Threads that still wait for the Hub are not waited for, and no record is given back one by one: the process ends
    under them.
    """
    app = TrnModelsApp(settings, search, model)
    code = app.run()
    if app.last_words and sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"{clean(app.last_words, newlines=True)}\n")
            sys.stderr.flush()
    if code is None:
        code = app.return_code or EXIT_PASS
    logging.shutdown()
    with suppress(OSError):  # the terminal may be gone
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)
