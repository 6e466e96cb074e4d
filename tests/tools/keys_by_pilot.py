"""Random keys played to the app without a terminal, and what must hold after each: it lives, and it answers.

The app is the real one, on the sample, with a made-up host, and runs that really start.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import signal
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import fake_hosts
from random_keys import SMALL, Breath, Event, Key, Paste, Resize, Rest, events, sent
from real_terminal import python_without_pip
from screen_pilot import ScreenPilot
from textual._xterm_parser import XTermParser
from textual.geometry import Size
from textual.message import Message

import tui.app
from tui import clipboard
from tui.app import TrnModelsApp
from tui.errors import TrnModelsError
from tui.rerun import identity, members, runs, start
from tui.rerun.plan import Kind
from tui.screens.browse import BrowseScreen
from tui.screens.dialogs import NameDialog, TextDialog
from tui.settings import Settings

HISTORY = 60
"""So many events before a failure are told."""
CHECK_EVERY = 100
NEW_APP_EVERY = 500
WITHIN_S = 60.0


class StuckError(AssertionError):
    """The app died, or does not answer; the text has the events before."""


class Unquit(TrnModelsApp):
    """Notes that it was asked to end, and stays."""

    CSS_PATH = Path(tui.app.__file__).with_name("app.tcss")
    quits = 0

    def exit(self, *_: object, **__: object) -> None:
        self.quits += 1


class Errors(logging.Handler):
    """What the app wrote into its log as a fault of its own."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(logging.Formatter().format(record))


class Player:
    """Plays events to one running app."""

    def __init__(self, app: Unquit, size: tuple[int, int], seen: Counter[str], played: deque[object]) -> None:
        self.app, self.size, self.seen, self.played = app, size, seen, played
        self.pilot = ScreenPilot(app)
        self._parser = XTermParser()

    async def play(self, event: Event) -> None:
        """One event, and all that follows at once."""
        top = self.app.screen
        self.seen[type(top).__name__] += len(event.keys) if isinstance(event, Breath) else 1
        self.played.append((type(top).__name__, self.size, event))
        match event:
            case Resize(width, height):
                self.size = (width, height)
                self.app._driver._size = self.size
                self.app.post_message(_resized(width, height))
            case Rest(seconds):
                await asyncio.sleep(seconds)
            case _ if isinstance(top, NameDialog) and _leads_elsewhere(event):
                return  # a file that is written stays in its folder
            case _:
                self.send(sent(event, self.size))
        await self.at_rest()

    def send(self, text: str) -> None:
        driver = self.app._driver
        for message in self._parser.feed(text):
            driver.process_message(message)

    async def at_rest(self) -> None:
        """What the event brought about is handled, and the app lives."""
        try:
            await asyncio.wait_for(self.pilot._rest(), WITHIN_S)
        except (AssertionError, TimeoutError) as error:
            raise self.stuck(f"it does not come to rest: {error!r}") from error
        if self.app._exception is not None:
            raise self.stuck(f"it died of {self.app._exception!r}") from self.app._exception
        if not self.app._running or self.app._exit:
            raise self.stuck("it ended by itself")

    async def answers(self) -> None:
        """From wherever it is: Esc leads back to the main screen, ? is answered there, and q ends the app."""
        for _ in range(30):
            await self.play(Key("escape"))
            if isinstance(self.app.screen, BrowseScreen):
                break
            await asyncio.sleep(0.01)
        else:
            raise self.stuck(f"Esc does not lead out of {self.app.screen_stack}")
        for _ in range(3):
            await self.play(Key("escape"))
        await self.play(Key("?"))
        await self._until(lambda: isinstance(self.app.screen, TextDialog), "? is not answered")
        await self.play(Key("escape"))
        await self._until(lambda: isinstance(self.app.screen, BrowseScreen), "Esc does not close the help")
        before = self.app.quits
        for _ in range(3):
            await self.play(Key("q"))
        if self.app.quits == before:
            raise self.stuck(f"q does not end it, with the focus on {self.app.focused!r}")

    async def _until(self, condition: Any, otherwise: str) -> None:
        try:
            await self.pilot.until(condition, 10)
        except AssertionError as error:
            raise self.stuck(f"{otherwise}: {self.app.screen_stack}") from error

    def stuck(self, why: str) -> StuckError:
        told = "\n".join(f"  {each}" for each in self.played)
        return StuckError(f"{why}\nafter:\n{told}")


def _resized(width: int, height: int) -> Message:
    from textual import events as of_textual

    return of_textual.Resize(Size(width, height), Size(width, height))


def _leads_elsewhere(event: Event) -> bool:
    match event:
        case Key(name):
            return name in ("slash", "/", "~", ".", "ctrl+v")
        case Breath(keys):
            return bool({*keys} & {"slash", "/", "~", ".", "ctrl+v"})
        case Paste(text):
            return "/" in text
    return False


def starts_at_most(number: int) -> Any:
    """Stands for `start.start`: only runs of run.py start, and so many of them."""
    real, begun = start.start, []

    def limited(settings: Settings, plan: Any) -> Any:
        if plan.kind is not Kind.RUN or len(begun) >= number:
            raise TrnModelsError("Not here", "Enough runs were started.")
        begun.append(plan)
        return real(settings, plan)

    return limited


@contextmanager
def surroundings(folder: Path, runs_at_most: int) -> Iterator[dict[str, Any]]:
    """A folder to write into, a made-up trn2 host, quick runs, no clipboard; the settings for it. All ends with it."""
    here, work = Path.cwd(), folder / "work" / "here"
    work.mkdir(parents=True)
    environ = {"SAMPLE_SECONDS": "1", "PIP_NO_INDEX": "1", "VISUAL": "true", "HF_HUB_OFFLINE": "1"}
    settings = {
        "sample": True, "any_host": True, "python": str(python_without_pip(folder)),
        "host_root": fake_hosts.trn2_3xlarge(folder / "host"),
        "cache_dir": folder / "cache", "state_dir": folder / "state", "config_dir": folder / "config",
    }  # fmt: skip
    os.chdir(work)
    try:
        with (
            patch.dict(os.environ, environ),
            patch.object(start, "start", starts_at_most(runs_at_most)),
            patch.object(clipboard, "copy", lambda *_, **__: clipboard.Copied("copied", True, clipboard.Route.OSC52)),
        ):
            os.environ.pop("DISPLAY", None)
            yield settings
    finally:
        os.chdir(here)
        end_runs(Settings(**settings))


def end_runs(settings: Settings) -> None:
    """Kill what still runs of all runs."""
    for run in runs.every(settings):
        supervisor = run.supervisor if run.supervisor is not None and identity.alive(run.supervisor) else None
        found = members.find(run.token, supervisor.pid if supervisor else None).alive
        if supervisor is not None:
            with suppress(ProcessLookupError):
                os.kill(supervisor.pid, signal.SIGKILL)
        for member in found:
            members.send(member, signal.SIGKILL)


async def play(
    number: int, seed: int, settings: dict[str, Any], sizes: tuple[tuple[int, int], ...] = SMALL
) -> Counter[str]:
    """So many events; how many of them each kind of screen got. Raises `StuckError`."""
    chance = random.Random(seed)
    seen, played = Counter[str](), deque[object](maxlen=HISTORY)
    errors = Errors()
    logging.getLogger("tui").addHandler(errors)
    try:
        while (left := number - seen.total()) > 0:
            more = {"ascii": chance.random() < 0.2, "theme": chance.choice(("dark", "light", "ansi"))}
            size = chance.choice(((80, 24), (120, 40), *sizes))
            app = Unquit(Settings(**settings, **more), search=chance.choice(("", "", "quartz", "nothing-like-it")))
            stuck: StuckError | None = None
            with suppress(BaseException):  # what an app dies of is raised again at the end of the block
                async with app.run_test(size=size, notifications=True):
                    try:
                        await _play_to(Player(app, size, seen, played), min(NEW_APP_EVERY, left), chance, sizes, errors)
                    except StuckError as error:
                        stuck = error
            if stuck is not None:
                raise stuck
    finally:
        logging.getLogger("tui").removeHandler(errors)
    return seen


async def _play_to(
    player: Player, number: int, chance: random.Random, sizes: tuple[tuple[int, int], ...], errors: Errors
) -> None:
    await player.at_rest()
    source, before = events(chance, sizes), player.seen.total()
    checked_at = before
    while player.seen.total() - before < number:
        await player.play(next(source))
        if player.seen.total() - checked_at >= CHECK_EVERY:
            await player.answers()
            checked_at = player.seen.total()
        if errors.told:
            raise player.stuck(f"a fault in the background:\n{errors.told[0]}")
    await player.answers()
