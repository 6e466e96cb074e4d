"""How a run comes to its devices: at once, by waiting for its turn, or not at all."""

from __future__ import annotations

import errno
import logging
import os
import random
import socket
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from tui.errors import TrnModelsError
from tui.host import neuron
from tui.host.neuron import Host
from tui.rerun import devices, holding, place, run_files, runs
from tui.rerun.devices import Allocation
from tui.rerun.plan import Plan
from tui.rerun.run import Run, State
from tui.rerun.run_reading import STATE
from tui.rerun.secret_values import masked_line
from tui.rerun.timing import Timing
from tui.settings import Settings

log = logging.getLogger(__name__)

_UNDECIDED_S = 120.0
"""Longer than the look at the devices of a run that came earlier can take."""

# 29500 is what torchrun takes by default; from 32768 on Linux gives ports to outgoing connections.
_PORTS = range(29_501, 32_768)
_NO_IPV6 = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)


@dataclass(frozen=True, slots=True)
class Granted:
    """What a run was given."""

    allocation: Allocation
    master_port: int | None
    """Free at the time, and no other run's of this user; None when there was none."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a run gets no devices."""

    reason: str


@dataclass(frozen=True, slots=True)
class _Busy:
    """Not now; `others` are the runs whose change is worth another attempt."""

    reason: str
    others: tuple[Run, ...] = ()
    undecided: bool = False
    """An earlier run is about to take devices, or to wait for them; which of both is not known yet."""


class Turn:
    """The way of one run to its devices. Attempts are made in a thread: the lock and neuron-ls take their time."""

    def __init__(self, run: Run, plan: Plan, settings: Settings, timing: Timing, update: Callable[..., None]) -> None:
        """`update` writes fields of the run's state.json, and a sign of life."""
        self._run, self._plan, self._settings, self._timing, self._update = run, plan, settings, timing, update
        self._host: Host | None = None
        self._looked_at = float("-inf")

    def come(self, wait: Callable[[float], object], stop_asked: Callable[[], bool]) -> Granted | Refused | None:
        """Devices, or why there are none; None when a stop was asked for. `wait` may return early.

        What is granted stands in state.json before any other run can be given it.
        """
        undecided_until = time.monotonic() + _UNDECIDED_S
        while True:
            answer = self._attempt_in_thread(wait, stop_asked)
            if not isinstance(answer, _Busy):
                return answer
            if not self._plan.queue and not (answer.undecided and time.monotonic() < undecided_until):
                return Refused(answer.reason)
            self._update(waiting_for=answer.reason)
            again_at = time.monotonic() + self._timing.devices_s
            while time.monotonic() < again_at and not _changed(answer.others):
                wait(min(self._timing.own_runs_s, again_at - time.monotonic()))
                if stop_asked():
                    return None
                self._update()

    def _attempt_in_thread(
        self, wait: Callable[[float], object], stop_asked: Callable[[], bool]
    ) -> Granted | Refused | _Busy | None:
        answers: list[Granted | Refused | _Busy] = []
        thread = threading.Thread(target=lambda: answers.append(self._attempt()), name="devices", daemon=True)
        thread.start()
        begun = beat_at = time.monotonic()
        while thread.is_alive():
            # The end of a thread ends no wait: at first it is looked at often.
            wait(0.02 if time.monotonic() - begun < 2 else 0.2)
            if stop_asked():
                return None
            if time.monotonic() - beat_at >= self._timing.own_runs_s:
                beat_at = time.monotonic()
                self._update()
        return answers[0] if answers else Refused("The look at the devices failed; supervisor.log tells more.")

    def _attempt(self) -> Granted | Refused | _Busy:
        looked = False
        try:
            while True:
                # Before the lock: neuron-ls can take more than a minute when the driver hangs.
                if not looked and not _earlier(self._run, self._others()):
                    self._look()
                    looked = True
                with devices.locked(self._settings):
                    if runs.is_over(self._run.folder):
                        return Refused("its start was given up before")
                    others = self._others()
                    if earlier := _earlier(self._run, others):
                        undecided = any(not other.waiting_for for other in earlier)
                        return _Busy(f"{_names(earlier)} came first", earlier, undecided)
                    if looked:
                        return self._give(others)
        except TrnModelsError as error:
            return _Busy(str(error).replace("\n", " "))

    def _others(self) -> tuple[Run, ...]:
        """The other runs on this machine; one whose state.json is just being written anew may have devices."""
        found = []
        for other in runs.every(self._settings):
            if other.id != self._run.id and place.shares_devices(other.on_host, other.supervisor):
                try:
                    found.append(runs.settled(other))
                except TrnModelsError:
                    # Its folder was deleted.
                    continue
        return tuple(found)

    def _give(self, others: tuple[Run, ...]) -> Granted | Refused | _Busy:
        plan, host = self._plan, self._host
        assert host is not None
        taken = holding.taken(others)
        answer = devices.allocate(host, plan.cores, taken, any_host=plan.any_host)
        if isinstance(answer, str):
            empty = replace(host, devices=tuple(replace(device, holders=()) for device in host.devices))
            if isinstance(never := devices.allocate(empty, plan.cores, (), any_host=plan.any_host), str):
                return Refused(never)
            return _Busy(answer, tuple(other for other in others if other.live))
        port = _free_port({_master_port(other) for other in others if other.live})
        self._update(
            devices=[*answer.devices],
            cores=[*answer.cores],
            visible_cores=answer.visible_cores,
            master_port=port,
            waiting_for="",
        )
        return Granted(answer, port)

    def _look(self) -> None:
        """As the devices are, or were at most `devices_s` ago: neuron-ls is not for every second."""
        if self._host is None or time.monotonic() - self._looked_at >= self._timing.devices_s:
            self._host = neuron.look_at(self._settings, os.environ)
            self._looked_at = time.monotonic()


def still_held(
    settings: Settings,
    its_devices: Collection[int],
    environ: Mapping[str, str],
    within_s: float,
    wait: Callable[[float], object] = time.sleep,
) -> str:
    """Who has the devices of a run of which nothing is left; empty when nobody has, or it had none. Raises nothing.

    Looks for `within_s` seconds at most: a neuron-ls that hangs is left alone then. `wait` is called meanwhile.
    """
    if not its_devices:
        return ""
    answers: list[Host] = []
    # What it starts ends with the thread, and that with this process.
    thread = threading.Thread(
        target=lambda: answers.append(neuron.look_at(settings, environ)), name="devices afterwards", daemon=True
    )
    thread.start()
    until = time.monotonic() + within_s
    while thread.is_alive() and (remaining := until - time.monotonic()) > 0:
        wait(min(0.05, remaining))
    if not answers:
        return f"whether its devices are free is not known: no answer within {within_s:g} s"
    said = []
    for device in answers[0].devices:
        if device.index in its_devices and device.in_use:
            names = (
                " ".join(filter(None, (one.user, f"pid {one.pid}" if one.pid else "", masked_line(one.command))))
                for one in device.holders
            )
            said.append(f"device {device.index} is still held by {', '.join(names)}")
    return "; ".join(said)


def _earlier(run: Run, others: Collection[Run]) -> tuple[Run, ...]:
    """Those that came before and wait for devices as well, the first one first."""
    ahead = (
        other
        for other in others
        if other.id < run.id and other.state is State.WAITING and other.recipe.get("cores") and not other.cores
    )
    return tuple(sorted(ahead, key=lambda other: other.id))


def _names(earlier: tuple[Run, ...]) -> str:
    numbers = ", ".join(str(other.id) for other in earlier)
    return f"run {numbers}, which waits for devices too," if len(earlier) == 1 else f"runs {numbers}, which wait too,"


def _changed(others: Collection[Run]) -> bool:
    """Whether one of the runs is no longer what it was."""
    for other in others:
        try:
            now = runs.read(other.folder)
            # One that has begun to wait is still waiting, but no longer undecided.
            if now.state is not other.state or bool(now.waiting_for) is not bool(other.waiting_for):
                return True
        except TrnModelsError:
            # Its folder was deleted.
            return True
    return False


def _master_port(run: Run) -> int | None:
    try:
        return run_files.whole(run_files.read(run.folder / STATE).get("master_port"))
    except (OSError, ValueError):
        return None


def _free_port(taken: Collection[int | None]) -> int | None:
    """A port that nobody listens on, on any address. Other users' runs try other ports first, most likely."""
    for port in random.sample(_PORTS, 200):
        if port not in taken and _can_bind(port):
            return port
    return None


def _can_bind(port: int) -> bool:
    for family, address in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
        try:
            with socket.socket(family, socket.SOCK_STREAM) as listener:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                listener.bind((address, port))
        except OSError as error:
            if family == socket.AF_INET6 and error.errno in _NO_IPV6:
                continue
            return False
    return True
