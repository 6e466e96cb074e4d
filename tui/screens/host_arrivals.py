"""What is found out about this machine in the background, as messages."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message
from textual.message_pump import MessagePump

from tui.background import in_background
from tui.errors import TrnModelsError
from tui.settings import Settings

if TYPE_CHECKING:
    from tui.host.interpreters import Interpreter
    from tui.host.neuron import Host


@dataclass
class HostArrived(Message):
    """The devices, as they are now."""

    host: Host


@dataclass
class InterpretersArrived(Message):
    """The Pythons of this machine, asked for their packages."""

    interpreters: tuple[Interpreter, ...]


@dataclass
class LookFailed(Message):
    """This machine could not be looked at."""

    error: TrnModelsError


def bring_host(target: MessagePump, settings: Settings) -> None:
    """Look at the Neuron devices and at who holds them."""

    def work() -> Message:
        from tui.host.neuron import Roots, look

        return HostArrived(look(Roots.below(settings.host_root), os.environ))

    in_background(target, work, LookFailed, "looking at the Neuron devices")


def bring_interpreters(target: MessagePump, settings: Settings, libraries: Collection[str]) -> None:
    """Ask the Pythons of this machine what they have; `libraries` are asked for besides the usual packages."""

    def work() -> Message:
        from tui.rerun.this_machine import interpreters_here

        return InterpretersArrived(interpreters_here(settings, os.environ, libraries))

    in_background(target, work, LookFailed, "asking the Pythons of this machine")
