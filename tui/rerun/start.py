"""Starting and stopping runs from outside: the supervisor is another process, this only speaks to it."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import psutil

from tui import numbers
from tui.errors import TrnModelsError
from tui.host.surroundings import lingers
from tui.process import module_argv, signal_name
from tui.rerun import fresh_look, identity, members, recipe_file, run_files, runs, stopping, waiting
from tui.rerun.identity import TOKEN_VARIABLE
from tui.rerun.members import Member
from tui.rerun.plan import Plan
from tui.rerun.run import Outcome, Result, Run, State
from tui.rerun.stopping import Reach
from tui.rerun.timing import Timing
from tui.settings import Settings
from tui.terminal_text import clean

log = logging.getLogger(__name__)

SUPERVISOR: Final = "tui.rerun.supervisor"

# Together less than the 30 s after which a run without a supervisor counts as lost.
_WITHIN_S = 18.0
_SCOPE_WITHIN_S = 8.0
_SCOPE = ("systemd-run", "--user", "--scope", "--quiet", "--collect", "--")
_SOCKETS = ("bus", "systemd/private")


def start(settings: Settings, plan: Plan) -> Run:
    """Make the run's folder and start its supervisor; returns when that has written its state (or could not).

    Raises `TrnModelsError` when no supervisor could be started; the folder then says so too.
    """
    run = runs.create(settings, plan)
    environment = supervisor_environment(plan, os.environ)
    argv = module_argv(SUPERVISOR, run.folder)
    try:
        scope = _scope(environment)
        if scope:
            # Out of the login session, which may be ended as a whole when the person logs out.
            reason = _launch([*scope, *argv], environment, run.folder, _SCOPE_WITHIN_S)
            if not reason or _has_begun(run):
                return runs.read(run.folder)
            log.warning("run %d: not in a scope of its own: %s", run.id, reason)
        reason = _launch(argv, environment, run.folder, _WITHIN_S)
        if not reason or _has_begun(run):
            return runs.read(run.folder)
    except BaseException:
        _write_not_started(run, "its start was interrupted")
        raise
    _write_not_started(run, reason)
    raise TrnModelsError(
        f"Run {run.id} could not be started", reason, f"Its folder is {run.folder}; supervisor.log there may tell more."
    )


def again(settings: Settings, run: Run, queue: bool = False) -> Run:
    """Start a new run of the same; raises `TrnModelsError` as `start` does, and when a secret is missing.

    Secret values were not kept: they are taken from this environment. What recipe.json tells of the interpreter and
    of the host is looked at anew, which takes up to half a minute; one that cannot be asked is an error too.
    """
    plan = runs.plan_of(run, queue=queue)
    names = run_files.texts(run.recipe.get("hidden"))
    if any(map(recipe_file.is_of_a_word, names)):
        raise TrnModelsError(
            f"Run {run.id} cannot be started again as it was",
            "An argument of it looked like a secret, and was not kept.",
            "Start from the record; a script may take its secrets from variables, whose values can be set again.",
        )
    missing = [name for name in names if name not in os.environ]
    if missing:
        raise TrnModelsError(
            f"Run {run.id} cannot be started again as it was",
            f"{', '.join(missing)}: the value was not kept, and is not in the environment of this app.",
            "Set it before the app is started, or start from the record.",
        )
    about = fresh_look.about_now(settings, run, plan.about, os.environ)
    return start(settings, replace(plan, hidden={name: os.environ[name] for name in names}, about=about))


def stop(settings: Settings, run: Run, timing: Timing | None = None) -> None:
    """Ask the supervisor to stop the run; returns at once, the run is STOPPING, then FINISHED (`stopped`).

    Of a lost run what still lives of it is ended here, which may take up to 25 s, and 5 s more for a look at its
    devices. Raises `TrnModelsError`, also for a run of another host: nothing of it can be reached from here.
    """
    now = runs.settled(runs.find(settings, run.id))
    if now.on_host and now.state is not State.FINISHED:
        told = "It runs on" if now.live else "What may be left of it is on"
        raise TrnModelsError(f"Run {run.id} cannot be stopped from here", f"{told} {now.on_host}: stop it there.")
    if now.live and now.supervisor is not None:
        if members.send(Member(now.supervisor, ()), signal.SIGTERM):
            return
        if identity.alive(now.supervisor):
            raise TrnModelsError(
                f"Run {run.id} cannot be stopped",
                f"Its supervisor, pid {now.supervisor.pid}, takes no signal from this user.",
                "Stop it as the user who started it.",
            )
        now = runs.read(now.folder)
    if now.state is State.FINISHED:
        raise TrnModelsError(f"Run {run.id} is over", "There is nothing to stop.")
    if now.live:
        raise TrnModelsError(f"Run {run.id} is just being started", "It has no supervisor yet.", "Try again.")
    _end_lost(settings, now, timing or Timing())


def supervisor_environment(plan: Plan, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment that the supervisor inherits: the app's, with `plan.hidden` in it.

    Also in it are the secrets of `plan.environment`, which recipe.json does not have.
    """
    # An app that was itself started by a run must not count its own runs as parts of that one.
    inherited = {name: value for name, value in environ.items() if name != TOKEN_VARIABLE}
    return inherited | recipe_file.secrets_of(plan)


def _scope(environ: Mapping[str, str]) -> tuple[str, ...]:
    """What starts a process in a scope of the user's service manager; empty where that would not help.

    A manager of a user who does not linger ends with the last login, and all its scopes with it: there a session of
    its own is what outlives the login (systemd-run(1), logind.conf(5)).
    """
    if not lingers():
        return ()
    program = shutil.which(_SCOPE[0], path=environ.get("PATH", os.defpath))
    folder = environ.get("XDG_RUNTIME_DIR")
    if program is None or not folder or not any((Path(folder) / name).is_socket() for name in _SOCKETS):
        return ()
    return (program, *_SCOPE[1:])


def _launch(argv: Sequence[str], environment: Mapping[str, str], folder: Path, within_s: float) -> str:
    """Start a supervisor and wait until it is on its own; the reason when it is not."""
    try:
        # A file: whatever the supervisor starts may inherit it, and the end of a pipe would never come.
        with tempfile.TemporaryFile(dir=folder) as said:
            child = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                env=environment,
                cwd=folder,
                start_new_session=True,
            )
            try:
                code = child.wait(within_s)
            except BaseException as error:
                _kill_with_children(child)
                if isinstance(error, subprocess.TimeoutExpired):
                    return f"no answer within {numbers.duration_words(within_s)}"
                raise
            if code == 0:
                return ""
            said.seek(0)
            lines = said.read().decode("utf-8", errors="replace").split("\n")
    except (OSError, ValueError) as error:
        return f"{argv[0]}: {getattr(error, 'strerror', None) or error}"
    how = f"exit code {code}" if code > 0 else f"ended by {signal_name(-code)}"
    return next((clean(line.strip()) for line in reversed(lines) if line.strip()), how)


def _kill_with_children(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(psutil.Error):
        for process in psutil.Process(child.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                process.kill()
    child.kill()
    child.wait()


def _has_begun(run: Run) -> bool:
    """Whether a supervisor is at work, or has been: a second one must not be started."""
    now = runs.read(run.folder)
    return now.outcome is not None or (now.supervisor is not None and identity.alive(now.supervisor))


def _write_not_started(run: Run, reason: str) -> None:
    try:
        if not _has_begun(run):
            outcome = Outcome(result=Result.NOT_STARTED, ended_at=datetime.now(UTC), note=reason)
            runs.write_outcome(run.folder, outcome)
    except (OSError, TrnModelsError) as error:
        log.warning("run %d: %s; that cannot be written: %s", run.id, reason, error)


def _end_lost(settings: Settings, run: Run, timing: Timing) -> None:
    """End what a lost run left, look at its devices again, and write down that it was stopped."""
    elsewhere = recipe_file.to_plan(run.recipe, None, os.environ).elsewhere

    def find() -> tuple[Member, ...]:
        return members.find(run.token, known=run.unmarked).alive

    lived = bool(find())
    reach = Reach(find, run.token, elsewhere, time.sleep)
    gone = stopping.stop(reach, timing)
    if find():
        raise TrnModelsError(
            f"Run {run.id} could not be stopped", gone.note, "They may hang in the driver; look again."
        )
    ended_at = datetime.now(UTC)
    held = waiting.still_held(settings, run.devices, os.environ, timing.held_s)
    unknown = "" if run.token else "state.json is damaged, so what may be left of it was not found"
    until = ended_at if lived else run.heartbeat_at
    outcome = Outcome(
        result=Result.STOPPED,
        ended_at=ended_at,
        wall_s=max((until - run.started_at).total_seconds(), 0.0) if until and run.started_at else 0.0,
        peak_host_memory_bytes=run.peak_bytes,
        killed=gone.killed,
        note="; ".join(filter(None, ("it was lost before it was stopped", unknown, gone.note, held))),
    )
    try:
        runs.write_outcome(run.folder, outcome)
    except OSError as error:
        raise TrnModelsError(
            f"Run {run.id} was stopped, which could not be written down",
            f"{run.folder}: {error.strerror or error}",
            "Make room there, and stop it again.",
        ) from error
