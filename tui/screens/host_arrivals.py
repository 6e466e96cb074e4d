"""What is found out about this machine in the background, as messages."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
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
    """The devices, as they are now; `taken` is device index -> id of the run of ours that has it."""

    host: Host
    taken: Mapping[int, int] = field(default_factory=dict)


@dataclass
class InterpretersArrived(Message):
    """The Pythons of this machine, asked for their packages."""

    interpreters: tuple[Interpreter, ...]


@dataclass
class LookFailed(Message):
    """The devices could not be looked at."""

    error: TrnModelsError


@dataclass
class AskFailed(Message):
    """The Pythons could not be asked."""

    error: TrnModelsError


def bring_host(target: MessagePump, settings: Settings) -> None:
    """Look at the Neuron devices, at who holds them, and at which of them runs of ours have."""

    def work() -> Message:
        from tui.host.neuron import look_at
        from tui.rerun import holding, runs

        # The runs last: one that began meanwhile has its devices in its state before neuron-ls shows them.
        host = look_at(settings, os.environ)
        return HostArrived(host, holding.taken(runs.every(settings)))

    in_background(target, work, LookFailed, "looking at the Neuron devices")


def bring_interpreters(target: MessagePump, settings: Settings, libraries: Collection[str]) -> None:
    """Ask the Pythons of this machine what they have; `libraries` are asked for besides the usual packages."""

    def work() -> Message:
        from tui.rerun.this_machine import interpreters_here

        return InterpretersArrived(interpreters_here(settings, os.environ, libraries))

    in_background(target, work, AskFailed, "asking the Pythons of this machine")
