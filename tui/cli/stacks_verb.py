"""The verb `stacks`: the pairs of versions that the dataset has, and what came out on each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from tui.catalog.stacks import STACK_COLUMNS
from tui.cli.formats import format_option, write_frame
from tui.cli.options import begin, refresh_option, source_options
from tui.cli.records_source import open_told
from tui.errors import EXIT_PASS

if TYPE_CHECKING:
    import polars as pl

    from tui.catalog.snapshot import Snapshot

HEADERS: Final = {
    "neuronx_cc": "neuronx-cc",
    "library_version": "version",
    "pass": "PASS",
    "fail": "FAIL",
    "excluded": "left out",
}


@click.command("stacks", short_help="List the stacks that the dataset has records of.")
@format_option()
@refresh_option
@source_options
@click.pass_context
def stacks_verb(context: click.Context, /, *, form: str, fresh: bool, **flags: Any) -> None:
    """List the pairs of neuronx-cc and library version, the newest first, with the records of each by verdict.

    The first is the stack that the other verbs take when none is named. A model can have several records on a stack.

    \b
    Examples:
      trn-models stacks
      trn-models stacks --format json | jq -r '.[0].neuronx_cc'
    """
    settings = begin(context, flags)
    snapshot = open_told(settings, fresh)
    write_frame(
        stacks_frame(snapshot),
        form,
        headers=HEADERS,
        keep=len(STACK_COLUMNS),
        sample=snapshot.source == "sample",
        ascii_only=bool(settings.ascii),
    )
    context.exit(EXIT_PASS)


def stacks_frame(snapshot: Snapshot) -> pl.DataFrame:
    """A row for each stack, newest first.

    `neuronx_cc`, `library`, `library_version` as recorded; `records` and those of them by verdict: `pass`, `fail`,
    `other` (any other word, or no result), `excluded`.
    """
    import polars as pl

    from tui.catalog.verdict import Verdict

    verdicts = (Verdict.PASS, Verdict.FAIL, Verdict.OTHER, Verdict.EXCLUDED)
    counts = snapshot.records.group_by(STACK_COLUMNS).agg(
        pl.len().cast(pl.Int64).alias("records"),
        *((pl.col("verdict") == each.value).sum().cast(pl.Int64).alias(each.value.lower()) for each in verdicts),
    )
    rows = [(each.stack.neuronx_cc, each.stack.library, each.stack.library_version) for each in snapshot.stacks]
    newest_first = pl.DataFrame(rows, schema=dict.fromkeys(STACK_COLUMNS, pl.String), orient="row")
    return newest_first.join(counts, on=STACK_COLUMNS, how="left", nulls_equal=True, maintain_order="left")
