"""Options that every verb takes, before the verb or after it, and the settings that they lead to."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tui.settings import DEFAULT_DATASET, Settings, load

THEMES = ("dark", "light", "ansi")
"""Names of `tui.themes.THEMES`, which cannot be imported here: it loads the UI framework."""

_SOURCE = (
    click.option(
        "--data",
        type=click.Path(path_type=Path),
        metavar="PATH",
        help="Read a parquet file, or a folder of them, instead of the Hub dataset.",
    ),
    click.option("--dataset", metavar="ORG/NAME", help=f"Hub dataset to read.  [default: {DEFAULT_DATASET}]"),
    click.option("--revision", metavar="REV", help="Branch, tag or commit of the dataset.  [default: main]"),
    click.option("--sample", is_flag=True, default=None, help="Show the bundled sample: invented models."),
    click.option("--offline", is_flag=True, default=None, help="Make no request at all; use what is on disk."),
)
_LOOKS = (
    click.option("--search", metavar="TEXT", help="Models whose name has every one of these words."),
    click.option("--ascii/--no-ascii", default=None, help="ASCII signs only.  [default: as the terminal can]"),
    click.option("--theme", type=click.Choice(THEMES), help="Colours of the app, remembered when changed there."),
)


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say where records come from."""
    for option in reversed(_SOURCE):
        command = option(command)
    return command


def look_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what is shown, and how."""
    for option in reversed(_LOOKS):
        command = option(command)
    return command


def settings_of(context: click.Context, flags: dict[str, Any]) -> Settings:
    """Settings from the flags of this verb, those before the verb, the environment and the config file.

    Raises `tui.errors.UsageError` for a value that cannot be used.
    """
    before = context.parent.params if context.parent is not None else {}
    given = {name: value for name, value in {**before, **_given(flags)}.items() if name in _NAMES and value is not None}
    if given.get("sample") and given.get("data"):
        raise click.UsageError("--sample and --data exclude each other.", context)
    return load(given, os.environ)


_NAMES = frozenset({"data", "dataset", "revision", "sample", "offline", "ascii", "theme"})


def _given(flags: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in flags.items() if value is not None}
