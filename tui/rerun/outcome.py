"""What a run that is over means: beside its record, for its person, and for the dataset's discussion page."""

from __future__ import annotations

import getpass
import os
import platform
import shlex
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

from tui import numbers
from tui.catalog.tested_packages import STACK
from tui.catalog.verdict import Record, sentence
from tui.host.fit_stack import packages_on_top
from tui.host.versions import same_version
from tui.rerun import recorded, run_files, run_log
from tui.rerun.diagnosis import Diagnosis, diagnose
from tui.rerun.log_lines import LogLines
from tui.rerun.plain_lines import plain_lines
from tui.rerun.plan import TITLES, Kind
from tui.rerun.progress import ending
from tui.rerun.redaction import without_secrets
from tui.rerun.run import Result, Run, State
from tui.rerun.secret_values import NOT_KEPT, looks_secret

_SIGKILL = 9
_COMPILER_FAILED = 70
_NOTEWORTHY = 0.2
"""Share of the recorded wall time from which on a difference is told."""
_SEARCHED_HEAD, _SEARCHED_TAIL = 4 << 20, 24 << 20
"""Bytes of a log that are searched for the cause: more would take seconds."""
_LAST_LINES = 30
_LAST_BYTES = 1 << 19
"""Among which the last lines are looked for."""
_LONGEST_LINE = 400
"""Characters of a log line in a text for others."""


def compared(run: Run) -> tuple[str, ...]:
    """What became of a run that is over, beside its record, in sentences; empty for one that goes on.

    No PASS is concluded from an exit code, and no verdict from a time: the record's cache state is not known. What the
    log tells (`diagnosis_of`) is not among them.
    """
    if run.live:
        return ()
    return (*_how_it_ended(run), *_beside_the_record(run))


def diagnosis_of(run: Run) -> Diagnosis | None:
    """What the log of a failed or lost run tells; None for others, and when it tells nothing. Reads the log."""
    outcome = run.outcome
    failed = run.state is State.LOST or (outcome is not None and outcome.result is Result.FAILED)
    return diagnose(_lines_to_search(run.folder)) if failed and not run.live else None


def discussion_text(run: Run, diagnosis: Diagnosis | None) -> str:
    """Markdown for the dataset's discussion page, without names, paths and secrets of this machine. Reads the log."""
    record = recorded.record_of(run)
    lines = [f"- **This run**: {_outcome_words(run)}{', edited' if run.edited else ''}"]
    if run.recipe.get("sample") is True:
        lines += ["- **Data**: the invented sample of the app; no real model, and no record of the dataset"]
    lines += [f"- **Added**: {text}" for text in [_added(run)] if text]
    if record is not None:
        lines += [f"- **Recorded**: {sentence(record)}"]
    lines += [f"- **{name}**: {text}" for name, text in _surroundings(run)]
    lines += [f"- **Differs from the record**: {text}" for text in [", ".join(_differences(run, record))] if text]
    if diagnosis is not None:
        lines += ["", f"**{diagnosis.title}**", "", *_fenced(diagnosis.line.splitlines())]
    last = _last_lines(run)
    if last:
        lines += ["", f"Last {numbers.counted(len(last), 'line')} of the log:", "", *_fenced(last)]
    # The model is public, also where its organisation is named as somebody here.
    return f"### {run.model_id}: {_outcome_words(run)}\n\n{_for_others(chr(10).join(lines))}\n"


# How it ended


def _outcome_words(run: Run) -> str:
    """`done, exit code 0, 5 min 2 s`."""
    outcome = run.outcome
    if run.state is State.LOST or outcome is None:
        return f"lost at {numbers.when(run.heartbeat_at)}"
    took = "" if outcome.result is Result.NOT_STARTED or not run.started_at else numbers.duration_words(outcome.wall_s)
    return ", ".join(filter(None, (outcome.result.value, ending(outcome), took)))


def _how_it_ended(run: Run) -> Iterator[str]:
    outcome = run.outcome
    yield f"{'This run' if run.kind is Kind.RUN else TITLES[run.kind]}: {_outcome_words(run)}."
    if run.state is State.LOST or outcome is None:
        yield (
            "Its supervisor ended without a word: it was killed, the host ran out of memory, or restarted. How the "
            "script itself ended is not known."
        )
    elif outcome.result is Result.FAILED and (outcome.signal == _SIGKILL or outcome.exit_code in (137, -9)):
        peak = run.peak_bytes
        used = "" if peak is None else f"; host memory at its peak {numbers.size(peak)} (largest sum of PSS)"
        yield f"It was killed, usually by the kernel for lack of host memory{used}."
    elif outcome.result is Result.FAILED and outcome.exit_code == _COMPILER_FAILED:
        yield "Exit code 70 is the compiler's: its own message in the log has a code in brackets."
    elif outcome.result is Result.DONE and run.kind is Kind.RUN:
        yield "Exit code 0 alone is no PASS: what the script printed tells."


# Beside the record


def _beside_the_record(run: Run) -> Iterator[str]:
    outcome = run.outcome
    record = recorded.record_of(run) if run.kind is Kind.RUN else None
    if record is None or (outcome is not None and outcome.result is Result.NOT_STARTED):
        return
    if run.edited:
        yield "Edited: not compared with the record as the same run."
        return
    yield f"Recorded: {sentence(record)}."
    if outcome is None:
        return
    seconds = recorded.recorded_wall_s(run)
    if outcome.result is Result.DONE and seconds and abs(outcome.wall_s - seconds) > _NOTEWORTHY * seconds:
        word = "longer" if outcome.wall_s > seconds else "less time"
        yield (
            f"It took {word}: {numbers.duration_words(outcome.wall_s)}, recorded {numbers.duration_words(seconds)}. "
            "The cache state of then is not recorded: no verdict."
        )
    differences = list(_differences(run, record))
    if differences:
        yield f"Differs from the record, which may explain another outcome: {', '.join(differences)}."


def _differences(run: Run, record: Record | None) -> Iterator[str]:
    """`transformers 5.21.0 (5.23.1 recorded)` for each version that both sides tell and that differs."""
    if record is None:
        return
    packages = _packages(run)
    asked = bool(packages) or _was_asked(run)
    wanted = [(name, record.text(column), packages.get(name)) for name, column in STACK]
    wanted += [(name, version, packages.get(name)) for name, version in packages_on_top(record)]
    wanted += [
        ("python", record.text("python"), _text(recorded.about(run, "interpreter").get("version"))),
        ("driver", record.text("neuron_driver"), _text(recorded.about(run, "host").get("driver"))),
    ]
    for name, tested, found in wanted:
        if not tested or not tested.strip() or (found is None and not asked):
            continue
        if found is None and name not in ("python", "driver"):
            yield f"{name} missing ({tested} recorded)"
        elif found is not None and not (same_version(tested, found) or (name == "python" and _within(tested, found))):
            yield f"{name} {found} ({tested} recorded)"


def _within(tested: str, found: str) -> bool:
    """Whether a recorded `3.12` is what `3.12.4` is one of."""
    return found.startswith(f"{tested.strip()}.")


def _was_asked(run: Run) -> bool:
    """Whether the interpreter could tell its packages: it may have none."""
    told = recorded.about(run, "interpreter")
    return _text(told.get("version")) is not None and isinstance(told.get("packages"), Mapping)


def _packages(run: Run) -> dict[str, str]:
    """What the interpreter has, and over it what was installed on top."""
    packages: dict[str, str] = {}
    for place in ("interpreter", "overlay"):
        found = recorded.about(run, place).get("packages")
        if isinstance(found, Mapping):
            packages |= {str(name): version for name, version in found.items() if isinstance(version, str)}
    return packages


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


# For others


def _surroundings(run: Run) -> Iterator[tuple[str, str]]:
    packages = _packages(run)
    names = [name for name, _ in STACK] + ["transformers", "accelerate", "diffusers", "sentence-transformers"]
    stack = ", ".join(f"{name} {packages[name]}" for name in names if packages.get(name))
    python = _text(recorded.about(run, "interpreter").get("version"))
    if stack or python:
        yield "Stack", ", ".join(filter(None, (stack, f"Python {python}" if python else "")))
    host = recorded.about(run, "host")
    driver = _text(host.get("driver"))
    told = [_text(host.get("instance_type")) or "instance type not known"]
    told += [f"{numbers.counted(len(run.cores), 'core')} used"] if run.cores else []
    told += [f"driver {driver}"] if driver else []
    yield "Host", ", ".join(told)
    if run.peak_bytes:
        yield "Host memory", f"{numbers.size(run.peak_bytes)} at its peak (largest sum of PSS)"
    revision, digest = run.recipe.get("revision"), run.recipe.get("sha256")
    if isinstance(revision, str) and revision:
        yield "Dataset revision", revision
    if isinstance(digest, str) and digest:
        yield "run.py", f"SHA-256 {digest}"


def _added(run: Run) -> str:
    """What a person added or changed, in words; empty when nothing is known of that."""
    added = recorded.about(run, "added")
    variables = run_files.table(added.get("environment"))
    arguments = run_files.texts(added.get("arguments"))
    was = run.recipe.get("recorded_sha256")
    parts = [
        "another script" if was and was != run.recipe.get("sha256") else "",
        f"variables {', '.join(_variable(name, value) for name, value in variables.items())}" if variables else "",
        f"arguments {shlex.join(arguments)}" if arguments else "",
    ]
    return "; ".join(filter(None, parts))


def _variable(name: str, value: str) -> str:
    return f"{name} {NOT_KEPT}" if value == NOT_KEPT else f"{name}={shlex.quote(value)}"


def _last_lines(run: Run) -> list[str]:
    log = LogLines()
    log.feed(run_log.end_of(run.folder, _LAST_BYTES))
    lines = [line.rstrip() for line in islice(log.texts(len(log) - _LAST_LINES), _LAST_LINES)]
    return [line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…" for line in lines]


def _fenced(lines: list[str]) -> list[str]:
    """A code block; its fence is longer than any run of backticks in it."""
    fence = "```"
    while any(fence in line for line in lines):
        fence += "`"
    return [fence, *lines, fence]


def _lines_to_search(folder: Path) -> Iterator[str]:
    end = run_log.end_of(folder, _SEARCHED_HEAD + _SEARCHED_TAIL)
    if len(end) >= _SEARCHED_HEAD + _SEARCHED_TAIL:
        yield from plain_lines(run_log.LogReader(folder).read(_SEARCHED_HEAD))
        end = end[-_SEARCHED_TAIL:]
    yield from plain_lines(end)


def _for_others(text: str) -> str:
    """Without what is this machine's own."""
    users: set[str] = {os.environ.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER")}
    with suppress(OSError, KeyError, ImportError):
        users.add(getpass.getuser())
    homes: set[str] = {os.environ.get("HOME", "")}
    with suppress(RuntimeError, OSError):
        homes.add(str(Path.home()))
    hosts = {socket.gethostname(), platform.node(), os.environ.get("HOSTNAME", "")}
    hosts |= {name.partition(".")[0] for name in hosts}
    secrets = {value for name, value in os.environ.items() if looks_secret(name)}
    return without_secrets(text, homes=homes - {""}, users=users, hosts=hosts, secrets=secrets)
