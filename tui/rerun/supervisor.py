"""The process that starts a run, watches it, stops it and writes down how it ended; it outlives the terminal.

`start.start` starts it with the run's folder as its argument. Its parent half ends as soon as state.json names the
other half, which has a session of its own and adopts whatever the run leaves behind. SIGTERM to it stops the run.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shlex
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from tui.errors import TrnModelsError
from tui.rerun import identity, inside, members, place, progress, recipe_file, runs, starting, stopping, waiting
from tui.rerun.detached import Alarm, detach
from tui.rerun.output import Output
from tui.rerun.run import Outcome, Result, Run, State
from tui.rerun.run_environment import NEFF_CACHE_VARIABLE
from tui.rerun.run_log import LogWriter
from tui.rerun.secret_values import masked_words, without
from tui.rerun.state_file import StateFile
from tui.rerun.stopping import Gone, Reach
from tui.rerun.timing import Timing
from tui.rerun.waiting import Granted, Refused
from tui.rerun.watching import Watch
from tui.settings import DEFAULT_LOG_LIMIT, Settings
from tui.terminal_text import clean

log = logging.getLogger(__name__)

_OUTPUT_ENDS_S = 2.0
"""Once all processes of the run are gone nobody should hold its pipe any more."""
_OUTCOME_AGAIN_S = 2.0


def main(arguments: Sequence[str]) -> int:
    """`arguments`: the folder of a run that `runs.create` made. Returns when the supervisor is at work, or could not.

    0: state.json names it. 1: there is none, and one line on stderr says why.
    """
    folder = Path(arguments[0]).absolute()
    return detach(lambda ready: supervise(folder, ready=ready))


def supervise(folder: Path, timing: Timing | None = None, *, ready: Callable[[], None] = lambda: None) -> None:
    """Bring a run to its end, in this process, whose signals and children it takes over.

    `ready` is called once state.json says who does it. `timing` None: as recipe.json's settings say, else the usual.
    Raises `TrnModelsError` for a run that is over already: whoever started this process did not wait for it.
    """
    if runs.is_over(folder):
        raise TrnModelsError("The run is over:", "its start was given up before.")
    _log_to(folder / "supervisor.log")
    alarm = Alarm()
    own = identity.of(os.getpid())
    assert own is not None
    state_file = StateFile(folder)
    state_file.write(supervisor=own.values(), **place.here().values(), state=State.WAITING)
    run = runs.read(folder)
    # For a recipe.json that somebody damages meanwhile.
    state_file.update(kind=run.kind, model_id=run.model_id)
    given = run.recipe.get("settings")
    timing = timing or Timing.from_values(_table(given).get("timing"))
    supervisor = _Supervisor(run, state_file, _settings(given), timing, alarm)
    ready()
    supervisor.bring_to_its_end()


class _Supervisor:
    """One run on its way through waiting, running, stopping to its outcome."""

    def __init__(self, run: Run, state_file: StateFile, settings: Settings, timing: Timing, alarm: Alarm) -> None:
        self.run, self.state_file, self.settings, self.timing, self.alarm = run, state_file, settings, timing, alarm
        self.plan = runs.plan_of(run)
        self.hidden = [name for name in run.recipe.get("hidden", ()) if not recipe_file.is_of_a_word(name)]
        for name in [*filter(recipe_file.is_of_a_word, os.environ)]:
            del os.environ[name]
        self.writer = LogWriter(run.folder, settings.log_limit)
        self.state = State.WAITING
        self.started = 0.0
        """When the main process was started, on the monotonic clock."""
        self.main_pid: int | None = None
        self.main_code: int | None = None
        """Negative: the signal that ended it."""
        self.wall_s = 0.0
        self.trouble = ""
        """What could not be prepared, though the run goes on."""
        self.watch: Watch | None = None
        self._sample_at = 0.0
        self._beat_at = 0.0
        self._folder_gone_at: float | None = None

    def bring_to_its_end(self) -> None:
        """Everything; raises nothing."""
        try:
            outcome = self._run()
        except Exception as error:  # whatever it is, what was started must not stay behind and the run must end
            log.exception("the supervisor failed")
            outcome = self._give_up(error)
        self._say(progress.told_at_the_end(outcome))
        self.writer.close()
        # Given up before it began; whatever stands there of a run that was at work is not its outcome.
        if self.main_pid is None and runs.is_over(self.run.folder):
            log.warning("the run has an outcome already")
        else:
            self._write(outcome)

    def _give_up(self, reason: Exception) -> Outcome:
        gone = Gone()
        if self.main_pid is not None:
            try:
                gone = stopping.stop(self._reach(), self.timing)
                self._reap()
            except Exception:  # the outcome must be written all the same
                log.exception("what is left of the run could not be ended")
                gone = Gone(note="what is left of it could not be ended")
        note = "; ".join(filter(None, (f"the supervisor failed: {reason}", gone.note)))
        return self._outcome(Result.FAILED, gone.killed, note)

    def _run(self) -> Outcome:
        granted: Granted | None = None
        if self.plan.cores > 0:
            turn = waiting.Turn(self.run, self.plan, self.settings, self.timing, self.update)
            answer = turn.come(self.alarm.wait, self._must_stop)
            if answer is None:
                return self._outcome(Result.STOPPED, note="it was waiting, and was not started")
            if isinstance(answer, Refused):
                return self._outcome(Result.NOT_STARTED, note=answer.reason)
            granted = answer
        if self.alarm.stop_asked:
            return self._outcome(Result.STOPPED, note="it was not started")
        if runs.is_over(self.run.folder):
            return self._outcome(Result.NOT_STARTED, note="its start was given up before")
        with Output(self.writer) as output:
            try:
                self._start(granted, output)
            except (OSError, ValueError) as error:
                return self._outcome(Result.NOT_STARTED, note=f"{self.plan.argv[0]} cannot be started: {error}")
            outcome = self._follow(output)
        held = ""
        if granted is not None:
            its_devices, self._beat_at = granted.allocation.devices, 0.0
            held = waiting.still_held(self.settings, its_devices, os.environ, self.timing.held_s, self._wait_for_look)
        return replace(outcome, note="; ".join(filter(None, (outcome.note, held))))

    def _wait_for_look(self, seconds: float) -> None:
        """No sample is taken: what there is of this process belongs to the look and not to the run."""
        if time.monotonic() >= self._beat_at:
            self._beat_at = time.monotonic() + self.timing.tick_s
            self.update(note="looking at the devices", processes=0, ranks=None, compilers=0, unmarked=[])
        self.alarm.wait(seconds)

    def _must_stop(self) -> bool:
        """Whether a stop was asked for, or nobody can ask for it any more: the folder is gone for too long."""
        if self.alarm.stop_asked:
            return True
        now = time.monotonic()
        try:
            self.run.folder.lstat()
            self._folder_gone_at = None
        except FileNotFoundError:
            self._folder_gone_at = now if self._folder_gone_at is None else self._folder_gone_at
        except OSError as error:
            log.warning("the folder of the run cannot be looked at: %s", error)
        return self._folder_gone_at is not None and now - self._folder_gone_at >= self.timing.folder_s

    def _start(self, granted: Granted | None, output: Output) -> None:
        """Raises `OSError`, and `ValueError` for words that no program can be given."""
        plan, run = self.plan, self.run
        environment = starting.environment_of(plan, run.token, granted)
        argv = list(plan.argv)
        stdin: BinaryIO | None = None
        if plan.elsewhere:
            argv = inside.start_argv(plan.elsewhere, run.token)
            there = starting.environment_inside(plan, self.hidden, environment)
            stdin = inside.handed_over(plan.script, plan.argv, there, run.token)
        self._say(f"run {run.id}: {plan.kind.value} of {run.model_id}, {_now():%Y-%m-%d %H:%M:%S} UTC")
        command = [*plan.elsewhere, *plan.argv[1:]] if plan.elsewhere else plan.argv
        self._say(shlex.join(masked_words(without(command, self._hidden_values()))))
        self._say(f"in {run.folder}, {starting.where_it_runs(granted)}")
        self.trouble = "; ".join(starting.make_neff_folders(plan, run.folder))
        if self.trouble:
            log.warning("%s", self.trouble)
            self._say(self.trouble)
        neff_cache = None if plan.elsewhere else environment.get(NEFF_CACHE_VARIABLE)
        self.watch = Watch(
            run.token,
            # A neuron-ls that hangs in the driver, for example.
            without={member.identity for member in members.find("", os.getpid()).alive},
            neff_cache=Path(neff_cache) if neff_cache else None,
            timing=self.timing,
            client=bool(plan.elsewhere),
        )
        self.started = time.monotonic()
        try:
            child = subprocess.Popen(
                argv,
                cwd=run.folder,
                env=environment,
                stdin=subprocess.DEVNULL if stdin is None else stdin,
                stdout=output.end_for_run,
                stderr=output.end_for_run,
                start_new_session=True,
            )
        finally:
            if stdin is not None:
                stdin.close()
        self.main_pid = child.pid
        # Its end is taken note of by `_reap`, as that of every other child; Popen must not wait for it as well.
        child.returncode = 0
        output.start()
        self.state = State.RUNNING
        self.update(main_pid=child.pid, started_at=_now().isoformat(), waiting_for="")

    def _follow(self, output: Output) -> Outcome:
        """From the start of the main process until nothing of the run is left."""
        while self.main_code is None and not self._must_stop():
            self._wait(self._sample_at - time.monotonic())
        stopped = self.main_code is None
        if stopped:
            self.state = State.STOPPING
            self.update()
            gone = stopping.stop(self._reach(), self.timing)
            self._wait(0.0)
        else:
            gone = stopping.end_leftovers(self._reach(), self.timing)
        if self.main_code is None:
            self.wall_s = time.monotonic() - self.started
        output.finish(_OUTPUT_ENDS_S)
        self._sample()
        result = Result.STOPPED if stopped else Result.DONE if self.main_code == 0 else Result.FAILED
        return self._outcome(result, gone.killed, gone.note)

    def _reach(self) -> Reach:
        assert self.watch is not None
        watch = self.watch
        return Reach(lambda: watch.find().alive, self.run.token, self.plan.elsewhere, self._wait)

    def _wait(self, seconds: float) -> None:
        """Wait, and do what is to be done all the time."""
        self.alarm.wait(min(seconds, self.timing.tick_s))
        self._reap()
        if time.monotonic() >= self._sample_at:
            self._sample()

    def _sample(self) -> None:
        assert self.watch is not None
        self._sample_at = time.monotonic() + self.timing.tick_s
        try:
            fields = self.watch.sample(self.writer)
        except Exception:  # what cannot be counted must not end the run
            log.exception("the processes of the run could not be counted")
            fields = {}
        self.update(**fields)

    def _reap(self) -> None:
        """Take note of ended children: the main process, and orphans of the run that came to this process."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.main_pid and self.main_code is None:
                self.main_code = os.waitstatus_to_exitcode(status)
                self.wall_s = time.monotonic() - self.started

    def update(self, **fields: Any) -> None:
        """Write fields of state.json with a sign of life. That it cannot be written is logged and nothing more."""
        self.state_file.update(state=self.state, **fields)

    def _say(self, text: str) -> None:
        """A line of this app in the log of the run, without its secrets; only while nothing else writes into it."""
        self.writer.write(f"trn-models: {clean(without(text, self._hidden_values()))}\n".encode())

    def _hidden_values(self) -> dict[str, str]:
        return {name: os.environ[name] for name in self.hidden if name in os.environ}

    def _outcome(self, result: Result, killed: tuple[str, ...] = (), note: str = "") -> Outcome:
        code = self.main_code
        return Outcome(
            result=result,
            ended_at=_now(),
            exit_code=code if code is not None and code >= 0 else None,
            signal=-code if code is not None and code < 0 else None,
            wall_s=round(self.wall_s, 3),
            peak_host_memory_bytes=self.watch.peak_bytes if self.watch else None,
            killed=killed,
            note="; ".join(filter(None, (self.trouble, note))),
        )

    def _write(self, outcome: Outcome) -> None:
        """The outcome, as soon as there is room for it; until then the run is not over, and holds its devices."""
        until = time.monotonic() + self.timing.outcome_s
        while True:
            try:
                runs.write_outcome(self.run.folder, outcome)
                break
            except FileNotFoundError:
                log.warning("the folder of the run is gone")
                return
            except OSError as error:
                log.warning("the outcome cannot be written: %s", error)
                if time.monotonic() > until:
                    return
            self.alarm.wait(_OUTCOME_AGAIN_S)
        self.state = State.FINISHED
        self.update(
            processes=0,
            unmarked=[],
            ranks=None,
            compilers=0,
            host_memory_bytes=None,
            waiting_for="",
            note=self.writer.trouble,
            log_bytes=self.writer.total_bytes,
            log_dropped_bytes=self.writer.dropped_bytes,
        )


def _settings(given: object) -> Settings:
    values = _table(given)
    state_dir, host_root, log_limit = values.get("state_dir"), values.get("host_root"), values.get("log_limit")
    return Settings(
        state_dir=Path(str(state_dir)),
        host_root=Path(host_root) if isinstance(host_root, str) else None,
        log_limit=log_limit if isinstance(log_limit, int) else DEFAULT_LOG_LIMIT,
    )


def _table(given: object) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {}


def _now() -> datetime:
    return datetime.now(UTC)


class _Handler(logging.FileHandler):
    def emit(self, record: logging.LogRecord) -> None:
        # Other than writing, opening the file raises in whatever wanted to log something.
        with contextlib.suppress(OSError):
            super().emit(record)


def _log_to(path: Path) -> None:
    """Warnings and tracebacks of the supervisor itself; a disk that is full takes them away and nothing more."""
    logging.raiseExceptions = False
    logging.Formatter.converter = time.gmtime
    handler = _Handler(path, encoding="utf-8", errors="backslashreplace", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s UTC %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
