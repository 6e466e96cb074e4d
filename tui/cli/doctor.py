"""The verb `doctor`: what of app, data and machine is as it should be; a report that can be shown to anybody."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from tui.cli.formats import format_option
from tui.cli.options import begin, host_options, source_options

if TYPE_CHECKING:
    from tui.catalog.snapshot import Snapshot
    from tui.cli.findings import Finding
    from tui.settings import Settings

COLUMNS: Final = {"check": str, "level": str, "text": str, "advice": str}
"""Of the formats for programs; `advice` is empty for what is OK."""

_NARROWEST: Final = 20
"""Cells that a text has beside what stands before it; on a narrower terminal it goes on below that."""


@click.command("doctor", short_help="Look at app, data and machine; a report for a bug.")
@format_option()
@source_options
@host_options
@click.pass_context
def doctor_verb(context: click.Context, /, form: str, **flags: Any) -> None:
    """Look at versions, records, Hub, folders, terminal, clipboard, devices, Pythons and runs.

    Each line is OK, a warning or a problem, and says what to do. The report names neither user nor host and has no
    token in it: it can be pasted in a bug. One request is made, none with --offline. The exit code is 0 whatever was
    found, and 5 when there are no records and none can be fetched.

    \b
    Examples:
      trn-models doctor
      trn-models doctor --offline --format json
    """
    from tui.errors import EXIT_NO_DATA, EXIT_PASS

    settings, unfit = _settings(context, flags)
    has_data = write_report(settings, form, unfit)
    context.exit(EXIT_PASS if has_data else EXIT_NO_DATA)


def _settings(context: click.Context, flags: Mapping[str, Any]) -> tuple[Settings, list[Finding]]:
    """The settings; without the config file, which is then the finding, when that is what cannot be used."""
    from tui.errors import ConfigFileError

    try:
        return begin(context, flags), []
    except ConfigFileError as error:
        from tui.cli.findings import Finding, Level, on_one_line

        text = f"{on_one_line(error.title, error.detail).rstrip('.')}; left out here"
        return begin(context, flags, config_file=False), [Finding(Level.PROBLEM, "config file", text, error.remedy)]


def write_report(settings: Settings, form: str, unfit: Sequence[Finding] = ()) -> bool:
    """Look at everything and write the report to stdout; whether there are records, or the Hub has some.

    `unfit` is what was found before, of the settings.
    """
    from tui.cli.findings import Level, fit_to_publish
    from tui.cli.formats import write_rows
    from tui.cli.output import Progress, is_terminal, write

    snapshot, unread = _snapshot(settings)
    with Progress() as progress:
        progress("looking around …")
        found = [fit_to_publish(each, os.environ) for each in (*unfit, *unread, *_findings(settings, snapshot, unread))]
    if form != "table":
        of_sample = {"sample": True} if settings.sample else {}
        types = COLUMNS | ({"sample": bool} if of_sample else {})
        write_rows(({name: getattr(each, name) for name in COLUMNS} | of_sample for each in found), types, form)
    else:
        width = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None
        write("\n".join(report(found, width)) + "\n", sys.stdout, ascii_only=bool(settings.ascii))
    asked_in_vain = any(each.check == "Hub" and each.level is Level.PROBLEM for each in found)
    return snapshot is not None or not (unread or settings.offline or asked_in_vain)


def report(found: Iterable[Finding], width: int | None) -> list[str]:
    """Lines of the report, broken at `width` cells; what to do stands below what it is about."""
    from tui.cli.findings import Level
    from tui.numbers import counted
    from tui.terminal_text import clean

    listed: Sequence[Finding] = tuple(found)
    level_cells = max(len(each.level.value) for each in listed)
    check_cells = max(len(each.check) for each in listed)
    indent = " " * (level_cells + check_cells + 4)
    if width is not None and width < len(indent) + _NARROWEST:
        indent = "  "
    lines: list[str] = []
    for each in listed:
        head = f"{each.level.value:{level_cells}}  {each.check:{check_cells}}  "
        lines += _broken(head, clean(each.text), indent, width)
        if each.advice:
            lines += _broken(indent, clean(each.advice), indent, width)
    counts = {level: sum(each.level is level for each in listed) for level in Level}
    lines.append(f"{counted(counts[Level.PROBLEM], 'problem')}, {counted(counts[Level.WARNING], 'warning')}")
    return lines


def _broken(head: str, text: str, indent: str, width: int | None) -> list[str]:
    if width is None:
        return [head + text]
    return textwrap.wrap(
        text, max(width, _NARROWEST), initial_indent=head, subsequent_indent=indent, break_on_hyphens=False
    )


def _snapshot(settings: Settings) -> tuple[Snapshot | None, list[Finding]]:
    """The records that are on this machine, and what stands in their way. Nothing is fetched."""
    from tui.cli.findings import found_by

    kept: list[Snapshot] = []

    def read() -> Iterator[Finding]:
        from tui.catalog import snapshot as snapshots

        if settings.sample:
            kept.append(snapshots.open_sample())
        elif settings.data is not None:
            kept.append(snapshots.open_path(settings.data, settings, lambda _: None))
        elif (last := snapshots.last_snapshot(settings)) is not None:
            kept.append(last)
        yield from ()

    unread = list(found_by("source", read))
    return (kept[0] if kept else None), unread


def _findings(settings: Settings, snapshot: Snapshot | None, unread: Sequence[Finding]) -> Iterator[Finding]:
    from tui.cli import doctor_data, doctor_machine
    from tui.cli.findings import found_by

    environ = os.environ
    yield from found_by("versions", doctor_data.versions)
    if not unread:
        yield from found_by("source", lambda: doctor_data.records(settings, snapshot))
    yield from found_by("Hub", lambda: doctor_data.hub_answers(settings, snapshot))
    yield from found_by("token", lambda: doctor_data.token(environ))
    yield from found_by("folders", lambda: doctor_data.folders(settings, environ))
    yield from found_by("terminal", lambda: doctor_machine.terminal(environ))
    yield from found_by("clipboard", lambda: doctor_machine.copies(settings, environ))
    yield from found_by("host", lambda: doctor_machine.devices(settings, environ))
    yield from found_by("Python", lambda: doctor_machine.pythons(settings, environ))
    yield from found_by("own runs", lambda: doctor_machine.own_runs(settings))
