"""The verbs `command install` and `command cache`: a shell line for a step before a run."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from tui.cli.formats import Types, format_option, write_object
from tui.cli.options import begin, source_options
from tui.cli.output import Progress, say, write
from tui.cli.record_on_stack import RecordOnStack, on_stack_options, record_on_stack
from tui.errors import EXIT_PASS, NoDataError
from tui.settings import Settings

if TYPE_CHECKING:
    from tui.catalog.verdict import Record
    from tui.rerun.recipe import CacheCommand

_TYPES: Final[Types] = {
    "tp": int,
    "packages": list[str],
    "left_out": list[str],
    "is_candidate": bool,
    "arguments": list[str],
    "environment": dict,
    "hidden": list[str],
    "sample": bool,
}
"""Of the values of a line's object that are no text."""


@click.command("install", short_help="The pip line with the packages of a model's record.")
@click.argument("model")
@on_stack_options
@format_option()
@source_options
@click.pass_context
def install_verb(context: click.Context, /, *, model: str, form: str, **flags: Any) -> None:
    """Print the pip line that puts the versions of MODEL's record on top of its stack.

    torch, torch-neuronx, neuronx-cc and nki belong to the stack and are not in it. What is left out, and why, goes to
    stderr. Exit code 4: nothing is recorded on this stack; 5: the record names no package.

    \b
    Examples:
      trn-models command install ORG/NAME
      trn-models command install ORG/NAME --neuronx-cc any | sh
    """
    from tui.rerun.recipe import recipe_of

    chosen = record_on_stack(begin(context, flags), model, flags)
    recipe = recipe_of(chosen.record, None)
    if not recipe.install_line:
        raise NoDataError(
            f"There is no install line for {chosen.record.model_id}",
            "\n".join(recipe.left_out),
            "Look at the record: trn-models show MODEL",
        )
    say(*recipe.left_out)
    packages = {"packages": [each.requirement for each in recipe.packages], "left_out": list(recipe.left_out)}
    _write(chosen, recipe.install_line, packages, form)
    context.exit(EXIT_PASS)


@click.command("cache", short_help="The line that fetches compiled graphs for a model's record.")
@click.argument("model")
@on_stack_options
@format_option()
@source_options
@click.pass_context
def cache_verb(context: click.Context, /, *, model: str, form: str, **flags: Any) -> None:
    """Print the line that fetches the graphs compiled by the neuronx-cc of MODEL's record.

    Where the address comes from goes to stderr, also when it is a candidate only, unverified: then look before you run
    it. Exit code 4: nothing is recorded on this stack; 5: no bucket is known, or the Hub has none of that name.

    \b
    Examples:
      trn-models command cache ORG/NAME
      trn-models command cache ORG/NAME --neuronx-cc 2.28
    """
    settings = begin(context, flags)
    chosen = record_on_stack(settings, model, flags)
    cache = cache_of(settings, chosen)
    source = f"Address from {cache.source}" if cache.source else ""
    if not cache.line:
        raise NoDataError(
            f"There is no command that fetches compiled graphs for {chosen.record.model_id}",
            "\n".join(filter(None, (source, cache.note))),
        )
    # The address of a candidate is nobody's word, so that is the first thing said.
    say("CANDIDATE, unverified" if cache.candidate else "", source, cache.note)
    _write(chosen, cache.line, _parts(cache), form)
    context.exit(EXIT_PASS)


def cache_of(settings: Settings, chosen: RecordOnStack) -> CacheCommand:
    """The command for the record, and the bucket looked for as the app does: a few requests, kept for a day."""
    from tui.rerun.hub_answers import graphs_command

    compilers = chosen.snapshot.records["neuronx_cc"].drop_nulls().unique().to_list()
    with Progress() as progress:
        progress("looking for compiled graphs")
        return graphs_command(settings, chosen.record, compilers)


def _parts(cache: CacheCommand) -> dict[str, Any]:
    """What is in the line: bucket, folder there (empty: all of it), folder here; and where the address is from."""
    from tui.catalog import bucket_address

    address = cache.argv[-2]
    prefix = bucket_address.path_in_bucket(address)
    return {
        "bucket": address.removesuffix(prefix).rstrip("/"),
        "prefix": prefix,
        "folder": str(cache.destination),
        "source": cache.source,
        "is_candidate": cache.candidate,
        "note": cache.note,
    }


def _write(chosen: RecordOnStack, line: str, parts: Mapping[str, Any], form: str) -> None:
    snapshot = chosen.snapshot
    source = {"dataset": snapshot.name, "revision": snapshot.revision, "sample": snapshot.source == "sample"}
    write_line(line, chosen.record, parts, source, form)


def write_line(
    line: str, record: Record, parts: Mapping[str, Any], source: Mapping[str, str | bool | None], form: str
) -> None:
    """Write the line alone as the table, which is for pipes; else an object with the record that it is for."""
    if form == "table":
        write(f"{line}\n", sys.stdout)
        return
    about = {name: record.text(name) for name in ("neuronx_cc", "library", "library_version")}
    values = {"model_id": record.model_id, "command": line, **parts, "verdict": record.verdict.value, "tp": record.tp}
    write_object({**values, **about, **source}, form, _TYPES)
