"""The verbs `command install` and `command cache`: a shell line for a step before a run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from tui.cli.options import begin, source_options
from tui.cli.output import Progress, say, write
from tui.cli.record_on_stack import RecordOnStack, on_stack_options, record_on_stack
from tui.errors import EXIT_PASS, NoDataError
from tui.settings import Settings

if TYPE_CHECKING:
    from tui.rerun.recipe import CacheCommand


@click.command("install", short_help="The pip line with the packages of a model's record.")
@click.argument("model")
@on_stack_options
@source_options
@click.pass_context
def install_verb(context: click.Context, /, *, model: str, **flags: Any) -> None:
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
    write(f"{recipe.install_line}\n", sys.stdout)
    context.exit(EXIT_PASS)


@click.command("cache", short_help="The line that fetches compiled graphs for a model's record.")
@click.argument("model")
@on_stack_options
@source_options
@click.pass_context
def cache_verb(context: click.Context, /, *, model: str, **flags: Any) -> None:
    """Print the line that fetches the graphs compiled by the neuronx-cc of MODEL's record.

    Where the address comes from goes to stderr, also when it is a candidate only, unverified: then look before you run
    it. Exit code 4: nothing is recorded on this stack; 5: no bucket is known.

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
    write(f"{cache.line}\n", sys.stdout)
    context.exit(EXIT_PASS)


def cache_of(settings: Settings, chosen: RecordOnStack) -> CacheCommand:
    """The command for the record, and the bucket looked for as the app does: a few requests, kept for a day."""
    from dataclasses import replace

    from tui.catalog import neff_bucket
    from tui.rerun.recipe import cache_command

    with Progress() as progress:
        progress("looking for compiled graphs")
        search = neff_bucket.find(settings)
    compilers = chosen.snapshot.records["neuronx_cc"].drop_nulls().unique().to_list()
    cache = cache_command(search.bucket, chosen.record.text("neuronx_cc"), settings.neff_cache_dir, compilers)
    return cache if search.bucket is not None else replace(cache, note=search.note)
