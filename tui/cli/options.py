"""Options that several verbs take, before the verb or after it, and the settings that they lead to."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from tui.settings import DEFAULT_DATASET, Settings, load

THEMES = ("dark", "light", "ansi")
"""Names of `tui.themes.THEMES`, which cannot be imported here: it loads the UI framework."""


def _no_colour(_context: click.Context, _option: click.Parameter, given: bool) -> None:
    """What draws asks the environment, so that all parts ask the same."""
    if given:
        os.environ["NO_COLOR"] = "1"


no_color_option = click.option(
    "--no-color", is_flag=True, expose_value=False, callback=_no_colour, help="No colours, as with NO_COLOR."
)
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
    no_color_option,
)
_LOOKS = (
    click.option("--search", metavar="TEXT", help="Words of the id, and terms such as is:pass: see list --help."),
    click.option("--ascii/--no-ascii", default=None, help="ASCII signs only.  [default: as the terminal can]"),
    click.option("--theme", type=click.Choice(THEMES), help="Colours of the app, remembered when changed there."),
)
_HOST = (
    click.option(
        "--python", metavar="PYTHON", help='Python for run.py: a path, or a command: "docker exec -i NAME python".'
    ),
    click.option("--any-host", is_flag=True, default=None, help="Run also where there is no trn2 host, for trying."),
)
_FOLLOW = (
    click.option("--detach", is_flag=True, help="Only start it, and print how to follow it."),
    click.option("--follow", is_flag=True, help="Show its log and wait for its end: what happens without --detach."),
)

cores_option = click.option(
    "--cores", type=click.IntRange(min=1), metavar="N", help="Of several records, one on N cores."
)


_AS_VERSION = "latest, any, a version, or its first parts (2.28)."


class RunId(click.types.IntParamType):
    """The number of a run, from 0 on, as `trn-models runs` lists it; it arrives as an int."""

    name = "run"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number. Fails with a sentence that says where the ids are."""
        from tui.terminal_text import clean

        text = str(value)
        if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_RUN_ID):
            self.fail(f"«{clean(text)}» is no run: trn-models runs lists them.", param, ctx)
        return int(text)


environment_option = click.option(
    "--env",
    "environment",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a variable for the run, which is then marked as edited. Can be repeated.",
)
yes_option = click.option(
    "--yes", "-y", is_flag=True, help="Ask nothing. Where there is no terminal it has to be given."
)
refresh_option = click.option(
    "--refresh", "fresh", is_flag=True, help="Ask the Hub for what is new first.  [default: what is on disk]"
)
queue_option = click.option("--queue", is_flag=True, help="Wait for cores when they are in use, also after a logout.")


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say where records come from."""
    return _with(_SOURCE, command)


def look_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what is shown, and how."""
    return _with(_LOOKS, command)


def host_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say which Python runs a run.py, and whether any machine will do."""
    return _with(_HOST, command)


def follow_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say whether a run is watched; `follows` reads them."""
    return _with(_FOLLOW, command)


def follows(context: click.Context, flags: Mapping[str, Any]) -> bool:
    """Whether the run is watched. Raises `click.UsageError` for both options at once."""
    if flags["detach"] and flags["follow"]:
        raise click.UsageError("--detach and --follow exclude each other.", context)
    return not flags["detach"]


def record_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose among several records of one model to run."""
    return _version_options("the stack installed here, else the newest")(cores_option(command))


def stack_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--neuronx-cc` and `--library-version`; their values go to `tui.cli.stack_choice`."""
    return _version_options("the newest stack")(command)


def _version_options(default: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The two options; `default` says what is taken when neither is given."""
    options = (
        click.option("--neuronx-cc", metavar="V", help=f"{_AS_VERSION}  [default: {default}]"),
        click.option("--library-version", metavar="V", help="The same for the library's version."),
    )
    return lambda command: _with(options, command)


class VerbWithArguments(click.Command):
    """A verb whose words after `--` are arguments of run.py; they arrive as `arguments`, a tuple.

    Where no model comes before it, the first word after `--` is the model: an id may begin with `-`.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take off what follows the first `--`: a second model by mistake never becomes an argument."""
        end = args.index("--") if "--" in args else len(args)
        words = args[:end]
        after = args[end + 1 :]
        if after and not self._names_a_model(ctx, words):
            words = [*words, "--", after[0]]
            after = after[2:] if after[1:2] == ["--"] else after[1:]
        rest = super().parse_args(ctx, words)
        ctx.params["arguments"] = tuple(after)
        return rest

    def _names_a_model(self, ctx: click.Context, words: list[str]) -> bool:
        named, _, _ = self.make_parser(ctx).parse_args(list(words))
        return isinstance(named.get("model"), str)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """The usage line with the words after `--`."""
        return [*super().collect_usage_pieces(ctx), "[-- ARGUMENTS]"]


def begin(context: click.Context, flags: Mapping[str, Any], *, config_file: bool = True) -> Settings:
    """The settings of this command, and the log file opened. Raises as `settings_of` does."""
    from tui import log_file

    settings = settings_of(context, flags, config_file=config_file)
    log_file.start(settings)
    return settings


def settings_of(context: click.Context, flags: Mapping[str, Any], *, config_file: bool = True) -> Settings:
    """Settings from the flags of this verb, those before the verb, the environment and the config file.

    Raises `tui.errors.UsageError` for a value that cannot be used, `ConfigFileError` for the file; without
    `config_file` that is not looked at.
    """
    given: dict[str, Any] = {}
    contexts = [context]
    while contexts[0].parent is not None:
        contexts.insert(0, contexts[0].parent)
    for values in (*(each.params for each in contexts), flags):
        given |= {name: value for name, value in values.items() if name in _NAMES and value is not None}
    if given.get("sample") and given.get("data"):
        raise click.UsageError("--sample and --data exclude each other.", context)
    return load(given, os.environ, config_file=config_file)


_LONGEST_RUN_ID = 9
_NAMES = frozenset({"data", "dataset", "revision", "sample", "offline", "ascii", "theme", "python", "any_host"})


def _with(options: tuple[Callable[..., Any], ...], command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        command = option(command)
    return command
