"""The verb `open`: the app on one model."""

from __future__ import annotations

from typing import Any

import click

from tui.cli.options import begin, host_options, look_options, source_options


@click.command("open", short_help="Open the app on a model.")
@click.argument("model")
@source_options
@host_options
@look_options
@click.pass_context
def open_verb(context: click.Context, /, model: str, search: str | None, **flags: Any) -> None:
    """Open the app with MODEL under the cursor and its detail open.

    MODEL is an id, or a part of one that fits one model. The newest stack that has a record of it is chosen.

    \b
    Examples:
      trn-models open ORG/NAME
      trn-models open quartz-8b-instruct --sample
    """
    from tui.cli.app_command import open_app_on

    context.exit(open_app_on(begin(context, flags), model, search or ""))
