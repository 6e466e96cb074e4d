"""`--sort` and `--reverse`: the order of a list, by the columns that the app sorts by."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from tui.catalog.sort_columns import ONLY_IN_RANKINGS, SORT_NAMES, column_named, words_of

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_NAMES = ", ".join(words_of(column) for column in SORT_NAMES)


class SortColumn(click.types.StringParamType):
    """A column by its name in the app or in the exported formats; it arrives as the latter."""

    name = "column"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The column of the lines. Fails with a sentence that lists the names."""
        from tui.terminal_text import clean

        column = column_named(str(value))
        if column is None:
            self.fail(f"There is no column «{clean(str(value))}» to sort by. The columns are {_NAMES}.", param, ctx)
        return column

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names that begin so."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(word) for word in map(words_of, SORT_NAMES) if word.startswith(incomplete.casefold())]


def sort_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--sort`, which arrives as `sort` (a column or None), and `--reverse`, as `descending`."""
    told = f"Order by a column: {_NAMES}. Lines without a value are last.  [default: the view's own order]"
    sort = click.option("--sort", type=SortColumn(), metavar="COLUMN", help=told)
    reverse = click.option("--reverse", "descending", is_flag=True, help="With --sort: the other direction.")
    return sort(reverse(command))


def refuse_impossible_order(context: click.Context, view: str, sort: str | None, *, descending: bool) -> None:
    """Raise `UsageError` for a direction without a column, and for a column that the view has no values in."""
    if descending and sort is None:
        raise click.UsageError("--reverse is for --sort COLUMN: the view's own order has one direction.", context)
    if sort in ONLY_IN_RANKINGS and view == "selected":
        raise click.UsageError(f"--sort {words_of(sort)} is for --view trending and --view downloads.", context)
