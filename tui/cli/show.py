"""The verb `show`: what is recorded of one model, and how to run it again. Its exit code tells the verdict."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

from tui.cli.formats import format_option
from tui.cli.options import begin, refresh_option, source_options, stack_options
from tui.errors import EXIT_NO_DATA

if TYPE_CHECKING:
    import polars as pl

    from tui.catalog.verdict import Record
    from tui.cli.shown_model import ShownModel
    from tui.settings import Settings


@click.command("show", short_help="Verdict, figures, stack and recipe of a model; the exit code tells the verdict.")
@click.argument("model")
@stack_options
@format_option()
@refresh_option
@source_options
@click.pass_context
def show_verb(
    context: click.Context,
    /,
    *,
    model: str,
    neuronx_cc: str | None,
    library_version: str | None,
    form: str,
    fresh: bool,
    **flags: Any,
) -> None:
    """Show what is recorded of MODEL, an id or words that only one id has, and how to run it again.

    Of a model without a record on that stack, also of one that only the Hub has: what it would take, as far as the
    Hub's facts tell (asked at most once a day).

    Exit code: 0 PASS, 1 FAIL, 3 left out of the tests, 4 not tested on that stack, 6 another result,
    5 no data, or what could be read does not tell (with a file that could not be read name the stack to get its
    verdict), 7 no such model or several.

    \b
    Examples:
      trn-models show ORG/NAME
      trn-models show ORG/NAME --neuronx-cc 2.28 --format json
    """
    from tui.cli.output import say
    from tui.cli.records_source import open_told
    from tui.cli.shown_model import shown_model
    from tui.cli.stack_choice import names_a_version, stack_choice
    from tui.cli.without_record import model_named_anywhere, with_estimate

    settings = begin(context, flags)
    snapshot = open_told(settings, fresh)
    choice = stack_choice(snapshot.stacks, neuronx_cc, library_version)
    model_id = model_named_anywhere(settings, snapshot, model)
    found = with_estimate(settings, snapshot, shown_model(settings, snapshot, model_id, choice))
    _write(settings, found, form)
    if not snapshot.complete and not names_a_version(neuronx_cc, library_version):
        say("A part of the data could not be read: newer records of the model may be in it.")
        context.exit(EXIT_NO_DATA)
    context.exit(found.exit_code)


def as_object(model: ShownModel) -> dict[str, Any]:
    """The model for `json` and `jsonl`: its record's columns, named as in the dataset, null for what is not recorded.

    `verdict` is null when what could be read does not tell; `complete` is false when not all could be, `problems` tell
    what could not. `asked_stack` has `any` where every version is meant. `records` are all records of the model,
    newest stack first. `estimate` is what a model without a record would take, null with one; its bytes are numbers.
    """
    from tui.catalog.estimate import as_object as estimate_object

    record, recipe, cache = model.record, model.recipe, model.cache
    has_script = recipe is not None and recipe.script is not None
    return {
        "model_id": model.model_id,
        "verdict": model.verdict,
        **_columns(record),
        "error": model.error,
        "install": recipe.install_line or None if recipe is not None else None,
        "cache": cache.line or None if cache is not None else None,
        "cache_is_candidate": cache.candidate if cache is not None and cache.line else None,
        "script_sha256": recipe.script_sha256 if recipe is not None and has_script else None,
        "script_bytes": recipe.script_bytes if recipe is not None and has_script else None,
        "dataset": model.dataset,
        "revision": model.revision,
        "sample": model.sample,
        "complete": model.complete,
        "problems": list(model.problems),
        "asked_stack": {
            "neuronx_cc": model.choice.neuronx_cc,
            "library": model.choice.library,
            "library_version": model.choice.library_version,
        },
        "records": [{"model_id": each.model_id, "verdict": each.verdict, **_columns(each)} for each in model.records],
        "estimate": None if model.estimate is None else estimate_object(model.estimate),
    }


def as_row(model: ShownModel) -> pl.DataFrame:
    """`as_object` as one row whose columns have the types of the dataset; objects are JSON text."""
    import polars as pl

    from tui.catalog.schema import COLUMNS
    from tui.export import json_value

    kinds = {"text": pl.String(), "int32": pl.Int32(), "float64": pl.Float64(), "time": pl.Datetime("ms", "UTC")}
    types: dict[str, Any] = {column.name: kinds[column.kind] for column in COLUMNS}
    types |= {"cache_is_candidate": pl.Boolean, "sample": pl.Boolean, "complete": pl.Boolean, "script_bytes": pl.Int64}
    types |= {"problems": pl.List(pl.String)}
    values = as_object(model)
    flat = {
        name: json.dumps(json_value(value), allow_nan=False)
        if isinstance(value, (dict, list)) and name not in types
        else value
        for name, value in values.items()
    }
    return pl.DataFrame([flat], {name: types.get(name, pl.String) for name in flat})


def _columns(record: Record | None) -> dict[str, Any]:
    """Every short column but the id; `extra` and `unconverted` as objects, empty when there is nothing."""
    from tui.catalog.schema import COLUMN_NAMES, LONG_TEXT

    names = [name for name in COLUMN_NAMES if name not in LONG_TEXT and name != "model_id"]
    values = {} if record is None else record.values
    return {
        **{name: values.get(name) for name in names},
        "unconverted": {} if record is None else record.unconverted,
        "extra": {} if record is None else record.extra,
    }


def _write(settings: Settings, model: ShownModel, form: str) -> None:
    from tui.cli.formats import write_frame, write_object
    from tui.cli.output import as_far_as_read, is_terminal, write
    from tui.cli.plain_list import sample_line
    from tui.cli.show_page import page

    if form in {"json", "jsonl", "markdown"}:
        values = as_object(model)
        if form == "markdown":
            del values["records"]  # the others are no part of a table about one
        write_object(values, form)
        return
    if form != "table":
        write_frame(as_row(model), form)
        return
    width = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None
    text = page(model, width)
    with as_far_as_read():
        write(f"{sample_line(width)}\n\n{text}" if model.sample else text, sys.stdout, ascii_only=bool(settings.ascii))
